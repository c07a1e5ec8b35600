"""Known trouble with scale, large logits, sums in half formats, integers and log-sum-exp."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from engine import FORMATS, attention, merge, reference_attention, running_sum, trace_attention
from tests.engine.oracle import assert_close
from tests.engine.strategies import ORDERS, STORAGES
from tests.engine.test_cases_masks import EXACT, column, every_path


def test_the_scale_is_applied_once() -> None:
    """q scaled by hand and again in the kernel: scores 0 and 8 at d = 64 must weigh 0.26894 and 0.73106."""
    q, k = np.zeros((1, 64)), np.zeros((2, 64))
    q[0, 0], k[1, 0] = 8, 1
    for what, o, lse in every_path(q, k, column(0, 1)):
        assert o[0, 0] == pytest.approx(0.73106, abs=5e-6), what
        assert lse[0] == pytest.approx(np.log(1 + np.e)), what


def test_the_default_scale_is_one_over_root_d() -> None:
    """Not 1, and not one over a truncated root: √96 is 9.798, not 9."""
    for d in (1, 64, 96):
        q, k = np.zeros((1, d)), np.zeros((2, d))
        q[0, 0], k[1, 0] = 1, 3
        for what, o, _ in every_path(q, k, column(0, 1)):
            assert o[0, 0] == pytest.approx(1 / (1 + np.exp(-3 / np.sqrt(d))), rel=1e-12), (d, what)
        assert trace_attention(q, k, column(0, 1)).problem["scale"] == pytest.approx(d**-0.5)


@pytest.mark.parametrize(("d", "size"), [(64, 32), (128, 256)])
def test_scores_beyond_float16_are_kept_wide(d: int, size: float) -> None:
    """q = k = 32 at d = 64 gives 65 536, beyond float16; at 256 and d = 128 even the scaled score is."""
    q, k = np.full((1, d), size), np.stack([np.full(d, size), np.full(d, -size)])
    for what, o, lse in every_path(q, k, column(2, 7), storage="float16"):
        assert float(o[0, 0]) == 2, what
        assert lse[0] == pytest.approx(size * size * np.sqrt(d), rel=1e-6), what


@pytest.mark.parametrize(("storage", "n", "stuck"), [("float16", 4096, 2048), ("bfloat16", 512, 256)])
def test_the_running_sum_is_not_kept_in_half_precision(storage: str, n: int, stuck: int) -> None:
    """All scores equal: a sum in float16 stalls at 2048, in bfloat16 at 256, and all weights double."""
    assert running_sum(np.ones(n), FORMATS[storage]) == stuck
    assert running_sum(np.ones(n), FORMATS["float32"]) == n
    q, k, v = np.zeros((1, 1)), np.zeros((n, 1)), np.ones((n, 1))
    for order in ORDERS:
        for block_k in (1, 64, n):
            o, lse = attention(q, k, v, storage=storage, block_k=block_k, order=order)
            assert float(o[0, 0]) == 1 and lse[0] == pytest.approx(np.log(n), rel=1e-6), (order, block_k)


def test_an_emulated_sum_rounds_after_every_addition() -> None:
    """NumPy's own sum of float16 is no emulation: along a contiguous axis it is 4096, along axis 0 2048."""
    ones = np.ones(4096, np.float16)
    assert ones.sum() == 4096
    assert np.ones((4096, 3), np.float16).sum(axis=0)[0] == 2048
    assert running_sum(ones, FORMATS["float16"]) == np.cumsum(ones)[-1] == 2048
    assert running_sum(np.array([]), FORMATS["float16"]) == 0


@pytest.mark.parametrize("storage", STORAGES)
def test_an_emulated_sum_is_that_of_the_format(storage: str) -> None:
    """Each partial sum is the rounded sum of the one before and the next number."""
    dtype = FORMATS[storage].dtype
    x = np.random.default_rng(0).standard_normal(200).astype(dtype)
    total = dtype.type(0)
    for value in x:
        total = dtype.type(total + value)
    assert running_sum(x, FORMATS[storage]) == float(total)


def test_a_half_precision_result_is_compared_with_the_same_rounded_inputs() -> None:
    """Tiled float16 is nearer to float64 on the rounded inputs than standard float16 that stores S and P."""
    rng = np.random.default_rng(3)
    for name, dtype in (("float16", np.float16), ("bfloat16", ml_dtypes.bfloat16)):
        q, k, v = (rng.standard_normal((256, 64)).astype(dtype) for _ in range(3))
        wanted, _ = reference_attention(q, k, v)
        s = (q.astype(np.float32) @ k.astype(np.float32).T / 8).astype(dtype).astype(np.float32)
        p = np.exp(s - s.max(axis=1, keepdims=True))
        p = (p / p.sum(axis=1, keepdims=True)).astype(dtype).astype(np.float32)
        standard = (p @ v.astype(np.float32)).astype(dtype).astype(np.float64)
        largest_ulp = np.abs(np.spacing(wanted.astype(dtype)).astype(np.float64)).max()
        allowed = 2 * np.abs(standard - wanted).max() + 2 * largest_ulp
        for order in ORDERS:
            o, _ = attention(q, k, v, block_q=64, block_k=64, order=order)
            assert_close(o, wanted, (allowed, 0), f"{name}, {order}")
        tiled, _ = attention(q, k, v, block_q=64, block_k=64)
        rms = [np.sqrt(((a.astype(np.float64) - wanted) ** 2).mean()) for a in (tiled, standard)]
        assert rms[0] < rms[1], f"{name}: tiled {rms[0]:.2e}, standard {rms[1]:.2e}"


