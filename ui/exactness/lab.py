"""The exactness page: its text, its controls, and the sheets that follow from them."""

from collections.abc import Mapping

from lesson.glossary import term_values
from lesson.text import load_text
from ui.calculator.sheet import Sheet
from ui.column.component import Column, refusal
from ui.exactness.maps import MAPS_CSS, maps
from ui.exactness.methods import methods, real, rows
from ui.exactness.rounding import errors
from ui.exactness.runs import REAL_BLOCK, REAL_FORMAT, REAL_N, stall
from ui.exactness.settings import DEFAULTS, FIELDS, PREFIX, WORDS, asked_of, sum_of
from ui.exactness.sums import counting, growing_sums

__all__ = ["LAB"]


def _values() -> dict[str, str]:
    return {
        **term_values(load_text("exactness").values),
        "real_n": f"{REAL_N:,}",
        "real_block": str(REAL_BLOCK),
        "real_format": REAL_FORMAT,
        "stall_half": f"{stall('float16'):,.0f}",
        "stall_bfloat": f"{stall('bfloat16'):,.0f}",
    }


def _fill(held: Mapping[str, str]) -> dict[str, Sheet]:
    asked = asked_of(held)
    sheets = {
        "maps": maps(asked),
        "methods": methods(asked),
        "rows": rows(asked),
        "real": real(asked),
        "rounding": errors(held["lab"], asked.key, asked.settings.causal),
    }
    try:
        value, count = sum_of(held)
    except ValueError as error:
        return {**sheets, "sums": refusal([str(error)], WORDS.say("say", "correct"))}
    return {**sheets, "sums": growing_sums(value, count), "counting": counting(count)}


LAB = Column("exactness", _values, PREFIX, FIELDS, _fill, DEFAULTS, MAPS_CSS)
