"""Known trouble with masks and minus infinity, causal alignment, windows and skipped tiles.

Each test is one kind of bug that people report, with its right value.
"""

import itertools
from typing import Any

import numpy as np
import pytest

from engine import (
    attention,
    attention_backward,
    reference_attention,
    reference_backward,
    tiled_bytes,
    trace_attention,
)
from tests.engine.oracle import assert_close, may_attend
from tests.engine.strategies import ORDERS, STORAGES

EXACT = (1e-12, 1e-12)


def column(*numbers: float, dtype: Any = np.float64) -> np.ndarray:
    """Positions of head size 1."""
    return np.array(numbers, dtype)[:, None]


def every_path(q: Any, k: Any, v: Any, **options: Any) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """The same call by every way the engine has, with several tiles."""
    found = [("reference", *reference_attention(q, k, v, **options))]
    for order in ORDERS:
        for block_k in (1, 2, 3, 64):
            o, lse = attention(q, k, v, block_q=2, block_k=block_k, order=order, **options)
            found.append((f"{order}, block_k={block_k}", o, lse))
            if np.ndim(q) == 2:
                trace = trace_attention(q, k, v, block_q=2, block_k=block_k, order=order, **options)
                found.append((f"trace, {order}, block_k={block_k}", trace.result["o"], trace.result["lse"]))
    return found


def allowed_pairs(n_q: int, n_k: int, **options: Any) -> list[str]:
    """Which pairs attend, found by probing: with v the identity, o is P."""
    p, _ = attention(np.zeros((n_q, 1)), np.zeros((n_k, 1)), np.eye(n_k), **options)
    return ["".join("01"[int(x > 0)] for x in row) for row in p]


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("how", ["keep", "bias", "window", "causal"])
def test_a_query_that_may_see_nothing_gives_zero(storage: str, how: str) -> None:
    """A softmax over nothing but −∞ is 0/0: the output must be 0 and lse −∞."""
    options: dict[str, Any] = {
        "keep": {"keep": np.array([[False, False], [True, True], [False, True]])},
        "bias": {"bias": np.array([[-np.inf, -np.inf], [0, 0], [-np.inf, 0]])},
        "window": {"window": (None, 0)},  # 3 queries, 2 keys: query 0 stands before key 0
        "causal": {"causal": "bottom_right"},
    }[how]
    for what, o, lse in every_path(
        np.ones((3, 2)), np.ones((2, 2)), np.ones((2, 2)), storage=storage, **options
    ):
        assert np.array_equal(o[0].astype(float), [0, 0]), what
        assert lse[0] == -np.inf, what
        assert np.isfinite(lse[1:]).all() and np.allclose(o[1:].astype(float), 1), what


@pytest.mark.parametrize("fill", [np.finfo(np.float32).min, -1e9, -1e10, -65504.0])
@pytest.mark.parametrize("storage", ["float32", "float16", "bfloat16"])
def test_very_negative_masks_add_up_without_nan(fill: float, storage: str) -> None:
    """Finite mask values overflow when two are added; the bias is kept wide, and boolean masks select."""
    bias = np.array([[fill, 0.0, 0.0]], np.float32)
    keep = np.array([[True, True, False]])
    q, k, v = -column(16), column(1, 0, 0), column(100, 1, 50)
    for what, o, lse in every_path(q, k, v, bias=bias, keep=keep, storage=storage):
        assert o.astype(float)[0, 0] == 1 and lse[0] == 0, f"{what}: {o}, {lse}"


def test_a_bias_beyond_float32_masks_instead_of_warning() -> None:
    """A float64 bias below float32's lowest number becomes −∞ there, which masks; nothing is printed."""
    o, _ = attention(
        column(1, dtype=np.float32), column(1, 2, dtype=np.float32), column(3, 4, dtype=np.float32),
        bias=np.array([[0.0, -1e300]]),
    )  # fmt: skip
    assert o[0, 0] == 3


def test_a_row_whose_first_tile_is_wholly_masked() -> None:
    """While the maximum is −∞, 0 is subtracted: (−∞) − (−∞) would be NaN. Right: 3.73106."""
    keep = np.array([[False, False, True, True]])
    for what, o, _ in every_path(column(1), column(1, 2, 3, 4), column(1, 2, 3, 4), keep=keep, scale=1):
        assert o[0, 0] == pytest.approx(3.73106, abs=5e-6), what


def test_a_row_is_masked_in_a_tile_that_other_rows_visit() -> None:
    """The tile is not skipped, yet one of its rows has only −∞ in it, first and last."""
    keep = np.array([[False, False, True, True], [True, True, False, False], [True, True, True, True]])
    v = column(1, 2, 3, 4)
    for what, o, _ in every_path(column(0, 0, 0), column(1, 2, 3, 4), v, keep=keep):
        assert_close(o[:, 0], [3.5, 1.5, 2.5], EXACT, what)


