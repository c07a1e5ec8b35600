"""Standard attention as a plain kernel stores it: the whole of S and of P, rounded to the storage format.

This is the rival that tiled attention is measured against. The oracle is `engine.reference`, in float64.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from engine.online import subtracted
from engine.options import Head, prepare
from engine.precision import Array

__all__ = ["standard_attention", "standard_head"]


def standard_attention(q: npt.ArrayLike, k: npt.ArrayLike, v: npt.ArrayLike, **options: Any) -> Array:
    """Attention in three passes: S is stored, P is stored, then O is made from P.

    Parameters
    ----------
    q, k, v : array_like of shape (..., n_q, d), (..., n_k, d), (..., n_k, d_v)
    **options
        ``causal window keep bias softcap scale storage``, as for `engine.attention`.

    Returns
    -------
    ndarray of shape (..., n_q, d_v), in the storage format
        0 in a row that may see no key.

    Raises
    ------
    ValueError
        As `engine.attention`.

    Notes
    -----
    Products add up in the compute format, as in real kernels. FlashAttention (arXiv 2205.14135), algorithm 0.
    """
    call = prepare(q, k, v, **options)
    o = np.empty((*call.q.shape[:3], call.v.shape[3]), call.fmt.dtype)
    for at, head in call.heads():
        o[at] = standard_head(head)
    return o.reshape(*call.lead, *o.shape[2:])


def standard_head(head: Head) -> Array:
    """One checked head: shape (n_q, d_v), in the storage format."""
    fmt = head.fmt
    s: Array = (head.q @ head.k.T) * fmt.compute.type(head.scale)
    if head.softcap is not None:
        c = fmt.compute.type(head.softcap)
        s = c * np.tanh(s / c)
    if head.bias is not None:
        s = s + head.bias
    s = fmt.round(s)
    whole = (0, len(head.q)), (0, len(head.k))
    s = np.where(head.rule.allowed(*whole), s, s.dtype.type(-np.inf))
    p: Array = np.exp(s - subtracted(s.max(axis=1, initial=-np.inf))[:, None])
    total = p.sum(axis=1, keepdims=True)
    p = fmt.round(p / np.where(total == 0, total.dtype.type(1), total))
    return fmt.store(p @ head.v)
