"""Known trouble with shapes and tiles: ragged ends, oversized tiles, nothing at all, refused input."""

from typing import Any

import numpy as np
import pytest

from engine import (
    attention,
    attention_backward,
    merge,
    reference_attention,
    reference_backward,
    trace_attention,
)
from tests.engine.oracle import assert_close
from tests.engine.strategies import ORDERS, STORAGES
from tests.engine.test_cases_masks import EXACT, column, every_path


def test_no_key_is_lost_to_a_ragged_tile() -> None:
    """Floor instead of ceiling loses the last key. N = 5, tile 2, equal scores, V = 0 … 4: 2.0."""
    for what, o, lse in every_path(column(1, 1, 1), np.zeros((5, 1)), column(0, 1, 2, 3, 4)):
        assert_close(o[:, 0], [2, 2, 2], EXACT, what)
        assert_close(lse, np.log([5, 5, 5]), EXACT, what)


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("order", ORDERS)
def test_every_row_is_written(storage: str, order: Any) -> None:
    """Rows that no tile reached would hold whatever was in memory."""
    for n in range(1, 10):
        o, lse = attention(
            np.zeros((n, 1)),
            np.zeros((n, 1)),
            np.ones((n, 1)),
            block_q=4,
            block_k=3,
            storage=storage,
            order=order,
        )
        assert np.array_equal(o.astype(float), np.ones((n, 1))) and np.allclose(lse, np.log(n))


def test_a_tile_may_be_larger_than_the_sequence() -> None:
    """N = 3 with a tile of 64 is N = 3 with a tile of 3, bit for bit."""
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((3, 4)) for _ in range(3))
    for order in ORDERS:
        small, large = (attention(q, k, v, block_q=b, block_k=b, order=order) for b in (3, 64))
        assert np.array_equal(small[0], large[0]) and np.array_equal(small[1], large[1])
        trace = trace_attention(q, k, v, block_q=64, block_k=64, order=order)
        assert (trace.problem["block_q"], trace.problem["block_k"]) == (3, 3)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("causal", [None, "bottom_right", "top_left"])
def test_no_keys_give_zeros(order: Any, storage: str, causal: Any) -> None:
    """A maximum over an empty axis raises in NumPy: with no keys o is 0, lse −∞ and the gradients 0."""
    q, k, v = (np.ones(shape) for shape in ((3, 2), (0, 2), (0, 4)))
    options: dict[str, Any] = {"order": order, "storage": storage, "causal": causal}
    o, lse = attention(q, k, v, **options)
    assert np.array_equal(o.astype(float), np.zeros((3, 4))) and np.isneginf(lse).all()
    d_q, d_k, d_v = attention_backward(q, k, v, o, lse, np.ones((3, 4)), **options)
    assert not d_q.astype(float).any() and d_k.shape == (0, 2) and d_v.shape == (0, 4)
    assert np.isneginf(reference_attention(q, k, v)[1]).all()
    assert not reference_backward(q, k, v, np.ones((3, 4)))[0].any()
    trace = trace_attention(q, k, v, **options)
    assert np.array_equal(trace.result["o"], np.zeros((3, 4))) and np.isneginf(trace.result["lse"]).all()


@pytest.mark.parametrize("order", ORDERS)
def test_no_queries_give_an_empty_output(order: Any) -> None:
    """And zero gradients for the keys and values that nobody looked at."""
    q, k, v = (np.ones(shape) for shape in ((0, 2), (3, 2), (3, 4)))
    o, lse = attention(q, k, v, order=order)
    assert o.shape == (0, 4) and lse.shape == (0,)
    d_q, d_k, d_v = attention_backward(q, k, v, o, lse, o, order=order)
    assert d_q.shape == (0, 2) and not d_k.any() and not d_v.any()
    assert trace_attention(q, k, v, order=order).result["o"].shape == (0, 4)


@pytest.mark.parametrize("lead", [(0,), (0, 2), (2, 0, 1)])
def test_an_empty_batch(lead: tuple[int, ...]) -> None:
    """A batch of nothing is a result of nothing, in its shape; heads are the last leading axis."""
    q = np.ones((*lead[:-1], max(1, lead[-1]), 3, 2))
    if lead == (0,):
        q = q[:, None][:0]
    o, lse = attention(q, q, q)
    assert o.shape == q.shape and lse.shape == q.shape[:-1]


def test_no_query_heads_over_a_key_value_head() -> None:
    """0 is a multiple of 1: no heads in, no heads out."""
    q, k = np.ones((1, 0, 3, 2)), np.ones((1, 1, 3, 2))
    for order in ORDERS:
        o, lse = attention(q, k, k, order=order)
        assert o.shape == (1, 0, 3, 2) and lse.shape == (1, 0, 3)


