"""The tuned backward against gradients from the whole matrix of weights, in float64."""

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.fast_backward import fast_backward
from engine.masks import PairRule
from tests.fast_oracle import Case, allowed_pairs, cases, normal, run


def run_backward(case: Case, d_o: Any) -> tuple[Any, Any, Any]:
    o, lse = run(case)
    return fast_backward(case.q, case.k, case.v, o, lse, d_o, **case.options())


def oracle_backward(case: Case, d_o: Any) -> tuple[Any, Any, Any]:
    """Gradients from the whole matrix of weights, in float64."""
    q, k, v, d_o = (np.asarray(x, dtype=np.float64) for x in (case.q, case.k, case.v, d_o))
    s = case.scale * (q @ k.swapaxes(1, 2))
    slope = np.ones_like(s)
    if case.softcap is not None:
        t = np.tanh(s / case.softcap)
        s, slope = case.softcap * t, 1 - t * t
    s = np.where(allowed_pairs(case.rule), s, -np.inf)
    m = s.max(axis=-1, keepdims=True, initial=-np.inf)
    p = np.exp(s - np.where(np.isneginf(m), 0.0, m))
    l = p.sum(axis=-1, keepdims=True)
    p /= np.where(l == 0, 1.0, l)
    d_p = d_o @ v.swapaxes(1, 2)
    d_s = p * (d_p - (p * d_p).sum(axis=-1, keepdims=True)) * slope * case.scale
    return d_s @ k, d_s.swapaxes(1, 2) @ q, p.swapaxes(1, 2) @ d_o


@given(cases(), st.integers(0, 2**32 - 1))
@settings(max_examples=80, deadline=None)
def test_backward_equals_the_whole_matrix(case: Case, seed: int) -> None:
    case = case._replace(q=case.q / np.abs(case.q).max(initial=1.0).astype(case.q.dtype) * 3)
    d_o = normal(seed, *case.q.shape[:2], case.v.shape[2], dtype=case.q.dtype)
    eps = float(np.finfo(case.q.dtype).eps)
    for got, want in zip(run_backward(case, d_o), oracle_backward(case, d_o), strict=True):
        assert got.dtype == case.q.dtype
        assert got.shape == want.shape
        assert np.isfinite(got).all()
        error = float(np.abs(got - want).max(initial=0.0))
        # Scores, D and the sums over up to 19 rows each round, and the sizes here reach about 100.
        assert error <= 400 * eps * (1 + float(np.abs(want).max(initial=0.0))), f"differs by {error}"


def test_backward_of_sharp_logits_and_empty_rows() -> None:
    q, k, v = normal(0, 2, 9, 4) * np.float32(1000), normal(1, 2, 6, 4), normal(2, 2, 6, 4)
    case = Case(q, k, v, PairRule(9, 6, "bottom_right"), 0.5, None, 4, 4)
    d_q, d_k, d_v = run_backward(case, normal(3, 2, 9, 4))
    assert all(np.isfinite(x).all() for x in (d_q, d_k, d_v))
    assert not d_q[:, :3].any()
    assert d_v.any()


def test_backward_threads_do_not_change_a_bit() -> None:
    q, k, v = normal(0, 5, 300, 8), normal(1, 5, 300, 8), normal(2, 5, 300, 8)
    case = Case(q, k, v, PairRule(300, 300, "top_left"), 0.35, None, 256, 256)
    d_o = normal(3, 5, 300, 8)
    for a, b in zip(run_backward(case, d_o), run_backward(case._replace(threads=3), d_o), strict=True):
        assert np.array_equal(a, b)
