"""The one-row player in a real browser, against the engine's own numbers."""

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from engine.one_row import METHODS, Method, RowRun, softmax_row
from lesson.softmax_text import load_row_text
from tests.browser.conftest import watch
from tests.browser.modules import IMPORT
from tests.browser.stage_page import mount_row
from ui.joiner import join_modules
from ui.softmax.payload import encode_row

PATH = "/online_softmax"
WORDS, PRESETS = load_row_text()
ROW = PRESETS[0].row
HUGE = next(preset.row for preset in PRESETS if preset.key == "huge")
SOFTMAX = Path(__file__).parents[2] / "ui" / "softmax"


def open_player(page: Page, server_url: str, query: str = "") -> Locator:
    page.goto(f"{server_url}{PATH}{query}")
    player = page.get_by_test_id("one-row")
    expect(player).to_be_visible()
    return player


def at(player: Locator, step: int) -> None:
    expect(player).to_have_attribute("data-step", str(step))


def press(player: Locator, name: str) -> None:
    player.get_by_role("button", name=name, exact=True).click()


def choose(player: Locator, method: Method) -> None:
    player.get_by_role("group", name="Which way").get_by_role(
        "button", name=re.compile(f"^{re.escape(WORDS['methods'][method])}")
    ).click()
    expect(player).to_have_attribute("data-method", method)


def number(text: str | None) -> float:
    plain = (text or "").replace("\u2212", "-").replace("∞", "inf").replace("NaN", "nan")
    found = re.search(r"(-?[\d.]+) × 10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", plain)
    if found:
        power = found[2].translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
        return float(f"{found[1]}e{power}")
    return float(plain.split()[-1])


def same(shown: float, exact: float) -> bool:
    if math.isnan(exact):
        return math.isnan(shown)
    return shown == exact or math.isclose(shown, exact, rel_tol=6e-3)


# What stands on screen at every step of the way shown, from here on by the arrow key.
WALK = """async (player) => {
  const nodes = (name) => [...player.querySelectorAll(`[data-testid="${name}"]`)];
  const words = (name) => nodes(name).map((node) => node.textContent);
  const frames = [];
  for (let step = 0; step < Number(player.dataset.steps); step += 1) {
    if (player.dataset.step !== String(step)) throw new Error(`step ${player.dataset.step}, not ${step}`);
    const [m, l, alpha] = ["kept-m", "kept-l", "kept-alpha"].map((name) => words(name)[0]);
    frames.push({ ...player.dataset, reads: words("reads"), shares: words("share"), m, l, alpha });
    document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
  }
  return frames;
}"""


def check_frame(seen: dict[str, Any], run: RowRun, step: int) -> None:
    """Compare every number on screen at a step with the engine's."""
    if step == 0:
        assert seen["kind"] == "start"
        assert seen["alpha"] == WORDS["kept"]["unused"]
        assert seen["reads"] == ["read 0×"] * len(run.x)
        return
    frame = run.frames[step - 1]
    assert (seen["kind"], seen["index"]) == (frame.phase, str(frame.index))
    assert seen["reads"] == [f"read {times}×" for times in frame.reads]
    if run.method != "naive":
        assert same(number(seen["m"]), frame.m), step
    else:
        assert seen["m"] == WORDS["kept"]["unused"]
    assert same(number(seen["l"]), frame.l), step
    if run.method == "online":
        assert same(number(seen["alpha"]), frame.alpha), step
    written = {each.index: each.output for each in run.frames[:step] if each.output is not None}
    for index, text in enumerate(seen["shares"]):
        if index in written:
            assert same(number(text), written[index]), (step, index)
        else:
            assert text == WORDS["elements"]["unwritten"]


@pytest.mark.parametrize(
    "preset", [PRESETS[0], *(p for p in PRESETS if p.key in ("huge", "masked", "low", "nothing"))]
)
def test_numbers_at_every_step_are_the_engines(page: Page, preset: Any) -> None:
    trouble = watch(page)
    player = mount_row(page, preset.row)
    for method in METHODS:
        choose(player, method)
        press(player, "First step")
        run = softmax_row(preset.row, method)
        frames = player.evaluate(WALK)
        assert len(frames) == len(run.frames) + 1
        for step, seen in enumerate(frames):
            check_frame(seen, run, step)
    assert not trouble.errors


