"""The tuned backward pass: weights recomputed tile by tile from the saved lse, no score matrix kept.

The arrangements are those of ``engine/fast.py``. There is no running maximum to follow: ``lse`` already
normalises each row, so every weight is at most 1.
"""

from collections import deque
from typing import NamedTuple

import numpy as np

from engine.fast import (
    AVX512,
    EdgeMasks,
    FloatArray,
    Task,
    drain,
    exponent_floor,
    exponential_for,
    heads_per_task,
    run_tasks,
)
from engine.masks import PairRule, tile_ranges

__all__ = ["fast_backward"]


class _Saved(NamedTuple):
    """What the backward reads: the forward's inputs and results, and the gradient of o."""

    q: FloatArray
    k: FloatArray
    v: FloatArray
    o: FloatArray
    lse: FloatArray
    d_o: FloatArray


class _Grads(NamedTuple):
    """What it writes, one array a query head."""

    d_q: FloatArray
    d_k: FloatArray
    d_v: FloatArray


def fast_backward(
    q: FloatArray,
    k: FloatArray,
    v: FloatArray,
    o: FloatArray,
    lse: FloatArray,
    d_o: FloatArray,
    *,
    rule: PairRule,
    scale: float,
    softcap: float | None,
    block_q: int,
    block_k: int,
    threads: int,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Gradients of ``fast_forward`` with respect to q, k and v, given ``d_o``.

    Parameters
    ----------
    q, k, v, rule, scale, softcap, block_q, block_k
        As given to ``fast_forward``.
    o : ndarray of shape (h, n_q, d_v)
    lse : ndarray of shape (h, n_q)
        What it returned.
    d_o : ndarray of shape (h, n_q, d_v)
        Gradient of the loss with respect to o.
    threads : int
        Python threads to spread the heads over. The bits of the result do not depend on it.

    Returns
    -------
    d_q, d_k, d_v : ndarray
        Shaped as q, k, v: one a query head, also where heads share keys. Rows with lse = −∞ give zero.
    """
    grads = _Grads(*(np.zeros(x.shape, x.dtype) for x in (q, k, v)))
    if 0 in (*q.shape[:2], k.shape[1]):
        return grads.d_q, grads.d_k, grads.d_v
    block_q, block_k = min(block_q, q.shape[1]), min(block_k, k.shape[1])
    group = heads_per_task(block_q, block_k)
    h = q.shape[0]
    tasks: deque[Task] = deque((slice(a, min(a + group, h)), (0, q.shape[1])) for a in range(0, h, group))
    edges = EdgeMasks(rule)

    def work(tasks: deque[Task]) -> None:
        # A row with lse = −∞ may overflow before its hidden pairs are set to 0.
        with np.errstate(over="ignore", under="ignore"):
            for heads, _ in drain(tasks):
                saved = _Saved(*(np.ascontiguousarray(x[heads]) for x in (q, k, v, o, lse, d_o)))
                part = _Grads(*(x[heads] for x in grads))
                _heads(saved, part, rule, edges, scale, softcap, block_q, block_k)

    run_tasks(tasks, work, threads)
    return grads.d_q, grads.d_k, grads.d_v


def _heads(
    saved: _Saved,
    grads: _Grads,
    rule: PairRule,
    edges: EdgeMasks,
    scale: float,
    softcap: float | None,
    block_q: int,
    block_k: int,
) -> None:
    q, k, v, o, lse, d_o = saved
    number = q.dtype.type
    exp, log_e = exponential_for(q.dtype, avx512=AVX512)
    floor = exponent_floor(q.dtype, log_e)
    g = q.shape[0]
    scores, d_scores = (np.empty(g * block_q * block_k, q.dtype) for _ in range(2))
    for rows in tile_ranges(q.shape[1], block_q):
        at = slice(*rows)
        n = rows[1] - rows[0]
        first, stop = rule.span(*rows)
        core = rule.core(*rows)
        q_scaled = q[:, at] * number(scale)
        d_o_rows = d_o[:, at]
        # D = Σ dO∘O stands for Σ P∘dP, without the matrices (FlashAttention-2, section 3.1).
        delta = np.vecdot(d_o_rows, o[:, at])[:, None]
        shift = np.where(np.isneginf(lse[:, at]), 0, lse[:, at] * number(log_e))[:, None]
        for start in range(first, stop, block_k):
            end = min(start + block_k, stop)
            keys = slice(start, end)
            p, d_s = (x[: g * (end - start) * n].reshape(g, end - start, n) for x in (scores, d_scores))
            np.matmul(k[:, keys], q_scaled.mT, out=p)
            slope = None
            if softcap is not None:
                p /= number(softcap)
                np.tanh(p, out=p)
                slope = 1 - p * p
                p *= number(softcap)
            p *= number(log_e)
            p -= shift
            np.maximum(p, np.full(n, floor, p.dtype), out=p)
            exp(p, out=p)
            for within, hidden in edges.of(rows, (start, end), core):
                np.copyto(p[:, within], 0, where=hidden)
            grads.d_v[:, keys] += p @ d_o_rows
            np.matmul(v[:, keys], d_o_rows.mT, out=d_s)
            d_s -= delta
            d_s *= p
            if slope is not None:
                d_s *= slope
            grads.d_q[:, at] += d_s.mT @ k[:, keys]
            grads.d_k[:, keys] += d_s @ q_scaled
        grads.d_q[:, at] *= number(scale)
