"""The tuned path against the oracle: the same result in every layout, with any threads, within its memory."""

import threading
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_info

from engine import fast
from engine.masks import PairRule
from tests.fast_oracle import LAYOUTS, Case, cases, check, normal, run, strided


@given(cases())
@settings(max_examples=150, deadline=None)
def test_equals_the_whole_matrix(case: Case) -> None:
    check(case)


@given(cases(), st.sampled_from([True, False]))
@settings(max_examples=40, deadline=None)
def test_both_exponentials_give_the_right_result(case: Case, avx512: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fast, "AVX512", avx512)
        check(case)


def test_base_two_is_chosen_only_for_float32_with_avx512() -> None:
    single, double = np.dtype(np.float32), np.dtype(np.float64)
    assert fast.exponential_for(single, avx512=True) is fast.BASE_2
    assert fast.exponential_for(single, avx512=False) is fast.BASE_E
    assert fast.exponential_for(double, avx512=True) is fast.BASE_E


@pytest.mark.parametrize("causal", [None, "bottom_right", "top_left"])
@pytest.mark.parametrize("size", [1, 30])
def test_default_tiles_at_a_real_size(causal: Any, size: int) -> None:
    n_q, n_k, d = 300, 700, 64
    q, k, v = normal(0, 2, n_q, d) * np.float32(size), normal(1, 2, n_k, d), normal(2, 2, n_k, d)
    block_q, block_k = fast.default_blocks(n_q, n_k, d)
    check(Case(q, k, v, PairRule(n_q, n_k, causal), 0.125, None, block_q, block_k), strict=True)


@pytest.mark.parametrize("offset", [-3e4, -1e3, -60.0, 60.0, 1e3, 3e4])
def test_scores_with_a_large_common_offset(offset: float) -> None:
    """One more feature adds the offset to every score; the weights must not notice beyond rounding."""
    q, k, v = normal(0, 1, 40, 8), normal(1, 1, 50, 8), normal(2, 1, 50, 8)
    q[..., 0], k[..., 0] = offset, 1.0
    check(Case(q, k, v, PairRule(40, 50), 1.0, None, 16, 16), strict=True)


@pytest.mark.parametrize("rising", [True, False])
def test_maxima_that_rise_or_fall_from_tile_to_tile(rising: bool) -> None:
    """Steps of 30 pass the slack at each tile, steps of 5 only now and then."""
    for step in (1.0, 5.0, 30.0, 200.0):
        k = np.arange(12, dtype=np.float32)[None, :, None] * np.float32(step)
        k = k if rising else k[:, ::-1]
        v = normal(3, 1, 12, 2)
        q = np.array([[[1.0], [-1.0], [0.0], [0.01]]], dtype=np.float32)
        check(Case(q, k, v, PairRule(4, 12), 1.0, None, 4, 2))


def test_first_visited_tile_hides_all_of_a_row() -> None:
    """With a window, later rows see nothing of the block's first key tile: their state is still empty."""
    n = 12
    q, k, v = normal(0, 1, n, 4), normal(1, 1, n, 4), normal(2, 1, n, 4)
    for size in (1, 100):
        check(Case(q * np.float32(size), k, v, PairRule(n, n, "top_left", (1, None)), 1.0, None, 12, 2))


def test_rows_without_keys_are_zero_and_minus_infinity() -> None:
    q, k, v = normal(0, 1, 5, 4), normal(1, 1, 2, 4), normal(2, 1, 2, 4)
    o, lse = run(Case(q, k, v, PairRule(5, 2, "bottom_right"), 1.0, None, 5, 2))
    assert np.isneginf(lse).tolist() == [[True, True, True, False, False]]
    assert not o[0, :3].any()
    assert np.array_equal(o[0, 3], v[0, 0])


@pytest.mark.parametrize("magnitude", [1e30, 1e35])
def test_huge_values_do_not_overflow(magnitude: float) -> None:
    q, k, v = (
        normal(0, 1, 6, 4) * np.float32(3),
        normal(1, 1, 9, 4),
        normal(2, 1, 9, 4) * np.float32(magnitude),
    )
    check(Case(q, k, v, PairRule(6, 9), 1.0, None, 3, 4))


@pytest.mark.parametrize("size", [1, 8, 1000])
@pytest.mark.parametrize("causal", [None, "top_left"])
def test_threads_do_not_change_a_bit(size: int, causal: Any) -> None:
    q, k, v = normal(0, 3, 150, 16) * np.float32(size), normal(1, 3, 150, 16), normal(2, 3, 150, 16)
    case = Case(q, k, v, PairRule(150, 150, causal), 0.25, None, 32, 40)
    once = run(case)
    for threads in (2, 3, 8):
        again = run(case._replace(threads=threads))
        assert np.array_equal(once[0], again[0])
        assert np.array_equal(once[1], again[1])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layout_does_not_change_a_bit(layout: str) -> None:
    q, k, v = normal(0, 3, 40, 16), normal(1, 3, 70, 16), normal(2, 3, 70, 12)
    case = Case(q, k, v, PairRule(40, 70), 0.25, None, 16, 32)
    o, lse = run(case)
    again_o, again_lse = run(case._replace(q=strided(q, layout), k=strided(k, layout), v=strided(v, layout)))
    assert np.array_equal(o, again_o)
    assert np.array_equal(lse, again_lse)


