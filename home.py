"""The page that opens first: the lesson itself."""

import streamlit as st

from engine import score_matrix_bytes
from engine.units import binary_bytes, exact_bytes
from lesson.inputs import DEFAULT_KEY, load
from lesson.outline import load_outline
from ui.content import READING_WIDTH, render_text
from ui.frame import LESSON_URL, begin, end
from ui.stage import show_stage

# The lesson's own example.
QUERIES, KEYS, BYTES_PER_SCORE = 4096, 4096, 2


def draw_stage() -> None:
    """The stage on the default sentence."""
    given = load(DEFAULT_KEY)
    show_stage(
        given.q,
        given.k,
        given.v,
        key="home_stage",
        tokens=(given.tokens_q, given.tokens_k),
        **given.options(),
    )


def draw_next() -> None:
    """Where to go from here: every other page with its summary."""
    st.header("Where to go next", anchor=False)
    others = [page for page in load_outline().pages if page.key != "home"]
    for column, page in zip(st.columns(len(others)), others, strict=True):
        with column.container(border=True, height="stretch"):
            st.page_link(page.script, label=f"**{page.label}**", icon=page.icon)
            st.markdown(page.summary)


def draw_sources() -> None:
    """What this page mirrors and where the method comes from."""
    with st.container(width=READING_WIDTH):
        st.markdown(
            "Source of the method: [FlashAttention: Fast and Memory-Efficient Exact Attention with "
            "IO-Awareness](https://arxiv.org/abs/2205.14135)."
        )


begin("home")
st.markdown(
    f":small[Follows version 1.3.0 (7 October 2026) of the [published lesson]({LESSON_URL}). "
    "An independent rendering, in its own words.]"
)
size = score_matrix_bytes(QUERIES, KEYS, BYTES_PER_SCORE)
render_text(
    "home",
    slots={"stage": draw_stage, "next": draw_next, "sources": draw_sources},
    values={
        "n_q": f"{QUERIES:,}",
        "n_k": f"{KEYS:,}",
        "pairs": f"{QUERIES * KEYS:,}",
        "bytes_per_score": str(BYTES_PER_SCORE),
        "score_bytes": f"{exact_bytes(size)}, or {binary_bytes(size)}",
    },
)
end("home")
