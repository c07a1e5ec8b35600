"""Tiles against the limit of one block: real out-of-resources reports, traces, and brute force."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import trace_attention
from engine.hardware import DEVICES, KIB, custom_device
from engine.tile_fit import MODES, TileSetup, check_request, fit_tiles, working_set
from engine.tile_search import frontier, largest_block_k

RTX4090, A100, H100 = DEVICES["rtx4090"], DEVICES["a100-80"], DEVICES["h100"]
# Three real reports. Each was a launch that failed.
SM120 = custom_device(101_376, name="SM120, as reported")


def test_report_rtx_4090():
    """attention-gym #14: asked 131,074 bytes, limit 101,376."""
    setup = TileSetup(128, 64, 128, stages=3)
    fit = fit_tiles(setup, RTX4090)
    assert fit.request.asked_bytes == 131_072
    assert fit.request.limit_bytes == 101_376
    assert not fit.fits
    assert fit.request.over_bytes == 29_696
    assert fit.first_over == "k stage 3"
    assert fit.resident == 0
    with_barrier = fit_tiles(replace(setup, extra_bytes=2), RTX4090)
    assert with_barrier.request.asked_bytes == 131_074
    assert fit_tiles(replace(setup, stages=2), RTX4090).fits


def test_report_a100():
    """tokamax pull request 1122: asked 203,136 bytes, limit 166,912."""
    request = check_request(203_136, A100)
    assert request.limit_bytes == 166_912
    assert not request.fits
    assert request.over_bytes == 36_224
    assert check_request(203_136, H100).fits


def test_report_sm120():
    """gemma-triton-flash-attn pull request 4: tiles made for an H100's 228 KB met 101,376 bytes."""
    setup = TileSetup(128, 176, 128, stages=2, warps=8)
    on_h100 = fit_tiles(setup, H100)
    assert on_h100.fits
    assert on_h100.request.limit_bytes == 228 * KIB - KIB
    on_sm120 = fit_tiles(setup, SM120)
    assert not on_sm120.fits
    assert on_sm120.request.over_bytes == on_h100.request.asked_bytes - 101_376


def test_the_limit_itself_fits_and_one_byte_more_does_not():
    assert check_request(101_376, RTX4090).fits
    assert check_request(101_376, RTX4090).free_bytes == 0
    assert not check_request(101_377, RTX4090).fits
    assert check_request(101_377, RTX4090).over_bytes == 1


def test_a_device_without_a_verified_limit_is_not_guessed():
    with pytest.raises(ValueError, match="TPU v5e"):
        fit_tiles(TileSetup(16, 16, 64), DEVICES["tpu-v5e"])


@pytest.mark.parametrize(("storage", "size"), [("float32", 4), ("float16", 2), ("float64", 8)])
@pytest.mark.parametrize(("block_q", "block_k", "d", "d_v"), [(4, 4, 8, 8), (2, 5, 4, 3), (7, 3, 6, 9)])
def test_the_literal_mode_is_a_traces_peak(storage, size, block_q, block_k, d, d_v):
    rng = np.random.default_rng(0)
    q, k, v = (rng.normal(size=(15, width)) for width in (d, d, d_v))
    trace = trace_attention(q, k, v, block_q=block_q, block_k=block_k, storage=storage)
    peak = max(sum(step.resident.values()) for step in trace.steps)
    setup = TileSetup(block_q, block_k, d, d_v, bytes_per_element=size, mode="literal")
    assert sum(part.n_bytes for part in working_set(setup)) == peak
    assert fit_tiles(setup, A100).request.asked_bytes == peak


def test_parts_lie_where_the_mode_says():
    for mode, place in (("literal", "shared"), ("kernel", "registers")):
        where = {part.name: part.where for part in working_set(TileSetup(64, 64, 64, mode=mode))}
        assert {where[name] for name in ("s", "acc", "stats")} == {place}
        assert {where[name] for name in ("q", "k stage 1", "v stage 1")} == {"shared"}


def test_formats_and_stages_scale_the_request():
    base = TileSetup(128, 64, 128)
    asked = {
        size: fit_tiles(replace(base, bytes_per_element=size), H100).request.asked_bytes for size in (1, 2, 4)
    }
    assert asked == {1: 32_768, 2: 65_536, 4: 131_072}
    deeper = fit_tiles(replace(base, stages=2), H100).request.asked_bytes
    assert deeper - asked[2] == 64 * (128 + 128) * 2


def test_a_listing_of_many_stages_keeps_the_sum():
    setup = TileSetup(16, 16, 16, stages=1000)
    shared = sum(part.n_bytes for part in working_set(setup) if part.where == "shared")
    assert shared == 16 * 16 * 2 + 1000 * 16 * 32 * 2
    assert len(working_set(setup)) < 30


