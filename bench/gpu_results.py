"""From what the profilers print to the rows of gpu_traffic.csv. Needs no GPU and no PyTorch."""

import csv
import re
import statistics
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

END_OF_HEAD = "<!-- The text above is written by bench/gpu_traffic.py; the text below by hand. -->"
BYTES_PER = {"byte": 1, "sector": 32}

# Sectors are counted where L2 receives them, after a unit on the way has merged simultaneous reads of the
# same line. The two sm_ metrics are counted where the multiprocessors receive and send.
METRICS = {
    "dram_read": "dram__bytes_read.sum",
    "dram_written": "dram__bytes_write.sum",
    "l2_read": "lts__t_sectors_srcunit_tex_op_read.sum",
    "l2_written": "lts__t_sectors_srcunit_tex_op_write.sum",
    "l2_red": "lts__t_sectors_srcunit_tex_op_red.sum",
    "l2_atom": "lts__t_sectors_srcunit_tex_op_atom.sum",
    "sm_read": "l1tex__m_xbar2l1tex_read_bytes.sum",
    "sm_written": "l1tex__m_l1tex2xbar_write_bytes.sum",
    "local_stored": "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
}
COLUMNS = [
    "n", "d", "heads", "causal", "algorithm", "direction",
    "dram_read_bytes", "dram_written_bytes", "dram_written_in_call_bytes", "dram_min_bytes", "dram_max_bytes",
    "sm_read_bytes", "sm_written_bytes", "l2_read_bytes", "l2_written_bytes", "l2_reduced_bytes",
    "local_stored_bytes",
    "time_median_s", "time_p10_s", "time_p90_s", "peak_extra_bytes",
    "kernel_count", "kernels", "forward_block_q", "forward_block_k", "backward_block_q", "backward_block_k",
]  # fmt: skip


def parse_counters(text: str) -> list[dict[str, int]]:
    """Counters of every range in ncu's raw CSV page, in order, in bytes.

    Raises
    ------
    ValueError
        If a metric is missing or not in plain units.
    """
    lines = [line for line in text.splitlines() if line.startswith('"')]
    rows = list(csv.DictReader(lines))
    if not rows:
        raise ValueError(f"ncu printed no table: {text[-800:]!r}")
    units, *ranges = rows
    for metric in METRICS.values():
        if units.get(metric) not in BYTES_PER:
            raise ValueError(f"{metric} is in {units.get(metric)!r}, not in bytes or sectors")
    scale = {name: BYTES_PER[units[metric]] for name, metric in METRICS.items()}
    return [
        {name: round(float(row[metric].replace(",", ""))) * scale[name] for name, metric in METRICS.items()}
        for row in ranges
    ]


def summarise(alone: Sequence[dict[str, int]], flushed: Sequence[dict[str, int]]) -> dict[str, Any]:
    """Medians over the repeats: of the call alone; dram_written has what L2 still held at its end as well."""

    def median(name: str, ranges: Sequence[dict[str, int]] = alone) -> int:
        return round(statistics.median(counts[name] for counts in ranges))

    totals = [a["dram_read"] + f["dram_written"] for a, f in zip(alone, flushed, strict=True)]
    return {
        "dram_read_bytes": median("dram_read"),
        "dram_written_bytes": median("dram_written", flushed),
        "dram_written_in_call_bytes": median("dram_written"),
        "dram_min_bytes": min(totals),
        "dram_max_bytes": max(totals),
        "sm_read_bytes": median("sm_read"),
        "sm_written_bytes": median("sm_written"),
        "l2_read_bytes": median("l2_read"),
        "l2_written_bytes": median("l2_written"),
        "l2_reduced_bytes": median("l2_red") + median("l2_atom"),
        "local_stored_bytes": median("local_stored"),
    }


def short_name(name: str) -> str:
    """A kernel's bare name; what an elementwise one does follows in brackets."""
    bare = name.replace("(anonymous namespace)::", "").removeprefix("void ")
    short = re.split(r"[<(]", bare)[0].split("::")[-1].strip()
    does = re.search(r"(\w+?)(?:_kernel(?:_cuda)?\(at::|Functor<float>)", bare)
    return f"{short} ({does[1]})" if does and "elementwise" in short else short


def tiles(names: Sequence[str], way: str) -> tuple[int, int] | None:
    """(block_q, block_k) in the name of a flash kernel; way is "fwd" or "bwd"."""
    number = r"(?:\(int\))?(\d+)"
    traits = rf"Flash_{way}_kernel_traits<{number}, {number}, {number}"
    for name in names:
        if found := re.search(traits, name):
            return int(found[2]), int(found[3])
    return None


def describe_kernels(names: Sequence[str]) -> dict[str, Any]:
    """Columns about kernels; tiles are empty where no name tells them."""
    counted = Counter(map(short_name, names))
    forward, backward = (tiles(names, way) or ("", "") for way in ("fwd", "bwd"))
    return {
        "kernel_count": len(names),
        "kernels": "; ".join(f"{count} {name}" for name, count in counted.items()),
        "forward_block_q": forward[0], "forward_block_k": forward[1],
        "backward_block_q": backward[0], "backward_block_k": backward[1],
    }  # fmt: skip


def write(folder: Path, rows: Sequence[dict[str, Any]], head: str) -> None:
    """Write both files; what was written by hand below the mark in the Markdown file stays."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "gpu_traffic.csv").open("w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    page = folder / "gpu_traffic.md"
    before = page.read_text(encoding="utf-8") if page.exists() else ""
    by_hand = before.partition(END_OF_HEAD)[2] or "\n"
    page.write_text(f"{head}\n{END_OF_HEAD}{by_hand}", encoding="utf-8")
