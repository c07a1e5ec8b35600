"""Load the words of presenter mode and of the budget line, and check that the browser fills each slot."""

import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any

from lesson.stage_backward import BACKWARD_SENTENCES
from lesson.stage_text import SENTENCE_SLOTS, slots_of
from lesson.text import CONTENT, LANGUAGE

__all__ = ["load_budget_text", "load_presenter_text"]

_BUTTONS = ("enter", "leave", "answer", "ask", "note", "blank", "full")
BAR = {
    *_BUTTONS,
    *(f"{button}_title" for button in _BUTTONS),
    *("blank_screen", "note_heading", "group", "waiting"),
}

KINDS: Mapping[str, set[str]] = {"forward": set(SENTENCE_SLOTS), "backward": set(BACKWARD_SENTENCES)}

_WOULD = {"fewer_q", "fewer_k", "square", "peak", "least"}
BUDGET_SLOTS: Mapping[str, set[str]] = {
    "label": set(),
    "number": set(),
    "in_use": {"used"},
    "field": set(),
    "reset": set(),
    "reset_title": {"bytes"},
    "part": {"name", "bytes"},
    "part_of": {"name", "bytes", "beyond"},
    "fits": {"peak", "step", "left"},
    "now": {"excess", "parts"},
    "now_fits": set(),
    "peak": {"step", "excess", "parts"},
    **dict.fromkeys(("would_either", "would_q", "would_k", "would_square", "would_none"), _WOULD),
}
"""Each text of the budget line, with the slots that `ui/stage/budget_line.js` fills."""


def _refuse_difference(where: str, found: set[str], wanted: set[str]) -> None:
    if found != wanted:
        raise ValueError(f"{where}: missing {sorted(wanted - found)}, not known {sorted(found - wanted)}")


def _refuse_slots(where: str, template: str, known: set[str]) -> None:
    unknown = slots_of(template) - known
    if unknown:
        raise ValueError(f"{where} has unknown slots {sorted(unknown)}")


@cache
def load_budget_text(language: str = LANGUAGE) -> dict[str, str]:
    """Return the words of `content/<language>/stage_budget.toml`.

    Raises
    ------
    ValueError
        If a text is missing or unknown, or has a slot that nothing fills.
    """
    path = CONTENT / language / "stage_budget.toml"
    words: dict[str, str] = tomllib.loads(path.read_text(encoding="utf-8"))
    _refuse_difference(path.name, set(words), set(BUDGET_SLOTS))
    for name, template in words.items():
        _refuse_slots(f"{path.name}: {name}", template, BUDGET_SLOTS[name])
    return words


@cache
def load_presenter_text(direction: str = "forward", language: str = LANGUAGE) -> dict[str, Any]:
    """Return the words of presenter mode for one direction: `bar`, and by kind `questions` and `notes`.

    Raises
    ------
    ValueError
        If a kind has no note, or a text is unknown or has a slot that nothing fills.
    """
    path = CONTENT / language / "stage_presenter.toml"
    words: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    _refuse_difference(path.name, set(words), {"bar", "questions", "notes"})
    _refuse_difference(f"{path.name} [bar]", set(words["bar"]), BAR)
    for table in ("questions", "notes"):
        _refuse_difference(f"{path.name} [{table}]", set(words[table]), set(KINDS))
    for name, kinds in KINDS.items():
        notes, questions = words["notes"][name], words["questions"][name]
        _refuse_difference(f"{path.name} [notes.{name}]", set(notes), kinds)
        _refuse_difference(f"{path.name} [questions.{name}]", set(questions) | kinds, kinds)
        for kind, template in (*notes.items(), *questions.items()):
            _refuse_slots(
                f"{path.name}: {name}.{kind}", template, {"query", "keys"} if kind in questions else set()
            )
    return {
        "bar": words["bar"],
        "questions": words["questions"][direction],
        "notes": words["notes"][direction],
    }
