"""Lets the browser keep a lecturer's key in a cookie that no script can read, or forget it."""

from pathlib import Path

from ui.joiner import join_modules
from ui.modules import component

__all__ = ["drop_key", "keep_key"]

_mount = component("keeper", host="keeper-host", script=join_modules(Path(__file__).parent, "keeper.js"))


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
