"""The calculator's words, from `lesson/content/en/calculator.toml`."""

import tomllib
from functools import cache

from lesson.text import CONTENT, LANGUAGE

__all__ = ["say", "words"]


@cache
def words() -> dict[str, dict[str, str]]:
    """Every table of words by its name. Read once."""
    return tomllib.loads((CONTENT / LANGUAGE / "calculator.toml").read_text(encoding="utf-8"))


def say(table: str, name: str, /, **values: object) -> str:
    """Return one text with its slots filled.

    Raises
    ------
    KeyError
        If there is no such text, or a slot gets no value.
    """
    return words()[table][name].format(**values)
