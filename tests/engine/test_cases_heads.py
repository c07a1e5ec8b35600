"""Known trouble with grouped heads, softcap, bias and memory layout."""

from typing import Any

import numpy as np
import pytest

from engine import attention, attention_backward, reference_attention
from tests.engine.oracle import assert_close
from tests.engine.strategies import ORDERS
from tests.engine.test_cases_masks import EXACT, column, every_path


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("lead", [(), (2,), (2, 3)])
def test_query_heads_share_neighbouring_key_heads(order: Any, lead: tuple[int, ...]) -> None:
    """4 query heads over 2 key/value heads use 0, 0, 1, 1, not 0, 1, 0, 1."""
    q, k = np.zeros((*lead, 4, 1, 1)), np.zeros((*lead, 2, 1, 1))
    v = np.broadcast_to(np.array([10.0, 20.0])[:, None, None], (*lead, 2, 1, 1))
    o, _ = attention(q, k, v, order=order)
    assert np.array_equal(o[..., 0, 0], np.broadcast_to([10, 10, 20, 20], (*lead, 4)))
    assert np.array_equal(reference_attention(q, k, v)[0], o)


def test_one_key_head_serves_all() -> None:
    """With one key/value head (multi-query) any pairing is right."""
    rng = np.random.default_rng(0)
    q, k, v = rng.standard_normal((3, 5, 2)), rng.standard_normal((1, 4, 2)), rng.standard_normal((1, 4, 3))
    whole, _ = attention(q, k, v, block_k=2)
    for h in range(3):
        assert_close(whole[h], attention(q[h], k[0], v[0], block_k=2)[0], EXACT, f"head {h}")


@pytest.mark.parametrize(("heads", "kv_heads"), [(7, 3), (2, 4), (3, 2)])
def test_heads_that_do_not_divide_are_refused(heads: int, kv_heads: int) -> None:
    """7 heads over 3 would drop one or run out of range."""
    q, k = np.ones((1, heads, 2, 2)), np.ones((1, kv_heads, 2, 2))
    for call in (attention, reference_attention):
        with pytest.raises(
            ValueError, match=f"{heads} query heads is not a multiple of {kv_heads} key/value heads"
        ):
            call(q, k, k)


def test_gradients_of_shared_heads_add_up() -> None:
    """dK and dV of a shared head are the sums over the query heads that use it."""
    rng = np.random.default_rng(1)
    q, d_o = rng.standard_normal((6, 5, 3)), rng.standard_normal((6, 5, 2))
    k, v = rng.standard_normal((2, 4, 3)), rng.standard_normal((2, 4, 2))
    o, lse = attention(q, k, v)
    d_q, d_k, d_v = attention_backward(q, k, v, o, lse, d_o, block_q=2, block_k=3)
    wide_k, wide_v = np.repeat(k, 3, axis=0), np.repeat(v, 3, axis=0)
    apart = attention_backward(q, wide_k, wide_v, o, lse, d_o, block_q=2, block_k=3)
    assert_close(d_q, apart[0], EXACT, "d_q")
    for name, shared, each in (("d_k", d_k, apart[1]), ("d_v", d_v, apart[2])):
        assert_close(shared, each.reshape(2, 3, *each.shape[1:]).sum(axis=1), EXACT, name)


def test_softcap_comes_before_the_mask() -> None:
    """Capping −∞ gives −c: with c = 1 and scores 0 and 5 (masked), the weights must be 1 and 0."""
    for options in ({"keep": [[True, False]]}, {"bias": np.array([[0, -np.inf]])}):
        for what, o, lse in every_path(
            column(1), column(0, 5), column(1, 100), softcap=1, scale=1, **options
        ):
            assert o[0, 0] == 1 and lse[0] == 0, what


def test_softcap_is_on_the_scaled_natural_scores() -> None:
    """c · tanh(s / c) after scaling, not on unscaled or base-2 ones."""
    capped = 2 * np.tanh(np.array([1.0, 3.0]) / 2)
    wanted = np.exp(capped[1]) / np.exp(capped).sum()
    for what, o, lse in every_path(column(2), column(1, 3), column(0, 1), softcap=2, scale=0.5):
        assert o[0, 0] == pytest.approx(wanted, rel=1e-12), what
        assert lse[0] == pytest.approx(np.log(np.exp(capped).sum()), rel=1e-12), what


def test_a_bias_is_added_after_softcap() -> None:
    """A bias of −8 stays −8 under a cap of 1."""
    for what, o, _ in every_path(
        column(0), column(0, 0), column(0, 1), softcap=1, bias=np.array([[0.0, -8.0]])
    ):
        assert o[0, 0] == pytest.approx(1 / (1 + np.exp(8)), rel=1e-12), what


def test_a_softcap_of_zero_is_off() -> None:
    """Not "all scores are zero"; a negative or infinite one is refused elsewhere."""
    rng = np.random.default_rng(2)
    q, k, v = (rng.standard_normal((4, 3)) for _ in range(3))
    for order in ORDERS:
        off, zero = (attention(q, k, v, softcap=c, order=order, block_k=2) for c in (None, 0))
        assert np.array_equal(off[0], zero[0]) and np.array_equal(off[1], zero[1])
        capped = attention(q, k, v, softcap=0.5, order=order, block_k=2)
        assert np.abs(capped[0] - off[0]).max() > 1e-3


