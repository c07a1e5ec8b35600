"""The largest tiles that fit: a closed form for one side, and the frontier over the other.

Knows `engine.tile_fit`'s sums; must not know traffic or time.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

from engine.hardware import Device
from engine.tile_fit import KERNEL_STATS, LITERAL_STATS, Fit, TileSetup, check_request, fit_tiles

# Tensor-core products come in multiples of 16 rows.
STEP = 16

__all__ = ["STEP", "Frontier", "frontier", "largest_block_k"]


def largest_block_k(setup: TileSetup, device: Device, *, step: int = STEP) -> int:
    """Largest block_k, a multiple of ``step``, that fits beside the given block_q; 0 if none does.

    In the kernel mode a tile also has to leave the block without spilled registers, where limits are known.

    Raises
    ------
    ValueError
        If no verified limit is known for the device.
    """
    wide, rows = setup.working_bytes, setup.block_q
    limit = (
        check_request(0, device).limit_bytes - setup.extra_bytes - rows * setup.d * setup.bytes_per_element
    )
    each = setup.stages * (setup.d + setup.value_size) * setup.bytes_per_element
    if setup.mode == "literal":
        limit -= rows * (setup.value_size + LITERAL_STATS) * wide
        most = limit // (each + rows * wide)
    else:
        most = limit // each
        if device.registers_per_thread is not None and device.registers_per_unit is not None:
            have = (
                min(device.registers_per_thread, device.registers_per_unit // setup.threads) * setup.threads
            )
            words = wide // 4
            most = min(most, (have // words - rows * (setup.value_size + KERNEL_STATS)) // rows)
    return max(0, most // step * step)


@dataclass(frozen=True)
class Frontier:
    """The largest tiles, one for each block_q.

    Attributes
    ----------
    tiles : tuple of Fit
        For each block_q, the largest block_k that fits. Where block_k would only be smaller at a larger
        block_q, both are kept: which one is better is not a question of fit.
    largest : Fit or None
        The one with the most score cells; None if not even the smallest tile fits.
    """

    tiles: tuple[Fit, ...]
    largest: Fit | None


def frontier(setup: TileSetup, device: Device, *, most: int = 512, step: int = STEP) -> Frontier:
    """Largest block_k for block_q = step, 2·step … ``most``, everything else as in ``setup``."""
    return _frontier(replace(setup, block_q=step, block_k=step), device, most, step)


# A page asks again whenever any of its numbers changes; the setup's own tile is not among what decides.
@lru_cache(maxsize=256)
def _frontier(setup: TileSetup, device: Device, most: int, step: int) -> Frontier:
    fits = []
    for block_q in range(step, most + 1, step):
        at = replace(setup, block_q=block_q)
        block_k = min(most, largest_block_k(at, device, step=step))
        if block_k:
            fits.append(fit_tiles(replace(at, block_k=block_k), device))
    largest = max(fits, key=lambda f: (f.setup.block_q * f.setup.block_k, f.setup.block_q), default=None)
    return Frontier(tuple(fits), largest)
