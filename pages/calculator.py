"""Count the bytes: storage, traffic, tile fit, roofline, presets, and the paper's own tables."""

import streamlit as st

from ui.calculator.controls import FORMULAS, PART, PARTS, check_address, draw_controls, finish_setting
from ui.calculator.fit import CONTROLS as FIT
from ui.calculator.fit import draw_fit
from ui.calculator.html import style
from ui.calculator.ledger import CONTROLS as TRAFFIC
from ui.calculator.ledger import draw_ledger
from ui.calculator.papers import draw_papers
from ui.calculator.presets import draw_presets
from ui.calculator.roofline_chart import CONTROLS as ROOFLINE
from ui.calculator.roofline_chart import draw_roofline
from ui.calculator.storage import CONTROLS as STORAGE
from ui.calculator.storage import draw_storage
from ui.calculator.words import words
from ui.content import render_text
from ui.frame import begin, end

# Only the part that is chosen is drawn, with the controls that change something in it.
WITH_CONTROLS = {
    "Storage": (STORAGE, draw_storage),
    "Traffic": (TRAFFIC, draw_ledger),
    "Fit": (FIT, draw_fit),
    "Roofline": (ROOFLINE, draw_roofline),
}
FIXED = {"Presets": draw_presets, "Papers": draw_papers}


# A fragment: a changed number redraws the part alone, not the page around it.
@st.fragment
def calculator() -> None:
    """Draw the choice of parts, and the chosen one with its controls."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom"):
        part = st.segmented_control(
            words()["page"]["part"], PARTS, default=PARTS[0], required=True, key=PART, bind="query-params"
        )
        chosen = part or PARTS[0]
        formulas = chosen in WITH_CONTROLS and st.toggle(
            words()["page"]["formulas"], key=FORMULAS, bind="query-params"
        )
    finish_setting()
    if chosen in FIXED:
        FIXED[chosen]()
        return
    controls, draw_part = WITH_CONTROLS[chosen]
    values = draw_controls(controls)
    if values is not None:
        draw_part(values, formulas)


begin("calculator")
style()
check_address()
render_text("calculator", slots={"calculator": calculator})
end("calculator")
