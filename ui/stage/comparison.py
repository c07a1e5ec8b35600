"""A wrong algorithm beside the right one on the same input, reduced to what the stage draws.

Both runs go through the same steps, so a step of the one stands beside the same step of the other.
Knows traces. Must not know Streamlit.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal
from urllib.parse import urlencode

import numpy as np

from engine import MISTAKES, Step, Trace, tolerance, trace_attention
from engine.mistakes import softmax_named
from engine.online import State
from engine.precision import Array
from engine.tiled import tiled_attention
from lesson.inputs import DEFAULT_KEY, entries, load
from lesson.stage_breakit_text import load_breakit_text

__all__ = ["compare", "comparison_payload", "examples", "output_allowance", "parting_step"]

DIGITS = 6
"""Significant digits of the numbers sent, the same as the trace's."""

Side = dict[str, list[Any]]
Order = Literal["q_outer", "kv_outer"]


def output_allowance(right: Trace) -> float:
    """Return how far two outputs of this run may differ by rounding alone."""
    scores = np.concatenate(
        [np.ravel(step.work["s"]) for step in right.steps if step.kind == "score"] or [[0.0]]
    )
    largest_score = float(np.abs(scores[np.isfinite(scores)]).max(initial=1.0))
    largest_value = float(np.abs(right.arrays["v"]).max(initial=1.0))
    atol, rtol = tolerance(right.sizes.fmt, largest_score, largest_value)
    # Two runs, each as far from the reference as it may be.
    return 2 * (atol + rtol * largest_value)


def _output(step: Step, mistake: str | None) -> Array:
    """What this algorithm would give out now: its own reading of its state."""
    with np.errstate(all="ignore"):
        o, _ = softmax_named(mistake).finish(State(step.state["m"], step.state["l"], step.state["acc"]))
    return o


def _visits(right: Trace, wrong: Trace) -> Iterator[tuple[int, Step, Step]]:
    """Every visit once its block is in, with the index of its step."""
    for index, (one, other) in enumerate(zip(right.steps, wrong.steps, strict=True)):
        if one.kind == "accumulate":
            yield index, one, other


def _distance(one: Array, other: Array) -> Array:
    """Largest difference in each row; NaN wins over everything, and equal infinities differ by 0."""
    with np.errstate(invalid="ignore"):
        gap = np.where(one == other, 0.0, np.abs(one.astype(np.float64) - other.astype(np.float64)))
    largest: Array = gap.max(axis=1, initial=0.0)
    return largest


def _differs(one: Array, other: Array) -> bool:
    return not np.allclose(one, other, rtol=1e-4, atol=1e-30, equal_nan=True)


def parting_step(right: Trace, wrong: Trace) -> int | None:
    """Return the first step at which the mistake's own step gives other numbers; None if it never does.

    Only steps of the kind that the mistake gets wrong are looked at: there the algorithms part.
    What differs in other steps follows from it.
    """
    kind = MISTAKES[wrong.problem["mistake"]].step
    for index, (one, other) in enumerate(zip(right.steps, wrong.steps, strict=True)):
        if one.kind != kind:
            continue
        pairs = [(one.state[name], other.state[name]) for name in ("l", "acc")]
        pairs += [(one.work[name], other.work[name]) for name in ("m_new", "alpha", "p") if name in one.work]
        if any(_differs(*pair) for pair in pairs):
            return index
    return None


def _number(value: float) -> float | int | str | None:
    """One number as the browser takes it: −∞ is None, +∞ and NaN are words."""
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else None
    return float(f"{value:.{DIGITS}g}")


def _numbers(row: Array) -> list[float | int | str | None]:
    return [_number(float(value)) for value in row]


@dataclass
class _Pool:
    """Every distinct state once; steps point into it."""

    states: list[Side]
    place: dict[str, int]

    def index(self, state: Side) -> int:
        text = repr(state)
        if text not in self.place:
            self.place[text] = len(self.states)
            self.states.append(state)
        return self.place[text]


def _side(trace: Trace, mistake: str | None, pool: _Pool) -> list[int | None]:
    """For each step, which state of the pool the rows at hand are in."""
    places: list[int | None] = []
    alpha: Array | None = None
    for step in trace.steps:
        if step.kind in ("load_q", "load_kv", "skip"):
            alpha = None
        if "m" not in step.state:
            places.append(None)
            continue
        alpha = step.work.get("alpha", alpha)
        state = {
            "m": _numbers(step.work.get("m_new", step.state["m"])),
            "l": _numbers(step.state["l"]),
            "acc": _numbers(step.state["acc"][:, 0]) if step.state["acc"].shape[1] else [],
            "o": _numbers(_output(step, mistake)[:, 0]) if step.state["acc"].shape[1] else [],
        }
        if alpha is not None:
            state["alpha"] = _numbers(alpha)
        places.append(pool.index(state))
    return places


