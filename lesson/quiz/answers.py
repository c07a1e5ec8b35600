"""Answers as they come from a page: checked, and brought into one short form.

An answer is JSON: `{"choice": "a"}` (single, line, frame), `{"choices": ["a", "c"]}`, `{"number": "33.5"}` or
`{"order": ["c", "a", "b"]}`.
"""

import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if (
    TYPE_CHECKING
):  # A question asks for its answer's form; the form needs to know the question only as a type.
    from lesson.quiz.question import Question

MOST_SIGNS = 40
"""Signs of a typed number. No count here needs as many."""

FIELD_OF = {
    "single": "choice",
    "line": "choice",
    "frame": "choice",
    "several": "choices",
    "number": "number",
    "order": "order",
}
"""The one field of an answer, by the question's kind."""

_THOUSANDS = re.compile(r"\d{1,3}([.,]\d{3})+")
_NUMBER = re.compile(r"[+-]?([0-9]+([.,][0-9]*)?|[.,][0-9]+)(e[+-]?[0-9]+)?", re.IGNORECASE)

__all__ = ["FIELD_OF", "MOST_SIGNS", "canonical_answer", "read_number"]


def read_number(text: str, *, whole: bool) -> float | None:
    """Return the number that a learner typed, or None.

    A comma is a decimal point, or parts thousands of a count. The same rules as `readEntry` in the browser.
    """
    plain = re.sub(r"[\s_']", "", text.strip().replace("\u2212", "-"), flags=re.ASCII)
    plain = plain.replace("\u00a0", "").replace("\u202f", "")
    if whole and _THOUSANDS.fullmatch(plain):
        return float(re.sub(r"[.,]", "", plain))
    if not _NUMBER.fullmatch(plain):
        return None
    number = float(plain.replace(",", "."))
    return number if math.isfinite(number) else None


def canonical_answer(question: "Question", answer: Mapping[str, Any]) -> str:
    """Return an answer's short form; see `Question.canonical`."""
    field = FIELD_OF[question.kind]
    if not isinstance(answer, Mapping) or set(answer) != {field}:
        found = sorted(map(str, answer)) if isinstance(answer, Mapping) else answer
        raise ValueError(f"the answer has {_cut(found)}; to {question.id!r} it has exactly {field!r}")
    value = answer[field]
    if field == "number":
        return _canonical_number(question, value)
    ids = [option.id for option in question.options]
    if field == "choice":
        if not isinstance(value, str) or value not in ids:
            raise ValueError(f"choice is {_cut(value)}; it can be {', '.join(ids)}")
        return value
    if not isinstance(value, list) or not all(isinstance(each, str) and each in ids for each in value):
        raise ValueError(f"{field} is {_cut(value)}; it is a list of {', '.join(ids)}")
    if len(set(value)) < len(value):
        raise ValueError(f"{field} is {_cut(value)}; no letter may come twice")
    if field == "choices":
        if not value:
            raise ValueError("choices is []; at least 1 is needed")
        return "+".join(sorted(value))
    if len(value) != len(ids):
        raise ValueError(f"order has {len(value)} of the {len(ids)} steps; every one is needed")
    return ">".join(value)


def _canonical_number(question: "Question", value: object) -> str:
    assert question.number is not None
    if not isinstance(value, str) or len(value) > MOST_SIGNS:
        raise ValueError(f"number is {_cut(value)}; it is a text of at most {MOST_SIGNS} signs")
    number = read_number(value, whole=question.number.whole)
    if number is None:
        kind = "a whole number, such as 1,024" if question.number.whole else "a number, such as 33.5"
        raise ValueError(f"number is {_cut(value)}; type {kind}")
    return f"{number + 0.0:.12g}"


def _cut(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."
