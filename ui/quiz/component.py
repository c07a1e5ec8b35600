"""The practice quiz as a Streamlit component: mount it with `show_quiz`."""

from functools import lru_cache
from pathlib import Path
from typing import Any

from ui.joiner import join_modules
from ui.modules import Left, component
from ui.palette import css_variables
from ui.quiz.payload import quiz_payload
from ui.quiz.view import VIEW_CSS

FOLDER = Path(__file__).parent

QUIZ_JS = join_modules(FOLDER, "quiz_player.js")
QUIZ_CSS = f":host {{\n{css_variables()}\n}}\n{VIEW_CSS}\n" + (FOLDER / "quiz_player.css").read_text(
    encoding="utf-8"
)

_mount = component("quiz", host="quiz-host", script=QUIZ_JS, css=QUIZ_CSS)


@lru_cache(maxsize=32)
def _left(seed: int) -> Left:
    return Left("questions", quiz_payload(seed))


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
        What the browser shows.

    Raises
    ------
    ValueError
        If the seed is impossible.
    """
    _mount(key=key, data=_left(seed).given())
    return quiz_payload(seed)
