"""The stage of the first page, and what a browser that opens this page will fetch."""

from functools import cache
from typing import Any

from lesson.frames import place
from lesson.inputs import DEFAULT_KEY, load
from ui.lesson.component import lesson_left
from ui.modules import Left
from ui.progress.component import sidebar_left
from ui.stage import run_left, show_stage

__all__ = ["first_data", "show_first_stage"]


def _run() -> dict[str, Any]:
    """The default sentence, as the stage takes it."""
    given = load(DEFAULT_KEY)
    tokens = (given.tokens_q, given.tokens_k)
    return {"q": given.q, "k": given.k, "v": given.v, "tokens": tokens, **given.options()}


def show_first_stage() -> None:
    """The stage on the default sentence, with the first block of scores on the chip."""
    show_stage(**_run(), key="home_stage", step=place("score").step or 0)


@cache
def first_data() -> tuple[Left, ...]:
    """Return the data of the first page's parts."""
    return sidebar_left(), lesson_left(), run_left(**_run())
