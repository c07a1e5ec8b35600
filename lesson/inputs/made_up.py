"""Small made-up inputs, each for one thing worth seeing.

d is 4, so the default scale is exactly 1/2. All numbers are short binary fractions, and nothing is random.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from lesson.inputs.input import BoolArray, Causal, FloatArray, Input
from lesson.inputs.text import text

__all__ = ["load", "names"]

# A gentle unevenness, so that neighbouring keys and rows do not look alike. Never more than half a step of k.
_WIGGLE = (0.0, 0.25, -0.25, 0.125, -0.125, 0.25, 0.0, -0.25, 0.125, 0.25, -0.125, 0.0)
_SOURCE = "made up for this lesson"


def _queries(n_q: int) -> FloatArray:
    """Queries that weigh the first feature of the keys more and more: 1, 1.5, 2, ..."""
    q = np.zeros((n_q, 4), np.float32)
    q[:, 0] = 1 + 0.5 * np.arange(n_q)
    q[:, 1] = [0.5 if i % 2 else -0.5 for i in range(n_q)]
    return q


def _keys(n_k: int, level: npt.ArrayLike) -> FloatArray:
    """Keys whose first feature, and with it every score, follows ``level``."""
    k = np.zeros((n_k, 4), np.float32)
    k[:, 0] = level
    k[:, 1] = _WIGGLE[:n_k]
    return k


def _values(n_k: int) -> FloatArray:
    """Values that are easy to read back: the key's number, its parity, a constant 1 and a wave.

    The constant makes a check by eye: that feature of the accumulator is l, and of the output 1.
    """
    j = np.arange(n_k)
    return np.stack([j, j % 2, np.ones(n_k), np.round(4 * np.sin(j)) / 4], axis=-1).astype(np.float32)


def _build(
    key: str,
    q: FloatArray,
    k: FloatArray,
    v: FloatArray,
    *,
    block_q: int = 2,
    block_k: int = 4,
    causal: Causal | None = None,
    keep: BoolArray | None = None,
) -> Input:
    words = text("made_up", key)
    return Input(
        key=key,
        title=words["title"],
        q=q,
        k=k,
        v=v,
        tokens_q=tuple(f"q{i}" for i in range(len(q))),
        tokens_k=tuple(f"k{j}" for j in range(len(k))),
        description=words["look_for"],
        source=_SOURCE,
        causal=causal,
        keep=keep,
        block_q=block_q,
        block_k=block_k,
    )


def _rising() -> Input:
    return _build("rising", _queries(4), _keys(12, 0.5 * np.arange(12)), _values(12))


def _falling() -> Input:
    # The very same keys and values in the opposite order, so the result is the same.
    k, v = _keys(12, 0.5 * np.arange(12)), _values(12)
    return _build("falling", _queries(4), k[::-1].copy(), v[::-1].copy())


def _equal() -> Input:
    return _build("equal", _queries(4), np.ones((12, 4), np.float32), _values(12))


def _dominant() -> Input:
    level = np.zeros(12)
    level[6] = 24.0
    return _build("dominant", _queries(4), _keys(12, level), _values(12))


def _huge() -> Input:
    # Scores of 1000 and more: exp overflows above 88.7 in float32 and above 709.7 in float64.
    q = _queries(4)
    q[:, 0] += 39
    return _build("huge", q, _keys(12, 50 + np.arange(12) / 16), _values(12))


def _empty_row() -> Input:
    keep = np.ones((4, 12), bool)
    keep[2] = False
    return _build("empty-row", _queries(4), _keys(12, 0.5 * np.arange(12)), _values(12), keep=keep)


def _masked_first() -> Input:
    # Query 0 sees tile 0, so the tile is visited, but query 1 sees nothing in it.
    # For queries 2 and 3 it is skipped.
    keep = np.ones((4, 12), bool)
    keep[1:, :4] = False
    return _build("masked-first", _queries(4), _keys(12, 0.5 * np.arange(12)), _values(12), keep=keep)


def _ragged() -> Input:
    level = np.array([2.0, 0.5, 1.0, 0.0, 2.5, 1.5, 0.5, 3.0, 1.0, 0.0, 3.5])
    return _build("ragged", _queries(5), _keys(11, level), _values(11), causal="bottom_right")


_MAKERS: dict[str, Callable[[], Input]] = {
    "rising": _rising,
    "falling": _falling,
    "equal": _equal,
    "dominant": _dominant,
    "huge": _huge,
    "empty-row": _empty_row,
    "masked-first": _masked_first,
    "ragged": _ragged,
}


def names() -> list[str]:
    """The keys of all made-up inputs, in the order of the lesson."""
    return list(_MAKERS)


def load(key: str) -> Input:
    """One made-up input.

    Raises
    ------
    KeyError
        If there is no such input.
    """
    return _MAKERS[key]()
