"""What the browser gets for one row: three recorded runs, the float64 shares, every split, the words."""

import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, Decimal
from typing import Any

import numpy as np

from engine import reference_attention
from engine.one_row import METHODS, Frame, Method, RowRun, RowState, merge_rows, softmax_row
from lesson.softmax_text import load_row_text

Payload = dict[str, Any]

AGREES = 1e-5
"""Largest difference from float64 that rounding in float32 explains, for shares between 0 and 1."""


def finite(value: float) -> float | str | None:
    """Return a number as JSON can hold it: −∞ is None, +∞ and NaN are strings."""
    if value == -math.inf:
        return None
    if math.isnan(value):
        return "nan"
    return "inf" if value == math.inf else value


def state_of(state: RowState) -> Payload:
    """Return a pair (m, l) for the browser."""
    return {"m": finite(state.m), "l": finite(state.l)}


def exact_shares(row: Sequence[float]) -> list[float]:
    """Return softmax of a row in float64: attention of the one query 1 over the keys x with unit values."""
    allowed = [value != -math.inf for value in row]
    keys = [[value if seen else 0.0] for value, seen in zip(row, allowed, strict=True)]
    o, _ = reference_attention([[1.0]], keys, np.eye(len(row)), scale=1.0, keep=[allowed])
    return [float(share) for share in o[0]]


def frames_of(run: RowRun, lines: dict[str, int]) -> list[Payload]:
    """Return the frames of a run so that each draws alone: with the state before it, and its line of code."""
    m, l = (0.0 if run.method == "naive" else -math.inf), 0.0
    shares: list[float | str | None] = [None] * len(run.x)
    phases = [frame.phase for frame in run.frames]
    start: Payload = {"kind": "start", "index": None, "pass": None, "m_before": finite(m), "m": finite(m)}
    start |= {"l_before": l, "l": l, "alpha": 1.0, "rises": False, "rescales": False, "code": lines["start"]}
    frames = [start | {"reads": [0] * len(run.x), "shares": list(shares)}]
    for frame in run.frames:
        if frame.output is not None:
            shares[frame.index] = finite(frame.output)
        frames.append(
            _frame(frame, m, l)
            | {
                "pass": sorted(set(phases), key=phases.index).index(frame.phase),
                "code": lines[frame.phase],
                "shares": list(shares),
            }
        )
        m, l = frame.m, frame.l
    return frames


def _frame(frame: Frame, m: float, l: float) -> Payload:
    """Return what one event made, beside the state before it."""
    rises = frame.m > m
    return {
        "kind": frame.phase,
        "index": frame.index,
        "m_before": finite(m),
        "m": finite(frame.m),
        "l_before": finite(l),
        "l": finite(frame.l),
        "alpha": frame.alpha,
        "rises": rises,
        "rescales": rises and frame.phase == "sum" and m > -math.inf,
        "reads": list(frame.reads),
    }


def _largest_error(run: RowRun, exact: Sequence[float]) -> float:
    """Return the largest difference from the float64 shares; NaN if any share is NaN."""
    return float(np.max(np.abs(np.subtract(run.result, exact))))


def bound_of(errors: Iterable[float]) -> float:
    """Return a number of two digits that no error passes, so that "to within" is true as printed."""
    worst = Decimal(repr(float(max(errors))))
    digits = Decimal(1).scaleb(worst.adjusted() - 1)
    return float(worst.quantize(digits, rounding=ROUND_CEILING)) if worst else 0.0


def _method(run: RowRun, exact: Sequence[float], code: list[dict[str, str]]) -> Payload:
    lines = {line["runs"]: place for place, line in enumerate(code) if line["runs"]}
    last = run.frames[-1]
    return {
        "pseudocode": [line["text"] for line in code],
        "frames": frames_of(run, lines),
        "result": [finite(share) for share in run.result],
        "statistics": run.loads_for_statistics,
        "loads": run.loads,
        "m": None if run.method == "naive" else finite(last.m),
        "l": finite(last.l),
        "error": finite(_largest_error(run, exact)),
    }


def _statistics(row: Sequence[float]) -> RowState:
    """Return (m, l) of a part by the online pass; an empty part is the neutral element."""
    if not row:
        return RowState(-math.inf, 0.0)
    last = softmax_row(row, "online").frames[-1]
    return RowState(last.m, last.l)


def merges_of(row: Sequence[float]) -> Payload:
    """Return every split of the row in two: both parts, both joins, and how far any is from the whole."""
    whole = _statistics(row)
    splits = []
    worst = 0.0
    for split in range(len(row) + 1):
        left, right = _statistics(row[:split]), _statistics(row[split:])
        joins = {"left_right": merge_rows(left, right), "right_left": merge_rows(right, left)}
        for joined in joins.values():
            if joined.m != whole.m:
                raise ArithmeticError(f"joining gave m = {joined.m}, the whole row has {whole.m}")
            worst = max(worst, abs(joined.l - whole.l) / (whole.l or 1.0))
        parts = {"left": left, "right": right, **joins}
        splits.append({name: state_of(state) for name, state in parts.items()})
    return {"splits": splits, "whole": state_of(whole), "difference": worst}


def verdict_of(runs: dict[Method, RowRun], errors: dict[Method, float]) -> str:
    """Return which sentence compares the three ways: `empty`, `agree`, `overflows` or `underflows`."""
    if all(value == -math.inf for value in runs["naive"].x):
        return "empty"
    if errors["naive"] <= AGREES:
        return "agree"
    return "overflows" if runs["naive"].frames[-1].l == math.inf else "underflows"


def encode_row(row: Sequence[float], *, language: str = "en") -> Payload:
    """Return the payload of one row, as finite builtins.

    Parameters
    ----------
    row : sequence of float
        1 to 16 scores; −∞ is a masked one.
    language : str
        Folder of the words.

    Returns
    -------
    dict
        With `id`, which is the same for the same content, so that a rerun leaves the player as it is.
    """
    words, _ = load_row_text(language)
    exact = exact_shares(row)
    runs = {method: softmax_row(row, method) for method in METHODS}
    errors = {method: _largest_error(run, exact) for method, run in runs.items()}
    verdict = verdict_of(runs, errors)
    compared = METHODS if verdict == "agree" else ("two_pass", "online")
    payload: Payload = {
        "row": [finite(value) for value in runs["online"].x],
        "methods": {method: _method(run, exact, words["code"][method]) for method, run in runs.items()},
        "exact": exact,
        "verdict": verdict,
        "worst": bound_of(errors[method] for method in compared),
        "merge": merges_of(row),
        "words": {name: table for name, table in words.items() if name not in ("page", "code")},
    }
    text = json.dumps(payload, allow_nan=False, sort_keys=True)
    payload["id"] = hashlib.sha256(text.encode()).hexdigest()[:16]
    return payload