@pytest.mark.parametrize("logit", [0.0, 21.0, -21.0, 1e4, -1e30, 1e30])
@pytest.mark.parametrize("softcap", [None, 2.0])
def test_a_single_key_has_weight_one(logit: float, softcap: float | None) -> None:
    """Whatever its score. S = 21, V = 42 gives 42 and lse 21."""
    for what, o, lse in every_path(column(logit), column(1), column(42), scale=1, softcap=softcap):
        assert o[0, 0] == 42, what
        wanted = logit if softcap is None else softcap * np.tanh(logit / softcap)
        assert lse[0] == pytest.approx(wanted, rel=1e-12), what


@pytest.mark.parametrize("storage", ["float16", "bfloat16", "float32"])
def test_a_single_key_has_weight_one_in_every_format(storage: str) -> None:
    """With a score in the thousands."""
    for what, o, _ in every_path(column(100), column(60), column(42), storage=storage):
        assert float(o[0, 0]) == 42, what


def test_every_dimension_of_a_head_counts() -> None:
    """A constant 64 in a kernel would use only q[:64] at d = 128."""
    rng = np.random.default_rng(5)
    q, k, v = rng.standard_normal((3, 128)), rng.standard_normal((4, 128)), rng.standard_normal((4, 200))
    whole, _ = attention(q, k, v, scale=1)
    assert_close(whole, reference_attention(q, k, v, scale=1)[0], EXACT, "d = 128")
    assert np.abs(whole - attention(q[:, :64], k[:, :64], v, scale=1)[0]).max() > 0.01


def test_a_later_tile_with_a_larger_maximum() -> None:
    """Ascending maxima over four tiles: what a missing rescale cannot survive. Right: 3.49265."""
    for what, o, _ in every_path(column(1), column(0, 1, 2, 3), column(1, 2, 3, 4), scale=1):
        assert o[0, 0] == pytest.approx(3.49265, abs=5e-6), what


def test_descending_maxima() -> None:
    """The same keys in falling order: 1.50735."""
    for what, o, _ in every_path(column(1), column(3, 2, 1, 0), column(1, 2, 3, 4), scale=1):
        assert o[0, 0] == pytest.approx(1.50735, abs=5e-6), what


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (((2, 4), (2, 8), (2, 4)), "k has d=8 but q has d=4"),
        (((2, 4), (3, 4), (5, 4)), "v has 5 positions but k has 3"),
        (((1, 2, 4), (2, 4), (2, 4)), "as many axes each, not 3, 2 and 2"),
        (((2, 1, 3, 4), (3, 1, 3, 4), (3, 1, 3, 4)), r"q \(2, 1\), k \(3, 1\), v \(3, 1\)"),
        (((1, 3, 4), (1, 3, 4), (2, 3, 4)), r"q \(1,\), k \(1,\), v \(2,\)"),
        (((2, 0), (2, 0), (2, 4)), "q has d=0; it must be at least 1"),
        (((2, 4), (2, 4), (2, 0)), "v has d=0; it must be at least 1"),
        (((4,), (2, 4), (2, 4)), r"q has shape \(4,\); it needs at least two axes"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(shapes: Any, message: str) -> None:
    """With both values in the message."""
    arrays = [np.ones(shape) for shape in shapes]
    for call in (attention, reference_attention, trace_attention):
        with pytest.raises(ValueError, match=message):
            call(*arrays)


@pytest.mark.parametrize("name", ["block_q", "block_k", "threads"])
@pytest.mark.parametrize(
    ("value", "said"),
    [(0, "at least 1, not 0"), (-3, "not -3"), (2.0, "not 2.0"), (True, "not True"), ("4", "not '4'")],
)
def test_counts_that_are_no_counts_are_refused(name: str, value: Any, said: str) -> None:
    """A tile size or a number of threads is a whole number of at least 1."""
    for call in (attention, trace_attention):
        with pytest.raises(ValueError, match=f"{name} must be .*{said}"):
            call(np.ones((2, 1)), np.ones((2, 1)), np.ones((2, 1)), **{name: value})


@pytest.mark.parametrize("value", [np.True_, np.array([1, 2]), np.array(2.0), None.__class__])
def test_array_like_counts_are_refused_by_name(value: Any) -> None:
    """NumPy's own ways of being no count."""
    with pytest.raises(ValueError, match="block_q must be a whole number"):
        attention(np.ones((2, 1)), np.ones((2, 1)), np.ones((2, 1)), block_q=value)


def test_numpy_integers_are_counts() -> None:
    """Sizes often come out of NumPy."""
    x = np.ones((4, 2))
    assert np.array_equal(attention(x, x, x, block_q=np.int32(2), block_k=np.uint8(3))[0], x)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": "k_outer"}, "order must be 'q_outer' or 'kv_outer', not 'k_outer'"),
        ({"causal": True}, "causal must be None, 'bottom_right' or 'top_left', not True"),
        ({"causal": "lower_right"}, "not 'lower_right'"),
        ({"causal": np.array([1, 2])}, "causal must be None, 'bottom_right' or 'top_left'"),
        (
            {"storage": "fp16"},
            "storage must be one of float64, float32, float16, bfloat16 or None, not 'fp16'",
        ),
        ({"storage": ["float16"]}, "storage must be one of"),
        ({"scale": np.inf}, "scale must be a finite number, not inf"),
        ({"scale": "0.5"}, "scale must be a number, not '0.5'"),
        ({"scale": True}, "scale must be a finite number, not True|scale must be a number, not True"),
        ({"scale": np.True_}, "scale must be a .*number, not np.True_"),
        ({"scale": np.array([1.0, 2.0])}, "scale must be a number"),
        ({"softcap": -1.0}, "softcap must be above 0 .*not -1.0"),
        ({"softcap": 1e-40}, "softcap must be at least 1e-06 .*not 1e-40"),
        ({"softcap": np.inf}, "softcap must be a finite number, not inf"),
        ({"softcap": np.nan}, "softcap must be a finite number, not nan"),
        ({"keep": np.ones((3, 2), bool)}, r"keep has shape \(3, 2\), which does not broadcast to \(2, 2\)"),
        ({"bias": np.ones((3, 2))}, r"bias has shape \(3, 2\), which does not broadcast to \(2, 2\)"),
        ({"bias": np.full((2, 2), np.nan)}, "bias holds NaN or"),
        ({"bias": np.full((2, 2), np.inf)}, r"bias holds NaN or \+inf"),
        ({"bias": np.ones((2, 2), bool)}, "bias holds bool values.*keep is the boolean one"),
        ({"bias": np.ones((2, 2), complex)}, "bias holds complex128"),
    ],
)
def test_options_that_mean_nothing_are_refused(options: dict[str, Any], message: str) -> None:
    """By every entry, with the value in the message."""
    x = np.ones((2, 2))
    for call in (attention, trace_attention, *([] if "order" in options else [reference_attention])):
        with pytest.raises(ValueError, match=message):
            call(x, x, x, **options)


