"""The calculator's parts: which controls each has, and what follows from what they say."""

from functools import lru_cache

from ui.calculator.controls import FORMULAS, PART, values_of
from ui.calculator.fit import CONTROLS as FIT
from ui.calculator.fit import draw_fit
from ui.calculator.ledger import CONTROLS as TRAFFIC
from ui.calculator.ledger import draw_ledger
from ui.calculator.papers import draw_papers
from ui.calculator.presets import draw_presets
from ui.calculator.roofline_chart import CONTROLS as ROOFLINE
from ui.calculator.roofline_chart import draw_roofline
from ui.calculator.sheet import Sheet
from ui.calculator.storage import CONTROLS as STORAGE
from ui.calculator.storage import draw_storage
from ui.calculator.takeaway import link_of

_WITH_CONTROLS = {
    "Storage": (STORAGE, draw_storage),
    "Traffic": (TRAFFIC, draw_ledger),
    "Fit": (FIT, draw_fit),
    "Roofline": (ROOFLINE, draw_roofline),
}
_FIXED = {"Presets": draw_presets, "Papers": draw_papers}

__all__ = ["composed", "controls_of"]


def controls_of(part: str) -> tuple[str, ...]:
    """Return the names of the controls that change something in a part."""
    return _WITH_CONTROLS[part][0] if part in _WITH_CONTROLS else ()


# Here and not in the page: Streamlit runs a page's module anew each time, and its caches with it.
@lru_cache(maxsize=256)
def composed(settings: tuple[tuple[str, str], ...]) -> tuple[Sheet | None, dict[str, str]]:
    """Return what follows from the controls, or messages. Kept, since many readers ask the same.

    Parameters
    ----------
    settings : tuple of (name, value)
        Every control, as `held_controls` returns them.

    Returns
    -------
    sheet : Sheet or None
        Not to be changed; None if a value is impossible.
    refused : dict of str to str
        By a control's name, a message with its value and its limit.
    """
    held = dict(settings)
    part, sheet = held[PART], Sheet(link_of(held))
    if part in _FIXED:
        _FIXED[part](sheet)
        return sheet, {}
    names, draw_part = _WITH_CONTROLS[part]
    values, refused = values_of(names, held)
    if refused:
        return None, refused
    draw_part(sheet, values, held[FORMULAS] == "true")
    return sheet, {}
