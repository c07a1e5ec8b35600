"""Which pairs of a query and a key may attend: causal, window and boolean masks, tile by tile.

Knows positions only. Must not know scores, softmax or bytes.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

BoolArray = npt.NDArray[np.bool_]
Causal = Literal["bottom_right", "top_left"]
Window = tuple[int | None, int | None]

__all__ = ["BoolArray", "Causal", "PairRule", "Window", "tile_ranges"]


def tile_ranges(length: int, block: int) -> list[tuple[int, int]]:
    """Split ``length`` positions into tiles of ``block``; the last one may be ragged.

    Ceiling, not floor, decides the number of tiles, so no position is lost.
    """
    return [(start, min(start + block, length)) for start in range(0, length, block)]


@dataclass(frozen=True, eq=False)
class PairRule:
    """The pairs that may attend, for one head.

    Parameters
    ----------
    n_q, n_k : int
        Numbers of queries and keys (positions).
    causal : {"bottom_right", "top_left"} or None
        ``"bottom_right"`` lets query i see keys up to ``i + n_k - n_q``; ``"top_left"`` up to ``i``.
    window : (left, right) or None
        Inclusive counts of keys around the query's own key (``i + n_k - n_q``, or ``i`` when causal is
        top_left); None on a side is unlimited.
    keep : ndarray of bool, shape (n_q, n_k), or None
        True where the pair may attend.
    """

    n_q: int
    n_k: int
    causal: Causal | None = None
    window: Window | None = None
    keep: BoolArray | None = None

    @property
    def offset(self) -> int:
        """Key position that stands level with query 0."""
        return 0 if self.causal == "top_left" else self.n_k - self.n_q

    @property
    def left(self) -> int | None:
        """How many keys before its own a query may see; None is unlimited."""
        return None if self.window is None else self.window[0]

    @property
    def right(self) -> int | None:
        """How many keys after its own a query may see; causal means 0 at most; None is unlimited."""
        right = None if self.window is None else self.window[1]
        if self.causal is None:
            return right
        return 0 if right is None else min(0, right)

    def span(self, start: int, stop: int) -> tuple[int, int]:
        """Keys that *some* query of ``start:stop`` may see by position, as (first, one past the last)."""
        return self._between(start, stop - 1)

    def core(self, start: int, stop: int) -> tuple[int, int]:
        """Keys that *every* query of ``start:stop`` may see by position, as (first, one past the last)."""
        return self._between(stop - 1, start)

    def _between(self, row_of_first: int, row_of_last: int) -> tuple[int, int]:
        left, right = self.left, self.right
        first = 0 if left is None else max(0, row_of_first + self.offset - left)
        last = self.n_k if right is None else min(self.n_k, row_of_last + self.offset + right + 1)
        first = min(first, self.n_k)
        return first, max(first, last)

    def visits(self, rows: tuple[int, int], cols: tuple[int, int]) -> bool:
        """Whether the tile holds at least one pair that may attend."""
        first, stop = self.span(*rows)
        if first >= cols[1] or stop <= cols[0]:
            return False
        return self.keep is None or bool(self.allowed(rows, cols).any())

    def touches(self, rows: tuple[int, int], cols: tuple[int, int]) -> bool:
        """Whether the tile holds at least one pair that may *not* attend."""
        first, stop = self.core(*rows)
        if first > cols[0] or stop < cols[1]:
            return True
        return self.keep is not None and not bool(self.keep[rows[0] : rows[1], cols[0] : cols[1]].all())

    def allowed(self, rows: tuple[int, int], cols: tuple[int, int]) -> BoolArray:
        """Boolean matrix of the tile, True where the pair may attend; shape (rows, cols)."""
        distance = np.arange(*cols)[None, :] - (np.arange(*rows)[:, None] + self.offset)
        mask = np.ones(distance.shape, dtype=np.bool_)
        if self.left is not None:
            mask &= distance >= -self.left
        if self.right is not None:
            mask &= distance <= self.right
        if self.keep is not None:
            mask &= self.keep[rows[0] : rows[1], cols[0] : cols[1]]
        return mask
