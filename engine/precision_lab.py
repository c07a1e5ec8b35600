"""What rounding does to attention: errors of every variant, and accumulators that are too narrow.

Real kernels keep scores, m, l and the accumulator in float32. The lab also runs what they avoid.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from engine.masks import Causal
from engine.memory import count_within
from engine.online import OnlineSoftmax, State
from engine.options import Head, Order, prepare
from engine.precision import FORMATS, Array, Format
from engine.reference import reference_attention
from engine.standard import standard_head
from engine.tiled import tiled_attention

Algorithm = Literal["standard", "tiled", "narrow"]
LAB_INPUTS = ("normal", "large", "outliers")
MOST_ADDITIONS = 16_384

__all__ = [
    "LAB_INPUTS",
    "MOST_ADDITIONS",
    "Measured",
    "NarrowSoftmax",
    "Tile",
    "lab_inputs",
    "measure",
    "narrow_attention",
    "running_sums",
    "stalls_after",
]


class NarrowSoftmax(OnlineSoftmax):
    """The right update with l and acc rounded to the storage format after every key.

    m needs no care: a maximum is one of the scores and adds nothing up.
    """

    def __init__(self, fmt: Format) -> None:
        self.fmt = fmt

    def rescale(self, state: State, m_new: Array, alpha: Array) -> State:
        """Shrink, and round what is kept."""
        m, l, acc = super().rescale(state, m_new, alpha)
        return State(m, self.fmt.round(l), self.fmt.round(acc))

    def accumulate(self, state: State, p: Array, v: Array, fmt: Format, finite: bool) -> State:
        """Add key by key, as a running sum in a narrow register does."""
        l, acc, stored = state.l, state.acc, fmt.round(p)
        for c in range(p.shape[1]):
            l = fmt.round(l + p[:, c])
            acc = fmt.round(acc + stored[:, c, None] * v[c])
        return State(state.m, l, acc)


def narrow_attention(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    v: npt.ArrayLike,
    *,
    storage: str,
    block_q: int,
    block_k: int,
    causal: Causal | None = None,
) -> tuple[Array, Array]:
    """Tiled attention of one head whose l and acc are kept in the storage format too.

    Parameters
    ----------
    q, k, v : array_like of shape (n_q, d), (n_k, d), (n_k, d_v)
    storage : str
        A format of `engine.FORMATS`.
    block_q, block_k : int
    causal : {None, "bottom_right", "top_left"}

    Returns
    -------
    o : ndarray of shape (n_q, d_v), in the storage format
    lse : ndarray of shape (n_q,), in the compute format

    Raises
    ------
    ValueError
        As `engine.attention`, and if there is more than one head.
    """
    head = _one_head(q, k, v, causal, storage)
    return tiled_attention(head, block_q, block_k, softmax=NarrowSoftmax(head.fmt))


def _one_head(
    q: npt.ArrayLike, k: npt.ArrayLike, v: npt.ArrayLike, causal: Causal | None, storage: str
) -> Head:
    call = prepare(q, k, v, causal=causal, storage=storage)
    if call.lead:
        raise ValueError(f"the lab takes one head, of shape (n, d); q has the leading axes {call.lead}")
    return next(head for _, head in call.heads())


@dataclass(frozen=True)
class Tile:
    """A tile size and an order of the loops."""

    block_q: int
    block_k: int
    order: Order = "q_outer"


@dataclass(frozen=True)
class Measured:
    """One run against the float64 reference on the same rounded inputs.

    Attributes
    ----------
    algorithm : {"standard", "tiled", "narrow"}
        Narrow is tiled with accumulators in the storage format.
    storage : str
    tile : Tile or None
        None for the standard algorithm.
    largest, rms : float
        Largest difference, and root of the mean square, over all elements of o.
    bits : str
        A digest of o: two runs with the same digest are equal bit for bit.
    """

    algorithm: Algorithm
    storage: str
    tile: Tile | None
    largest: float
    rms: float
    bits: str


def measure(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    v: npt.ArrayLike,
    tiles: Iterable[Tile],
    *,
    causal: Causal | None = None,
    formats: Iterable[str] = tuple(FORMATS),
) -> tuple[Measured, ...]:
    """Run the standard, the tiled and the narrow algorithm in each format and say how far each is off.

    Parameters
    ----------
    q, k, v : array_like of shape (n_q, d), (n_k, d), (n_k, d_v)
    tiles : iterable of Tile
        What the tiled algorithm runs with; the narrow one takes the first.
    causal : {None, "bottom_right", "top_left"}
    formats : iterable of str

    Returns
    -------
    tuple of Measured
        Format by format: standard, tiled tile by tile, then narrow in the two half formats.

    Raises
    ------
    ValueError
        As `narrow_attention`, or if there is no tile.
    """
    tiles = tuple(tiles)
    if not tiles:
        raise ValueError("measure needs at least one tile, got 0")
    rows: list[Measured] = []
    for storage in formats:
        head = _one_head(q, k, v, causal, storage)
        reference = reference_attention(q, k, v, causal=causal, storage=storage)[0]

        def told(
            algorithm: Algorithm, o: Array, tile: Tile | None = None, *, exact: Array = reference,
            name: str = storage,
        ) -> Measured:  # fmt: skip
            off = o.astype(np.float64) - exact
            digest = hashlib.sha256(o.tobytes()).hexdigest()[:16]
            return Measured(
                algorithm, name, tile, float(np.abs(off).max()), float(np.sqrt(np.mean(off * off))), digest
            )

        rows.append(told("standard", standard_head(head)))
        for tile in tiles:
            o, _ = tiled_attention(head, tile.block_q, tile.block_k, tile.order)
            rows.append(told("tiled", o, tile))
        if head.fmt.dtype != head.fmt.compute:
            first = tiles[0]
            o, _ = tiled_attention(head, first.block_q, first.block_k, softmax=NarrowSoftmax(head.fmt))
            rows.append(told("narrow", o, first))
    return tuple(rows)


def lab_inputs(kind: str, n: int, d: int, seed: int = 0) -> tuple[Array, Array, Array]:
    """Random q, k and v of shape (n, d), float64.

    Parameters
    ----------
    kind : {"normal", "large", "outliers"}
        Unit normal; four times that, so that scores reach about a hundred; or unit normal with one entry in a
        thousand ten times as wide on top (FlashAttention-3, arXiv 2407.08608, section 4.3).
    n, d : int
    seed : int

    Raises
    ------
    ValueError
        If there is no such kind.
    """
    rng = np.random.default_rng(seed)

    def one() -> Array:
        x = rng.standard_normal((n, d))
        if kind != "outliers":
            return 4 * x if kind == "large" else x
        # N(0, 100) has a variance of 100.
        return x + 10 * rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.001)

    if kind not in LAB_INPUTS:
        raise ValueError(f"the input must be one of {', '.join(LAB_INPUTS)}, not {kind!r}")
    return one(), one(), one()


def running_sums(value: float, count: int, fmt: Format) -> Array:
    """Every partial sum of ``count`` equal numbers, rounded to ``fmt`` after each addition.

    Parameters
    ----------
    value : float
        What is added; rounded to ``fmt`` first.
    count : int
        At most `MOST_ADDITIONS`.
    fmt : Format

    Returns
    -------
    ndarray of float64, shape (count + 1,)
        Starts with 0.

    Raises
    ------
    ValueError
        If the count is impossible or too large, or the value is not a positive number of the format.
    """
    count = count_within("additions", count, 1, MOST_ADDITIONS)
    with np.errstate(over="ignore"):
        step = float(fmt.dtype.type(value))
    if not 0 < step < np.inf:
        raise ValueError(f"the value is {value:g}; {fmt.name} needs a positive number that it can hold")
    sums = np.empty(count + 1)
    total = fmt.dtype.type(0)
    for place in range(count + 1):
        sums[place] = float(total)
        total = fmt.dtype.type(float(total) + step)
    return sums


def stalls_after(sums: Array) -> int | None:
    """How many additions still changed a running sum; None if the last one did.

    A sum that one addition leaves alone never grows again, since every addition is the same.
    """
    moved = np.flatnonzero(np.diff(sums))
    last = int(moved[-1]) + 1 if len(moved) else 0
    return None if last == len(sums) - 1 else last
