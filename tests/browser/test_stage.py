"""The stage in a real browser, against the engine's own numbers."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from engine import Trace, trace_attention
from lesson.inputs import DEFAULT_KEY, load
from tests.browser.conftest import watch
from tests.browser.page_parts import pick
from tests.browser.stage_page import walked_and_jumped

PATH = "/step_through"


def traced(**changes: Any) -> Trace:
    given = load(DEFAULT_KEY)
    return trace_attention(
        given.q, given.k, given.v, tokens=(given.tokens_q, given.tokens_k), **(given.options() | changes)
    )


def open_stage(page: Page, server_url: str, query: str = "") -> Locator:
    page.goto(f"{server_url}{PATH}{query}")
    stage = page.get_by_test_id("stage")
    expect(stage).to_be_visible()
    return stage


def at(stage: Locator, step: int) -> None:
    expect(stage).to_have_attribute("data-step", str(step))


def press(stage: Locator, name: str) -> None:
    stage.get_by_role("button", name=name, exact=True).click()


def stop_asking(stage: Locator) -> None:
    """Turn the questions off, which would halt the run at some steps."""
    asking = stage.get_by_role("button", name=re.compile("^Predict"))
    if asking.count() and asking.get_attribute("aria-pressed") == "true":
        asking.click()


def scrub(stage: Locator, step: int) -> None:
    slider = stage.get_by_role("slider", name="Step", exact=True)
    slider.evaluate(
        "(node, value) => { node.value = value; node.dispatchEvent(new Event('input')); }", str(step)
    )


def test_buttons_step_through_the_whole_run(page: Page, server_url: str) -> None:
    stage = open_stage(page, server_url)
    last = len(traced().steps) - 1
    expect(stage).to_have_attribute("data-steps", str(last + 1))
    at(stage, 0)
    press(stage, "Next step")
    at(stage, 1)
    press(stage, "Last step")
    at(stage, last)
    press(stage, "Next step")
    at(stage, last)
    press(stage, "Previous step")
    at(stage, last - 1)
    press(stage, "First step")
    at(stage, 0)
    press(stage, "Previous step")
    at(stage, 0)
    press(stage, "Next rescale")
    at(stage, traced().first_rescale() or -1)


def test_play_goes_on_by_itself_and_pauses(page: Page, server_url: str) -> None:
    stage = open_stage(page, server_url)
    stop_asking(stage)
    stage.get_by_label("Speed").select_option(label="8×")
    press(stage, "Play")
    expect(stage.get_by_role("button", name="Pause", exact=True)).to_be_visible()
    page.wait_for_function("stage => Number(stage.dataset.step) >= 4", arg=stage.element_handle(), polling=50)
    press(stage, "Pause")
    held = stage.get_attribute("data-step")
    page.wait_for_timeout(500)
    assert stage.get_attribute("data-step") == held


def test_keys_step_and_leave_fields_and_modifiers_alone(page: Page, server_url: str) -> None:
    stage = open_stage(page, server_url)
    last = len(traced().steps) - 1
    for key, step in [
        ("ArrowRight", 1),
        ("PageDown", 2),
        ("ArrowLeft", 1),
        ("PageUp", 0),
        ("End", last),
        ("Home", 0),
        ("r", traced().first_rescale()),
    ]:
        page.keyboard.press(key)
        at(stage, step or 0)
    page.keyboard.press("Home")
    page.keyboard.press("Control+ArrowRight")
    page.keyboard.press("Alt+r")
    at(stage, 0)
    page.keyboard.press("Space")
    expect(stage.get_by_role("button", name="Pause", exact=True)).to_be_visible()
    page.keyboard.press("Space")
    expect(stage.get_by_role("button", name="Play", exact=True)).to_be_visible()
    page.keyboard.press("Home")
    changer = page.get_by_role("button", name="Change the run")
    changer.press("Enter")
    field = page.get_by_role("combobox", name="Queries in a tile")
    # From its button, Tab leads into the panel.
    page.keyboard.press("Tab")
    expect(page.get_by_role("combobox", name="Input")).to_be_focused()
    field.press("r")
    field.press("PageDown")
    page.wait_for_timeout(200)
    at(stage, 0)
    page.keyboard.press("Escape")
    expect(field).to_be_hidden()
    expect(changer).to_be_focused()
    page.keyboard.press("ArrowRight")
    at(stage, 1)


def test_slider_scrubs(page: Page, server_url: str) -> None:
    stage = open_stage(page, server_url)
    slider = stage.get_by_role("slider", name="Step", exact=True)
    box = slider.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 9, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=8)
    page.mouse.up()
    middle = int(stage.get_attribute("data-step") or 0)
    assert abs(middle - (len(traced().steps) - 1) / 2) <= 2
    expect(slider).to_have_attribute("aria-valuetext", re.compile(f"Step {middle + 1} of"))


COLUMNS = {"m-old": "m_old", "m-new": "m_new", "alpha": "alpha", "l-before": "l_before", "l-after": "l_after"}


@pytest.mark.parametrize("order", ["q_outer", "kv_outer"])
def test_numbers_at_the_first_rescale_are_the_engines(page: Page, server_url: str, order: str) -> None:
    trace = traced(order=order)
    index = trace.first_rescale()
    assert index is not None
    step = trace.steps[index]
    stage = open_stage(page, server_url, f"?run_order={order}")
    press(stage, "Next rescale")
    at(stage, index)
    expect(stage).to_have_attribute("data-kind", "rescale")
    expect(stage).to_have_attribute("data-tile", f"{step.tile[0]},{step.tile[1]}")
    for row in range(len(step.work["m_new"])):
        for column, name in COLUMNS.items():
            cell = stage.locator(f'[data-testid="row-{column}"][data-row="{row}"]')
            exact = float(step.work[name][row])
            held = cell.get_attribute("data-value")
            shown = (cell.text_content() or "").replace("−", "-").replace("∞", "inf")
            np.testing.assert_allclose(
                float("-inf") if held == "null" else float(held or "nan"), exact, rtol=1e-5
            )
            np.testing.assert_allclose(float(shown), exact, rtol=6e-3)
        note = stage.locator(f'[data-testid="row-note"][data-row="{row}"]')
        if step.work["rescaled"][row]:
            expect(note).to_have_text("rescale")
        elif step.work["alpha"][row] == 1:
            expect(note).to_have_text("nothing to fix")
    used = sum(step.resident.values())
    expect(stage.get_by_test_id("meter")).to_contain_text(f"{used:,} B")
    tiled = sum(step.hbm_read_total.values()) + sum(step.hbm_write_total.values())
    standard = sum(step.standard_read_total.values()) + sum(step.standard_write_total.values())
    expect(stage.get_by_test_id("ledger-tiled")).to_have_attribute("data-bytes", str(tiled))
    expect(stage.get_by_test_id("ledger-standard")).to_have_attribute("data-bytes", str(standard))


@pytest.mark.parametrize("order", ["q_outer", "kv_outer"])
def test_every_step_draws_alone(page: Page, server_url: str, order: str) -> None:
    """Jumping to a step in any order shows the same text as walking to it."""
    trouble = watch(page)
    stage = open_stage(page, server_url, f"?run_order={order}")
    stop_asking(stage)
    found = walked_and_jumped(stage)
    assert [kind for kind, _, _ in found] == [step.kind for step in traced(order=order).steps]
    for index, (_, walked, jumped) in enumerate(found):
        assert walked == jumped and len(walked) > 200, index
    assert not trouble.errors
    assert not trouble.outside(server_url)


def test_a_link_opens_its_step_and_stepping_writes_the_address(page: Page, server_url: str) -> None:
    stage = open_stage(page, server_url, "?step=17")
    at(stage, 17)
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => new URL(location.href).searchParams.get('step') === '18'")
    page.reload()
    at(page.get_by_test_id("stage"), 18)


def test_changing_the_run_keeps_the_place_and_the_address_holds_both(page: Page, server_url: str) -> None:
    trace, other = traced(), traced(order="kv_outer")
    index = next(i for i, step in enumerate(trace.steps) if step.kind == "accumulate" and step.tile == (2, 1))
    twin = next(i for i, step in enumerate(other.steps) if step.kind == "accumulate" and step.tile == (2, 1))
    stage = open_stage(page, server_url, f"?step={index}")
    at(stage, index)
    page.get_by_role("button", name="Change the run").click()
    pick(page, "Outer loop", "keys and values")
    stage = page.get_by_test_id("stage")
    expect(stage).to_have_attribute("data-steps", str(len(other.steps)))
    at(stage, twin)
    page.wait_for_function("step => new URL(location.href).searchParams.get('step') === step", arg=str(twin))
    link = page.url
    assert "run_order=kv_outer" in link
    page.goto("about:blank")
    page.goto(link)
    expect(page.get_by_test_id("stage")).to_have_attribute("data-steps", str(len(other.steps)))
    at(page.get_by_test_id("stage"), twin)


def test_stepping_sends_nothing_to_the_server(page: Page, server_url: str) -> None:
    sent: list[object] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    stage = open_stage(page, server_url)
    page.wait_for_timeout(1500)
    assert sent, "the page never spoke to its server, so silence would prove nothing"
    before = len(sent)
    stop_asking(stage)
    press(stage, "Next step")
    press(stage, "Next rescale")
    page.keyboard.press("ArrowRight")
    scrub(stage, 40)
    stage.get_by_test_id("row-pick").nth(2).click()
    stage.get_by_label("Speed").select_option(label="8×")
    press(stage, "Play")
    page.wait_for_timeout(1500)
    press(stage, "Pause")
    page.wait_for_timeout(500)
    assert len(sent) == before


def test_a_row_is_chosen_by_click_and_by_keyboard(page: Page, server_url: str) -> None:
    index = traced().first_rescale()
    stage = open_stage(page, server_url, f"?step={index}")
    rows = stage.get_by_test_id("row-pick")
    formula = stage.get_by_test_id("formula")
    rows.nth(0).click()
    expect(rows.nth(0)).to_have_attribute("aria-pressed", "true")
    first = formula.inner_text()
    rows.nth(0).focus()
    page.keyboard.press("ArrowDown")
    expect(rows.nth(1)).to_be_focused()
    expect(rows.nth(1)).to_have_attribute("aria-pressed", "true")
    assert formula.inner_text() != first
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(rows.nth(2)).to_have_attribute("aria-pressed", "true")
    at(stage, index or 0)


def test_a_cell_tells_its_value_query_and_key(page: Page, server_url: str) -> None:
    index = next(i for i, step in enumerate(traced().steps) if step.kind == "score")
    stage = open_stage(page, server_url, f"?step={index}")
    block = stage.locator('[data-panel="s"] .matrix')
    block.focus()
    page.keyboard.press("ArrowDown")
    given, score = load(DEFAULT_KEY), traced().steps[index].work["s"]
    told = stage.locator(".tip")
    expect(told).to_contain_text(f"query “{given.tokens_q[1].strip()}”")
    expect(told).to_contain_text(f"key “{given.tokens_k[0].strip()}”")
    value = (told.text_content() or "").split(" = ")[-1].replace("−", "-")
    np.testing.assert_allclose(float(value), score[1][0], rtol=1e-4)
    at(stage, index)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_both_themes(new_page: Callable[..., Page], server_url: str, theme: str) -> None:
    page = new_page(theme=theme)
    stage = open_stage(page, server_url, "?step=30")
    ink, panel = stage.locator(".zone.outer").evaluate(
        "node => { const style = getComputedStyle(node); return [style.color, style.backgroundColor]; }"
    )
    bright = [sum(int(part) for part in re.findall(r"\d+", colour)[:3]) for colour in (ink, panel)]
    assert (bright[0] < bright[1]) == (theme == "light"), (ink, panel)


def test_drawings_follow_the_theme_while_the_page_is_open(page: Page, server_url: str) -> None:
    stage = open_stage(page, server_url, "?step=3")
    pixel = "node => node.querySelector('[data-tensor=q] .values').style.backgroundImage"
    light = stage.evaluate(pixel)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(
        f"([stage, light]) => ({pixel})(stage) !== light", arg=[stage.element_handle(), light], polling=100
    )
    at(stage, 3)


def test_tiles_move_unless_the_reader_wants_stillness(page: Page, server_url: str) -> None:
    stage = open_stage(page, server_url)
    count = """stage => { let most = 0; return new Promise((done) => {
      const layer = stage.querySelector('.flights');
      const watch = new MutationObserver(() => { most = Math.max(most, layer.children.length); });
      watch.observe(layer, { childList: true });
      stage.querySelector('.control.next').click();
      setTimeout(() => done(most), 250);
    }); }"""
    assert stage.evaluate(count) == 1
    page.emulate_media(reduced_motion="reduce")
    assert stage.evaluate(count) == 0
    at(stage, 2)


@pytest.mark.parametrize("width", [390, 1024, 1440])
def test_transport_is_in_reach_and_nothing_sticks_out(
    new_page: Callable[..., Page], server_url: str, width: int
) -> None:
    page = new_page(width=width, height=844)
    stage = open_stage(page, server_url)
    expect(stage.get_by_role("button", name="Next step", exact=True)).to_be_in_viewport()
    for step in (3, 30, len(traced().steps) - 1):
        scrub(stage, step)
        wide = stage.evaluate("node => node.scrollWidth - node.clientWidth")
        assert wide <= 0, step
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
