"""Softmax of one row: the three recorded ways, the joining of parts, what is sent, and what a row may be."""

import json
import math
import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.one_row import MAX_ELEMENTS, METHODS, Method, RowState, merge_rows, softmax_row
from lesson.softmax_row import MAX_NUMBERS, RowError, parse_row, row_text
from lesson.softmax_text import ROW_SENTENCES, load_row_text
from lesson.stage_text import slots_of
from ui.softmax.payload import bound_of, encode_row, exact_shares, merges_of

NOTHING = RowState(-math.inf, 0.0)
MASKED = -math.inf
SCORES = st.floats(-30, 30, width=32) | st.just(MASKED)
ROWS = st.lists(SCORES, min_size=1, max_size=MAX_NUMBERS)


def by_hand(row: Sequence[float]) -> np.ndarray:
    """Softmax in float64, from the definition; zeros where all is masked."""
    x = np.asarray(row, np.float64)
    if np.isneginf(x).all():
        return np.zeros(len(x))
    powers = np.exp(x - x.max())
    return np.asarray(powers / powers.sum())


def statistics(row: Sequence[float]) -> RowState:
    """m and l of a part, from the definition in float64."""
    finite = [x for x in row if x != MASKED]
    if not finite:
        return NOTHING
    m = max(finite)
    return RowState(m, math.fsum(math.exp(x - m) for x in finite))


def close(a: RowState, b: RowState, rtol: float = 1e-12) -> bool:
    return a.m == b.m and math.isclose(a.l, b.l, rel_tol=rtol)


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=60, deadline=None)
@given(row=ROWS)
def test_every_way_is_softmax_where_it_does_not_overflow(method: Method, row: list[float]) -> None:
    run = softmax_row(row, method)
    assert np.isfinite(run.result).all()
    difference = np.max(np.abs(np.subtract(run.result, by_hand(row))))
    assert difference <= 1e-5, difference


@pytest.mark.parametrize(
    ("method", "statistics_reads", "reads"), [("naive", 1, 2), ("two_pass", 2, 3), ("online", 1, 2)]
)
def test_each_element_is_read_as_often_as_the_paper_counts(
    method: Method, statistics_reads: int, reads: int
) -> None:
    run = softmax_row([3.0, 1.0, MASKED, 2.0], method)
    assert (run.loads_for_statistics, run.loads) == (statistics_reads, reads)
    assert run.frames[-1].reads == (reads,) * 4
    seen = [0] * 4
    for frame in run.frames:
        seen[frame.index] += 1
        assert frame.reads == tuple(seen)
    before_output = [frame for frame in run.frames if frame.phase != "output"]
    assert before_output[-1].reads == (statistics_reads,) * 4
    assert sum(frame.output is not None for frame in run.frames) == 4


def test_naive_overflows_above_the_largest_float32_and_the_others_do_not() -> None:
    row = [2.0, 120.0, 119.0]
    naive = softmax_row(row, "naive")
    assert naive.frames[-1].l == math.inf
    assert math.isnan(naive.result[1])
    assert naive.result[0] == 0.0
    for method in ("two_pass", "online"):
        run = softmax_row(row, method)
        np.testing.assert_allclose(run.result, by_hand(row), atol=1e-6)
        assert (run.frames[-1].m, run.frames[-1].l) == (120.0, pytest.approx(1 + math.exp(-1)))


@pytest.mark.parametrize(("largest", "overflows"), [(88.0, False), (89.0, True)])
def test_naive_overflows_where_the_exponential_leaves_float32(largest: float, overflows: bool) -> None:
    assert math.isinf(softmax_row([0.0, largest], "naive").frames[1].l) == overflows


def test_naive_loses_everything_far_below_zero() -> None:
    row = [-120.0, -121.0]
    assert softmax_row(row, "naive").result == (0.0, 0.0)
    np.testing.assert_allclose(softmax_row(row, "online").result, by_hand(row), atol=1e-6)