def test_heads_that_share_keys_by_broadcasting() -> None:
    q, k, v = normal(0, 6, 20, 8), normal(1, 1, 30, 8), normal(2, 1, 30, 8)
    shared = Case(q, np.broadcast_to(k, (6, 30, 8)), np.broadcast_to(v, (6, 30, 8)), PairRule(20, 30), 0.3)
    check(shared)


@pytest.mark.parametrize("hidden_size", [1e3, 1e15])
def test_hidden_keys_change_no_bit(hidden_size: float) -> None:
    """Large hidden keys make the bound useless, and the guarded path must then give the very same bits."""
    n = 64
    q, k, v = normal(0, 1, n, 8), normal(1, 1, n, 8), normal(2, 1, n, 8)
    case = Case(q, k, v, PairRule(n, n, "top_left"), 0.35, None, 16, 16)
    before = run(case)
    k, v = k.copy(), v.copy()
    k[:, 40:] *= np.float32(hidden_size)
    v[:, 40:] *= np.float32(1e3)
    after = run(case._replace(k=k, v=v))
    for a, b in zip(before, after, strict=True):
        assert np.array_equal(a[:, :40], b[:, :40])
        assert not np.array_equal(a[:, 40:], b[:, 40:])


def test_no_exponential_is_subnormal(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []

    def spy(x: Any, out: Any = None) -> Any:
        result = np.exp(x, out=out)
        made.append(result.copy())
        return result

    monkeypatch.setattr(fast, "BASE_E", fast.Exponential(spy, 1.0))  # type: ignore[arg-type]
    monkeypatch.setattr(fast, "AVX512", False)
    q, k, v = normal(0, 1, 64, 16) * np.float32(30), normal(1, 1, 64, 16), normal(2, 1, 64, 16)
    run(Case(q, k, v, PairRule(64, 64), 0.25, None, 32, 32))
    tiles = np.concatenate([x.ravel() for x in made if x.shape[1:] == (32, 32)])
    assert tiles.size == 64 * 64
    assert tiles.min() >= np.finfo(np.float32).tiny
    assert (tiles < 1e-30).any(), "the input is sharp enough to have needed the floor"


@pytest.mark.parametrize("causal", [None, "bottom_right"])
@pytest.mark.parametrize("size", [1, 30])
def test_temporaries_stay_far_below_the_score_matrix(causal: Any, size: int) -> None:
    n, d = 2048, 16
    q, k, v = normal(0, 1, n, d) * np.float32(size), normal(1, 1, n, d), normal(2, 1, n, d)
    block_q, block_k = fast.default_blocks(n, n, d)
    case = Case(q, k, v, PairRule(n, n, causal), 0.25, None, block_q, block_k)
    tracemalloc.start()
    o, lse = run(case)
    peak = tracemalloc.get_traced_memory()[1] - o.nbytes - lse.nbytes
    tracemalloc.stop()
    assert peak <= 0.08 * n * n * 4, f"temporaries peak at {peak / (n * n * 4):.1%} of the matrix"


def test_importing_holds_blas_at_one_thread() -> None:
    """From a thread or not, first or not: every call then finds the limit, and none lifts it."""
    seen: list[set[int]] = []

    def look() -> None:
        seen.append({pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"})

    look()
    worker = threading.Thread(target=look)
    worker.start()
    worker.join()
    run(Case(normal(0, 1, 9, 4), normal(1, 1, 9, 4), normal(2, 1, 9, 4), PairRule(9, 9), 0.5, threads=2))
    look()
    assert seen == [{1}, {1}, {1}]


def test_many_callers_at_once_get_their_own_answers() -> None:
    cases = [
        Case(
            normal(i, 2, 90, 8),
            normal(i + 9, 2, 90, 8),
            normal(i + 18, 2, 90, 8),
            PairRule(90, 90),
            0.3,
            None,
            32,
            32,
            2,
        )
        for i in range(6)
    ]
    alone = [run(case) for case in cases]
    together: dict[int, Any] = {}
    workers = [threading.Thread(target=lambda i=i: together.update({i: run(cases[i])})) for i in range(6)]  # type: ignore[misc]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for i, (o, lse) in enumerate(alone):
        assert np.array_equal(together[i][0], o)
        assert np.array_equal(together[i][1], lse)


@pytest.mark.parametrize(("n_q", "n_k", "d"), [(2048, 2048, 64), (1, 5000, 64), (0, 0, 1), (100, 3, 512)])
def test_default_tiles_fit_the_lengths(n_q: int, n_k: int, d: int) -> None:
    block_q, block_k = fast.default_blocks(n_q, n_k, d)
    assert 1 <= block_q <= max(n_q, 1)
    assert 1 <= block_k <= max(n_k, 1)
    assert block_q * block_k <= fast.TILE_SCORES


def test_short_inputs_start_no_threads() -> None:
    assert fast.default_threads(256, 256) == 1
    assert fast.default_threads(8192, 8192) >= 1
