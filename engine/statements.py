"""What can be said about *these* numbers: saving, break-even, what a tile side changes, where tiling loses.

Data for sentences, never sentences: every figure is computed from the ledgers of `engine.traffic`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from engine.options import Order
from engine.roofline import ledgers, tiled_ledger
from engine.shapes import AttentionShape
from engine.traffic import Direction, stat_bytes

BlockSide = Literal["block_q", "block_k"]
ReasonCode = Literal["one_query", "little_to_save", "tile_too_small", "re_reads"]

# If even moving no score at all would save less than this ratio, there is little to save.
LITTLE = 2
# With a mask the bytes need not fall at every step of a tile side, so the break-even is searched one by one.
# Up to here it costs a page 40 ms at worst; with a causal mask it lies near d/4.
SEARCH = 256
# Tensors of n_q × n_k elements in the standard ledger.
SCORE_TENSORS = ("s", "p", "d_p", "d_s")

__all__ = [
    "BlockEffect", "BlockSide", "BreakEven", "Reason", "ReasonCode", "Saving", "Verdict", "block_effect",
    "break_even", "deciding_side", "saving", "saving_limit", "verdict",
]  # fmt: skip


def deciding_side(order: Order, direction: Direction) -> BlockSide:
    """The tile side that the re-reads depend on: that of the outer loop."""
    return "block_q" if order == "q_outer" and direction == "forward" else "block_k"


def saving_limit(
    shape: AttentionShape, block_q: int, block_k: int, *, order: Order = "q_outer",
    direction: Direction = "forward",
) -> Fraction | None:  # fmt: skip
    """What standard over tiled bytes tends to as a square call grows with these tiles.

    Returns
    -------
    Fraction or None
        Queries outside: 4·Br / (d + d_v), which is 2·Br/d for one head size. Keys outside and backward: in
        Bc, with the statistics counted. A causal mask leaves half the tiles, so it doubles. None with a
        window, where there is no limit.
    """
    if shape.window is not None:
        return None
    size, stat, d, d_v = (
        shape.bytes_per_element,
        stat_bytes(shape.bytes_per_element),
        shape.d,
        shape.value_size,
    )
    if direction == "backward":
        limit = Fraction(7 * size * block_k, (3 * d + d_v) * size + 2 * stat)
    elif order == "q_outer":
        limit = Fraction(4 * block_q, d + d_v)
    else:
        limit = Fraction(4 * size * block_k, (d + 2 * d_v) * size + 4 * stat)
    return limit if shape.causal is None else 2 * limit


@dataclass(frozen=True)
class Saving:
    """Bytes of the three models for one call.

    Attributes
    ----------
    standard, tiled, compulsory : int
    scores : int
        The part of ``standard`` that moves score-sized matrices: all that tiling can avoid.
    limit : Fraction or None
        As `saving_limit`.
    """

    standard: int
    tiled: int
    compulsory: int
    scores: int
    limit: Fraction | None

    @property
    def ratio(self) -> Fraction:
        """Standard over tiled: above 1, tiling moves fewer bytes."""
        return Fraction(self.standard, self.tiled)

    @property
    def best(self) -> Fraction:
        """The ratio if no score moved and nothing were read twice. A mask that empties tiles can beat it."""
        return Fraction(self.standard, self.standard - self.scores)

    @property
    def wins(self) -> bool:
        """Whether tiling moves fewer bytes in this model."""
        return self.tiled < self.standard

    @property
    def re_read(self) -> int:
        """Bytes that tiling moves beyond Q, K, V and O once a query head; negative where a mask skips tiles.

        Tiling loses exactly when this exceeds ``scores``. On a chip, a cache serves part of it.
        """
        return self.tiled - (self.standard - self.scores)


def saving(
    shape: AttentionShape, block_q: int, block_k: int, *, order: Order = "q_outer",
    direction: Direction = "forward",
) -> Saving:  # fmt: skip
    """Compare the three models for one call; raises as `engine.traffic.tiled_bytes` does."""
    by_name = ledgers(shape, block_q, block_k, order=order, direction=direction)
    moved = by_name["standard"].by_tensor
    scores = (moved[name] for name in SCORE_TENSORS if name in moved)
    return Saving(
        by_name["standard"].total,
        by_name["tiled"].total,
        by_name["compulsory"].total,
        sum(tensor.read + tensor.written for tensor in scores),
        saving_limit(shape, block_q, block_k, order=order, direction=direction),
    )


@dataclass(frozen=True)
class BreakEven:
    """Where tiling begins to move fewer bytes than the standard algorithm.

    Attributes
    ----------
    side : {"block_q", "block_k"}
        The tile side that decides.
    law : Fraction or None
        The side's size at which a long square call breaks even: d/2 with queries outside. None with a window.
    smallest : int or None
        The smallest size that wins for this very call; None if none up to ``searched`` does.
    searched : int
    """

    side: BlockSide
    law: Fraction | None
    smallest: int | None
    searched: int


def break_even(
    shape: AttentionShape, block_q: int, block_k: int, *, order: Order = "q_outer",
    direction: Direction = "forward",
) -> BreakEven:  # fmt: skip
    """Find the break-even of the deciding tile side; the other side stays as given."""
    side = deciding_side(order, direction)
    per_one = saving_limit(shape, 1, 1, order=order, direction=direction)
    law = None if per_one is None else 1 / per_one
    longest = shape.n_q if side == "block_q" else shape.n_k
    standard = ledgers(shape, 1, 1, order=order, direction=direction)["standard"].total

    def wins(size: int) -> bool:
        q, k = (size, block_k) if side == "block_q" else (block_q, size)
        return tiled_ledger(shape, q, k, order=order, direction=direction).total < standard

    if shape.causal is not None or shape.window is not None:
        searched = min(longest, SEARCH)
        found = next((size for size in range(1, searched + 1) if wins(size)), None)
        return BreakEven(side, law, found, searched)
    # Without a mask the bytes never rise with the side, so the first winner can be bracketed.
    if not wins(longest):
        return BreakEven(side, law, None, longest)
    low, high = 0, longest
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if wins(middle) else (middle, high)
    return BreakEven(side, law, high, longest)


@dataclass(frozen=True)
class BlockEffect:
    """What the bytes do as one tile side changes and nothing else does.

    Attributes
    ----------
    side : {"block_q", "block_k"}
    points : tuple of (int, int)
        Size of the side, and bytes of the tiled call.
    """

    side: BlockSide
    points: tuple[tuple[int, int], ...]

    @property
    def changes(self) -> bool:
        """Whether the side changes the bytes at all, here."""
        return len({n_bytes for _, n_bytes in self.points}) > 1


def block_effect(
    shape: AttentionShape, block_q: int, block_k: int, side: BlockSide, sizes: Iterable[int], *,
    order: Order = "q_outer", direction: Direction = "forward",
) -> BlockEffect:  # fmt: skip
    """Bytes of the tiled call over sizes of one side. Computed, not claimed: a mask can make Bc matter."""
    points = []
    for size in sizes:
        q, k = (size, block_k) if side == "block_q" else (block_q, size)
        points.append((size, tiled_ledger(shape, q, k, order=order, direction=direction).total))
    return BlockEffect(side, tuple(points))


@dataclass(frozen=True)
class Reason:
    """Why tiling helps little or loses: a code and the two numbers that it compares."""

    code: ReasonCode
    have: Fraction
    need: Fraction


@dataclass(frozen=True)
class Verdict:
    """Saving, break-even and the reasons against, all for one call."""

    saving: Saving
    break_even: BreakEven
    reasons: tuple[Reason, ...]


def verdict(
    shape: AttentionShape, block_q: int, block_k: int, *, order: Order = "q_outer",
    direction: Direction = "forward",
) -> Verdict:  # fmt: skip
    """Say whether tiling moves fewer bytes here, and what stands against it.

    Returns
    -------
    Verdict
        Reasons: ``one_query`` (one row of scores: have n_q, need 2); ``little_to_save`` (the best ratio that
        avoiding the scores can give, against `LITTLE`); ``tile_too_small`` (the deciding side against the
        smallest that wins, or against the law); ``re_reads`` (bytes moved again against bytes of scores
        avoided), where tiling loses.
    """
    result = saving(shape, block_q, block_k, order=order, direction=direction)
    even = break_even(shape, block_q, block_k, order=order, direction=direction)
    reasons = []
    if shape.n_q == 1:
        reasons.append(Reason("one_query", Fraction(1), Fraction(2)))
    if result.best < LITTLE:
        reasons.append(Reason("little_to_save", result.best, Fraction(LITTLE)))
    if not result.wins:
        side = Fraction(block_q if even.side == "block_q" else block_k)
        need = Fraction(even.smallest) if even.smallest is not None else even.law
        if need is not None and side < need:
            reasons.append(Reason("tile_too_small", side, need))
        reasons.append(Reason("re_reads", Fraction(result.re_read), Fraction(result.scores)))
    return Verdict(result, even, tuple(reasons))
