"""The frame of every page: tab title, navigation, heading and the way on.

A page starts with `page = begin("its_key")`.
"""

from html import escape
from pathlib import Path

import streamlit as st

from lesson.outline import Page, load_outline
from ui.modules import served
from ui.palette import css_variables
from ui.progress.component import show_sidebar
from ui.share import page_path

NAME = "Tilewise"
FAVICON = Path(__file__).parent / "assets" / "favicon.svg"
_STYLES = ("page.css", "classroom/room.css")
PAGE_CSS = served(
    "page",
    f":root {{ {css_variables()} }}\n"
    + "\n".join((Path(__file__).parent / name).read_text(encoding="utf-8") for name in _STYLES),
    "css",
)
"""The file of the styles that hold in the page itself; `app.py` names it in the index page."""

ARRIVAL = served("arrival", (Path(__file__).parent / "arrival.js").read_text(encoding="utf-8"))
"""The file of the script that shows a page once it is whole; `app.py` names it in the index page."""

ICON = served("icon", FAVICON.read_text(encoding="utf-8"), "svg")
"""The file of the tab's picture; `app.py` names it in the index page, so that no run has to."""

# In an iframe on someone else's page (`?embed=true`) only the page's own content is shown.
_EMBEDDED_STYLE = """<style>
.stAppViewContainer .stMainBlockContainer { padding: 0.5rem 0.75rem; }
.stAppHeader { display: none; }
.embedded-title { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
</style>"""
__all__ = ["ARRIVAL", "FAVICON", "ICON", "NAME", "PAGE_CSS", "begin", "page_anchor"]


def begin(key: str, *, heading: bool = True, way: bool = True) -> Page:
    """Set the page up and draw its frame: one part, whose script draws what stands above and below the page.

    This is the first Streamlit call of a page.

    Parameters
    ----------
    key : str
        The page's key in `lesson/outline.toml`.
    heading : bool
        Draw the title (the page's one `h1`) and the summary. A page that passes False draws its own.
    way : bool
        Draw the links to the page before and the page after.

    Returns
    -------
    Page
        The page's entry in the outline.
    """
    page = load_outline().page(key)
    tab = NAME if key == "home" else f"{page.title} · {NAME}"
    st.set_page_config(
        page_title=tab,
        layout="wide",
        menu_items={"About": f"{NAME} teaches IO-aware attention and online softmax. Apache License 2.0."},
    )
    if st.context.is_embedded:
        st.html(f'{_EMBEDDED_STYLE}<h1 class="embedded-title">{page.title}</h1>')
        return page
    with st.sidebar:
        show_sidebar(key, heading=heading, way=way)
    return page


def page_anchor(page: Page, label: str, icon: str) -> str:
    """Return a link to a page as HTML. The sidebar's script follows it without loading the app anew.

    Parameters
    ----------
    page : Page
    label : str
        HTML.
    icon : str
        A Material symbol, `":material/name:"`.
    """
    sign = f'<span class="tw-icon" aria-hidden="true" translate="no">{icon.split("/")[-1].rstrip(":")}</span>'
    return f'<a class="tw-page" href="{escape(page_path(page))}">{sign}<span>{label}</span></a>'