def test_online_rescales_exactly_when_a_later_maximum_comes() -> None:
    run = softmax_row([1.0, 3.0, 2.0, 5.0], "online")
    sums = [frame for frame in run.frames if frame.phase == "sum"]
    assert [frame.m for frame in sums] == [1, 3, 3, 5]
    assert [frame.alpha for frame in sums] == pytest.approx([0, math.exp(-2), 1, math.exp(-2)], rel=1e-6)
    for place, frame in enumerate(sums):
        state = statistics(run.x[: place + 1])
        assert (frame.m, frame.l) == (state.m, pytest.approx(state.l, rel=1e-6))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("row", [[MASKED], [MASKED, MASKED], [MASKED, 2.0, MASKED], [0.0, MASKED]])
def test_masked_elements_get_exactly_nothing_and_never_a_nan(method: Method, row: list[float]) -> None:
    run = softmax_row(row, method)
    for x, share in zip(row, run.result, strict=True):
        assert share == (0.0 if x == MASKED else 1.0)
    assert not any(math.isnan(frame.l) or math.isnan(frame.alpha) for frame in run.frames)


@pytest.mark.parametrize("method", METHODS)
def test_limits_are_named(method: Method) -> None:
    with pytest.raises(ValueError, match=rf"from 1 to {MAX_ELEMENTS} elements here, not 0"):
        softmax_row([], method)
    with pytest.raises(ValueError, match=f"not {MAX_ELEMENTS + 1}"):
        softmax_row([0.0] * (MAX_ELEMENTS + 1), method)
    for bad in (math.nan, math.inf, 1e39):
        with pytest.raises(ValueError, match="element 1 is"), np.errstate(over="ignore"):
            softmax_row([0.0, bad], method)
    with pytest.raises(ValueError, match="naive, two_pass, online, not 'fast'"):
        softmax_row([0.0], "fast")  # type: ignore[arg-type]


@settings(max_examples=100, deadline=None)
@given(a=ROWS, b=ROWS, c=ROWS)
def test_merging_is_commutative_associative_and_right(a: list[float], b: list[float], c: list[float]) -> None:
    left, middle, right = statistics(a), statistics(b), statistics(c)
    assert merge_rows(left, middle) == merge_rows(middle, left)
    one = merge_rows(merge_rows(left, middle), right)
    other = merge_rows(left, merge_rows(middle, right))
    assert close(one, other)
    assert close(one, statistics(a + b + c))


@settings(max_examples=50, deadline=None)
@given(row=ROWS)
def test_nothing_is_neutral(row: list[float]) -> None:
    state = statistics(row)
    assert merge_rows(state, NOTHING) == merge_rows(NOTHING, state) == state
    assert merge_rows(NOTHING, NOTHING) == NOTHING


def test_parts_merge_in_any_order_to_the_whole() -> None:
    row = [0.5, 120.0, MASKED, -3.0, 119.0, 120.0, 7.0]
    parts = [statistics([x]) for x in row]
    shuffled = random.Random(7)
    for _ in range(20):
        order = shuffled.sample(parts, len(parts))
        joined = NOTHING
        for part in order:
            joined = merge_rows(joined, part)
        assert close(joined, statistics(row))


WORDS, PRESETS = load_row_text()


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.key)
def test_what_is_sent_is_the_run(preset: object) -> None:
    row = preset.row  # type: ignore[attr-defined]
    payload = encode_row(row)
    assert len(json.dumps(payload, allow_nan=False)) < 60_000
    np.testing.assert_allclose(payload["exact"], by_hand(row), rtol=1e-12)
    for method in METHODS:
        run, sent = softmax_row(row, method), payload["methods"][method]
        assert len(sent["frames"]) == len(run.frames) + 1
        for before, frame, kept in zip(sent["frames"], sent["frames"][1:], run.frames, strict=False):
            assert (frame["kind"], frame["index"], frame["reads"]) == (
                kept.phase,
                kept.index,
                list(kept.reads),
            )
            assert (frame["m_before"], frame["l_before"]) == (before["m"], before["l"])
            assert frame["code"] < len(sent["pseudocode"])
        assert sent["frames"][-1]["shares"] == sent["result"]
        assert (sent["statistics"], sent["loads"]) == (run.loads_for_statistics, run.loads)
    fails = {"huge": "overflows", "low": "underflows", "nothing": "empty"}
    assert payload["verdict"] == fails.get(preset.key, "agree")  # type: ignore[attr-defined]
    # The sentence says "to within" of the ways that it names: all three where they agree.
    named = METHODS if payload["verdict"] == "agree" else ("two_pass", "online")
    assert max(payload["methods"][method]["error"] for method in named) <= payload["worst"] <= 1e-6


