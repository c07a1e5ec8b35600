"""The glossary, from `content/<language>/glossary.toml`, checked when loaded."""

import tomllib
from collections.abc import Collection
from dataclasses import dataclass, fields
from functools import cache
from urllib.parse import quote

from lesson.outline import load_outline
from lesson.text import CONTENT, LANGUAGE

VALUE_PREFIX = "term_"

__all__ = ["Term", "load_glossary", "parse_glossary", "term_markdown", "term_values"]


@dataclass(frozen=True)
class Term:
    """One word of the field.

    Attributes
    ----------
    key, name, meaning : str
    page : str
        The key of the page where it first matters.
    see : tuple of str
        Keys of related terms.
    """

    key: str
    name: str
    meaning: str
    page: str
    see: tuple[str, ...]


def parse_glossary(text: str) -> tuple[Term, ...]:
    """Return the terms of a TOML text, by name.

    Raises
    ------
    ValueError
        If a field is missing, unknown or of the wrong kind, a key comes twice, or a page or a related term
        does not exist; the message names the term.
    """
    wanted = {field.name for field in fields(Term)}
    pages = {page.key for page in load_outline().pages}
    terms = []
    for number, table in enumerate(tomllib.loads(text).get("term", []), start=1):
        name = f"term {number} ({table.get('key')!r})"
        if set(table) != wanted:
            raise ValueError(f"{name} lacks, or has unasked: {', '.join(sorted(set(table) ^ wanted))}")
        see = table.pop("see")
        for field, value in table.items():
            if not isinstance(value, str) or not value.strip():
                raise ValueError(f"{name} has {field} = {value!r}; it must be a text")
        if not isinstance(see, list) or not all(isinstance(each, str) for each in see):
            raise ValueError(f"{name} has see = {see!r}; it must be a list of keys")
        if table["page"] not in pages:
            raise ValueError(f"{name} names the page {table['page']!r}, which the outline does not have")
        terms.append(Term(**table, see=tuple(see)))
    keys = [term.key for term in terms]
    if len(set(keys)) < len(keys):
        raise ValueError("two terms share a key")
    for term in terms:
        unknown = set(term.see) - set(keys)
        if unknown:
            raise ValueError(f"term {term.key!r} sends the reader to {', '.join(sorted(unknown))}, not there")
    if not terms:
        raise ValueError("there is no [[term]]")
    return tuple(sorted(terms, key=lambda term: term.name.casefold()))


@cache
def load_glossary(language: str = LANGUAGE) -> tuple[Term, ...]:
    """Return every term, by name. Read once; raises as `parse_glossary` does."""
    return parse_glossary((CONTENT / language / "glossary.toml").read_text(encoding="utf-8"))


def term_markdown(key: str, words: str | None = None) -> str:
    """Return a term as a link to its entry in the glossary.

    Parameters
    ----------
    key : str
    words : str or None
        What to call it; None is the key in plain words, spelled as in the term's name.

    Raises
    ------
    KeyError
        If the glossary has no such term.
    """
    for term in load_glossary():
        if term.key == key:
            plain, spelled = key.replace("_", " "), term.name.split(" (")[0]
            same = spelled.replace(",", "").casefold() == plain
            words = words or (spelled if same else plain)
            return f"[{words}](./reference?ref_find={quote(term.name)})"
    raise KeyError(f"the glossary has no term {key!r}")


def term_values(names: Collection[str]) -> dict[str, str]:
    """Return what a text's `{{term_…}}` values stand for; other names are left to the page.

    Raises
    ------
    KeyError
        If the glossary has no such term.
    """
    return {
        name: term_markdown(name.removeprefix(VALUE_PREFIX))
        for name in names
        if name.startswith(VALUE_PREFIX)
    }
