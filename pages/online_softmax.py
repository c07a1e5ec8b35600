"""Online softmax alone: one row of scores, three ways, step by step."""

from typing import Any

import streamlit as st

from lesson.softmax_row import MAX_NUMBERS, MAX_SIZE, RowError, parse_row, row_text
from lesson.softmax_text import load_row_text
from ui.address import opened_with, report_unknown_choice, report_unknown_names
from ui.content import READING_WIDTH, render_text
from ui.frame import begin
from ui.softmax import ROW_NAME, show_row, typed_row

WORDS, PRESETS = load_row_text()
TEXT = WORDS["page"]
KEY, METHOD, STEP = "row_player", "row_method", "row_step"
TEXTS = [row_text(preset.row) for preset in PRESETS]


# A fragment: another row leaves the page around the player alone.
@st.fragment
def draw_player() -> None:
    """Draw the row's field and its player; the first preset, with a message, if the row is refused."""
    typed, refused = typed_row(KEY, TEXTS[0]), None
    try:
        row = parse_row(typed)
    except RowError as error:
        row, refused = PRESETS[0].row, TEXT["refused"].format(reason=error, label=PRESETS[0].label)
    entry = {
        "typed": typed,
        "refused": refused,
        "usual": TEXTS[0],
        "presets": [
            {"label": preset.label, "text": text} for preset, text in zip(PRESETS, TEXTS, strict=True)
        ],
        "words": {
            "row": TEXT["row"],
            "help": TEXT["row_help"].format(count=MAX_NUMBERS, size=f"{MAX_SIZE:,.0f}"),
            "presets": TEXT["presets"],
            "choose": TEXT["own_row"],
        },
    }
    report_wrong_step(show_row(row, key=KEY, entry=entry))


def report_wrong_step(payload: dict[str, Any]) -> None:
    """Say when the address names a step that the way shown does not have."""
    asked, method = opened_with(STEP), st.query_params.get(METHOD, "online")
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
    st.markdown(f":small[{TEXT['sources']}]", width=READING_WIDTH)


begin("online_softmax")
report_unknown_names("row_", {ROW_NAME, METHOD, STEP})
report_unknown_choice(METHOD, WORDS["code"], "online")
render_text("softmax", slots={"player": draw_player, "sources": draw_sources})
