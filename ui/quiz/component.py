"""The practice quiz as a Streamlit component: mount it with `show_quiz`."""

from pathlib import Path
from typing import Any

import streamlit as st

from ui.joiner import join_modules
from ui.modules import served
from ui.palette import css_variables
from ui.quiz.payload import quiz_payload
from ui.quiz.view import VIEW_CSS

FOLDER = Path(__file__).parent

QUIZ_JS = join_modules(FOLDER, "quiz_player.js")
QUIZ_CSS = f":host {{\n{css_variables()}\n}}\n{VIEW_CSS}\n" + (FOLDER / "quiz_player.css").read_text(
    encoding="utf-8"
)

_mount = st.components.v2.component(
    "tilewise_quiz", html='<div class="quiz-host"></div>', css=QUIZ_CSS, js=served("quiz", QUIZ_JS)
)


def show_quiz(*, seed: int, key: str) -> dict[str, Any]:
    """Draw the whole quiz. Answering, trying again and moving on happen in the browser alone.

    Parameters
    ----------
    seed : int
        The first set of numbers of every question.
    key : str
        The component's key on the page.

    Returns
    -------
    dict
        What was sent to the browser.

    Raises
    ------
    ValueError
        If the seed is impossible.
    """
    payload = quiz_payload(seed)
    _mount(key=key, data=payload)
    return payload