@pytest.mark.parametrize("dtype", [bool, complex, object, "U3", "M8[s]"])
def test_what_is_no_real_number_is_refused(dtype: Any) -> None:
    """Complex would lose its imaginary part, bool its meaning."""
    good, bad = np.ones((2, 2)), np.zeros((2, 2)).astype(dtype)
    for position, name in enumerate("qkv"):
        arrays = [good, good, good]
        arrays[position] = bad
        with pytest.raises(ValueError, match=f"{name} holds .*needs real numbers"):
            attention(*arrays)


def test_ragged_lists_are_refused() -> None:
    """Rows of different lengths are no array."""
    with pytest.raises(ValueError, match="q is not a rectangular array"):
        attention([[1.0], [1.0, 2.0]], [[1.0]], [[1.0]])


def test_long_double_is_refused_by_name() -> None:
    """Rather than silently narrowed. Where it is a double by another name, there is nothing to narrow."""
    x = np.ones((2, 2))
    wide = x.astype(np.longdouble)
    if wide.dtype == np.float64:
        np.testing.assert_array_equal(attention(wide, x, x)[0], attention(x, x, x)[0])
        return
    with pytest.raises(ValueError, match=f"{wide.dtype} numbers"):
        attention(wide, x, x)


def test_the_backward_checks_what_it_is_given() -> None:
    """o, lse and d_o fit the forward, and are real numbers."""
    x = np.ones((3, 2))
    o, lse = attention(x, x, x)
    with pytest.raises(ValueError, match=r"d_o has shape \(2, 3\) but the forward's output has \(3, 2\)"):
        attention_backward(x, x, x, o, lse, o.T)
    with pytest.raises(ValueError, match=r"o has shape \(2, 2\)"):
        attention_backward(x, x, x, o[:2], lse, o)
    with pytest.raises(ValueError, match=r"lse has shape \(2,\) but the forward's has \(3,\)"):
        attention_backward(x, x, x, o, lse[:2], o)
    with pytest.raises(ValueError, match="d_o holds complex128 values"):
        attention_backward(x, x, x, o, lse, o + 1j)
    with pytest.raises(ValueError, match="o holds bool values"):
        attention_backward(x, x, x, o > 0, lse, o)
    with pytest.raises(ValueError, match="lse holds <U1 values"):
        attention_backward(x, x, x, o, ["a", "b", "c"], o)
    with pytest.raises(ValueError, match=r"d_o holds .*not finite.*\(1, 0\)"):
        attention_backward(x, x, x, o, lse, np.array([[0, 0], [np.nan, 0], [0, 0]]))
    with pytest.raises(ValueError, match=r"d_o has shape \(2, 3\)"):
        reference_backward(x, x, x, o.T)
    with pytest.raises(ValueError, match=r"d_o has shape \(2, 3\)"):
        trace_attention(x, x, x, direction="backward", d_o=o.T)


def test_parts_that_do_not_fit_are_not_merged() -> None:
    """merge names the four shapes."""
    with pytest.raises(ValueError, match=r"o \(2, 3\) and \(2, 4\), lse \(2,\) and \(2,\)"):
        merge(np.ones((2, 3)), np.ones(2), np.ones((2, 4)), np.ones(2))
    with pytest.raises(ValueError, match=r"lse \(3,\) and \(3,\)"):
        merge(np.ones((2, 3)), np.ones(3), np.ones((2, 3)), np.ones(3))
