"""`python -m engine`: record a trace, run attention, count bytes or check a kernel, from a shell."""

import argparse
import math
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from engine.api import attention
from engine.kernel_file import MAX_FILE_BYTES, read_kernel_arrays, retrace
from engine.memory import count_within, score_matrix_bytes, whole_number
from engine.mistakes import MISTAKES
from engine.npz_file import HEADER_BYTES, Limits, check_finite, read_arrays, read_within
from engine.options import CAUSAL, ORDERS
from engine.precision import FORMATS, Array, tolerance
from engine.reference import reference_attention
from engine.trace import Trace, trace_attention
from engine.trace_io import read_trace, trace_to_json, trace_to_npz
from engine.traffic import Ledger, compulsory_bytes, standard_bytes, tiled_bytes
from engine.units import format_bytes
from engine.verdict import judge


class Inputs(NamedTuple):
    """Arrays of one head, and the seed that they were drawn with (None when they were read)."""

    q: Array
    k: Array
    v: Array
    seed: int | None


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one sub-command; returns the exit status: 0, or 2 with one line on standard error.

    `check` returns 1 when a kernel departs. Where nobody reads on, it is that of a program that the closed
    pipe ended, which says nothing about a kernel.
    """
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.command is None:
        parser.print_help()
        return 0
    try:
        status = _COMMANDS[options.command](options) or 0
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        # What is still held back would be tried again at the end, and fail with a message.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _CLOSED_PIPE
    except (ValueError, OSError) as error:
        print(f"engine {options.command}: {_said(error)}", file=sys.stderr)
        return 2


def _said(error: Exception) -> str:
    """An error in one line, with a file's trouble in words instead of the system's number for it."""
    if isinstance(error, FileNotFoundError) and error.filename is not None:
        path = Path(error.filename)
        # A result cannot be written where the folder is missing, and then that is what to name.
        return f"{path if path.parent.is_dir() else path.parent} does not exist"
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename} cannot be used: {error.strerror}"
    return str(error)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m engine", description=__doc__)
    commands = parser.add_subparsers(dest="command", metavar="{trace,run,bytes,check}")

    trace = commands.add_parser("trace", help="record one head, step by step, as JSON or .npz")
    _input_arguments(trace)
    _option_arguments(trace)
    trace.add_argument("--direction", choices=("forward", "backward"), default="forward")
    trace.add_argument("--mistake", choices=tuple(MISTAKES), help="run this wrong algorithm instead")
    trace.add_argument("--digits", type=int, help="significant digits in the JSON (default: every bit)")
    trace.add_argument(
        "-o", "--output", type=Path, help="a .json or .npz file (default: JSON on standard output)"
    )

    run = commands.add_parser("run", help="compute attention and compare it with the float64 reference")
    _input_arguments(run)
    _option_arguments(run)
    run.add_argument("-o", "--output", type=Path, help="an .npz file for o and lse")

    count = commands.add_parser("bytes", help="count bytes to and from outer memory")
    _size_arguments(count)
    _tile_arguments(count)
    count.add_argument("--bytes-per-element", type=int, default=2, metavar="S")
    count.add_argument("--direction", choices=("forward", "backward"), default="forward")
    count.add_argument("--heads", type=int, default=1)
    count.add_argument("--kv-heads", type=int)
    count.add_argument("--batch", type=int, default=1)

    check = commands.add_parser("check", help="find where a kernel's numbers depart from a trace")
    check.add_argument("trace", type=Path, help="a forward trace, unrounded, as .npz or .json")
    check.add_argument("kernel", type=Path, help="an .npz file with any of m, l, acc, o, lse")
    check.add_argument("--storage", choices=tuple(FORMATS), help="the kernel's format (default: the trace's)")
    return parser


def _size_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--n-q", type=int, help=f"queries (default: {_QUERIES})")
    parser.add_argument("--n-k", type=int, help="keys (default: as many as queries)")
    parser.add_argument("--d", type=int, help=f"head size of q and k (default: {_HEAD_SIZE})")
    parser.add_argument("--d-v", type=int, help="head size of v (default: d)")


def _input_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--npz", type=Path, help="a file with q, k and v; else they are drawn from N(0, 1)")
    parser.add_argument("--seed", type=int, help="of the drawn inputs (default: 0)")
    _size_arguments(parser)


def _tile_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--block-q", type=int, default=4, help="queries in a tile")
    parser.add_argument("--block-k", type=int, default=4, help="keys in a tile")
    parser.add_argument("--order", choices=ORDERS, default="q_outer")
    parser.add_argument("--causal", choices=CAUSAL)
    parser.add_argument(
        "--window", nargs=2, metavar=("LEFT", "RIGHT"), help="counts, or 'none' for unlimited"
    )


def _option_arguments(parser: argparse.ArgumentParser) -> None:
    _tile_arguments(parser)
    parser.add_argument("--softcap", type=float)
    parser.add_argument("--scale", type=float, help="default: 1/sqrt(d)")
    parser.add_argument("--storage", choices=tuple(FORMATS), default="float32")


def _trace(options: argparse.Namespace) -> None:
    suffix = _suffix(options.output, ".json", ".npz")
    if options.digits is not None:
        count_within("digits", options.digits, 1, 17)
    inputs = _inputs(options)
    trace = trace_attention(
        inputs.q, inputs.k, inputs.v, direction=options.direction, mistake=options.mistake, seed=inputs.seed,
        **_options(options),
    )  # fmt: skip
    if suffix is None:
        print(trace_to_json(trace, options.digits))
        return
    if suffix == ".npz":
        options.output.write_bytes(trace_to_npz(trace))
    else:
        options.output.write_text(trace_to_json(trace, options.digits), encoding="utf-8")
    print(f"{options.output}: {_summary(trace)}")


def _suffix(output: Path | None, *known: str) -> str | None:
    """What the output's name ends in; None without one. Checked first, so that a slip costs no work."""
    if output is not None and output.suffix not in known:
        raise ValueError(f"output must end in {' or '.join(known)}, not {output.suffix or output.name!r}")
    return None if output is None else output.suffix


