"""Count the bytes: storage, traffic, tile fit, roofline, presets, and the paper's own tables."""

import streamlit as st

from lesson.text import load_text
from ui.calculator.controls import PART, check_address, draw_controls, held_controls
from ui.calculator.parts import composed, controls_of
from ui.calculator.words import words
from ui.content import READING_WIDTH, render_text
from ui.frame import begin


# A fragment: a changed number redraws the part alone, not the page around it.
@st.fragment
def calculator() -> None:
    """Draw the choice of parts, and the chosen one with its controls."""
    held = held_controls()
    part = held[PART]
    sheet, refused = composed(tuple(held.items()))
    draw_controls(part, controls_of(part), held, refused)
    if sheet is None:
        for message in refused.values():
            st.error(message, icon=":material/error:")
        st.info(words()["page"]["correct_first"], icon=":material/info:")
        return
    sheet.show("calc_sheet")
    # One element: every element costs a run time.
    st.markdown("\n".join(map(str, load_text(f"calculator_{part.lower()}").parts)), width=READING_WIDTH)


begin("calculator")
check_address()
render_text("calculator", slots={"calculator": calculator})
