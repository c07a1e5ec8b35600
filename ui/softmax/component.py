"""The one-row player as a Streamlit component: mount it with `show_row`."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

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

_mount = component("row", host="row-host", script=ROW_JS, css=ROW_CSS)


@lru_cache(maxsize=128)
def _played(row: tuple[float, ...]) -> tuple[Payload, Left]:
    """Return a row's payload, and the same to be fetched."""
    payload = encode_row(row)
    return payload, Left("row", payload)


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
        What the browser plays. Not to be changed.

    Raises
    ------
    ValueError
        From the engine, for a row that it refuses.
    """
    payload, left = _played(tuple(row))
    _mount(key=key, data=left.given())
    return payload
