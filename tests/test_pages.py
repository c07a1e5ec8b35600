"""Every page, run by Streamlit's own test runner: from the home page, as a visitor comes."""

import math
import re
from html import unescape

import pytest
from streamlit.testing.v1 import AppTest

from engine import score_matrix_bytes
from engine.units import binary_bytes, decimal_bytes, exact_bytes
from lesson.outline import Page, load_outline
from tests import calculator_page
from tests.calculator_page import result
from tests.conftest import ROOT
from tests.parts import enter, part_data, parts_of, send

PAGES = load_outline().pages


def visit(script: str, **address: str) -> AppTest:
    """Return a page as it is after a visitor came to it, with the given parameters in its address."""
    at = AppTest.from_file(str(ROOT / "home.py"), default_timeout=60)
    if script != "home.py":
        at.switch_page(script)
    for name, value in address.items():
        at.query_params[name] = value
    at.run()
    assert not at.exception
    return at


def words(at: AppTest) -> str:
    """Return everything that the page says in Markdown."""
    return "\n".join(element.value for element in at.markdown)


def said(at: AppTest) -> str:
    """Return the calculator's words with single spaces."""
    return re.sub(r"\s+", " ", calculator_page.text(at))


def headings(at: AppTest) -> list[str]:
    """Return the page's main headings, drawn by the frame or by the page itself."""
    frame = part_data(at, "sidebar")
    own = [each["title"] for each in frame["pages"] if each["key"] == frame["page"] and frame["heading"]]
    own += re.findall(r"<h1[^>]*>(.*?)</h1>", "\n".join(element.proto.body for element in at.get("html")))
    bars = [part_data(at, "run_bar")["title"]] if parts_of(at, "run_bar") else []
    return [title.value for title in at.title] + own + bars


def links(html: str) -> list[tuple[str, str]]:
    """Return where each link of a piece of HTML leads, and its words without icons."""
    found = re.findall(r'<a [^>]*href="([^"]*)"[^>]*>(.*?)</a>', html)
    plain = [(href, re.sub(r'<span class="tw-icon".*?</span>', "", inner)) for href, inner in found]
    return [(href, unescape(re.sub(r"<[^>]+>", "", inner))) for href, inner in plain]


TWO_RUNS = """
import streamlit as st
from ui.routing import script_pages

one, other = script_pages(), script_pages()
st.text(" ".join(page.url_path for page in one))
st.text(len({id(page) for page in one + other}))
"""


def test_two_runs_share_no_page() -> None:
    """A page holds whether its run has drawn it: shared, one visitor's run would end another one's."""
    at = AppTest.from_string(TWO_RUNS).run()
    assert not at.exception
    paths, objects = (element.value for element in at.text)
    assert paths.split() == [page.key for page in PAGES if page.key != "home"]
    assert int(objects) == 2 * len(paths.split())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.key)
def test_every_page_has_its_frame(page: Page) -> None:
    """One title, and the whole navigation in order: what its script needs to draw them, and the way on."""
    at = visit(page.script)
    assert headings(at) == [page.title]
    sidebar = part_data(at, "sidebar")
    assert (sidebar["page"], sidebar["way"]) == (page.key, True)
    shown = [(each["label"], each["href"], each["title"]) for each in sidebar["pages"]]
    paths = ["/" if each.key == "home" else f"/{each.key}" for each in PAGES]
    assert shown == [(each.label, path, each.title) for each, path in zip(PAGES, paths, strict=True)]


def test_home_says_the_lessons_example() -> None:
    """The numbers are computed; the lesson's own are 33,554,432 bytes and 32 MiB."""
    text = words(send(visit("home.py"), "lesson", open=True))
    assert "16,777,216 scores" in text
    assert "33,554,432 bytes, or 32 MiB" in text
    assert "{{" not in text
    assert "1.3.0" in text


