"""The one HTML file of a run, opened from disk: the same tests as the stage in the app, and its own."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import tests.browser.test_stage as in_the_app
from lesson.inputs import DEFAULT_KEY, load
from tests.browser.axe import violations
from tests.browser.conftest import watch
from tests.browser.test_share import saved
from tests.browser.test_stage import (  # noqa: F401 - collected here, they run against the file
    at,
    open_stage,
    press,
    scrub,
    test_a_cell_tells_its_value_query_and_key,
    test_a_link_opens_its_step_and_stepping_writes_the_address,
    test_a_row_is_chosen_by_click_and_by_keyboard,
    test_both_themes,
    test_buttons_step_through_the_whole_run,
    test_drawings_follow_the_theme_while_the_page_is_open,
    test_every_step_draws_alone,
    test_numbers_at_the_first_rescale_are_the_engines,
    test_play_goes_on_by_itself_and_pauses,
    test_slider_scrubs,
    test_tiles_move_unless_the_reader_wants_stillness,
    test_transport_is_in_reach_and_nothing_sticks_out,
    traced,
)
from ui.downloads import VERSION
from ui.stage.payload import encode
from ui.stage.standalone import standalone_html


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One file for each order."""
    folder = tmp_path_factory.mktemp("standalone")
    found = {}
    for order in ("q_outer", "kv_outer"):
        found[order] = folder / f"{order}.html"
        page = standalone_html(
            encode(traced(order=order)), title=load(DEFAULT_KEY).title, name="keys", version=VERSION
        )
        found[order].write_text(page, encoding="utf-8")
    return found


@pytest.fixture
def server_url(
    request: pytest.FixtureRequest, files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> str:
    """Where the app's tests find the stage here: the file of the order that they ask for in the address."""
    monkeypatch.setattr(in_the_app, "PATH", "")
    parameters = getattr(request.node, "callspec", None)
    order = parameters.params.get("order", "q_outer") if parameters else "q_outer"
    return files[order].as_uri()


def test_it_needs_nothing_but_itself(page: Page, server_url: str) -> None:
    """Not one request besides the file; no error; every control works offline."""
    trouble = watch(page)
    page.context.set_offline(True)
    stage = open_stage(page, server_url)
    for name in ("Next step", "Next rescale", "Last step", "First step"):
        press(stage, name)
    assert [url for url in trouble.requests if not url.startswith(("data:", "blob:"))] == [server_url]
    assert not trouble.errors


def test_it_links_to_itself_and_has_no_code_to_ask_a_server_for(page: Page, server_url: str) -> None:
    stage = open_stage(page, server_url)
    scrub(stage, 12)
    press(stage, "Copy link to this frame")
    link = stage.get_by_test_id("share-link").input_value()
    assert link.startswith(f"{server_url}?step=12")
    expect(stage.get_by_role("button", name="QR code for this frame")).to_have_count(0)
    page.goto("about:blank")
    page.goto(link)
    at(page.get_by_test_id("stage"), 12)


def test_pictures_and_ledgers_are_saved_from_it(page: Page, server_url: str, tmp_path: Path) -> None:
    stage = open_stage(page, server_url)
    press(stage, "Next rescale")
    step = traced().first_rescale()
    for name, file in [
        ("Picture, SVG", f"tilewise-keys-step-{step}.svg"),
        ("Picture, PNG", f"tilewise-keys-step-{step}.png"),
        ("Ledger by step, CSV", "tilewise-keys-ledger-steps.csv"),
        ("Ledger totals, CSV", "tilewise-keys-ledger-totals.csv"),
    ]:
        path = saved(page, lambda label=name: press(stage, label), tmp_path)  # type: ignore[misc]
        assert path.name == file and path.stat().st_size > 200
        expect(stage.get_by_test_id("share-status")).to_have_text(f"Saved {file}.")


def test_without_scripts_it_says_so(browser: Browser, server_url: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(server_url)
    expect(page.locator("noscript p")).to_contain_text("The player needs JavaScript")
    expect(page.locator("noscript p")).to_be_visible()
    context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_is_clean_for_axe(new_page: Callable[..., Page], server_url: str, theme: str) -> None:
    page = new_page(theme=theme)
    stage = open_stage(page, server_url)
    for width, move in ((1440, "Next rescale"), (1024, "Last step"), (390, "First step"), (1440, "p")):
        page.set_viewport_size({"width": width, "height": 900})
        if move == "p":
            page.keyboard.press(move)
            expect(stage).to_have_attribute("data-presenter", "")
        else:
            press(stage, move)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert violations(page, looks=theme == "dark") == []
    page.keyboard.press("p")
    assert re.search(r"Apache License 2\.0", page.locator("footer").inner_text())
