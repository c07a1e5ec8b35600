"""Calls of the tuned path, and a whole-matrix oracle in float64, written here and nowhere else."""

import math
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from engine import fast
from engine.masks import PairRule

EPS32 = float(np.finfo(np.float32).eps)


class Case(NamedTuple):
    """One call's inputs and options."""

    q: Any
    k: Any
    v: Any
    rule: PairRule
    scale: float
    softcap: float | None = None
    block_q: int = 4
    block_k: int = 5
    threads: int = 1

    def options(self) -> dict[str, Any]:
        """All but the inputs, as the tuned paths take them."""
        return {name: value for name, value in self._asdict().items() if name not in ("q", "k", "v")}


def run(case: Case) -> tuple[Any, Any]:
    return fast.fast_forward(case.q, case.k, case.v, **case.options())


def allowed_pairs(rule: PairRule) -> Any:
    """Whole matrix of allowed pairs, from the definitions and not from the rule's own code."""
    offset = 0 if rule.causal == "top_left" else rule.n_k - rule.n_q
    left, right = rule.window or (None, None)
    allowed = np.ones((rule.n_q, rule.n_k), dtype=bool)
    for i in range(rule.n_q):
        for j in range(rule.n_k):
            behind = i + offset - j
            if rule.causal and behind < 0:
                allowed[i, j] = False
            if left is not None and behind > left:
                allowed[i, j] = False
            if right is not None and -behind > right:
                allowed[i, j] = False
    return allowed


def oracle(case: Case) -> tuple[Any, Any, Any]:
    """Return o, lse and the size of the scores before capping, in float64 from the whole matrix.

    The size is that of their terms, |q| |k|: where large terms cancel, rounding follows the terms.
    """
    q, k, v = (np.asarray(x, dtype=np.float64) for x in (case.q, case.k, case.v))
    s = case.scale * (q @ k.swapaxes(1, 2))
    terms = abs(case.scale) * (np.abs(q) @ np.abs(k).swapaxes(1, 2))
    if case.softcap is not None:
        s = case.softcap * np.tanh(s / case.softcap)
    largest = float(terms.max(initial=0.0))
    s = np.where(allowed_pairs(case.rule), s, -np.inf)
    m = s.max(axis=-1, keepdims=True, initial=-np.inf)
    p = np.exp(s - np.where(np.isneginf(m), 0.0, m))
    l = p.sum(axis=-1, keepdims=True)
    with np.errstate(divide="ignore"):
        lse = (m + np.log(l))[..., 0]
    return p @ v / np.where(l == 0, 1.0, l), lse, largest


def score_size(case: Case) -> float:
    """max|S| before capping, in float64."""
    q, k = (np.asarray(x, dtype=np.float64) for x in (case.q, case.k))
    return float(np.abs(case.scale * (q @ k.swapaxes(1, 2))).max(initial=0.0))


def tolerance(case: Case, largest: float) -> float:
    """facts.md C3: absolute, from the format and the size of scores and values."""
    if case.q.dtype == np.float64:
        return 1e-12 + 4 * float(np.finfo(np.float64).eps) * largest * (1 + np.abs(case.v).max(initial=0.0))
    return 1e-6 + 4 * EPS32 * largest * float(np.abs(case.v).max(initial=0.0))


def check(case: Case, *, strict: bool = False) -> None:
    """Hold o and lse to the oracle; ``strict`` takes max|S| in C3 instead of the size of its terms."""
    o, lse = run(case)
    want_o, want_lse, largest = oracle(case)
    assert o.dtype == lse.dtype == case.q.dtype
    assert o.shape == want_o.shape
    assert lse.shape == want_lse.shape
    assert np.isfinite(o).all()
    empty = np.isneginf(want_lse)
    assert np.array_equal(np.isneginf(lse), empty)
    assert not o[empty].any()
    error = float(np.abs(o - want_o).max(initial=0.0))
    allowed_error = tolerance(case, score_size(case) if strict else largest)
    assert error <= allowed_error, f"o differs by {error}"
    # lse carries the scores' own rounding: a few units in the last place of the largest of them.
    eps = float(np.finfo(case.q.dtype).eps)
    error = float(np.abs(lse[~empty] - want_lse[~empty]).max(initial=0.0))
    assert error <= 8 * eps * (1 + largest), f"lse differs by {error}"


def normal(seed: int, *shape: int, dtype: Any = np.float32) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def strided(x: Any, how: str) -> Any:
    """Return the same numbers in another memory layout."""
    if how == "gaps":
        wide = np.full((*x.shape[:-1], 2 * x.shape[-1]), 7, x.dtype)
        wide[..., ::2] = x
        return wide[..., ::2]
    if how == "transposed":
        return np.ascontiguousarray(x.swapaxes(1, 2)).swapaxes(1, 2)
    if how == "heads_inside":
        return np.ascontiguousarray(x.swapaxes(0, 1)).swapaxes(0, 1)
    if how == "reversed":
        return np.ascontiguousarray(x[:, ::-1, ::-1])[:, ::-1, ::-1]
    return x


LAYOUTS = ["plain", "gaps", "transposed", "heads_inside", "reversed"]
side = st.one_of(st.none(), st.integers(0, 9))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    h, n_q, n_k = draw(st.integers(1, 4)), draw(st.integers(0, 19)), draw(st.integers(0, 19))
    d, d_v = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    seed = draw(st.integers(0, 2**32 - 1))
    # 1 stays within the slack, 30 makes subnormals where nothing prevents them, 1000 overflows.
    size = draw(st.sampled_from([1.0, 8.0, 30.0, 1000.0]))
    window = draw(st.one_of(st.none(), st.tuples(side, side)))
    causal = draw(st.sampled_from([None, "bottom_right", "top_left"]))
    q, k, v = (
        strided(normal(seed + i, *shape, dtype=dtype), draw(st.sampled_from(LAYOUTS)))
        for i, shape in enumerate([(h, n_q, d), (h, n_k, d), (h, n_k, d_v)])
    )
    return Case(
        q * dtype(size),
        k,
        v,
        PairRule(n_q, n_k, causal, window),
        scale=draw(st.sampled_from([1 / math.sqrt(d), 1.0, -0.5, 0.0])),
        softcap=draw(st.sampled_from([None, None, 0.5, 20.0, 50.0])),
        block_q=draw(st.integers(1, 24)),
        block_k=draw(st.integers(1, 24)),
        threads=draw(st.integers(1, 3)),
    )
