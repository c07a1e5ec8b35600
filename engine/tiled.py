"""Tiled attention as a person would explain it: one head, one loop, every option, nothing clever.

This is the loop that a learner opens. The trace is this very loop with a recorder listening, so the picture
cannot drift from the mathematics. Must not know bytes, files or the fast path.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from engine.masks import tile_ranges
from engine.online import OnlineSoftmax, State
from engine.options import Head, Order
from engine.precision import Array

Note = Callable[..., Any]
Rows = tuple[int, int]

__all__ = ["Note", "ignore", "masked", "score_block", "tiled_attention"]


def ignore(kind: str, tile: tuple[int | None, int | None], state: State | None = None, **work: Any) -> None:
    """The recorder of a run that nobody watches."""


def tiled_attention(
    head: Head,
    block_q: int,
    block_k: int,
    order: Order = "q_outer",
    softmax: OnlineSoftmax | None = None,
    note: Note = ignore,
) -> tuple[Array, Array]:
    """Attention of one head, block by block; the score matrix never exists as a whole.

    Parameters
    ----------
    head : Head
        q (n_q, d), k (n_k, d), v (n_k, d_v) and the options of the call, already checked.
    block_q, block_k : int
        Queries and keys in a tile.
    order : {"q_outer", "kv_outer"}
        Which loop is outside.
    softmax : OnlineSoftmax or None
        The running update; None is the right one.
    note : callable
        Told of each event as ``note(kind, tile, state, **work)``; see docs/trace-format.md.

    Returns
    -------
    o : ndarray of shape (n_q, d_v), in the storage format
    lse : ndarray of shape (n_q,), natural log, in the compute format
    """
    loop = queries_outside if order == "q_outer" else keys_outside
    q_tiles, k_tiles = tile_ranges(len(head.q), block_q), tile_ranges(len(head.k), block_k)
    note("partition", (None, None))
    return loop(head, q_tiles, k_tiles, softmax or OnlineSoftmax(), note)


def queries_outside(
    head: Head, q_tiles: list[Rows], k_tiles: list[Rows], softmax: OnlineSoftmax, note: Note
) -> tuple[Array, Array]:
    """Each query tile stays while the key tiles pass; one division at the end (FlashAttention-2)."""
    o = np.empty((len(head.q), head.v.shape[1]), head.fmt.dtype)
    lse = np.empty(len(head.q), head.fmt.compute)
    for i, rows in enumerate(q_tiles):
        q = head.q[slice(*rows)]
        state = softmax.start(len(q), head.v.shape[1], head.fmt.compute)
        note("load_q", (i, None), state)
        for j, cols in enumerate(k_tiles):
            if not head.rule.visits(rows, cols):
                note("skip", (i, j), state)
                continue
            k, v = head.k[slice(*cols)], head.v[slice(*cols)]
            note("load_kv", (i, j), state)
            state = visit(head, q, k, v, rows, cols, (i, j), state, softmax, note)
        o_tile, lse_tile = softmax.finish(state)
        note("normalise", (i, None), state, o=o_tile, lse=lse_tile)
        o[slice(*rows)], lse[slice(*rows)] = head.fmt.store(o_tile), lse_tile
        note("store", (i, None), state, o=o[slice(*rows)], lse=lse_tile)
    return o, lse


def keys_outside(
    head: Head, q_tiles: list[Rows], k_tiles: list[Rows], softmax: OnlineSoftmax, note: Note
) -> tuple[Array, Array]:
    """Each key tile stays while the query tiles pass; O, m and l go out and come back (FlashAttention-1).

    O is divided and rounded to the storage format at every visit, because that is what outer memory holds.
    """
    m, l, acc = softmax.start(len(head.q), head.v.shape[1], head.fmt.compute)
    o = head.fmt.store(acc)
    for j, cols in enumerate(k_tiles):
        k, v = head.k[slice(*cols)], head.v[slice(*cols)]
        visited = [head.rule.visits(rows, cols) for rows in q_tiles]
        if any(visited):
            note("load_kv", (None, j))
        for i, rows in enumerate(q_tiles):
            if not visited[i]:
                note("skip", (i, j))
                continue
            at = slice(*rows)
            o_back = o[at].astype(head.fmt.compute)
            state = softmax.resume(o_back, m[at].copy(), l[at].copy())
            note("load_q", (i, j), state, o=o_back)
            state = visit(head, head.q[at], k, v, rows, cols, (i, j), state, softmax, note)
            o_tile, lse_tile = softmax.finish(state)
            note("normalise", (i, j), state, o=o_tile, lse=lse_tile)
            o[at], m[at], l[at] = head.fmt.store(o_tile), state.m, state.l
            note("store", (i, j), state, o=o[at].copy(), lse=lse_tile)
    return o, softmax.finish(State(m, l, acc))[1]


def visit(
    head: Head,
    q: Array,
    k: Array,
    v: Array,
    rows: Rows,
    cols: Rows,
    tile: tuple[int, int],
    state: State,
    softmax: OnlineSoftmax,
    note: Note,
) -> State:
    """One block: make its scores, move the maximum, rescale, accumulate, throw it away."""
    s = score_block(head, q, k, rows, cols)
    note("score", tile, state, s=s)
    if head.rule.touches(rows, cols):
        s = masked(head, s, rows, cols)
        note("mask", tile, state, s=s)

    row_max = s.max(axis=1)
    m_new = softmax.new_max(state.m, row_max)
    note("update_max", tile, state, s=s, row_max=row_max, m_new=m_new)

    alpha = softmax.alpha(state.m, m_new)
    before, state = state, softmax.rescale(state, m_new, alpha)
    note("rescale", tile, state, s=s, alpha=alpha, before=before)

    p = softmax.weights(s, m_new, row_max)
    before, state = state, softmax.accumulate(state, p, v, head.fmt, head.finite_values)
    note("accumulate", tile, state, s=s, p=p, before=before)

    note("discard", tile, state, block=s)  # s and p end here: neither is ever written to outer memory
    return state


def score_block(head: Head, q: Array, k: Array, rows: Rows, cols: Rows) -> Array:
    """Scores of a tile: scale, then softcap, then bias. Masking comes after, so −∞ is never capped."""
    s: Array = (q @ k.T) * head.fmt.compute.type(head.scale)
    if head.softcap is not None:
        c = head.fmt.compute.type(head.softcap)
        s = c * np.tanh(s / c)
    if head.bias is not None:
        s = s + head.bias[slice(*rows), slice(*cols)]
    return s


def masked(head: Head, s: Array, rows: Rows, cols: Rows) -> Array:
    """The scores with a true −∞, by selection, wherever the pair may not attend."""
    return np.where(head.rule.allowed(rows, cols), s, s.dtype.type(-np.inf))
