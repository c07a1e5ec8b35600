"""The frame in a real browser: links, themes, widths, console and network."""

import re
from collections.abc import Callable
from itertools import pairwise

import pytest
from playwright.sync_api import Page, expect

from lesson.outline import load_outline
from tests.browser.axe import violations
from tests.browser.conftest import watch
from tests.browser.page_parts import WIDTHS, keeps_its_width, page_colour, settled
from tests.conftest import Server
from ui.palette import SURFACES

PAGES = load_outline().pages
PATHS = ["" if page.key == "home" else page.key for page in PAGES]


def test_a_link_as_the_very_first_request_shows_the_framed_page(
    fresh_server: Callable[..., Server], page: Page
) -> None:
    """A server that nobody has visited yet: heading, tab title, navigation and the address's values."""
    running = fresh_server()
    trouble = watch(page)
    page.goto(f"{running.url}/calculator?calc_n_q=8192&calc_format=float32")
    settled(page)
    expect(page).to_have_title("Count the bytes · Tilewise")
    expect(page.get_by_role("heading", level=1)).to_have_text("Count the bytes")
    for entry in PAGES:
        expect(page.get_by_test_id("stSidebar").get_by_role("link", name=entry.label)).to_be_visible()
    expect(page.get_by_role("textbox", name="Queries, T_query")).to_have_value("8192")
    expect(page.get_by_test_id("result")).to_have_text("128 MiB")
    assert "calc_n_q=8192" in page.url
    assert trouble.errors == []
    assert trouble.outside(running.url) == []


MOST_SHIFT = 0.1
# What moved without the reader's doing since the page was opened, as Chromium adds it up.
SHIFTS = """() => new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => {
    for (const shift of list.getEntries()) if (!shift.hadRecentInput) sum += shift.value;
  }).observe({ type: 'layout-shift', buffered: true });
  setTimeout(() => done(sum), 300);
})"""


def test_a_jump_is_noticed(page: Page) -> None:
    """The test above could not fail if the measure were deaf."""
    page.goto("data:text/html,<p>first<p>second<p style='height: 90vh; background: red'>third")
    page.evaluate(
        """() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
          document.body.prepend(Object.assign(document.createElement('div'), { style: 'height: 300px' }));
          requestAnimationFrame(done);
        })))"""
    )
    assert page.evaluate(SHIFTS) > MOST_SHIFT


@pytest.mark.parametrize("path", PATHS)
def test_every_page_is_whole_quiet_and_open_to_all_in_both_themes_at_every_width(
    server_url: str, page: Page, path: str
) -> None:
    """Nothing jumps while it arrives, its theme is on, axe finds nothing, and nothing scrolls sideways."""
    trouble = watch(page)
    # At 390 px the calculator's answer is as long as its limits allow.
    query = "?calc_n_q=1e9&calc_n_k=1e9&calc_heads=10000&calc_batch=10000" if path == "calculator" else ""
    app = page.get_by_test_id("stApp")
    # Opened once wide and once narrow, in a theme each.
    for theme, (width, height) in zip(SURFACES, (WIDTHS[0], WIDTHS[-1]), strict=True):
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"{server_url}/{path}{query}")
        settled(page)
        assert page.evaluate(SHIFTS) <= MOST_SHIFT, width
        wanted = page_colour(theme)
        expect(app).to_have_css("background-color", wanted)
        for button in page.get_by_test_id("stBaseButton-primary").all():
            # Words on the accent: the palette's test holds this pair's contrast.
            expect(button).to_have_css("color", wanted)
            expect(button.locator("p")).to_have_css("color", wanted)
        for width, height in WIDTHS:
            page.set_viewport_size({"width": width, "height": height})
            keeps_its_width(page)
            # Between the widest and the narrowest, nothing is drawn that neither of them draws.
            assert width == 1024 or violations(page, looks=theme == "dark") == [], (theme, width)
    assert any("/_stcore/stream" in url for url in trouble.requests)
    assert trouble.errors == []
    assert trouble.outside(server_url) == []


# Where the way on stood and where it went, whenever it moved while it could be pressed.
MOVES = """() => {
  window.moves = [];
  let before = null;
  const look = () => {
    const way = document.querySelector('.tw-way');
    const shown = way?.checkVisibility({ visibilityProperty: true });
    const scrolled = document.querySelector('[data-testid=stMain]')?.scrollTop ?? 0;
    const top = Math.round((way?.getBoundingClientRect().top ?? 0) + scrolled);
    const here = shown ? { to: way.textContent, top } : null;
    const moved = here && here.to === before?.to && here.top !== before.top;
    if (moved) window.moves.push([here.to, before.top, here.top]);
    before = here;
    requestAnimationFrame(look);
  };
  look();
}"""


