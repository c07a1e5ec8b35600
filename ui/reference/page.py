"""The reference page: its text, the glossary's filter, and the sheets."""

from collections.abc import Mapping
from pathlib import Path

from ui.calculator.sheet import Sheet
from ui.column.component import Column
from ui.content import READING_WIDTH
from ui.fields.component import Field
from ui.reference.parts import WORDS, glossary, licences, notation, sources

PREFIX = "ref_"
FILTER = Field(
    "find",
    "text",
    WORDS.say("glossary", "filter"),
    width=400,
    placeholder=WORDS.say("glossary", "hint"),
    longest=40,
)

_CSS = Path(__file__).with_name("reference.css").read_text(encoding="utf-8")
_CSS += f".twc .reference-prose > * {{ max-width: {READING_WIDTH}px; }}\n"

__all__ = ["FILTER", "PREFIX", "REFERENCE"]


def _fill(held: Mapping[str, str]) -> dict[str, Sheet]:
    return {
        "glossary": glossary(held[FILTER.name].strip()),
        "notation": notation(),
        "sources": sources(),
        "licences": licences(),
    }


REFERENCE = Column("reference", dict, PREFIX, {"glossary": (FILTER,)}, _fill, {FILTER.name: ""}, _CSS)