@pytest.mark.parametrize(
    ("errors", "bound"), [([4.79e-8, 1.85e-8], 4.8e-8), ([1e-9], 1e-9), ([0.0, 0.0], 0.0)]
)
def test_a_bound_is_rounded_upward(errors: list[float], bound: float) -> None:
    assert bound_of(errors) >= max(errors)
    assert bound_of(errors) == pytest.approx(bound, rel=0.011)


def test_the_opening_row_rescales_twice_and_has_scores_that_do_not() -> None:
    frames = encode_row(PRESETS[0].row)["methods"]["online"]["frames"]
    assert sum(frame["rescales"] for frame in frames) == 2
    assert any(frame["kind"] == "sum" and not frame["rises"] for frame in frames)


@settings(max_examples=50, deadline=None)
@given(row=ROWS)
def test_every_split_joins_to_the_whole(row: list[float]) -> None:
    merge = merges_of(row)
    assert len(merge["splits"]) == len(row) + 1
    assert merge["difference"] <= 1e-5
    for split, parts in enumerate(merge["splits"]):
        left, right = statistics(row[:split]), statistics(row[split:])
        assert parts["left"]["m"] == (None if left.m == MASKED else left.m)
        assert parts["right"]["l"] == pytest.approx(right.l, rel=1e-5)
        assert parts["left_right"] == parts["right_left"]


def test_float64_shares_of_a_row_that_float32_cannot_hold() -> None:
    np.testing.assert_allclose(
        exact_shares([800.0, 799.0, MASKED]), by_hand([800.0, 799.0, MASKED]), rtol=1e-12
    )
    assert exact_shares([MASKED, MASKED]) == [0.0, 0.0]


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("1, 2.5,-3", (1.0, 2.5, -3.0)),
        (" 1;2  3\n4 ", (1.0, 2.0, 3.0, 4.0)),
        ("\u22122, -inf, \u2212∞, -Infinity", (-2.0, MASKED, MASKED, MASKED)),
        ("1e2", (100.0,)),
        ("0.1", (float(np.float32(0.1)),)),
    ],
)
def test_rows_as_people_type_them(text: str, row: tuple[float, ...]) -> None:
    assert parse_row(text) == row


@pytest.mark.parametrize(
    ("text", "value", "limit"),
    [
        ("", "0 numbers", "from 1 to 16"),
        ("1 " * 17, "17 numbers", "from 1 to 16"),
        ("1, two", "“two”", "-inf for a masked score"),
        ("1, inf", "number 2 is inf", "10,000"),
        ("nan", "nan", "10,000"),
        ("1, 2, 10001", "number 3 is 10001", "between −10,000 and 10,000"),
        ("-1e300", "-1e300", "between −10,000 and 10,000"),
        ("x" * 1000, "“" + "x" * 40 + "”", "must be a number"),
    ],
)
def test_refused_rows_name_value_and_limit(text: str, value: str, limit: str) -> None:
    with pytest.raises(RowError) as refused:
        parse_row(text)
    assert value in str(refused.value)
    assert limit in str(refused.value)
    assert len(str(refused.value)) < 200


def test_presets_survive_being_typed() -> None:
    for preset in PRESETS:
        assert parse_row(row_text(preset.row)) == preset.row


def test_words_describe_every_kind_with_known_slots() -> None:
    for kind, variants in ROW_SENTENCES.items():
        for variant, slots in variants.items():
            assert slots_of(WORDS["sentences"][kind][variant]) <= slots
