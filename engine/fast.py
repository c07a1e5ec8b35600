"""The tuned forward pass: the loop of ``engine/tiled.py``, arranged for NumPy and the machine under it.

Same mathematics, other bookkeeping. What each arrangement gained is written beside it, measured at
T = 2048, d = 64, float32, one thread, on an AVX2 machine where the bare tile products plus one
exponential per score take 30 ms and the whole-matrix form takes 60 ms.
"""

import math
import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import threadpoolctl

from engine.masks import BoolArray, PairRule

FloatArray = npt.NDArray[Any]
Task = tuple[slice, tuple[int, int]]
Edge = tuple[slice, BoolArray]

DEFAULT_BLOCK_Q = 256
DEFAULT_BLOCK_K = 512
# Scores held at once. 512 KiB in float32: larger tiles gain no GEMM rate here, and cost memory.
TILE_SCORES = DEFAULT_BLOCK_Q * DEFAULT_BLOCK_K
# Below this many pairs, starting threads costs more than they give back.
PAIRS_WORTH_THREADS = 1 << 20
# How far a score may stand from its row's reference before the reference moves. e^24 = 2.6e10 is far
# from float32's limits on either side, and unit-normal q and k stay within it for any usual head size.
SLACK = 24.0

__all__ = ["DEFAULT_BLOCK_K", "DEFAULT_BLOCK_Q", "default_blocks", "default_threads", "fast_forward"]


class Exponential(NamedTuple):
    """An exponential ufunc and the logarithm of e in its base."""

    ufunc: np.ufunc
    log_e: float


BASE_E = Exponential(np.exp, 1.0)
BASE_2 = Exponential(np.exp2, math.log2(math.e))


def has_avx512() -> bool:
    """Whether NumPy found AVX-512 on this CPU; older versions name it differently."""
    config: Any = np.show_config(mode="dicts")
    found = config.get("SIMD Extensions", {}).get("found", [])
    return any(name == "X86_V4" or name.startswith("AVX512") for name in found)


def exponential_for(dtype: np.dtype[Any], *, avx512: bool) -> Exponential:
    """Choose the faster exponential: base 2 in float32 with AVX-512, base e elsewhere (2.3 times faster).

    A CPU feature decides, not a stopwatch, so that two runs on one machine give the same bits.
    """
    return BASE_2 if avx512 and dtype == np.float32 else BASE_E


def exponent_floor(dtype: np.dtype[Any], log_e: float) -> float:
    """Return the lowest exponent that is ever taken: e^-80 in float32, e^-700 in float64.

    Subnormals slow everything that touches them 10 to 30 times, and lie just below. The row holds a term
    of e^-24 or more, so that what the floor adds, 5e-25 of the row at most, is lost in rounding. Hidden
    pairs are set to 0 afterwards.
    """
    return (-80.0 if dtype == np.float32 else -700.0) * log_e


AVX512 = has_avx512()

# BLAS runs on one thread from here on, in the whole process: our own threads take row blocks instead,
# which gains more, and sums then come in one order on any machine. Set once, at import, since the limit
# belongs to the process, and threadpoolctl lets only the first thread that sets it change it again: set
# and restored around each call, one request's exit would lift it under another's run, or silently fail.
threadpoolctl.threadpool_limits(limits=1, user_api="blas")