def test_comparison_shows_all_three_ways_beside_float64(page: Page) -> None:
    player = mount_row(page, HUGE)
    expect(player.get_by_test_id("row-verdict")).to_contain_text("overflowed")
    for method in METHODS:
        run = softmax_row(HUGE, method)
        column = player.locator(f'[data-way="{method}"]')
        shown = column.all_text_contents()
        for text, exact in zip(shown, run.result, strict=False):
            assert same(number(text), exact), method
        assert player.locator(f'[data-way="{method}"][data-row="loads"]').text_content() == str(run.loads)
        statistics = player.locator(f'[data-way="{method}"][data-row="statistics"]')
        assert statistics.text_content() == str(run.loads_for_statistics)
    exact = encode_row(HUGE)["exact"]
    for text, value in zip(player.locator('[data-way="exact"]').all_text_contents(), exact, strict=True):
        assert same(number(text), value)


def test_every_split_joins_both_ways_to_the_whole(page: Page) -> None:
    player = mount_row(page, ROW)
    merge = encode_row(ROW)["merge"]
    slider = player.get_by_role("slider", name=WORDS["merge"]["split"])
    for split, parts in enumerate(merge["splits"]):
        slider.evaluate(
            "(node, value) => { node.value = value; node.dispatchEvent(new Event('input')); }", str(split)
        )
        for name, state in {**parts, "whole": merge["whole"]}.items():
            for letter in ("m", "l"):
                shown = player.get_by_test_id(f"merge-{name}-{letter}")
                exact = -math.inf if state[letter] is None else state[letter]
                assert same(number(shown.text_content()), exact), (split, name, letter)
    slider.focus()
    page.keyboard.press("ArrowLeft")
    expect(slider).to_have_attribute("aria-valuetext", re.compile(f"^{len(ROW) - 1} of {len(ROW)}"))
    at(player, 0)


def test_buttons_keys_slider_and_play(page: Page) -> None:
    player = mount_row(page, ROW)
    last = len(softmax_row(ROW, "online").frames)
    press(player, "Last step")
    at(player, last)
    press(player, "Previous step")
    at(player, last - 1)
    press(player, "First step")
    press(player, "Next rescale")
    at(player, 2)
    for key, step in [("r", 4), ("r", 2), ("PageDown", 3), ("ArrowLeft", 2), ("End", last), ("Home", 0)]:
        page.keyboard.press(key)
        at(player, step)
    slider = player.get_by_role("slider", name="Step", exact=True)
    slider.evaluate("node => { node.value = 5; node.dispatchEvent(new Event('input')); }")
    at(player, 5)
    press(player, "First step")
    player.get_by_label("Speed").select_option(label="max")
    press(player, "Play")
    at(player, last)
    expect(player.get_by_role("button", name="Play", exact=True)).to_be_visible()


def test_next_rescale_is_off_with_a_reason_where_nothing_rescales(page: Page) -> None:
    # The reason is the row's or the way's, and the page knows which.
    for row, way, reason in ((ROW, "two_pass", "never_rescales"), ([5.0, 2.0, 1.0], "online", "no_rescale")):
        player = mount_row(page, row)
        choose(player, way)
        expect(player.get_by_role("button", name="Next rescale", exact=True)).to_be_disabled()
        expect(player.get_by_test_id("no-rescale")).to_have_text(WORDS["transport"][reason])


def test_typing_in_the_field_never_steps_and_a_row_can_be_edited(page: Page, server_url: str) -> None:
    player = open_player(page, server_url)
    field = page.get_by_label("One row of scores", exact=True)
    field.fill("4, 1")
    field.press("ArrowLeft")
    field.press("End")
    at(player, 0)
    field.press("Enter")
    expect(player).to_have_attribute("data-steps", "5")
    page.wait_for_function("() => new URL(location.href).searchParams.get('row_x') === '4, 1'")
    page.get_by_label(WORDS["page"]["presets"]).select_option(label="Falling")
    expect(player).to_have_attribute("data-steps", "13")
    expect(field).to_have_value("3, 2, 1, 0, -1, -2")


