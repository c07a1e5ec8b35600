"""A backward on the stage, in a real browser, against the engine's own numbers."""

import json
import math
import re
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from engine import Trace, attention, trace_attention
from lesson.inputs import DEFAULT_KEY, load
from lesson.stage_backward import BACKWARD_SENTENCES, backward_words, load_backward_text
from lesson.stage_text import load_stage_text, slots_of
from tests.browser.conftest import watch
from tests.browser.modules import Modules
from tests.browser.stage_page import mount, walked_and_jumped
from tests.browser.test_stage import at, open_stage, press, scrub
from ui.stage.payload import encode

BLOCKS = {
    "recompute_score": "s",
    "recompute_p": "p",
    "d_v": "p",
    "d_p": "d_p",
    "d_s": "d_s",
    "d_q": "d_s",
    "d_k": "d_s",
}
PLACE = {"s": "p", "p": "p", "d_p": "d_s", "d_s": "d_s"}
SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def traced(key: str = DEFAULT_KEY, **changes: Any) -> Trace:
    given = load(key)
    options = given.options() | changes
    o, _ = attention(given.q, given.k, given.v, **options)
    tokens = (given.tokens_q, given.tokens_k)
    return trace_attention(given.q, given.k, given.v, tokens=tokens, direction="backward", d_o=o, **options)


def query(key: str, step: int = 0) -> str:
    chosen = "" if key == DEFAULT_KEY else f"&run_input={key}"
    return f"?run_direction=backward{chosen}&step={step}"


def number(text: str) -> float:
    plain = text.replace("\u2212", "-").replace("∞", "inf")
    return float(re.sub(r" × 10(.*)", lambda found: f"e{found[1].translate(SUPERSCRIPTS)}", plain))


def check_panel(stage: Locator, name: str, values: np.ndarray) -> None:
    """Compare the printed numbers of a panel with the engine's."""
    panel = stage.locator(f'[data-panel="{name}"]')
    expect(panel).not_to_have_attribute("data-absent", "")
    shown = panel.locator(".row:not(.head) .cell").all_text_contents()
    assert len(shown) == values.size, name
    for text, exact in zip(shown, values.ravel(), strict=True):
        if text == "≈ 0":
            assert abs(exact) < 0.01, (name, exact)
        else:
            # Five characters: at least one digit of a small number, and all before the point of a large one.
            assert math.isclose(number(text), exact, rel_tol=0.06, abs_tol=0.006) or number(text) == exact, (
                name,
                text,
                exact,
            )


def check_column(stage: Locator, name: str, values: np.ndarray) -> None:
    """Compare the numbers that the rows hold with the engine's."""
    cells = stage.get_by_test_id(f"row-{name}")
    held = cells.evaluate_all("cells => cells.map((cell) => cell.dataset.value)")
    # A partial tile has fewer rows than the table.
    shown = [-math.inf if text == "null" else float(text) for text in held[: len(values)]]
    np.testing.assert_allclose(shown, values, rtol=1e-5, atol=1e-9)


def check_step(stage: Locator, trace: Trace, index: int) -> None:
    """Compare everything on screen at a step of a narrow input with the engine's numbers."""
    step = trace.steps[index]
    at(stage, index)
    expect(stage).to_have_attribute("data-kind", step.kind)
    expect(stage.locator(".code [aria-current]")).to_have_text(
        re.sub(r"\s+", " ", trace.listing.lines[step.code].strip())
    )
    used = sum(step.resident.values())
    expect(stage.get_by_test_id("meter")).to_contain_text(f"{used:,} B")
    tiled = sum(step.hbm_read_total.values()) + sum(step.hbm_write_total.values())
    standard = sum(step.standard_read_total.values()) + sum(step.standard_write_total.values())
    expect(stage.get_by_test_id("ledger-tiled")).to_have_attribute("data-bytes", str(tiled))
    expect(stage.get_by_test_id("ledger-standard")).to_have_attribute("data-bytes", str(standard))
    for name in {"q", "k", "v", "o", "d_o"} & set(step.resident):
        span = step.cols if name in "kv" else step.rows
        if span is not None:
            check_panel(stage, name, trace.arrays[name][slice(*span)])
    for name in {"d_q", "d_k", "d_v"} & set(step.resident):
        # A skipped tile carries no state; what was gathered before it is still on chip.
        held = next(s.state[name] for s in trace.steps[index::-1] if s.state and name in s.state)
        check_panel(stage, name, held)
    if step.kind in BLOCKS:
        check_panel(stage, PLACE[BLOCKS[step.kind]], step.work[BLOCKS[step.kind]])
        name = BLOCKS[step.kind]
        title = stage.locator(f'[data-panel="{PLACE[name]}"] .name')
        expect(title).to_have_text(load_backward_text()["panels"][name])
    if "stats" in step.resident and step.rows is not None:
        delta = np.concatenate([s.work["delta"] for s in trace.steps if s.kind == "delta"])
        rows = slice(*step.rows)
        check_column(stage, "lse", trace.arrays["lse"][rows])
        check_column(stage, "delta", delta[rows])
    elif step.kind == "delta":
        check_column(stage, "delta", step.work["delta"])


