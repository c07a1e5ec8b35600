""" "Show me": the link opens the frame or the state that settles the question."""

from typing import Any
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest

from engine import MISTAKES, Trace, attention, reference_attention, trace_attention
from engine.one_row import softmax_row
from engine.precision_lab import Tile, lab_inputs, measure
from engine.pseudocode import LISTINGS
from lesson.inputs import DEFAULT_KEY, load
from lesson.outline import load_outline
from lesson.quiz import Question, bank, load_misconceptions, make
from lesson.softmax_row import parse_row
from ui.calculator.controls import CHOICES, COUNTS, PARTS
from ui.exactness.lab import LAB

SEEDS = range(8)
# The kind of step that settles each written question of the stage.
FRAMES = {
    "avoided_object": "discard",
    "where_is_p": "discard",
    "what_remains": "store",
    "one_visit": "rescale",
    "one_division": "normalise",
    "empty_row": "normalise",
    "sparse_or_not": "discard",
    "backward_recomputes": "recompute_p",
}


def parts(question: Question) -> tuple[str, dict[str, str]]:
    address = urlsplit(question.show.href)
    return address.path, dict(parse_qsl(address.query))


def run_of(query: dict[str, str]) -> tuple[Trace, int]:
    """Build the run as the stage's page does, from nothing but the address."""
    key = query["run_input"] + (f".{query['run_head']}" if "run_head" in query else "")
    given = load(key)
    options: dict[str, Any] = given.options()
    names = {"run_bq": "block_q", "run_bk": "block_k", "run_order": "order", "run_direction": "direction"}
    for name, value in query.items():
        if name in names:
            options[names[name]] = int(value) if value.isdigit() else value
        elif name == "run_mask":
            options["causal"] = None if value == "none" else value
        elif name == "run_mistake":
            options["mistake"] = value
        else:
            assert name in ("run_input", "run_head", "step")
    return trace_attention(given.q, given.k, given.v, **options), int(query["step"])


@pytest.mark.parametrize("question_id", [entry.id for entry in bank()])
def test_every_link_is_one_that_its_page_takes(question_id: str) -> None:
    pages = {page.key for page in load_outline().pages}
    for seed in SEEDS:
        question = make(question_id, seed)
        page, query = parts(question)
        assert page in pages
        assert question.show.label
        if page == "step_through":
            trace, step = run_of(query)
            assert 0 <= step < len(trace.steps)
            # The menus of the stage's page offer these sizes only.
            assert {query.get("run_bq", "4"), query.get("run_bk", "4")} <= {*"1234568", "12", "16"}
        if page == "calculator":
            assert query.pop("calc_part") in PARTS
            for name, value in query.items():
                short = name.removeprefix("calc_")
                if short in COUNTS:
                    assert 1 <= int(value) <= COUNTS[short].highest
                else:
                    choices = CHOICES[short].options
                    assert value in choices or value in {str(each) for each in choices.values()}
        if page == "exactness":
            for name, value in query.items():
                assert value in LAB.by_name[name.removeprefix("ex_")].options
        if page == "online_softmax" and query:
            row = parse_row(query["row_x"])
            assert 0 <= int(query["row_step"]) < len(softmax_row(row, "online").frames)


@pytest.mark.parametrize("question_id", FRAMES)
def test_written_questions_show_the_right_kind_of_step(question_id: str) -> None:
    trace, at = run_of(parts(make(question_id))[1])
    step = trace.steps[at]
    assert step.kind == FRAMES[question_id]
    if step.kind == "rescale":
        assert any(step.work["rescaled"])
    if question_id in ("avoided_object", "where_is_p"):
        assert not {"s", "p"} & {*step.hbm_write_total, *step.resident}
    if question_id == "what_remains":
        assert set(step.hbm_write) == {"o", "lse"}
    if question_id == "empty_row":
        later = [s for s in trace.steps[at:] if s.kind == "normalise"]
        assert any(np.isneginf(s.work["lse"]).any() and (s.work["o"] == 0).all(axis=1).any() for s in later)


@pytest.mark.parametrize("seed", range(30))
def test_the_wrong_line_is_the_only_one_that_differs_from_the_engines(seed: int) -> None:
    question = make("spot_the_line", seed)
    lines = LISTINGS["q_outer"].lines
    differs = [option.text != line for option, line in zip(question.options, lines, strict=True)]
    assert differs == [option.right for option in question.options]
    trace, at = run_of(parts(question)[1])
    assert trace.steps[at].code == differs.index(True), "the frame runs the very line"
    assert lines[trace.steps[at].code].strip() in question.why