def test_the_way_on_and_back(server_url: str, page: Page) -> None:
    """Next, again and again, walks the outline; back returns. Each page is told apart by its tab."""
    page.add_init_script(f"({MOVES})()")
    page.goto(server_url)
    settled(page)
    for before, after in pairwise(PAGES):
        page.get_by_role("link", name=f"Next: {after.label}").click()
        expect(page.get_by_role("heading", level=1)).to_have_text(after.title)
        expect(page).to_have_title(f"{after.title} · Tilewise")
        assert page.url.split("?")[0] == f"{server_url}/{after.key}"
        expect(page.get_by_role("link", name=f"Back: {before.label}")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text(PAGES[-2].title)
    expect(page.get_by_role("link", name=f"Next: {PAGES[-1].label}")).to_be_visible()
    # What is about to move is not there to be pressed: a press that begins on it would end beside it.
    assert page.evaluate("window.moves") == []


# The message that asks for the next page is lost, as when the page before asks for something at once.
LOST = """() => {
  const send = WebSocket.prototype.send;
  const push = history.pushState;
  let lose = false;
  history.pushState = function (...to) { lose = true; return push.apply(this, to); };
  WebSocket.prototype.send = function (message) { if (!lose) return send.call(this, message); lose = false; };
}"""


def test_a_page_that_does_not_come_is_loaded_anew(server_url: str, page: Page) -> None:
    """A pressed link leads where it says, even if Streamlit stays on the page before."""
    page.goto(f"{server_url}/online_softmax")
    settled(page)
    page.evaluate(LOST)
    page.get_by_role("link", name=f"Next: {PAGES[2].label}").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(PAGES[2].title)
    assert page.url.split("?")[0] == f"{server_url}/{PAGES[2].key}"


def test_a_headings_own_link_stays_on_its_page(server_url: str, page: Page) -> None:
    """It scrolls to its section, and nothing goes to the top of the page first."""
    page.goto(server_url)
    settled(page)
    expect(page.locator(".tw-act")).not_to_have_count(0)
    main = page.get_by_test_id("stMain")
    main.evaluate("main => main.scrollTo(0, main.scrollHeight)")
    main.evaluate("""main => {
      main.least = Infinity;
      main.addEventListener('scroll', () => { main.least = Math.min(main.least, main.scrollTop); });
    }""")
    link = page.locator("h2 a[href^='#']").last
    link.evaluate("link => link.click()")
    expect(page).to_have_url(re.compile(r"/#[a-z_]+$"))
    # As long as a link to a page would wait for it.
    page.wait_for_timeout(1_500)
    assert main.evaluate("main => main.scrollTop") > 1_000
    assert main.evaluate("main => main.least") > 1_000


def test_a_mistyped_address_shows_the_lesson_and_says_so(server_url: str, page: Page) -> None:
    answer = page.goto(f"{server_url}/nowhere")
    assert answer is not None and answer.status == 404
    expect(page.get_by_role("dialog")).to_contain_text("Page not found")
    page.keyboard.press("Escape")
    settled(page)
    expect(page.locator(".tw-way")).to_have_css("display", "flex")
    page.get_by_role("link", name=f"Next: {PAGES[1].label}").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(PAGES[1].title)


def test_calculator_keeps_what_is_typed_in_its_address(server_url: str, page: Page) -> None:
    """A typed size changes the result and the address; the address opened anew gives the same page."""
    page.goto(f"{server_url}/calculator")
    settled(page)
    field = page.get_by_role("textbox", name="Keys, T_key")
    field.fill("8,192")
    field.press("Enter")
    expect(page.get_by_test_id("result")).to_have_text("64 MiB")
    expect(page).to_have_url(f"{server_url}/calculator?calc_n_k=8%2C192")
    page.reload()
    settled(page)
    expect(page.get_by_role("textbox", name="Keys, T_key")).to_have_value("8,192")
    expect(page.get_by_test_id("result")).to_have_text("64 MiB")


def test_calculator_names_a_wrong_address(server_url: str, page: Page) -> None:
    """Value and limit stand in the message; the page works on."""
    page.goto(f"{server_url}/calculator?calc_n_q=10%5E30&calc_format=float7")
    settled(page)
    alerts = page.get_by_test_id("stAlert")
    expect(alerts.filter(has_text="10^30; the limit here is 1,000,000,000")).to_be_visible()
    expect(alerts.filter(has_text="calc_format=float7")).to_be_visible()
    field = page.get_by_role("textbox", name="Queries, T_query")
    field.fill("16")
    field.press("Enter")
    expect(page.get_by_test_id("result")).to_have_text("128 KiB")
    expect(alerts.filter(has_text="10^30")).to_have_count(0)
