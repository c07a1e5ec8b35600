"""Files of a whole run: each is made only when asked for, and taking one leaves the stage as it is."""

import tomllib
from collections.abc import Callable
from pathlib import Path

import streamlit as st

from engine import Trace, trace_to_json, trace_to_npz
from lesson.share_text import load_share_text
from ui.stage.payload import Payload
from ui.stage.standalone import standalone_html

VERSION: str = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]["version"]


def draw_downloads(record: Callable[[], Trace], payload: Payload, *, title: str, name: str) -> None:
    """Draw the section; its buttons come when it is opened.

    Parameters
    ----------
    record : callable
        Records the run on the stage; called when a trace is asked for.
    payload : dict
        What the stage plays.
    title, name : str
        The run in a few words, and in the names of files.
    """
    words = load_share_text()["files"]
    kinds: dict[str, tuple[str, str, Callable[[], str | bytes]]] = {
        "html": (
            "text/html",
            "html",
            lambda: standalone_html(payload, title=title, name=name, version=VERSION),
        ),
        "json": ("application/json", "json", lambda: trace_to_json(record())),
        "npz": ("application/zip", "npz", lambda: trace_to_npz(record())),
    }
    box = st.expander(words["heading"], icon=":material/download:", key="files", on_change="rerun")
    if not box.open:
        return
    with box, st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(words["intro"], width="content")
        for kind, (mime, ending, make) in kinds.items():
            st.download_button(
                words[kind],
                make,
                file_name=f"tilewise-{name}.{ending}",
                mime=mime,
                key=f"files_{kind}",
                help=words[f"{kind}_help"],
                on_click="ignore",
                icon=":material/download:",
            )
