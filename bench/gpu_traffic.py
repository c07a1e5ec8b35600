"""Bytes, time and memory of standard and of fused attention on a real GPU, by its hardware counters.

Run: ``python -m bench.gpu_traffic``. Needs an NVIDIA GPU, PyTorch built for CUDA, and Nsight Compute's
``ncu`` with leave to read the counters. Exit status 2 without them.

Writes ``gpu_traffic.csv``, one row a shape, algorithm and direction, and the head of ``gpu_traffic.md``.

* ``standard``: ``baddbmm(beta=0, alpha=scale)`` makes S, so the scale costs no pass of its own; where causal,
  ``masked_fill_`` on S with a ready boolean matrix; ``softmax`` makes P; ``bmm`` makes O. All in fp16.
* ``fused``: ``scaled_dot_product_attention`` held to PyTorch's flash backend. Its scale and its mask are
  inside the kernel. Its tensors lie in memory as (n, heads, d), the standard ones as (heads, n, d), so that
  neither has to copy them.
* ``forward`` runs without autograd. ``forward_backward`` adds ``autograd.grad`` for q, k and v.

Every count starts from an L2 that holds none of the call's tensors: a large buffer is read first. What the
call left unwritten in L2 is flushed out by reading that buffer again, and counted in a second run.
"""

import argparse
import datetime
import itertools
import json
import math
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bench.gpu_results import METRICS, describe_kernels, parse_counters, summarise, write

try:
    import torch
    from torch.autograd import DeviceType
    from torch.nn import functional
    from torch.nn.attention import SDPBackend, sdpa_kernel
except ImportError:  # Said in one sentence by `missing`; the parsing below works without it.
    torch = None

RESULTS = Path(__file__).resolve().parent / "results"
FLUSH_BYTES = 1 << 30  # far more than the L2 of any GPU
COUNTED, TIMED, WARM_UP, FLUSHES = 7, 30, 3, 4


class Shape(NamedTuple):
    """One call's sizes; batch 1, and as many queries as keys."""

    n: int
    d: int
    heads: int
    causal: bool


class Case(NamedTuple):
    """What one row of the results is about."""

    shape: Shape
    algorithm: str
    direction: str


ALGORITHMS, DIRECTIONS = ("standard", "fused"), ("forward", "forward_backward")
CALIBRATIONS = ("fill_1_byte", "flush", "fill_16_mib", "copy_1_gib")
SHAPES = [
    Shape(512, 64, 16, False), Shape(1024, 64, 16, False), Shape(1024, 128, 16, False),
    Shape(2048, 64, 16, False), Shape(2048, 128, 16, True),
    Shape(4096, 64, 1, False), Shape(4096, 64, 16, False),
    Shape(4096, 64, 16, True), Shape(4096, 128, 16, False),
    Shape(8192, 64, 8, False), Shape(8192, 128, 16, True),
    Shape(16384, 64, 1, False), Shape(16384, 128, 16, False), Shape(16384, 128, 16, True),
]  # fmt: skip


def cases(lengths: Sequence[int] = ()) -> list[Case]:
    """Every row to measure, in order; only these lengths, if any are given."""
    shapes = [shape for shape in SHAPES if not lengths or shape.n in lengths]
    return [Case(*row) for row in itertools.product(shapes, ALGORITHMS, DIRECTIONS)]


def missing(torch_module: Any, which: Callable[[str], str | None] = shutil.which) -> str | None:
    """One sentence on what this machine lacks, or None."""
    if torch_module is None:
        return "This measurement needs PyTorch built for CUDA, and PyTorch is not installed."
    if not torch_module.cuda.is_available():
        return "This measurement needs an NVIDIA GPU, and PyTorch finds none it can use."
    if which("ncu") is None:
        return "This measurement needs Nsight Compute, and its program ncu is not on the PATH."
    return None


# ---- what is measured -----------------------------------------------------------------------------------


def standard(q: Any, k: Any, v: Any, hidden: Any) -> Any:
    """Attention by three operations, each through outer memory; hidden is None or a boolean matrix."""
    unused = q.new_empty(1)
    s = torch.baddbmm(unused, q, k.transpose(1, 2), beta=0, alpha=1 / math.sqrt(q.shape[-1]))
    if hidden is not None:
        s = s.masked_fill_(hidden, -math.inf)
    p = torch.softmax(s, dim=-1)
    del s
    return torch.bmm(p, v)


def fused(q: Any, k: Any, v: Any, causal: bool) -> Any:
    """Attention by PyTorch's flash kernel and no other."""
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        return functional.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=causal).squeeze(0)


