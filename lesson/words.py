"""Short texts of a page (labels, captions, sentences with slots), from `content/<language>/<name>.toml`."""

import tomllib
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from lesson.text import CONTENT, LANGUAGE

__all__ = ["Words", "load_words", "parse_words"]


class Words:
    """A page's short texts, table by table.

    Parameters
    ----------
    name : str
        The file's name, for messages.
    tables : mapping of str to mapping of str to str
    """

    def __init__(self, name: str, tables: Mapping[str, Mapping[str, str]]) -> None:
        self.name, self._tables = name, tables

    def table(self, table: str) -> Mapping[str, str]:
        """Return a table of texts, in the file's order.

        Raises
        ------
        KeyError
            If there is none of that name; the message names the file.
        """
        if table not in self._tables:
            raise KeyError(f"{self.name}.toml has no table [{table}]")
        return self._tables[table]

    def say(self, table: str, key: str, **values: object) -> str:
        """Return one text with its `{slots}` filled.

        Raises
        ------
        KeyError
            If there is no such text, or a slot gets no value.
        """
        texts = self.table(table)
        if key not in texts:
            raise KeyError(f"{self.name}.toml has no {key!r} in [{table}]")
        return texts[key].format(**values)


def parse_words(name: str, text: str) -> Words:
    """Return the texts of a TOML document.

    Raises
    ------
    ValueError
        If it holds anything but tables of non-empty strings; the message names the place.
    """
    tables: dict[str, Mapping[str, str]] = {}
    for table, texts in tomllib.loads(text).items():
        if not isinstance(texts, dict):
            raise ValueError(f"{name}.toml: {table!r} must stand in a table")
        for key, value in texts.items():
            if not isinstance(value, str) or not value.strip():
                raise ValueError(f"{name}.toml: [{table}] {key} = {value!r}; it must be a text")
        tables[table] = MappingProxyType(texts)
    if not tables:
        raise ValueError(f"{name}.toml is empty")
    return Words(name, MappingProxyType(tables))


@cache
def load_words(name: str, language: str = LANGUAGE) -> Words:
    """Return the short texts of `content/<language>/<name>.toml`. Read once; raises as `parse_words` does."""
    return parse_words(name, (CONTENT / language / f"{name}.toml").read_text(encoding="utf-8"))
