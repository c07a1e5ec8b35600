"""Load the words of the view that sets a wrong algorithm beside the right one."""

from collections.abc import Mapping
from functools import cache

from engine import MISTAKES
from lesson.stage_text import slots_of
from lesson.text import CONTENT, LANGUAGE
from lesson.words import parse_words

__all__ = ["VIEW_SLOTS", "load_breakit_text", "parse_breakit_text"]

_WITH_SLOTS: Mapping[str, set[str]] = {
    "title": {"name"},
    "parts": {"step"},
    "some": {"rows"},
    "count": {"count", "total"},
    "needs": {"by_luck"},
    "table": {"query"},
    "chart_note": {"low", "high"},
    "point": {"tile", "error"},
    "series": {"query", "points"},
    "series_none": {"query"},
}
_WITHOUT_SLOTS = {
    *("never_parts", "same", "wrong", "table_empty", "drawn", "right", "mistake", "row"),
    *("m", "alpha", "l", "acc", "o", "differs", "differs_text", "chart", "equal"),
    *("inputs", "one_tile", "lucky", "unlucky", "none", "nan", "inf"),
}

VIEW_SLOTS: Mapping[str, set[str]] = {key: set() for key in _WITHOUT_SLOTS} | dict(_WITH_SLOTS)
"""The texts of the view, and the slots that `ui/stage/breakit.js` fills in each."""

_PAGE = {"menu", "choose", "choose_help", "forward_only", "right"}


def parse_breakit_text(text: str) -> Mapping[str, Mapping[str, str]]:
    """Return the words: tables `page`, `names`, `lines` and `view`.

    Raises
    ------
    ValueError
        If a text, or the name or line of a mistake, is missing or unknown, or if a text has a slot that
        nothing fills.
    """
    words = parse_words("stage_breakit", text)
    wanted = {
        "page": _PAGE,
        "names": set(MISTAKES),
        "lines": {"right", *MISTAKES},
        "view": set(VIEW_SLOTS),
    }
    tables = {name: words.table(name) for name in wanted}
    for name, keys in wanted.items():
        if set(tables[name]) != keys:
            raise ValueError(
                f"[{name}]: missing {sorted(keys - set(tables[name]))}, "
                f"not known {sorted(set(tables[name]) - keys)}"
            )
    for key, template in tables["view"].items():
        if not slots_of(template) <= VIEW_SLOTS[key]:
            raise ValueError(f"[view] {key} has unknown slots {sorted(slots_of(template) - VIEW_SLOTS[key])}")
    return {name: dict(table) for name, table in tables.items()}


@cache
def load_breakit_text(language: str = LANGUAGE) -> Mapping[str, Mapping[str, str]]:
    """Return the words of `content/<language>/stage_breakit.toml`. Raises as `parse_breakit_text` does."""
    return parse_breakit_text((CONTENT / language / "stage_breakit.toml").read_text(encoding="utf-8"))
