"""Figures as the papers print them, each with its source. Nothing here is computed, nothing is corrected.

What differs from our own arithmetic is said beside the figure, not changed.
"""

from dataclasses import dataclass

__all__ = ["FIGURE_2", "TABLE_21", "MemoryRow", "PrintedRun", "Source"]


@dataclass(frozen=True)
class Source:
    """Where a figure stands.

    Attributes
    ----------
    title, place, date : str
        The work, the place in it, and the date of the version that was read.
    """

    title: str
    place: str
    date: str


FA1_TITLE = "FlashAttention: Fast and Memory-Efficient Exact Attention with IO-Awareness, arXiv 2205.14135"
FA1_DATE = "2022"


@dataclass(frozen=True)
class MemoryRow:
    """FlashAttention's Table 21: training memory (forward and backward, no mask, no dropout, fp16).

    Cells are whole MiB, printed under the heading "MB"; None is "OOM".
    """

    lengths: tuple[int, ...]
    standard_mib: tuple[int | None, ...]
    flash_mib: tuple[int | None, ...]
    linformer_mib: tuple[int | None, ...]
    batch: int
    heads: int
    d: int
    device: str
    source: Source
    note: str


TABLE_21 = MemoryRow(
    lengths=(128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536),
    standard_mib=(36, 104, 336, 1184, 4416, 17024, None, None, None, None),
    flash_mib=(22, 44, 104, 209, 418, 836, 1672, 3344, 6688, 13376),
    linformer_mib=(25, 52, 114, 287, 832, 1652, 3292, 6572, 13132, 26252),
    batch=16,
    heads=8,
    d=64,
    device="a100-40",
    source=Source(FA1_TITLE, "appendix E.6, table 21", FA1_DATE),
    note="Printed as MB. Only binary units, MiB, reproduce the cells.",
)


@dataclass(frozen=True)
class PrintedRun:
    """FlashAttention's figure 2, left: one forward and backward of attention as measured on an A100.

    Attributes
    ----------
    method : str
    flops_printed : float
        FLOP, as printed (GFLOPs × 10⁹). Too small by a constant factor; see ``note``.
    hbm_bytes, seconds : float
        As printed.
    n, d, heads, batch : int
    source : Source
    note : str
    """

    method: str
    flops_printed: float
    hbm_bytes: float
    seconds: float
    n: int
    d: int
    heads: int
    batch: int
    source: Source
    note: str


_FIGURE_2_NOTE = (
    "The printed GFLOPs row is too small by a constant factor, as the author agrees in flash-attention issue "
    "#741. Rows for bytes and time agree with the full batch."
)
FIGURE_2 = tuple(
    PrintedRun(
        method, flops, hbm, seconds, n=1024, d=64, heads=16, batch=64,
        source=Source(FA1_TITLE, "figure 2, left", FA1_DATE), note=_FIGURE_2_NOTE,
    )
    for method, flops, hbm, seconds in (
        ("standard", 66.6e9, 40.3e9, 41.7e-3),
        ("flash", 75.2e9, 4.4e9, 7.3e-3),
    )
)  # fmt: skip
