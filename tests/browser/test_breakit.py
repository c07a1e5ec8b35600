"""A wrong algorithm beside the right one, in a real browser, against the engine's numbers."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from engine import MISTAKES, Trace, trace_attention
from engine.mistakes import softmax_named
from engine.online import State
from lesson.inputs import DEFAULT_KEY, load
from tests.browser.conftest import watch
from tests.browser.modules import Modules
from tests.browser.stage_page import mount
from ui.stage.comparison import compare, comparison_payload

ORDERS = ["q_outer", "kv_outer"]


def traces(mistake: str, key: str = DEFAULT_KEY, **changes: Any) -> tuple[Trace, Trace]:
    given = load(key)
    options = given.options() | changes
    right = trace_attention(given.q, given.k, given.v, tokens=given.tokens, **options)
    return right, trace_attention(given.q, given.k, given.v, tokens=given.tokens, mistake=mistake, **options)


def open_broken(page: Page, server_url: str, query: str) -> Locator:
    page.goto(f"{server_url}/step_through?ask=off&{query}")
    view = page.get_by_test_id("breakit")
    expect(view).to_be_visible()
    return view


def mounted(page: Page, right: Trace, wrong: Trace, query: str = "") -> Locator:
    """The two runs on a stage without a server around it."""
    mount(page, right, query, comparison=comparison_payload(right, wrong))
    return page.get_by_test_id("breakit")


def value_of(cell: Locator) -> float:
    held = cell.get_attribute("data-value")
    return float("-inf") if held == "null" else float(held or "nan")


def check_sides(view: Locator, right: Trace, wrong: Trace, index: int, row: int) -> None:
    """Both lines of the table hold what the engine's two runs hold."""
    for side, trace in (("right", right), ("wrong", wrong)):
        step = trace.steps[index]
        with np.errstate(all="ignore"):
            o, _ = softmax_named(trace.problem["mistake"]).finish(
                State(step.state["m"], step.state["l"], step.state["acc"])
            )
        wanted = {
            "m": step.work.get("m_new", step.state["m"])[row],
            "l": step.state["l"][row],
            "acc": step.state["acc"][row, 0],
            "o": o[row, 0],
        }
        if "alpha" in step.work:
            wanted["alpha"] = step.work["alpha"][row]
        for name, number in wanted.items():
            cell = view.get_by_test_id(f"{side}-{name}")
            np.testing.assert_allclose(value_of(cell), number, rtol=1e-5, err_msg=f"{side} {name}")
            shown = (cell.text_content() or "").replace("≠", "").replace("−", "-").replace("∞", "inf").strip()
            if "×" not in shown:
                np.testing.assert_allclose(float(shown), number, rtol=6e-3, err_msg=f"{side} {name}")


@pytest.mark.parametrize(("mistake", "order"), [(name, ORDERS[i % 2]) for i, name in enumerate(MISTAKES)])
def test_both_sides_are_the_engines(page: Page, mistake: str, order: str) -> None:
    trouble = watch(page)
    right, wrong = traces(mistake, order=order)
    sent = compare(right, wrong)
    parts = sent["parts_at"]
    view = mounted(page, right, wrong)
    expect(view).to_have_attribute("data-mistake", mistake)
    expect(view.get_by_test_id("why")).to_have_text(MISTAKES[mistake].why)
    outcome = "same" if all(sent["lucky"]) else "some" if any(sent["lucky"]) else "wrong"
    expect(view.get_by_test_id("luck")).to_have_attribute("data-outcome", outcome)
    expect(view.get_by_test_id("luck")).to_contain_text(MISTAKES[mistake].lucky)
    button = view.get_by_test_id("parts-at")
    expect(button).to_contain_text(f"step {parts + 1}")
    button.click()
    stage = page.get_by_test_id("stage")
    expect(stage).to_have_attribute("data-step", str(parts))
    expect(stage).to_have_attribute("data-kind", MISTAKES[mistake].step)
    row = int(stage.locator('[data-testid="row-pick"][aria-pressed="true"]').get_attribute("data-row") or -1)
    check_sides(view, right, wrong, parts, row)
    assert view.locator("td[data-differs]").count() > 0
    # A tile further on, the error of each row is the engine's too.
    later = next(i for i, s in enumerate(right.steps) if i > parts and s.kind == "discard")
    stage.get_by_role("slider", name="Step", exact=True).evaluate(
        "(node, value) => { node.value = value; node.dispatchEvent(new Event('input')); }", str(later)
    )
    expect(stage).to_have_attribute("data-step", str(later))
    rows = right.steps[later].rows or (0, 0)
    for place, query in enumerate(range(*rows)):
        reached = [error for step, _, error in sent["errors"][query] if step <= later]
        chart = view.get_by_test_id("error-row").nth(place)
        now = chart.get_by_test_id("error-now")
        assert float(now.get_attribute("data-error") or "") == pytest.approx(float(reached[-1]), nan_ok=True)
        assert chart.locator("circle, text").count() == len(reached)
        agrees = reached[-1] not in ("nan", "inf") and reached[-1] <= sent["allowed"]
        expect(now).to_have_text(re.compile("agrees" if agrees else r"[\d∞N]"))
    assert not trouble.errors


