"""The oracle: attention in float64 with the whole matrix at once, as a textbook writes it.

Deliberately plain, and apart from the tiled code, so that the two can check each other.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from engine.options import Call, prepare
from engine.precision import Array

__all__ = ["merge", "reference_attention", "reference_backward"]


def reference_attention(
    q: npt.ArrayLike, k: npt.ArrayLike, v: npt.ArrayLike, **options: Any
) -> tuple[Array, Array]:
    """Attention by the whole score matrix, in float64, on inputs rounded to ``storage``.

    Parameters
    ----------
    q, k, v : array_like of shape (..., n_q, d), (..., n_k, d), (..., n_k, d_v)
    **options
        ``causal window keep bias softcap scale storage allow_nonfinite``, as for `engine.attention`.

    Returns
    -------
    o : ndarray of float64, shape (..., n_q, d_v)
        0 in a row that may see no key.
    lse : ndarray of float64, shape (..., n_q)
        Natural log of the sum of exponentials; −∞ in such a row.

    Raises
    ------
    ValueError
        As `engine.attention`.

    Notes
    -----
    Takes n_q · n_k · 8 bytes per head, several times over. Use it to check, not to compute.
    """
    call = prepare(q, k, v, **options)
    o = np.zeros((*call.q.shape[:3], call.v.shape[3]))
    lse = np.full(call.q.shape[:3], -np.inf)
    for (b, h), _ in call.heads():
        p, lse[b, h] = _probabilities(call, b, h)
        o[b, h] = _hide_zero_weights(p, call.v[b, h // call.group].astype(np.float64))
    return o.reshape(*call.lead, *o.shape[2:]), lse.reshape(*call.lead, call.q.shape[2])


def reference_backward(
    q: npt.ArrayLike, k: npt.ArrayLike, v: npt.ArrayLike, d_o: npt.ArrayLike, **options: Any
) -> tuple[Array, Array, Array]:
    """Gradients by the whole matrices, in float64: dV = PᵀdO, dP = dO Vᵀ, dS = P ∘ (dP − rowsum(P ∘ dP)).

    Parameters
    ----------
    q, k, v, **options
        As `reference_attention`.
    d_o : array_like of shape (..., n_q, d_v)
        Gradient of the loss with respect to o.

    Returns
    -------
    d_q, d_k, d_v : ndarray of float64
        In the shapes of q, k and v; query heads that share a key/value head add up.

    Raises
    ------
    ValueError
        As `engine.attention`, and if d_o does not have the shape of the output.
    """
    call = prepare(q, k, v, **options)
    do4 = np.asarray(d_o, np.float64)
    expected = (*call.lead, call.q.shape[2], call.v.shape[3])
    if do4.shape != expected:
        raise ValueError(f"d_o has shape {do4.shape} but the forward's output has {expected}")
    do4 = do4.reshape(*call.q.shape[:3], call.v.shape[3])
    grads = [np.zeros(a.shape) for a in (call.q, call.k, call.v)]
    for (b, h), head in call.heads():
        kv = h // call.group
        q2, k2, v2 = (a.astype(np.float64) for a in (head.q, head.k, head.v))
        p, _ = _probabilities(call, b, h)
        dp = do4[b, h] @ v2.T
        ds = p * (dp - (p * dp).sum(axis=1, keepdims=True))
        if head.softcap is not None:
            ds *= 1 - np.tanh(q2 @ k2.T * head.scale / head.softcap) ** 2
        grads[0][b, h] = head.scale * ds @ k2
        grads[1][b, kv] += head.scale * ds.T @ q2
        grads[2][b, kv] += p.T @ do4[b, h]
    shapes = [np.shape(a) for a in (q, k, v)]
    return tuple(g.reshape(shape) for g, shape in zip(grads, shapes, strict=True))  # type: ignore[return-value]


def _probabilities(call: Call, b: int, h: int) -> tuple[Array, Array]:
    """P of shape (n_q, n_k) and lse of shape (n_q,), float64."""
    kv = h // call.group
    s = call.q[b, h].astype(np.float64) @ call.k[b, kv].astype(np.float64).T * call.scale
    if call.softcap is not None:
        s = call.softcap * np.tanh(s / call.softcap)
    if call.bias is not None:
        s = s + call.bias[b, h]
    rule = call.rule(None if call.keep is None else call.keep[b, h])
    n_q, n_k = s.shape
    for i in range(n_q):
        own = i if call.causal == "top_left" else i + n_k - n_q
        for side, is_left in (
            ((call.window or (None, None))[0], True),
            ((call.window or (None, None))[1], False),
        ):
            if side is not None:
                hidden = slice(0, max(0, own - side)) if is_left else slice(max(0, own + side + 1), None)
                s[i, hidden] = -np.inf
        if call.causal is not None:
            s[i, max(0, own + 1) :] = -np.inf
        if rule.keep is not None:
            s[i, ~rule.keep[i]] = -np.inf
    if n_k == 0:
        return s, np.full(n_q, -np.inf)
    m = s.max(axis=1, keepdims=True)
    e = np.exp(s - np.where(np.isneginf(m), 0.0, m))
    total = e.sum(axis=1, keepdims=True)
    empty = total == 0
    lse = np.where(empty, -np.inf, m + np.log(np.where(empty, 1.0, total)))
    return e / np.where(empty, 1.0, total), lse[:, 0]


def _hide_zero_weights(p: Array, v: Array) -> Array:
    """p @ v where a weight of 0 hides even a NaN."""
    if np.isfinite(v).all():
        return p @ v
    return np.array([row[row != 0] @ v[row != 0] for row in p]).reshape(len(p), v.shape[1])


def merge(
    o_1: npt.ArrayLike, lse_1: npt.ArrayLike, o_2: npt.ArrayLike, lse_2: npt.ArrayLike
) -> tuple[Array, Array]:
    """Join two partial results over disjoint sets of keys into the result over their union.

    Parameters
    ----------
    o_1, o_2 : array_like of shape (..., n_q, d_v)
    lse_1, lse_2 : array_like of shape (..., n_q)
        Natural logs; −∞ (with o = 0) is the neutral element.

    Returns
    -------
    o, lse : ndarray
        lse = ln(e^lse_1 + e^lse_2); o is the average weighted by e^(lse_i − lse).

    Raises
    ------
    ValueError
        If the shapes differ.

    Notes
    -----
    Commutative, and associative up to rounding: the merge operator of Milakov and Gimelshein
    (arXiv 1805.02867) carried over to outputs.
    """
    parts = [np.asarray(a) for a in (o_1, lse_1, o_2, lse_2)]
    o1, l1, o2, l2 = (a.astype(np.promote_types(np.float32, _plain(a))) for a in parts)
    if o1.shape != o2.shape or l1.shape != l2.shape or o1.shape[:-1] != l1.shape:
        raise ValueError(f"parts differ: o {o1.shape} and {o2.shape}, lse {l1.shape} and {l2.shape}")
    larger = np.maximum(l1, l2)
    shift = np.where(np.isneginf(larger), larger.dtype.type(0), larger)
    w1, w2 = np.exp(l1 - shift), np.exp(l2 - shift)
    # Divided by the weights' own sum, so that o is an average even where lse is so large that it rounds
    # coarsely: e^(lse_i − lse) would carry that rounding into o.
    total = np.where(np.isneginf(larger), larger.dtype.type(1), w1 + w2)
    o = (w1[..., None] * o1 + w2[..., None] * o2) / total[..., None]
    return o, np.logaddexp(l1, l2)


def _plain(a: Array) -> np.dtype[Any]:
    """Format to compute in: bfloat16 and float16 are widened to float32, integers to float64."""
    if a.dtype.kind in "iu":
        return np.dtype(np.float64)
    return a.dtype if a.dtype in (np.float32, np.float64) else np.dtype(np.float32)