@pytest.mark.parametrize("key", ["ragged", "empty-row"])
def test_numbers_at_every_kind_of_step_are_the_engines(page: Page, server_url: str, key: str) -> None:
    """The first and the last step of each kind, so that partial tiles and hidden rows are among them."""
    trouble = watch(page)
    trace = traced(key)
    stage = open_stage(page, server_url, query(key))
    expect(stage).to_have_attribute("data-steps", str(len(trace.steps)))
    kinds = [step.kind for step in trace.steps]
    chosen = {kinds.index(kind) for kind in set(kinds)} | {
        len(kinds) - 1 - kinds[::-1].index(kind) for kind in set(kinds)
    }
    assert set(kinds) | {"skip"} == set(BACKWARD_SENTENCES)
    for index in sorted(chosen):
        scrub(stage, index)
        check_step(stage, trace, index)
    assert not trouble.errors
    assert not trouble.outside(server_url)


def test_every_step_of_the_default_draws_alone(page: Page) -> None:
    """Jumping to a step shows the same text as walking to it, and no step of the real head fails."""
    trouble = watch(page)
    trace = traced()
    stage = mount(page, trace)
    found = walked_and_jumped(stage)
    assert [kind for kind, _, _ in found] == [step.kind for step in trace.steps]
    for index, (_, walked, jumped) in enumerate(found):
        assert walked == jumped and len(walked) > 200, index
    assert not trouble.errors


def test_transport_marks_blocks_and_key_tiles_and_has_no_rescale(page: Page) -> None:
    trace = traced()
    stage = mount(page, trace)
    kinds = [step.kind for step in trace.steps]
    done = [step for step in trace.steps if step.kind == "store" and step.tile[0] is None]
    expect(stage.locator(".marks .discard")).to_have_count(kinds.count("discard"))
    expect(stage.locator(".marks .finished")).to_have_count(len(done))
    expect(stage.locator(".marks .rose")).to_have_count(0)
    expect(stage.get_by_role("button", name="Next rescale", exact=True)).to_be_disabled()
    expect(stage.get_by_test_id("no-rescale")).to_have_text(load_backward_text()["transport"]["no_rescale"])
    page.keyboard.press("r")
    at(stage, 0)
    press(stage, "Last step")
    at(stage, len(kinds) - 1)


def test_dq_goes_out_and_comes_back_and_dk_dv_leave_once(page: Page) -> None:
    trace = traced("rising")
    stage = mount(page, trace)
    steps = list(enumerate(trace.steps))
    visits = [index for index, step in steps if step.kind == "store" and step.tile[0] == 0]
    first_key = next(index for index, step in steps if step.kind == "store" and step.tile == (None, 0))
    d_q = stage.locator('.held[data-tensor="d_q"][data-tile="0"]')
    d_k = stage.locator('.held[data-tensor="d_k"][data-tile="0"]')
    assert len(visits) == trace.problem["tiles_k"] > 1
    expect(d_q).to_have_attribute("data-state", "empty")
    for place, index in enumerate(visits):
        scrub(stage, index)
        expect(d_q).to_have_attribute("data-state", "final" if index == visits[-1] else "partial")
        again = next(
            (i for i, step in steps if i > index and step.kind == "load_q" and step.tile[0] == 0), None
        )
        if again is not None:
            scrub(stage, again)
            expect(d_q).to_have_attribute("data-here", "")
            check_panel(stage, "d_q", (trace.steps[visits[place]].state or {})["d_q"])
    scrub(stage, first_key - 1)
    expect(d_k).to_have_attribute("data-state", "empty")
    scrub(stage, first_key)
    expect(d_k).to_have_attribute("data-state", "final")
    expect(stage.locator(".ghost-name")).to_contain_text("not stored")


