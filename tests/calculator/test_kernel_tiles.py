"""Real kernels' tiles: the launch file's own shared-memory comments, and a fit on the chips they are for."""

import pytest

from engine.hardware import DEVICES, KIB
from engine.kernel_tiles import KERNEL_TILES, kernel_tiles
from engine.tile_fit import TileSetup, fit_tiles

COMMENTS = {
    (128, 128, 64): 48, (128, 64, 128): 64, (128, 32, 128): 48, (128, 64, 256): 128, (64, 64, 256): 96,
}  # fmt: skip


@pytest.mark.parametrize(("tile", "kib"), COMMENTS.items())
def test_shared_memory_equals_the_comments_in_the_launch_file(tile, kib):
    found = [
        t for t in KERNEL_TILES if t.kernel == "FlashAttention-2" and (t.block_q, t.block_k, t.d) == tile
    ]
    assert found
    for row in found:
        assert row.shared_bytes == kib * KIB
        setup = TileSetup(row.block_q, row.block_k, row.d, bytes_per_element=row.bytes_per_element)
        assert fit_tiles(setup, DEVICES["a100-80"]).request.asked_bytes == kib * KIB


@pytest.mark.parametrize(
    "tile", KERNEL_TILES, ids=lambda t: f"{t.kernel}-{t.d}-{t.block_q}x{t.block_k}-{t.when}"
)
def test_forward_tiles_fit_the_chips_they_are_for(tile):
    assert tile.source
    assert tile.file
    assert tile.date
    names = {
        "A100": ["a100-80"], "H100": ["h100"], "A100, H100": ["a100-80", "h100"], "any": ["a100-80", "h100"],
        "8.6 and 8.9 chips (RTX 30 and 40, L4)": ["rtx4090", "l4"], "8.x chips": ["a100-80"],
        "tuned when run": ["a100-80"], "by shared memory": ["h100"],
    }[tile.devices]  # fmt: skip
    for name in names:
        setup = TileSetup(tile.block_q, tile.block_k, tile.d, bytes_per_element=tile.bytes_per_element)
        assert fit_tiles(setup, DEVICES[name]).fits, name


def test_the_same_tile_does_not_fit_a_smaller_chip():
    """Why the file picks 64 × 64 at head size 256 on the parts with 99 KB."""
    setup = TileSetup(128, 64, 256)
    assert fit_tiles(setup, DEVICES["a100-80"]).fits
    assert not fit_tiles(setup, DEVICES["rtx4090"]).fits
    assert fit_tiles(TileSetup(64, 64, 256), DEVICES["rtx4090"]).fits


def test_a_head_size_between_two_uses_the_larger_ones_tiles():
    by_kernel = {tile.kernel: tile.d for tile in kernel_tiles(80)}
    assert by_kernel["FlashAttention-2"] == 96
    assert by_kernel["FlashAttention-3"] == 128
    assert {tile.d for tile in kernel_tiles(64)} == {64}
    assert kernel_tiles(257) == ()
    assert {tile.direction for tile in kernel_tiles(64, "backward")} == {"backward"}
