"""What the exactness page can be asked: its controls, and what they say."""

from collections.abc import Mapping
from dataclasses import dataclass

from engine import FORMATS
from engine.precision_lab import LAB_INPUTS, MOST_ADDITIONS
from engine.units import parse_count
from engine.variants import PATTERNS, Settings
from lesson.inputs import entries
from lesson.words import load_words
from ui.fields.component import Field

WORDS = load_words("exactness")
PREFIX = "ex_"
DEFAULTS = {
    "storage": "float32",
    "block_q": "4",
    "block_k": "4",
    "reach": "3",
    "rank": "4",
    "value": "1",
    "count": "4096",
}
"""Where controls begin that do not begin at their first option."""
NARROW, WIDE = 165, 450
"""Pixels."""
HEAD_ENTRIES = {entry.key: entry for entry in entries() if entry.kind == "real"}

_SENTENCES = {key.split(".")[0]: entry.sentence or key for key, entry in HEAD_ENTRIES.items()}
_HEADS = {key.split(".")[1]: entry.label for key, entry in HEAD_ENTRIES.items()}
_TILES = ("1", "2", "3", "4", "5", "6", "8", "16", "32")

__all__ = ["DEFAULTS", "FIELDS", "HEAD_ENTRIES", "PREFIX", "WORDS", "Asked", "asked_of", "sum_of"]


def _menu(name: str, words: Mapping[str, str], width: int = NARROW) -> Field:
    return Field(
        name,
        "choice",
        WORDS.say("menus", name),
        WORDS.table("help").get(name, ""),
        tuple(words),
        width,
        words=tuple(words.values()),
    )


def _numbers(name: str, *choices: str) -> Field:
    return _menu(name, {choice: choice for choice in choices})


FIELDS = {
    "settings": (
        _menu("sentence", _SENTENCES, WIDE),
        _menu("head", _HEADS, NARROW + 40),
        _menu("mask", WORDS.table("masks")),
        _numbers("storage", *FORMATS),
        _numbers("block_q", *_TILES),
        _numbers("block_k", *_TILES),
        _numbers("reach", "0", "1", "2", "3", "4", "6", "8", "12", "16", "32"),
        _numbers("rank", "1", "2", "4", "8", "12", "16", "32", "64"),
        _menu("pattern", {name: WORDS.say("patterns", name) for name in PATTERNS}, NARROW + 135),
    ),
    "rounding": (
        _menu(
            "lab", {name: WORDS.say("labs", name) for name in ("normal", "head", *LAB_INPUTS[1:])}, 2 * NARROW
        ),
    ),
    "sums": (
        _numbers("value", "0.1", "0.5", "1", "3"),
        Field("count", "text", WORDS.say("menus", "count"), width=NARROW),
    ),
}
"""The page's controls by the slots in which they stand."""


@dataclass(frozen=True)
class Asked:
    """One comparison: which head, how, and in which format."""

    key: str
    settings: Settings
    storage: str


def asked_of(held: Mapping[str, str]) -> Asked:
    """Return the comparison that the controls describe."""
    settings = Settings(
        causal="bottom_right" if held["mask"] == "causal" else None,
        block_q=int(held["block_q"]),
        block_k=int(held["block_k"]),
        reach=int(held["reach"]),
        pattern=next(name for name in PATTERNS if name == held["pattern"]),
        rank=int(held["rank"]),
    )
    return Asked(f"{held['sentence']}.{held['head']}", settings, held["storage"])


def sum_of(held: Mapping[str, str]) -> tuple[float, int]:
    """Return which number is added, and how often.

    Raises
    ------
    ValueError
        If the count is none, or beyond what the page adds; the message holds what was typed and the limit.
    """
    name = WORDS.say("menus", "count")
    return float(held["value"]), parse_count(held["count"], name=name, lowest=1, highest=MOST_ADDITIONS)