def test_overflow_and_nan_are_drawn_as_such(page: Page) -> None:
    right, wrong = traces("no_max", "huge")
    index = next(i for i, s in enumerate(right.steps) if s.kind == "accumulate")
    view = mounted(page, right, wrong, f"?step={index}")
    expect(page.get_by_test_id("stage")).to_have_attribute("data-step", str(index))
    check_sides(view, right, wrong, index, 0)
    # Nobody has to guess which of the two runs is drawn.
    expect(view.get_by_role("heading", level=2)).to_have_text("The mistake: subtract no maximum")
    words = page.locator(".zone.words")
    expect(words.get_by_test_id("which-run")).to_have_text("The right run, for comparison")
    expect(view.get_by_test_id("wrong-l")).to_contain_text("∞")
    expect(view.get_by_test_id("wrong-o")).to_contain_text("NaN")
    expect(view.get_by_test_id("error-now").first).to_have_text("NaN")
    expect(view.locator(".error-row text").first).to_have_text("NaN")
    assert view.locator(".error-line").first.get_attribute("points") == ""


def test_luck_is_told_and_its_links_lead_there(page: Page, server_url: str) -> None:
    view = open_broken(page, server_url, "run_mistake=no_rescale&run_input=rising")
    expect(view.get_by_test_id("luck")).to_have_attribute("data-outcome", "wrong")
    view.locator("summary").click()
    view.get_by_role("link", name="Falling maxima").click()
    view = page.get_by_test_id("breakit")
    expect(view.get_by_test_id("luck")).to_have_attribute("data-outcome", "same")
    expect(view.get_by_test_id("luck")).to_contain_text("Right by luck here")
    expect(view.get_by_test_id("parts-at")).to_be_disabled()
    expect(view.get_by_test_id("parts-at")).to_have_text("The two never part in this run.")
    view = open_broken(page, server_url, "run_mistake=no_rescale&run_input=rising")
    view.locator("summary").click()
    view.get_by_role("link", name="this input in one key tile").click()
    expect(page.get_by_test_id("breakit").get_by_test_id("luck")).to_have_attribute("data-outcome", "same")


def test_menu_breaks_the_run_keeps_the_place_and_mends_it_again(page: Page, server_url: str) -> None:
    page.goto(f"{server_url}/step_through?ask=off&step=26")
    stage = page.get_by_test_id("stage")
    expect(stage).to_have_attribute("data-step", "26")
    expect(page.get_by_test_id("breakit")).to_have_count(0)
    breaker = page.get_by_role("button", name="Break it")
    breaker.click()
    list_of_mistakes = page.get_by_role("group", name="Make a mistake")
    expect(list_of_mistakes.get_by_role("radio")).to_have_count(1 + len(MISTAKES))
    wrong = list_of_mistakes.get_by_role("radio", name="forget to rescale l", exact=True)
    expect(wrong).to_have_accessible_description(re.compile("acc shrinks and l stays"))
    wrong.check()
    view = page.get_by_test_id("breakit")
    expect(view).to_have_attribute("data-mistake", "sum_not_rescaled")
    expect(page.get_by_test_id("stage")).to_have_attribute("data-step", "26")
    assert "run_mistake=sum_not_rescaled" in page.url
    # The list stays open, and arrows choose at once, as in every group of radio buttons.
    wrong.press("ArrowDown")
    expect(view).to_have_attribute("data-mistake", "accumulator_not_rescaled")
    page.keyboard.press("Escape")
    expect(list_of_mistakes).to_be_hidden()
    expect(breaker).to_be_focused()
    page.reload()
    expect(page.get_by_test_id("breakit")).to_have_attribute("data-mistake", "accumulator_not_rescaled")
    breaker.click()
    list_of_mistakes.get_by_role("radio", name="none: the right algorithm").check()
    expect(page.get_by_test_id("breakit")).to_have_count(0)
    assert "run_mistake" not in page.url


