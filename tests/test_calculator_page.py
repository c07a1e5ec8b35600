"""The calculator's golden values, read from the page as Streamlit's own test runner sees it."""

from itertools import pairwise

import pytest

from engine.footprint import check_table_21, kv_cache_bytes, longest_square
from engine.hardware import DEVICES
from engine.io_bounds import paper_recipe
from engine.models import MODELS
from engine.paper_checks import check_figure_2
from engine.presets import PRESETS
from engine.roofline import roofline
from engine.shapes import AttentionShape, pair_counts
from engine.statements import break_even, saving
from engine.tile_fit import TileSetup, fit_tiles
from engine.traffic import standard_bytes, tiled_bytes
from engine.units import binary_bytes, exact_bytes
from tests.calculator_page import cells, number, press, result, text, visit
from tests.parts import enter, part_data
from ui.calculator.controls import CUSTOM, defaults
from ui.calculator.fit import SLOWER, SLOWER_AT
from ui.calculator.numbers import ratio, scaled
from ui.calculator.presets import PART_OF, preset_sentence, preset_settings

# Storage


def test_the_first_screen_is_the_lessons_example() -> None:
    """All three forms, and the arithmetic."""
    at = visit()
    assert result(at) == "32 MiB"
    assert "4,096 queries × 4,096 keys × 2 bytes = 33,554,432 bytes" in text(at)
    assert "33.55 MB, 33.6 MB to one decimal place" in text(at)
    assert "Assumes a dense matrix" in text(at)


def test_a_causal_mask_halves_the_pairs_and_not_the_storage() -> None:
    """N(N + 1)/2 pairs are allowed; the stored size stays."""
    at = visit(mask="causal, bottom right")
    allowed = 4096 * 4097 // 2
    assert allowed == pair_counts(4096, 4096, causal="bottom_right").allowed == 8_390_656
    assert f"{allowed:,}" in text(at)
    assert result(at) == "32 MiB"
    assert binary_bytes(33_554_432 - 2 * allowed) in text(at)


def test_alignment_matters_where_lengths_differ() -> None:
    """Both counts are said, and the queries that see nothing."""
    at = visit(n_q=5, n_k=2, mask="causal, bottom right")
    bottom, top = (pair_counts(5, 2, causal=c).allowed for c in ("bottom_right", "top_left"))
    assert (bottom, top) == (3, 9)
    assert "bottom right allows 3 pairs, top left 9" in text(at)
    assert "first 3 queries without any key" in text(at)


def test_decoding_is_one_row() -> None:
    """Tq = 1: T_key times s."""
    at = visit(n_q=1)
    assert result(at) == "8 KiB"
    assert "one row of 4,096 numbers" in text(at)


def test_the_cache_counts_key_value_heads_and_tiling_moves_none_of_it() -> None:
    """Llama 3 8B: 8 key/value heads, not 32, and the same bytes in both rows."""
    at = visit(n_k=8192, heads=32, kv_heads=8, d=128, layers=32)
    cache = kv_cache_bytes(32, 8, 128, 8192)
    assert cache == 2 * 32 * 8 * 128 * 8192 * 2 == 1_073_741_824
    standard, tiled = cells(at, "The same in numbers")
    assert number(standard[-1]) == number(tiled[-1]) == cache
    assert (number(standard[1]), number(tiled[1])) == (4096 * 8192 * 2 * 32, 0)
    assert standard[3:] == tiled[3:]


def test_growth_is_quadratic_and_names_every_memory() -> None:
    """Each doubling: fourfold scores, double tensors; each device's longest length just fits."""
    at = visit(heads=4)
    grown = [[number(cell) for cell in row[:3]] for row in cells(at, "Bytes at equal lengths")]
    for before, after in pairwise(grown):
        assert after == [2 * before[0], 4 * before[1], 2 * before[2]]
    shape = AttentionShape(4096, 4096, 64, heads=4)
    rows = cells(at, "Longest square call")
    assert [row[0] for row in rows] == [device.name for device in DEVICES.values()]
    for row, device in zip(rows, DEVICES.values(), strict=True):
        longest = number(row[2])
        assert longest == longest_square(device.memory_bytes, shape)
        assert 8 * longest**2 <= device.memory_bytes < 8 * (longest + 1) ** 2


