"""The check that a kernel author takes away: what it accepts, where it sees a departure, what it refuses."""

import math
import re
from typing import Any

import numpy as np
import pytest

from engine import FORMATS, MISTAKES, Trace, trace_attention
from engine.precision import format_named
from engine.verdict import Departure, judge
from lesson.kernel_verdict import frame_of, report_on

LN_2 = math.log(2)


def drawn(n_q: int = 10, n_k: int = 14, d: int = 8, d_v: int = 6, seed: int = 3) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape).astype(np.float32) for shape in ((n_q, d), (n_k, d), (n_k, d_v))]


def traced(seed: int = 3, **options: Any) -> Trace:
    return trace_attention(
        *drawn(seed=seed), **({"block_q": 4, "block_k": 4, "causal": "bottom_right"} | options)
    )


def kernel(trace: Trace, storage: str = "float32") -> dict[str, np.ndarray]:
    """A tiled kernel written without the engine: loops over key tiles for all rows at once.

    Scores and statistics in float32 (float64 for float64); q, k, v, p and o rounded to the storage format.
    """
    fmt = format_named(storage)
    p_of = trace.problem
    q, k, v = (trace.arrays[name].astype(fmt.dtype).astype(fmt.compute) for name in "qkv")
    allowed = np.array([[c == "1" for c in row] for row in p_of["allowed"]])
    n_q, block = len(q), p_of["block_k"]
    m = np.full(n_q, -np.inf, fmt.compute)
    l = np.zeros(n_q, fmt.compute)
    acc = np.zeros((n_q, v.shape[1]), fmt.compute)
    seen: dict[str, list[np.ndarray]] = {"m": [], "l": [], "acc": []}
    for start in range(0, len(k), block):
        s = (q @ k[start : start + block].T) * fmt.compute.type(p_of["scale"])
        s = np.where(allowed[:, start : start + block], s, -np.inf)
        m_new = np.maximum(m, s.max(axis=1))
        shift = np.where(np.isneginf(m_new), 0, m_new)
        alpha = np.where(np.isneginf(m), 0, np.exp(np.where(np.isneginf(m), 0, m) - shift))
        p = np.exp(s - shift[:, None]).astype(fmt.compute)
        l = (alpha * l + p.sum(axis=1)).astype(fmt.compute)
        acc = alpha[:, None] * acc + p.astype(fmt.dtype).astype(fmt.compute) @ v[start : start + block]
        acc, m = acc.astype(fmt.compute), m_new.astype(fmt.compute)
        for name, value in (("m", m), ("l", l), ("acc", acc)):
            seen[name].append(value.copy())
    total = np.where(l == 0, 1, l)
    with np.errstate(divide="ignore"):
        lse = m + np.log(l)
    return {name: np.stack(values) for name, values in seen.items()} | {
        "o": (acc / total[:, None]).astype(fmt.dtype),
        "lse": lse,
    }


