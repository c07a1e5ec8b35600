"""What the engine offers for computing: `attention` and `attention_backward`.

Checks, picks the path, hands the result back in the caller's shape.
"""

import numpy as np
import numpy.typing as npt

from engine.backward import tiled_backward
from engine.fast import default_blocks, default_threads, fast_forward
from engine.masks import Causal, Window
from engine.memory import whole_number
from engine.options import ORDERS, Call, Order, prepare
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
        o, lse = _fast(call, block_q, block_k, workers)
    else:
        o = np.empty((*call.q.shape[:3], call.v.shape[3]), call.fmt.dtype)
        lse = np.empty(call.q.shape[:3], call.fmt.compute)
        for at, head in call.heads():
            o[at], lse[at] = tiled_attention(head, block_q, block_k, order)
    return o.reshape(*call.lead, *o.shape[2:]), lse.reshape(*call.lead, n_q)


def _fast_can(call: Call, allow_nonfinite: bool) -> bool:
    """The fast path takes every call without per-pair arrays, rounding of P, or non-finite inputs."""
    plain = call.keep is None and call.bias is None and call.fmt.dtype == call.fmt.compute
    return plain and not allow_nonfinite


def _fast(call: Call, block_q: int, block_k: int, threads: int) -> tuple[Array, Array]:
    """All heads at once, each query head beside its own view of the shared key/value head."""
    batch, heads, n_q = call.q.shape[:3]
    k, v = (np.repeat(a, call.group, axis=1) if call.group > 1 else a for a in (call.k, call.v))
    flat = [a.reshape(batch * heads, *a.shape[2:]) for a in (call.q, k, v)]
    o, lse = fast_forward(
        *flat, rule=call.rule(), scale=call.scale, softcap=call.softcap, block_q=block_q, block_k=block_k,
        threads=threads,
    )  # fmt: skip
    return o.reshape(batch, heads, n_q, call.v.shape[3]), lse.reshape(batch, heads, n_q)


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
    order, threads
        Accepted so that one set of options serves both calls. The backward has one loop, keys outside,
        on one thread.

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
    if threads is not None:
        whole_number("threads", threads, 1)
    block_q, block_k = blocks_of(call, block_q, block_k)
    o4, do4 = (_like_o(name, a, call) for name, a in (("o", o), ("d_o", d_o)))
    lse4 = _like_lse(lse, call)
    d_q = np.empty_like(call.q)
    d_k, d_v = np.zeros_like(call.k), np.zeros_like(call.v)
    for (b, h), head in call.heads():
        kv = h // call.group
        d_q[b, h], dk, dv = tiled_backward(head, o4[b, h], lse4[b, h], do4[b, h], block_q, block_k)
        d_k[b, kv] += dk
        d_v[b, kv] += dv
    shapes = [np.shape(a) for a in (q, k, v)]
    d_q, d_k, d_v = (call.fmt.store(g).reshape(s) for g, s in zip((d_q, d_k, d_v), shapes, strict=True))
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


def _like_o(name: str, value: npt.ArrayLike, call: Call) -> Array:
    array = np.asarray(value)
    expected = (*call.lead, call.q.shape[2], call.v.shape[3])
    if array.shape != expected:
        raise ValueError(f"{name} has shape {array.shape} but the forward's output has {expected}")
    return call.fmt.round(array).reshape(*call.q.shape[:3], call.v.shape[3])


def _like_lse(value: npt.ArrayLike, call: Call) -> Array:
    array = np.asarray(value)
    expected = (*call.lead, call.q.shape[2])
    if array.shape != expected:
        raise ValueError(f"lse has shape {array.shape} but the forward's has {expected}")
    return array.astype(call.fmt.compute).reshape(call.q.shape[:3])
