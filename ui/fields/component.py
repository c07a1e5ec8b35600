"""The fields as a Streamlit component: describe them, draw them, and get what the reader chose.

The browser holds the values, also those of fields that are not on screen, and writes them into the address.
The server reads them from what the browser sends, and on a first visit from the address.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import streamlit as st

from ui.joiner import join_modules
from ui.modules import Left, component
from ui.palette import css_variables

FOLDER = Path(__file__).parent
LONGEST = 80
"""Characters of a value that are looked at: no field takes more, and no option has longer words."""

_mount = component(
    "fields",
    host="fields-host",
    script=join_modules(FOLDER, "fields.js"),
    css=f":host {{\n{css_variables()}\n}}\n" + (FOLDER / "fields.css").read_text(encoding="utf-8"),
)

__all__ = ["LONGEST", "Field", "Row", "draw_fields", "drawn", "held_values"]


@dataclass(frozen=True)
class Field:
    """One control.

    Attributes
    ----------
    name : str
        Stands in the address behind the page's prefix.
    kind : {"text", "choice", "parts", "switch"}
        A line of text, a menu, a row of buttons, or on and off (``"true"`` and ``"false"``).
    label, help : str
    options : tuple of str
        Of a menu or a row of buttons: what the address holds.
    words : tuple of str
        What each option reads like; empty where options speak for themselves.
    width : int
        Pixels.
    placeholder : str
        Shown in an empty line of text.
    longest : int
        Characters that a line of text takes.
    """

    name: str
    kind: Literal["text", "choice", "parts", "switch"]
    label: str
    help: str = ""
    options: tuple[str, ...] = ()
    width: int = 150
    placeholder: str = ""
    words: tuple[str, ...] = ()
    longest: int = 60

    def __post_init__(self) -> None:
        if self.words and len(self.words) != len(self.options):
            raise ValueError(f"{self.name} has {len(self.options)} options but words for {len(self.words)}")
        if self.longest > LONGEST:
            raise ValueError(f"{self.name} takes {self.longest} characters, of which {LONGEST} are looked at")

    def option(self, value: str) -> str | None:
        """Return the option that a value names by itself or by its words; None if there is none."""
        if value in self.options:
            return value
        return self.options[self.words.index(value)] if value in self.words else None


Row = tuple[str, tuple[Field, ...]]
"""A row's class in `fields.css` ("top" or ""), and its fields."""


def drawn(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return rows of fields as the browser gets them."""
    return [{"class": name, "fields": [asdict(field) for field in fields]} for name, fields in rows]


def held_values(key: str, prefix: str, defaults: Mapping[str, str]) -> dict[str, str]:
    """Return every value as it is now, whether or not its field is on screen.

    Parameters
    ----------
    key : str
        The key with which the fields are drawn.
    prefix : str
        Of their names in the address.
    defaults : mapping of str to str
        Every name with its default. Others are ignored.
    """
    state = st.session_state.get(key)
    sent = state.get("values") if isinstance(state, Mapping) else None
    if isinstance(sent, Mapping):
        found = {name: sent.get(name) for name in defaults}
    else:
        # Looked at once: each question to Streamlit for a single name takes its time.
        address = st.query_params.to_dict()
        found = {name: address.get(prefix + name) for name in defaults}
    return {
        name: str(value)[:LONGEST] if isinstance(value, str) else defaults[name]
        for name, value in found.items()
    }


@cache
def _left(set_name: str, rows: tuple[Row, ...], prefix: str, defaults: tuple[tuple[str, str], ...]) -> Left:
    data = {
        "set": set_name,
        "prefix": prefix,
        "rows": drawn(rows),
        "defaults": dict(defaults),
    }
    return Left("fields", data)


def draw_fields(
    key: str,
    set_name: str,
    rows: Sequence[Row],
    prefix: str,
    values: Mapping[str, str],
    defaults: Mapping[str, str],
    refused: Mapping[str, str],
) -> None:
    """Draw the fields.

    Parameters
    ----------
    key : str
        The element's key on the page.
    set_name : str
        Names which fields these are: another name draws others.
    rows : sequence of Row
    prefix : str
        Of their names in the address.
    values, defaults : mapping of str to str
        Every value of the page by its name, also of fields that are not drawn.
    refused : mapping of str to str
        What to say at a field whose value is impossible, by its name.
    """
    left = _left(set_name, tuple(rows), prefix, tuple(defaults.items()))
    _mount(key=key, data={**left.given(), "values": dict(values), "refused": dict(refused)}, keeps="values")
