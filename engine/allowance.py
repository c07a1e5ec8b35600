"""How far a right kernel's numbers may lie from a trace's: what rounding explains, place by place.

Knows traces and formats. Must not know what a kernel's file looks like.

The accumulator has a rule of its own. A bound from the format alone, (atol + rtol·max|V|)·l, is so wide that
an accumulator kept in half precision hides in it. So the trace's own p of every visit is walked through
again. A kernel's p lies within ρ·p of the trace's, where ρ covers its scores and its exponential, and then

    it stays as it is:        |Σ p·v − acc|    + Σ ρ·p·|v|
    or is rounded to nearest: |Σ r(p)·v − acc| + Σ max(r(p + ρ·p) − r(p), r(p) − r(p − ρ·p))·|v|

whichever is larger, plus the rounding of the sums in the compute format. Sums run over the keys seen so far,
each tile's share rescaled by alpha like the accumulator. These are bounds for the worst case and not
estimates: rounding is monotonic, so no p within ρ rounds to anything outside, however the terms cancel.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.precision import Array, Format, tolerance
from engine.trace import Step, Trace

__all__ = ["allowances"]

# Relative error of an exponential. A cubic for 2^x, as FlashAttention-4 computes it, is off by 1e-4.
_EXPONENTIAL = {"float64": 1e-12, "float32": 1e-6, "float16": 1.2e-4, "bfloat16": 1.2e-4}
# Largest relative error of one rounding.
_UNIT = {"float64": 2.0**-53, "float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}
# Units in which a dot product may be off, each eps · Σ|q·k|: room for the sums of matrix units, which
# cut terms off instead of rounding them.
_DOT_PRODUCT = 16
# The maxima show the error of a few scores; the largest of all scores may be this much larger.
_UNSEEN = 4


def allowances(
    trace: Trace, expected: Mapping[str, Array], fmt: Format, m: Array | None = None
) -> dict[str, Array]:
    """Return the largest difference that rounding explains, for each place of m, l, acc, o and lse.

    Parameters
    ----------
    trace : Trace
        A forward trace of the right algorithm.
    expected : mapping of str to ndarray
        The trace's m and l (key tiles, n_q), acc (key tiles, n_q, d_v), o (n_q, d_v) and lse (n_q,); float64.
    fmt : Format
        The kernel's.
    m : ndarray of shape (key tiles, n_q) or None
        The kernel's own running maximum. It shows how exact its scores are, which narrows what acc may do.

    Returns
    -------
    dict of str to ndarray
        Each of the shape of what is expected.
    """
    finite = float(np.abs(expected["m"][np.isfinite(expected["m"])]).max(initial=1.0))
    largest_value = float(np.abs(trace.arrays["v"]).max(initial=1.0))
    atol, rtol = tolerance(fmt, finite, largest_value)
    per_score, _ = tolerance(fmt, finite, 1.0)
    per_maximum = per_score * max(1.0, finite)
    return {
        "m": np.full_like(expected["m"], per_maximum),
        "l": per_score * 2 * np.maximum(expected["l"], 1.0),
        "acc": _accumulator(trace, expected, fmt, _score_error(trace, expected["m"], per_maximum, fmt, m)),
        "o": atol + rtol * np.abs(expected["o"]),
        "lse": np.full_like(expected["lse"], per_maximum),
    }


def _score_error(trace: Trace, expected: Array, per_maximum: float, fmt: Format, m: Array | None) -> Array:
    """How far a score of each query may be off, shape (n_q,); as far as its maximum if m is not known."""
    if m is None:
        return np.full(trace.sizes.n_q, per_maximum)
    sizes = np.where(
        trace.plan.head.rule.allowed((0, trace.sizes.n_q), (0, trace.sizes.n_k)),
        np.abs(trace.arrays["q"].astype(np.float64)) @ np.abs(trace.arrays["k"].astype(np.float64)).T,
        0.0,
    )
    size = np.abs(trace.plan.call.scale) * sizes.max(axis=1, initial=0.0)
    # A softcap only brings scores nearer together.
    size = np.maximum(size, np.abs(np.where(np.isfinite(expected), expected, 0.0)).max(axis=0, initial=0.0))
    with np.errstate(invalid="ignore"):
        off = np.abs(m - expected)
    # A maximum that departs is a finding of its own, and no measure of rounding.
    off = np.where(off <= per_maximum, off, 0.0).max(axis=0, initial=0.0)
    seen = float(np.divide(off, size, out=np.zeros_like(off), where=size > 0).max(initial=0.0))
    of_inputs = 2 * _UNIT[fmt.name] if _rounds(trace, fmt, "qk") else 0.0
    per_size = _DOT_PRODUCT * float(np.finfo(fmt.compute).eps) + _UNSEEN * seen + of_inputs
    return np.asarray(per_size * size)


def _accumulator(trace: Trace, expected: Mapping[str, Array], fmt: Format, score_error: Array) -> Array:
    """The rule of the module's text, for acc: shape (key tiles, n_q, d_v)."""
    tiles, n_q, d_v = expected["acc"].shape
    exponential, eps = _EXPONENTIAL[fmt.name], float(np.finfo(fmt.compute).eps)
    v = trace.arrays["v"].astype(np.float64)
    of_values = _UNIT[fmt.name] if _rounds(trace, fmt, "v") else 0.0
    # What leaves with every visit and comes back, rounded: in the trace, and perhaps in the kernel.
    of_visits = (
        2 * max(_UNIT[fmt.name], _UNIT[trace.sizes.fmt.name]) if trace.sizes.loop == "kv_outer" else 0.0
    )
    exact, rounded, off_exact, off_rounded, sums = np.zeros((5, n_q, d_v))
    before, allowed = np.full(n_q, -np.inf), np.zeros((tiles, n_q, d_v))
    for step in trace.steps:
        if step.kind != "accumulate" or step.rows is None or step.cols is None or step.tile[1] is None:
            continue
        at, j = slice(*step.rows), step.tile[1]
        values, sizes = v[slice(*step.cols)], np.abs(v[slice(*step.cols)])
        p, weights = _weights(step, fmt, 2 * score_error[at] + exponential)
        alpha = np.exp(before[at] - np.where(np.isneginf(step.state["m"]), 0.0, step.state["m"]))[:, None]
        before[at] = step.state["m"]
        carried = alpha * np.abs(exact[at])
        exact[at] = alpha * exact[at] + p @ values
        rounded[at] = alpha * rounded[at] + weights["rounded"] @ values
        off_exact[at] = alpha * off_exact[at] + weights["off"] @ sizes
        off_rounded[at] = alpha * off_rounded[at] + weights["off_rounded"] @ sizes
        # Adding up a tile in any order, and the rescaling before it.
        sums[at] = alpha * sums[at] + (eps * len(values) + of_values) * (p @ sizes)
        sums[at] += (2 * eps + np.where(alpha < 1, exponential, 0.0) + of_visits) * carried
        here = expected["acc"][j, at]
        allowed[j:, at] = sums[at] + np.maximum(
            np.abs(exact[at] - here) + off_exact[at], np.abs(rounded[at] - here) + off_rounded[at]
        )
    return allowed


def _weights(step: Step, fmt: Format, error: Array) -> tuple[Array, dict[str, Array]]:
    """The trace's p of a visit, rounded to the kernel's format, and how far either may be off."""
    p = np.asarray(step.work["p"], np.float64)
    off = error[:, None] * p

    def to_nearest(x: Array) -> Array:
        return x.astype(fmt.dtype).astype(np.float64)

    rounded = to_nearest(p)
    off_rounded = np.maximum(to_nearest(p + off) - rounded, rounded - to_nearest(np.maximum(p - off, 0.0)))
    return p, {"rounded": rounded, "off": off, "off_rounded": off_rounded}


def _rounds(trace: Trace, fmt: Format, names: str) -> bool:
    """Whether the kernel's format cannot hold the trace's inputs as they are."""
    arrays: list[Any] = [trace.arrays[name] for name in names]
    return any(bool((fmt.round(a).astype(np.float64) != a.astype(np.float64)).any()) for a in arrays)
