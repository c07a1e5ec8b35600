"""A wrong algorithm beside the right one: what is sent, against runs of the engine."""

import json
import math
from functools import cache
from typing import Any

import numpy as np
import pytest

from engine import MISTAKES, Trace, attention, trace_attention
from lesson.inputs import DEFAULT_KEY, entries, load
from ui.stage.comparison import compare, comparison_payload, examples, output_allowance

ORDERS = ["q_outer", "kv_outer"]
KEYS = [DEFAULT_KEY, "falling", "huge", "masked-first"]


@cache
def traced(key: str, mistake: str | None, **changes: Any) -> Trace:
    given = load(key)
    options = given.options() | changes
    return trace_attention(given.q, given.k, given.v, tokens=given.tokens, mistake=mistake, **options)


def traces(key: str, mistake: str, **changes: Any) -> tuple[Trace, Trace]:
    return traced(key, None, **changes), traced(key, mistake, **changes)


def read(value: float | str | None) -> float:
    return float({None: "-inf"}.get(value, value))  # type: ignore[arg-type, call-overload]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize("key", KEYS)
def test_comparison_is_the_two_runs(key: str, mistake: str, order: str) -> None:
    right, wrong = traces(key, mistake, order=order)
    sent = comparison_payload(right, wrong)
    json.dumps(sent, allow_nan=False)
    # The states that stand in the table are the traces' own.
    for name, trace in (("right", right), ("wrong", wrong)):
        told: list[float] = []
        recorded: list[float] = []
        for step, place in zip(trace.steps, sent[name], strict=True):
            if "m" not in step.state:
                assert place is None
                continue
            columns = {
                "l": step.state["l"],
                "acc": step.state["acc"][:, 0],
                "m": step.work.get("m_new", step.state["m"]),
            }
            if step.kind == "rescale":
                columns["alpha"] = step.work["alpha"]
            for letter, column in columns.items():
                column_told = sent["states"][place][letter]
                assert len(column_told) == len(column), (letter, step.kind, step.tile)
                told += map(read, column_told)
                recorded += column.tolist()
        np.testing.assert_allclose(told, recorded, rtol=1e-5)
    # The last error of a row is that of the whole run, and luck is what that says.
    with np.errstate(invalid="ignore"):
        gap = np.abs(wrong.result["o"].astype(float) - right.result["o"])
    for row, points in enumerate(sent["errors"]):
        final = float(gap[row].max())
        if points:
            np.testing.assert_allclose(read(points[-1][2]), final, rtol=1e-4, atol=sent["allowed"] / 10)
        assert sent["lucky"][row] == (final <= sent["allowed"])
    assert (sent["departs_at"] is None) <= all(sent["lucky"])


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize("key", KEYS)
def test_they_part_at_the_step_that_the_mistake_gets_wrong(key: str, mistake: str, order: str) -> None:
    right, wrong = traces(key, mistake, order=order)
    at = compare(right, wrong)["parts_at"]
    before = right.steps if at is None else right.steps[:at]
    for one, other in zip(before, wrong.steps, strict=False):
        for name in ("l", "acc"):
            if name in one.state:
                np.testing.assert_allclose(one.state[name], other.state[name], rtol=1e-4)
    if at is None:
        assert np.isfinite(wrong.result["o"]).all()
        np.testing.assert_allclose(wrong.result["o"], right.result["o"], rtol=1e-4, atol=1e-30)
    else:
        assert right.steps[at].kind == MISTAKES[mistake].step


@pytest.mark.parametrize(
    ("mistake", "key", "lucky"),
    [
        ("no_rescale", "falling", True),
        ("no_rescale", "rising", False),
        ("softmax_each_tile_then_average", "equal", True),
        ("softmax_each_tile_then_average", "falling", False),
        ("no_max", "rising", True),
        ("no_max", "huge", False),
        ("tile_max_instead_of_running_max", "rising", True),
        ("tile_max_instead_of_running_max", "falling", False),
        ("divide_every_tile", "rising", False),
        ("sum_not_rescaled", "falling", True),
        ("accumulator_not_rescaled", "rising", False),
        ("alpha_upside_down", "falling", False),
    ],
)
@pytest.mark.parametrize("order", ORDERS)
def test_examples_are_lucky_where_the_maxima_say_so(mistake: str, key: str, lucky: bool, order: Any) -> None:
    label = next(entry.label for entry in entries() if entry.key == key)
    found = examples(mistake, order)
    assert (label in [each["label"] for each in found["lucky"]]) == lucky
    assert (label in [each["label"] for each in found["unlucky"]]) != lucky
    address = next(each["address"] for side in found.values() for each in side if each["label"] == label)
    assert address == f"run_input={key}&run_mistake={mistake}&run_order={order}"


@pytest.mark.parametrize("mistake", MISTAKES)
def test_one_key_tile_is_told_as_it_is(mistake: str) -> None:
    right, wrong = traces(DEFAULT_KEY, mistake)
    told = comparison_payload(right, wrong)["one_tile_agrees"]
    given = load(DEFAULT_KEY)
    whole, broken = traces(DEFAULT_KEY, mistake, block_k=len(given.k))
    gap = np.abs(whole.result["o"] - broken.result["o"])
    assert told == bool(np.isfinite(gap).all() and gap.max() <= output_allowance(right))
    assert told == (mistake != "alpha_upside_down")


def test_overflow_is_drawn_as_such() -> None:
    right, wrong = traces("huge", "no_max")
    sent = compare(right, wrong)
    assert all(points[-1][2] == "nan" for points in sent["errors"])
    assert any("inf" in state["l"] for state in sent["states"])
    assert not any(sent["lucky"])


@pytest.mark.parametrize("storage", ["float64", "float32", "float16", "bfloat16"])
def test_rounding_alone_is_no_mistake(storage: str) -> None:
    """Two right runs with other tiles lie within the allowance; so does luck in every format."""
    given = load(DEFAULT_KEY)
    right, wrong = traces(DEFAULT_KEY, "no_max", storage=storage)
    other, _ = attention(given.q, given.k, given.v, **(given.options() | {"block_k": 3, "storage": storage}))
    gap = np.abs(other.astype(float) - right.result["o"].astype(float)).max()
    assert 0 <= gap <= output_allowance(right)
    assert all(compare(right, wrong)["lucky"])
    assert math.isfinite(output_allowance(right))


def test_two_runs_of_another_kind_are_refused() -> None:
    right, wrong = traces("rising", "no_max")
    with pytest.raises(ValueError, match="not None with None"):
        compare(right, right)
    with pytest.raises(ValueError, match="not 'no_max' with 'no_max'"):
        compare(wrong, wrong)
    shorter, _ = traces("rising", "no_max", block_k=12)
    with pytest.raises(ValueError, match=f"{len(shorter.steps)} and {len(wrong.steps)}"):
        compare(shorter, wrong)
