"""How many tiles, and how many positions in them, a band of allowed pairs touches: exactly, at any size.

A band is what causal and window masks leave: query i sees keys from ``i + offset − left`` to
``i + offset + right``. The sums run over arithmetic progressions of floors, so 10^12 positions cost no more
than ten. Knows integers only.
"""

from dataclasses import dataclass

__all__ = ["TileCover", "cover", "floor_sum"]


@dataclass(frozen=True)
class TileCover:
    """What the tiles of one side see of the other side.

    Attributes
    ----------
    visits : int
        Pairs of tiles with at least one allowed pair of positions.
    positions : int
        Positions of the other side that are loaded, summed over the tiles of this side.
    own_positions : int
        Positions of this side in tiles that visit anything.
    """

    visits: int
    positions: int
    own_positions: int


def floor_sum(count: int, divisor: int, step: int, start: int) -> int:
    """Sum of ``floor((step · i + start) / divisor)`` for i = 0 … count − 1, in O(log) steps.

    ``divisor`` > 0; ``step`` ≥ 0; ``start`` may be negative. A Euclid-like reduction, as in Graham, Knuth and
    Patashnik, Concrete Mathematics, section 3.5.
    """
    if count <= 0:
        return 0
    total = count * (start // divisor)
    start %= divisor
    while True:
        total += (count - 1) * count // 2 * (step // divisor)
        step %= divisor
        top = step * count + start
        if top < divisor:
            return total
        # Count the lattice points under the line by rows instead of columns.
        count, start = divmod(top, divisor)
        divisor, step = step, divisor
        total += count * (start // divisor)
        start %= divisor


def cover(
    n_own: int,
    n_other: int,
    block_own: int,
    block_other: int,
    offset: int,
    left: int | None,
    right: int | None,
) -> TileCover:
    """Tiles of ``block_other`` that each tile of ``block_own`` touches, added up over all of them.

    Parameters
    ----------
    n_own, n_other : int
        Positions of the two sides.
    block_own, block_other : int
        Tile sizes.
    offset, left, right
        The band: own position i is allowed with ``i + offset − left … i + offset + right``; None is
        unlimited.

    Returns
    -------
    TileCover
    """
    if n_own <= 0 or n_other <= 0:
        return TileCover(0, 0, 0)
    full, ragged = divmod(n_own, block_own)
    parts = [_full_tiles(full, n_other, block_own, block_other, offset, left, right)]
    if ragged:
        first = full * block_own
        low = 0 if left is None else min(n_other, max(0, first + offset - left))
        high = n_other if right is None else max(0, min(n_other, n_own - 1 + offset + right + 1))
        parts.append(_one_tile(low, high, n_other, block_other, ragged))
    return TileCover(*(sum(getattr(p, f) for p in parts) for f in ("visits", "positions", "own_positions")))


def _ceil_div(a: int, b: int) -> int:
    return -(-a // b)


def _one_tile(low: int, high: int, n_other: int, block: int, own: int) -> TileCover:
    if high <= low:
        return TileCover(0, 0, 0)
    first, last = low // block, _ceil_div(high, block)
    return TileCover(last - first, min(n_other, last * block) - first * block, own)


def _full_tiles(
    count: int, n_other: int, step: int, block: int, offset: int, left: int | None, right: int | None
) -> TileCover:
    """The same for ``count`` whole tiles: tile t spans own positions t·step … t·step + step − 1."""
    # Edges as arithmetic progressions in t: low(t) = step·t + low0, high(t) = step·t + high0 (one past).
    low0 = None if left is None else offset - left
    high0 = None if right is None else step + offset + right
    # Tiles that see anything: high(t) > 0 and low(t) < n_other.
    begin = 0 if high0 is None else max(0, _ceil_div(1 - high0, step))
    end = count if low0 is None else min(count, _ceil_div(n_other - low0, step))
    if end <= begin:
        return TileCover(0, 0, 0)
    tiles_other = _ceil_div(n_other, block)

    # Σ first tile: floor(low / block), which is 0 until low turns positive.
    firsts = 0
    if low0 is not None:
        t0 = min(end, max(begin, _ceil_div(-low0, step)))
        firsts = floor_sum(end - t0, block, step, step * t0 + low0)

    # Σ one past the last tile: ceil(high / block), which stays at tiles_other once high reaches n_other.
    at_edge = end - begin
    lasts = at_edge * tiles_other
    if high0 is not None:
        t1 = min(end, max(begin, _ceil_div(n_other - high0, step)))
        below = t1 - begin
        lasts = floor_sum(below, block, step, step * begin + high0 + block - 1) + (end - t1) * tiles_other
        # Of the tiles below, those whose high still lies in the last (perhaps ragged) tile of the other side.
        t2 = min(t1, max(begin, _ceil_div((tiles_other - 1) * block + 1 - high0, step)))
        at_edge = end - t2
    visits = lasts - firsts
    missing = tiles_other * block - n_other
    return TileCover(visits, visits * block - at_edge * missing, (end - begin) * step)
