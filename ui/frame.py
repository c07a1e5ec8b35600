"""The frame of every page: tab title, navigation, heading and the way on.

A page starts with `page = begin("its_key")` and closes with `end("its_key")`.
"""

from pathlib import Path

import streamlit as st

from lesson.outline import Page, load_outline
from ui.palette import SURFACES
from ui.progress.component import show_progress

NAME = "Tilewise"
FAVICON = Path(__file__).parent / "assets" / "favicon.svg"
# Streamlit leaves six rems of air above every page; a projected stage needs the height.
# Its filled buttons have white words in both themes, too faint on the dark theme's accent; and its row of
# choices hides the last ones on a phone.
_STYLE = f"""<style>
[data-testid="stBaseButton-primary"] {{
  color: light-dark({SURFACES["light"].page}, {SURFACES["dark"].page}) !important;
}}
[data-testid="stButtonGroup"] [role="radiogroup"] {{ flex-wrap: wrap; }}
.stMainBlockContainer {{ padding: 3.25rem 3rem 4rem; }}
@media (max-width: 640px) {{ .stMainBlockContainer {{ padding: 3.25rem 1rem 3rem; }} }}
.st-key-nav {{ gap: 0.25rem; }}
@media print {{
  .stSidebar, .stAppHeader, .stToolbar, [data-testid="stPageLink"] {{ display: none; }}
  .stMainBlockContainer {{ padding: 0; }}
  h1, h2, h3 {{ break-after: avoid; }}
  .stMarkdown table, .katex-display {{ break-inside: avoid; }}
}}
</style>"""
# In an iframe on someone else's page (`?embed=true`) only the page's own content is shown.
_EMBEDDED_STYLE = """<style>
.stMainBlockContainer { padding: 0.5rem 0.75rem; }
.stAppHeader, .st-key-run_bar { display: none; }
.embedded-title { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
</style>"""
LESSON_URL = "https://semiaifoundry.com/learn/atlas/attention-io-tiling/"


def begin(key: str, *, heading: bool = True) -> Page:
    """Set the page up and draw the navigation and the heading.

    This is the first Streamlit call of a page.

    Parameters
    ----------
    key : str
        The page's key in `lesson/outline.toml`.
    heading : bool
        Draw the title (the page's one `h1`) and the summary. A page that passes False draws its own.

    Returns
    -------
    Page
        The page's entry in the outline.
    """
    page = load_outline().page(key)
    tab = NAME if key == "home" else f"{page.title} · {NAME}"
    st.set_page_config(
        page_title=tab,
        page_icon=str(FAVICON),
        layout="wide",
        menu_items={"About": f"{NAME} teaches IO-aware attention and online softmax. Apache License 2.0."},
    )
    if st.context.is_embedded:
        st.html(f'{_EMBEDDED_STYLE}<h1 class="embedded-title">{page.title}</h1>')
        return page
    st.html(_STYLE)
    with st.sidebar:
        st.markdown(f"**{NAME}**  \nIO-aware attention, tile by tile")
        with st.container(key="nav"):
            for entry in load_outline().pages:
                st.page_link(entry.script, label=entry.label, icon=entry.icon, width="stretch")
        show_progress(key)
        st.markdown(f":small[Mirrors a [published lesson]({LESSON_URL}). An independent rendering.]")
    if heading:
        st.title(page.title, anchor=False)
        st.markdown(page.summary)
    return page


def end(key: str) -> None:
    """Draw the links to the page before and the page after."""
    if st.context.is_embedded:
        return
    before, after = load_outline().neighbours(key)
    st.divider()
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        if before is not None:
            st.page_link(before.script, label=f"Back: {before.label}", icon=":material/arrow_back:")
        if after is not None:
            st.page_link(
                after.script,
                label=f"Next: {after.label}",
                icon=":material/arrow_forward:",
                icon_position="right",
            )
