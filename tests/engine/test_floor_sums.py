"""Sums of floors and tile covers against counting one by one."""

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.floor_sums import TileCover, cover, floor_sum
from engine.masks import PairRule, tile_ranges
from tests.engine.strategies import examples


@examples(500)
@given(st.integers(-2, 60), st.integers(1, 40), st.integers(0, 90), st.integers(-300, 300))
def test_floor_sum_is_a_sum_of_floors(count: int, divisor: int, step: int, start: int) -> None:
    """Σ floor((step · i + start) / divisor)."""
    assert floor_sum(count, divisor, step, start) == sum((step * i + start) // divisor for i in range(count))


def test_floor_sum_at_sizes_that_cannot_be_counted() -> None:
    """Cases with a known closed form, at 10^18 terms."""
    n = 10**18
    assert floor_sum(n, 1, 1, 0) == n * (n - 1) // 2
    assert floor_sum(n, 10, 0, 25) == 2 * n
    assert floor_sum(n, 2, 1, 0) == (n // 2) * (n // 2 - 1)
    # floor(i / 7) summed over whole sevens: 7 · (0 + 1 + … + m − 1)
    assert floor_sum(7 * n, 7, 1, 0) == 7 * n * (n - 1) // 2
    # Σ floor(ai/b) over a full period of coprime a, b is (a − 1)(b − 1) / 2.
    a, b = 10**15 + 37, 10**15
    assert floor_sum(b, b, a, 0) == (a - 1) * (b - 1) // 2


def counted(
    n_own: int, n_other: int, block_own: int, block_other: int, offset: int, left: Any, right: Any
) -> TileCover:
    """The same cover, tile by tile and pair by pair."""
    visits = positions = own = 0
    for a, b in ((s, min(s + block_own, n_own)) for s in range(0, n_own, block_own)):
        touched = {
            j // block_other
            for i in range(a, b)
            for j in range(n_other)
            if (left is None or j >= i + offset - left) and (right is None or j <= i + offset + right)
        }
        # A tile between two touched ones is loaded too: a band has no holes.
        visits += len(touched)
        positions += sum(min((t + 1) * block_other, n_other) - t * block_other for t in touched)
        own += (b - a) if touched else 0
    return TileCover(visits, positions, own)


@examples(500)
@given(
    st.integers(0, 30), st.integers(0, 30), st.integers(1, 12), st.integers(1, 12), st.integers(-35, 35),
    st.one_of(st.none(), st.integers(0, 30)), st.one_of(st.none(), st.integers(0, 30)),
)  # fmt: skip
def test_cover_counts_the_tiles_of_a_band(
    n_own: int, n_other: int, block_own: int, block_other: int, offset: int, left: Any, right: Any
) -> None:
    """Closed form against counting."""
    found = cover(n_own, n_other, block_own, block_other, offset, left, right)
    assert found == counted(n_own, n_other, block_own, block_other, offset, left, right)


@pytest.mark.parametrize("n_q", [1, 2, 5, 8])
@pytest.mark.parametrize("n_k", [1, 3, 8])
def test_cover_agrees_with_the_mask_from_both_sides(n_q: int, n_k: int) -> None:
    """What query tiles visit of the keys, and key tiles of the queries, is one relation."""
    for block_q, block_k, causal, window in itertools.product(
        (1, 2, 3, 8),
        (1, 2, 3, 8),
        (None, "bottom_right", "top_left"),
        (None, (0, 0), (1, 2), (None, 1), (4, None)),
    ):
        rule = PairRule(n_q, n_k, causal, window)
        by_q = cover(n_q, n_k, block_q, block_k, rule.offset, rule.left, rule.right)
        by_k = cover(n_k, n_q, block_k, block_q, -rule.offset, rule.right, rule.left)
        visited = [
            (rows, cols)
            for rows in tile_ranges(n_q, block_q)
            for cols in tile_ranges(n_k, block_k)
            if rule.allowed(rows, cols).any()
        ]
        assert by_q.visits == by_k.visits == len(visited)
        assert by_q.positions == sum(c[1] - c[0] for _, c in visited)
        assert by_k.positions == sum(r[1] - r[0] for r, _ in visited)
        assert by_q.own_positions == sum(r[1] - r[0] for r in {r for r, _ in visited})
        assert by_k.own_positions == sum(c[1] - c[0] for c in {c for _, c in visited})


def test_cover_of_a_causal_square_at_any_size() -> None:
    """n tiles a side: n (n + 1) / 2 visits, whatever n is."""
    for tiles in (1, 2, 10, 10**6, 10**10):
        block = 128
        found = cover(tiles * block, tiles * block, block, block, 0, None, 0)
        assert found.visits == tiles * (tiles + 1) // 2
        assert found.positions == found.visits * block and found.own_positions == tiles * block
