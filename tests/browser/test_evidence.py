"""The evidence and the reference page in a real browser."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from lesson.evidence import TABLE_FILE
from lesson.evidence_checks import checks
from lesson.links import load_links
from tests.browser.conftest import watch
from tests.browser.page_parts import settled
from ui.evidence.units import times

LAST = {"evidence": "Printed mistakes", "reference": "What is shown here"}


def opened(page: Page, server_url: str, path: str, query: str = "") -> Page:
    """Open one of the two pages and wait until its last table stands."""
    page.goto(f"{server_url}/{path}{query}")
    settled(page)
    expect(page.get_by_role("region", name=LAST[path], exact=False)).to_be_visible()
    return page


def test_the_measurements_answer_three_questions(server_url: str, page: Page) -> None:
    """Choose the fused kernel: ratios, reasons and the address follow."""
    trouble = watch(page)
    opened(page, server_url, "evidence")
    menu = page.get_by_role("combobox", name="Question", exact=True)
    menu.select_option(label="Fused: bytes that the multiprocessors ask for")
    first = checks("fused_sm", "forward")[2]
    rows = page.get_by_role("region", name="Measured and computed", exact=False).get_by_role("row")
    expect(rows.nth(3)).to_contain_text(times(first.corrected_ratio))
    expect(rows.nth(3)).to_contain_text("registers spilled")
    expect(page.get_by_role("img", name="Measured bytes over the model's", exact=False)).to_be_visible()
    expect(page).to_have_url(re.compile(r"evidence\?ev_topic=fused_sm$"))
    opened(page, server_url, "evidence", "?" + page.url.split("?")[1])
    expect(rows.nth(3)).to_contain_text("registers spilled")
    assert trouble.errors == []
    assert trouble.outside(server_url) == []


def test_the_table_can_be_taken_away(server_url: str, page: Page) -> None:
    opened(page, server_url, "evidence")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download the whole table (CSV)").click()
    assert waiting.value.suggested_filename == TABLE_FILE.name
    with open(waiting.value.path(), encoding="utf-8") as file:
        assert file.read() == TABLE_FILE.read_text(encoding="utf-8")


def test_growth_names_an_impossible_number_and_goes_on(server_url: str, page: Page) -> None:
    opened(page, server_url, "evidence", "?ev_n=256")
    expect(page.get_by_text("is above N·d = 16,384", exact=False)).to_be_visible()
    field = page.get_by_role("textbox", name="Tokens, N")
    field.fill("0")
    field.press("Enter")
    expect(
        page.locator("[data-slot=growth]")
        .get_by_role("alert")
        .filter(has_text="Tokens, N is 0; the lowest possible is 1")
    ).to_be_visible()
    field.fill("4096")
    field.press("Enter")
    expect(page.get_by_text("M lies in the domain", exact=False)).to_be_visible()
    expect(page.get_by_role("img", name="Accesses against on-chip memory", exact=False)).to_be_visible()


def test_a_term_leads_to_the_glossary(server_url: str, page: Page) -> None:
    opened(page, server_url, "evidence")
    with page.context.expect_page() as waiting:
        page.get_by_test_id("stMain").get_by_role("link", name="traffic", exact=True).click()
    glossary = waiting.value
    settled(glossary)
    expect(glossary.get_by_text("Bytes read from and written to outer memory.")).to_be_visible()
    expect(glossary.get_by_role("textbox", name="Find a word")).to_have_value("traffic, IO")


def test_what_stands_between_the_sentences_is_pale_while_its_data_are_late(
    server_url: str, page: Page
) -> None:
    opened(page, server_url, "reference")
    down = [True]
    page.route("**/modules/column-*.json", lambda route: route.abort() if down[0] else route.continue_())
    slot = page.locator("[data-slot=glossary]")
    field = slot.get_by_role("textbox", name="Find a word")
    field.fill("rescale")
    field.press("Enter")
    expect(slot).to_have_css("opacity", "0.4")
    down[0] = False
    expect(slot.get_by_role("status")).to_have_text(re.compile(r"^1 of \d+ words$"))
    expect(slot).to_have_css("opacity", "1")


def test_a_word_is_found_by_keyboard(server_url: str, page: Page) -> None:
    """What is typed stands in the address, and what is found leads on within the session."""
    trouble = watch(page)
    opened(page, server_url, "reference")
    slot = page.locator("[data-slot=glossary]")
    said, field = slot.get_by_role("status"), slot.get_by_role("textbox", name="Find a word")
    field.press_sequentially("rescale")
    field.press("Enter")
    expect(said).to_have_text(re.compile(r"^1 of \d+ words$"))
    expect(page).to_have_url(re.compile(r"reference\?ref_find=rescale$"))
    expect(field).to_be_focused()
    field.fill("zzz")
    field.press("Tab")
    expect(said).to_contain_text("“zzz”")
    expect(slot.get_by_role("term")).to_have_count(0)
    field.fill("running sum")
    field.press("Enter")
    expect(slot.get_by_role("term").filter(has_text="running sum (l)")).to_be_visible()
    page.evaluate("window.sameDocument = true")
    slot.get_by_role("link", name="Watch it run").first.press("Enter")
    expect(page).to_have_url(re.compile(r"/step_through$"))
    expect(page.get_by_role("heading", name="Watch it run", level=1)).to_be_visible()
    assert page.evaluate("window.sameDocument")
    assert trouble.errors == []


def test_every_source_is_a_link(server_url: str, page: Page) -> None:
    opened(page, server_url, "reference")
    found = page.get_by_test_id("stMain").get_by_role("link").evaluate_all("all => all.map(a => a.href)")
    assert {link.url for link in load_links().values()} <= set(found)


# How much wider than its box each table is.
OVER = "all => all.map(box => box.scrollWidth - box.clientWidth)"


@pytest.mark.parametrize("path", ["evidence", "reference"])
def test_tables_fit_a_laptop(server_url: str, page: Page, path: str) -> None:
    opened(page, server_url, path)
    assert set(page.locator(".twc-scroll").evaluate_all(OVER)) == {0}


def test_on_a_phone_words_stand_below_their_row(server_url: str, new_page: Callable[..., Page]) -> None:
    """What tells two rows apart is on screen, and no row is high for a column that is off it."""
    page = new_page(width=390, height=844)
    opened(page, server_url, "evidence")
    region = page.get_by_role("region", name="Figure 2, left", exact=False)
    assert region.evaluate("box => box.scrollWidth - box.clientWidth") == 0
    row = region.get_by_role("row").nth(1)
    number, told = (row.get_by_role("cell").nth(at).bounding_box() for at in (0, 3))
    assert number is not None and told is not None
    assert told["y"] > number["y"]
    assert told["x"] + told["width"] <= 390
    assert told["height"] < 60


def test_a_table_that_goes_on_shows_it_and_keeps_its_names(
    server_url: str, new_page: Callable[..., Page]
) -> None:
    page = new_page(width=390, height=844)
    opened(page, server_url, "evidence")
    region = page.get_by_role("region", name="Training memory", exact=False)
    assert region.evaluate("box => box.scrollWidth - box.clientWidth") > 100
    expect(region).to_have_css("background-attachment", "local, scroll")
    name = region.get_by_role("rowheader").first
    before = name.bounding_box()
    region.evaluate("box => { box.scrollLeft = 100; }")
    assert name.bounding_box() == before
    expect(name).not_to_have_css("box-shadow", "none")
