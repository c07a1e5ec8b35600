"""The exactness page in a real browser: maps, address, widths, themes, and what a screen reader gets."""

import re

from playwright.sync_api import Page, expect

from engine.variants import METHODS, Settings
from lesson.words import load_words
from tests.browser.conftest import watch
from tests.browser.page_parts import pick, settled
from ui.exactness.numbers import small
from ui.exactness.runs import compared

SAY = load_words("exactness").say
KEY = "keys-lock.subject"


def opened(page: Page, url: str) -> Page:
    """Open the page and wait until its last part stands."""
    page.goto(url)
    settled(page)
    expect(page.get_by_role("region", name="One query over", exact=False)).to_be_visible()
    return page


def test_the_maps_say_what_the_engine_ran(server_url: str, page: Page) -> None:
    """Five maps, each with its counts in its name and its verdict below."""
    trouble = watch(page)
    opened(page, f"{server_url}/exactness")
    runs = compared(KEY, Settings(), "float32").runs
    for method in METHODS:
        cost = runs[method].cost
        name = f"{SAY('methods', method)}: {cost.used} of {cost.asked} pairs"
        expect(page.get_by_role("img", name=name, exact=False)).to_be_visible()
    expect(page.get_by_text("✓ exact: every pair")).to_have_count(2)
    expect(page.get_by_text(f"largest difference {small(runs['window'].largest)}").first).to_be_visible()
    assert trouble.errors == []
    assert trouble.outside(server_url) == []


def test_a_choice_changes_the_maps_and_the_address(server_url: str, page: Page) -> None:
    """The address opened anew shows the same run; what a link named by its key stays in it."""
    opened(page, f"{server_url}/exactness?ex_head=first")
    pick(page, "Mask of the model", "none")
    tiled = page.get_by_role("img", name="Tiled: 256 of 256 pairs", exact=False)
    expect(tiled).to_be_visible()
    expect(page).to_have_url(re.compile("ex_head=First.token&ex_mask=none$"))
    opened(page, page.url)
    expect(tiled).to_be_visible()


def test_a_wrong_address_is_named(server_url: str, page: Page) -> None:
    page.goto(f"{server_url}/exactness?ex_rank=7&ex_count=99999999")
    settled(page)
    alerts = page.get_by_test_id("stAlert")
    expect(alerts.filter(has_text="ex_rank=7")).to_be_visible()
    expect(alerts.filter(has_text="99999999; the limit here is 16,384")).to_be_visible()
    expect(page.get_by_role("img", name="Tiled: 136 of 136 pairs", exact=False)).to_be_visible()


def test_every_chart_has_words_and_a_table(server_url: str, page: Page) -> None:
    opened(page, f"{server_url}/exactness")
    for start in ("Largest difference of each row", "Error of each run", "Running sums"):
        expect(page.get_by_role("img", name=start, exact=False)).to_be_visible()
    page.get_by_text("The chart as a table").click()
    rows = page.get_by_role("region", name=SAY("tables", "rows")).get_by_role("row")
    expect(rows).to_have_count(17)
