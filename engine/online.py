"""Online softmax: the running statistics of some rows, and the one update that keeps them exact.

Knows one block of scores at a time. Must not know tiles, masks, bytes or traces.
"""

from typing import Any, NamedTuple

import numpy as np

from engine.masks import BoolArray
from engine.precision import Array, Format

__all__ = ["OnlineSoftmax", "State", "subtracted", "weighted_values"]


class State(NamedTuple):
    """What is carried from block to block, for r rows.

    m : ndarray of shape (r,)
        Running maximum of the scores seen so far; −∞ before the first.
    l : ndarray of shape (r,)
        Running sum of exp(score − m).
    acc : ndarray of shape (r, d_v)
        Running sum of exp(score − m) · v: the output, not yet normalised.
    """

    m: Array
    l: Array
    acc: Array


def subtracted(m: Array) -> Array:
    """What to subtract before exp: m itself, or 0 while m is −∞.

    Only the subtraction uses it. The true maximum stays −∞, since (−∞) − (−∞) would be NaN.
    """
    return np.where(np.isneginf(m), m.dtype.type(0), m)


def weighted_values(p: Array, v: Array, finite: bool) -> Array:
    """p @ v, in which a weight of exactly 0 hides its value even if that is NaN or infinite.

    Parameters
    ----------
    p : ndarray of shape (r, c)
    v : ndarray of shape (c, d_v)
    finite : bool
        Whether all of v is known to be finite; then this is the plain product.
    """
    if finite:
        return p @ v
    bad: BoolArray = np.asarray(~np.isfinite(v).all(axis=1))
    total: Array = p @ np.where(bad[:, None], v.dtype.type(0), v)
    for c in np.flatnonzero(bad):
        shown = p[:, c] != 0
        total[shown] += p[shown, c, None] * v[c]
    return total


class OnlineSoftmax:
    """The right algorithm. A named mistake overrides one of these steps and nothing else.

    Formulas: FlashAttention-2 (arXiv 2307.08691), section 3.1, without the spurious inverse printed in its
    Algorithm 1; derived from softmax's shift invariance and tested against a float64 reference.
    """

    def start(self, rows: int, d_v: int, dtype: np.dtype[Any]) -> State:
        """Nothing seen yet: m = −∞, l = 0, acc = 0. The neutral element of merging."""
        return State(np.full(rows, -np.inf, dtype), np.zeros(rows, dtype), np.zeros((rows, d_v), dtype))

    def new_max(self, m: Array, row_max: Array) -> Array:
        """The running maximum once this block is in."""
        m_new: Array = np.maximum(m, row_max)
        return m_new

    def alpha(self, m: Array, m_new: Array) -> Array:
        """Factor that turns sums relative to the old maximum into sums relative to the new one."""
        alpha: Array = np.exp(m - subtracted(m_new))
        return alpha

    def rescale(self, state: State, m_new: Array, alpha: Array) -> State:
        """Shrink what has been summed so far to the new maximum."""
        return State(m_new, alpha * state.l, alpha[:, None] * state.acc)

    def weights(self, s: Array, m_new: Array, row_max: Array) -> Array:
        """p = exp(s − m), not yet normalised."""
        p: Array = np.exp(s - subtracted(m_new)[:, None])
        return p

    def accumulate(self, state: State, p: Array, v: Array, fmt: Format, finite: bool) -> State:
        """Add this block: l in full precision, p · v with p as stored."""
        return State(state.m, state.l + p.sum(axis=1), state.acc + weighted_values(fmt.round(p), v, finite))

    def finish(self, state: State) -> tuple[Array, Array]:
        """The one division: o = acc / l and lse = m + ln l. A row that saw nothing gives 0 and −∞."""
        total = np.where(state.l == 0, state.l.dtype.type(1), state.l)
        return state.acc / total[:, None], state.m + np.log(total)

    def resume(self, o: Array, m: Array, l: Array) -> State:
        """Undo the division of a tile of O that comes back for another block: acc = l · o."""
        return State(m, l, l[:, None] * o)
