"""Right or wrong, and why: the same rules as in the browser (`ui/quiz/quiz_grade.js`)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lesson.quiz.answers import canonical_answer
from lesson.words import load_words

if TYPE_CHECKING:  # A question grades its answers; grading needs to know the question only as a type.
    from lesson.quiz.question import Question

__all__ = ["Verdict", "grade_answer"]


@dataclass(frozen=True)
class Verdict:
    """What is said about an answer.

    Attributes
    ----------
    right : bool
    reason : str
        Why this answer is right or wrong. The reason for the right one stands in the key.
    misconception : str or None
        What the answer may come from.
    """

    right: bool
    reason: str
    misconception: str | None = None


def grade_answer(question: "Question", answer: Mapping[str, Any]) -> Verdict:
    """Grade an answer; see `Question.grade`."""
    short = canonical_answer(question, answer)
    if question.number is not None:
        return _grade_number(question, float(short))
    if question.kind == "order":
        return _grade_order(question, short.split(">"))
    if question.kind == "several":
        return _grade_several(question, set(short.split("+")))
    chosen = next(option for option in question.options if option.id == short)
    return Verdict(chosen.right, chosen.reason, None if chosen.right else chosen.misconception)


def _grade_number(question: "Question", typed: float) -> Verdict:
    """Right within the tolerance; else the nearest wrong formula, within the digits that one would type."""
    key = question.number
    assert key is not None
    if abs(typed - key.value) <= key.tolerance:
        return Verdict(True, question.why)
    near = []
    for wrong in key.wrongs:
        room = max(key.tolerance / 2, 0.01 * abs(wrong.value) if key.tolerance > 0 else 0)
        distance = abs(typed - wrong.value)
        if distance <= room:
            near.append((distance, wrong))
    if near:
        _, wrong = min(near, key=lambda pair: pair[0])
        return Verdict(False, wrong.reason, wrong.misconception)
    words = load_words("quiz_player")
    return Verdict(False, words.say("verdict", "too_large" if typed > key.value else "too_small"))


def _grade_several(question: "Question", chosen: set[str]) -> Verdict:
    """Right if exactly the right ones are chosen; else the reasons of every one handled wrongly."""
    slips = [option for option in question.options if option.right != (option.id in chosen)]
    if not slips:
        return Verdict(True, question.why)
    source = next((option.misconception for option in slips if option.misconception), None)
    return Verdict(False, " ".join(option.reason for option in slips), source)


def _grade_order(question: "Question", given: list[str]) -> Verdict:
    """Right in the one right order; else the reason of the first step that stands elsewhere."""
    for here, wanted in zip(given, question.order, strict=True):
        if here != wanted:
            first = next(option for option in question.options if option.id == wanted)
            return Verdict(False, first.reason, first.misconception)
    return Verdict(True, question.why)
