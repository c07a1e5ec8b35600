"""The exactness page in a real browser: maps, address, and places between the sentences."""

import re

from playwright.sync_api import Locator, Page, expect

from engine.variants import METHODS, Settings
from lesson.words import load_words
from tests.browser.conftest import watch
from tests.browser.page_parts import idle, settled
from ui.exactness.lab import LAB
from ui.exactness.numbers import small
from ui.exactness.runs import compared

SAY = load_words("exactness").say
KEY = "keys-lock.subject"

# Of each slot, the part's own name for it and how many blocks of the text stand above it.
PLACES = """() => {
  const text = document.querySelector(".stMarkdown [data-testid='stMarkdownContainer']");
  const found = {};
  let above = 0;
  for (const block of text.children) {
    if (block.matches(".tw-slot")) found[block.dataset.slot] = above;
    else above += 1;
  }
  return [found, above];
}"""


def opened(page: Page, url: str) -> Page:
    """Open the page and wait until its last part stands."""
    page.goto(url)
    settled(page)
    expect(page.get_by_role("region", name="One query over", exact=False)).to_be_visible()
    return page


def menu(page: Page, name: str) -> Locator:
    return page.get_by_role("combobox", name=SAY("menus", name), exact=True)


def test_the_maps_say_what_the_engine_ran(server_url: str, page: Page) -> None:
    """Five maps, each with its counts in its name and its verdict below; each chart has words and a table."""
    trouble = watch(page)
    opened(page, f"{server_url}/exactness")
    runs = compared(KEY, Settings(), "float32").runs
    for method in METHODS:
        cost = runs[method].cost
        name = f"{SAY('methods', method)}: {cost.used} of {cost.asked} pairs"
        expect(page.get_by_role("img", name=name, exact=False)).to_be_visible()
    expect(page.get_by_text(re.compile("^exact: every pair"))).to_have_count(2)
    expect(page.get_by_text(f"largest difference {small(runs['window'].largest)}").first).to_be_visible()
    for start in ("Largest difference of each row", "Error of each run", "Running sums"):
        expect(page.get_by_role("img", name=start, exact=False)).to_be_visible()
    page.get_by_text("The chart as a table").click()
    rows = page.get_by_role("region", name=SAY("tables", "rows")).get_by_role("row")
    expect(rows).to_have_count(17)
    assert page.evaluate(PLACES) == [dict(LAB.prose.places), LAB.prose.blocks]
    # Streamlit may make its text anew; what stood in it comes back with what the reader opened.
    page.evaluate("() => document.querySelectorAll('.tw-slot').forEach((slot) => slot.remove())")
    expect(rows).to_have_count(17)
    assert page.evaluate(PLACES) == [dict(LAB.prose.places), LAB.prose.blocks]
    assert trouble.errors == []
    assert trouble.outside(server_url) == []


def test_a_choice_changes_the_maps_and_the_address_and_nothing_else(server_url: str, page: Page) -> None:
    """The address opened anew shows the same run; what a link named by its words stays in it."""
    opened(page, f"{server_url}/exactness?ex_head=First+token")
    page.evaluate(
        """() => {
          const slot = (name) => document.querySelector(`[data-slot='${name}']`).shadowRoot;
          window.before = ["rounding", "sums"].map((name) => slot(name).querySelector("svg"));
        }"""
    )
    menu(page, "mask").focus()
    menu(page, "mask").select_option(label=SAY("masks", "none"))
    tiled = page.get_by_role("img", name="Tiled: 256 of 256 pairs", exact=False)
    expect(tiled).to_be_visible()
    expect(menu(page, "mask")).to_be_focused()
    assert page.evaluate("() => window.before.every((drawing) => drawing.isConnected)")
    expect(page).to_have_url(re.compile("ex_head=first&ex_mask=none$"))
    idle(page)
    opened(page, page.url)
    expect(tiled).to_be_visible()
    expect(menu(page, "head")).to_have_value("first")


def test_what_is_wrong_is_named_where_it_stands_and_mended(server_url: str, page: Page) -> None:
    page.goto(f"{server_url}/exactness?ex_rank=7&ex_count=99999999")
    settled(page)
    expect(page.get_by_test_id("stAlert").filter(has_text="ex_rank=7")).to_be_visible()
    refusal = page.locator("[data-slot=sums]").get_by_role("alert")
    expect(refusal).to_contain_text("99999999; the limit here is 16,384")
    expect(page.get_by_role("img", name="Tiled: 136 of 136 pairs", exact=False)).to_be_visible()
    field = page.get_by_role("textbox", name=SAY("menus", "count"))
    expect(field).to_have_value("99999999")
    field.fill("300")
    field.press("Enter")
    expect(page.get_by_role("region", name="One query over 300 keys", exact=False)).to_be_visible()
    expect(refusal).to_have_count(0)
    expect(page).to_have_url(re.compile(r"exactness\?ex_count=300$"))


def test_tables_fit_a_laptop(server_url: str, page: Page) -> None:
    opened(page, f"{server_url}/exactness")
    boxes = page.locator(".twc-scroll")
    assert set(boxes.evaluate_all("all => all.map(box => box.scrollWidth - box.clientWidth)")) == {0}
