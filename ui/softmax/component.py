"""The one-row player as a Streamlit component: mount it with `show_row`."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from ui.joiner import join_modules
from ui.modules import served
from ui.palette import css_variables
from ui.softmax.payload import Payload, encode_row

FOLDER = Path(__file__).parent
STAGE = FOLDER.parent / "stage"

ROW_JS = join_modules(FOLDER, "row_player.js")
ROW_CSS = f":host {{\n{css_variables()}\n}}\n" + "\n".join(
    file.read_text(encoding="utf-8")
    for file in (STAGE / "stage.css", STAGE / "zones.css", FOLDER / "row.css")
)

_mount = st.components.v2.component(
    "tilewise_row", html='<div class="row-host"></div>', css=ROW_CSS, js=served("row", ROW_JS)
)


@st.cache_data(max_entries=128, show_spinner=False)
def _payload(row: tuple[float, ...]) -> Payload:
    return encode_row(row)


def show_row(row: Sequence[float], *, key: str) -> Payload:
    """Run softmax of one row in three ways and play them in the browser.

    The way and the step stay in the address as `row_method=` and `row_step=`, written by the browser alone.

    Parameters
    ----------
    row : sequence of float
        1 to 16 scores; −∞ is a masked one.
    key : str
        The component's key on the page.

    Returns
    -------
    dict
        What was sent to the browser.

    Raises
    ------
    ValueError
        From the engine, for a row that it refuses.
    """
    payload = _payload(tuple(row))
    _mount(key=key, data=payload)
    return payload
