"""Pairs that may attend, told apart from what is stored; and shapes that cannot be."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.masks import PairRule
from engine.shapes import BYTES_OF_FORMAT, AttentionShape, pair_counts


@given(
    n_q=st.integers(0, 12),
    n_k=st.integers(0, 12),
    causal=st.sampled_from([None, "bottom_right", "top_left"]),
    window=st.none() | st.tuples(st.none() | st.integers(0, 9), st.none() | st.integers(0, 9)),
)
def test_pairs_equal_a_count_of_the_mask(n_q, n_k, causal, window):
    dense = PairRule(n_q, n_k, causal, window).allowed((0, n_q), (0, n_k))
    pairs = pair_counts(n_q, n_k, causal=causal, window=window)
    assert pairs.allowed == int(np.count_nonzero(dense))
    assert pairs.stored == n_q * n_k


@pytest.mark.parametrize("causal", ["bottom_right", "top_left"])
@pytest.mark.parametrize("n", [1, 4, 4096, 10**12])
def test_a_square_causal_mask_leaves_half_and_the_diagonal(n, causal):
    assert pair_counts(n, n, causal=causal).allowed == n * (n + 1) // 2


def test_alignment_matters_where_lengths_differ():
    assert pair_counts(2, 5, causal="top_left").allowed == 1 + 2
    assert pair_counts(2, 5, causal="bottom_right").allowed == 4 + 5
    assert pair_counts(5, 2, causal="bottom_right").allowed == 0 + 0 + 0 + 1 + 2
    assert pair_counts(1, 4096, causal="bottom_right").allowed == 4096
    assert pair_counts(1, 4096, causal="top_left").allowed == 1


def test_formats_have_their_sizes():
    assert BYTES_OF_FORMAT == {"float64": 8, "float32": 4, "float16": 2, "bfloat16": 2, "float8": 1}


@pytest.mark.parametrize("name", ["n_q", "n_k", "d", "d_v", "heads", "kv_heads", "batch"])
@pytest.mark.parametrize(("value", "limit"), [(0, "1"), (-1, "1"), (10**12 + 1, "1,000,000,000,000")])
def test_an_impossible_shape_names_value_and_limit(name, value, limit):
    sizes = {"n_q": 4, "n_k": 4, "d": 4, "heads": 4, name: value}
    with pytest.raises(ValueError, match=rf"{name} must be at (least|most) {limit}, not") as error:
        AttentionShape(**sizes)
    assert str(value) in str(error.value).replace(",", "")


def test_other_impossible_shapes():
    with pytest.raises(ValueError, match="7 query heads is not a multiple of 3"):
        AttentionShape(4, 4, 4, heads=7, kv_heads=3)
    with pytest.raises(ValueError, match="bytes_per_element must be at most 8, not 16"):
        AttentionShape(4, 4, 4, bytes_per_element=16)
    with pytest.raises(ValueError, match="not 'left'"):
        AttentionShape(4, 4, 4, causal="left")
    with pytest.raises(ValueError, match="window side must be at least 0, not -1"):
        AttentionShape(4, 4, 4, window=(-1, 0))


def test_defaults_follow_the_other_figures():
    shape = AttentionShape(4, 4, 16, heads=6)
    assert (shape.value_size, shape.group_heads, shape.copies) == (16, 6, 6)
