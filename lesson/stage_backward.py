"""Load the words of a backward run and lay them over the stage's own."""

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from lesson.stage_text import slots_of

__all__ = ["BACKWARD_SENTENCES", "backward_words", "load_backward_text"]

_ROWS = {"query", "queries", "keys", "q_tile", "k_tile"}
_BEST = _ROWS | {"best_key"}

BACKWARD_SENTENCES: Mapping[str, Mapping[str, set[str]]] = {
    "partition": {"only": {"tiles_q", "tiles_k", "block_q", "block_k"}},
    "delta": {"only": _ROWS | {"delta"}},
    "load_kv": {"only": _ROWS | {"bytes"}},
    "load_q": dict.fromkeys(("first", "again"), _ROWS | {"bytes"}),
    "recompute_score": {"some": _BEST | {"best_score"}, "hidden": _ROWS},
    "recompute_p": {"some": _BEST | {"best_p"}, "hidden": _ROWS},
    "d_v": {"some": _BEST | {"best_p"}, "hidden": _ROWS},
    "d_p": {"some": _BEST | {"best_d_p"}, "hidden": _ROWS},
    "d_s": {"some": _BEST | {"best_d_s", "delta"}, "hidden": _ROWS},
    "d_q": dict.fromkeys(("some", "hidden"), _ROWS),
    "d_k": {"only": _ROWS},
    "discard": {"only": _ROWS | {"height", "width", "bytes"}},
    "skip": {"only": {"q_tile", "keys", "pairs"}},
    "store": dict.fromkeys(("visit", "last_visit", "key_tile"), _ROWS | {"bytes"}),
}
"""Kind of step, variant, and the slots that `ui/stage/backward_sentence.js` fills there."""

_TABLES = {
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
}
_CONTENT = Path(__file__).parent / "content"


@lru_cache(maxsize=4)
def load_backward_text(language: str = "en") -> dict[str, Any]:
    """Read `content/<language>/stage_backward.toml`.

    Raises
    ------
    ValueError
        If a table, a kind or a variant is missing or unknown, or a sentence has a slot that nothing fills.
    """
    path = _CONTENT / language / "stage_backward.toml"
    text: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    if set(text) != _TABLES:
        raise ValueError(f"{path.name} has tables {sorted(text)}, expected {sorted(_TABLES)}")
    for table in ("kinds", "sentences"):
        if set(text[table]) != set(BACKWARD_SENTENCES):
            raise ValueError(f"{path.name}: {table} must have {sorted(BACKWARD_SENTENCES)}")
    for kind, variants in BACKWARD_SENTENCES.items():
        given = text["sentences"][kind]
        if set(given) != set(variants):
            raise ValueError(
                f"sentences.{kind} must have the variants {sorted(variants)}, not {sorted(given)}"
            )
        for variant, template in given.items():
            unknown = slots_of(template) - variants[variant]
            if unknown:
                raise ValueError(f"sentences.{kind}.{variant} has unknown slots {sorted(unknown)}")
    return text


def backward_words(words: Mapping[str, Any], language: str = "en") -> dict[str, Any]:
    """Return the stage's words with those of a backward laid over them, table by table.

    A kind's sentences are replaced whole, since a backward has other variants.
    """
    own = load_backward_text(language)
    return {name: table | own.get(name, {}) for name, table in words.items()}
