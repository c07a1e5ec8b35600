"""Has the part of a page that it stands in run again and again, while the page is seen."""

from pathlib import Path

from ui.joiner import join_modules
from ui.modules import component

__all__ = ["show_beat"]

_mount = component("beat", host="beat-host", script=join_modules(Path(__file__).parent, "beat.js"))


def show_beat(every_s: float, show: str = "") -> None:
    """Have the fragment around it run again. It draws nothing.

    Parameters
    ----------
    every_s : float
        Seconds from one run to the next.
    show : str
        A new text has the browser go to the list of questions.
    """
    _mount(key="room_beat", data={"every": round(1000 * every_s), "show": show}, keeps="beat")
