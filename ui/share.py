"""What the stage needs to know of its page, so that the browser alone makes links and file names."""

from pathlib import PurePath
from typing import Any

import streamlit as st

from lesson.outline import Page

QR_ROUTE = "qr.svg"
"""The route, beside the pages, that draws a link as a QR code."""


def base_path() -> str:
    """Return the path that the app is served under: "" or "/name". Own routes are not prefixed for us."""
    path = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{path}" if path else ""


def page_path(page: Page) -> str:
    """Return a page's address on this server, without its host."""
    return f"{base_path()}/{'' if page.key == 'home' else PurePath(page.script).stem}"


def share_of(
    page: str, *, query: dict[str, str], title: str, name: str, own_file: bool = False
) -> dict[str, Any]:
    """Return the `share` argument of `show_stage`.

    Parameters
    ----------
    page : str
        The page's name in the address.
    query : dict of str to str
        Every setting of the run that differs from its default, by its short name.
    title : str
        The run in a few words; stands in pictures.
    name : str
        Goes into the names of files.
    own_file : bool
        Whether the input is a file of the reader's own, which a link cannot carry.
    """
    return {
        "path": f"{base_path()}/{page}",
        "query": query,
        "title": title,
        "name": name,
        "qr": f"{base_path()}/{QR_ROUTE}",
        "own_file": own_file,
    }
