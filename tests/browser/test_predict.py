"""Predict, then see: when and how the player asks."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import watch
from tests.browser.modules import Modules
from tests.browser.stage_page import mount
from tests.browser.test_predict_modules import ORDERS, questions, traced


def open_stage(page: Page, server_url: str, query: str = "") -> Locator:
    page.goto(f"{server_url}/step_through{query}")
    stage = page.get_by_test_id("stage")
    expect(stage).to_be_visible()
    return stage


def at(stage: Locator, step: int) -> None:
    expect(stage).to_have_attribute("data-step", str(step))


def first(run: Modules, kind: str, **changes: Any) -> dict[str, Any]:
    return next(question for question in questions(run, traced(**changes)) if question["kind"] == kind)


@pytest.fixture
def alpha(run: Modules) -> dict[str, Any]:
    return first(run, "alpha")


def test_asks_before_it_reveals_and_only_once(page: Page, run: Modules) -> None:
    rise = first(run, "rise")
    index, right = rise["index"], next(c["id"] for c in rise["choices"] if c["right"])
    stage = mount(page, traced(), f"?step={index - 1}", ask=True)
    card = page.get_by_test_id("predict")
    expect(card).to_be_hidden()
    row = stage.locator('[data-testid="row-m-new"]')
    shown = row.all_inner_texts()
    page.keyboard.press("ArrowRight")
    expect(card).to_be_visible()
    at(stage, index - 1)
    assert row.all_inner_texts() == shown
    expect(stage).to_have_attribute("data-asking", "rise")
    expect(stage.locator(".spoken")).to_contain_text("Question:")
    assert (
        stage.locator(".marks .rose").first.evaluate("node => getComputedStyle(node).visibility") == "hidden"
    )
    card.locator(f'[data-answer="{right}"]').click()
    at(stage, index)
    expect(card).to_have_attribute("data-state", "right")
    expect(page.get_by_test_id("predict-verdict")).to_contain_text("Right.")
    page.keyboard.press("ArrowLeft")
    expect(card).to_be_hidden()
    page.keyboard.press("ArrowRight")
    at(stage, index)
    expect(card).to_be_hidden()
    page.wait_for_function("step => new URL(location.href).searchParams.get('step') === step", arg=str(index))
    mount(page, traced(), f"?step={index - 1}", ask=True)
    page.keyboard.press("ArrowRight")
    at(page.get_by_test_id("stage"), index)
    expect(page.get_by_test_id("predict")).to_be_hidden()


def test_a_named_mistake_gets_its_own_reason_and_typing_never_steps(
    page: Page, alpha: dict[str, Any]
) -> None:
    wrong = next(each for each in alpha["wrongs"] if each["id"] == "upside_down")
    index = alpha["index"]
    stage = mount(page, traced(), f"?step={index - 1}", ask=True)
    page.keyboard.press("PageDown")
    field = page.get_by_test_id("predict-number")
    expect(field).to_be_visible()
    expect(page.get_by_test_id("predict-counts")).to_have_text("Within 0.02 counts.")
    page.keyboard.press("a")
    expect(field).to_be_focused()
    expect(field).to_have_value("")
    for key in ("ArrowRight", "Space", "End", "r", "PageDown"):
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("predict-verdict")).to_contain_text("Type a number")
    expect(field).to_have_attribute("aria-invalid", "true")
    at(stage, index - 1)
    field.fill(f"{wrong['value']:.3f}".replace(".", ","))
    page.keyboard.press("Enter")
    at(stage, index)
    verdict = page.get_by_test_id("predict-verdict")
    expect(verdict).to_contain_text("subtract the other way round")
    expect(verdict).to_contain_text(f"{wrong['value']:.3g}")
    expect(page.get_by_test_id("predict-score")).to_contain_text("0 of 1")
    # The arrow keys step again at once.
    page.keyboard.press("ArrowRight")
    at(stage, index + 1)
    expect(page.get_by_test_id("predict")).to_be_hidden()


def test_a_right_number_is_right_with_a_comma(page: Page, alpha: dict[str, Any]) -> None:
    stage = mount(page, traced(), f"?step={alpha['index'] - 1}", ask=True)
    stage.get_by_role("button", name="Next step", exact=True).click()
    page.get_by_test_id("predict-number").fill(f"{alpha['answer'] + 0.01:.3f}".replace(".", ","))
    page.get_by_test_id("predict").get_by_role("button", name="Check").click()
    expect(page.get_by_test_id("predict")).to_have_attribute("data-state", "right")
    at(stage, alpha["index"])


@pytest.mark.parametrize("order", ORDERS)
def test_the_key_in_the_browser_is_the_key(page: Page, run: Modules, order: str) -> None:
    """Walk the whole run by its questions, answer each rightly, and hear so."""
    asked = questions(run, traced(order=order))
    stage = mount(page, traced(order=order), ask=True)
    slider = stage.get_by_role("slider", name="Step", exact=True)
    for count, question in enumerate(asked, 1):
        before = question["index"] - 1
        slider.evaluate(
            "(node, to) => { node.value = to; node.dispatchEvent(new Event('input')); }", str(before)
        )
        at(stage, before)
        page.keyboard.press("ArrowRight")
        expect(stage).to_have_attribute("data-asking", question["kind"])
        if "choices" in question:
            right = next(choice["id"] for choice in question["choices"] if choice["right"])
            options = page.get_by_test_id("predict-option").evaluate_all(
                "nodes => nodes.map((n) => n.dataset.answer)"
            )
            page.keyboard.press(str(options.index(right) + 1))
        else:
            page.keyboard.press("a")
            page.get_by_test_id("predict-number").fill(f"{question['answer']:.5g}")
            page.keyboard.press("Enter")
        expect(page.get_by_test_id("predict")).to_have_attribute("data-state", "right")
        expect(page.get_by_test_id("predict-score")).to_have_text(f"{count} of {count} right in this run")
        at(stage, question["index"])


def test_a_second_step_goes_on_and_escape_closes(page: Page, run: Modules) -> None:
    asked = questions(run, traced())
    index = asked[0]["index"]
    stage = mount(page, traced(), f"?step={index - 1}", ask=True)
    page.keyboard.press("ArrowRight")
    expect(page.get_by_test_id("predict")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("predict")).to_be_hidden()
    at(stage, index - 1)
    page.keyboard.press("ArrowRight")
    expect(page.get_by_test_id("predict")).to_be_visible()
    page.keyboard.press("ArrowRight")
    at(stage, index)
    expect(page.get_by_test_id("predict")).to_be_hidden()
    # Once, the player says that a step went past a question.
    passed = page.get_by_test_id("predict-passed")
    expect(passed).to_contain_text("stepped past a question")
    page.keyboard.press("ArrowLeft")
    expect(passed).to_be_hidden()
    page.keyboard.press("ArrowRight")
    at(stage, index)


def test_whoever_turns_questions_on_is_told_when_the_next_one_comes(page: Page, run: Modules) -> None:
    asked = questions(run, traced())
    stage = mount(page, traced(), f"?step={asked[0]['index']}")
    told, toggle = page.get_by_test_id("predict-passed"), page.get_by_test_id("predict-toggle")
    toggle.click()
    expect(told).to_have_text(f"The next question comes before step {asked[1]['index'] + 1}.")
    toggle.click()
    expect(told).to_be_hidden()
    page.keyboard.press("End")
    toggle.click()
    expect(told).to_contain_text("No question lies ahead")
    page.keyboard.press("ArrowLeft")
    at(stage, len(traced().steps) - 2)
    expect(told).to_be_hidden()


def test_skip_and_stop_asking_are_remembered(page: Page, run: Modules) -> None:
    asked = questions(run, traced())
    stage = mount(page, traced(), f"?step={asked[0]['index'] - 1}", ask=True)
    page.keyboard.press("ArrowRight")
    page.get_by_test_id("predict-skip").click()
    at(stage, asked[0]["index"])
    expect(stage.get_by_role("button", name="Next step", exact=True)).to_be_focused()
    stage = mount(page, traced(), f"?step={asked[1]['index'] - 1}", ask=True)
    page.keyboard.press("ArrowRight")
    page.get_by_test_id("predict-never").click()
    at(stage, asked[1]["index"])
    toggle = page.get_by_test_id("predict-toggle")
    expect(toggle).to_have_attribute("aria-pressed", "false")
    stage = mount(page, traced(), f"?step={asked[2]['index'] - 1}", ask=True)
    expect(page.get_by_test_id("predict-toggle")).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("ArrowRight")
    at(stage, asked[2]["index"])
    # Turned on again, it asks from the start, also what was skipped.
    page.get_by_test_id("predict-toggle").click()
    stage = mount(page, traced(), f"?step={asked[0]['index'] - 1}", ask=True)
    page.keyboard.press("ArrowRight")
    expect(page.get_by_test_id("predict")).to_be_visible()


def test_links_scrubbing_and_jumps_show_at_once(page: Page, alpha: dict[str, Any]) -> None:
    index = alpha["index"]
    stage = mount(page, traced(), f"?step={index}", ask=True)
    at(stage, index)
    card = page.get_by_test_id("predict")
    expect(card).to_be_hidden()
    # What has been on screen is no longer a prediction.
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    at(stage, index)
    expect(card).to_be_hidden()
    for key in ("Home", "r", "End"):
        page.keyboard.press(key)
        expect(card).to_be_hidden()
    slider = stage.get_by_role("slider", name="Step", exact=True)
    slider.evaluate("node => { node.value = 40; node.dispatchEvent(new Event('input')); }")
    at(stage, 40)
    expect(card).to_be_hidden()


def test_moving_away_closes_the_question(page: Page, alpha: dict[str, Any]) -> None:
    stage = mount(page, traced(), f"?step={alpha['index'] - 1}", ask=True)
    page.keyboard.press("ArrowRight")
    card = page.get_by_test_id("predict")
    expect(card).to_be_visible()
    page.keyboard.press("Home")
    at(stage, 0)
    expect(card).to_be_hidden()
    assert stage.get_attribute("data-asking") is None
    # A closed card leaves the number keys alone.
    page.keyboard.press("1")
    at(stage, 0)


def test_play_stops_to_ask_and_goes_on_when_skipped(page: Page, run: Modules) -> None:
    index = questions(run, traced())[0]["index"]
    stage = mount(page, traced(), f"?step={index - 2}", ask=True)
    stage.get_by_label("Speed").select_option(label="8×")
    stage.get_by_role("button", name="Play", exact=True).click()
    expect(page.get_by_test_id("predict")).to_be_visible()
    at(stage, index - 1)
    expect(stage.get_by_role("button", name="Play", exact=True)).to_be_visible()
    page.get_by_test_id("predict-skip").click()
    expect(stage.get_by_role("button", name="Pause", exact=True)).to_be_visible()
    page.wait_for_function(
        "([stage, from]) => Number(stage.dataset.step) > from", arg=[stage.element_handle(), index]
    )


def test_off_at_home_in_presenter_mode_and_by_address(
    page: Page, server_url: str, alpha: dict[str, Any]
) -> None:
    index = alpha["index"]
    stage = mount(page, traced(), f"?step={index - 1}&ask=off", ask=True)
    page.keyboard.press("ArrowRight")
    at(stage, index)
    stage = mount(page, traced(), f"?step={index - 1}", ask=True)
    stage.evaluate("node => node.setAttribute('data-presenter', '')")
    page.keyboard.press("ArrowRight")
    at(stage, index)
    expect(page.get_by_test_id("predict")).to_be_hidden()
    page.goto(f"{server_url}/?step={index - 1}")
    stage = page.get_by_test_id("stage")
    expect(page.get_by_test_id("predict-toggle")).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("ArrowRight")
    at(stage, index)


def test_works_where_the_browser_keeps_nothing(
    new_page: Callable[..., Page], server_url: str, alpha: dict[str, Any]
) -> None:
    page = new_page(of_its_own=True)
    trouble = watch(page)
    page.add_init_script(
        """for (const name of ["getItem", "setItem"]) {
          const own = Storage.prototype[name];
          Storage.prototype[name] = function (key, ...rest) {
            if (String(key).startsWith("tilewise.")) throw new DOMException("no", "SecurityError");
            return own.call(this, key, ...rest);
          };
        }"""
    )
    stage = open_stage(page, server_url, f"?step={alpha['index'] - 1}")
    page.keyboard.press("ArrowRight")
    page.get_by_test_id("predict-number").fill("9")
    page.keyboard.press("Enter")
    at(stage, alpha["index"])
    expect(page.get_by_test_id("predict")).to_have_attribute("data-state", "wrong")
    assert not trouble.errors


def test_answering_sends_nothing_to_the_server(page: Page, server_url: str, run: Modules) -> None:
    sent: list[object] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    rise = first(run, "rise")
    open_stage(page, server_url, f"?step={rise['index'] - 1}")
    page.wait_for_timeout(1500)
    assert sent, "the page never spoke to its server, so silence would prove nothing"
    before = len(sent)
    page.keyboard.press("ArrowRight")
    page.get_by_test_id("predict-option").first.click()
    page.keyboard.press("ArrowRight")
    page.get_by_test_id("predict-number").fill("0.5")
    page.keyboard.press("Enter")
    page.get_by_test_id("predict-close").click()
    page.get_by_test_id("predict-toggle").click()
    page.wait_for_timeout(1000)
    assert len(sent) == before


@pytest.mark.parametrize(("width", "height"), [(390, 844), (720, 450), (1440, 900)])
def test_card_is_in_view_and_nothing_sticks_out(
    new_page: Callable[..., Page], server_url: str, alpha: dict[str, Any], width: int, height: int
) -> None:
    page = new_page(width=width, height=height)
    stage = open_stage(page, server_url, f"?step={alpha['index'] - 1}")
    page.keyboard.press("ArrowRight")
    card = page.get_by_test_id("predict")
    expect(card).to_be_visible()
    box = card.bounding_box()
    assert box is not None
    assert box["x"] >= 0 and box["x"] + box["width"] <= width
    assert box["y"] >= 0 and box["y"] + box["height"] <= height
    expect(page.get_by_test_id("predict-number")).to_be_in_viewport()
    assert stage.evaluate("node => node.scrollWidth - node.clientWidth") <= 0
    assert json.loads(page.evaluate("JSON.stringify(document.documentElement.scrollWidth <= innerWidth)"))
