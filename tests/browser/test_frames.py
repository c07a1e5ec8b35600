"""Every frame reads by itself: the screen shows what the engine computed, and a calculator confirms it."""

import math
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from engine import Trace
from lesson.stage_text import load_stage_text
from tests.browser.stage_page import given, go, mount, traced

ORDERS = ("q_outer", "kv_outer")
DEFAULT = "keys-lock.subject"
KINDS = tuple(load_stage_text()["kinds"])
# Real heads, and made-up inputs that rise, tie, overflow a naive softmax, leave rows empty or tiles ragged.
INPUTS = (DEFAULT, "rising", "falling", "equal", "dominant", "huge", "empty-row", "masked-first", "ragged")

# What a reader sees at every step and for every row that can be chosen there.
READ = """() => {
  const root = document.getElementById('at').shadowRoot.querySelector('.stage');
  const plain = (node) => {
    const copy = node.cloneNode(true);
    for (const sup of copy.querySelectorAll('sup')) sup.replaceWith(`^(${sup.textContent})`);
    return copy.textContent;
  };
  const frames = [];
  for (let step = 0; step < Number(root.dataset.steps); step += 1) {
    window.goTo(String(step));
    const picks = [...root.querySelectorAll('[data-testid=row-pick]')]
      .filter((pick) => pick.offsetParent && !pick.disabled);
    const rows = picks.length ? picks : [null];
    rows.forEach((pick, row) => {
      pick?.click();
      const text = (name) => root.querySelector(`[data-testid="${name}"]`).textContent;
      frames.push({
        step, row, kind: root.dataset.kind, tile: root.dataset.tile,
        sentence: text('sentence'), meter: text('meter'), name: text('step-name'),
        tiled: root.querySelector('[data-testid="ledger-tiled"]').dataset.bytes,
        standard: root.querySelector('[data-testid="ledger-standard"]').dataset.bytes,
        parts: [...root.querySelectorAll('.meter .part')].map((part) => part.title).filter(Boolean),
        widths: [...root.querySelectorAll('.meter .part')].map((part) => parseFloat(part.style.width) || 0),
        note: pick ? root.querySelector(`[data-testid=row-note][data-row="${row}"]`).textContent : '',
        cells: pick ? Object.fromEntries(
          [...root.querySelectorAll(`.stats tr[data-row="${row}"] td[data-column]`)]
          .map((cell) => [cell.dataset.column, [cell.dataset.value ?? null, cell.textContent]])) : {},
        accumulator: root.querySelector('[data-panel="acc"] .note').textContent,
        accumulatorName: root.querySelector('[data-panel="acc"] .name').textContent,
        lines: [...root.querySelectorAll('.formula > div')].map((line) => ({
          symbols: plain(line.querySelector('.symbols')), numbers: plain(line.querySelector('.numbers')),
          result: line.querySelector('.result b')?.textContent ?? null })),
      });
    });
  }
  return frames;
}"""

_cache: dict[tuple[str, str], tuple[Trace, list[dict[str, Any]]]] = {}


