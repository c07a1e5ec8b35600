"""Load the stage's words and check that each sentence uses only slots that the browser can fill."""

import string
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

__all__ = ["SENTENCE_SLOTS", "StageText", "load_stage_text", "slots_of"]

StageText = dict[str, dict[str, str | dict[str, str]]]

_ROWS = {"query", "queries", "keys", "q_tile", "k_tile"}

SENTENCE_SLOTS: Mapping[str, Mapping[str, set[str]]] = {
    "partition": {"only": {"tiles_q", "tiles_k", "block_q", "block_k"}},
    "load_q": dict.fromkeys(("fresh", "first", "again"), _ROWS),
    "load_kv": dict.fromkeys(("visit", "again", "stay"), _ROWS | {"bytes"}),
    "score": {"only": _ROWS | {"best_key", "best_score"}},
    "mask": {"some": _ROWS | {"masked"}, "none": _ROWS},
    "update_max": {
        name: _ROWS | {"m_old", "m_new", "row_max"} for name in ("first", "rises", "stays", "empty")
    },
    "rescale": {name: _ROWS | {"m_old", "m_new", "alpha"} for name in ("shrinks", "first", "same", "empty")},
    "accumulate": {"adds": _ROWS | {"row_sum"}, "nothing": _ROWS},
    "discard": {name: _ROWS | {"height", "width", "bytes"} for name in ("q_outer", "kv_outer")},
    "skip": {"only": {"q_tile", "keys", "pairs"}},
    "normalise": {name: _ROWS | {"l"} for name in ("once", "each_visit", "empty", "none_yet")},
    "store": {name: {"queries", "q_tile", "bytes"} for name in ("final", "final_visit", "partial")},
}
"""Kind of step, variant, and the slots that `ui/stage/sentence.js` fills there."""

_GROUPS = [
    "zones",
    "kinds",
    "sentences",
    "formula",
    "notes",
    "panels",
    "columns",
    "outer",
    "chip",
    "ledger",
    "transport",
    "page",
]  # the tables that the stage and its page read

_CONTENT = Path(__file__).parent / "content"


def slots_of(template: str) -> set[str]:
    """Return the names of the slots in a template.

    Raises
    ------
    ValueError
        If a brace is not closed, or a slot has no name.
    """
    names = {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}
    if "" in names:
        raise ValueError(f"a slot without a name in {template!r}")
    return names


@lru_cache(maxsize=4)
def load_stage_text(language: str = "en") -> StageText:
    """Read `content/<language>/stage.toml`.

    Raises
    ------
    ValueError
        If a table, a kind or a variant is missing or unknown, or a sentence has a slot that nothing fills.
    """
    path = _CONTENT / language / "stage.toml"
    text: StageText = tomllib.loads(path.read_text(encoding="utf-8"))
    if set(text) != set(_GROUPS):
        raise ValueError(f"{path.name} has tables {sorted(text)}, expected {sorted(_GROUPS)}")
    if set(text["kinds"]) != set(SENTENCE_SLOTS) or set(text["sentences"]) != set(SENTENCE_SLOTS):
        raise ValueError(f"{path.name} must name and describe the kinds {sorted(SENTENCE_SLOTS)}")
    for kind, variants in SENTENCE_SLOTS.items():
        _check_variants(kind, variants, text["sentences"][kind])
    for table in text.values():
        for entry in table.values():
            for template in entry.values() if isinstance(entry, dict) else (entry,):
                slots_of(template)
    return text


def _check_variants(kind: str, variants: Mapping[str, set[str]], given: str | dict[str, str]) -> None:
    """Refuse a kind whose sentences are not the expected ones."""
    if not isinstance(given, dict) or set(given) != set(variants):
        raise ValueError(f"sentences.{kind} must have the variants {sorted(variants)}")
    for variant, template in given.items():
        unknown = slots_of(template) - variants[variant]
        if unknown:
            raise ValueError(f"sentences.{kind}.{variant} has unknown slots {sorted(unknown)}")
