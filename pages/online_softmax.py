"""Online softmax alone: one row of scores, three ways, step by step."""

from typing import Any

import streamlit as st

from lesson.softmax_row import MAX_NUMBERS, MAX_SIZE, RowError, parse_row, row_text
from lesson.softmax_text import Preset, load_row_text
from ui.address import report_unknown_choice, report_unknown_names
from ui.content import READING_WIDTH, render_text
from ui.frame import begin, end
from ui.softmax import show_row

WORDS, PRESETS = load_row_text()
TEXT = WORDS["page"]
ROW_KEY, METHOD, STEP = "row_x", "row_method", "row_step"


def take_preset(preset: Preset) -> None:
    """Put a preset's numbers into the field."""
    st.session_state[ROW_KEY] = row_text(preset.row)


def read_row() -> tuple[float, ...]:
    """Draw the field and the presets, and return the row; the first preset, with a message, if refused."""
    report_unknown_names("row_", {ROW_KEY, METHOD, STEP})
    report_unknown_choice(METHOD, WORDS["code"], "online")
    typed = st.text_input(
        TEXT["row"],
        row_text(PRESETS[0].row),
        key=ROW_KEY,
        bind="query-params",
        help=TEXT["row_help"].format(count=MAX_NUMBERS, size=f"{MAX_SIZE:,.0f}"),
        max_chars=400,
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f":small[{TEXT['presets']}]", width="content")
        for preset in PRESETS:
            st.button(preset.label, key=f"row_take_{preset.key}", on_click=take_preset, args=(preset,))
    try:
        return parse_row(typed)
    except RowError as error:
        st.error(TEXT["refused"].format(reason=error, label=PRESETS[0].label), icon=":material/error:")
        return PRESETS[0].row


def report_wrong_step(payload: dict[str, Any]) -> None:
    """Say when the address names a step that the way shown does not have."""
    asked, method = st.query_params.get(STEP), st.query_params.get(METHOD, "online")
    method = method if method in payload["methods"] else "online"
    last = len(payload["methods"][method]["frames"]) - 1
    whole = asked is not None and asked.isascii() and asked.isdigit()
    if asked is None or (whole and int(asked) <= last):
        return
    st.warning(
        TEXT["wrong_step"].format(
            value=asked[:60], method=WORDS["methods"][method], last=last, used=last if whole else 0
        ),
        icon=":material/link_off:",
    )


def draw_sources() -> None:
    """Where the counts and the joining come from."""
    with st.container(width=READING_WIDTH):
        st.markdown(f":small[{TEXT['sources']}]")


begin("online_softmax")
row: list[float] = []
render_text(
    "softmax",
    slots={
        "row": lambda: row.extend(read_row()),
        "player": lambda: report_wrong_step(show_row(row, key="row_player")),
        "sources": draw_sources,
    },
)
end("online_softmax")