def test_a_wrong_address_is_named_and_the_page_works(page: Page, server_url: str) -> None:
    player = open_player(page, server_url, "?row_x=1,%20two&row_method=fast&row_step=999&row_colour=red")
    alerts = page.get_by_test_id("stAlert")
    for message in (["row_method=fast", "two_pass"], ["row_step=999", "steps 0 to 12"], ["row_colour"]):
        for words in message:
            expect(alerts.filter(has_text=message[0])).to_contain_text(words)
    refused = page.get_by_test_id("row-refused")
    expect(refused).to_contain_text("“two”")
    field = page.get_by_label("One row of scores", exact=True)
    for typed, words in (("1, 99999", ["99999", "10,000"]), ("1," * 17, ["17 numbers", "1 to 16"])):
        field.fill(typed)
        field.press("Enter")
        for each in words:
            expect(refused).to_contain_text(each)
        expect(field).to_have_value(typed)
    press(player, "First step")
    press(player, "Next step")
    at(player, 1)


def test_a_link_opens_its_way_and_step(page: Page) -> None:
    player = mount_row(page, ROW, "?row_method=two_pass&row_step=9")
    expect(player).to_have_attribute("data-method", "two_pass")
    at(player, 9)
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => new URL(location.href).searchParams.get('row_step') === '10'")
    choose(player, "naive")
    page.wait_for_function("() => new URL(location.href).searchParams.get('row_method') === 'naive'")
    choose(player, "two_pass")
    at(player, 10)


def test_nothing_here_talks_to_the_server(page: Page, server_url: str) -> None:
    sent: list[Any] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    player = open_player(page, server_url)
    page.wait_for_timeout(1500)
    before = len(sent)
    for method in METHODS:
        choose(player, method)
        for key in ("End", "Home", "ArrowRight", "r"):
            page.keyboard.press(key)
    slider = player.get_by_role("slider", name=WORDS["merge"]["split"])
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(600)
    assert len(sent) == before


def test_nothing_sticks_out(page: Page, server_url: str) -> None:
    sixteen = ",%20".join(str(number * 1.5 - 9) for number in range(16))
    player = open_player(page, server_url, f"?row_x={sixteen}")
    page.keyboard.press("End")
    for width, height in [(390, 844), (720, 450), (1440, 900)]:
        page.set_viewport_size({"width": width, "height": height})
        assert player.evaluate("node => node.scrollWidth - node.clientWidth") <= 0, width
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width


def parsed(text: str) -> float:
    return number(text)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.key)
def test_a_calculator_confirms_every_formula(blank: Page, method: Method, preset: Any) -> None:
    """Recomputed from the digits on screen, a result rounds to the digits on screen."""
    payload = encode_row(preset.row)
    text = join_modules(SOFTMAX, "row_formula.js", export_names=True)
    frames = payload["methods"][method]["frames"]
    lines = blank.evaluate(
        IMPORT,
        [
            text,
            """x.frames.flatMap((frame) => {
                const score = frame.index === null ? null : x.data.row[frame.index];
                return m.rowFormula({ data: x.data, method: x.method, frame, x: score }, x.data.words);
            })""",
            json.loads(json.dumps({"data": payload, "method": method, "frames": frames})),
        ],
    )
    checked = 0
    for each in lines:
        if each["label"] == WORDS["formula"]["overflow"]:
            continue
        expression = each["numbers"].replace("\u2212", "-").replace("×", "*").replace("∞", "math.inf")
        expression = re.sub(r"\* 10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda found: "* 10.0**(" + found[1].translate(
            str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")) + ")", expression)  # fmt: skip
        expression = re.sub(r"e\^\{([^}]*)\}", r"math.exp(\1)", expression)
        value = eval(expression, {"math": math, "max": max})
        shown = each["result"]
        digits = len(re.sub(r"[^\d]", "", shown.split(" ×")[0]).lstrip("0")) or 1
        exact = parsed(shown)
        assert exact == value or abs(value - exact) <= 0.5001 * 10 ** (
            math.floor(math.log10(abs(exact))) - digits + 1
        ), each
        checked += 1
    assert checked or preset.key in ("low", "nothing") or method == "naive"


def test_all_ways_fit_a_phone(server_url: str, new_page: Callable[..., Page]) -> None:
    """The last columns of the comparison are what is taught."""
    player = open_player(new_page(width=390, height=844), server_url)
    table = player.get_by_role("group", name=WORDS["compare"]["caption"])
    assert table.evaluate("box => box.scrollWidth - box.clientWidth") == 0