def _summary(trace: Trace) -> str:
    p = trace.problem
    return f"{len(trace.steps)} steps, {p['n_q']} × {p['n_k']} pairs, {p['tiles_q']} × {p['tiles_k']} tiles"


def _run(options: argparse.Namespace) -> None:
    _suffix(options.output, ".npz")
    inputs = _inputs(options)
    chosen = _options(options)
    o, lse = attention(inputs.q, inputs.k, inputs.v, **chosen)
    whole = {name: chosen[name] for name in ("causal", "window", "softcap", "scale", "storage")}
    wanted, _ = reference_attention(inputs.q, inputs.k, inputs.v, **whole)
    difference = float(np.abs(o.astype(np.float64) - wanted).max(initial=0.0))
    k = inputs.k.astype(np.float64)
    if k.ndim > 2:
        k = np.repeat(k, inputs.q.shape[-3] // k.shape[-3], axis=-3)  # grouped heads
    scores = np.abs(inputs.q.astype(np.float64) @ k.swapaxes(-1, -2)).max(initial=0.0)
    scale = inputs.q.shape[-1] ** -0.5 if options.scale is None else abs(options.scale)
    atol, rtol = tolerance(
        FORMATS[options.storage], float(scores) * scale, float(np.abs(inputs.v).max(initial=0.0))
    )
    allowed = atol + rtol * float(np.abs(wanted).max(initial=0.0))
    print(f"o {o.shape} {options.storage}, lse {lse.shape}")
    print(f"largest difference from the float64 reference on the same rounded inputs: {difference:.3g}")
    print(f"allowed for {options.storage}: {allowed:.3g} ({'within' if difference <= allowed else 'BEYOND'})")
    if options.output is not None:
        np.savez(options.output, o=o.astype(np.promote_types(lse.dtype, np.float32)), lse=lse)
        print(f"written: {options.output}")


def _sizes(options: argparse.Namespace) -> tuple[int, int, int, int]:
    """Return n_q, n_k, d and d_v, with defaults for those that were not given."""
    n_q = _QUERIES if options.n_q is None else options.n_q
    d = _HEAD_SIZE if options.d is None else options.d
    return n_q, n_q if options.n_k is None else options.n_k, d, d if options.d_v is None else options.d_v


def _bytes(options: argparse.Namespace) -> None:
    n_q, n_k, d, d_v = _sizes(options)
    shared: dict[str, Any] = {
        "d_v": d_v, "bytes_per_element": options.bytes_per_element, "direction": options.direction,
        "heads": options.heads, "kv_heads": options.kv_heads, "batch": options.batch,
    }  # fmt: skip
    tiles: dict[str, Any] = {
        "block_q": options.block_q, "block_k": options.block_k, "order": options.order,
        "causal": options.causal, "window": _window(options.window),
    }  # fmt: skip
    ledgers = {
        "standard": standard_bytes(n_q, n_k, d, **shared),
        "tiled": tiled_bytes(n_q, n_k, d, **tiles, **shared),
        "each tensor once": compulsory_bytes(n_q, n_k, d, **shared),
    }
    # After the ledgers, which name a wrong option as it is named here.
    score = score_matrix_bytes(n_q, n_k, options.bytes_per_element, heads=options.heads, batch=options.batch)
    print(f"score matrix, stored dense: {format_bytes(score)}")
    for name, ledger in ledgers.items():
        _print_ledger(name, ledger)
    tiled = ledgers["tiled"].total
    if tiled:
        print(f"\nstandard / tiled: {ledgers['standard'].total / tiled:.4g}  (bytes moved, not time)")


def _print_ledger(name: str, ledger: Ledger) -> None:
    print(f"\n{name}: {format_bytes(ledger.total)}")
    print(f"  {'tensor':8}{'read':>24}{'written':>24}")
    for tensor, moved in ledger.by_tensor.items():
        print(f"  {tensor:8}{moved.read:>24,}{moved.written:>24,}")


def _options(options: argparse.Namespace) -> dict[str, Any]:
    names = ("block_q", "block_k", "order", "causal", "softcap", "scale", "storage")
    return {name: getattr(options, name) for name in names} | {"window": _window(options.window)}


def _window(sides: Sequence[str] | None) -> tuple[int | None, int | None] | None:
    if sides is None:
        return None
    try:
        left, right = (None if side.lower() == "none" else int(side) for side in sides)
    except ValueError:
        raise ValueError(f"window sides must be whole numbers or 'none', not {' '.join(sides)!r}") from None
    return left, right


def _inputs(options: argparse.Namespace) -> Inputs:
    if options.npz is not None:
        drawn = ("n_q", "n_k", "d", "d_v", "seed")
        unused = [f"--{name.replace('_', '-')}" for name in drawn if getattr(options, name) is not None]
        if unused:
            raise ValueError(f"the arrays of --npz have sizes of their own; leave out {', '.join(unused)}")
        return _read_inputs(options.npz)
    seed = 0 if options.seed is None else whole_number("seed", options.seed, 0)
    n_q, n_k, d, d_v = _sizes(options)
    for name, value, least in (("n_q", n_q, 0), ("n_k", n_k, 0), ("d", d, 1), ("d_v", d_v, 1)):
        if not least <= value <= _LONGEST:
            raise ValueError(f"{name} must be from {least} to {_LONGEST:,}, not {value:,}")
    rng = np.random.default_rng(seed)
    shapes = ((n_q, d), (n_k, d), (n_k, d_v))
    q, k, v = (rng.standard_normal(shape).astype(np.float32) for shape in shapes)
    return Inputs(q, k, v, seed)


def _read_inputs(path: Path) -> Inputs:
    try:
        arrays = read_arrays(read_within(path, _LIMITS.file_bytes), "qkv", _LIMITS)
        for name, array in arrays.items():
            check_finite(name, array)
        pairs = math.prod(arrays["q"].shape[:-1]) * math.prod(arrays["k"].shape[-2:-1])
        if pairs > _LONGEST**2:
            raise ValueError(f"q and k make {pairs:,} pairs, the limit is {_LONGEST**2:,}")
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    return Inputs(**arrays, seed=None)


def _check(options: argparse.Namespace) -> int:
    """Print the verdict; 1 when the kernel departs."""
    trace = retrace(read_trace(options.trace))
    try:
        arrays = read_kernel_arrays(read_within(options.kernel, MAX_FILE_BYTES))
    except ValueError as error:
        raise ValueError(f"{options.kernel}: {error}") from error
    verdict = judge(trace, arrays, options.storage)
    first = verdict.first
    if first is None:
        name, share = max(verdict.largest.items(), key=lambda item: item[1])
        verb = "agrees" if len(verdict.compared) == 1 else "agree"
        print(
            f"{', '.join(verdict.compared)} {verb} in {verdict.storage}; "
            f"the largest difference is {share:.1%} of what is allowed, in {name}"
        )
        return 0
    tile = "in the result" if first.tile is None else f"after key tile {first.tile}"
    column = "" if first.column is None else f", dimension {first.column}"
    print(f"{first.name} first departs {tile}, query {first.row}{column} (all counted from 0)")
    print(
        f"found {first.found:.9g}, expected {first.expected:.9g}, "
        f"allowed {first.allowed:.3g} in {verdict.storage}"
    )
    if verdict.state_used:
        used = ", ".join(f"{name} used {share:.1%}" for name, share in verdict.state_used.items())
        print(
            f"what the tiles carry agrees ({used} of what is allowed); what used most may still be the cause"
        )
    if verdict.hint is not None:
        print(f"it fits this difference of convention: {verdict.hint}")
    return 1


_QUERIES, _HEAD_SIZE = 16, 8
_LONGEST = 16_384  # inputs longer than this would make the float64 check take over 2 GiB
_LIMITS = Limits(file_bytes=1 << 30, arrays=1024, array_bytes=(256 << 20) + HEADER_BYTES)
_CLOSED_PIPE = 128 + 13  # what a shell says of SIGPIPE
_COMMANDS: dict[str, Callable[[argparse.Namespace], int | None]] = {
    "trace": _trace,
    "run": _run,
    "bytes": _bytes,
    "check": _check,
}

if __name__ == "__main__":
    sys.exit(main())
