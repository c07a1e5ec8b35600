"""Bytes in memory: the lesson's example, the paper's table cell by cell, the cache, exactness at any size."""

from itertools import pairwise

import pytest

from engine.footprint import (
    MIB,
    check_table_21,
    growth,
    kv_cache_bytes,
    longest_square,
    score_storage,
    table_21_flash_bytes,
    table_21_standard_bytes,
    tensor_storage,
    weight_bytes,
)
from engine.hardware import DEVICES
from engine.models import MODELS
from engine.paper_tables import TABLE_21
from engine.shapes import AttentionShape


def test_the_lessons_example():
    stored = score_storage(AttentionShape(4096, 4096, 64))
    assert stored.one_head_bytes == stored.all_bytes == 33_554_432 == 32 * MIB


def test_batch_and_heads_multiply_the_square_term():
    stored = score_storage(AttentionShape(1024, 1024, 64, heads=16, batch=64))
    assert stored.one_head_bytes == 2 * MIB
    assert stored.all_bytes == 2 * 2**30


def test_a_causal_mask_uses_half_and_stores_all():
    stored = score_storage(AttentionShape(4, 4, 8, causal="bottom_right"))
    assert stored.pairs.allowed == 10
    assert (stored.all_bytes, stored.used_bytes) == (32, 20)


def test_decoding_stores_one_row():
    assert score_storage(AttentionShape(1, 4096, 128)).all_bytes == 8192


def test_bytes_per_score_may_differ_from_the_tensors():
    assert score_storage(AttentionShape(4096, 4096, 64), bytes_per_score=4).all_bytes == 64 * MIB
    with pytest.raises(ValueError, match="s must be at least 1, not 0"):
        score_storage(AttentionShape(4, 4, 4), bytes_per_score=0)


def test_tensors_count_shared_heads_once():
    kept = tensor_storage(AttentionShape(10, 20, 4, d_v=6, heads=8, kv_heads=2, batch=3))
    assert kept.q == 3 * 8 * 10 * 4 * 2
    assert kept.k == 3 * 2 * 20 * 4 * 2
    assert kept.v == 3 * 2 * 20 * 6 * 2
    assert kept.o == 3 * 8 * 10 * 6 * 2
    assert kept.lse == 3 * 8 * 10 * 4
    assert kept.inputs_and_output == kept.q + kept.k + kept.v + kept.o


PRINTED = {
    "standard": {128: 36, 256: 104, 512: 336, 1024: 1184, 2048: 4416, 4096: 17024},
    "flash": {
        128: 22, 256: 44, 512: 104, 1024: 209, 2048: 418, 4096: 836, 8192: 1672, 16384: 3344, 32768: 6688,
        65536: 13376,
    },
}  # fmt: skip


def test_table_21_cell_by_cell():
    cells = {(cell.method, cell.n): cell for cell in check_table_21()}
    assert len(cells) == 20
    for method, row in PRINTED.items():
        for n, mib in row.items():
            assert cells[method, n].printed_mib == mib
            assert cells[method, n].shown_mib == mib, (method, n, cells[method, n].computed_bytes)
            assert cells[method, n].equal
    blank = {n for (method, n), cell in cells.items() if method == "standard" and cell.printed_mib is None}
    assert blank == {8192, 16384, 32768, 65536}


def test_table_21_is_in_mib_not_in_mb():
    exact = [c for c in check_table_21() if c.printed_mib is not None and c.n != 512]
    assert all(cell.computed_bytes == cell.printed_mib * MIB for cell in exact)
    assert not any(cell.computed_bytes // 10**6 == cell.printed_mib for cell in exact)
    half = next(cell for cell in check_table_21() if cell.method == "flash" and cell.n == 512)
    assert half.computed_bytes == 104 * MIB + MIB // 2


def test_table_21_runs_out_of_memory_where_the_form_exceeds_the_device():
    room = DEVICES[TABLE_21.device].memory_bytes
    for cell in check_table_21():
        assert (cell.computed_bytes > room) == (cell.printed_mib is None)


def test_table_21_ratios_of_the_readme():
    sizes = {"heads": 8, "batch": 16, "d": 64}
    ratios = [table_21_standard_bytes(n, **sizes) / table_21_flash_bytes(n, **sizes) for n in (2048, 4096)]
    assert ratios == pytest.approx([10.56, 20.36], abs=0.01)


def test_linear_and_quadratic_growth():
    points = growth(AttentionShape(1, 1, 64, heads=8, batch=2), [1024, 2048, 4096])
    for near, far in pairwise(points):
        assert far.scores == 4 * near.scores
        assert far.tensors == 2 * near.tensors
        assert far.lse == 2 * near.lse


def test_longest_square_is_the_last_that_fits():
    shape = AttentionShape(1, 1, 64, heads=16, batch=4)
    for device in DEVICES.values():
        n = longest_square(device.memory_bytes, shape)
        fits, over = (point.scores for point in growth(shape, [n, n + 1]))
        assert fits <= device.memory_bytes < over
    with pytest.raises(ValueError, match="memory_bytes must be at least 1, not 0"):
        longest_square(0, shape)


def test_kv_cache_counts_key_value_heads():
    llama = MODELS["llama-3-8b"]
    cache = kv_cache_bytes(llama.layers, llama.kv_heads, llama.d, 8192)
    assert cache == 2 * 32 * 8 * 128 * 8192 * 2 == 2**30
    assert kv_cache_bytes(llama.layers, llama.heads, llama.d, 8192) == 4 * cache


def test_kv_cache_takes_the_head_size_as_given():
    qwen = MODELS["qwen3-4b"]
    assert qwen.d != qwen.hidden // qwen.heads
    assert kv_cache_bytes(qwen.layers, qwen.kv_heads, qwen.d, 1) == 2 * 36 * 8 * 128 * 2


@pytest.mark.parametrize("bad", [{"layers": 0}, {"kv_heads": -2}, {"d": 10**12 + 1}, {"n_k": 1.5}])
def test_impossible_caches_are_refused(bad):
    sizes = {"layers": 2, "kv_heads": 2, "d": 4, "n_k": 8} | bad
    with pytest.raises(ValueError, match=next(iter(bad))):
        kv_cache_bytes(**sizes)


def test_weights():
    assert weight_bytes(8_030_261_248, 2) == 16_060_522_496
    with pytest.raises(ValueError, match="bytes_per_weight must be at most 8, not 9"):
        weight_bytes(1, 9)


def test_the_largest_counts_lose_no_byte():
    most = 10**12
    shape = AttentionShape(most, most - 1, most, heads=most, batch=most, bytes_per_element=1)
    assert score_storage(shape).all_bytes == most**3 * (most - 1)
    assert isinstance(score_storage(shape).all_bytes, int)
