"""The evidence page: its text, its controls, and the sheets that follow from them."""

from collections.abc import Mapping

from engine.paper_tables import FIGURE_2, TABLE_21
from lesson.evidence import load_measurements, load_provenance
from lesson.glossary import term_values
from lesson.links import link_values
from lesson.text import load_text
from ui.calculator.sheet import Sheet
from ui.column.component import Column, refusal
from ui.evidence.errata import errata, errata_run
from ui.evidence.gpu import comparison, provenance, times_and_memory
from ui.evidence.growth import growth
from ui.evidence.papers import WORDS, figure_two, figure_two_says, memory, memory_forms
from ui.evidence.settings import DEFAULTS, FIELDS, PREFIX, bound_of, calls_of, topic_of

__all__ = ["EVIDENCE"]


def _values() -> dict[str, str]:
    shape = FIGURE_2[0]
    return {
        **link_values(load_text("evidence").values),
        **term_values(load_text("evidence").values),
        "batch": str(shape.batch),
        "heads": str(shape.heads),
        "n": f"{shape.n:,}",
        "d": str(shape.d),
        "table_name": TABLE_21.source.place.split(", ")[1].capitalize(),
        "lengths": str(len(TABLE_21.lengths)),
        "shapes": str(len({row.shape for row in load_measurements()})),
        "command": load_provenance().command,
    }


def _fill(held: Mapping[str, str]) -> dict[str, Sheet]:
    bound, calls = bound_of(held), calls_of(held)
    advice = WORDS.say("growth", "correct")
    return {
        "figure_two": figure_two(),
        "figure_two_says": figure_two_says(),
        "memory_forms": memory_forms(),
        "memory": memory(),
        "growth": refusal(bound, advice) if isinstance(bound, list) else growth(bound),
        "provenance": provenance(),
        "gpu_checks": comparison(topic_of(held), calls),
        "gpu_time": times_and_memory(calls),
        "errata": errata(),
        "errata_run": errata_run(),
    }


EVIDENCE = Column("evidence", _values, PREFIX, FIELDS, _fill, DEFAULTS)
