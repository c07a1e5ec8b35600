"""The order of the pages, read from `outline.toml` and checked when loaded."""

import re
import tomllib
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

OUTLINE_FILE = Path(__file__).with_name("outline.toml")


@dataclass(frozen=True)
class Page:
    """One page of the lesson.

    Attributes
    ----------
    key : str
        The page's name in code and in the file names of its content.
    script : str
        The file that draws it, relative to the project's root.
    title : str
        Its heading, and the browser tab's title.
    label : str
        Its name in the navigation.
    icon : str
        A Material symbol, `":material/name:"`.
    summary : str
        One sentence under the heading.
    """

    key: str
    script: str
    title: str
    label: str
    icon: str
    summary: str


@dataclass(frozen=True)
class Outline:
    """All pages, in reading order."""

    pages: tuple[Page, ...]

    def page(self, key: str) -> Page:
        """Return the page called `key`.

        Raises
        ------
        KeyError
            If the outline has no such page; the message names those that it has.
        """
        for page in self.pages:
            if page.key == key:
                return page
        known = ", ".join(page.key for page in self.pages)
        raise KeyError(f"the outline has no page {key!r}; it has {known}")


def parse_outline(text: str) -> Outline:
    """Return the outline written in a TOML text.

    Raises
    ------
    ValueError
        If a field is missing, unknown, empty or no string, if two pages share a key, a script or a label,
        or if an icon is not a Material symbol.
    """
    wanted = {field.name for field in fields(Page)}
    pages = []
    for number, table in enumerate(tomllib.loads(text).get("page", []), start=1):
        if set(table) != wanted:
            odd = ", ".join(sorted(set(table) ^ wanted))
            raise ValueError(f"outline: page {number} lacks, or has unasked: {odd}")
        for name, value in table.items():
            if not isinstance(value, str) or not value.strip():
                raise ValueError(f"outline: page {number} has {name} = {value!r}; it must be a text")
        if not re.fullmatch(r":material/[a-z0-9_]+:", table["icon"]):
            raise ValueError(f"outline: page {number} has icon {table['icon']!r}; write ':material/name:'")
        pages.append(Page(**table))
    if not pages:
        raise ValueError("outline: there is no [[page]]")
    for name in ("key", "script", "label"):
        values = [getattr(page, name) for page in pages]
        twice = sorted({value for value in values if values.count(value) > 1})
        if twice:
            raise ValueError(f"outline: two pages share the {name} {twice[0]!r}")
    return Outline(tuple(pages))


@cache
def load_outline() -> Outline:
    """Return the lesson's outline. Read once."""
    return parse_outline(OUTLINE_FILE.read_text(encoding="utf-8"))