def test_a_row_can_be_chosen_and_its_numbers_change(page: Page) -> None:
    trace = traced("rising")
    index = next(i for i, step in enumerate(trace.steps) if step.kind == "d_s")
    stage = mount(page, trace, f"?step={index}")
    before = stage.get_by_test_id("formula").inner_text()
    stage.get_by_test_id("row-pick").nth(1).click()
    expect(stage.get_by_test_id("row-pick").nth(1)).to_have_attribute("aria-pressed", "true")
    expect(stage.get_by_test_id("sentence")).to_contain_text(trace.problem["tokens_q"][1])
    assert stage.get_by_test_id("formula").inner_text() != before


def test_stepping_sends_nothing_to_the_server_not_even_by_r(page: Page, server_url: str) -> None:
    """The page around the stage runs its script again on R; the stage's own R must not reach it."""
    sent: list[object] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    for direction in ("backward", "forward"):
        stage = open_stage(page, server_url, f"?run_direction={direction}")
        page.wait_for_timeout(1500)
        assert sent
        before = len(sent)
        for key in ("ArrowRight", "End", "Home", "PageDown", *(["r"] if direction == "forward" else [])):
            page.keyboard.press(key)
        scrub(stage, 20)
        stage.get_by_test_id("row-pick").nth(1).click()
        page.wait_for_timeout(700)
        assert len(sent) == before, direction


VALUE = re.compile(r"\* 10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)")


@pytest.mark.parametrize("key", [DEFAULT_KEY, "rising", "ragged", "empty-row", "huge"])
def test_a_calculator_confirms_every_formula(run: Modules, key: str) -> None:
    """Recomputed from the digits shown, every result rounds to the digits shown, for every step and row."""
    payload = json.loads(json.dumps(encode(traced(key))))
    lines = run(
        "formula.js",
        """x.trace.steps.filter((step) => step.rows !== null).flatMap((step) =>
          Array.from({ length: step.rows[1] - step.rows[0] }, (_, row) => {
            const named = (tokens, span) => (span ? tokens.slice(...span) : []);
            const { tokens_q: q, tokens_k: k } = x.trace.problem;
            const [queries, keys] = [named(q, step.rows), named(k, step.cols)];
            const subject = { trace: x.trace, step, row, isFinal: false, queries, keys };
            return m.formulaOf(subject, x.words).map((line) => ({ ...line, kind: step.kind }));
        })).flat()""",
        {"trace": run("unpack.js", "m.unpack(x)", payload), "words": payload["words"]},
    )
    kinds = set()
    for line in lines:
        expression = line["numbers"].replace("\u2212", "-").replace("×", "*").replace(",", "")
        if (
            "…" in expression
            or not line["result"]
            or line["result"].endswith(("B", ")"))
            or line["kind"] in ("skip", "discard")
        ):
            continue
        expression = VALUE.sub(lambda found: f"* 10.0**({found[1].translate(SUPERSCRIPTS)})", expression)
        expression = re.sub(r"e\^\{([^}]*)\}", r"math.exp(\1)", expression)
        value = eval(expression, {"math": math})
        shown = line["result"]
        if shown == "≈ 0":
            assert line["kind"] == "d_s" and abs(value) < 1e-4, line
            continue
        digits = len(re.sub(r"\D", "", shown.split(" ×")[0]).lstrip("0")) or 1
        exact = number(shown)
        unit = 10 ** (math.floor(math.log10(abs(exact))) - digits + 1) if exact else 0
        assert value == exact or abs(value - exact) <= 0.5001 * unit, line
        kinds.add(line["kind"])
    assert kinds >= {"recompute_score", "recompute_p", "d_v", "d_s", "d_q", "d_k"}


def test_words_describe_every_kind_and_lie_over_the_stages_own() -> None:
    text = load_backward_text()
    for kind, variants in BACKWARD_SENTENCES.items():
        for variant, slots in variants.items():
            assert slots_of(text["sentences"][kind][variant]) <= slots
    words = backward_words({name: table for name, table in load_stage_text().items() if name != "page"})
    assert words["transport"]["next"] == "Next step"
    assert words["sentences"]["load_kv"] == text["sentences"]["load_kv"]
    assert load_stage_text()["sentences"]["load_kv"] != text["sentences"]["load_kv"]
