"""Which numbers stand in the lesson's texts, and from which source: docs/decisions/numbers-in-texts.md."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lesson.citations import MARK

COMMENT = re.compile(r"#\s*src:\s*([\w., ]+)$")
# A name that holds digits counts nothing: float32, A100, L2, m_1, FlashAttention-2, a licence's version.
NAME = re.compile(r"[A-Za-z_]+(?:\d[\d_]*|-\d(?!\d))+[A-Za-z_]*(?!\w|\.\d)|Apache(?: License )?-?2\.0")
SPELLED = re.compile(r"\b(hundred|thousand|million|billion|percent|per cent)s?\b", re.IGNORECASE)
SLOT = re.compile(r"\{\{\w+\}\}|\[\[\w+\]\]|\{\w+\}")
ITEM = re.compile(r"^\s*\d+\.\s")
LINKED = re.compile(r"\{\{link_\w+\}\}")


@dataclass(frozen=True)
class Found:
    """A number: the line, what stands there, and the sources that the line names."""

    line: int
    text: str
    sources: tuple[str, ...]


def bare(text: str) -> str:
    """Return a text without what is no number: slots, marks, and names that hold digits."""
    return NAME.sub("", SLOT.sub("", MARK.sub("", text)))


def holds_number(text: str) -> bool:
    """Whether a number stands in a text, in digits or as a large word."""
    left = bare(text)
    return bool(re.search(r"\d", left) or SPELLED.search(left))


def _names(listed: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in listed.split(","))


def in_markdown(text: str) -> Iterator[Found]:
    """Yield every line of a Markdown text that holds a number.

    A line names its sources by marks, or by linking to them.
    """
    for number, line in enumerate(text.splitlines(), start=1):
        if holds_number(ITEM.sub("", line)):
            marked = tuple(name for mark in MARK.finditer(line) for name in _names(mark[1]))
            linked = tuple(slot[2:-2].removeprefix("link_") for slot in LINKED.findall(line))
            yield Found(number, line.strip(), marked + linked)


def outside_strings(line: str) -> str:
    """Return a TOML line's comment, or nothing: a # inside a string begins none."""
    quoted = False
    for place, sign in enumerate(line):
        if sign == '"' and (place == 0 or line[place - 1] != "\\"):
            quoted = not quoted
        elif sign == "#" and not quoted:
            return line[place:]
    return ""


def in_toml(text: str) -> Iterator[Found]:
    """Yield every line of a TOML text whose value holds a number; its sources stand in a comment."""
    for number, line in enumerate(text.splitlines(), start=1):
        comment = outside_strings(line)
        value = line[: len(line) - len(comment)].split("=", 1)[-1]
        if value.lstrip().startswith("[") and "=" not in line:  # a table's heading
            continue
        if holds_number(value):
            source = COMMENT.search(comment.strip())
            yield Found(number, value.strip(), _names(source[1]) if source else ())


def in_file(path: Path) -> list[Found]:
    """Return the numbers of a file of the lesson's content."""
    text = path.read_text(encoding="utf-8")
    return list(in_markdown(text) if path.suffix == ".md" else in_toml(text))