@pytest.mark.parametrize("seed", range(12))
def test_predicted_frames_are_the_next_ones(seed: int) -> None:
    numbers = make("next_numbers", seed)
    trace, at = run_of(parts(numbers)[1])
    step, row = trace.steps[at], numbers.sizes["row"]
    assert step.kind == "rescale"
    assert step.work["rescaled"][row]
    (right,) = (option.text for option in numbers.options if option.right)
    assert right == f"m = {step.state['m'][row]:.4g}, l = {step.state['l'][row]:.4g}".replace("-", "−")
    following = make("next_step", seed)
    trace, at = run_of(parts(following)[1])
    assert trace.steps[at - 1].kind == "discard"
    words = {"load_kv": "is loaded", "skip": "is skipped", "normalise": "divided by l"}
    assert words[trace.steps[at].kind] in following.right_text()


@pytest.mark.parametrize("seed", range(12))
def test_counted_tiles_are_those_of_the_run(seed: int) -> None:
    skips = make("causal_skips", seed)
    trace, at = run_of(parts(skips)[1])
    assert trace.steps[at].kind == "skip"
    assert skips.number is not None
    assert sum(step.kind == "skip" for step in trace.steps) == skips.number.value
    done = make("pairs_done", seed)
    trace, at = run_of(parts(done)[1])
    assert done.number is not None
    assert sum(step.work["s"].size for step in trace.steps if step.kind == "score") == done.number.value
    assert not any(step.kind == "score" for step in trace.steps[at + 1 :]), "the last block is on screen"


@pytest.mark.parametrize("seed", range(12))
def test_a_lucky_mistake_is_lucky_in_the_run_that_is_shown(seed: int) -> None:
    question = make("right_by_luck", seed)
    query = parts(question)[1]
    assert MISTAKES[query["run_mistake"]].lucky in question.why
    wrong, _ = run_of(query)
    right, _ = run_of({name: value for name, value in query.items() if name != "run_mistake"})
    np.testing.assert_allclose(wrong.result["o"], right.result["o"], rtol=1e-5)


def test_rows_stop_at_the_step_that_settles() -> None:
    for seed in SEEDS:
        question = make("alpha", seed)
        query = parts(question)[1]
        frame = softmax_row(parse_row(query["row_x"]), "online").frames[int(query["row_step"])]
        assert question.number is not None
        np.testing.assert_allclose(frame.alpha, question.number.value, rtol=1e-5)
        rescaling = make("which_tiles_rescale", seed)
        query = parts(rescaling)[1]
        frame = softmax_row(parse_row(query["row_x"]), "online").frames[int(query["row_step"])]
        assert rescaling.options[frame.index].right
        total = make("row_sum", seed)
        query = parts(total)[1]
        frame = softmax_row(parse_row(query["row_x"]), "online").frames[int(query["row_step"])]
        assert total.number is not None
        np.testing.assert_allclose(frame.l, total.number.value, rtol=1e-5)
        merged = make("merge_parts", seed)
        query = parts(merged)[1]
        frame = softmax_row(parse_row(query["row_x"]), "online").frames[int(query["row_step"])]
        assert merged.number is not None
        np.testing.assert_allclose(frame.m + np.log(frame.l), merged.number.value, rtol=1e-5)


def test_the_claims_about_rounding_hold_for_the_head_that_is_shown() -> None:
    """In float64 the outputs differ by rounding but differ; in float16 tiling is no less exact."""
    given = load(DEFAULT_KEY)
    q, k, v = (array.astype(float) for array in (given.q, given.k, given.v))
    tiled, _ = attention(q, k, v, causal="bottom_right", block_q=4, block_k=4)
    standard, _ = reference_attention(q, k, v, causal="bottom_right")
    assert 0 < np.abs(tiled - standard).max() < 1e-12
    assert parts(make("last_bit"))[1]["ex_storage"] == "float64"
    rows = measure(*lab_inputs("normal", 256, 64), [Tile(64, 64)], formats=["float16"])
    errors = {row.algorithm: row.rms for row in rows}
    assert errors["tiled"] <= errors["standard"]
    assert parts(make("fair_test"))[1] == {"ex_storage": "float16", "ex_lab": "normal"}


def test_every_misconception_leads_somewhere() -> None:
    pages = {page.key for page in load_outline().pages}
    for each in load_misconceptions().values():
        address = urlsplit(each.href)
        assert address.path in pages
        for name, value in parse_qsl(address.query):
            short = name.removeprefix("calc_")
            if name == "calc_part":
                assert value in PARTS
            elif name.startswith("calc_"):
                assert value in {str(choice) for choice in CHOICES[short].options.values()}
            else:
                assert (name, value) == ("run_mask", "none")
