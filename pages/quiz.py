"""The comprehension check: commit to an answer, then read the reasons; the same questions on paper."""

import streamlit as st

from lesson.quiz import MOST_SEED
from lesson.quiz.worksheet import MOST_SHEETS, worksheet_html, worksheet_key_html
from lesson.words import load_words
from ui.address import report_unknown_names
from ui.content import render_text
from ui.frame import begin
from ui.quiz import show_quiz

WORDS = load_words("quiz_player").table("page")
TOPICS = load_words("quiz_player").table("topics")
CODE, PLACE, ALL, OPENED = "quiz_seed", "quiz_q", "all", "quiz_paper"


def chosen_seed() -> tuple[int, str]:
    """Return the code that the field below the quiz holds, or 0 and what to say if it is none."""
    typed = str(st.session_state.get(CODE, st.query_params.get(CODE, "0"))).strip() or "0"
    if typed.isascii() and typed.isdigit() and len(typed) <= 10 and int(typed) <= MOST_SEED:
        return int(typed), ""
    return 0, WORDS["code_refused"].format(value=typed[:40], most=f"{MOST_SEED:,}")


def draw_sheet() -> None:
    """The code, and the files of a worksheet; no sheet of another code than the one that was typed."""
    st.text_input(
        WORDS["sheet_code"],
        "0",
        key=CODE,
        bind="query-params",
        help=WORDS["sheet_code_help"],
        max_chars=10,
        width=170,
    )
    if REFUSED:
        st.warning(REFUSED, icon=":material/error:")
    else:
        draw_files(SEED)


# Filled when it is opened: nearly nobody who answers questions prints them.
def draw_files(seed: int) -> None:
    """How many sheets and which topics; the files are made when they are asked for."""
    box = st.expander(WORDS["sheet_open"], icon=":material/print:", key=OPENED, on_change="rerun")
    if not box.open:
        return
    with box:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            sheets = st.number_input(
                WORDS["sheet_copies"],
                1,
                MOST_SHEETS,
                key="quiz_sheets",
                help=WORDS["sheet_copies_help"],
                width=150,
            )
            topic = st.selectbox(
                WORDS["sheet_topics"],
                (ALL, *TOPICS),
                format_func=lambda name: TOPICS.get(name, WORDS["sheet_all"]),
                key="quiz_topic",
                width=230,
            )
        topics = None if topic in (None, ALL) else (topic,)
        files = (("sheet_file", "worksheet", worksheet_html), ("key_file", "key", worksheet_key_html))
        with st.container(horizontal=True):
            for label, name, make in files:
                st.download_button(
                    WORDS[label],
                    lambda make=make: make(seed, int(sheets), topics),
                    file_name=f"tilewise-{name}-{seed}.html",
                    mime="text/html",
                    key=f"quiz_{name}",
                    on_click="ignore",
                    icon=":material/print:" if name == "worksheet" else ":material/key:",
                )


begin("quiz")
report_unknown_names("quiz_", {CODE, PLACE})
SEED, REFUSED = chosen_seed()
render_text("quiz", slots={"questions": lambda: show_quiz(seed=SEED, key="quiz_player"), "sheet": draw_sheet})
