"""The papers' recipe and counts: golden values, the slip of bytes for elements, the theorem's domain."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.io_bounds import io_complexity, paper_recipe, published_counts
from engine.traffic import compulsory_bytes, standard_bytes, tiled_bytes

KIB = 1024
RECIPES = [
    (192 * KIB, 2, 64, 98_304, 384, 64, 768),
    (100 * KIB, 2, 64, 51_200, 200, 64, 400),
    (100 * KIB, 2, 128, 51_200, 100, 100, 200),
    (164 * KIB, 2, 128, 83_968, 164, 128, 328),
    (48 * KIB, 2, 64, 24_576, 96, 64, 192),
    (192 * KIB, 4, 64, 49_152, 192, 64, 768),
    (48 * KIB, 4, 64, 12_288, 48, 48, 192),
]


@pytest.mark.parametrize(("sram", "size", "d", "elements", "block_k", "block_q", "wrong"), RECIPES)
def test_recipe(sram, size, d, elements, block_k, block_q, wrong):
    recipe = paper_recipe(sram, size, d)
    assert (recipe.elements, recipe.block_k, recipe.block_q) == (elements, block_k, block_q)
    assert recipe.wrong_block_k == wrong


def test_the_recipe_is_no_literal_fit():
    recipe = paper_recipe(100 * KIB, 2, 128)
    assert recipe.tile_elements == recipe.elements == 51_200
    assert recipe.score_elements == recipe.over_elements == 10_000
    assert not recipe.fits_literally


@given(sram=st.integers(64, 10**6), size=st.sampled_from([1, 2, 4]), d=st.integers(1, 256))
def test_the_min_keeps_the_score_tile_near_a_quarter_of_m(sram, size, d):
    recipe = paper_recipe(sram, size, d)
    assert recipe.block_q <= d
    assert recipe.score_elements < Fraction(recipe.elements, 4) + d


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((0, 2, 64), "sram_bytes must be at least 2, not 0"),
        ((1, 2, 64), "sram_bytes must be at least 2, not 1"),
        ((1024, 2, 0), "d must be at least 1, not 0"),
        ((1024, 9, 64), "bytes_per_element must be at most 8, not 9"),
        ((10**13, 2, 64), "at most 1,000,000,000,000, not 10,000,000,000,000"),
    ],
)
def test_impossible_recipes_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        paper_recipe(*options)


def test_the_theorem_within_its_domain():
    bound = io_complexity(4096, 64, 51_200)
    assert bound.in_domain
    assert not bound.clamped
    assert bound.standard == 4096 * 64 + 4096**2
    assert bound.tiled == bound.raw_tiled == Fraction(4096**2 * 64**2, 51_200)
    assert bound.domain == (64, 4096 * 64)


def test_outside_the_domain_the_formula_would_beat_reading_the_inputs():
    bound = io_complexity(256, 64, 98_304)
    assert not bound.in_domain
    assert bound.clamped
    assert int(bound.raw_tiled + Fraction(1, 2)) == 2731
    assert bound.raw_tiled < bound.least == 16_384
    assert bound.tiled == 16_384


def test_both_ends_of_the_domain_belong_to_it():
    assert io_complexity(100, 8, 8).in_domain
    assert io_complexity(100, 8, 800).in_domain
    assert not io_complexity(100, 8, 7).in_domain
    assert not io_complexity(100, 8, 801).in_domain
    with pytest.raises(ValueError, match="M in elements must be at least 1, not 0"):
        io_complexity(100, 8, 0)


# FlashAttention's figure 2: N 1024, d 64, 16 heads, batch 64, fp16. Decimal GB to the third digit.
FIGURE_2 = {"heads": 16, "batch": 64}


def golden(key, block_q=128, block_k=256):
    return round(published_counts(1024, 64, block_q, block_k, **FIGURE_2)[key].n_bytes / 1e9, 3)


def test_one_pass():
    one = published_counts(1024, 64, 1024, 1024, **FIGURE_2)["compulsory_forward"]
    assert one.n_bytes // 4 == 134_217_728
    assert published_counts(1024, 64, 1, 1, **FIGURE_2)["standard_forward"].n_bytes == 4 * (
        2_147_483_648 + 134_217_728
    )


def test_golden_traffic():
    assert golden("standard_forward") == 9.127
    assert golden("standard_backward") == 16.106
    both = published_counts(1024, 64, 128, 256, **FIGURE_2)
    assert round((both["standard_forward"].n_bytes + both["standard_backward"].n_bytes) / 1e9, 3) == 25.233
    assert round((both["compulsory_forward"].n_bytes + both["compulsory_backward"].n_bytes) / 1e9, 3) == 1.611
    assert [golden("fa1_forward", block_k=b) for b in (64, 128, 256, 512)] == [6.711, 3.490, 1.879, 1.074]
    assert [golden("fa1_statistics", block_k=b) for b in (64, 128, 256, 512)] == [0.268, 0.134, 0.067, 0.034]
    assert golden("fa1_backward") == 3.221
    assert round((both["fa1_forward"].n_bytes + both["fa1_backward"].n_bytes) / 1e9, 2) == 5.10
    assert [golden("fa2_forward", block_q=b) for b in (64, 128)] == [4.563, 2.416]


@given(
    n=st.integers(1, 60), d=st.integers(1, 9), block_q=st.integers(1, 70), block_k=st.integers(1, 70),
    heads=st.integers(1, 3), batch=st.integers(1, 3), size=st.sampled_from([1, 2, 4, 8]),
)  # fmt: skip
def test_published_counts_and_ledgers_agree(n, d, block_q, block_k, heads, batch, size):
    same = {"heads": heads, "batch": batch, "bytes_per_element": size}
    published = published_counts(n, d, block_q, block_k, **same)
    for direction in ("forward", "backward"):
        ledger = standard_bytes(n, n, d, direction=direction, **same)
        assert published[f"standard_{direction}"].n_bytes == ledger.total
        least = compulsory_bytes(n, n, d, direction=direction, **same)
        assert published[f"compulsory_{direction}"].n_bytes == least.total
    outer = tiled_bytes(n, n, d, block_q=block_q, block_k=block_k, order="kv_outer", **same)
    assert published["fa1_forward"].n_bytes + published["fa1_statistics"].n_bytes == outer.total
    inner = tiled_bytes(n, n, d, block_q=block_q, block_k=block_k, **same)
    assert published["fa2_forward"].n_bytes == inner.total - inner.by_tensor["lse"].written
    # Read literally, the published backward brings O in at each visit. Ours makes D in one pass of its own.
    ours = tiled_bytes(n, n, d, block_q=block_q, block_k=block_k, direction="backward", **same)
    tensors = ours.total - sum(ours.by_tensor[t].read + ours.by_tensor[t].written for t in ("lse", "delta"))
    tiles, one_pass = -(-n // block_k), n * d * size * heads * batch
    assert published["fa1_backward"].n_bytes - tensors == (tiles - 2) * one_pass


def test_impossible_counts_are_refused():
    with pytest.raises(ValueError, match="block_k must be at least 1, not 0"):
        published_counts(16, 4, 4, 0)
