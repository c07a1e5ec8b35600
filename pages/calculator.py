"""Count the bytes: storage, traffic, tile fit, roofline, presets, and the paper's own tables."""

from functools import lru_cache

import streamlit as st

from lesson.text import load_text
from ui.calculator.controls import (
    FORMULAS,
    PART,
    check_address,
    draw_controls,
    held_controls,
    values_of,
)
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
from ui.calculator.words import words
from ui.content import READING_WIDTH, render_text
from ui.frame import begin, end

# Only the part that is chosen is drawn, with the controls that change something in it.
WITH_CONTROLS = {
    "Storage": (STORAGE, draw_storage),
    "Traffic": (TRAFFIC, draw_ledger),
    "Fit": (FIT, draw_fit),
    "Roofline": (ROOFLINE, draw_roofline),
}
FIXED = {"Presets": draw_presets, "Papers": draw_papers}


@lru_cache(maxsize=256)
def composed(settings: tuple[tuple[str, str], ...]) -> tuple[Sheet | None, list[str]]:
    """Return what follows from the controls, or messages. Kept, since many readers ask the same."""
    held = dict(settings)
    part, sheet = held[PART], Sheet(link_of(held))
    if part in FIXED:
        FIXED[part](sheet)
        return sheet, []
    names, draw_part = WITH_CONTROLS[part]
    values, messages = values_of(names, held)
    if messages:
        return None, messages
    draw_part(sheet, values, held[FORMULAS] == "true")
    return sheet, []


# A fragment: a changed number redraws the part alone, not the page around it.
@st.fragment
def calculator() -> None:
    """Draw the choice of parts, and the chosen one with its controls."""
    held = held_controls()
    part = held[PART]
    draw_controls(part, WITH_CONTROLS[part][0] if part in WITH_CONTROLS else (), held)
    sheet, messages = composed(tuple(held.items()))
    if sheet is None:
        for message in messages:
            st.error(message, icon=":material/error:")
        st.info(words()["page"]["correct_first"], icon=":material/info:")
        return
    sheet.show("calc_sheet")
    # One element: every element costs a run time.
    st.markdown("\n".join(map(str, load_text(f"calculator_{part.lower()}").parts)), width=READING_WIDTH)


begin("calculator")
check_address()
render_text("calculator", slots={"calculator": calculator})
end("calculator")
