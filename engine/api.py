"""What the engine offers for computing: `attention` and `attention_backward`.

Checks, picks the path, hands the result back in the caller's shape.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from engine.backward import tiled_backward
from engine.fast import default_blocks, default_threads, fast_forward
from engine.fast_backward import fast_backward
from engine.masks import Causal, Window
from engine.memory import whole_number
from engine.options import ORDERS, Call, Order, like_output, prepare
from engine.precision import Array
from engine.tiled import tiled_attention

__all__ = ["attention", "attention_backward", "blocks_of"]


def attention(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    v: npt.ArrayLike,
    *,
    block_q: int | None = None,
    block_k: int | None = None,
    causal: Causal | None = None,
    window: Window | None = None,
    keep: npt.ArrayLike | None = None,
    bias: npt.ArrayLike | None = None,
    softcap: float | None = None,
    scale: float | None = None,
    storage: str | None = None,
    order: Order = "q_outer",
    threads: int | None = None,
    allow_nonfinite: bool = False,
) -> tuple[Array, Array]:
    """Exact attention, tile by tile, without a stored score matrix.

    o = softmax(mask(softcap(scale · q kᵀ) + bias)) v.

    Parameters
    ----------
    q : array_like of shape (..., n_q, d)
    k : array_like of shape (..., n_k, d)
    v : array_like of shape (..., n_k, d_v)
        Leading axes are batch and heads. Query heads may be a multiple of key/value heads: query head h
        uses key/value head ``h // (H_q // H_kv)``. Integers become float64.
    block_q, block_k : int or None
        Queries and keys in a tile; None takes the fastest. Capped by the lengths.
    causal : {None, "bottom_right", "top_left"}
        ``"bottom_right"`` aligns the last query with the last key; the two differ where n_q ≠ n_k.
    window : (left, right) or None
        Inclusive counts around key ``i + n_k − n_q`` (around key i when causal is top_left); None on a
        side is unlimited. "The last W tokens" is ``(W − 1, 0)``.
    keep : array_like of bool, broadcastable to (..., n_q, n_k), or None
        True where the pair may attend.
    bias : array_like, broadcastable to (..., n_q, n_k), or None
        Added after scaling and capping; −∞ masks.
    softcap : float or None
        c > 0: scores become c·tanh(s/c) after scaling and before masking. 0 and None are off.
    scale : float or None
        None is 1/√d.
    storage : {None, "float64", "float32", "float16", "bfloat16"}
        What Q, K, V, P and O are rounded to; None keeps the inputs' own format. Scores, m, l and the
        accumulator stay in float32 (float64 for float64).
    order : {"q_outer", "kv_outer"}
        Queries outside (FlashAttention-2) or keys outside (FlashAttention-1).
    threads : int or None
        Worker threads; the result is the same bit for bit whatever it is.
    allow_nonfinite : bool
        Accept NaN and infinities. A pair that is masked never lets one through.

    Returns
    -------
    o : ndarray of shape (..., n_q, d_v), in the storage format
        0 in a row that may see no key.
    lse : ndarray of shape (..., n_q), float32 (float64 for float64)
        Natural log of the sum of exponentials of the scores; −∞ in such a row.

    Raises
    ------
    ValueError
        If a shape, format or option does not fit; the message names both values.

    Notes
    -----
    The same mathematics as standard attention, up to rounding. Source: FlashAttention (arXiv 2205.14135)
    and FlashAttention-2 (arXiv 2307.08691).
    """
    call = prepare(
        q, k, v, causal=causal, window=window, keep=keep, bias=bias, softcap=softcap, scale=scale,
        storage=storage, allow_nonfinite=allow_nonfinite,
    )  # fmt: skip
    order = _check_order(order)
    block_q, block_k = blocks_of(call, block_q, block_k)
    n_q, n_k = call.q.shape[2], call.k.shape[2]
    workers = default_threads(n_q, n_k) if threads is None else whole_number("threads", threads, 1)
    if order == "q_outer" and _fast_can(call, allow_nonfinite):
        q3, k3, v3 = _flat_heads(call)
        o, lse = fast_forward(q3, k3, v3, **_fast_options(call, block_q, block_k, workers))
    else:
        o = np.empty((*call.q.shape[:3], call.v.shape[3]), call.fmt.dtype)
        lse = np.empty(call.q.shape[:3], call.fmt.compute)
        for at, head in call.heads():
            o[at], lse[at] = tiled_attention(head, block_q, block_k, order)
    return o.reshape(*call.lead, n_q, call.v.shape[3]), lse.reshape(*call.lead, n_q)


def _fast_can(call: Call, allow_nonfinite: bool = False) -> bool:
    """The fast path takes every call without per-pair arrays, rounding of P, or non-finite inputs."""
    plain = call.keep is None and call.bias is None and call.fmt.dtype == call.fmt.compute
    return plain and not allow_nonfinite


def _flat_heads(call: Call) -> list[Array]:
    """q, k and v as (batch · query heads, n, d): each query head beside its key/value head."""
    k, v = (np.repeat(a, call.group, axis=1) if call.group != 1 else a for a in (call.k, call.v))
    copies = call.q.shape[0] * call.q.shape[1]
    return [a.reshape(copies, *a.shape[2:]) for a in (call.q, k, v)]


def _fast_options(call: Call, block_q: int, block_k: int, threads: int) -> dict[str, Any]:
    return {
        "rule": call.rule(), "scale": call.scale, "softcap": call.softcap,
        "block_q": block_q, "block_k": block_k, "threads": threads,
    }  # fmt: skip


def attention_backward(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    v: npt.ArrayLike,
    o: npt.ArrayLike,
    lse: npt.ArrayLike,
    d_o: npt.ArrayLike,
    *,
    block_q: int | None = None,
    block_k: int | None = None,
    causal: Causal | None = None,
    window: Window | None = None,
    keep: npt.ArrayLike | None = None,
    bias: npt.ArrayLike | None = None,
    softcap: float | None = None,
    scale: float | None = None,
    storage: str | None = None,
    order: Order = "kv_outer",
    threads: int | None = None,
) -> tuple[Array, Array, Array]:
    """Gradients by recomputation: P is made again from lse, tile by tile; no n_q × n_k array is stored.

    Parameters
    ----------
    q, k, v and options
        As given to `attention`.
    o : array_like of shape (..., n_q, d_v)
    lse : array_like of shape (..., n_q)
        What `attention` returned.
    d_o : array_like of shape (..., n_q, d_v)
        Gradient of the loss with respect to o.
    order
        Accepted so that one set of options serves both calls: the backward has one loop, keys outside.
    threads : int or None
        Worker threads; heads are spread over them, and the result is the same whatever it is.

    Returns
    -------
    d_q, d_k, d_v : ndarray
        In the shapes of q, k and v and in the storage format. Query heads that share a key/value head
        add up. A row that saw no key gives and gets nothing.

    Raises
    ------
    ValueError
        As `attention`, and if o, lse or d_o do not fit.

    Notes
    -----
    Source: FlashAttention (arXiv 2205.14135), appendix B.4. Gradients of bias and scale are not computed.
    """
    call = prepare(
        q,
        k,
        v,
        causal=causal,
        window=window,
        keep=keep,
        bias=bias,
        softcap=softcap,
        scale=scale,
        storage=storage,
    )
    _check_order(order)
    n_q, n_k = call.q.shape[2], call.k.shape[2]
    workers = default_threads(n_q, n_k) if threads is None else whole_number("threads", threads, 1)
    block_q, block_k = blocks_of(call, block_q, block_k)
    o4, do4 = like_output("o", o, call), like_output("d_o", d_o, call)
    lse4 = _like_lse(lse, call)
    if _fast_can(call):
        copies = call.q.shape[0] * call.q.shape[1]
        saved = [a.reshape(copies, *a.shape[2:]) for a in (o4, lse4, do4)]
        options = _fast_options(call, block_q, block_k, workers)
        d_q, d_k, d_v = fast_backward(*_flat_heads(call), *saved, **options)
        # Query heads that share a key/value head add up.
        d_k, d_v = (
            g.reshape(*a.shape[:2], call.group, *a.shape[2:]).sum(axis=2)
            for g, a in ((d_k, call.k), (d_v, call.v))
        )
    else:
        d_q, d_k, d_v = _readable_backward(call, o4, lse4, do4, block_q, block_k)
    shapes = [np.shape(a) for a in (q, k, v)]
    d_q, d_k, d_v = (call.fmt.store(g).reshape(s) for g, s in zip((d_q, d_k, d_v), shapes, strict=True))
    return d_q, d_k, d_v


def _readable_backward(
    call: Call, o: Array, lse: Array, d_o: Array, block_q: int, block_k: int
) -> tuple[Array, Array, Array]:
    """Head by head through the readable loop, in the compute format."""
    d_q = np.empty_like(call.q)
    d_k, d_v = np.zeros_like(call.k), np.zeros_like(call.v)
    for (b, h), head in call.heads():
        kv = h // call.group
        d_q[b, h], dk, dv = tiled_backward(head, o[b, h], lse[b, h], d_o[b, h], block_q, block_k)
        d_k[b, kv] += dk
        d_v[b, kv] += dv
    return d_q, d_k, d_v


def blocks_of(call: Call, block_q: int | None, block_k: int | None) -> tuple[int, int]:
    """Tile sizes of a call: as given or the fastest, and never larger than the sequence."""
    n_q, n_k = call.q.shape[2], call.k.shape[2]
    best_q, best_k = default_blocks(n_q, n_k, call.q.shape[3])
    block_q = best_q if block_q is None else whole_number("block_q", block_q, 1)
    block_k = best_k if block_k is None else whole_number("block_k", block_k, 1)
    return min(block_q, max(1, n_q)), min(block_k, max(1, n_k))


def _check_order(order: Order) -> Order:
    if order not in ORDERS:
        raise ValueError(f"order must be 'q_outer' or 'kv_outer', not {order!r}")
    return order


def _like_lse(value: npt.ArrayLike, call: Call) -> Array:
    array = np.asarray(value)
    expected = (*call.lead, call.q.shape[2])
    if array.shape != expected:
        raise ValueError(f"lse has shape {array.shape} but the forward's has {expected}")
    if array.dtype.kind in "cbOSUMm":
        raise ValueError(f"lse holds {array.dtype} values; it must be real numbers")
    return array.astype(call.fmt.compute).reshape(call.q.shape[:3])
