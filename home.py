"""The page that opens first: the lesson itself, section by section."""

import streamlit as st

from lesson.frames import place
from lesson.inputs import DEFAULT_KEY, load
from lesson.outline import load_outline
from lesson.plan import Section, load_sections
from lesson.values import section_values
from ui.content import READING_WIDTH, render_text
from ui.frame import begin, end
from ui.lesson.component import show_act, show_contents
from ui.stage import show_stage


def draw_stage() -> None:
    """The stage on the default sentence, with the first block of scores on the chip."""
    given = load(DEFAULT_KEY)
    show_stage(
        given.q,
        given.k,
        given.v,
        key="home_stage",
        tokens=(given.tokens_q, given.tokens_k),
        step=place("score").step or 0,
        **given.options(),
    )


def draw_next() -> None:
    """Every other page with its summary."""
    for page in load_outline().pages:
        if page.key != "home":
            st.page_link(page.script, label=f"**{page.label}**: {page.summary}", icon=page.icon)


# What stands between the sentences of a section, where its text has a place for it.
SLOTS = {"onward": {"next": draw_next}}


def draw_section(section: Section) -> None:
    """One section: heading, text, and what it ends in."""
    if section.part:
        st.header(section.part, anchor=False)
    heading = st.subheader if section.part else st.header
    heading(section.title, anchor=section.key)
    name = f"lesson_{section.key}"
    render_text(
        name,
        slots=SLOTS.get(section.key),
        values=section_values(section.key, name),
        narrow=False,
    )
    show_act(section)


def draw_sections() -> None:
    """The whole lesson, in one narrow container: each container costs the browser time."""
    with st.container(width=READING_WIDTH):
        for section in load_sections():
            draw_section(section)


begin("home")
render_text(
    "home",
    slots={"stage": draw_stage, "contents": show_contents, "sections": draw_sections},
    values=section_values("home", "home"),
)
end("home")
