"""Laws about bytes, tested on the exact ledgers; and a preset's claim, tested on its own numbers."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.footprint import kv_cache_bytes, score_storage, tensor_storage, weight_bytes
from engine.hardware import DEVICES
from engine.models import MODELS
from engine.presets import PRESETS
from engine.shapes import AttentionShape
from engine.statements import SEARCH, block_effect, break_even, deciding_side, saving, saving_limit, verdict

LONG = 2**34
WAYS = [("q_outer", "forward"), ("kv_outer", "forward"), ("q_outer", "backward"), ("kv_outer", "backward")]


@pytest.mark.parametrize(
    ("d", "block", "q_outer", "kv_outer"),
    [(64, 128, 3.94, 2.55), (128, 128, 2.00, 1.32), (128, 64, 1.02, 0.67)],
)
def test_savings_worked_out_by_hand(d, block, q_outer, kv_outer):
    """At 4096 positions in fp16, from passes over N² and N·d and float32 statistics."""
    n, tiles = 4096, 4096 // block
    standard = (4 * n * n + 4 * n * d) * 2
    by_hand = {
        "q_outer": (2 + 2 * tiles) * n * d * 2 + n * 4,
        "kv_outer": (2 + 3 * tiles) * n * d * 2 + 4 * tiles * n * 4,
    }
    for order, expected in (("q_outer", q_outer), ("kv_outer", kv_outer)):
        result = saving(AttentionShape(n, n, d), block, block, order=order)
        assert (result.standard, result.tiled) == (standard, by_hand[order])
        assert round(float(result.ratio), 2) == expected


@pytest.mark.parametrize(("order", "direction"), WAYS)
@pytest.mark.parametrize("causal", [None, "bottom_right", "top_left"])
@pytest.mark.parametrize("size", [1, 2, 4, 8])
def test_the_limit_is_reached_by_a_very_long_call(order, direction, causal, size):
    shape = AttentionShape(LONG, LONG, 96, 64, bytes_per_element=size, causal=causal)
    way = {"order": order, "direction": direction}
    limit = saving_limit(shape, 128, 64, **way)
    assert float(saving(shape, 128, 64, **way).ratio) == pytest.approx(float(limit), rel=1e-5)


def test_the_limit_for_one_head_size_is_two_br_over_d():
    assert saving_limit(AttentionShape(8, 8, 64), 128, 16) == Fraction(2 * 128, 64)
    assert saving_limit(AttentionShape(8, 8, 64, window=(4, 0)), 128, 16) is None


@pytest.mark.parametrize("d", [16, 64, 128, 256])
def test_break_even_is_at_half_the_head_size(d):
    even = break_even(AttentionShape(LONG, LONG, d), 64, 64)
    assert even.side == "block_q"
    assert even.law == Fraction(d, 2)
    assert even.smallest == d // 2
    assert saving_limit(AttentionShape(8, 8, d), d // 2, 64) == 1


@given(
    n_q=st.integers(1, 80), n_k=st.integers(1, 80), d=st.integers(1, 24), way=st.sampled_from(WAYS),
    causal=st.sampled_from([None, "bottom_right"]), other=st.integers(1, 90),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_the_break_even_is_the_first_winner(n_q, n_k, d, way, causal, other):
    shape = AttentionShape(n_q, n_k, d, causal=causal)
    order, direction = way
    even = break_even(shape, other, other, order=order, direction=direction)

    def wins(size):
        q, k = (size, other) if even.side == "block_q" else (other, size)
        return saving(shape, q, k, order=order, direction=direction).wins

    longest = n_q if even.side == "block_q" else n_k
    winners = [size for size in range(1, longest + 1) if wins(size)]
    assert even.smallest == (winners[0] if winners else None)
    assert even.searched == longest


def test_a_tie_is_no_win():
    tied = verdict(AttentionShape(5, 5, 9), 3, 3)
    assert tied.saving.standard == tied.saving.tiled
    assert tied.saving.ratio == 1
    assert not tied.saving.wins
    assert tied.saving.re_read == tied.saving.scores


def test_a_masked_search_ends_and_says_how_far_it_went():
    even = break_even(AttentionShape(8192, 8192, 10**6, causal="bottom_right"), 8, 64)
    assert even.smallest is None
    assert even.searched == SEARCH
    assert even.law == Fraction(10**6, 4)


@pytest.mark.parametrize(("order", "direction"), WAYS)
def test_only_the_outer_loops_tile_changes_the_bytes_without_a_mask(order, direction):
    shape = AttentionShape(1000, 1000, 64)
    deciding = deciding_side(order, direction)
    for side in ("block_q", "block_k"):
        effect = block_effect(shape, 64, 64, side, (16, 64, 200, 1000), order=order, direction=direction)
        assert effect.changes == (side == deciding), effect


def test_with_a_mask_the_inner_tile_matters_and_is_not_claimed_otherwise():
    shape = AttentionShape(1000, 1000, 64, causal="bottom_right")
    assert block_effect(shape, 64, 64, "block_k", (16, 64, 200)).changes


def test_losing_is_said_with_its_numbers():
    result = verdict(AttentionShape(4096, 4096, 256), 64, 64)
    assert not result.saving.wins
    reasons = {reason.code: reason for reason in result.reasons}
    assert set(reasons) == {"tile_too_small", "re_reads"}
    assert (reasons["tile_too_small"].have, reasons["tile_too_small"].need) == (64, 128)
    assert reasons["re_reads"].have > reasons["re_reads"].need == result.saving.scores == 4 * 4096**2 * 2


@given(
    n_q=st.integers(1, 60), n_k=st.integers(1, 60), d=st.integers(1, 30), block_q=st.integers(1, 60),
    block_k=st.integers(1, 60), way=st.sampled_from(WAYS), causal=st.sampled_from([None, "top_left"]),
)  # fmt: skip
@settings(deadline=None)
def test_tiling_loses_exactly_when_it_re_reads_more_than_the_scores(
    n_q, n_k, d, block_q, block_k, way, causal
):
    shape = AttentionShape(n_q, n_k, d, causal=causal)
    result = verdict(shape, block_q, block_k, order=way[0], direction=way[1])
    assert result.saving.wins == (result.saving.re_read < result.saving.scores)
    assert ("re_reads" in {r.code for r in result.reasons}) == (not result.saving.wins)
    assert result.saving.scores == (4 if way[1] == "forward" else 7) * n_q * n_k * 2
    assert ("one_query" in {r.code for r in result.reasons}) == (n_q == 1)


@pytest.mark.parametrize("preset", PRESETS.values(), ids=lambda p: p.key)
def test_a_preset_shows_what_it_says(preset):
    assert preset.device in DEVICES
    assert preset.model is None or preset.model in MODELS
    result = verdict(
        preset.shape, preset.block_q, preset.block_k, order=preset.order, direction=preset.direction
    )
    codes = {reason.code for reason in result.reasons}
    scores = score_storage(preset.shape).all_bytes
    if preset.shows == "scores":
        assert result.saving.ratio > 3
        assert scores == 33_554_432
    elif preset.shows == "loses":
        assert result.saving.ratio < 1
        assert {"tile_too_small", "re_reads"} <= codes
    elif preset.shows == "little":
        assert 1 <= result.saving.ratio < Fraction(3, 2)
        assert "little_to_save" in codes
    elif preset.shows == "kv_cache":
        model = MODELS[preset.model]
        cache = kv_cache_bytes(
            model.layers, model.kv_heads, model.d, preset.shape.n_k, batch=preset.shape.batch
        )
        assert cache == 16 * 2**30
        kept = tensor_storage(preset.shape)
        assert cache == model.layers * (kept.k + kept.v)
        assert cache > 1000 * scores
    else:
        assert weight_bytes(MODELS[preset.model].parameters, 2) == 16_060_522_496


def test_every_case_of_the_lesson_is_there():
    assert {preset.shows for preset in PRESETS.values()} == {
        "scores",
        "loses",
        "little",
        "kv_cache",
        "weights",
    }
    assert PRESETS["decode"].shape.n_q == 1
    assert "one_query" in {r.code for r in verdict(PRESETS["decode"].shape, 64, 128).reasons}


def test_a_large_call_costs_no_more_than_a_small_one():
    most = 10**12
    result = verdict(AttentionShape(most, most, 128, heads=most, batch=most, causal="bottom_right"), 128, 128)
    assert isinstance(result.saving.standard, int)
    assert result.saving.standard > 10**48