def test_a_masked_key_never_wins() -> None:
    """A finite mask value such as −1e4 beats a valid score of −20000. Right: the valid key, 1."""
    for what, o, lse in every_path(
        column(1), column(-20000, -1e4), column(1, 100), keep=[[True, False]], scale=1
    ):
        assert o[0, 0] == 1 and lse[0] == -20000, what


@pytest.mark.parametrize("poison", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("where", ["k", "v"])
def test_a_masked_position_cannot_poison_the_output(poison: float, where: str) -> None:
    """0 × NaN is NaN: a padding buffer behind a mask must not be multiplied in."""
    k, v = column(0, 5, 0), column(1, 2, 3)
    {"k": k, "v": v}[where][1] = poison
    options: dict[str, Any] = {"keep": [[True, False, True]], "allow_nonfinite": True}
    for what, o, lse in every_path(column(1), k, v, **options):
        assert o[0, 0] == 2 and lse[0] == pytest.approx(np.log(2)), what


def test_causal_hides_a_poisoned_future() -> None:
    """The same for a key that only position hides."""
    k, v = column(0, 0, np.nan), column(1, 3, np.nan)
    q = column(1, 1, 1)
    for what, o, lse in every_path(q, k, v, causal="bottom_right", allow_nonfinite=True):
        assert_close(o[:2, 0], [1, 2], EXACT, what)
        assert np.isnan(o[2, 0]) and np.isnan(lse[2]), f"{what}: a visible NaN must show"


@pytest.mark.parametrize("name", ["q", "k", "v"])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_values_that_are_not_finite_are_refused(name: str, bad: float) -> None:
    """Unless they are asked for; the message says where, and how to allow them."""
    arrays = {n: np.ones((3, 2)) for n in "qkv"}
    arrays[name][2, 1] = bad
    with pytest.raises(ValueError, match=rf"{name} holds.*not finite.*\(2, 1\).*allow_nonfinite=True"):
        attention(**arrays)


def test_true_means_may_attend() -> None:
    """Reversed polarity lets the model see the future: an upper triangle of True shows that triangle."""
    keep = np.triu(np.ones((3, 3), bool), 1)
    assert allowed_pairs(3, 3, keep=keep) == ["011", "001", "000"]


def test_a_mask_that_is_not_boolean_is_refused() -> None:
    """Integers of 0 and 1 may mean either polarity, or be a bias."""
    with pytest.raises(ValueError, match=r"keep must be boolean, True where.*int64"):
        attention(np.ones((2, 1)), np.ones((2, 1)), np.ones((2, 1)), keep=np.ones((2, 2), np.int64))


def test_a_bias_is_not_scaled() -> None:
    """A scale folded into the exponent would turn a bias of −8 into −1 at d = 64."""
    q, k, v = np.zeros((1, 64)), np.zeros((2, 64)), column(0, 1)
    for what, o, _ in every_path(q, k, v, bias=np.array([[0.0, -8.0]])):
        assert o[0, 0] == pytest.approx(1 / (1 + np.exp(8))), what


def test_an_empty_row_leaves_every_gradient_finite() -> None:
    """One empty row must not poison shared weights through 0 × NaN: it gives and gets nothing."""
    rng = np.random.default_rng(1)
    q, k, v, d_o = (rng.standard_normal((2, 4, 3)) for _ in range(4))
    keep = np.ones((2, 4, 4), bool)
    keep[1, 2] = False
    o, lse = attention(q, k, v, keep=keep)
    d_q, d_k, d_v = attention_backward(q, k, v, o, lse, d_o, keep=keep, block_q=3, block_k=2)
    assert np.array_equal(d_q[1, 2], np.zeros(3))
    d_o[1, 2] = 1e6  # what the loss says about the empty row cannot matter
    louder = attention_backward(q, k, v, o, lse, d_o, keep=keep, block_q=3, block_k=2)
    for name, a, b in zip(("d_q", "d_k", "d_v"), (d_q, d_k, d_v), louder, strict=True):
        assert np.isfinite(a).all() and np.array_equal(a, b), name


def test_top_left_and_bottom_right() -> None:
    """The two alignments of causal, where there are not as many queries as keys."""
    assert allowed_pairs(2, 5, causal="top_left") == ["10000", "11000"]
    assert allowed_pairs(2, 5, causal="bottom_right") == ["11110", "11111"]
    assert allowed_pairs(5, 2, causal="bottom_right") == ["00", "00", "00", "10", "11"]
    assert allowed_pairs(5, 2, causal="top_left") == ["10", "11", "11", "11", "11"]
    assert allowed_pairs(1, 8, causal="bottom_right") == ["11111111"]
    assert allowed_pairs(1, 8, causal="top_left") == ["10000000"]
    assert allowed_pairs(3, 3, causal="top_left") == allowed_pairs(3, 3, causal="bottom_right")


@pytest.mark.parametrize(("n_q", "n_k"), [(2, 5), (5, 2), (1, 8), (8, 1), (4, 4), (7, 6)])
@pytest.mark.parametrize("causal", [None, "top_left", "bottom_right"])
@pytest.mark.parametrize("window", [None, (0, 0), (2, None), (None, 1), (1, 2), (3, 0)])
def test_every_path_allows_the_same_pairs(n_q: int, n_k: int, causal: Any, window: Any) -> None:
    """An offset bug hides where n_q = n_k; a dropped mask hides where the tiles divide evenly."""
    wanted = [
        "".join("01"[may_attend(i, j, n_q, n_k, causal, window)] for j in range(n_k)) for i in range(n_q)
    ]
    ones = np.ones((n_q, 1)), np.ones((n_k, 1)), np.ones((n_k, 1))
    for block, order in itertools.product((1, 2, 3, 64), ORDERS):
        options: dict[str, Any] = {"causal": causal, "window": window, "block_q": block, "block_k": block}
        # With queries outside, float64 takes the tuned path; every other call takes the readable loop.
        for storage in ("float64", "float16") if order == "q_outer" else ("float16",):
            found = allowed_pairs(n_q, n_k, storage=storage, order=order, **options)
            assert found == wanted, (block, order, storage)
        assert trace_attention(*ones, order=order, **options).problem["allowed"] == wanted


def test_too_many_queries_leave_the_top_rows_empty() -> None:
    """Bottom-right with n_q > n_k: rows 0 to 2 of 5 see none of 2 keys, on purpose."""
    o, lse = attention(np.ones((5, 1)), np.ones((2, 1)), column(1, 2), causal="bottom_right", block_k=1)
    assert_close(o[:, 0], [0, 0, 0, 1, 1.5], EXACT, "o")
    assert np.array_equal(np.isneginf(lse), [True, True, True, False, False])


def test_a_window_counts_the_keys_beside_its_own() -> None:
    """left = 3 shows query 5 the keys 2 to 5, which are four; "the last three" is left = 2."""
    assert allowed_pairs(6, 6, window=(3, 0))[5] == "001111"
    assert allowed_pairs(6, 6, window=(2, 0))[5] == "000111"
    assert allowed_pairs(6, 6, window=(2, 0), causal="bottom_right")[5] == "000111"
    assert allowed_pairs(6, 6, window=(0, 0)) == ["100000", "010000", "001000", "000100", "000010", "000001"]
    assert allowed_pairs(6, 6, window=(None, None)) == ["111111"] * 6
    for width in range(1, 5):
        counts = [row.count("1") for row in allowed_pairs(6, 9, window=(width - 1, 0))]
        assert counts == [min(width, i + 4) for i in range(6)]


@pytest.mark.parametrize("window", [(-1, 0), (1,), (1, 2, 3), 3, (1.5, 0), ("1", 0), (True, 0)])
def test_a_window_that_means_nothing_is_refused(window: Any) -> None:
    """−1 is another library's word for unlimited; here that is None."""
    with pytest.raises(ValueError, match="window"):
        attention(np.ones((2, 1)), np.ones((2, 1)), np.ones((2, 1)), window=window)


def test_causal_visits_three_of_four_tiles() -> None:
    """N = 4 in tiles of 2: three tiles, ten pairs. The diagonal tiles are masked, not skipped or filled."""
    trace = trace_attention(
        np.ones((4, 1)), np.ones((4, 1)), np.ones((4, 1)), block_q=2, block_k=2, causal="top_left"
    )
    kinds = [s.kind for s in trace.steps]
    assert trace.problem["visits"] == ["vs", "vv"]
    assert (kinds.count("score"), kinds.count("skip"), kinds.count("mask")) == (3, 1, 2)
    assert sum(row.count("1") for row in trace.problem["allowed"]) == 10
    assert sum(int((s.work["p"] > 0).sum()) for s in trace.steps if s.kind == "accumulate") == 10
    assert tiled_bytes(4, 4, 1, block_q=2, block_k=2, causal="top_left").by_tensor["k"].read == (2 + 4) * 2


@pytest.mark.parametrize("n", [48, 64])
def test_divisible_and_ragged_lengths_are_both_masked(n: int) -> None:
    """A shortcut for evenly divisible lengths once dropped the mask."""
    rng = np.random.default_rng(n)
    q, k, v = (rng.standard_normal((n, 8)) for _ in range(3))
    for order in ORDERS:
        o, _ = attention(q, k, v, block_q=32, block_k=32, causal="bottom_right", order=order)
        assert_close(o, reference_attention(q, k, v, keep=np.tri(n, dtype=bool))[0], EXACT, order)


def test_causal_gradients_do_not_reach_the_future() -> None:
    """Key and value 3 are seen by query 3 alone."""
    rng = np.random.default_rng(3)
    q, k, v, d_o = (rng.standard_normal((4, 2)) for _ in range(4))
    d_o[3] = 0
    o, lse = attention(q, k, v, causal="bottom_right")
    for grads in (
        attention_backward(q, k, v, o, lse, d_o, causal="bottom_right", block_q=2, block_k=3),
        reference_backward(q, k, v, d_o, causal="bottom_right"),
    ):
        assert not grads[1][3].any() and not grads[2][3].any() and grads[1][2].any()
