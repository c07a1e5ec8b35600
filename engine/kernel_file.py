"""Another kernel's numbers from an `.npz` file that may be hostile, and the trace to hold them against.

Knows files and traces. Must not know pages.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.memory import whole_number
from engine.npz_file import HEADER_BYTES, Limits, check_finite, read_arrays
from engine.precision import Array
from engine.trace import Trace, trace_attention
from engine.verdict import NAMES

# What the page's own upload takes as well (server.maxUploadSize), so that there is one limit.
# Every array of the largest run fits, even uncompressed.
MAX_FILE_BYTES = 5 << 20
MAX_MEMBERS = 16
# One array: the accumulator of 64 queries after each of 64 key tiles, head size 128, float64.
LIMITS = Limits(MAX_FILE_BYTES, MAX_MEMBERS, array_bytes=64 * 64 * 128 * 8 + HEADER_BYTES)

__all__ = ["LIMITS", "MAX_FILE_BYTES", "MAX_MEMBERS", "read_kernel_arrays", "retrace"]

# The fields of `problem` that a run is recorded again from, and what a file may hold there. The values
# themselves are checked where every call's are.
_WORD, _WORD_OR_NULL, _LIST = ("a word", str), ("a word or null", str, type(None)), ("a list", list)
_NUMBER, _WHOLE = ("a number", int, float), ("a whole number", int)
_FIELDS: dict[str, tuple[Any, ...]] = {
    "direction": _WORD, "order": _WORD, "storage": _WORD, "causal": _WORD_OR_NULL, "mistake": _WORD_OR_NULL,
    "n_q": _WHOLE, "n_k": _WHOLE, "d": _WHOLE, "d_v": _WHOLE, "block_q": _WHOLE, "block_k": _WHOLE,
    "seed": ("a whole number or null", int, type(None)), "scale": _NUMBER,
    "softcap": ("a number or null", int, float, type(None)), "window": ("a pair or null", list, type(None)),
    "tokens_q": _LIST, "tokens_k": _LIST, "allowed": _LIST, "has_bias": ("true or false", bool),
}  # fmt: skip
_AS_THEY_ARE = (
    "direction", "mistake", "seed", "block_q", "block_k", "causal", "softcap", "scale", "storage", "order",
)  # fmt: skip


def read_kernel_arrays(data: bytes) -> dict[str, Array]:
    """Read the arrays m, l, acc, o and lse that an `.npz` file holds.

    Parameters
    ----------
    data : bytes
        The whole file, at most `MAX_FILE_BYTES`. Arrays of other names in it are never read.

    Returns
    -------
    dict of str to ndarray
        Those of the five that are there. bfloat16, which NumPy saves as raw pairs of bytes, is recognised.

    Raises
    ------
    ValueError
        Naming the value and the limit: a file or an array that is too large or broken, too many arrays,
        none of the five, or one that does not hold real numbers.
    """
    return read_arrays(data, NAMES, LIMITS, all_needed=False)


def retrace(document: Mapping[str, Any]) -> Trace:
    """Record again the run that a trace file holds, so that a kernel can be judged by it.

    Parameters
    ----------
    document : mapping
        What `engine.read_trace` returns, unrounded: inputs, tiles, masks and options are all in it.

    Returns
    -------
    Trace

    Raises
    ------
    ValueError
        If the file is rounded, was made with a bias, which a trace file does not hold, or is damaged: with
        what it holds and what belongs there.
    """
    digits = _held(document, "digits", ("a whole number or null", int, type(None)))
    if digits is not None:
        raise ValueError(f"the trace was rounded to {digits} digits; make it again without rounding")
    held = _held(document, "problem", ("an object", dict))
    problem = {name: _held(held, name, kind, "problem.") for name, kind in _FIELDS.items()}
    arrays = _held(document, "arrays", ("an object", dict))
    if problem["has_bias"]:
        raise ValueError("the trace was made with a bias, which the file does not hold")
    n_q, n_k, d, d_v = (whole_number(name, problem[name], 0) for name in ("n_q", "n_k", "d", "d_v"))
    window = problem["window"]
    return trace_attention(
        _matrix(arrays, "q", n_q, d),
        _matrix(arrays, "k", n_k, d),
        _matrix(arrays, "v", n_k, d_v),
        tokens=(problem["tokens_q"], problem["tokens_k"]),
        window=None if window is None else tuple(window),
        # The pairs allowed, whatever allowed them.
        keep=_pairs(problem["allowed"], n_q, n_k),
        **{name: problem[name] for name in _AS_THEY_ARE},
    )


def _held(part: Mapping[str, Any], name: str, kind: tuple[Any, ...], inside: str = "") -> Any:
    """What the file holds under a name, if it is of the kind that belongs there."""
    words, *types = kind
    if name not in part:
        raise ValueError(f"the trace has no {inside}{name}")
    value = part[name]
    # True is an int to Python.
    if not isinstance(value, tuple(types)) or (isinstance(value, bool) and bool not in types):
        raise ValueError(f"the trace's {inside}{name} is {_short(value)}; it must be {words}")
    return value


def _matrix(arrays: Mapping[str, Any], name: str, rows: int, columns: int) -> Array:
    held = _held(arrays, name, _LIST, "arrays.")
    try:
        # null stands for −∞, which NumPy would read as NaN.
        array = np.array(held, np.float64).reshape(rows, columns)
    except (ValueError, TypeError, OverflowError):
        raise ValueError(
            f"the trace's arrays.{name} is {_short(held)}; "
            f"it must be {rows} rows of {columns} numbers, as problem says"
        ) from None
    check_finite(name, array)
    return array


def _pairs(rows: list[Any], n_q: int, n_k: int) -> Array:
    if len(rows) != n_q or not all(
        isinstance(row, str) and len(row) == n_k and not row.strip("01") for row in rows
    ):
        raise ValueError(
            f"the trace's problem.allowed is {_short(rows)}; "
            f"it must be {n_q} strings of {n_k} signs, each 0 or 1"
        )
    return np.array([[sign == "1" for sign in row] for row in rows], bool).reshape(n_q, n_k)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
