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
from lesson.softmax_row import row_text
from lesson.softmax_text import load_row_text
from tests.browser.conftest import watch
from tests.browser.modules import IMPORT
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


def check_frame(player: Locator, run: RowRun, step: int) -> None:
    """Compare every number on screen at a step with the engine's."""
    at(player, step)
    if step == 0:
        expect(player).to_have_attribute("data-kind", "start")
        expect(player.get_by_test_id("kept-alpha")).to_have_text(WORDS["kept"]["unused"])
        assert player.get_by_test_id("reads").all_text_contents() == ["read 0×"] * len(run.x)
        return
    frame = run.frames[step - 1]
    expect(player).to_have_attribute("data-kind", frame.phase)
    expect(player).to_have_attribute("data-index", str(frame.index))
    reads = player.get_by_test_id("reads").all_text_contents()
    assert reads == [f"read {times}×" for times in frame.reads]
    if run.method != "naive":
        assert same(number(player.get_by_test_id("kept-m").text_content()), frame.m), step
    else:
        expect(player.get_by_test_id("kept-m")).to_have_text(WORDS["kept"]["unused"])
    assert same(number(player.get_by_test_id("kept-l").text_content()), frame.l), step
    if run.method == "online":
        assert same(number(player.get_by_test_id("kept-alpha").text_content()), frame.alpha), step
    shares = player.get_by_test_id("share").all_text_contents()
    written = {each.index: each.output for each in run.frames[:step] if each.output is not None}
    for index, text in enumerate(shares):
        if index in written:
            assert same(number(text), written[index]), (step, index)
        else:
            assert text == WORDS["elements"]["unwritten"]


@pytest.mark.parametrize(
    "preset", [PRESETS[0], *(p for p in PRESETS if p.key in ("huge", "masked", "low", "nothing"))]
)
def test_numbers_at_every_step_are_the_engines(page: Page, server_url: str, preset: Any) -> None:
    trouble = watch(page)
    player = open_player(page, server_url, f"?row_x={row_text(preset.row).replace(' ', '%20')}")
    for method in METHODS:
        choose(player, method)
        press(player, "First step")
        run = softmax_row(preset.row, method)
        expect(player).to_have_attribute("data-steps", str(len(run.frames) + 1))
        for step in range(len(run.frames) + 1):
            check_frame(player, run, step)
            page.keyboard.press("ArrowRight")
    assert not trouble.errors
    assert not trouble.outside(server_url)


def test_comparison_shows_all_three_ways_beside_float64(page: Page, server_url: str) -> None:
    player = open_player(page, server_url, "?row_x=2,%201,%20120,%20119,%203")
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


def test_every_split_joins_both_ways_to_the_whole(page: Page, server_url: str) -> None:
    player = open_player(page, server_url)
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


def test_buttons_keys_slider_and_play(page: Page, server_url: str) -> None:
    player = open_player(page, server_url)
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


def test_next_rescale_is_off_with_a_reason_where_nothing_rescales(page: Page, server_url: str) -> None:
    player = open_player(page, server_url)
    choose(player, "two_pass")
    expect(player.get_by_role("button", name="Next rescale", exact=True)).to_be_disabled()
    expect(player.get_by_test_id("no-rescale")).to_have_text(WORDS["transport"]["no_rescale"])


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


@pytest.mark.parametrize(
    ("query", "messages"),
    [
        ("?row_x=1,%20two", ["“two”", "must be a number"]),
        ("?row_x=1,%2099999", ["99999", "10,000"]),
        ("?row_x=" + "1," * 17, ["17 numbers", "1 to 16"]),
        ("?row_method=fast", ["row_method=fast", "two_pass"]),
        ("?row_step=999", ["row_step=999", "steps 0 to 12"]),
        ("?row_colour=red", ["row_colour"]),
    ],
)
def test_a_wrong_address_is_named_and_the_page_works(
    page: Page, server_url: str, query: str, messages: list[str]
) -> None:
    player = open_player(page, server_url, query)
    place = page.get_by_test_id("row-refused" if "row_x" in query else "stAlert")
    for message in messages:
        expect(place).to_contain_text(message)
    press(player, "First step")
    press(player, "Next step")
    at(player, 1)


def test_a_link_opens_its_way_and_step(page: Page, server_url: str) -> None:
    player = open_player(page, server_url, "?row_method=two_pass&row_step=9")
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


@pytest.mark.parametrize(("width", "height"), [(390, 844), (720, 450), (1440, 900)])
def test_nothing_sticks_out(new_page: Callable[..., Page], server_url: str, width: int, height: int) -> None:
    page = new_page(width=width, height=height)
    sixteen = ",%20".join(str(number * 1.5 - 9) for number in range(16))
    player = open_player(page, server_url, f"?row_x={sixteen}")
    page.keyboard.press("End")
    assert player.evaluate("node => node.scrollWidth - node.clientWidth") <= 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


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
