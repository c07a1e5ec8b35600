"""What follows from a page's controls as one element: HTML and drawings.

The browser redraws what differs. Streamlit's own HTML element strips SVG, and cleans all of a changed text
anew. Everything here is escaped where it is made.
"""

from collections.abc import Callable
from functools import lru_cache, wraps
from html import escape
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, cast

from ui.calculator.plot import Plot
from ui.joiner import join_modules
from ui.modules import Left, component
from ui.palette import css_variables

__all__ = ["NARROW", "SHEET_CSS", "Sheet", "figure", "icon", "kept_sheet"]

FOLDER = Path(__file__).parent
NARROW = {"width": 400, "height": 380, "left": 62, "right": 84}
"""The sizes of a drawing for a phone."""
MOST_KEPT = 64
"""Sheets that are kept, of each kind."""

SHEET_CSS = "\n".join((FOLDER / name).read_text(encoding="utf-8") for name in ("calculator.css", "sheet.css"))
"""The styles of what stands in a sheet."""

P = ParamSpec("P")

_mount = component(
    "sheet",
    host="sheet-host twc",
    script=join_modules(FOLDER, "sheet.js"),
    css=f":host {{\n{css_variables()}\n}}\n{SHEET_CSS}",
)


def figure(draw: Callable[..., Plot], alt: str) -> str:
    """Return a plot as HTML.

    Parameters
    ----------
    draw : callable
        Makes the plot; it takes `Plot`'s sizes, so that a phone gets a drawing of its own.
    alt : str
        What the plot says, in one or two sentences.
    """
    return (
        f'<div class="fig" role="img" aria-label="{escape(alt)}"><div class="wide">{draw().svg()}</div>'
        f'<div class="narrow">{draw(**NARROW).svg()}</div></div>'
    )


def icon(name: str) -> str:
    """Return one of the Material symbols that Streamlit brings."""
    return f'<span class="icon" aria-hidden="true" translate="no">{name}</span>'


class Sheet:
    """Collects pieces, then draws them. ``link`` leads to exactly this, if there is such an address."""

    def __init__(self, link: str = "") -> None:
        self.link = link
        self._pieces: list[str] = []
        self._csv: dict[str, str] | None = None
        self._left: Left | None = None

    def add(self, *pieces: str) -> None:
        """Put pieces of HTML below what is there. Those added at once are redrawn at once."""
        self._pieces.append("".join(pieces))

    def figure(self, draw: Callable[..., Plot], *, alt: str) -> None:
        """Put a plot below what is there."""
        self.add(figure(draw, alt))

    def take_away(self, label: str, name: str, text: str, more: str = "") -> None:
        """Put a button below that saves a CSV file, and what stands beside it."""
        self._csv = {"name": name, "text": text}
        button = (
            f'<button type="button" class="twc-button" data-csv>{icon("download")}{escape(label)}</button>'
        )
        self.add(f'<div class="twc-take">{button}{more}</div>')

    def data(self) -> dict[str, Any]:
        """Return what the browser gets."""
        return {"pieces": self._pieces, "csv": self._csv}

    def show(self, key: str) -> None:
        """Draw all as one element, whose key on the page is ``key``. Nothing is added later."""
        # Encoded once: a kept sheet is shown to many readers, and to one reader at every run of the page.
        self._left = self._left or Left("sheet", self.data())
        _mount(key=key, data=self._left.given())


def kept_sheet(fill: Callable[Concatenate[Sheet, P], None]) -> Callable[P, Sheet]:
    """Make what fills a sheet return it, composed once for each of its arguments. Nobody adds to it later."""

    @lru_cache(maxsize=MOST_KEPT)
    def made(*given: P.args, **named: P.kwargs) -> Sheet:
        sheet = Sheet()
        fill(sheet, *given, **named)
        return sheet

    # The cache's own type forgets what the arguments are.
    return cast(Callable[P, Sheet], wraps(fill)(made))
