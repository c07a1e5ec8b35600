"""Load the one-row player's words and presets, and check that sentences have only slots that get filled."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from engine.one_row import METHODS
from lesson.softmax_row import parse_row, row_text
from lesson.stage_text import slots_of

__all__ = ["ROW_SENTENCES", "Preset", "RowText", "load_row_text"]

RowText = dict[str, Any]

_ELEMENT = {"name", "x", "m", "l"}

ROW_SENTENCES: Mapping[str, Mapping[str, set[str]]] = {
    "start": {method: set() for method in METHODS},
    "max": dict.fromkeys(("first", "rises", "stays", "masked"), _ELEMENT | {"m_before"}),
    "sum": dict.fromkeys(
        (
            "naive_adds",
            "naive_overflows",
            "naive_stuck",
            "naive_underflows",
            "two_pass_adds",
            "online_first",
            "online_rises",
            "online_stays",
            "masked",
        ),
        _ELEMENT | {"alpha"},
    ),
    "output": dict.fromkeys(
        ("share", "masked", "nan", "lost", "nothing", "empty"), _ELEMENT | {"y", "exact"}
    ),
}
"""Kind of step, variant, and the slots that `ui/softmax/row_sentence.js` fills there."""

_WORDS = {
    "zones",
    "methods",
    "code",
    "kinds",
    "sentences",
    "formula",
    "elements",
    "kept",
    "compare",
    "merge",
    "transport",
    "page",
}  # the tables beside the presets

_CONTENT = Path(__file__).parent / "content"


@dataclass(frozen=True)
class Preset:
    """A row worth trying."""

    key: str
    label: str
    row: tuple[float, ...]


def _presets(tables: list[dict[str, Any]]) -> tuple[Preset, ...]:
    """Build the presets, refusing rows that the page would refuse."""
    presets = tuple(
        Preset(table["key"], table["label"], parse_row(row_text(table["row"]))) for table in tables
    )
    if len({preset.key for preset in presets}) < len(presets) or not presets:
        raise ValueError("softmax.toml must have presets, each with a key of its own")
    return presets


@lru_cache(maxsize=4)
def load_row_text(language: str = "en") -> tuple[RowText, tuple[Preset, ...]]:
    """Read `content/<language>/softmax.toml`.

    Returns
    -------
    words : dict
        The tables of words.
    presets : tuple of Preset
        The first is what the page opens with.

    Raises
    ------
    ValueError
        If a table, a kind or a variant is missing or unknown, a listing lacks a way of its own, a preset's
        row would be refused, or a sentence has a slot that nothing fills.
    """
    path = _CONTENT / language / "softmax.toml"
    text: RowText = tomllib.loads(path.read_text(encoding="utf-8"))
    presets = _presets(text.pop("preset", []))
    if set(text) != _WORDS:
        raise ValueError(f"{path.name} has tables {sorted(text)}, expected {sorted(_WORDS)}")
    if set(text["code"]) != set(METHODS):
        raise ValueError(f"{path.name} must have a listing for each of {sorted(METHODS)}")
    if set(text["sentences"]) != set(ROW_SENTENCES):
        raise ValueError(f"{path.name} must have sentences for {sorted(ROW_SENTENCES)}")
    for kind, variants in ROW_SENTENCES.items():
        given = text["sentences"][kind]
        if set(given) != set(variants):
            raise ValueError(
                f"sentences.{kind} must have the variants {sorted(variants)}, not {sorted(given)}"
            )
        for variant, template in given.items():
            unknown = slots_of(template) - variants[variant]
            if unknown:
                raise ValueError(f"sentences.{kind}.{variant} has unknown slots {sorted(unknown)}")
    return text, presets
