"""The player's questions against the engine's own numbers."""

import math
from typing import Any

import numpy as np
import pytest

from engine import Step, Trace, trace_attention, trace_to_dict
from lesson.inputs import DEFAULT_KEY, entries, load
from lesson.stage_predict_text import load_predict_text
from tests.browser.modules import Modules

ORDERS = ["q_outer", "kv_outer"]
KEYS = [DEFAULT_KEY, *(entry.key for entry in entries() if entry.kind == "made_up")]
PLAN = "m.planQuestions(x).map((plan) => ({ ...plan }))"


def traced(key: str = DEFAULT_KEY, **changes: Any) -> Trace:
    given = load(key)
    return trace_attention(given.q, given.k, given.v, tokens=given.tokens, **(given.options() | changes))


def questions(run: Modules, trace: Trace) -> list[dict[str, Any]]:
    document = trace_to_dict(trace, digits=6)
    planned = run("predict_plan.js", PLAN, document)
    return list(
        run("predict_questions.js", "x[1].map((plan) => m.makeQuestion(x[0], plan))", [document, planned])
    )


def visited(trace: Trace, q_tile: int) -> int:
    return trace.problem["visits"][q_tile].count("v")


def right_choice(trace: Trace, question: dict[str, Any], step: Step, before: Step) -> set[str]:
    """The right option, worked out anew from the engine's trace."""
    if question["kind"] == "rise":
        return (
            {"rises"}
            if step.work["row_max"][question["row"]] > step.work["m_old"][question["row"]]
            else {"stays"}
        )
    if question["kind"] == "leaves":
        gone = set(before.resident) - set(step.resident)
        assert gone in ({"p", "k", "v"}, {"p"})
        return {"block_and_tiles"} if len(gone) == 3 else {"block_alone"}
    seen = {
        s.tile for s in trace.steps[: question["index"]] if s.kind == "discard" and s.tile[0] == step.tile[0]
    }
    return {"final"} if len(seen) == visited(trace, step.tile[0] or 0) else {"more_to_come"}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("key", KEYS)
def test_keys_are_the_engines_and_every_wrong_answer_differs(run: Modules, key: str, order: str) -> None:
    trace = traced(key, order=order)
    asked = questions(run, trace)
    assert {"leaves", "bytes", "final"} <= {question["kind"] for question in asked}
    for question in asked:
        step, before = trace.steps[question["index"]], trace.steps[question["index"] - 1]
        if "choices" in question:
            options = {choice["id"]: choice["right"] for choice in question["choices"]}
            assert {name for name, right in options.items() if right} == right_choice(
                trace, question, step, before
            )
            assert len(options) >= 3
            continue
        if question["kind"] == "alpha":
            m_old, m_new = step.work["m_old"][question["row"]], step.work["m_new"][question["row"]]
            np.testing.assert_allclose(question["answer"], math.exp(m_old - m_new), rtol=1e-4, atol=1e-6)
            np.testing.assert_allclose(
                question["answer"], step.work["alpha"][question["row"]], rtol=1e-4, atol=1e-7
            )
        else:
            assert question["answer"] == sum(step.hbm_write_total.values())
        values = [wrong["value"] for wrong in question["wrongs"]]
        assert len(values) >= 2
        assert len(set(values)) == len(values)
        assert all(abs(value - question["answer"]) > question["tolerance"] for value in values)


def test_default_run_asks_every_kind_a_few_times(run: Modules) -> None:
    asked = [question["kind"] for question in questions(run, traced())]
    assert set(asked) == {"rise", "alpha", "leaves", "bytes", "final"}
    assert 5 <= len(asked) <= 9, "few enough not to annoy"
    chosen = [
        choice["id"]
        for q in questions(run, traced())
        if q["kind"] == "rise"
        for choice in q["choices"]
        if choice["right"]
    ]
    assert sorted(chosen) == ["rises", "stays"], "guessing one answer must not do"