@pytest.mark.parametrize("softcap", [1e-3, 1e6])
@pytest.mark.parametrize("storage", ["float32", "float64", "float16"])
def test_extreme_softcaps(softcap: float, storage: str) -> None:
    """A tiny cap makes all weights equal; a huge one changes nothing."""
    rng = np.random.default_rng(4)
    q, k, v = (rng.standard_normal((5, 4)) for _ in range(3))
    plain = reference_attention(q, k, v, storage=storage)[0]
    wanted = np.broadcast_to(v.mean(axis=0), v.shape) if softcap < 1 else plain
    for what, o, _ in every_path(q, k, v, softcap=softcap, storage=storage):
        assert_close(o, wanted, (6e-3, 0), what)


def test_distance_bias_favours_the_near() -> None:
    """−slope · distance. Slope 0.5, query 2 of 3: 0.186, 0.307, 0.506; the reversed sign reverses them."""
    i, j = np.ogrid[:3, :3]
    bias = -0.5 * np.abs(i - j)
    for what, p, _ in every_path(
        np.zeros((3, 1)), np.zeros((3, 1)), np.eye(3), bias=bias, causal="bottom_right"
    ):
        assert_close(p[2], [0.186, 0.307, 0.506], (6e-4, 0), what)


def test_a_constant_a_row_changes_lse_and_nothing_else() -> None:
    """slope · j and −slope · (i − j) give the same causal softmax; their lse differ by slope · i."""
    rng = np.random.default_rng(6)
    q, k, v = (rng.standard_normal((6, 3)) for _ in range(3))
    i, j = np.ogrid[:6, :6]
    for order in ORDERS:
        options: dict[str, Any] = {"causal": "bottom_right", "block_q": 2, "block_k": 4, "order": order}
        o_1, lse_1 = attention(q, k, v, bias=0.5 * j * np.ones((6, 1)), **options)
        o_2, lse_2 = attention(q, k, v, bias=-0.5 * (i - j), **options)
        assert_close(o_1, o_2, EXACT, order)
        assert_close(lse_1 - lse_2, 0.5 * np.arange(6), EXACT, order)


def test_a_bias_may_differ_between_heads_and_batches() -> None:
    """Broadcast over the query heads, not over the key/value heads."""
    rng = np.random.default_rng(8)
    q, k, v = (
        rng.standard_normal((2, 4, 3, 2)),
        rng.standard_normal((2, 2, 5, 2)),
        rng.standard_normal((2, 2, 5, 2)),
    )
    bias = rng.standard_normal((4, 1, 5))
    keep = rng.random((2, 1, 3, 5)) < 0.7
    whole, _ = attention(q, k, v, bias=bias, keep=keep, block_k=2)
    for b, h in np.ndindex(2, 4):
        alone, _ = attention(q[b, h], k[b, h // 2], v[b, h // 2], bias=bias[h], keep=keep[b, 0], block_k=2)
        assert_close(whole[b, h], alone, EXACT, f"batch {b}, head {h}")


def _views(x: np.ndarray) -> dict[str, np.ndarray]:
    """The same numbers, lying otherwise in memory."""
    wide = np.full((*x.shape[:-1], 2 * x.shape[-1]), np.nan, x.dtype)
    wide[..., ::2] = x
    tall = np.full((*x.shape[:-2], 3 * x.shape[-2], x.shape[-1]), np.nan, x.dtype)
    tall[..., ::3, :] = x
    return {
        "every second column": wide[..., ::2],
        "every third row": tall[..., ::3, :],
        "transposed": np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2),
        "rows reversed": np.ascontiguousarray(x[..., ::-1, :])[..., ::-1, :],
        "columns reversed": np.ascontiguousarray(x[..., ::-1])[..., ::-1],
        "heads last": np.ascontiguousarray(np.moveaxis(x, 0, -2)).swapaxes(0, -2).swapaxes(0, 1)
        if x.ndim < 3
        else np.moveaxis(np.ascontiguousarray(np.moveaxis(x, 0, -2)), -2, 0),
        "Fortran order": np.asfortranarray(x),
        "read-only": np.broadcast_to(x, x.shape),
    }


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
@pytest.mark.parametrize("order", ORDERS)
def test_views_give_what_copies_give(dtype: Any, order: Any) -> None:
    """A kernel that assumes contiguous rows reads the wrong numbers, or the NaN between them."""
    rng = np.random.default_rng(11)
    q, k, v = (rng.standard_normal((2, 7, 6)).astype(dtype) for _ in range(3))
    wanted_o, wanted_lse = attention(q, k, v, block_q=3, block_k=4, causal="top_left", order=order)
    allowed = (1e-12, 1e-12) if dtype == np.float64 else (1e-6, 1e-6) if dtype == np.float32 else (1e-3, 1e-3)
    for at, name in enumerate("qkv"):
        for how, view in _views((q, k, v)[at]).items():
            arrays = [q, k, v]
            arrays[at] = view
            assert np.array_equal(view, (q, k, v)[at]), how
            before = view.copy()
            o, lse = attention(*arrays, block_q=3, block_k=4, causal="top_left", order=order)
            assert_close(o, wanted_o, allowed, f"{name} {how}")
            assert_close(lse, wanted_lse, (1e-6, 1e-6), f"{name} {how}: lse")
            assert np.array_equal(view, before), f"{name} {how}: the input was changed"


def test_inputs_are_never_changed() -> None:
    """Every path may take them as they are, without a copy, but not write to them."""
    rng = np.random.default_rng(12)
    q, k, v, d_o = (rng.standard_normal((5, 4)) for _ in range(4))
    for array in (q, k, v, d_o):
        array.flags.writeable = False
    for order in ORDERS:
        for storage in (None, "float32", "bfloat16"):
            o, lse = attention(q, k, v, order=order, storage=storage, block_q=2, block_k=2, softcap=3)
            o.flags.writeable = lse.flags.writeable = False
            attention_backward(q, k, v, o, lse, d_o, storage=storage, block_q=2, block_k=2, softcap=3)
