"""Attention as its definition says it, pair by pair in Python floats; and the comparison with it.

Shares no code with the engine, so that the two can disagree.
"""

import math
from typing import Any

import ml_dtypes
import numpy as np

FORMATS = {
    "float64": np.dtype(np.float64),
    "float32": np.dtype(np.float32),
    "float16": np.dtype(np.float16),
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
}
# Unit roundoff: half the distance from 1 to the next number of the format.
ROUNDOFF = {"float64": 2.0**-53, "float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}


def stored(x: Any, storage: str | None) -> np.ndarray:
    """The values that a format keeps of ``x``, as float64."""
    array = np.asarray(x)
    return (array if storage is None else array.astype(FORMATS[storage])).astype(np.float64)


def may_attend(i: int, j: int, n_q: int, n_k: int, causal: str | None, window: Any) -> bool:
    """Whether query i may see key j by position."""
    own = i if causal == "top_left" else i + n_k - n_q
    if causal is not None and j > own:
        return False
    left, right = (None, None) if window is None else window
    return (left is None or j >= own - left) and (right is None or j <= own + right)


def one_head(
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    *,
    causal: str | None = None,
    window: Any = None,
    keep: np.ndarray | None = None,
    bias: np.ndarray | None = None,
    softcap: float | None = None,
    scale: float | None = None,
) -> tuple[np.ndarray, np.ndarray, float]:
    """Output, lse and the largest |score| of one head, with correctly rounded sums."""
    (n_q, d), n_k, d_v = q.shape, len(k), v.shape[1]
    factor = 1 / math.sqrt(d) if scale is None else scale
    o, lse, largest = np.zeros((n_q, d_v)), np.full(n_q, -np.inf), 0.0
    for i in range(n_q):
        scores: dict[int, float] = {}
        for j in range(n_k):
            s = factor * math.fsum(float(a) * float(b) for a, b in zip(q[i], k[j], strict=True))
            largest = max(largest, abs(s))
            if softcap:
                s = softcap * math.tanh(s / softcap)
            if bias is not None:
                s += float(bias[i, j])
            seen = may_attend(i, j, n_q, n_k, causal, window) and (keep is None or bool(keep[i, j]))
            if seen and s != -math.inf:
                scores[j] = s
                largest = max(largest, abs(s))
        if not scores:
            continue
        top = max(scores.values())
        weights = {j: math.exp(s - top) for j, s in scores.items()}
        total = math.fsum(weights.values())
        lse[i] = top + math.log(total)
        for c in range(d_v):
            o[i, c] = math.fsum(w * float(v[j, c]) for j, w in weights.items()) / total
    return o, lse, largest


def attend(q: Any, k: Any, v: Any, *, storage: str | None = None, **options: Any) -> tuple[Any, Any, float]:
    """`one_head` over leading axes; query head h uses key/value head h // group."""
    q, k, v = (stored(a, storage) for a in (q, k, v))
    lead, n_q, n_k = q.shape[:-2], q.shape[-2], k.shape[-2]
    group = q.shape[-3] // k.shape[-3] if q.ndim > 2 else 1
    per_pair = {name: options.pop(name, None) for name in ("keep", "bias")}
    spread = {
        name: None if a is None else np.broadcast_to(a, (*lead, n_q, n_k)) for name, a in per_pair.items()
    }
    o, lse, largest = np.zeros((*lead, n_q, v.shape[-1])), np.full((*lead, n_q), -np.inf), 0.0
    for at in np.ndindex(*lead):
        kv = (*at[:-1], at[-1] // group) if at else ()
        pairs = {name: None if a is None else a[at] for name, a in spread.items()}
        o[at], lse[at], found = one_head(q[at], k[kv], v[kv], **options, **pairs)
        largest = max(largest, found)
    return o, lse, largest


def forward_tolerance(
    storage: str, largest_score: float, largest_value: float, o_roundings: int = 0
) -> tuple[float, float]:
    """How far o may lie from the oracle: (atol, rtol).

    float64 1e-12; float32 1e-6 + 4·eps·max|S|·max|V|; float16 2e-3 and bfloat16 1.6e-2 for unit-normal
    values. ``o_roundings`` counts how often O was rounded on its way, beyond the last time: with keys
    outside, each visit rounds a convex combination of values, so it adds at most one roundoff of max|V|.
    """
    eps = 2 * ROUNDOFF["float64" if storage == "float64" else "float32"]
    growth = 4 * eps * largest_score * largest_value
    extra = o_roundings * ROUNDOFF[storage] * largest_value
    if storage == "float64":
        return 1e-12 + growth + extra, 1e-12
    if storage == "float32":
        return 1e-6 + growth + extra, 0.0
    base = {"float16": 2e-3, "bfloat16": 1.6e-2}[storage]
    return base + growth + extra, base


def lse_tolerance(storage: str, largest_score: float) -> tuple[float, float]:
    """How far lse may lie from the oracle: it is kept in float32, or float64 for float64."""
    if storage == "float64":
        return 1e-12 + 8 * ROUNDOFF["float64"] * largest_score, 0.0
    return 1e-6 + 8 * ROUNDOFF["float32"] * largest_score, 0.0


def assert_close(found: Any, wanted: Any, tolerance: tuple[float, float], what: str) -> None:
    """Fail unless ``found`` is finite and within (atol, rtol) of ``wanted``; print the largest difference."""
    a, b = np.asarray(found).astype(np.float64), np.asarray(wanted).astype(np.float64)
    assert a.shape == b.shape, f"{what}: shape {a.shape}, wanted {b.shape}"
    assert np.isfinite(a).all(), f"{what}: {int((~np.isfinite(a)).sum())} of {a.size} numbers are not finite"
    assert np.isfinite(b).all(), f"{what}: the wanted numbers are not finite"
    atol, rtol = tolerance
    excess = np.abs(a - b) - (atol + rtol * np.abs(b))
    if a.size and excess.max() > 0:
        worst = np.unravel_index(excess.argmax(), a.shape)
        raise AssertionError(
            f"{what}: largest difference {np.abs(a - b).max():.3e}; at {tuple(map(int, worst))} found "
            f"{a[worst]!r}, wanted {b[worst]!r}, allowed {atol:.3e} + {rtol:.1e} relative"
        )


def assert_lse_close(found: Any, wanted: Any, tolerance: tuple[float, float], what: str = "lse") -> None:
    """`assert_close`, with −∞ in exactly the same rows."""
    a, b = np.asarray(found).astype(np.float64), np.asarray(wanted).astype(np.float64)
    assert a.shape == b.shape, f"{what}: shape {a.shape}, wanted {b.shape}"
    empty = np.isneginf(b)
    assert np.array_equal(np.isneginf(a), empty), f"{what}: −∞ in other rows: {a} for {b}"
    assert_close(a[~empty], b[~empty], tolerance, what)
