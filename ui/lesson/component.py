"""The lesson's two components: the list of sections, and what a section ends in."""

from pathlib import Path
from typing import Any

import streamlit as st

from lesson.frames import place
from lesson.plan import Section, load_sections
from lesson.quiz import make
from lesson.sliders import slider
from lesson.values import N
from lesson.words import load_words
from ui.joiner import join_modules
from ui.lesson.size_routes import SIZE_ROUTE
from ui.modules import served
from ui.palette import css_variables
from ui.share import base_path

FOLDER = Path(__file__).parent

ACT_JS = join_modules(FOLDER, "act.js")
CONTENTS_JS = join_modules(FOLDER, "contents.js")
LESSON_CSS = f":host {{\n{css_variables()}\n}}\n" + (FOLDER / "lesson.css").read_text(encoding="utf-8")

_act = st.components.v2.component(
    "tilewise_act", html='<div class="act-host"></div>', css=LESSON_CSS, js=served("act", ACT_JS)
)
_contents = st.components.v2.component(
    "tilewise_contents",
    html='<div class="contents-host"></div>',
    css=LESSON_CSS,
    js=served("contents", CONTENTS_JS),
)

__all__ = ["act_data", "contents_data", "show_act", "show_contents"]


def _asked(section: Section) -> dict[str, Any] | None:
    """Return the section's own question, or the one that it takes from the quiz, with its key."""
    if section.predict is not None:
        options = [
            {"text": option.text, "right": option.right, "reason": option.reason}
            for option in section.predict.options
        ]
        return {"question": section.predict.question, "options": options, "quiz": None}
    if not section.question:
        return None
    question = make(section.question)
    return {
        "question": question.prompt,
        "options": [
            {
                "id": option.id,
                "text": option.text,
                "right": option.right,
                "reason": option.reason,
                "from": option.misconception,
            }
            for option in question.options
        ],
        "quiz": {"id": question.id, "seed": question.seed},
    }


def act_data(section: Section) -> dict[str, Any]:
    """Return what the browser gets of what a section ends in, as finite builtins."""
    words = load_words("lesson_words")
    places = [place(name) for name in section.places]
    return {
        "section": section.key,
        "title": section.title,
        "do": section.do,
        "words": dict(words.table("act")),
        "places": [
            {"name": each.name, "label": each.label, "href": each.href, "step": each.step} for each in places
        ],
        "predict": _asked(section),
        "slider": slider(section.slider) if section.slider else None,
        "run": {
            "url": f"{base_path()}/{SIZE_ROUTE}",
            "pairs": f"{N * N:,}",
            "words": dict(words.table("run")),
        }
        if section.run
        else None,
    }


def contents_data() -> dict[str, Any]:
    """Return what the browser gets of the list of sections."""
    return {
        "words": dict(load_words("lesson_words").table("contents")),
        "sections": [
            {"key": section.key, "title": section.title, "added": not section.mirrors}
            for section in load_sections()
        ],
    }


def show_act(section: Section) -> None:
    """Draw what a section ends in."""
    _act(key=f"act_{section.key}", data=act_data(section))


def show_contents() -> None:
    """Draw the list of sections. Links in the text drive the stage from here on."""
    _contents(key="lesson_contents", data=contents_data())
