"""The named devices as a table: every figure with its source, its year, and dense kept apart from sparse."""

from functools import cache

from engine.hardware import DEVICES
from engine.units import binary_bytes
from ui.calculator.html import folded, table
from ui.calculator.numbers import scaled

__all__ = ["hardware_table"]


def _size(n_bytes: int | None) -> str:
    return "not known" if n_bytes is None else binary_bytes(n_bytes)


@cache
def hardware_table(caption: str) -> str:
    """Return the table. Made once: nothing in it depends on the reader."""
    rows = [
        [
            each.name,
            _size(each.shared_bytes_per_block),
            _size(each.shared_bytes_per_unit),
            "not known" if each.units is None else f"{each.units:,} {each.unit}",
            _size(each.l2_bytes),
            f"{each.memory_bytes:,}",
            scaled(each.hbm_bytes_per_s, "B/s", 3),
            scaled(each.flops_per_s, "FLOP/s", 1),
            f"{each.ridge:.0f}",
            f"{each.rate_note} {each.note}".strip(),
            each.source,
            each.date,
            "maker's text" if each.tag == "primary" else "maker's figure, quoted",
        ]
        for each in DEVICES.values()
    ]
    columns = (
        "device",
        "one block",
        "one multiprocessor",
        "how many",
        "L2",
        "memory, bytes",
        "bandwidth",
        "dense rate",
        "ridge, FLOP/B",
        "note",
        "source",
        "read",
        "kind",
    )
    return folded(caption, table(caption, columns, rows, words=(0, 9, 10, 11, 12)))