# Traffic


@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("order", ["q_outer", "kv_outer"])
@pytest.mark.parametrize("mask", [None, "bottom_right"])
def test_the_ledger_is_the_engines_tensor_by_tensor(direction: str, order: str, mask: str | None) -> None:
    """Every cell, by both loop orders, in both passes, named in the address by the engine's own names."""
    at = visit(
        part="Traffic",
        n_q=1000,
        n_k=777,
        d=32,
        heads=6,
        kv_heads=2,
        batch=3,
        bq=96,
        bk=40,
        order=order,
        direction=direction,
        mask="none" if mask is None else mask,
    )
    same = {"heads": 6, "kv_heads": 2, "batch": 3, "direction": direction}
    standard = standard_bytes(1000, 777, 32, **same)
    tiled = tiled_bytes(1000, 777, 32, block_q=96, block_k=40, order=order, causal=mask, **same)
    rows = cells(at, "Bytes by tensor")
    assert [number(cell) for cell in rows[-1][1:5]] == [
        standard.read,
        standard.written,
        tiled.read,
        tiled.written,
    ]
    shown = sum(number(cell) for row in rows[:-1] for cell in row[1:5])
    assert shown == standard.total + tiled.total
    by_name = {row[0]: row for row in rows}
    for sign, tensor in (("Q", "q"), ("K", "k"), ("V", "v")):
        assert [number(cell) for cell in by_name[sign][3:5]] == [
            tiled.by_tensor[tensor].read,
            tiled.by_tensor[tensor].written,
        ]
    assert exact_bytes(tiled.total) in text(at)
    assert ("no exact method moves less" in text(at)) == (direction == "forward")


@pytest.mark.parametrize(
    ("d", "block", "order", "shown"),
    [
        (64, 128, "q_outer", "3.94"),
        (64, 128, "kv_outer", "2.55"),
        (128, 128, "q_outer", "2.00"),
        (128, 64, "q_outer", "1.02"),
    ],
)
def test_the_saving_of_known_tiles(d: int, block: int, order: str, shown: str) -> None:
    """4,096 positions; with keys outside m and l are counted too, so 2.60 becomes 2.55."""
    at = visit(part="Traffic", d=d, bq=block, bk=block, order=order)
    found = saving(AttentionShape(4096, 4096, d), block, block, order=order)
    assert f"{float(found.ratio):.2f}" == shown
    assert f"Standard over tiled is {ratio(found.ratio)}" in text(at)


def test_break_even_and_limit_are_said_of_the_readers_numbers() -> None:
    """d/2 and 2·Br/d, with the numbers."""
    at = visit(part="Traffic")
    assert "tends to 2 · Br / d = 4. You are at 3.94" in text(at)
    smallest = break_even(AttentionShape(4096, 4096, 64), 128, 64).smallest
    assert f"begins to win at Br = {smallest} for this call; the law for long calls says d / 2 = 32" in text(
        at
    )


def test_bc_changes_nothing_without_a_mask_and_something_with_one() -> None:
    """The sentence follows the computation, not a rule."""
    free = text(visit(part="Traffic"))
    assert "Bc does not change the bytes here: sizes from 8 to 1,024 all move 34,619,392 bytes" in free
    masked = text(visit(part="Traffic", mask="causal, bottom right"))
    assert "Bc changes the bytes here, because of the mask" in masked
    assert "Bc does not change" not in masked


