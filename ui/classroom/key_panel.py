"""A new room's key as a component that hides it: the lecturer's page is on the wall."""

from pathlib import Path

from lesson.words import load_words
from ui.joiner import join_modules
from ui.modules import component
from ui.palette import css_variables

__all__ = ["show_key"]

FOLDER = Path(__file__).parent
_mount = component(
    "room_new_key",
    host="key-host",
    script=join_modules(FOLDER, "key_panel.js"),
    css=f":host {{\n{css_variables()}\n}}\n" + (FOLDER / "key_panel.css").read_text(encoding="utf-8"),
)


def show_key(key: str, *, file: str, text: str) -> None:
    """Draw a key that can be copied, saved, and shown on purpose.

    Parameters
    ----------
    key : str
        The lecturer's key.
    file : str
        The name of the file that it can be saved as.
    text : str
        What stands in that file.
    """
    words = load_words("classroom").table("page")
    told = {name: value for name, value in words.items() if name.startswith("key_")}
    _mount(key="room_new_key_panel", data={"key": key, "file": file, "text": text, "words": told})
