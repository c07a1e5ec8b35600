"""Draw the lesson's prose, with the page's own parts in its slots."""

from collections.abc import Callable

import streamlit as st

from lesson.text import load_text

READING_WIDTH = 760
"""Pixels: about 90 characters a line, beyond which lines are hard to follow."""


def render_text(
    name: str,
    *,
    slots: dict[str, Callable[[], None]] | None = None,
    values: dict[str, str] | None = None,
) -> None:
    """Draw `content/<language>/<name>.md`.

    Parameters
    ----------
    name : str
        The file's name without its ending.
    slots : dict of str to callable
        What draws each slot. A slot uses the page's whole width; prose keeps to `READING_WIDTH`.
    values : dict of str to str
        The values for the sentences.

    Raises
    ------
    ValueError
        If slots or values are not exactly those that the text has.
    """
    slots = slots or {}
    text = load_text(name).filled(values or {})
    if text.slots != set(slots):
        raise ValueError(f"{name}.md has the slots {sorted(text.slots)} but the page gives {sorted(slots)}")
    for part in text.parts:
        if isinstance(part, str):
            st.markdown(part, width=READING_WIDTH)
        else:
            slots[part.name]()
