"""What people believe and what is so, from `content/<language>/quiz_misconceptions.toml`."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from types import MappingProxyType

from lesson.outline import load_outline
from lesson.text import CONTENT, LANGUAGE

__all__ = ["Misconception", "load_misconceptions", "parse_misconceptions"]


@dataclass(frozen=True)
class Misconception:
    """One thing that is often believed.

    Attributes
    ----------
    key : str
        Its short name, such as ``M3``.
    belief : str
        The belief, as somebody who holds it would say it.
    truth : str
        What is so, in one or two sentences.
    page : str
        Key of the page that shows it.
    query : str
        What stands after the question mark of the address there; may be empty.
    """

    key: str
    belief: str
    truth: str
    page: str
    query: str

    @property
    def href(self) -> str:
        """Where to go, relative to the app's root."""
        # The first page's address is the root itself.
        page = "" if self.page == "home" else self.page
        return f"{page}?{self.query}" if self.query else page or "."


def parse_misconceptions(text: str) -> Mapping[str, Misconception]:
    """Return the misconceptions of a TOML text by their keys.

    Raises
    ------
    ValueError
        If a field is missing, unknown or no text, a key comes twice, or there is no such page; the message
        names the misconception.
    """
    wanted = {field.name for field in fields(Misconception)}
    pages = [page.key for page in load_outline().pages]
    found: dict[str, Misconception] = {}
    for number, table in enumerate(tomllib.loads(text).get("misconception", []), start=1):
        where = f"misconception {number} ({table.get('key')!r})"
        if set(table) != wanted:
            raise ValueError(f"{where} lacks, or has unasked: {', '.join(sorted(set(table) ^ wanted))}")
        for name, value in table.items():
            if not isinstance(value, str) or not (value.strip() or name == "query"):
                raise ValueError(f"{where} has {name} = {value!r}; it must be a text")
        if table["key"] in found:
            raise ValueError(f"{where}: its key comes twice")
        if table["page"] not in pages:
            raise ValueError(f"{where} has the page {table['page']!r}; it can be {', '.join(pages)}")
        found[table["key"]] = Misconception(**table)
    if not found:
        raise ValueError("there is no [[misconception]]")
    return MappingProxyType(found)


@cache
def load_misconceptions(language: str = LANGUAGE) -> Mapping[str, Misconception]:
    """Return every misconception by its key. Read once; raises as `parse_misconceptions` does."""
    path = CONTENT / language / "quiz_misconceptions.toml"
    return parse_misconceptions(path.read_text(encoding="utf-8"))