def test_losing_is_said_with_its_reason() -> None:
    """A wide head with few queries in a tile."""
    at = visit(part="Traffic", d=256, bq=64)
    said = text(at)
    assert "here tiling moves" in said and "more than the standard algorithm" in said
    assert "Br is 64; the bytes fall below the standard algorithm's only from" in said
    assert "Re-reads cost" in said
    assert "1.91 × as many bytes" in said


# Fit


def test_the_three_real_out_of_resources_reports() -> None:
    """RTX 4090: 131,074 asked of 101,376 bytes; A100: 203,136 of 166,912; a Hopper tile on a 99 KiB part."""
    at = visit(part="Fit", device="RTX 4090", bq=128, bk=64, d=128, stages=3)
    setup = TileSetup(128, 64, 128, stages=3)
    assert fit_tiles(setup, DEVICES["rtx4090"]).request.asked_bytes == 131_072
    assert "The tiles do not fit" in text(at) and "131,072 bytes of 99 KiB" in text(at)
    assert f"{131_072 - 101_376:,} bytes" in text(at)
    assert DEVICES["a100-80"].shared_bytes_per_block == 166_912 < 203_136
    over = text(visit(part="Fit", device="A100 80 GB SXM", bq=128, bk=128, d=128, stages=3))
    assert "The tiles do not fit" in over and "229,376 bytes of 163 KiB" in over
    hopper = {"bq": 64, "bk": 64, "d": 256, "stages": 2}
    assert "The tiles fit" in text(visit(part="Fit", device="H100 SXM5", **hopper))
    assert "The tiles do not fit" in text(visit(part="Fit", device="RTX 4090", **hopper))


@pytest.mark.parametrize(
    ("kib", "d", "size", "bc", "br", "wrong"),
    [
        (192, 64, "float16", 384, 64, 768),
        (100, 64, "float16", 200, 64, 400),
        (100, 128, "float16", 100, 100, 200),
        (164, 128, "float16", 164, 128, 328),
        (48, 64, "float16", 96, 64, 192),
        (192, 64, "float32", 192, 64, 768),
    ],
)
def test_the_papers_recipe_counts_elements(kib: int, d: int, size: str, bc: int, br: int, wrong: int) -> None:
    """The golden rows of FlashAttention's recipe, and what the slip gives."""
    at = visit(part="Fit", device=CUSTOM, budget=kib * 1024, d=d, format=size)
    made = paper_recipe(kib * 1024, 4 if size == "float32" else 2, d)
    assert (made.block_k, made.block_q, made.wrong_block_k) == (bc, br, wrong)
    said = text(at)
    assert f"= {bc}, and Br = min(Bc, d) = {br}." in said
    assert f"Bc would come out as {wrong:,}." in said


def test_a_device_without_a_known_limit_is_said_so() -> None:
    """No tile is tested against a figure that no source gives."""
    at = visit(part="Fit", device="TPU v5e")
    assert "No verified on-chip limit" in at.warning[0].value
    assert not at.error


def test_the_measured_tiles_have_their_place() -> None:
    """Slower tiles are quoted with head size, length and source."""
    said = text(visit(part="Fit"))
    for tile in SLOWER:
        assert f"{tile.block_q} × {tile.block_k}" in said and f"{tile.percent} %" in said
    assert f"{SLOWER_AT['n']:,} positions" in said
    assert "flash_fwd_launch_template.h" in said


# Roofline


def test_tiling_moves_the_dot_to_the_right_and_flops_do_not_fall() -> None:
    """Intensities, sides, ridge, and the products written out."""
    at = visit(part="Roofline", formulas="true")
    roof = roofline(AttentionShape(4096, 4096, 64), DEVICES["a100-80"], 128, 64)
    standard, tiled = roof.dot("standard"), roof.dot("tiled")
    assert standard.flops == tiled.flops == 4 * 4096**2 * 64
    said = text(at)
    assert "FLOPs do not fall" in said
    assert f"from {ratio(standard.intensity)} to {ratio(tiled.intensity)} FLOP per byte" in said
    assert f"= {standard.flops:,}; backward with recomputation × 2.5 = {standard.flops * 5 // 2:,}" in said
    assert "A bound, not a time" in said
    assert " ms" not in said


