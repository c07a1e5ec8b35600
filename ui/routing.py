"""Which page a run draws: `home.py` starts every run, and runs the page that the address asks for."""

import logging
from collections.abc import Callable
from copy import copy
from pathlib import Path

import streamlit as st

from lesson.outline import load_outline

ROOT = Path(__file__).parents[1]

# Made once: for a page of its own Streamlit asks the disk where its file lies.
_scripts: dict[str, st.Page] = {}

__all__ = ["HOME", "name_pages", "run_asked", "script_pages"]

HOME = "home.py"
"""The script that starts every run."""


def script_pages() -> list[st.Page]:
    """Return all pages but the first, for one run; called in that run, since elsewhere it is half made."""
    for page in load_outline().pages:
        if page.script != HOME and page.script not in _scripts:
            _scripts[page.script] = st.Page(ROOT / page.script)
    # Copies, since each holds whether this run has drawn it, and other visitors' runs are under way.
    return [copy(page) for page in _scripts.values()]


def name_pages() -> None:
    """Say, before anybody comes, that the pages are named here: Streamlit would look for them at each run."""
    # It warns that there is no run.
    log = logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context")
    log.disabled = True
    st.navigation([HOME], position="hidden")
    log.disabled = False


def run_asked(home: Callable[[], None]) -> None:
    """Draw the page that the address asks for.

    Parameters
    ----------
    home : callable
        Draws the page that opens first.
    """
    st.navigation([st.Page(home, default=True), *script_pages()], position="hidden").run()
