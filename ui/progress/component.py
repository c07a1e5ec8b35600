"""The progress panel as a Streamlit component: mounted by the frame of every page."""

from pathlib import Path
from typing import Any

import streamlit as st

from lesson.outline import load_outline
from lesson.plan import load_sections
from lesson.words import load_words
from ui.joiner import join_modules
from ui.modules import served
from ui.palette import css_variables

FOLDER = Path(__file__).parent

PANEL_JS = join_modules(FOLDER, "progress_panel.js")
PANEL_CSS = f":host {{\n{css_variables()}\n}}\n" + (FOLDER / "progress.css").read_text(encoding="utf-8")

# The pages that count as labs: whoever has used one control there has tried it. The run of the lesson's size
# is a lab without a page of its own.
LAB_PAGES = ("online_softmax", "step_through", "calculator", "exactness", "evidence")
LABS = (*LAB_PAGES, "lesson_size")
_COUNTS = {"home": "sections", "quiz": "quiz", **dict.fromkeys(LAB_PAGES, "lab")}

_mount = st.components.v2.component(
    "tilewise_progress",
    html='<div class="progress-host"></div>',
    css=PANEL_CSS,
    js=served("progress", PANEL_JS),
)

__all__ = ["LABS", "LAB_PAGES", "panel_data", "show_progress"]


def panel_data(page: str) -> dict[str, Any]:
    """Return what the browser gets on a page, as finite builtins."""
    return {
        "lab": page if page in LAB_PAGES else None,
        "plan": {
            "pages": [
                {"key": each.key, "counts": _COUNTS.get(each.key, "nothing")} for each in load_outline().pages
            ],
            "sections": [section.key for section in load_sections()],
            "labs": list(LABS),
        },
        "words": dict(load_words("lesson_words").table("progress")),
    }


def show_progress(page: str) -> None:
    """Draw the panel, with the ticks that it puts into the navigation.

    Parameters
    ----------
    page : str
        The page's key in the outline.
    """
    _mount(key="progress_panel", data=panel_data(page))