def test_nothing_is_asked_before_what_cannot_be_foretold(run: Modules) -> None:
    """The first tile of a row has no old maximum, and a row that sees no key has none at all."""
    for key in KEYS:
        trace = traced(key)
        for question in questions(run, trace):
            if question["kind"] in ("rise", "alpha"):
                assert np.isfinite(trace.steps[question["index"]].work["m_old"][question["row"]])
    backward = trace_to_dict(traced(DEFAULT_KEY, direction="backward"), digits=6)
    assert run("predict_plan.js", PLAN, backward) == []


@pytest.mark.parametrize("order", ORDERS)
def test_every_answer_has_a_reason_with_its_numbers(run: Modules, order: str) -> None:
    words = load_predict_text()
    for question in questions(run, traced(order=order)):
        grades = (
            [{"right": c["right"], "reason": c["id"], "value": None} for c in question["choices"]]
            if "choices" in question
            else [
                {"right": False, "reason": wrong["id"], "value": wrong["value"]}
                for wrong in question["wrongs"]
            ]
            + [
                {"right": name == "right", "reason": name, "value": 7}
                for name in ("right", "too_large", "too_small")
            ]
        )
        reasons = run(
            "predict_card.js", "x[1].map((grade) => m.reasonOf(x[0], grade, x[2]))", [question, grades, words]
        )
        assert len(set(reasons)) == len(reasons)
        assert not any("{" in reason or "undefined" in reason or "NaN" in reason for reason in reasons)


@pytest.mark.parametrize(
    ("text", "whole", "number"),
    [
        ("0.24", False, 0.24),
        ("0,24", False, 0.24),
        (" ,5 ", False, 0.5),
        ("−1.42", False, -1.42),
        ("1e-3", False, 0.001),
        ("1,024", False, 1.024),
        ("1,024", True, 1024),
        ("1.048.576", True, 1048576),
        ("2 080", True, 2080),
        ("2080", True, 2080),
        ("", False, None),
        ("a lot", False, None),
        ("1/2", False, None),
        ("0x10", True, None),
        ("1e999", False, None),
    ],
)
def test_typed_numbers(run: Modules, text: str, whole: bool, number: float | None) -> None:
    assert run("predict_answer.js", "m.readEntry(x[0], x[1])", [text, whole]) == number


def test_grading_knows_the_tolerance_and_the_nearest_mistake(run: Modules) -> None:
    question = {
        "answer": 0.24,
        "tolerance": 0.02,
        "wrongs": [{"id": "upside_down", "value": 4.17}, {"id": "base_two", "value": 0.37}],
    }
    grades = run(
        "predict_answer.js",
        "x[1].map((typed) => m.gradeNumber(x[0], typed).reason)",
        [question, [0.25, 0.27, 4.2, 0.37, 9, -1]],
    )
    assert grades == ["right", "too_large", "upside_down", "base_two", "too_large", "too_small"]
    exact = {"answer": 2080, "tolerance": 0, "wrongs": [{"id": "o_only", "value": 2048}]}
    grades = run(
        "predict_answer.js",
        "x[1].map((typed) => m.gradeNumber(x[0], typed).reason)",
        [exact, [2080, 2081, 2048, 2047]],
    )
    assert grades == ["right", "too_large", "o_only", "too_small"]


def test_memory_survives_a_storage_that_refuses(run: Modules) -> None:
    told = run(
        "predict_memory.js",
        """(() => { const memory = m.createMemoryOfAnswers(x === "none" ? null
          : { getItem: () => x, setItem: () => { throw new Error("full"); } });
        memory.note("run", 3, "right"); memory.setAsking("asks", false);
        return [memory.answers("run"), memory.asking("asks"), memory.asking("quiet")]; })()""",
        "none",
    )
    assert told == [{"3": "right"}, False, None]
    for broken in ("{", "null", "[]", '{"runs": null, "asking": {}}', '"text"', '{"runs": 3, "asking": 4}'):
        held = run(
            "predict_memory.js",
            """(() => { const refuse = () => { throw new Error("full"); };
            const memory = m.createMemoryOfAnswers({ getItem: () => x, setItem: refuse });
            memory.note("run", 3, "wrong"); return memory.answers("run"); })()""",
            broken,
        )
        assert held == {"3": "wrong"}, broken
