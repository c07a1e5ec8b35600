"""Load the words of the player's questions and check that each slot is one that the browser fills."""

import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any

from lesson.stage_text import slots_of
from lesson.text import CONTENT, LANGUAGE

__all__ = ["QUESTION_SLOTS", "REASONS", "load_predict_text", "parse_predict_text"]

_WHO = {"query", "queries", "q_tile", "k_tile"}

QUESTION_SLOTS: Mapping[str, set[str]] = {
    "rise": _WHO | {"m_old", "row_max", "last", "sum", "best_key", "last_key"},
    "alpha": _WHO | {"m_old", "m_new", "alpha", "tolerance"},
    "leaves": _WHO
    | {"block", "tiles", "carried", "freed", "block_bytes", "written", "standard_scores"}
    | {"visits", "tiles_q", "tiles_k"},
    "bytes": _WHO
    | {"rows", "d_v", "each", "stat_each", "stats", "stores", "before", "now", "total", "sum"}
    | {"scores", "read", "standard"},
    "final": _WHO | {"visited", "visits", "left", "skipped"},
}
"""Kind of question, and the slots that `ui/stage/predict_questions.js` fills in its texts."""

_ROUGH = {"right", "too_large", "too_small"}

REASONS: Mapping[str, set[str]] = {
    "rise": {"rises", "stays_right", "stays_wrong", "tile_max", "last_score", "sum"},
    "alpha": _ROUGH
    | {"upside_down", "difference", "gap", "ratio", "forgets_old", "base_two", "part_lost", "stands_still"},
    "leaves": {"block_and_tiles", "block_only", "block_alone", "tiles_too", "block_written", "carried"},
    "bytes": _ROUGH
    | {"this_store_only", "before_this_store", "o_only", "o_of_this_store", "with_reads", "with_scores"}
    | {"standard_lane", "elements"},
    "final": {"final_right", "final_wrong", "more_keys", "more_to_come", "not_divided"},
}
"""Kind of question, and the reasons that it needs: one for each answer, right or wrong."""

OPTIONS: Mapping[str, set[str]] = {
    "rise": {"rises", "stays", "tile_max", "last_score", "sum"},
    "leaves": REASONS["leaves"],
    "final": {"final", "more_keys", "more_to_come", "not_divided"},
}

CARD = {
    *(
        "title",
        "ask",
        "ask_on",
        "ask_off",
        "ahead",
        "none_ahead",
        "passed",
        "asked",
        "options",
        "number",
        "check",
        "skip",
        "never",
    ),
    "again",
    *("right", "wrong", "not_a_number", "not_a_whole", "keys_choice", "keys_number", "score"),
}


def _refuse_difference(where: str, found: set[str], wanted: set[str]) -> None:
    if found != wanted:
        raise ValueError(f"{where}: missing {sorted(wanted - found)}, not known {sorted(found - wanted)}")


def parse_predict_text(text: str) -> dict[str, Any]:
    """Return the words of the questions.

    Raises
    ------
    ValueError
        If a kind, an option or a reason is missing or unknown, or a text has a slot that nothing fills; the
        message names the place.
    """
    words: dict[str, Any] = tomllib.loads(text)
    _refuse_difference("tables", set(words), {"card", *QUESTION_SLOTS})
    _refuse_difference("[card]", set(words["card"]), CARD)
    for kind, slots in QUESTION_SLOTS.items():
        table = words[kind]
        wanted = {"question", "reasons"} | ({"options"} if kind in OPTIONS else {"counts"})
        _refuse_difference(f"[{kind}]", set(table), wanted)
        _refuse_difference(f"[{kind}.reasons]", set(table["reasons"]), REASONS[kind])
        if kind in OPTIONS:
            _refuse_difference(f"[{kind}.options]", set(table["options"]), OPTIONS[kind])
        for part in (table, table["reasons"], table.get("options", {})):
            for name, template in part.items():
                # Only the reason for a typed number may say which number that was.
                known = slots | ({"value"} if part is table["reasons"] and kind not in OPTIONS else set())
                if isinstance(template, str) and not slots_of(template) <= known:
                    raise ValueError(
                        f"[{kind}] {name} has unknown slots {sorted(slots_of(template) - known)}"
                    )
    return words


@cache
def load_predict_text(language: str = LANGUAGE) -> dict[str, Any]:
    """Return the words of `content/<language>/stage_predict.toml`. Raises as `parse_predict_text` does."""
    return parse_predict_text((CONTENT / language / "stage_predict.toml").read_text(encoding="utf-8"))