def test_stepping_and_choosing_rows_sends_nothing_and_works_by_keyboard(page: Page, server_url: str) -> None:
    sent: list[object] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    view = open_broken(page, server_url, "run_mistake=no_rescale&step=26")
    page.wait_for_timeout(1500)
    assert sent, "the page never spoke to its server, so silence would prove nothing"
    before = len(sent)
    view.get_by_test_id("parts-at").focus()
    page.keyboard.press("Enter")
    chart = view.get_by_test_id("error-row").nth(2)
    chart.focus()
    page.keyboard.press("Enter")
    expect(chart).to_have_attribute("aria-pressed", "true")
    expect(view.locator("caption")).to_contain_text("were")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("End")
    page.wait_for_timeout(600)
    assert len(sent) == before


def test_a_wrong_name_in_the_address_is_answered(page: Page, server_url: str) -> None:
    page.goto(f"{server_url}/step_through?run_mistake=no_idea")
    expect(page.get_by_test_id("stAlert")).to_contain_text("no_idea")
    expect(page.get_by_test_id("stAlert")).to_contain_text("no_rescale")
    expect(page.get_by_test_id("stage")).to_be_visible()
    expect(page.get_by_test_id("breakit")).to_have_count(0)


@pytest.mark.parametrize(("width", "theme"), [(390, "light"), (720, "dark"), (1440, "dark")])
def test_nothing_sticks_out(new_page: Callable[..., Page], server_url: str, width: int, theme: str) -> None:
    page = new_page(width=width, height=844, theme=theme)
    view = open_broken(page, server_url, "run_mistake=no_max&run_input=huge&step=20")
    assert view.evaluate("node => node.scrollWidth - node.clientWidth") <= 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(page.get_by_role("button", name="Next step", exact=True)).to_be_in_viewport()
    for cell in view.locator("td").all():
        box = cell.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= width


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("mistake", MISTAKES)
def test_charts_hold_every_error_on_one_scale(run: Modules, mistake: str, order: str) -> None:
    sent = compare(*traces(mistake, order=order))
    scale = run("breakit_chart.js", "m.errorRange(x.errors, x.allowed)", sent)
    sizes = [e for points in sent["errors"] for *_, e in points if e not in ("nan", "inf")]
    assert 10 ** scale["low"] < sent["allowed"] < 10 ** scale["high"]
    assert max(sizes, default=0) <= 10 ** scale["high"]
    heights = run("breakit_chart.js", "x[0].map((e) => m.errorHeight(e, x[1]))", [sorted(sizes), scale])
    assert heights == sorted(heights)
    assert all(0 <= height <= 0.86 for height in heights)
    assert run("breakit_chart.js", "['nan', 'inf'].map((e) => m.errorHeight(e, x))", scale) == [1, 1]
    told = run("breakit.js", "m.luckOf(x, x.lucky.map((_, i) => String(i))).lucky", sent)
    assert told == [str(row) for row, lucky in enumerate(sent["lucky"]) if lucky]


@pytest.mark.parametrize(
    ("one", "other", "differs"),
    [
        *[(1, 1, False), (1, 1.00001, False), (1, 1.01, True), ("nan", "nan", False), ("nan", 1, True)],
        *[("inf", "inf", False), ("inf", None, True), (None, None, False), (None, 0, True), (0, 1e-9, True)],
    ],
)
def test_what_counts_as_different(run: Modules, one: Any, other: Any, differs: bool) -> None:
    assert run("breakit.js", "m.partsFrom(x[0], x[1])", [one, other]) == differs


@pytest.mark.parametrize(("width", "height"), [(1024, 768), (1440, 900)])
def test_before_a_room_the_mistake_stands_large(
    new_page: Callable[..., Page], width: int, height: int
) -> None:
    """It takes the room of outer memory; all of it is on the screen, and nothing of it is small."""
    page = new_page(width=width, height=height)
    right, wrong = traces("no_rescale")
    view = mounted(page, right, wrong, f"?present=1&step={right.first_rescale()}")
    expect(view).to_be_in_viewport(ratio=1)
    expect(page.get_by_test_id("stage").locator(".zone.outer")).to_be_hidden()
    small = view.evaluate(
        """view => [...view.querySelectorAll('.reason, .sides td, .growth h3, .luck')]
          .filter((node) => parseFloat(getComputedStyle(node).fontSize) < 16).map((node) => node.className)"""
    )
    assert small == []
    table = view.locator(".sides-box")
    assert table.evaluate("box => box.scrollWidth <= box.clientWidth + 1"), "the table is cut off"