def default_blocks(n_q: int, n_k: int, d: int) -> tuple[int, int]:
    """Return the fastest ``(block_q, block_k)`` for these lengths.

    Few queries leave room for longer key tiles in the same memory: one query over 32768 keys takes 0.76
    of the time. The head size ``d`` changes nothing: at 512, smaller tiles lose 10 %.
    """
    block_q = max(1, min(n_q, DEFAULT_BLOCK_Q))
    block_k = max(1, min(n_k, max(DEFAULT_BLOCK_K, TILE_SCORES // block_q)))
    return block_q, block_k


def default_threads(n_q: int, n_k: int) -> int:
    """Return the number of threads worth starting: one for short inputs, else one a core, 8 at most."""
    if n_q * n_k < PAIRS_WORTH_THREADS:
        return 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, 8)


def fast_forward(
    q: FloatArray,
    k: FloatArray,
    v: FloatArray,
    *,
    rule: PairRule,
    scale: float,
    softcap: float | None,
    block_q: int,
    block_k: int,
    threads: int,
) -> tuple[FloatArray, FloatArray]:
    """Attention over heads that share one rule, tile by tile, without keeping a score matrix.

    Parameters
    ----------
    q : ndarray of shape (h, n_q, d)
        float32 or float64, finite; the caller has validated everything.
    k : ndarray of shape (h, n_k, d)
        Any strides; heads may be broadcast.
    v : ndarray of shape (h, n_k, d_v)
        As k.
    rule : PairRule
        Pairs that may attend, by position only (``rule.keep`` is None).
    scale : float
        Factor of q kᵀ.
    softcap : float or None
        c of ``c · tanh(s / c)``.
    block_q, block_k : int
        Tile sizes, in queries and keys.
    threads : int
        Python threads to spread the row blocks over. The bits of the result do not depend on it.

    Returns
    -------
    o : ndarray of shape (h, n_q, d_v)
        Zero for a query that may see no key.
    lse : ndarray of shape (h, n_q)
        Natural logarithm of the row's sum of exponentials; −∞ for a query that may see no key.
    """
    o = np.zeros((*q.shape[:2], v.shape[2]), q.dtype)
    lse = np.full(q.shape[:2], -np.inf, q.dtype)
    if 0 in (*q.shape[:2], k.shape[1]):
        return o, lse
    block_q, block_k = min(block_q, q.shape[1]), min(block_k, k.shape[1])
    run = _Forward(q, k, v, o, lse, rule, scale, softcap, block_q, block_k)
    run_tasks(row_tasks(q.shape[0], q.shape[1], block_q, block_k), run.work, threads)
    return o, lse


def heads_per_task(block_q: int, block_k: int) -> int:
    """How many heads' tiles fill the memory of one large tile."""
    return max(1, TILE_SCORES // (block_q * block_k))


def row_tasks(h: int, n_q: int, block_q: int, block_k: int) -> deque[Task]:
    """Cut the work into (heads, query rows). It depends on the sizes alone, never on the threads.

    Heads of short sequences share a task, as one 3-D product: at T = 128 that is 2 times faster than
    head by head. The last rows come first, since causal gives them most keys and long jobs should
    not be left to the end.
    """
    group = heads_per_task(block_q, block_k)
    heads = [slice(a, min(a + group, h)) for a in range(0, h, group)]
    rows = [(a, min(a + block_q, n_q)) for a in range(0, n_q, block_q)]
    return deque((head, row) for head in heads for row in reversed(rows))


def run_tasks(tasks: deque[Task], work: Callable[[deque[Task]], None], threads: int) -> None:
    """Let ``threads`` workers drain the tasks. NumPy frees the interpreter inside products and ufuncs."""
    threads = min(threads, len(tasks))
    if threads <= 1:
        work(tasks)
        return
    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(work, tasks) for _ in range(threads)]:
            done.result()


def drain(tasks: deque[Task]) -> Iterator[Task]:
    """Take tasks until none is left; several threads may do so at once."""
    while True:
        try:
            yield tasks.popleft()
        except IndexError:
            return


def for_blas(tile: FloatArray) -> FloatArray:
    """Return the tile, copied only if BLAS cannot take it as it lies (NumPy would fall to a slow loop)."""
    row, unit = tile.strides[-2:]
    if unit == tile.itemsize and row >= tile.shape[-1] * tile.itemsize and row % tile.itemsize == 0:
        return tile
    return np.ascontiguousarray(tile)


class EdgeMasks:
    """Where a tile crosses the edge of what the rule allows, and which pairs are hidden there.

    Only the columns between ``rule.span`` and ``rule.core`` need a mask; most tiles have none. Chunks of
    32 keys keep the rule's integer matrix at 64 KiB, below what the system maps afresh for each request
    (3 % of a causal run). A rule without ``keep`` knows only distances, so one chunk serves the whole
    diagonal.
    """

    CHUNK = 32

    def __init__(self, rule: PairRule) -> None:
        self._rule = rule
        self._known: dict[tuple[int, int, int], BoolArray] = {}

    def of(self, rows: tuple[int, int], cols: tuple[int, int], core: tuple[int, int]) -> list[Edge]:
        """Return (keys within the tile, hidden pairs of shape (keys, queries)) for each masked chunk."""
        edges: list[Edge] = []
        for begin, end in ((cols[0], min(cols[1], core[0])), (max(cols[0], core[1]), cols[1])):
            for a in range(begin, end, self.CHUNK):
                b = min(a + self.CHUNK, end)
                edges.append((slice(a - cols[0], b - cols[0]), self._hidden(rows, (a, b))))
        return edges

    def _hidden(self, rows: tuple[int, int], cols: tuple[int, int]) -> BoolArray:
        key = (cols[0] - rows[0], rows[1] - rows[0], cols[1] - cols[0])
        if key not in self._known:
            self._known[key] = np.logical_not(self._rule.allowed(rows, cols).T, order="C")
        return self._known[key]


class _Forward:
    """One call: its arrays, its constants, and the work of a thread."""

    def __init__(
        self,
        q: FloatArray,
        k: FloatArray,
        v: FloatArray,
        o: FloatArray,
        lse: FloatArray,
        rule: PairRule,
        scale: float,
        softcap: float | None,
        block_q: int,
        block_k: int,
    ) -> None:
        self.q, self.k, self.v, self.o, self.lse, self.rule = q, k, v, o, lse, rule
        self.block_q, self.block_k = block_q, block_k
        self.edges = EdgeMasks(rule)
        self.exp, log_e = exponential_for(q.dtype, avx512=AVX512)
        # Scores are made in the exponential's base. The factor goes into q: once a row, not once a pair.
        self.log_e = log_e
        self.q_factor = scale * log_e if softcap is None else scale / softcap
        self.cap = None if softcap is None else softcap * log_e
        limits = np.finfo(q.dtype)
        self.floor = exponent_floor(q.dtype, log_e)
        with np.errstate(over="ignore", invalid="ignore"):
            largest_v = float(max(v.max(initial=0.0), -v.min(initial=0.0)))
            # |q| |k| is the most that any |score| of a row can be (Cauchy-Schwarz).
            self.bounds = np.sqrt(np.vecdot(q, q)) * np.sqrt(np.vecdot(k, k).max(axis=1, keepdims=True))
            self.bounds *= abs(scale) * log_e
            if softcap is not None:
                np.minimum(self.bounds, softcap * log_e, out=self.bounds)
        # Values so large that e^24 times their sum would overflow are summed against the true maximum.
        roomy = largest_v * math.exp(SLACK) * k.shape[1] < float(limits.max)
        self.slack = SLACK * log_e if roomy else 0.0

    def work(self, tasks: deque[Task]) -> None:
        """Take row blocks until none is left, in buffers made once: fresh pages cost page faults."""
        group = min(self.q.shape[0], heads_per_task(self.block_q, self.block_k))
        scores = np.empty(group * self.block_q * self.block_k, self.q.dtype)
        products = np.empty(group * self.block_q * self.v.shape[2], self.q.dtype)
        ones = np.ones(self.block_k, self.q.dtype)
        # log(0) of an empty row is the −∞ that it should give; exponentials may underflow to 0.
        with np.errstate(divide="ignore", under="ignore"):
            for heads, rows in drain(tasks):
                self._row_block(heads, rows, scores, products, ones)

    def _row_block(
        self, heads: slice, rows: tuple[int, int], scores: FloatArray, products: FloatArray, ones: FloatArray
    ) -> None:
        first, stop = self.rule.span(*rows)
        if first == stop:
            return  # no key for any of these rows: o and lse already say so
        core = self.rule.core(*rows)
        queries = slice(*rows)
        number = self.q.dtype.type
        q = self.q[heads, queries] * number(self.q_factor)
        g, n, _ = q.shape
        reference = np.zeros((g, n), q.dtype)
        l = np.zeros((g, n), q.dtype)
        acc = np.zeros((g, n, self.v.shape[2]), q.dtype)
        pv = products[: acc.size].reshape(acc.shape)
        bounded = self.bounds[heads, queries].max() <= self.slack
        for start in range(first, stop, self.block_k):
            end = min(start + self.block_k, stop)
            k = for_blas(self.k[heads, start:end])
            v = for_blas(self.v[heads, start:end])
            # Keys x queries: maxima, sums and the subtraction then run along contiguous memory.
            s = scores[: g * (end - start) * n].reshape(g, end - start, n)
            np.matmul(k, q.mT, out=s)
            if self.cap is not None:
                np.tanh(s, out=s)
                s *= number(self.cap)
            edges = self.edges.of(rows, (start, end), core)
            if not bounded:
                reference = self._refer(s, edges, reference, l, acc)
            self.exp(s, out=s)
            for keys, hidden in edges:
                np.copyto(s[:, keys], 0, where=hidden)
            # Row sums as a product: 0.5 ms, against 1.0 ms for add.reduce.
            l += ones[: end - start] @ s
            acc += np.matmul(s.mT, v, out=pv)
        np.divide(acc, np.where(l == 0, 1, l)[..., None], out=self.o[heads, queries])
        np.add(np.log(l), reference / number(self.log_e), out=self.lse[heads, queries])

    def _refer(
        self,
        s: FloatArray,
        edges: list[Edge],
        reference: FloatArray,
        l: FloatArray,
        acc: FloatArray,
    ) -> FloatArray:
        """Subtract from each row's scores a reference near its running maximum; rescale where it moved.

        Softmax does not change when a row's scores are shifted, so the reference need not be the maximum
        itself, only near enough. It starts at 0 and becomes the tile's maximum where that stands more than
        ``slack`` above it, or, at the first tile with a visible key, below it.

        With every |score| within the slack, the reference stays 0, nothing is below the floor, and this
        whole method changes no bit. That is why a bound on the norms may skip it (a run with it takes 1.14
        times as long), and why the choice cannot show in the result, not even through a hidden key.
        """
        for keys, hidden in edges:
            np.copyto(s[:, keys], -np.inf, where=hidden)
        row_max = s.max(axis=-2)
        fresh = l == 0
        moves = (row_max > reference + self.slack) | (
            fresh & (row_max < reference - self.slack) & (row_max > -np.inf)
        )
        if moves.any():
            moved = np.where(moves, row_max, reference)
            # A fresh row has nothing to rescale, and may be the one case where the reference falls.
            alpha = self.exp(np.where(fresh, 0, reference - moved))
            l *= alpha
            acc *= alpha[..., None]
            reference = moved
        if reference.any():
            s -= reference[:, None, :]
        # A row of floors, not a scalar: NumPy has a vector loop for the first only (1.2 against 3.5 ms).
        np.maximum(s, np.full(s.shape[-1], self.floor, s.dtype), out=s)
        return reference
