"""Read one row of scores that a learner typed, and the presets that the page offers.

Knows text and limits. Must not know softmax.
"""

import math
import re
import struct
from collections.abc import Sequence

__all__ = ["MAX_NUMBERS", "MAX_SIZE", "RowError", "parse_row", "row_text"]

MAX_NUMBERS = 16
"""More would not be looked at one by one."""

MAX_SIZE = 10_000.0
"""Scores beyond this, either way, teach nothing more: e^x has long left the range of every format."""

_MINUS_INFINITY = {"-inf", "-infinity", "-∞"}
_SHOWN = 40


class RowError(ValueError):
    """A row that cannot be used; the message names the value and the limit."""


def _number(text: str, place: int) -> float:
    plain = text.replace("\u2212", "-")
    if plain.lower() in _MINUS_INFINITY:
        return -math.inf
    try:
        value = float(plain)
    except ValueError:
        raise RowError(
            f"number {place} is “{text[:_SHOWN]}”; it must be a number, or -inf for a masked score"
        ) from None
    if not -MAX_SIZE <= value <= MAX_SIZE:
        raise RowError(
            f"number {place} is {text[:_SHOWN]}; it must lie between −{MAX_SIZE:,.0f} and {MAX_SIZE:,.0f}, "
            "or be -inf for a masked score"
        )
    return float(struct.unpack("f", struct.pack("f", value))[0])


def parse_row(text: str) -> tuple[float, ...]:
    """Return the numbers of a row, rounded to float32 as the run will hold them.

    Parameters
    ----------
    text : str
        Numbers separated by commas, semicolons or spaces. `-inf` or `−∞` is a masked score.

    Raises
    ------
    RowError
        If there is no number or more than `MAX_NUMBERS`, if a part is no number, or if one lies beyond
        ±`MAX_SIZE`. The message names the value and the limit.
    """
    parts = [part for part in re.split(r"[,;\s]+", text.strip()) if part]
    if not 1 <= len(parts) <= MAX_NUMBERS:
        raise RowError(f"the row has {len(parts)} numbers; it must have from 1 to {MAX_NUMBERS}")
    return tuple(_number(part, place) for place, part in enumerate(parts, start=1))


def row_text(row: Sequence[float]) -> str:
    """Return a row as `parse_row` reads it."""
    return ", ".join("-inf" if value == -math.inf else f"{value:g}" for value in row)