def test_a_causal_mask_halves_the_products_exactly() -> None:
    """Allowed pairs, not half of all."""
    at = visit(part="Roofline", mask="causal, bottom right")
    rows = cells(at, "The dots in numbers")
    assert {number(row[1]) for row in rows} == {4 * 64 * 4096 * 4097 // 2}


# Presets and papers


@pytest.mark.parametrize("key", PRESETS)
def test_a_preset_loads_what_it_says(key: str) -> None:
    """Its button sets every control, and its sentence holds on the part that it opens."""
    preset = PRESETS[key]
    at = visit(part="Presets")
    assert preset_sentence(key) in text(at)
    # What was set before, and the preset does not name, is taken back.
    press(enter(at, stages="7"), f"Load: {preset.name}")
    assert not at.exception and not at.error
    held = part_data(at, "fields")["values"]
    assert held == {**defaults(), **preset_settings(preset)}
    assert held["part"] == PART_OF[preset.shows]
    if preset.shows in ("loses", "little"):
        found = saving(preset.shape, preset.block_q, preset.block_k, order=preset.order)
        assert f"Standard over tiled is {ratio(found.ratio)}" in text(at)
        assert (preset.shows == "loses") == (found.ratio < 1)


@pytest.mark.parametrize("key", MODELS)
def test_a_model_loads_its_shape(key: str) -> None:
    """Cache and weights of that model stand on the page, and its source in the table."""
    model = MODELS[key]
    at = visit(part="Presets")
    assert model.source in text(at)
    press(at, f"Load: {model.name}")
    assert not at.exception and not at.error
    row = cells(at, "The same in numbers")[0]
    assert number(row[-1]) == 2 * model.parameters
    assert number(row[-2]) == kv_cache_bytes(model.layers, model.kv_heads, model.d, 4096)


def test_the_papers_memory_table_cell_by_cell() -> None:
    """All sixteen printed cells, named as MiB."""
    at = visit(part="Papers")
    rows = cells(at, "Table 21 in MiB")
    by = {(cell.n, cell.method): cell for cell in check_table_21()}
    assert len(rows) == 10
    equal = 0
    for row in rows:
        for method, first in (("standard", 1), ("flash", 5)):
            cell = by[number(row[0]), method]
            assert number(row[first]) == cell.computed_bytes
            assert number(row[first + 1]) == cell.computed_bytes // 2**20
            if cell.printed_mib is None:
                assert row[first + 2] == "out of memory"
            else:
                assert number(row[first + 2]) == cell.printed_mib == number(row[first + 1])
                equal += row[first + 3] == "✓"
    assert equal == 16
    assert "16 of 16 printed cells" in text(at)
    assert "only MiB" in text(at)


def test_figure_2_stands_beside_its_correction() -> None:
    """The printed FLOPs are shown as printed, with the factor by which they are wrong."""
    rows = cells(visit(part="Papers"), "Printed, and worked out")
    for row, check in zip(rows, check_figure_2(), strict=True):
        assert row[1] == scaled(check.printed.flops_printed, "FLOP")
        assert row[2] == scaled(check.flops, "FLOP", 2)
        assert row[3] == ratio(check.flops_factor)
    assert [row[1] for row in rows] == ["66.6 GFLOP", "75.2 GFLOP"]
    assert [row[2] for row in rows] == ["824.63 GFLOP", "962.07 GFLOP"]


@pytest.mark.parametrize(
    ("direction", "order", "said"),
    [
        ("backward", "queries outside", True),
        ("backward", "keys outside", False),
        ("forward", "queries outside", False),
    ],
)
def test_a_backward_says_that_its_loop_order_is_not_a_choice(direction: str, order: str, said: bool) -> None:
    at = visit(part="Traffic", direction=direction, order=order)
    assert ("the choice above changes nothing here" in text(at)) is said
