"""The frame as a Streamlit component: navigation with its ticks, progress, heading, way on."""

from functools import cache
from pathlib import Path
from typing import Any

from lesson.links import load_links
from lesson.outline import load_outline
from lesson.plan import load_sections
from lesson.quiz import bank
from lesson.words import load_words
from ui.joiner import join_modules
from ui.modules import Left, component
from ui.share import page_path

FOLDER = Path(__file__).parent

SIDEBAR_JS = join_modules(FOLDER, "sidebar.js")
SIDEBAR_CSS = "\n".join(
    (FOLDER / name).read_text(encoding="utf-8") for name in ("sidebar.css", "progress.css")
)

# The pages that count as labs: whoever has used one control there has tried it. The run of the lesson's size
# is a lab without a page of its own.
LAB_PAGES = ("online_softmax", "step_through", "calculator", "exactness", "evidence")
LABS = (*LAB_PAGES, "lesson_size")
_COUNTS = {"home": "sections", "quiz": "quiz", **dict.fromkeys(LAB_PAGES, "lab")}

# Not in a shadow root: there, tools would not find the first link after "Skip to main content".
_mount = component("sidebar", host="sidebar-host", script=SIDEBAR_JS, css=SIDEBAR_CSS, isolated=False)

__all__ = ["LABS", "LAB_PAGES", "show_sidebar", "sidebar_data", "sidebar_left"]


def sidebar_data() -> dict[str, Any]:
    """Return what the browser gets, the same on every page, as finite builtins."""
    words = load_words("lesson_words")
    return {
        "labs": list(LAB_PAGES),
        "pages": [
            {
                "key": each.key,
                "label": each.label,
                "title": each.title,
                "summary": each.summary,
                "icon": each.icon.split("/")[-1].rstrip(":"),
                "href": page_path(each),
            }
            for each in load_outline().pages
        ],
        "lesson": load_links()["lesson"].url,
        "frame": dict(words.table("frame")),
        "plan": {
            "pages": [
                {"key": each.key, "counts": _COUNTS.get(each.key, "nothing")} for each in load_outline().pages
            ],
            "sections": [section.key for section in load_sections()],
            "quiz": [entry.id for entry in bank()],
            "labs": list(LABS),
        },
        "words": dict(words.table("progress")),
    }


@cache
def sidebar_left() -> Left:
    """Return what the browser gets, to be fetched."""
    return Left("sidebar", sidebar_data())


def show_sidebar(page: str, *, heading: bool, way: bool) -> None:
    """Draw the sidebar, and what stands above and below the page.

    Parameters
    ----------
    page : str
        The page's key in the outline.
    heading : bool
        Draw its title and summary above it.
    way : bool
        Draw the links to the page before and the page after below it.
    """
    _mount(key="sidebar", data={**sidebar_left().given(), "page": page, "heading": heading, "way": way})