def compare(right: Trace, wrong: Trace) -> dict[str, Any]:
    """Return what the stage draws of a wrong algorithm beside the right one.

    Parameters
    ----------
    right, wrong : Trace
        Two traces of the same call; the second has a mistake.

    Returns
    -------
    dict
        * `mistake`.
        * `states`, and for each side (`right`, `wrong`) and step an index into it: m, l, alpha, and the first
          number of acc and of the output so far, row by row.
        * `errors`: for each query its `[step, key tile, distance]` after each visit, where distance is the
          largest difference of the output so far.
        * `allowed`: up to this distance two outputs agree.
        * `parts_at`, `departs_at`: the steps at which the algorithms and the outputs part, or None.
        * `lucky`: for each query whether its final output agrees all the same.

    Raises
    ------
    ValueError
        If the second trace has no mistake, or the two do not go through the same steps.
    """
    mistake = wrong.problem["mistake"]
    if mistake is None or right.problem["mistake"] is not None:
        raise ValueError(
            f"compare a right trace with a mistake, not {right.problem['mistake']!r} with {mistake!r}"
        )
    if [(s.kind, s.tile) for s in right.steps] != [(s.kind, s.tile) for s in wrong.steps]:
        raise ValueError(f"the two runs differ in their steps: {len(right.steps)} and {len(wrong.steps)}")
    allowed = output_allowance(right)
    errors: list[list[list[Any]]] = [[] for _ in range(right.problem["n_q"])]
    departs_at = None
    for index, one, other in _visits(right, wrong):
        distances = _distance(_output(one, None), _output(other, mistake))
        if departs_at is None and not (distances <= allowed).all():
            departs_at = index
        for row, distance in enumerate(distances, one.rows[0] if one.rows else 0):
            errors[row].append([index, one.tile[1], _number(float(distance))])
    final = _distance(right.result["o"], wrong.result["o"])
    pool = _Pool([], {})
    sides = {"right": _side(right, None, pool), "wrong": _side(wrong, mistake, pool)}
    return {
        "mistake": mistake,
        "states": pool.states,
        **sides,
        "errors": errors,
        "allowed": _number(allowed),
        "parts_at": parting_step(right, wrong),
        "departs_at": departs_at,
        "lucky": [bool(distance <= allowed) for distance in final],
    }


@cache
def examples(mistake: str, order: Order) -> dict[str, list[dict[str, str]]]:
    """Return the lesson's inputs on which a mistake is right by luck, and those on which it is not.

    Each runs with the tiles and the mask that it suggests. Of the real heads only those of the default
    sentence are tried.
    `address` holds the parameters of "Watch it run" that open it.
    """
    found: dict[str, list[dict[str, str]]] = {"lucky": [], "unlucky": []}
    for entry in entries():
        if entry.kind == "real" and not entry.key.startswith(f"{DEFAULT_KEY.split('.')[0]}."):
            continue
        given = load(entry.key)
        options = {**given.options(), "order": order}
        right = trace_attention(given.q, given.k, given.v, **options)
        wrong = trace_attention(given.q, given.k, given.v, mistake=mistake, **options)
        agrees = bool((_distance(right.result["o"], wrong.result["o"]) <= output_allowance(right)).all())
        name, _, head = entry.key.partition(".")
        address = {"run_input": name} | ({"run_head": head} if head else {})
        found["lucky" if agrees else "unlucky"].append(
            {
                "label": entry.label,
                "address": urlencode(address | {"run_mistake": mistake, "run_order": order}),
            }
        )
    return found


def one_tile_agrees(right: Trace, mistake: str) -> bool:
    """Return whether the mistake would be right if all keys came in one tile."""
    plan = right.plan
    with np.errstate(all="ignore"):
        one, other = (
            tiled_attention(
                plan.head, plan.block_q, max(right.sizes.n_k, 1), plan.order, softmax_named(name)
            )[0]
            for name in (None, mistake)
        )
    return bool((_distance(one, other) <= output_allowance(right)).all())


def comparison_payload(right: Trace, wrong: Trace, language: str = "en") -> dict[str, Any]:
    """Return `compare` with the words, the mistake's reasons and the inputs to try it on."""
    mistake = MISTAKES[wrong.problem["mistake"]]
    text = load_breakit_text(language)
    return {
        **compare(right, wrong),
        "step": mistake.step,
        "why": mistake.why,
        "by_luck": mistake.lucky,
        "name": text["names"][mistake.name],
        "examples": examples(mistake.name, right.problem["order"]),
        "one_tile_agrees": one_tile_agrees(right, mistake.name),
        "words": text["view"],
    }
