"""Questions as data: read from `content/<language>/quiz/*.toml` and checked when loaded."""

import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Any

from lesson.text import CONTENT, LANGUAGE


@dataclass(frozen=True)
class Choice:
    """One answer.

    Attributes
    ----------
    text : str
        What the learner picks.
    right : bool
        Whether it is the right one.
    reason : str
        Why it is right, or what is wrong with it.
    """

    text: str
    right: bool
    reason: str


@dataclass(frozen=True)
class Question:
    """A question with exactly one right answer.

    Attributes
    ----------
    id : str
        Its file's name without the ending.
    prompt : str
        The question.
    choices : tuple of Choice
        In the order in which they are shown.
    """

    id: str
    prompt: str
    choices: tuple[Choice, ...]

    @property
    def right(self) -> Choice:
        """The right answer."""
        return next(choice for choice in self.choices if choice.right)


def _text(table: dict[str, Any], name: str, where: str) -> str:
    value = table.get(name)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{where}: {name} is {value!r}; it must be a text")
    return value.strip()


def parse_question(identifier: str, toml: str) -> Question:
    """Return the question written in a TOML text.

    Raises
    ------
    ValueError
        If a field is missing or unknown, if there are fewer than two answers, two with the same words, or not
        exactly one right answer.
    """
    table = tomllib.loads(toml)
    unknown = set(table) - {"prompt", "choice"}
    if unknown:
        raise ValueError(f"{identifier}: unknown field {min(unknown)!r}")
    choices = []
    for number, entry in enumerate(table.get("choice", []), start=1):
        where = f"{identifier}: answer {number}"
        unknown = set(entry) - {"text", "right", "reason"}
        if unknown:
            raise ValueError(f"{where}: unknown field {min(unknown)!r}")
        right = entry.get("right", False)
        if not isinstance(right, bool):
            raise ValueError(f"{where}: right is {right!r}; it must be true or false")
        choices.append(Choice(_text(entry, "text", where), right, _text(entry, "reason", where)))
    if len(choices) < 2:
        raise ValueError(f"{identifier}: {len(choices)} answers; at least 2 are needed")
    if len({choice.text for choice in choices}) < len(choices):
        raise ValueError(f"{identifier}: two answers have the same words")
    right_ones = sum(choice.right for choice in choices)
    if right_ones != 1:
        raise ValueError(f"{identifier}: {right_ones} right answers; exactly 1 is needed")
    return Question(identifier, _text(table, "prompt", identifier), tuple(choices))


@cache
def load_questions(language: str = LANGUAGE) -> tuple[Question, ...]:
    """Return every question of a language, in the order of the file names. Read once.

    Raises
    ------
    ValueError
        If there is no question, or a file is not a sound question; the message names the file.
    """
    folder = CONTENT / language / "quiz"
    files = sorted(folder.glob("*.toml"))
    if not files:
        raise ValueError(f"there is no question in {language}/quiz")
    return tuple(parse_question(file.stem, file.read_text(encoding="utf-8")) for file in files)
