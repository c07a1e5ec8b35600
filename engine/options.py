"""The door: every array and option is checked here, once, and trusted inside.

Knows shapes, formats and option values. Must not compute attention.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from engine.masks import BoolArray, Causal, PairRule, Window
from engine.memory import whole_number
from engine.precision import Array, Format, format_named, format_of

Order = Literal["q_outer", "kv_outer"]
ORDERS: tuple[Order, ...] = ("q_outer", "kv_outer")
CAUSAL: tuple[Causal, ...] = ("bottom_right", "top_left")
LEAST_SOFTCAP = 1e-6  # below it, scale / softcap nears float32's limits, and every weight is the same

__all__ = [
    "CAUSAL",
    "ORDERS",
    "Call",
    "Head",
    "Order",
    "check_array",
    "check_keep",
    "check_window",
    "like_output",
    "prepare",
]


@dataclass(frozen=True, eq=False)
class Head:
    """One query head with the key/value head it uses: 2-D arrays in the compute format.

    ``q`` (n_q, d), ``k`` (n_k, d), ``v`` (n_k, d_v), ``bias`` (n_q, n_k) or None.
    """

    q: Array
    k: Array
    v: Array
    rule: PairRule
    bias: Array | None
    scale: float
    softcap: float | None
    fmt: Format
    finite_values: bool = True


@dataclass(frozen=True, eq=False)
class Call:
    """A checked call: arrays of shape (batch, heads, n, d), already rounded to the storage format.

    ``lead`` is the leading shape to give the results back in. ``keep`` and ``bias`` are broadcast views of
    shape (batch, heads_q, n_q, n_k), or None.
    """

    q: Array
    k: Array
    v: Array
    lead: tuple[int, ...]
    causal: Causal | None
    window: Window | None
    keep: BoolArray | None
    bias: Array | None
    scale: float
    softcap: float | None
    fmt: Format
    finite_values: bool

    @property
    def group(self) -> int:
        """Query heads that share one key/value head."""
        return int(self.q.shape[1] // max(1, self.k.shape[1]))

    def rule(self, keep: BoolArray | None = None) -> PairRule:
        """Pairs that may attend."""
        return PairRule(self.q.shape[2], self.k.shape[2], self.causal, self.window, keep)

    def heads(self) -> Iterator[tuple[tuple[int, int], Head]]:
        """Each (batch, query head) with its arrays; query head h uses key/value head h // group."""
        for b, h in np.ndindex(self.q.shape[0], self.q.shape[1]):
            kv = h // self.group
            yield (
                (b, h),
                Head(
                    self.q[b, h],
                    self.k[b, kv],
                    self.v[b, kv],
                    self.rule(None if self.keep is None else self.keep[b, h]),
                    None if self.bias is None else self.bias[b, h],
                    self.scale,
                    self.softcap,
                    self.fmt,
                    self.finite_values,
                ),
            )


def prepare(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    v: npt.ArrayLike,
    *,
    causal: Causal | None = None,
    window: Window | None = None,
    keep: npt.ArrayLike | None = None,
    bias: npt.ArrayLike | None = None,
    softcap: float | None = None,
    scale: float | None = None,
    storage: str | None = None,
    allow_nonfinite: bool = False,
) -> Call:
    """Check a call's arrays and options and bring them into one form.

    Raises
    ------
    ValueError
        If a shape, a format or an option does not fit; the message names both values.
    """
    arrays = {name: check_array(name, a) for name, a in (("q", q), ("k", k), ("v", v))}
    lead = _check_shapes(**arrays)
    fmt = format_of(*arrays.values()) if storage is None else format_named(storage)
    with np.errstate(over="ignore"):  # what is too large for the format is refused below, in words
        rounded = {name: _four_axes(fmt.round(a)) for name, a in arrays.items()}
    finite = {name: bool(np.isfinite(a).all()) for name, a in rounded.items()}
    if not allow_nonfinite:
        for name, ok in finite.items():
            if not ok:
                hint = "; pass allow_nonfinite=True to compute with it"
                raise ValueError(_nonfinite_message(name, rounded[name], arrays[name], fmt, hint))
    q4, k4 = rounded["q"], rounded["k"]
    pairs = (q4.shape[0], q4.shape[1], q4.shape[2], k4.shape[2])
    keep4 = check_keep(keep, (*lead, *pairs[2:]))
    if keep4 is not None:
        keep4 = keep4.reshape(pairs)
    bias4 = _check_bias(bias, lead, pairs, fmt)
    if bias4 is not None and np.isneginf(bias4).any():
        # A bias of −∞ is a mask: said as one, so that tiles it empties are skipped like any other.
        seen = ~np.isneginf(bias4)
        keep4 = seen if keep4 is None else keep4 & seen
        bias4 = np.where(seen, bias4, 0).astype(fmt.compute)
    return Call(
        q4,
        k4,
        rounded["v"],
        lead,
        _check_causal(causal),
        check_window(window),
        keep4,
        bias4,
        1 / math.sqrt(q4.shape[3]) if scale is None else _number("scale", scale),
        _check_softcap(softcap),
        fmt,
        finite["v"],
    )


def check_array(name: str, value: npt.ArrayLike) -> Array:
    """Return ``value`` as an array of real numbers with at least two axes, or raise ValueError."""
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{name} is not a rectangular array: {error}") from error
    if array.dtype.kind in "cbOSUMm":
        raise ValueError(f"{name} holds {array.dtype} values; attention needs real numbers")
    if array.ndim < 2:
        raise ValueError(f"{name} has shape {array.shape}; it needs at least two axes, (positions, d)")
    return array