@pytest.mark.parametrize("spread", [1, 4, 10])
def test_float32_error_grows_with_the_logits(spread: float) -> None:
    """A logit rounded by eps·|S| is a relative error in P, so one fixed tolerance would be wrong."""
    rng = np.random.default_rng(9)
    q, k, v = (spread * rng.standard_normal((128, 64)).astype(np.float32) for _ in range(3))
    largest = float(np.abs(q.astype(np.float64) @ k.astype(np.float64).T).max() / 8)
    for order in ORDERS:
        o, _ = attention(q, k, v, block_q=32, block_k=32, order=order)
        allowed = 1e-6 + 4 * 2.0**-23 * largest * float(np.abs(v).max())
        assert_close(o, reference_attention(q, k, v)[0], (allowed, 0), f"{order}, |S| up to {largest:.0f}")


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.uint64])
def test_integers_become_float64(dtype: Any) -> None:
    """Accumulators made like an integer input would hold −2⁶³ for −∞, 0 for 0.9, and 200·2 = 144 in uint8."""
    q, k, v = (np.array(a, dtype) for a in ([[1, 2]], [[100, 2], [90, 1]], [[120, 2], [4, 7]]))
    wanted = attention(*(a.astype(np.float64) for a in (q, k, v)), block_k=1)
    for order in ORDERS:
        o, lse = attention(q, k, v, block_k=1, order=order)
        assert o.dtype == lse.dtype == np.float64
        assert_close(o, wanted[0], EXACT, f"{dtype.__name__}, {order}")
    assert attention([[1]], [[200]], [[3]], scale=2)[1][0] == 400
    assert np.array_equal(attention(q.tolist(), k.tolist(), v.tolist(), block_k=1)[0], wanted[0])


def test_mixed_formats_take_the_wider_one() -> None:
    """float16 and bfloat16 have no common half format: float32 holds both."""

    def result(*types: Any) -> np.dtype[Any]:
        return attention(*(np.ones((2, 2)).astype(t) for t in types))[0].dtype

    assert result(np.float16, ml_dtypes.bfloat16, np.float16) == np.float32
    assert result(np.float16, np.float32, np.float16) == np.float32
    assert result(np.float32, np.float64, np.float32) == np.float64
    assert result(np.int32, np.float32, np.float32) == np.float64
    assert result(ml_dtypes.bfloat16, ml_dtypes.bfloat16, ml_dtypes.bfloat16) == ml_dtypes.bfloat16


@pytest.mark.parametrize(
    ("storage", "limit"), [("float16", "65504"), ("bfloat16", r"3\.\d+e\+38"), ("float32", r"3\.\d+e\+38")]
)
@pytest.mark.parametrize("name", ["q", "k", "v"])
def test_a_value_beyond_the_format_is_refused(storage: str, limit: str, name: str) -> None:
    """With the value, the limit and the format in the message, and no warning beside it."""
    arrays = {n: np.ones((2, 2)) for n in "qkv"}
    arrays[name][1, 0] = -1e39
    with pytest.raises(
        ValueError, match=rf"{name} holds 1e\+39, beyond {limit}, the largest number of {storage}"
    ):
        attention(**arrays, storage=storage)
    assert np.isfinite(attention(**arrays)[0]).all()


def test_float64_stays_float64_throughout() -> None:
    """A difference of 1e-12 in a value survives every path."""
    v = column(1, 1 + 1e-12)
    for what, o, lse in every_path(column(0), column(0, 0), v):
        assert o.dtype == lse.dtype == np.float64, what
        assert o[0, 0] - 1 == pytest.approx(5e-13, rel=1e-3), what


def test_partial_sums_are_joined_by_logaddexp() -> None:
    """Adding logs multiplies the sums: l = 3072 and 64 join to 8.0507, not 12.19."""
    _, lse = merge(np.zeros((1, 1)), [np.log(3072)], np.zeros((1, 1)), [np.log(64)])
    assert lse[0] == pytest.approx(8.0507, abs=5e-5)
    assert lse[0] == pytest.approx(np.log(3072 + 64), rel=1e-14)


def test_lse_is_the_natural_logarithm() -> None:
    """Some kernels save base-2 logs."""
    for what, _, lse in every_path(column(0, 0), np.zeros((8, 1)), np.ones((8, 1))):
        assert_close(lse, [np.log(8)] * 2, EXACT, what)
    for what, _, lse in every_path(column(1), column(5, 6), column(1, 1), scale=1, storage="float32"):
        assert lse[0] == pytest.approx(np.logaddexp(5, 6), rel=1e-6), what
