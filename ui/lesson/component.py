"""The lesson's component: the list of sections, and what each section ends in."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from lesson.frames import place
from lesson.plan import Section, load_sections
from lesson.quiz import make
from lesson.sliders import slider
from lesson.values import N
from lesson.words import load_words
from ui.content import READING_WIDTH
from ui.joiner import join_modules
from ui.lesson.column import lesson_column
from ui.lesson.size_routes import SIZE_ROUTE
from ui.modules import Left, component
from ui.palette import css_variables
from ui.share import base_path

FOLDER = Path(__file__).parent

ACT_JS = join_modules(FOLDER, "act.js")
CONTENTS_JS = join_modules(FOLDER, "contents.js")
LESSON_CSS = f":host {{\n{css_variables()}\n}}\n" + (FOLDER / "lesson.css").read_text(encoding="utf-8")

KEY, COLUMN = "lesson_part", "lesson"
"""The keys of the part, and of the container that holds the sections' texts and nothing else."""

_mount = component(
    "lesson", host="lesson-host", script=join_modules(FOLDER, "lesson_page.js"), css=LESSON_CSS
)

__all__ = ["COLUMN", "act_data", "contents_data", "lesson_data", "lesson_left", "show_lesson"]


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


def lesson_data() -> dict[str, Any]:
    """Return what the browser gets, as finite builtins."""
    column = lesson_column()
    acts = [
        {**act_data(section), "at": place}
        for section, place in zip(load_sections(), column.places, strict=True)
    ]
    return {"column": COLUMN, "stretches": len(column.stretches), "contents": contents_data(), "acts": acts}


@cache
def lesson_left() -> Left:
    """Return what the browser gets, to be fetched."""
    return Left("lesson", lesson_data())


# A fragment: the page around it, with its stage, is not run again when the sentences are asked for.
@st.fragment
def show_lesson() -> None:
    """Draw the list of sections, then their sentences once the browser has time for them.

    Each section ends in what it asks for, and links in the text drive the stage.
    """
    asked = st.session_state.get(KEY)
    opened = isinstance(asked, Mapping) and bool(asked.get("open"))
    _mount(key=KEY, data={**lesson_left().given(), "open": opened}, keeps="open")
    if opened:
        with st.container(key=COLUMN, width=READING_WIDTH):
            for stretch in lesson_column().stretches:
                (st.html if stretch.html else st.markdown)(stretch.text)
