"""Softmax of one row, three ways, recorded: naive, safe in two passes, and online in one.

The smallest form of the idea: no tiles, no heads. Knows one row of numbers. Must not know attention.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

Method = Literal["naive", "two_pass", "online"]
METHODS: tuple[Method, ...] = ("naive", "two_pass", "online")
MAX_ELEMENTS = 64

__all__ = ["MAX_ELEMENTS", "METHODS", "Frame", "Method", "RowRun", "RowState", "merge_rows", "softmax_row"]


@dataclass(frozen=True)
class RowState:
    """Statistics of a set of elements: the maximum m, and l, the sum of exp(x − m). (−∞, 0): nothing."""

    m: float
    l: float


@dataclass(frozen=True)
class Frame:
    """One element handled.

    Attributes
    ----------
    phase : {"max", "sum", "output"}
        Which pass reads it: for the maximum, for the sum (online: for both), or to write the result.
    index : int
        The element.
    m, l : float
        Statistics after it.
    alpha : float
        Factor that l was multiplied by; 1 where nothing shrank.
    reads : tuple of int
        How often each element has been read so far.
    output : float or None
        exp(x − m) / l, in the output pass.
    """

    phase: Literal["max", "sum", "output"]
    index: int
    m: float
    l: float
    alpha: float
    reads: tuple[int, ...]
    output: float | None = None


@dataclass(frozen=True)
class RowRun:
    """A recorded run.

    Attributes
    ----------
    method : {"naive", "two_pass", "online"}
    x : tuple of float
        The row as computed with, in float32.
    frames : tuple of Frame
    result : tuple of float
        What the method returned; inf or nan where it overflowed.
    loads_for_statistics, loads : int
        Times each element is read until m and l are known, and in all. The result is written once besides.
    """

    method: Method
    x: tuple[float, ...]
    frames: tuple[Frame, ...]
    result: tuple[float, ...]
    loads_for_statistics: int
    loads: int


def softmax_row(x: Sequence[float], method: Method) -> RowRun:
    """Softmax of one row in float32, recorded element by element.

    Parameters
    ----------
    x : sequence of float
        1 to 64 scores; −∞ is a masked one.
    method : {"naive", "two_pass", "online"}
        ``naive`` sums exp(x) as it stands and overflows above about 88.7. ``two_pass`` finds the maximum,
        then sums exp(x − m). ``online`` keeps m and l in one pass and rescales l when m rises.

    Returns
    -------
    RowRun

    Raises
    ------
    ValueError
        For an unknown method, a number of elements outside 1 … 64, or a NaN or +∞ among them.

    Notes
    -----
    Counts of loads: Milakov and Gimelshein, "Online normalizer calculation for softmax" (arXiv 1805.02867):
    naive 2 loads and 1 store an element, safe 3 and 1, online 2 and 1.
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, not {method!r}")
    if not 1 <= len(x) <= MAX_ELEMENTS:
        raise ValueError(f"a row has from 1 to {MAX_ELEMENTS} elements here, not {len(x)}")
    with np.errstate(over="ignore"):  # what float32 cannot hold is refused below, by its own name
        row = np.asarray(x, np.float32)
    for i, value in enumerate(row.tolist()):
        if math.isnan(value) or value == math.inf:
            raise ValueError(f"element {i} is {x[i]}; a score must be a finite float32 or -inf")
    with np.errstate(over="ignore", invalid="ignore", divide="ignore", under="ignore"):
        return _Run(row, method).run()


def merge_rows(a: RowState, b: RowState) -> RowState:
    """Join the statistics of two disjoint sets, in any order.

    m = max(m_a, m_b) and l = l_a·e^(m_a − m) + l_b·e^(m_b − m). Commutative; associative up to rounding;
    the empty set is neutral. Source: Milakov and Gimelshein (arXiv 1805.02867), section 3.1.
    """
    m = max(a.m, b.m)
    if m == -math.inf:
        return RowState(m, 0.0)
    return RowState(m, a.l * math.exp(a.m - m) + b.l * math.exp(b.m - m))


class _Run:
    """One run under way. All arithmetic is in float32, so that overflow is the real one."""

    def __init__(self, row: np.ndarray[tuple[int], np.dtype[np.float32]], method: Method) -> None:
        self.row, self.method = row, method
        self.reads = [0] * len(row)
        self.m = np.float32(0 if method == "naive" else -np.inf)
        self.l = np.float32(0)
        self.frames: list[Frame] = []

    def run(self) -> RowRun:
        """Every pass, in order."""
        if self.method == "two_pass":
            for i in range(len(self.row)):
                self._see(i)
        for i in range(len(self.row)):
            self._add(i)
        for_statistics = self.reads[0]
        result = tuple(self._put(i) for i in range(len(self.row)))
        row = tuple(float(value) for value in self.row)
        return RowRun(self.method, row, tuple(self.frames), result, for_statistics, self.reads[0])

    def _see(self, i: int) -> None:
        self.m = np.maximum(self.m, self._load(i))
        self._note("max", i)

    def _add(self, i: int) -> None:
        x = self._load(i)
        m_new = np.maximum(self.m, x) if self.method == "online" else self.m
        shift = np.float32(0) if np.isneginf(m_new) else m_new
        alpha = np.exp(self.m - shift) if m_new > self.m else np.float32(1)
        self.l = alpha * self.l + np.exp(x - shift)
        self.m = m_new
        self._note("sum", i, alpha=float(alpha))

    def _put(self, i: int) -> float:
        shift = np.float32(0) if np.isneginf(self.m) else self.m
        total = self.l if self.l != 0 else np.float32(1)
        output = float(np.exp(self._load(i) - shift) / total)
        self._note("output", i, output=output)
        return output

    def _load(self, i: int) -> np.float32:
        self.reads[i] += 1
        value: np.float32 = self.row[i]
        return value

    def _note(
        self,
        phase: Literal["max", "sum", "output"],
        i: int,
        alpha: float = 1.0,
        output: float | None = None,
    ) -> None:
        self.frames.append(Frame(phase, i, float(self.m), float(self.l), alpha, tuple(self.reads), output))
