"""Gradients against central differences, and the tiled backward against the whole-matrix one."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from engine import FORMATS, attention, attention_backward, reference_backward, trace_attention
from tests.engine.oracle import ROUNDOFF, assert_close, attend
from tests.engine.strategies import Problem, examples, problems

STEP = 1e-6
CLOSE = (1e-8, 1e-6)  # atol, rtol of a central difference in float64


def differences(arrays: list[np.ndarray], d_o: np.ndarray, **options: Any) -> list[np.ndarray]:
    """Central differences of sum(d_o · o) by every input, with o from the definition, pair by pair."""

    def loss() -> float:
        return float((d_o * attend(*arrays, **options)[0]).sum())

    found = []
    for array in arrays:
        slope = np.zeros_like(array)
        for at in np.ndindex(*array.shape):
            kept = array[at]
            array[at] = kept + STEP
            up = loss()
            array[at] = kept - STEP
            slope[at] = (up - loss()) / (2 * STEP)
            array[at] = kept
        found.append(slope)
    return found


EMPTY_ROW = np.ones((4, 5), bool)
EMPTY_ROW[1] = False
BIAS = np.random.default_rng(4).standard_normal((4, 5))
BIAS[0, 2] = BIAS[3, 4] = -np.inf


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"causal": "bottom_right"},
        {"causal": "top_left", "scale": 0.3},
        {"keep": EMPTY_ROW},
        {"softcap": 1.5},
        {"softcap": 0.8, "keep": EMPTY_ROW, "scale": -0.7, "causal": "bottom_right"},
        {"window": (1, 0)},
        {"window": (0, 2), "softcap": 2.0},
        {"bias": BIAS},
        {"bias": BIAS, "window": (2, 1), "keep": EMPTY_ROW, "softcap": 1.0, "scale": 1.3},
    ],
    ids=lambda o: "+".join(o) or "plain",
)
@pytest.mark.parametrize("heads", [None, (2, 1)], ids=["one head", "grouped"])
@pytest.mark.parametrize("tiles", [(3, 2), (64, 64)], ids=["ragged", "one tile"])
def test_gradients_are_slopes(options: dict[str, Any], heads: Any, tiles: tuple[int, int]) -> None:
    """In float64, with ragged tiles, an empty row, shared heads, softcap, window and bias."""
    rng = np.random.default_rng(21)
    lead_q, lead_k = ((), ()) if heads is None else ((heads[0],), (heads[1],))
    q, k = rng.standard_normal((*lead_q, 4, 3)), rng.standard_normal((*lead_k, 5, 3))
    v, d_o = rng.standard_normal((*lead_k, 5, 2)), rng.standard_normal((*lead_q, 4, 2))
    o, lse = attention(q, k, v, **options)
    tiled = attention_backward(q, k, v, o, lse, d_o, block_q=tiles[0], block_k=tiles[1], **options)
    whole = reference_backward(q, k, v, d_o, **options)
    slopes = differences([q, k, v], d_o, **options)
    for name, a, b, slope in zip(("d_q", "d_k", "d_v"), tiled, whole, slopes, strict=True):
        assert_close(a, slope, CLOSE, f"{name}, tiled")
        assert_close(b, slope, CLOSE, f"{name}, whole matrix")
        assert np.abs(slope).max() > 1e-3, f"{name}: nothing to see"
    if "keep" in options:
        assert not tiled[0][..., 1, :].any(), "an empty row has a gradient"


def test_the_scale_is_in_both_gradients() -> None:
    """A scale lost in dK, or applied twice, shows at scale ≠ 1: both are linear in it at small scores."""
    rng = np.random.default_rng(5)
    q, k, v, d_o = (1e-4 * rng.standard_normal((3, 2)) for _ in range(4))
    grads = []
    for scale in (1.0, 2.0):
        o, lse = attention(q, k, v, scale=scale)
        grads.append(attention_backward(q, k, v, o, lse, d_o, scale=scale, block_q=2, block_k=2))
    for name, once, twice in zip(("d_q", "d_k"), grads[0][:2], grads[1][:2], strict=True):
        assert np.allclose(twice, 2 * once, rtol=1e-6, atol=0), name
    assert np.allclose(grads[0][2], grads[1][2], rtol=1e-6, atol=0)


def gradient_tolerance(p: Problem, d_o: np.ndarray, largest_score: float) -> tuple[float, float]:
    """Five times the forward rule, times the sizes that a gradient is made of.

    A gradient sums n terms of p · (dP − D) · k: its rounding grows with |dO|, |V|, |K| or |Q|, the scale and
    the number of terms, and in half formats every stored P, dS, o and dQ adds a roundoff of its size.
    """
    n = max(p.sizes, default=1)
    group = p.q.shape[-3] // p.k.shape[-3] if p.q.ndim > 2 else 1
    scale = p.options["scale"]
    scale = p.q.shape[-1] ** -0.5 if scale is None else abs(scale)
    largest = [float(np.abs(a.astype(np.float64)).max(initial=0)) for a in (p.q, p.k, p.v, d_o)]
    d_p = 2 * p.v.shape[-1] * largest[2] * largest[3]
    size = n * group * max(1.0, d_p) * max(1.0, scale * max(largest[0], largest[1]), largest[3])
    eps = 2 * ROUNDOFF["float64" if p.storage == "float64" else "float32"]
    atol = 5 * size * (eps * (4 * largest_score + 4) + 2 * ROUNDOFF[p.storage])
    return atol, 5 * ROUNDOFF[p.storage]


@examples(200)
@given(problems())
def test_the_tiled_backward_is_the_whole_one(p: Problem) -> None:
    """Over random calls: recomputing P from lse tile by tile gives the whole-matrix gradients."""
    o, lse = attention(p.q, p.k, p.v, **p.options)
    rng = np.random.default_rng(p.q.size)
    d_o = rng.standard_normal(o.shape).astype(FORMATS[p.storage].dtype)
    found = attention_backward(p.q, p.k, p.v, o, lse, d_o, **p.options, **p.tiles)
    wanted = reference_backward(p.q, p.k, p.v, d_o.astype(np.float64), **p.options)
    largest = attend(p.q, p.k, p.v, **p.options)[2]
    for name, a, b, like in zip(("d_q", "d_k", "d_v"), found, wanted, (p.q, p.k, p.v), strict=True):
        assert a.dtype == FORMATS[p.storage].dtype and a.shape == like.shape
        assert_close(a, b, gradient_tolerance(p, d_o.astype(np.float64), largest), f"{name}, {p.storage}")


@examples(100)
@given(problems(heads=False))
def test_a_backward_trace_computes_the_gradients(p: Problem) -> None:
    """The recorded, readable loop too; and it carries the right reference."""
    d_o = np.random.default_rng(p.q.size).standard_normal((p.q.shape[0], p.v.shape[1]))
    d_o = d_o.astype(FORMATS[p.storage].dtype)
    options = p.options | {"block_q": p.block_q, "block_k": p.block_k}
    trace = trace_attention(p.q, p.k, p.v, direction="backward", d_o=d_o, **options)
    wanted = reference_backward(p.q, p.k, p.v, d_o.astype(np.float64), **p.options)
    largest = attend(p.q, p.k, p.v, **p.options)[2]
    for name, b in zip(("d_q", "d_k", "d_v"), wanted, strict=True):
        allowed = gradient_tolerance(p, d_o.astype(np.float64), largest)
        assert_close(trace.result[name], b, allowed, f"{name}, {p.storage}")
        assert_close(trace.arrays[f"reference_{name}"], b, (1e-12, 1e-12), f"reference_{name}")


@examples(150)
@given(problems(("float32", "float64"), per_pair=False))
def test_the_fast_backward_is_the_whole_one(p: Problem) -> None:
    """Calls without per-pair arrays or rounding of P, with and without threads, to the bit."""
    o, lse = attention(p.q, p.k, p.v, **p.options)
    d_o = np.random.default_rng(p.q.size).standard_normal(o.shape).astype(o.dtype)
    tiles = {"block_q": p.block_q, "block_k": p.block_k}
    found, again = (
        attention_backward(p.q, p.k, p.v, o, lse, d_o, **p.options, **tiles, threads=t) for t in (1, 3)
    )
    wanted = reference_backward(p.q, p.k, p.v, d_o, **p.options)
    largest = attend(p.q, p.k, p.v, **p.options)[2]
    allowed = gradient_tolerance(p, d_o.astype(np.float64), largest)
    for name, a, same, b in zip(("d_q", "d_k", "d_v"), found, again, wanted, strict=True):
        assert_close(a, b, allowed, f"{name}, {p.storage}")
        assert a.tobytes() == same.tobytes(), f"{name}: threads change bits"


@pytest.mark.parametrize("storage", ["float64", "float32", "float16", "bfloat16"])
def test_gradients_at_a_usual_size(storage: str) -> None:
    """64 positions of unit-normal numbers: five times the tolerances of the forward hold as they stand."""
    rng = np.random.default_rng(2)
    q, k, v, d_o = (rng.standard_normal((64, 32)).astype(FORMATS[storage].dtype) for _ in range(4))
    o, lse = attention(q, k, v, causal="bottom_right")
    found = attention_backward(q, k, v, o, lse, d_o, causal="bottom_right", block_q=16, block_k=24)
    wanted = reference_backward(q, k, v, d_o.astype(np.float64), causal="bottom_right")
    allowed = {"float64": 1e-12, "float32": 1e-5, "float16": 2e-3, "bfloat16": 1.6e-2}[storage]
    for name, a, b in zip(("d_q", "d_k", "d_v"), found, wanted, strict=True):
        assert_close(a, b, (5 * allowed, 5 * allowed), f"{name}, {storage}")


def test_delta_is_the_row_sum_that_it_replaces() -> None:
    """D = rowsum(dO ∘ O) equals rowsum(P ∘ dP), and the trace records it."""
    rng = np.random.default_rng(13)
    q, k, v, d_o = (rng.standard_normal((6, 4)) for _ in range(4))
    trace = trace_attention(q, k, v, direction="backward", d_o=d_o, block_q=4, block_k=3)
    s = q @ k.T / 2
    p = np.exp(s - s.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    delta = np.concatenate([x.work["delta"] for x in trace.steps if x.kind == "delta"])
    assert_close(delta, (p * (d_o @ v.T)).sum(axis=1), (1e-14, 1e-13), "D")
