"""The lesson's questions, as a room needs them."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from classroom.errors import RoomError
from lesson.quiz import MOST_SEED, Question, bank, make

__all__ = ["MOST_SEED", "Question", "canonical", "question", "question_or_none"]


@lru_cache(maxsize=512)
def question(question_id: str, seed: int) -> Question:
    """Return a question with its numbers. Made once: every phone asks for the same ones.

    Raises
    ------
    RoomError
        `malformed` if the bank has no such question.
    """
    if question_id not in {entry.id for entry in bank()}:
        raise RoomError("malformed", f"the bank has no question {question_id!r:.80}")
    return make(question_id, seed)


def question_or_none(question_id: str, seed: int) -> Question | None:
    """Return a question, or None if a later version of the lesson has taken it out of the bank."""
    try:
        return question(question_id, seed)
    except RoomError:
        return None


def canonical(asked: Question, answer: Mapping[str, Any]) -> str:
    """Return an answer's short form.

    Raises
    ------
    RoomError
        `malformed`, with the value and what is possible.
    """
    try:
        return asked.canonical(answer)
    except ValueError as error:
        raise RoomError("malformed", str(error)) from error
