"""The words that go with the inputs, read from ``text_en.toml`` and checked."""

import tomllib
from functools import cache
from pathlib import Path

__all__ = ["text"]

_FILE = Path(__file__).with_name("text_en.toml")
_FIELDS = {"heads": {"label", "look_for"}, "made_up": {"title", "look_for"}, "said": {"run"}}


@cache
def _all() -> dict[str, dict[str, dict[str, str]]]:
    found: dict[str, dict[str, dict[str, str]]] = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    if set(found) != set(_FIELDS):
        raise ValueError(f"{_FILE.name} has the tables {sorted(found)}, not {sorted(_FIELDS)}")
    for table, entries in found.items():
        for name, fields in entries.items():
            if set(fields) != _FIELDS[table] or not all(fields.values()):
                raise ValueError(f"{_FILE.name}: {table}.{name} needs exactly {sorted(_FIELDS[table])}")
    return found


def text(table: str, name: str) -> dict[str, str]:
    """The fields of one entry, such as ``text("made_up", "rising")["title"]``.

    Raises
    ------
    ValueError
        If the file is not as expected.
    KeyError
        If there is no such entry.
    """
    return _all()[table][name]
