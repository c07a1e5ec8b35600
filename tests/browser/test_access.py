"""For everyone: axe-core finds nothing to mend in what we draw; keyboard, zoom and narrow screens work."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import violations
from tests.browser.page_parts import WIDTHS, in_theme, settled
from tests.browser.stage_page import go, mount, traced

KEY = "keys-lock.subject"


# What each width is shown at; the widest shows every kind of frame that draws something of its own.
KINDS = {
    1440: ("load_kv", "mask", "rescale", "accumulate", "skip", "store"),
    1024: ("rescale",),
    390: ("mask", "rescale"),
}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("query", ["", "?present=1"])
def test_axe_finds_nothing_in_the_stage(new_page: Callable[..., Page], theme: str, query: str) -> None:
    page = new_page(theme=theme)
    trace = traced(KEY)
    stage = mount(page, trace, query)
    kinds = [step.kind for step in trace.steps]
    dark = theme == "dark"
    for width, height in WIDTHS:
        page.set_viewport_size({"width": width, "height": height})
        for kind in KINDS[width]:
            go(page, kinds.index(kind))
            assert violations(page, looks=dark) == [], (kind, width)
    if query:
        page.keyboard.press("a")
        page.keyboard.press("n")
    else:
        # A budget that does not hold the run has words of its own.
        stage.get_by_test_id("budget-number").fill("2000")
        stage.get_by_test_id("budget-number").press("Enter")
    assert violations(page, looks=dark) == []


@pytest.mark.parametrize("query", ["?run_order=kv_outer&step=30", "?present=1&step=8"])
def test_axe_finds_nothing_on_the_page_around_it(page: Page, server_url: str, query: str) -> None:
    page.goto(f"{server_url}/step_through{query}")
    expect(page.get_by_test_id("stage")).to_be_visible()
    settled(page)
    for theme in ("light", "dark"):
        in_theme(page, theme)
        for width, height in WIDTHS:
            page.set_viewport_size({"width": width, "height": height})
            assert violations(page, looks=theme == "dark") == [], (theme, width)


@pytest.mark.parametrize(("width", "height"), [(390, 844), (720, 450)])
def test_narrow_and_zoomed_pages_stack_and_keep_the_controls_in_reach(
    new_page: Callable[..., Page], width: int, height: int
) -> None:
    """A window of 1440 × 900 at 200 % zoom is 720 × 450."""
    page = new_page(width=width, height=height)
    trace = traced(KEY)
    stage = mount(page, trace)
    for index in range(0, len(trace.steps), 9):
        go(page, index)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        expect(stage.get_by_role("button", name="Next step", exact=True)).to_be_in_viewport()
        # The words of the step may be a screen away; its name is not.
        expect(stage.locator(".now")).to_have_text(stage.get_by_test_id("step-name").inner_text())
        expect(stage.locator(".now")).to_be_in_viewport()
    for zone in ("outer", "chip", "words", "ledger"):
        stage.locator(f".zone.{zone}").scroll_into_view_if_needed()
        expect(stage.get_by_role("button", name="Next step", exact=True)).to_be_in_viewport()


def test_every_control_is_reached_by_tab_with_a_visible_focus(page: Page) -> None:
    trace = traced(KEY)
    stage = mount(page, trace, f"?step={trace.first_rescale()}")
    wanted = stage.evaluate(
        """root => [...root.querySelectorAll('button, input, select, [tabindex="0"]')]
          .filter((node) => node.getClientRects().length && !node.disabled).length"""
    )
    reached = set()
    focus = """() => {
      const node = document.getElementById('at').shadowRoot.activeElement;
      if (!node) return null;
      const style = getComputedStyle(node);
      const all = [...document.getElementById('at').shadowRoot.querySelectorAll('*')];
      return [all.indexOf(node), style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2];
    }"""
    for _ in range(wanted + 2):
        page.keyboard.press("Tab")
        held = page.evaluate(focus)
        if held is None:
            continue
        assert held[1], held
        reached.add(held[0])
    assert len(reached) == wanted


def test_the_live_region_says_the_sentence_and_nothing_else(page: Page) -> None:
    trace = traced(KEY)
    stage = mount(page, trace)
    spoken = stage.locator("[aria-live]")
    expect(spoken).to_have_count(1)
    expect(spoken).to_have_attribute("aria-live", "polite")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
        expect(spoken).to_have_text(stage.get_by_test_id("sentence").inner_text())


def test_states_differ_by_more_than_colour(page: Page) -> None:
    """Blocks alive, gone, skipped and to come differ in their line or pattern."""
    trace = traced(KEY)
    stage = mount(page, trace, f"?step={trace.first_rescale()}")
    looks = stage.evaluate(
        """root => ['alive', 'gone', 'skipped', 'to-come'].map((state) => {
          const style = getComputedStyle(root.querySelector(`.picture .block[data-state="${state}"]`));
          return [style.outlineStyle, style.outlineWidth, style.backgroundImage !== 'none'].join(' ');
        })"""
    )
    assert len(set(looks)) == 4, looks
