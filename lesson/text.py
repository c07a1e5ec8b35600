"""The lesson's prose: Markdown files with one sentence a line, named slots and named values.

A line that is only `[[name]]` is a slot: the page puts something there (a widget, a picture, the stage).
`{{name}}` inside a sentence is a value: the page gives it, so no computed number is typed by hand.
`[src: name]` after a sentence says where its number comes from; see `lesson.citations`.
"""

import re
from dataclasses import dataclass
from functools import cache

from lesson.citations import cited
from lesson.place import CONTENT, LANGUAGE

__all__ = ["CONTENT", "LANGUAGE", "Slot", "Text", "load_text", "parse_text"]

_SLOT = re.compile(r"^\[\[([a-z_]+)\]\]$")
_VALUE = re.compile(r"\{\{([a-z_]+)\}\}")


@dataclass(frozen=True)
class Slot:
    """A named place between two stretches of prose."""

    name: str


@dataclass(frozen=True)
class Text:
    """A page's prose, cut at its slots.

    Attributes
    ----------
    parts : tuple of str or Slot
        Markdown and slots, in reading order.
    """

    parts: tuple[str | Slot, ...]

    @property
    def slots(self) -> frozenset[str]:
        """The names of its slots."""
        return frozenset(part.name for part in self.parts if isinstance(part, Slot))

    @property
    def values(self) -> frozenset[str]:
        """The names of the values in its sentences."""
        prose = [part for part in self.parts if isinstance(part, str)]
        return frozenset(name for part in prose for name in _VALUE.findall(part))

    def filled(self, values: dict[str, str]) -> "Text":
        """Return the text with its values written in.

        Raises
        ------
        ValueError
            If a value is missing, or one is given that no sentence asks for.
        """
        odd = self.values ^ set(values)
        if odd:
            raise ValueError(f"the text asks for {sorted(self.values)} but got {sorted(values)}")

        def write(part: str | Slot) -> str | Slot:
            if isinstance(part, Slot):
                return part
            return _VALUE.sub(lambda found: values[found.group(1)], part)

        return Text(tuple(write(part) for part in self.parts))


def parse_text(markdown: str) -> Text:
    """Return a Markdown document cut at its slots.

    Raises
    ------
    ValueError
        If the document is empty, a slot comes twice, or a mark names a source that does not exist.
    """
    parts: list[str | Slot] = []
    prose: list[str] = []

    def close() -> None:
        block = "\n".join(prose).strip()
        if block:
            parts.append(cited(block))
        prose.clear()

    for line in markdown.splitlines():
        slot = _SLOT.match(line.strip())
        if slot is None:
            prose.append(line)
            continue
        close()
        if Slot(slot.group(1)) in parts:
            raise ValueError(f"the slot {slot.group(1)!r} comes twice")
        parts.append(Slot(slot.group(1)))
    close()
    if not parts:
        raise ValueError("the document is empty")
    return Text(tuple(parts))


@cache
def load_text(name: str, language: str = LANGUAGE) -> Text:
    """Return the prose `content/<language>/<name>.md`. Read once.

    Raises
    ------
    ValueError
        If the file is missing, empty or has a slot twice; the message names the file.
    """
    path = CONTENT / language / f"{name}.md"
    if not path.is_file():
        raise ValueError(f"there is no {path.relative_to(CONTENT)}")
    try:
        return parse_text(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path.relative_to(CONTENT)}: {error}") from error
