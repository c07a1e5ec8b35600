"""The backward by recomputation: from o and lse alone, block by block, without a stored P.

Knows one head. Must not know bytes, files or the fast path.
Formulas: FlashAttention (arXiv 2205.14135), appendix B.4; D = rowsum(dO ∘ O) replaces rowsum(P ∘ dP).
"""

import numpy as np

from engine.masks import tile_ranges
from engine.online import subtracted
from engine.options import Head
from engine.precision import Array
from engine.tiled import Note, Rows, ignore, masked, score_block

Gradients = tuple[Array, Array, Array]

__all__ = ["tiled_backward"]


def tiled_backward(
    head: Head,
    o: Array,
    lse: Array,
    d_o: Array,
    block_q: int,
    block_k: int,
    note: Note = ignore,
) -> Gradients:
    """Gradients of one head with respect to q, k and v.

    Key tiles are outside: dK and dV stay on chip, dQ goes out and comes back at every visit.

    Parameters
    ----------
    head : Head
        The forward's arrays and options.
    o : ndarray of shape (n_q, d_v)
    lse : ndarray of shape (n_q,)
        What the forward saved: natural log, −∞ for a row that saw no key.
    d_o : ndarray of shape (n_q, d_v)
        Gradient of the loss with respect to o.
    block_q, block_k : int
    note : callable
        Told of each event; see docs/trace-format.md.

    Returns
    -------
    d_q, d_k, d_v : ndarray
        Shapes of q, k and v, in the compute format.
    """
    q_tiles, k_tiles = tile_ranges(len(head.q), block_q), tile_ranges(len(head.k), block_k)
    d_q, d_k, d_v = np.zeros_like(head.q), np.zeros_like(head.k), np.zeros_like(head.v)
    note("partition", (None, None))

    delta = np.empty(len(head.q), head.fmt.compute)
    for i, rows in enumerate(q_tiles):
        at = slice(*rows)
        delta[at] = (d_o[at] * o[at]).sum(axis=1)
        note("delta", (i, None), None, delta=delta[at])

    for j, cols in enumerate(k_tiles):
        k, v = head.k[slice(*cols)], head.v[slice(*cols)]
        dk, dv = np.zeros_like(k), np.zeros_like(v)
        visited = [head.rule.visits(rows, cols) for rows in q_tiles]
        if any(visited):
            note("load_kv", (None, j), None, d_k=dk, d_v=dv)
        for i, rows in enumerate(q_tiles):
            if not visited[i]:
                note("skip", (i, j), None, **({"d_k": dk, "d_v": dv} if any(visited) else {}))
                continue
            at = slice(*rows)
            q, do, dq = head.q[at], d_o[at], d_q[at].copy()
            note("load_q", (i, j), None, d_q=dq, d_k=dk, d_v=dv, lse=lse[at], delta=delta[at])
            dq, dk, dv = _visit(head, q, k, v, do, lse[at], delta[at], rows, cols, (i, j), (dq, dk, dv), note)
            d_q[at] = head.fmt.round(dq)  # dQ waits in outer memory, in the storage format
            note("store", (i, j), None, d_q=d_q[at].copy(), d_k=dk, d_v=dv)
        d_k[slice(*cols)], d_v[slice(*cols)] = head.fmt.round(dk), head.fmt.round(dv)
        note("store", (None, j), None, d_k=d_k[slice(*cols)], d_v=d_v[slice(*cols)])
    return d_q, d_k, d_v


def _visit(
    head: Head,
    q: Array,
    k: Array,
    v: Array,
    do: Array,
    lse: Array,
    delta: Array,
    rows: Rows,
    cols: Rows,
    tile: tuple[int, int],
    gradients: Gradients,
    note: Note,
) -> Gradients:
    """One block: scores and P made again, then what it adds to dQ, dK and dV."""
    dq, dk, dv = gradients
    s = score_block(head, q, k, rows, cols)
    cap_slope = None if head.softcap is None else _cap_slope(head, q, k)
    if head.rule.touches(rows, cols):
        s = masked(head, s, rows, cols)
    note("recompute_score", tile, None, d_q=dq, d_k=dk, d_v=dv, s=s)

    # A row that saw no key has lse = −∞ and scores of −∞: its p must be 0, not exp(NaN).
    p = np.exp(s - subtracted(lse)[:, None])
    note("recompute_p", tile, None, d_q=dq, d_k=dk, d_v=dv, s=s, p=p)

    dv_before, dv = dv, dv + head.fmt.round(p).T @ do
    note("d_v", tile, None, d_q=dq, d_k=dk, d_v=dv, p=p, d_v_before=dv_before)

    dp = do @ v.T
    note("d_p", tile, None, d_q=dq, d_k=dk, d_v=dv, p=p, d_p=dp)

    ds = p * (dp - delta[:, None])
    if cap_slope is not None:
        ds = ds * cap_slope
    note("d_s", tile, None, d_q=dq, d_k=dk, d_v=dv, p=p, d_p=dp, d_s=ds, delta=delta)

    ds_stored = head.fmt.round(ds)
    scale = head.fmt.compute.type(head.scale)
    dq_before, dq = dq, dq + scale * (ds_stored @ k)
    note("d_q", tile, None, d_q=dq, d_k=dk, d_v=dv, p=p, d_s=ds, d_q_before=dq_before)

    dk_before, dk = dk, dk + scale * (ds_stored.T @ q)
    note("d_k", tile, None, d_q=dq, d_k=dk, d_v=dv, p=p, d_s=ds, d_k_before=dk_before)

    note("discard", tile, None, d_q=dq, d_k=dk, d_v=dv, block=s)
    return dq, dk, dv


def _cap_slope(head: Head, q: Array, k: Array) -> Array:
    """Derivative of c·tanh(s/c): 1 − tanh²(s/c)."""
    c = head.fmt.compute.type(head.softcap)
    t = np.tanh((q @ k.T) * head.fmt.compute.type(head.scale) / c)
    slope: Array = 1 - t * t
    return slope