def make_call(case: Case) -> Callable[[], tuple[Any, ...]]:
    """Make the inputs on the GPU; return a function that runs the case and returns its outputs."""
    n, d, heads, causal = case.shape
    source = torch.Generator("cuda").manual_seed(0)
    made = [torch.randn(heads, n, d, generator=source, device="cuda", dtype=torch.float16) for _ in range(4)]
    if (
        case.algorithm == "fused"
    ):  # The same values, in the order in memory that the flash kernel itself uses.
        made = [tensor.transpose(0, 1).contiguous().transpose(0, 1) for tensor in made]
    q, k, v, d_o = made
    if case.algorithm == "standard":
        ones = torch.ones(n, n, dtype=torch.bool, device="cuda") if causal else None
        hidden = None if ones is None else ones.triu_(1)

        def forward() -> Any:
            return standard(q, k, v, hidden)
    else:

        def forward() -> Any:
            return fused(q, k, v, causal)

    if case.direction == "forward":

        def run() -> tuple[Any, ...]:
            with torch.no_grad():
                return (forward(),)
    else:
        for tensor in (q, k, v):
            tensor.requires_grad_()

        def run() -> tuple[Any, ...]:
            o = forward()
            return (o, *torch.autograd.grad(o, (q, k, v), d_o))

    return run


