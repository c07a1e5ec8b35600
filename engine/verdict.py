"""Where another kernel's numbers first depart from a trace: the check that a kernel author takes away.

Knows traces and arrays. Must not know files or pages.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from engine.allowance import allowances
from engine.precision import Array, format_named
from engine.trace import Trace

__all__ = ["Departure", "Verdict", "judge"]

NAMES = ("m", "l", "acc", "o", "lse")


@dataclass(frozen=True)
class Departure:
    """The first place where an array differs by more than its format allows.

    ``tile`` is the key tile (None for final results), ``row`` the query, ``column`` the dimension (None for
    m, l and lse).
    """

    name: str
    tile: int | None
    row: int
    column: int | None
    found: float
    expected: float
    allowed: float


@dataclass(frozen=True)
class Verdict:
    """What was compared, in which format, the first departure (None: it agrees), and what may explain it.

    ``largest`` holds, for every array compared, its largest difference as a share of what is allowed.
    """

    compared: tuple[str, ...]
    storage: str
    first: Departure | None
    hint: str | None
    largest: Mapping[str, float]

    @property
    def agrees(self) -> bool:
        """Whether nothing departs."""
        return self.first is None

    @property
    def state_used(self) -> Mapping[str, float]:
        """Shares of m, l and acc, if only a result departs: what used most of its own may be the cause."""
        if self.first is None or self.first.tile is not None:
            return {}
        return {name: share for name, share in self.largest.items() if name in ("m", "l", "acc")}


def judge(trace: Trace, arrays: Mapping[str, Array], storage: str | None = None) -> Verdict:
    """Compare a kernel's intermediates or results with a forward trace of the same inputs.

    Parameters
    ----------
    trace : Trace
        A forward trace of the right algorithm.
    arrays : mapping of str to ndarray
        Any of ``m`` and ``l`` of shape (key tiles, n_q) and ``acc`` of shape (key tiles, n_q, d_v): the
        state after each key tile, a skipped tile leaving it as it was; and ``o`` (n_q, d_v), ``lse``
        (n_q,): the final results. Natural logs, scaled scores, acc not yet normalised.
    storage : {"float64", "float32", "float16", "bfloat16"} or None
        The kernel's number format, which sets the tolerance; None takes the trace's own.

    Returns
    -------
    Verdict
        The earliest departure: by key tile, then row, then in the order m, l, acc; results come last.

    Raises
    ------
    ValueError
        If nothing known is among the arrays, a shape does not fit (with both shapes), the values are not
        real numbers, or the trace is a backward or a mistake.
    """
    if trace.plan.direction != "forward" or trace.plan.mistake is not None:
        what = "a backward" if trace.plan.mistake is None else f"the mistake {trace.plan.mistake!r}"
        raise ValueError(f"only a forward trace of the right algorithm can judge a kernel; this is {what}")
    fmt = trace.sizes.fmt if storage is None else format_named(storage)
    given = {name: np.asarray(arrays[name]) for name in NAMES if name in arrays}
    if not given:
        held = ", ".join(sorted(arrays)) or "nothing"
        raise ValueError(f"found {held}; at least one of {', '.join(NAMES)} is needed")
    expected = _expected(trace)
    for name, array in given.items():
        if array.dtype.kind in "cbOSUMm":
            raise ValueError(f"{name} holds {array.dtype} values; real numbers are needed")
        if array.shape != expected[name].shape:
            wanted = expected[name].shape
            turned = "; did you transpose it?" if array.ndim > 1 and array.shape == wanted[::-1] else ""
            raise ValueError(f"{name} has shape {array.shape}; this trace has {wanted}{turned}")
    found = {name: array.astype(np.float64) for name, array in given.items()}
    allowed = allowances(trace, expected, fmt, found.get("m"))
    departures = [d for name in found if (d := _first(name, found[name], expected[name], allowed[name]))]
    first = min(departures, key=_when, default=None)
    largest = {name: _share(found[name], expected[name], allowed[name]) for name in found}
    hint = None if first is None else _hint(trace, first.name, found, expected, allowed)
    return Verdict(tuple(found), fmt.name, first, hint, largest)


def _expected(trace: Trace) -> dict[str, Array]:
    """State after each key tile, and the results; float64."""
    z, tiles = trace.sizes, len(trace.plan.k_tiles)
    m, l = np.full((tiles, z.n_q), -np.inf), np.zeros((tiles, z.n_q))
    acc = np.zeros((tiles, z.n_q, z.d_v))
    for step in trace.steps:
        if step.kind != "accumulate" or step.rows is None or step.tile[1] is None:
            continue
        rows, later = slice(*step.rows), slice(step.tile[1], None)
        # Set this tile and all later ones: a tile that is skipped leaves the state as it was.
        m[later, rows], l[later, rows] = step.state["m"], step.state["l"]
        acc[later, rows] = step.state["acc"]
    return {
        "m": m,
        "l": l,
        "acc": acc,
        "o": trace.arrays["reference_o"],
        "lse": trace.arrays["reference_lse"],
    }


def _beyond(found: Array, expected: Array, allowed: Array) -> Array:
    """True where the two differ by more than allowed. Equal infinities agree; NaN never does."""
    with np.errstate(invalid="ignore"):
        close = np.abs(found - expected) <= allowed
    beyond: Array = ~(close | (found == expected))
    return beyond


def _first(name: str, found: Array, expected: Array, allowed: Array) -> Departure | None:
    places = np.argwhere(_beyond(found, expected, allowed))
    if not len(places):
        return None
    at = tuple(int(i) for i in places[0])
    by_tile = name in ("m", "l", "acc")
    row = at[1] if by_tile else at[0]
    column = at[-1] if name in ("acc", "o") else None
    return Departure(
        name,
        at[0] if by_tile else None,
        row,
        column,
        float(found[at]),
        float(expected[at]),
        float(allowed[at]),
    )


def _when(d: Departure) -> tuple[float, int, int]:
    return (math.inf if d.tile is None else d.tile, d.row, NAMES.index(d.name))


def _share(found: Array, expected: Array, allowed: Array) -> float:
    with np.errstate(invalid="ignore"):
        share = np.where(found == expected, 0.0, np.abs(found - expected) / allowed)
    return math.inf if np.isnan(share).any() else float(share.max(initial=0.0))


def _hint(
    trace: Trace,
    name: str,
    found: Mapping[str, Array],
    expected: Mapping[str, Array],
    allowed: Mapping[str, Array],
) -> str | None:
    """Name a known difference of convention, if undoing it makes the array agree."""
    array, wanted, limit = found[name], expected[name], allowed[name]

    def fits(changed: Array) -> bool:
        return not _beyond(changed, wanted, limit * 4).any()

    if name in ("m", "lse"):
        if fits(array * math.log(2)):
            return "base_2"
        if trace.plan.call.softcap is None and name == "m" and fits(array * trace.plan.call.scale):
            return "unscaled"
        if fits(np.where(np.isposinf(array), -np.inf, array)):
            return "plus_infinity"
    if name in ("acc", "o"):
        total = expected["l"][..., None] if name == "acc" else expected["l"][-1][:, None]
        with np.errstate(invalid="ignore", divide="ignore"):
            if name == "acc" and fits(array * total):
                return "already_divided"
            if name == "o" and fits(array / np.where(total == 0, 1.0, total)):
                return "not_divided"
    return None
