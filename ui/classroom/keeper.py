"""Lets the browser keep a lecturer's key in a cookie that no script can read, or forget it."""

from pathlib import Path

import streamlit as st

from ui.joiner import join_modules

__all__ = ["drop_key", "keep_key"]

_mount = st.components.v2.component(
    "tilewise_room_key", html="<span></span>", js=join_modules(Path(__file__).parent, "keeper.js")
)


def keep_key(url: str, key: str) -> None:
    """Have the room's own route set the cookie.

    Parameters
    ----------
    url : str
        The route, relative to this server.
    key : str
        The lecturer's key.
    """
    _mount(key="room_key_keeper", data={"url": url, "key": key})


def drop_key(url: str) -> None:
    """Have the room's own route take the cookie away."""
    _mount(key="room_key_keeper", data={"url": url, "key": ""})