class Flush:
    """A buffer far larger than L2. Reading it pushes everything else out."""

    def __init__(self) -> None:
        self._buffer = torch.ones(FLUSH_BYTES // 4, dtype=torch.float32, device="cuda")

    def __call__(self) -> None:
        """Read the buffer; the sum is thrown away."""
        self._buffer.sum()


# ---- counters: this half runs under ncu -----------------------------------------------------------------


def calibrations(flush: Flush) -> list[Callable[[], Any]]:
    """Calls whose bytes are known, as CALIBRATIONS names them."""
    small = torch.empty(1 << 24, dtype=torch.uint8, device="cuda")
    source, target = (torch.ones(1 << 28, dtype=torch.float32, device="cuda") for _ in range(2))
    return [lambda: small[:1].fill_(1), flush, lambda: small.fill_(1), lambda: target.copy_(source)]


def count_all(chosen: Sequence[Case]) -> None:
    """Open COUNTED pairs of profiled ranges for each calibration and case: the call, then call and flush."""
    flush = Flush()
    for run in calibrations(flush):
        _ranges(run, flush)
    for case in chosen:
        _ranges(make_call(case), flush)
        torch.cuda.empty_cache()


def _ranges(run: Callable[[], Any], flush: Flush) -> None:
    run()  # Loads modules and fills the allocator's pool, so that a range holds kernels only.
    for _, flushed in itertools.product(range(COUNTED), (False, True)):
        flush()
        torch.cuda.synchronize()
        torch.cuda.cudart().cudaProfilerStart()
        run()
        if flushed:
            flush()
        torch.cuda.synchronize()
        torch.cuda.cudart().cudaProfilerStop()


def ncu_command(log: str, lengths: Sequence[int]) -> list[str]:
    """The profiler's command line; the program runs again for each pass that the counters need."""
    options = ["--replay-mode", "app-range", "--cache-control", "none", "--clock-control", "none"]
    output = ["--metrics", ",".join(METRICS.values()), "--csv", "--page", "raw", "--print-units", "base"]
    only = ["--only", *map(str, lengths)] if lengths else []
    program = [sys.executable, "-m", "bench.gpu_traffic", "--under-ncu", *only]
    return ["ncu", *options, *output, "--log-file", log, *program]


def read_counters(chosen: Sequence[Case], lengths: Sequence[int]) -> tuple[dict[Any, dict[str, Any]], str]:
    """Run the counting half under ncu; return counts by calibration name or case, and how it was called."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "ncu.csv"
        done = subprocess.run(ncu_command(str(log), lengths), capture_output=True, text=True, check=False)
        text = log.read_text(encoding="utf-8") if log.exists() else ""
    said = text + done.stdout + done.stderr
    if "ERR_NVGPUCTRPERM" in said:
        raise RuntimeError("the driver does not permit it (ERR_NVGPUCTRPERM)")
    if done.returncode:
        raise RuntimeError(f"status {done.returncode}: {said[-2000:]}")
    ranges = parse_counters(text)
    keys, each = [*CALIBRATIONS, *chosen], 2 * COUNTED
    if len(ranges) != each * len(keys):
        raise RuntimeError(f"ncu reported {len(ranges)} ranges, not {each * len(keys)}")
    starts = range(0, len(ranges), each)
    counts = {
        key: summarise(ranges[i : i + each : 2], ranges[i + 1 : i + each : 2])
        for key, i in zip(keys, starts, strict=True)
    }
    return counts, " ".join(ncu_command("ncu.csv", lengths)).replace(sys.executable, "python3")


# ---- time, memory and kernels: without a profiler's counters --------------------------------------------


def time_call(run: Callable[[], Any], flush: Flush) -> dict[str, float]:
    """Seconds by CUDA events, each from a flushed L2; the flushes give the host time to launch ahead."""
    for _ in range(WARM_UP):
        run()
    pairs = []
    for _ in range(TIMED):
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        for _ in range(FLUSHES):
            flush()
        start.record()
        run()
        stop.record()
        pairs.append((start, stop))
        torch.cuda.synchronize()
    tenths = statistics.quantiles([start.elapsed_time(stop) / 1e3 for start, stop in pairs], n=10)
    values = {"time_median_s": tenths[4], "time_p10_s": tenths[0], "time_p90_s": tenths[8]}
    return {name: float(f"{value:.4g}") for name, value in values.items()}


def peak_extra(run: Callable[[], tuple[Any, ...]]) -> int:
    """Most bytes allocated at once, less the inputs (a causal mask is one) and the outputs."""
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    outputs = run()
    torch.cuda.synchronize()
    kept = torch.cuda.memory_allocated() - before
    needed = sum(tensor.numel() * tensor.element_size() for tensor in outputs)
    if kept < needed:
        raise RuntimeError(f"the outputs need {needed} bytes, but only {kept} are allocated")
    return int(torch.cuda.max_memory_allocated() - before - needed)


def kernel_names(run: Callable[[], Any]) -> list[str]:
    """Full names of everything that one run puts on the GPU, in order, fills and copies too."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA], acc_events=True) as seen:
        run()
        torch.cuda.synchronize()
    on_gpu = [event for event in seen.events() if event.device_type == DeviceType.CUDA]
    return [event.name for event in sorted(on_gpu, key=lambda event: event.time_range.start)]


def difference(shape: Shape) -> float:
    """Largest over o, dq, dk and dv of |fused − standard| / |standard|, in the Frobenius norm."""
    theirs, ours = (make_call(Case(shape, name, "forward_backward"))() for name in ALGORITHMS)
    pairs = [(a.detach().float(), b.detach().float()) for a, b in zip(ours, theirs, strict=True)]
    return max(float((a - b).norm() / b.norm()) for a, b in pairs)


def measure(chosen: Sequence[Case], counts: dict[Any, dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the finished rows."""
    flush = Flush()
    for case in chosen:
        run = make_call(case)
        row = {**case.shape._asdict(), "algorithm": case.algorithm, "direction": case.direction}
        row |= counts[case] | time_call(run, flush)
        row |= {"peak_extra_bytes": peak_extra(run), **describe_kernels(kernel_names(run))}
        del run
        torch.cuda.empty_cache()
        yield row


# ---- what is written ------------------------------------------------------------------------------------


def provenance(how: str, counts: dict[Any, dict[str, Any]], worst: float, seconds: float) -> str:
    """The head of the Markdown file."""
    device = torch.cuda.get_device_properties(0)
    driver = _output("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader").split()[0]
    profiler = re.search(r"Version (\S+)", _output("ncu", "--version"))
    facts = {
        "Device": f"{device.name}, {device.multi_processor_count} multiprocessors, "
        f"{device.L2_cache_size:,} bytes of L2, {device.total_memory:,} bytes of memory, says the driver",
        "Driver": driver,
        "Libraries": f"PyTorch {torch.__version__}, CUDA {torch.version.cuda}, Python "
        + platform.python_version(),
        "Profiler": f"Nsight Compute {profiler[1] if profiler else 'of unknown version'}",
        "Date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "Command": f"`{' '.join(['python3 -m bench.gpu_traffic', *sys.argv[1:]])}`, {seconds:.0f} s",
        "Counters": f"`{how}`",
        "Agreement": f"o and gradients of fused and standard differ by at most {worst:.1e}, relative",
    }
    shown = ("dram_read", "dram_written_in_call", "dram_written", "sm_read", "sm_written", "l2_read")
    table = [
        "| call | DRAM read | DRAM written in the call | with the flush | SM read | SM written | L2 read |",
        "|---" * (1 + len(shown)) + "|",
        *(
            "| " + " | ".join([call, *(f"{counts[call][name + '_bytes']:,}" for name in shown)]) + " |"
            for call in CALIBRATIONS
        ),
    ]
    said = [f"* **{name}:** {text}" for name, text in facts.items()]
    known = ["Calls whose bytes are known, in bytes:", "", *table, ""]
    return "\n".join(["# Attention's bytes on one real GPU", "", *said, "", *known])


def _output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and write; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the two files")
    parser.add_argument("--only", type=int, nargs="+", default=[], metavar="N", help="only these lengths")
    parser.add_argument("--under-ncu", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    chosen = cases(options.only)
    if lack := missing(torch):
        print(lack, file=sys.stderr)
        return 2
    if options.under_ncu:
        count_all(chosen)
        return 0
    began = datetime.datetime.now(datetime.UTC)
    try:
        counts, how = read_counters(chosen, options.only)
    except (RuntimeError, ValueError) as error:
        print(f"Nsight Compute could not read the counters: {error}", file=sys.stderr)
        return 2
    worst = max(difference(shape) for shape in dict.fromkeys(case.shape for case in chosen))
    torch.cuda.empty_cache()
    rows = list(measure(chosen, counts))
    seconds = (datetime.datetime.now(datetime.UTC) - began).total_seconds()
    write(options.out, rows, provenance(how, counts, worst, seconds))
    print(json.dumps({"rows": len(rows), "seconds": seconds}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