@pytest.fixture(scope="module")
def shared(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    yield context.new_page()
    context.close()


def read(page: Page, key: str, order: str) -> tuple[Trace, list[dict[str, Any]]]:
    """Return a trace and everything that the stage shows of it."""
    if (key, order) not in _cache:
        trace = traced(key, order=order)
        mount(page, trace)
        _cache[key, order] = (trace, page.evaluate(READ))
    return _cache[key, order]


SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def as_python(text: str) -> str:
    """Turn what is on the screen into what a calculator is given."""
    text = text.replace("−", "-").replace("\xa0", " ").removeprefix("= ")
    text = re.sub(r"(?<=\d),(?=\d{3})", "", text)
    text = re.sub(
        r"(\d[\d.]*) × 10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda m: f"{m[1]}e{m[2].translate(SUPERSCRIPTS)}", text
    )
    text = text.replace("e^(", "exp(").replace("×", "*").replace("ln(", "log(")
    return text.replace("⌈", "ceil(").replace("⌉", ")").replace("∞", "inf")


CALCULATOR = {
    "exp": lambda x: math.exp(x) if x < 700 else math.inf,
    "log": math.log,
    "tanh": math.tanh,
    "max": max,
    "ceil": math.ceil,
    "inf": math.inf,
}


def calculate(text: str) -> float:
    """Compute with the digits on the screen alone."""
    return float(eval(as_python(text), {"__builtins__": {}}, CALCULATOR))


def last_digit(text: str) -> float:
    """Return the worth of the last digit shown; an exact number has four digits of which the rest are 0."""
    text = as_python(text).split(" ")[0]
    mantissa, _, exponent = text.partition("e")
    decimals = len(mantissa.partition(".")[2])
    if not decimals and not exponent:
        return 1e-3 if mantissa.lstrip("-") in {"0", "1"} else 1.0
    return 10.0 ** (int(exponent or 0) - decimals)


def shows(shown: str, exact: float, digit: float | None = None) -> bool:
    """Whether a number on the screen is the engine's to the digits shown."""
    value = calculate(shown)
    if not math.isfinite(exact):
        return value == exact
    # The trace is sent with six significant digits, its wide blocks with five.
    return abs(value - exact) <= 0.501 * (digit or last_digit(shown)) + 5e-5 * abs(exact)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("key", INPUTS)
def test_a_calculator_confirms_every_formula(shared: Page, key: str, order: str) -> None:
    _, frames = read(shared, key, order)
    checked = 0
    for frame in frames:
        for line in frame["lines"]:
            if line["result"] in {None, ""}:
                continue
            where = (frame["step"], frame["kind"], frame["row"], line)
            shown = line["result"].split(" B")[0]
            computed, result = calculate(line["numbers"]), calculate(shown)
            if math.isfinite(result):
                assert abs(computed - result) <= 0.5000001 * last_digit(shown), where
            else:
                assert computed == result, where
            checked += 1
    assert checked > len(frames) / 2


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("key", INPUTS)
def test_every_frame_has_one_sentence_without_a_hole(shared: Page, key: str, order: str) -> None:
    trace, frames = read(shared, key, order)
    assert {frame["step"] for frame in frames} == set(range(len(trace.steps)))
    for frame in frames:
        text = frame["sentence"]
        assert text.endswith(".") and len(text) > 30, frame
        # One sentence: a full stop inside it is a token's own.
        assert not re.search(r"\w\. [A-Z]", text), text
        for hole in ("undefined", "null", "NaN", "{", "“”"):
            assert hole not in text, text
        assert str(frame["step"] + 1) in frame["name"]
        if frame["kind"] == "load_kv":
            tile = trace.steps[frame["step"]].tile[1]
            earlier = [each for each in trace.steps[: frame["step"]] if each.kind == "load_kv"]
            assert (" again, " in text) == any(each.tile[1] == tile for each in earlier), text


def numbers_in(text: str) -> list[str]:
    """Return the numbers that a sentence names."""
    return re.findall(r"−?\d[\d,.]*\d(?: × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?|−?\d|−?∞", text)


def expected(trace: Trace, frame: dict[str, Any]) -> tuple[list[float], list[float]]:
    """Return the engine's numbers that the sentence, and the results that the formula, must hold."""
    step, row = trace.steps[frame["step"]], frame["row"]
    work, state, problem = step.work, step.state, trace.problem
    moved_in, moved_out = sum(step.hbm_read.values()), sum(step.hbm_write.values())
    one = lambda name: float(np.asarray(work[name])[row])  # noqa: E731 - a row's number of this step
    first = lambda values: float(np.asarray(values)[row][0])  # noqa: E731 - the first number of a row
    match frame["kind"]:
        case "partition":
            sizes = [problem["tiles_q"], problem["tiles_k"]]
            return [*sizes, problem["block_q"], problem["block_k"]], [float(size) for size in sizes]
        case "load_q":
            return [], [moved_in]
        case "load_kv":
            return [moved_in], [moved_in]
        case "score":
            best = float(np.max(np.asarray(work["s"])[row]))
            return [best], [best]
        case "mask":
            scores = np.asarray(work["s"])[row]
            if not np.isneginf(scores).any():
                return [], []
            seen = max(scores.max(), np.asarray(state["m"])[row])
            return [-math.inf], [0.0] if seen > -math.inf else []
        case "update_max":
            return [one("m_new")], [one("m_new")]
        case "rescale":
            results = [one("alpha"), one("l_after"), first(state["acc"])]
            return ([one("alpha")] if work["rescaled"][row] else []), results if one(
                "m_new"
            ) > -math.inf else []
        case "accumulate":
            if one("row_sum") == 0:
                return [], []
            return [one("row_sum")], [float(np.asarray(state["l"])[row]), first(state["acc"])]
        case "discard":
            height, width = np.asarray(step.rows)[1] - step.rows[0], step.cols[1] - step.cols[0]
            return [float(height), float(width)], [float(work["block_bytes"])]
        case "skip":
            return [float(work["pairs"])], [float(work["pairs"])]
        case "normalise":
            total = float(np.asarray(state["l"])[row])
            return ([total], [first(work["o"]), one("lse")]) if total else ([], [])
        case "store":
            return [moved_out], [moved_out]
    raise AssertionError(frame["kind"])


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_of_frame_shows_the_engines_numbers(shared: Page, kind: str, order: str) -> None:
    seen = 0
    for key in (DEFAULT, "empty-row", "ragged"):
        trace, frames = read(shared, key, order)
        for frame in (frame for frame in frames if frame["kind"] == kind):
            step, row = trace.steps[frame["step"]], frame["row"]
            assert step.kind == kind
            in_sentence, results = expected(trace, frame)
            spoken = numbers_in(frame["sentence"])
            for value in in_sentence:
                assert any(shows(text, value) for text in spoken), (frame["sentence"], value)
            shown = [line["result"].split(" B")[0] for line in frame["lines"] if line["result"]]
            for value in results:
                assert any(shows(text, value) for text in shown), (frame["lines"], value)
            used = sum(step.resident.values())
            assert f"{used:,} B" in frame["meter"]
            tiled = sum(step.hbm_read_total.values()) + sum(step.hbm_write_total.values())
            standard = sum(step.standard_read_total.values()) + sum(step.standard_write_total.values())
            assert (int(frame["tiled"]), int(frame["standard"])) == (tiled, standard)
            for column, (held, text) in frame["cells"].items():
                # m, l before and after: what the step made, else what is carried.
                source = step.work.get(column)
                if source is None and column in {"m_new", "l_after"}:
                    source = step.state["m" if column == "m_new" else "l"]
                if source is None:
                    assert held is None and text == ""
                    continue
                exact = float(np.asarray(source)[row])
                assert (
                    held == "null" if exact == -math.inf else math.isclose(float(held), exact, rel_tol=1e-5)
                ), column
                assert shows(text, exact), (column, text, exact)
            seen += 1
    assert seen > 0


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("key", INPUTS)
def test_what_is_resident_adds_up_to_the_meter(shared: Page, key: str, order: str) -> None:
    trace, frames = read(shared, key, order)
    for frame in frames:
        used = int(frame["meter"].split(" B")[0].replace(",", ""))
        parts = [int(re.search(r"([\d,]+) B", part)[1].replace(",", "")) for part in frame["parts"]]  # type: ignore[index]
        assert sum(parts) == used == sum(trace.steps[frame["step"]].resident.values())
        widths = [width for width in frame["widths"] if width]
        if used:
            # What is drawn is in proportion as well.
            assert np.allclose(widths, np.array(parts) * sum(widths) / used, rtol=1e-3)


@pytest.mark.parametrize("order", ORDERS)
def test_alpha_of_one_says_nothing_to_fix(shared: Page, order: str) -> None:
    fixed = 0
    for key in INPUTS:
        trace, frames = read(shared, key, order)
        for frame in (frame for frame in frames if frame["kind"] == "rescale"):
            work = trace.steps[frame["step"]].work
            alpha, seen = float(work["alpha"][frame["row"]]), float(work["m_old"][frame["row"]]) > -math.inf
            assert (frame["note"] == "nothing to fix") == (alpha == 1 and seen)
            assert ("nothing to fix" in frame["sentence"]) == (alpha == 1 and seen)
            fixed += alpha == 1 and seen
    assert fixed > 0


@pytest.mark.parametrize("order", ORDERS)
def test_the_accumulator_is_not_yet_normalised_until_the_division(shared: Page, order: str) -> None:
    for key in (DEFAULT, "ragged"):
        _, frames = read(shared, key, order)
        for frame in frames:
            if frame["kind"] in {"normalise", "store"}:
                assert frame["accumulator"] == "normalised"
                assert frame["accumulatorName"].startswith("o")
            elif frame["accumulator"] != "not on chip":
                assert "not yet normalised" in frame["accumulator"]
                assert frame["accumulatorName"].startswith("acc")


FLOWN = """(step) => new Promise((done) => {
  const root = document.getElementById('at').shadowRoot.querySelector('.stage');
  const layer = root.querySelector('.flights');
  const flown = [];
  window.goTo(String(step - 1));
  const note = (node) => flown.push(`${node.dataset.tensor} ${node.dataset.direction}`);
  const watch = new MutationObserver((changes) => {
    for (const { addedNodes } of changes) addedNodes.forEach(note);
  });
  watch.observe(layer, { childList: true });
  root.querySelector('.control.next').click();
  setTimeout(() => { watch.disconnect(); done(flown); }, 300);
})"""


def test_o_m_and_l_travel_in_one_order_and_stay_in_the_other(shared: Page) -> None:
    for order in ORDERS:
        trace = traced(DEFAULT, order=order)
        mount(shared, trace)
        moved: dict[str, list[str]] = {}
        for kind in ("load_q", "load_kv", "store"):
            # The second visit of a tile: by then there is something to take up again.
            index = [i for i, step in enumerate(trace.steps) if step.kind == kind][-1]
            moved[kind] = shared.evaluate(FLOWN, index)
        assert moved["load_kv"] == ["k in", "v in"]
        assert moved["store"] == ["o out", "stats out"]
        assert moved["load_q"] == (["q in"] if order == "q_outer" else ["q in", "o in", "stats in"])
        saved = shared.get_by_test_id("stage").locator(".held.saved")
        expect(saved).to_have_count(trace.problem["tiles_q"])
        assert shared.locator(".saved-name").inner_text() == ("lse" if order == "q_outer" else "m l")
        last = len(trace.steps) - 1
        go(shared, last)
        for tile in range(trace.problem["tiles_q"]):
            expect(saved.nth(tile)).to_have_attribute("data-state", "final")
        # After a first visit, the strip is not final while a later key tile is to come.
        first = next(i for i, step in enumerate(trace.steps) if step.kind == "store" and step.tile[0] == 2)
        go(shared, first)
        expect(saved.nth(2)).to_have_attribute("data-state", "final" if order == "q_outer" else "partial")


def test_nothing_moves_for_a_reader_who_wants_stillness(browser: Browser) -> None:
    context = browser.new_context(reduced_motion="reduce")
    page = context.new_page()
    trace = traced(DEFAULT)
    mount(page, trace)
    assert page.evaluate(FLOWN, 1) == []
    context.close()


def compatible(left: tuple[int | None, int | None], right: tuple[int | None, int | None]) -> bool:
    return all(a is None or b is None or a == b for a, b in zip(left, right, strict=True))


# Where each step lands when the run is given in the other order.
SWITCHED = """([here, there, steps]) => steps.map((step) => {
  const root = () => document.getElementById("at").shadowRoot.querySelector(".stage");
  window.mountStage(here);
  window.goTo(String(step));
  if (root().dataset.step !== String(step)) throw new Error(`at ${root().dataset.step}, not ${step}`);
  window.mountStage(there);
  return Number(root().dataset.step);
})"""


@pytest.mark.parametrize("order", ORDERS)
def test_switching_the_order_keeps_the_place(shared: Page, order: str) -> None:
    here = traced(DEFAULT, order=order)
    there = traced(DEFAULT, order=ORDERS[1 - ORDERS.index(order)])
    mount(shared, here)
    steps = list(range(0, len(here.steps), 7))
    for index, place in zip(
        steps, shared.evaluate(SWITCHED, [given(here), given(there), steps]), strict=True
    ):
        step, landed = here.steps[index], there.steps[place]
        twins = [other for other in there.steps if (other.kind, other.tile) == (step.kind, step.tile)]
        if twins:
            assert (landed.kind, landed.tile) == (step.kind, step.tile)
        else:
            assert compatible(landed.tile, step.tile), (step.kind, step.tile, landed.kind, landed.tile)