def _check_shapes(q: Array, k: Array, v: Array) -> tuple[int, ...]:
    if not q.ndim == k.ndim == v.ndim:
        raise ValueError(f"q, k and v must have as many axes each, not {q.ndim}, {k.ndim} and {v.ndim}")
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(f"k has d={k.shape[-1]} but q has d={q.shape[-1]}")
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(f"v has {v.shape[-2]} positions but k has {k.shape[-2]}")
    for name, a in (("q", q), ("v", v)):
        if a.shape[-1] < 1:
            raise ValueError(f"{name} has d={a.shape[-1]}; it must be at least 1")
    if q.shape[:-3] != k.shape[:-3] or k.shape[:-2] != v.shape[:-2]:
        raise ValueError(f"leading axes differ: q {q.shape[:-2]}, k {k.shape[:-2]}, v {v.shape[:-2]}")
    if q.ndim > 2:
        heads_q, heads_kv = q.shape[-3], k.shape[-3]
        if heads_kv == 0 or heads_q % heads_kv:
            raise ValueError(f"{heads_q} query heads is not a multiple of {heads_kv} key/value heads")
    return q.shape[:-2]


def _four_axes(a: Array) -> Array:
    heads = a.shape[-3] if a.ndim > 2 else 1
    batch = math.prod(a.shape[:-3])
    return a.reshape(batch, heads, a.shape[-2], a.shape[-1])


def like_output(name: str, value: npt.ArrayLike, call: Call) -> Array:
    """Check o, or the gradient at it, and return it rounded, with axes (batch, heads, n_q, d_v).

    Raises
    ------
    ValueError
        If it is not of the output's shape, holds no real numbers, or any that is not finite.
    """
    array = check_array(name, value)
    expected = (*call.lead, call.q.shape[2], call.v.shape[3])
    if array.shape != expected:
        raise ValueError(f"{name} has shape {array.shape} but the forward's output has {expected}")
    with np.errstate(over="ignore"):
        rounded = _four_axes(call.fmt.round(array))
    if not np.isfinite(rounded).all():
        raise ValueError(_nonfinite_message(name, rounded, array, call.fmt))
    return rounded


def _nonfinite_message(name: str, rounded: Array, given: Array, fmt: Format, hint: str = "") -> str:
    if np.isfinite(given.astype(np.float64)).all():
        largest = float(np.abs(given.astype(np.float64)).max())
        limit = float(np.finfo(np.float16).max) if fmt.name == "float16" else float(np.finfo(np.float32).max)
        return f"{name} holds {largest:g}, beyond {limit:g}, the largest number of {fmt.name}"
    place = tuple(int(i) for i in np.argwhere(~np.isfinite(rounded))[0][2:])
    return f"{name} holds a value that is not finite, the first at (position, dimension) {place}{hint}"


def check_keep(keep: npt.ArrayLike | None, shape: tuple[int, ...]) -> BoolArray | None:
    """Return ``keep`` broadcast to ``shape``, or raise ValueError if it is not boolean or does not fit."""
    if keep is None:
        return None
    mask = np.asarray(keep)
    if mask.dtype != np.bool_:
        raise ValueError(
            f"keep must be boolean, True where the pair may attend; it holds {mask.dtype} values"
        )
    return _spread("keep", mask, shape)


def _check_bias(
    bias: npt.ArrayLike | None, lead: tuple[int, ...], pairs: tuple[int, ...], fmt: Format
) -> Array | None:
    if bias is None:
        return None
    array = np.asarray(bias)
    if array.dtype.kind in "cbOSUMm":
        raise ValueError(
            f"bias holds {array.dtype} values; it must be real numbers (keep is the boolean one)"
        )
    with np.errstate(over="ignore"):  # too low becomes −∞, which masks; too high is refused as +∞
        array = array.astype(fmt.compute)
    if np.isnan(array).any() or np.isposinf(array).any():
        raise ValueError("bias holds NaN or +inf; only finite numbers and -inf (masked) have a meaning there")
    return _spread("bias", array, (*lead, *pairs[2:])).reshape(pairs)


def _spread(name: str, array: Array, shape: tuple[int, ...]) -> Array:
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        raise ValueError(f"{name} has shape {array.shape}, which does not broadcast to {shape}") from None


def _check_causal(causal: Causal | None) -> Causal | None:
    if causal is not None and not (isinstance(causal, str) and causal in CAUSAL):
        raise ValueError(f"causal must be None, 'bottom_right' or 'top_left', not {causal!r}")
    return causal


def check_window(window: Window | None) -> Window | None:
    """Return the window as (left, right), or raise ValueError if it is not a pair of counts or None."""
    if window is None:
        return None
    if not isinstance(window, tuple | list) or len(window) != 2:
        raise ValueError(f"window must be a pair (left, right), None for unlimited on a side, not {window!r}")
    left, right = (None if w is None else whole_number("window side", w, 0) for w in window)
    return left, right


def _check_softcap(softcap: float | None) -> float | None:
    if softcap is None:
        return None
    number = _number("softcap", softcap)
    if number < 0:
        raise ValueError(f"softcap must be above 0 (0 or None is off), not {softcap!r}")
    if 0 < number < LEAST_SOFTCAP:
        raise ValueError(f"softcap must be at least {LEAST_SOFTCAP:g} (0 or None is off), not {softcap!r}")
    return number or None


def _number(name: str, value: Any) -> float:
    try:
        if isinstance(value, bool | np.bool_ | str | bytes):  # float() would take these
            raise TypeError
        number = float(value)
    except OverflowError:  # a Python int beyond every float
        number = math.inf
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a number, not {value!r}") from None
    if not math.isfinite(number):
        raise ValueError(f"{name} must be a finite number, not {value!r}")
    return number
