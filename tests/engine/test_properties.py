"""What attention must satisfy whatever the numbers are: invariances, merging, threads."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import attention, merge
from tests.engine.oracle import assert_close, assert_lse_close, forward_tolerance, lse_tolerance
from tests.engine.strategies import ORDERS, Problem, examples, problems

FORMATS = ("float64", "float32")


def tolerances(p: Problem, extra_score: float = 0.0) -> tuple[tuple[float, float], tuple[float, float]]:
    """Twice the tolerance of one run, since two runs are compared."""
    norms = [np.sqrt((a.astype(np.float64) ** 2).sum(axis=-1)).max(initial=0) for a in (p.q, p.k)]
    scale = p.options["scale"]
    score = norms[0] * norms[1] * (p.q.shape[-1] ** -0.5 if scale is None else abs(scale)) + extra_score
    bias = p.options.get("bias")
    if bias is not None:
        score += np.abs(bias[np.isfinite(bias)]).max(initial=0)
    (a, r), (b, t) = forward_tolerance(p.storage, score, p.largest_value), lse_tolerance(p.storage, score)
    return (2 * a, 2 * r), (2 * b, 2 * t)


def shuffled(rng: np.random.Generator, p: Problem) -> tuple[Problem, np.ndarray]:
    """The same problem with its keys in another order; per-pair arrays are widened to follow."""
    n_q, n_k = p.sizes
    order = rng.permutation(n_k)
    options = dict(p.options)
    for name in ("keep", "bias"):
        if name in options:
            lead = np.shape(options[name])[:-2]
            options[name] = np.broadcast_to(options[name], (*lead, n_q, n_k))[..., order]
    moved = Problem(
        p.q, p.k[..., order, :], p.v[..., order, :], p.storage, options, p.block_q, p.block_k, p.order
    )
    return moved, order


@examples(80)
@given(problems(FORMATS), st.integers(0, 2**32 - 1))
def test_keys_may_come_in_any_order(p: Problem, seed: int) -> None:
    """Attention is over a set of keys: positions matter through masks alone."""
    p.options |= {"causal": None, "window": None}
    moved, _ = shuffled(np.random.default_rng(seed), p)
    close_o, close_lse = tolerances(p)
    o_1, lse_1 = attention(p.q, p.k, p.v, **p.options, **p.tiles)
    o_2, lse_2 = attention(moved.q, moved.k, moved.v, **moved.options, **moved.tiles)
    assert_close(o_1, o_2, close_o, "o")
    assert_lse_close(lse_1, lse_2, close_lse)


@examples(100)
@given(problems(FORMATS), st.integers(1, 12), st.integers(1, 12), st.sampled_from(ORDERS))
def test_tiles_and_order_change_nothing(p: Problem, block_q: int, block_k: int, order: Any) -> None:
    """How the work is cut cannot matter."""
    close_o, close_lse = tolerances(p)
    o_1, lse_1 = attention(p.q, p.k, p.v, **p.options, **p.tiles)
    o_2, lse_2 = attention(p.q, p.k, p.v, **p.options, block_q=block_q, block_k=block_k, order=order)
    assert_close(o_1, o_2, close_o, "o")
    assert_lse_close(lse_1, lse_2, close_lse)


@examples(80)
@given(problems(FORMATS), st.integers(0, 2**32 - 1))
def test_a_constant_added_to_a_row_moves_lse_alone(p: Problem, seed: int) -> None:
    """Softmax does not see it; lse grows by it."""
    n_q, n_k = p.sizes
    shift = np.random.default_rng(seed).uniform(-30, 30, (n_q, 1)).astype(np.float32)
    shifted = dict(p.options)
    shifted["bias"] = (p.options.get("bias", np.float32(0)) + np.broadcast_to(shift, (n_q, n_k))).astype(
        np.float32
    )
    close_o, close_lse = tolerances(p, extra_score=30)
    if "bias" in p.options:  # the sum of bias and shift is itself rounded to float32
        close_o, close_lse = ((a + 3e-5 * (1 + p.largest_value), r) for a, r in (close_o, close_lse))
    o_1, lse_1 = attention(p.q, p.k, p.v, **p.options, **p.tiles)
    o_2, lse_2 = attention(p.q, p.k, p.v, **shifted, **p.tiles)
    assert_close(o_1, o_2, close_o, "o")
    assert_lse_close(lse_2, lse_1 + shift[:, 0], close_lse)


@examples(80)
@given(problems(FORMATS, heads=False))
def test_lse_makes_rows_of_p_sum_to_one_or_nothing(p: Problem) -> None:
    """With v = 1 the output is the row sum of P: 1, or 0 in an empty row. And lse rebuilds P."""
    n_k = p.sizes[1]
    ones, lse = attention(p.q, p.k, np.ones((n_k, 1), p.q.dtype), **p.options, **p.tiles)
    eps = np.finfo(ones.dtype).eps
    wanted = np.where(np.isneginf(lse), 0.0, 1.0)
    assert_close(ones[:, 0], wanted, (8 * n_k * eps, 0), "row sums")
    if n_k == 0:
        return
    weights, again = attention(p.q, p.k, np.eye(n_k, dtype=p.q.dtype), **p.options, **p.tiles)
    assert_lse_close(again, lse, tolerances(p)[1])
    assert (weights >= 0).all() and (weights <= 1 + 8 * n_k * eps).all()
    o, _ = attention(p.q, p.k, p.v, **p.options, **p.tiles)
    assert_close(o, weights @ p.v, tolerances(p)[0], "P v")


@examples(80)
@given(problems(FORMATS, heads=True), st.integers(0, 11))
def test_split_keys_merge_into_the_whole(p: Problem, cut: int) -> None:
    """Each half of the keys on its own, then merged, is attention over all of them."""
    n_q, n_k = p.sizes
    cut = min(cut, n_k)
    p.options |= {"causal": None, "window": None}
    parts = []
    for keys in (slice(0, cut), slice(cut, None)):
        options = dict(p.options)
        for name in ("keep", "bias"):
            if name in options:
                lead = np.shape(options[name])[:-2]
                options[name] = np.broadcast_to(options[name], (*lead, n_q, n_k))[..., keys]
        parts.append(attention(p.q, p.k[..., keys, :], p.v[..., keys, :], **options, **p.tiles))
    o, lse = merge(*parts[0], *parts[1])
    whole_o, whole_lse = attention(p.q, p.k, p.v, **p.options, **p.tiles)
    close_o, close_lse = tolerances(p)
    assert_close(o, whole_o, close_o, "merged o")
    assert_lse_close(lse, whole_lse, close_lse, "merged lse")


def random_part(rng: np.random.Generator, dtype: Any) -> tuple[np.ndarray, np.ndarray]:
    """A partial result, with some empty rows (o = 0, lse = −∞)."""
    o, lse = rng.standard_normal((6, 3)).astype(dtype), (20 * rng.standard_normal(6)).astype(dtype)
    empty = rng.random(6) < 0.3
    o[empty], lse[empty] = 0, -np.inf
    return o, lse


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("seed", range(20))
def test_merging_is_a_commutative_monoid(dtype: Any, seed: int) -> None:
    """Associative, commutative, and (0, −∞) is neutral, bit for bit."""
    rng = np.random.default_rng(seed)
    a, b, c = (random_part(rng, dtype) for _ in range(3))
    close = (1e-14, 1e-13) if dtype == np.float64 else (2e-6, 2e-6)
    left, right = merge(*merge(*a, *b), *c), merge(*a, *merge(*b, *c))
    assert_close(left[0], right[0], close, "associative o")
    assert_lse_close(left[1], right[1], close, "associative lse")
    for found, wanted in zip(merge(*a, *b), merge(*b, *a), strict=True):
        assert np.array_equal(found, wanted), "commutative"
    neutral = np.zeros((6, 3), dtype), np.full(6, -np.inf, dtype)
    for found, wanted in (
        *zip(merge(*a, *neutral), a, strict=True),
        *zip(merge(*neutral, *a), a, strict=True),
    ):
        assert np.array_equal(found, wanted), "neutral"
        assert found.dtype == dtype


def test_merging_does_not_overflow() -> None:
    """Weights are taken relative to the larger lse."""
    o, lse = merge([[1.0]], [1e5], [[3.0]], [1e5])
    assert o[0, 0] == 2 and lse[0] == pytest.approx(1e5 + np.log(2))
    o, _ = merge(*(np.array(x, np.float32) for x in ([[1.0]], [1e4], [[1.0]], [1e4 + 1])))
    assert o[0, 0] == 1, "an average of equal values, however coarsely lse is rounded"
    o, lse = merge([[1.0]], [-1e5], [[3.0]], [1e5])
    assert o[0, 0] == 3 and lse[0] == 1e5
    half, _ = merge(
        np.ones((1, 1), np.float16), np.zeros(1, np.float32), np.ones((1, 1), np.float16), np.zeros(1)
    )
    assert half.dtype in (np.float32, np.float64) and half[0, 0] == 1


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("storage", ["float64", "float32", "bfloat16"])
def test_threads_change_no_bit(order: Any, storage: str) -> None:
    """Same input, same output, however many workers; and the same again on a second call."""
    rng = np.random.default_rng(1)
    q, k, v = (
        rng.standard_normal((4, 150, 16)),
        rng.standard_normal((2, 170, 16)),
        rng.standard_normal((2, 170, 8)),
    )
    options: dict[str, Any] = {
        "causal": "bottom_right", "block_q": 32, "block_k": 48, "storage": storage, "order": order,
        "softcap": 9,
    }  # fmt: skip
    once = attention(q, k, v, threads=1, **options)
    for threads in (1, 2, 3, 7, 64, None):
        again = attention(q, k, v, threads=threads, **options)
        for a, b in zip(once, again, strict=True):
            assert a.tobytes() == b.tobytes(), f"{threads} threads"


def test_threads_change_no_bit_at_large_logits() -> None:
    """Where the reference of the running sums has to move."""
    rng = np.random.default_rng(2)
    q, k, v = (40 * rng.standard_normal((3, 130, 8)).astype(np.float32) for _ in range(3))
    found = {attention(q, k, v, block_q=16, block_k=16, threads=t)[0].tobytes() for t in (1, 2, 5)}
    assert len(found) == 1


@pytest.mark.parametrize("size", [1, 3, 5, 30])
def test_large_logits_do_not_overflow(size: float) -> None:
    """exp of 1e4 is infinite; the running maximum keeps every exponential at most near 1."""
    rng = np.random.default_rng(3)
    q, k, v = (rng.standard_normal((64, 16)).astype(np.float32) for _ in range(3))
    for order in ORDERS:
        o, lse = attention(q * size**2, k * size**2, v, block_q=16, block_k=16, order=order)
        assert np.isfinite(o).all() and np.isfinite(lse).all()
        assert (np.abs(o) <= np.abs(v).max() * (1 + 1e-5)).all(), "o is an average of values"


def test_heads_do_not_see_each_other() -> None:
    """A huge head beside a small one changes nothing in the small one."""
    rng = np.random.default_rng(4)
    q, k, v = (rng.standard_normal((3, 40, 8)).astype(np.float32) for _ in range(3))
    alone = attention(q[1], k[1], v[1], block_q=16, block_k=16)
    q[[0, 2]] *= 300
    k[[0, 2]] *= 300
    v[[0, 2]] *= 1e6
    beside = attention(q, k, v, block_q=16, block_k=16)
    assert_close(beside[0][1], alone[0], (1e-6, 1e-6), "o")
    assert_close(beside[1][1], alone[1], (1e-6, 1e-6), "lse")