def test_registers_tell_why_a_larger_tile_was_slower():
    """flash-attention's launch file: 64 × 256 is 27 % slower than its choice; 256 × 64, 85 %, spills."""
    chosen, wide, tall = (fit_tiles(TileSetup(q, k, 64), A100) for q, k in ((128, 128), (64, 256), (256, 64)))
    assert chosen.registers_per_thread == (128 * 128 + 128 * 64 + 2 * 128) // 128
    assert not chosen.spills
    assert not wide.spills
    assert tall.registers_per_thread > tall.register_limit == 255
    assert tall.spills


def test_residency_by_hand():
    fit = fit_tiles(TileSetup(128, 64, 128), A100)
    bounds = dict(fit.bounds)
    # 164 KiB over 64 KiB and the reserved KiB; 65,536 registers over 128 times 194; 2048 threads over 128.
    assert fit.registers_per_thread == 194
    assert bounds == {"shared": 2, "registers": 2, "threads": 16, "blocks": 32}
    assert fit.resident == 2
    assert fit.limited_by == ("shared", "registers")


def test_the_reserved_kilobyte_counts_for_each_block():
    exactly_half = custom_device(50 * KIB, shared_bytes_per_unit=100 * KIB)
    setup = TileSetup(200, 100, 64)
    assert fit_tiles(setup, exactly_half).request.asked_bytes == 50 * KIB
    assert fit_tiles(setup, exactly_half).resident == 2
    assert fit_tiles(setup, replace(exactly_half, reserved_bytes_per_block=KIB)).resident == 1


def test_oversized_tiles_cost_residency():
    residents = [fit_tiles(TileSetup(64, k, 64, warps=4), A100).resident for k in (16, 64, 128, 256, 512)]
    assert residents == sorted(residents, reverse=True)
    assert residents[0] > residents[-1] >= 1


@given(
    block_q=st.integers(1, 96),
    d=st.integers(1, 160),
    d_v=st.integers(1, 160),
    size=st.sampled_from([1, 2, 4, 8]),
    stages=st.integers(1, 4),
    extra=st.integers(0, 4096),
    mode=st.sampled_from(MODES),
    device=st.sampled_from([A100, RTX4090, DEVICES["t4"], DEVICES["mi300x"], custom_device(9000)]),
)
@settings(max_examples=150, deadline=None)
def test_the_largest_block_k_is_the_last_that_fits(block_q, d, d_v, size, stages, extra, mode, device):
    setup = TileSetup(block_q, 1, d, d_v, size, stages, 4, extra, mode)

    def good(block_k):
        fit = fit_tiles(replace(setup, block_k=block_k), device)
        return fit.fits and not fit.spills

    most = largest_block_k(setup, device, step=1)
    assert most == 0 or good(most)
    assert not good(most + 1)


def test_the_frontier_holds_only_tiles_that_fit_and_whose_next_does_not():
    setup = TileSetup(16, 16, 128, stages=2, warps=8)
    found = frontier(setup, A100)
    assert found.tiles
    for fit in found.tiles:
        assert fit.fits
        assert not fit.spills
        larger = fit_tiles(replace(fit.setup, block_k=fit.setup.block_k + 16), A100)
        assert not larger.fits or larger.spills or fit.setup.block_k == 512
    area = found.largest.setup.block_q * found.largest.setup.block_k
    assert area == max(f.setup.block_q * f.setup.block_k for f in found.tiles)


def test_nothing_fits_a_tiny_budget():
    found = frontier(TileSetup(16, 16, 128), custom_device(1000))
    assert found.tiles == ()
    assert found.largest is None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"block_q": 0}, "block_q must be at least 1, not 0"),
        ({"block_k": -3}, "block_k must be at least 1, not -3"),
        ({"d": 10**12 + 1}, "d must be at most 1,000,000,000,000"),
        ({"stages": 0}, "stages must be at least 1, not 0"),
        ({"warps": 33}, "warps must be at most 32, not 33"),
        ({"bytes_per_element": 16}, "bytes_per_element must be at most 8, not 16"),
        ({"extra_bytes": -1}, "extra_bytes must be at least 0, not -1"),
        ({"mode": "magic"}, "not 'magic'"),
    ],
)
def test_impossible_setups_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        TileSetup(**({"block_q": 16, "block_k": 16, "d": 64} | options))


def test_absurd_tiles_are_counted_exactly_and_do_not_fit():
    most = 10**12
    fit = fit_tiles(TileSetup(most, most, most, mode="literal"), H100)
    assert fit.request.asked_bytes == 3 * most * most * 2 + most * most * 4 * 2 + 4 * most * 4
    assert fit.first_over == "q"
    assert fit.resident == 0
