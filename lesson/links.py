"""Every external link of the app, from `content/<language>/links.toml`, checked when loaded."""

import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from functools import cache
from types import MappingProxyType

from lesson.place import CONTENT, LANGUAGE

KINDS = ("lesson", "paper", "code", "issue", "data", "licence")
VALUE_PREFIX = "link_"

__all__ = ["KINDS", "Link", "link_markdown", "link_values", "load_links", "parse_links"]


@dataclass(frozen=True)
class Link:
    """One address outside the app.

    Attributes
    ----------
    key : str
        Its name in texts: small letters and underscores.
    title, url, kind : str
        The kind is one of `KINDS`.
    date : str
        When it was published, empty if we do not know.
    read : str
        The year in which it was read.
    note : str
        One sentence on what it is used for.
    """

    key: str
    title: str
    url: str
    kind: str
    date: str
    read: str
    note: str

    @property
    def markdown(self) -> str:
        """The link as Markdown, with its own title."""
        return f"[{self.title}]({self.url})"


def parse_links(text: str) -> Mapping[str, Link]:
    """Return the links of a TOML text by their keys.

    Raises
    ------
    ValueError
        If a field is missing, unknown or no string, a key or an address comes twice, or a key, a kind, a year
        or an address is not of the right form; the message names the link.
    """
    wanted = {field.name for field in fields(Link)}
    links: dict[str, Link] = {}
    for number, table in enumerate(tomllib.loads(text).get("link", []), start=1):
        name = f"link {number} ({table.get('key')!r})"
        if set(table) != wanted:
            raise ValueError(f"{name} lacks, or has unasked: {', '.join(sorted(set(table) ^ wanted))}")
        for field, value in table.items():
            if not isinstance(value, str) or not (value.strip() or field == "date"):
                raise ValueError(f"{name} has {field} = {value!r}; it must be a text")
        link = Link(**table)
        if not re.fullmatch(r"[a-z_]+", link.key):
            raise ValueError(f"{name}: a key has small letters and underscores only")
        if link.kind not in KINDS:
            raise ValueError(f"{name} has the kind {link.kind!r}; it can be {', '.join(KINDS)}")
        if not re.fullmatch(r"https://[^\s<>\"()]+", link.url):
            raise ValueError(f"{name} has the address {link.url!r}; it must begin with https://")
        if not re.fullmatch(r"20\d\d", link.read):
            raise ValueError(f"{name} was read in {link.read!r}; write a year")
        if link.key in links or link.url in {each.url for each in links.values()}:
            raise ValueError(f"{name}: its key or its address comes twice")
        links[link.key] = link
    if not links:
        raise ValueError("there is no [[link]]")
    return MappingProxyType(links)


@cache
def load_links(language: str = LANGUAGE) -> Mapping[str, Link]:
    """Return every link by its key. Read once; raises as `parse_links` does."""
    return parse_links((CONTENT / language / "links.toml").read_text(encoding="utf-8"))


def link_markdown(key: str, words: str | None = None) -> str:
    """Return a link as Markdown, with its own title or with other words.

    Raises
    ------
    KeyError
        If there is no such link.
    """
    link = load_links()[key]
    return f"[{words or link.title}]({link.url})"


def link_values(names: Collection[str]) -> dict[str, str]:
    """Return what a text's `{{link_…}}` values stand for; other names are left to the page.

    Parameters
    ----------
    names : collection of str
        The values that a text asks for, `Text.values`.

    Raises
    ------
    KeyError
        If there is no such link.
    """
    return {
        name: link_markdown(name.removeprefix(VALUE_PREFIX))
        for name in names
        if name.startswith(VALUE_PREFIX)
    }