@pytest.mark.parametrize("storage", list(FORMATS))
@pytest.mark.parametrize("order", ["q_outer", "kv_outer"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_right_kernel_agrees_in_every_format(storage: str, order: Any, seed: int) -> None:
    """A kernel in half precision agrees too; a full-precision tolerance would refuse it."""
    trace = traced(seed=seed, storage=storage, order=order)
    arrays = kernel(trace, storage)
    verdict = judge(trace, arrays, storage)
    assert verdict.agrees, verdict.first
    assert set(verdict.compared) == {"m", "l", "acc", "o", "lse"} and verdict.storage == storage
    assert all(0 <= share <= 1 for share in verdict.largest.values())
    assert judge(trace, arrays).agrees, "None takes the trace's own format"


def test_a_half_precision_kernel_does_not_pass_as_float32() -> None:
    trace = traced(storage="bfloat16")
    assert not judge(trace, kernel(trace, "bfloat16"), "float32").agrees


@pytest.mark.parametrize("name", ["m", "l", "acc", "o", "lse"])
def test_the_first_place_is_found_in_every_array(name: str) -> None:
    """One number changed: exactly that place is named, with what was found, expected and allowed."""
    trace = traced()
    arrays = kernel(trace)
    place = {"m": (2, 5), "l": (1, 7), "acc": (2, 6, 3), "o": (4, 2), "lse": (8,)}[name]
    arrays[name] = arrays[name].copy()
    right = float(arrays[name][place])
    arrays[name][place] += 0.5
    verdict = judge(trace, arrays)
    first = verdict.first
    assert first is not None and not verdict.agrees
    by_tile = name in ("m", "l", "acc")
    assert (first.name, first.tile, first.row) == (
        name,
        place[0] if by_tile else None,
        place[1] if by_tile else place[0],
    )
    assert first.column == (place[-1] if name in ("acc", "o") else None)
    assert first.found == pytest.approx(right + 0.5)
    assert first.expected == pytest.approx(right, abs=1e-4)
    assert 0 < first.allowed < 1e-3
    assert verdict.largest[name] > 1
    assert all(verdict.largest[other] <= 1 for other in arrays if other != name)


def test_the_earliest_tile_wins_then_the_row_then_the_name() -> None:
    trace = traced()
    arrays = kernel(trace)
    arrays["o"] = arrays["o"] + 1
    arrays["acc"][2, 0, 0] += 1
    arrays["l"][1, 9] += 1
    first = judge(trace, arrays).first
    assert first is not None and (first.name, first.tile, first.row) == ("l", 1, 9)
    arrays["acc"][1, 8, 5] += 1
    first = judge(trace, arrays).first
    assert first is not None and (first.name, first.tile, first.row) == ("acc", 1, 8)
    arrays["m"][1, 8] += 1
    first = judge(trace, arrays).first
    assert first is not None and (first.name, first.tile, first.row) == ("m", 1, 8)


def test_a_skipped_tile_leaves_the_state_as_it_was() -> None:
    """Causal, square: the first query tile never sees the later key tiles."""
    q, k, v = drawn(8, 8)
    trace = trace_attention(q, k, v, block_q=4, block_k=4, causal="bottom_right")
    arrays = kernel(trace)
    np.testing.assert_array_equal(arrays["acc"][1, :4], arrays["acc"][0, :4])
    assert judge(trace, arrays).agrees
    arrays["l"][1, 0] = 0
    first = judge(trace, arrays).first
    assert first is not None and (first.name, first.tile, first.row) == ("l", 1, 0)


@pytest.mark.parametrize("name", ["m", "l", "acc", "o", "lse"])
def test_nan_never_agrees(name: str) -> None:
    trace = traced()
    arrays = kernel(trace)
    place = {"m": (1, 2), "l": (1, 2), "acc": (1, 2, 0), "o": (2, 0), "lse": (2,)}[name]
    arrays[name][place] = np.nan
    verdict = judge(trace, arrays)
    assert verdict.first is not None and verdict.first.name == name and math.isnan(verdict.first.found)
    assert verdict.largest[name] == math.inf


def test_a_query_without_keys_agrees_and_plus_infinity_is_named() -> None:
    """No key: m and lse are −∞, o is 0. Some kernels return +∞ there."""
    q, k, v = drawn(4, 4)
    keep = np.ones((4, 4), bool)
    keep[2] = False
    trace = trace_attention(q, k, v, block_q=2, block_k=2, keep=keep)
    arrays = kernel(trace)
    assert arrays["lse"][2] == -np.inf and judge(trace, arrays).agrees
    arrays["lse"][2] = np.inf
    verdict = judge(trace, arrays)
    assert verdict.hint == "plus_infinity" and verdict.first is not None and verdict.first.row == 2


@pytest.mark.parametrize(
    ("name", "change", "hint"),
    [
        ("m", lambda a, t: a / LN_2, "base_2"),
        ("lse", lambda a, t: a / LN_2, "base_2"),
        ("m", lambda a, t: a / t.problem["scale"], "unscaled"),
        ("acc", lambda a, t: a / np.maximum(kernel(t)["l"], 1e-30)[..., None], "already_divided"),
        ("o", lambda a, t: kernel(t)["acc"][-1], "not_divided"),
        ("o", lambda a, t: a * 1.5, None),
        ("m", lambda a, t: a + 0.25, None),
    ],
)
def test_a_difference_of_convention_is_named(name: str, change: Any, hint: str | None) -> None:
    trace = traced(causal=None)
    array = change(kernel(trace)[name].astype(np.float64), trace)
    verdict = judge(trace, {name: array})
    assert verdict.first is not None and verdict.hint == hint


@pytest.mark.parametrize("mistake", sorted(MISTAKES))
def test_a_mistake_is_found_at_the_tile_where_it_parts(mistake: str) -> None:
    """What the wrong algorithm carries comes from its own trace; the first tile that differs is named."""
    right, wrong = traced(causal=None), traced(causal=None, mistake=mistake)
    tiles, n_q, d_v = 4, 10, 6
    arrays: dict[str, np.ndarray] = {
        "m": np.full((tiles, n_q), -np.inf), "l": np.zeros((tiles, n_q)), "acc": np.zeros((tiles, n_q, d_v)),
    }  # fmt: skip
    ours = {name: a.copy() for name, a in arrays.items()}
    for trace, target in ((wrong, arrays), (right, ours)):
        for step in trace.steps:
            if step.kind == "accumulate":
                assert step.rows is not None
                for name in target:
                    target[name][step.tile[1], slice(*step.rows)] = step.state[name]
    assert judge(right, ours).agrees
    with np.errstate(invalid="ignore"):
        far = {
            name: ~(np.abs(arrays[name] - ours[name]) <= 1e-3) & (arrays[name] != ours[name])
            for name in arrays
        }
    expected = min(
        (int(tile), int(row)) for different in far.values() for tile, row, *_ in np.argwhere(different)
    )
    verdict = judge(right, arrays)
    assert verdict.first is not None
    assert (verdict.first.tile, verdict.first.row) == expected


def test_what_does_not_fit_is_refused_with_both_shapes() -> None:
    trace = traced()
    with pytest.raises(ValueError, match=r"acc has shape \(4, 10, 5\); this trace has \(4, 10, 6\)"):
        judge(trace, {"acc": np.zeros((4, 10, 5))})
    with pytest.raises(ValueError, match="o holds complex128"):
        judge(trace, {"o": np.zeros((10, 6), complex)})
    with pytest.raises(ValueError, match="found scores; at least one of m, l, acc, o, lse"):
        judge(trace, {"scores": np.zeros(3)})
    with pytest.raises(ValueError, match="storage must be one of"):
        judge(trace, {"o": np.zeros((10, 6))}, "float8")
    for other, what in (
        (traced(direction="backward"), "a backward"),
        (traced(mistake="no_rescale"), "the mistake 'no_rescale'"),
    ):
        with pytest.raises(ValueError, match=f"only a forward trace .*; this is {what}$"):
            judge(other, {"o": np.zeros((10, 6))})


@pytest.mark.parametrize("order", ["q_outer", "kv_outer"])
@pytest.mark.parametrize(
    ("name", "tile", "row", "kinds"),
    [
        ("m", 2, 5, {"update_max"}),
        ("l", 1, 7, {"accumulate"}),
        ("acc", 3, 9, {"accumulate"}),
        ("acc", 3, 0, {"skip"}),
        ("o", None, 4, {"normalise"}),
        ("lse", None, 8, {"normalise"}),
    ],
)
def test_a_departure_opens_the_frame_that_makes_the_number(
    order: Any, name: str, tile: int | None, row: int, kinds: set[str]
) -> None:
    trace = traced(order=order)
    frame = frame_of(trace, Departure(name, tile, row, None, 1.0, 0.0, 0.1))
    step = trace.steps[frame.step]
    assert step.kind in kinds and step.tile[0] == row // 4 and tile in (None, step.tile[1])
    assert frame.row == row % 4
    if tile is None:
        later = [s for s in trace.steps[frame.step + 1 :] if s.kind == "normalise" and s.tile[0] == row // 4]
        assert not later, "the last division of this row"


def test_a_verdict_reads_as_sentences() -> None:
    trace = traced()
    arrays = kernel(trace)
    report = report_on(trace, judge(trace, arrays))
    assert report.agrees and report.frame is None
    assert re.search(r"`acc` used \d+\.\d% of what is allowed", report.sentences[1])
    arrays["m"] = arrays["m"] / LN_2
    report = report_on(trace, judge(trace, arrays))
    assert not report.agrees and report.frame is not None
    assert report.sentences[0].startswith("`m` first departs after key tile 0 of 4, for query 0")
    assert "ln 2" in report.sentences[2]