def test_home_leads_everywhere() -> None:
    """Each other page is offered with its summary."""
    at = send(visit("home.py"), "lesson", open=True)
    (listed,) = [each.proto.body for each in at.get("html") if "tw-pages" in each.proto.body]
    assert links(listed) == [(f"/{page.key}", f"{page.label}: {page.summary}") for page in PAGES[1:]]


def test_calculator_opens_with_the_lessons_example() -> None:
    """4,096 × 4,096 × 2 bytes."""
    at = visit("pages/calculator.py")
    assert result(at) == "32 MiB"
    assert "4,096 queries × 4,096 keys × 2 bytes = 33,554,432 bytes" in said(at)
    assert "That is 33.55 MB" in said(at)
    assert not at.error


@pytest.mark.parametrize(
    ("n_q", "n_k", "name", "bytes_per_score", "heads", "batch"),
    [
        (1, 1, "float64", 8, 1, 1),
        (1024, 1024, "float16", 2, 16, 64),
        (1, 131_072, "bfloat16", 2, 1, 1),
        (7, 13, "float32", 4, 3, 1),
        (10**9, 10**9, "float8", 1, 10_000, 10_000),
    ],
)
def test_calculator_shows_what_the_engine_says(
    n_q: int, n_k: int, name: str, bytes_per_score: int, heads: int, batch: int
) -> None:
    """Typed in the page, for sizes from one score to the limits."""
    at = visit("pages/calculator.py")
    enter(at, n_q=f"{n_q:,}", n_k=str(n_k), format=name, heads=str(heads), batch=str(batch))
    assert not at.exception
    assert not at.error
    size = score_matrix_bytes(n_q, n_k, bytes_per_score, heads=heads, batch=batch)
    assert size == math.prod((n_q, n_k, bytes_per_score, heads, batch))
    assert result(at) == binary_bytes(size)
    assert f"= {exact_bytes(size)}" in said(at)
    assert f"That is {decimal_bytes(size)}" in said(at)
    assert (f"× {heads:,} heads" in said(at)) == (heads > 1)
    assert (f"× {batch:,} requests" in said(at)) == (batch > 1)


def test_all_heads_of_all_requests_take_a_thousand_times_one() -> None:
    """2 MiB for one head of one request, 2 GiB for 16 heads of 64: forgetting them is a common mistake."""
    address = {"calc_n_q": "1024", "calc_n_k": "1024"}
    assert result(visit("pages/calculator.py", **address)) == "2 MiB"
    at = visit("pages/calculator.py", **address, calc_heads="16", calc_batch="64")
    assert result(at) == "2 GiB"


@pytest.mark.parametrize(
    ("typed", "value", "limit"),
    [
        ("0", "0", "1"),
        ("-4", "-4", "1"),
        ("10^30", "10^30", "1,000,000,000"),
        ("1" + "0" * 30, "1" + "0" * 30, "1,000,000,000"),
        ("many", "many", "1,000,000,000"),
        ("", "is empty", "1,000,000,000"),
    ],
)
def test_impossible_input_is_named_and_the_page_goes_on(typed: str, value: str, limit: str) -> None:
    """Typed or in the address: one message with value and limit, and a good value mends it."""
    at = visit("pages/calculator.py")
    enter(at, n_k=typed)
    linked = visit("pages/calculator.py", calc_n_k=typed)
    for page in (at, linked) if typed else (at,):
        assert not page.exception
        assert len(page.error) == 1
        assert value in page.error[0].value
        assert limit in page.error[0].value
        assert "twc-result" not in calculator_page.html(page)
    enter(at, n_k="8")
    assert not at.error
    assert result(at) == "64 KiB"


def test_a_wrong_address_is_named_and_the_page_goes_on() -> None:
    """A choice that there is not, and a name that there is not."""
    at = visit("pages/calculator.py", calc_format="float7", calc_rows="3")
    messages = "\n".join(warning.value for warning in at.warning)
    assert "calc_format=float7" in messages
    assert "bfloat16" in messages
    assert "calc_rows" in messages
    assert result(at) == "32 MiB"
