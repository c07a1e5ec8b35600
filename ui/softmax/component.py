"""The one-row player as a Streamlit component: mount it with `show_row`."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import streamlit as st

from ui.joiner import join_modules
from ui.modules import Left, component
from ui.palette import css_variables
from ui.softmax.payload import Payload, encode_row

FOLDER = Path(__file__).parent
STAGE = FOLDER.parent / "stage"

ROW_JS = join_modules(FOLDER, "row_player.js")
ROW_CSS = f":host {{\n{css_variables()}\n}}\n" + "\n".join(
    file.read_text(encoding="utf-8")
    for file in (STAGE / "stage.css", STAGE / "zones.css", FOLDER / "row.css")
)

ROW_NAME = "row_x"
"""The row's name in the address."""
LONGEST = 400
"""Characters of a typed row that are looked at."""

_mount = component("row", host="row-host", script=ROW_JS, css=ROW_CSS)


@lru_cache(maxsize=128)
def _played(row: tuple[float, ...]) -> tuple[Payload, Left]:
    """Return a row's payload, and the same to be fetched."""
    payload = encode_row(row)
    return payload, Left("row", payload)


def typed_row(key: str, usual: str) -> str:
    """Return the row as the reader has typed or chosen it, or as the address names it, or the usual one.

    Parameters
    ----------
    key : str
        The component's key on the page.
    usual : str
    """
    state = st.session_state.get(key)
    sent = state.get("typed") if isinstance(state, Mapping) else None
    typed = sent if isinstance(sent, str) else st.query_params.get(ROW_NAME, usual)
    return typed[:LONGEST]


def show_row(row: Sequence[float], *, key: str, entry: dict[str, Any]) -> Payload:
    """Run softmax of one row in three ways and play them in the browser.

    The way and the step stay in the address as `row_method=` and `row_step=`, written by the browser alone.

    Parameters
    ----------
    row : sequence of float
        1 to 16 scores; −∞ is a masked one.
    key : str
        The component's key on the page.
    entry : dict
        What the field shows: `typed`, the usual row (`usual`), `presets` (label and text), `words`, and
        why the typed row was refused (`refused`, None if it was not).

    Returns
    -------
    dict
        What the browser plays. Not to be changed.

    Raises
    ------
    ValueError
        From the engine, for a row that it refuses.
    """
    payload, left = _played(tuple(row))
    _mount(key=key, data={**left.given(), "entry": {**entry, "longest": LONGEST}}, keeps="typed")
    return payload
