"""What the browser gets: one trace, the stage's words, the on-chip budget and a ledger of a real size."""

import base64
import hashlib
import json
from typing import Any

import numpy as np

from engine import Trace, standard_bytes, tiled_bytes, trace_to_dict
from engine.traffic import Direction
from lesson.share_text import load_share_text
from lesson.stage_backward import backward_words
from lesson.stage_predict_text import load_predict_text
from lesson.stage_present_text import load_budget_text, load_presenter_text
from lesson.stage_text import load_stage_text

DIGITS = 6
"""Significant digits of scores and statistics: enough for a calculator to confirm four."""

WIDEST_PRINTED = 8
"""Rows up to this width are printed as numbers; `matrix.js` has the same limit."""

LARGEST_PACKED, SMALLEST_PACKED = 1e38, 1e-37
"""Between these sizes a float32 keeps all of `DIGITS`; a matrix that goes beyond them is sent as numbers."""

COUNTS = (
    "hbm_read",
    "hbm_write",
    "hbm_read_total",
    "hbm_write_total",
    "standard_read_total",
    "standard_write_total",
    "resident",
)
"""The fields of a step that hold bytes by tensor; `unpack.js` has the same list."""

LISTS = (
    *("m", "l", "s", "p", "row_max", "m_old", "m_new", "rises", "alpha", "l_before", "l_after", "rescaled"),
    *("row_sum", "lse", "delta", "d_p", "d_s"),
)
"""The fields of a step's state and work that hold lists of numbers; `unpack.js` has the same list."""

REAL_LENGTH, REAL_D, REAL_BLOCK, REAL_BYTES, REAL_FORMAT = 4096, 64, 128, 2, "float16"

Payload = dict[str, Any]


def packed(matrix: list[list[Any]]) -> list[list[Any]] | Payload:
    """Return a matrix that is too wide to print as float32 in base64: 5.4 characters a number and not 9.

    A float32 holds the digits that were kept. A narrow matrix stays as it is, and so does one whose values
    a float32 cannot hold. `unpack.js` puts the numbers back, and −∞, ∞ and NaN as a trace writes them.

    Parameters
    ----------
    matrix : list of rows
        Of a trace: numbers, None for −∞, "inf" and "nan".

    Returns
    -------
    list of rows, or dict
        `f32`, the numbers row by row in little-endian order, and `columns`.
    """
    if not matrix or len(matrix[0]) <= WIDEST_PRINTED:
        return matrix
    numbers = np.array([[-np.inf if x is None else float(x) for x in row] for row in matrix])
    sizes = np.abs(numbers[np.isfinite(numbers) & (numbers != 0)])
    if sizes.size and (sizes.max() > LARGEST_PACKED or sizes.min() < SMALLEST_PACKED):
        return matrix
    text = base64.b64encode(numbers.astype("<f4").tobytes()).decode()
    return {"f32": text, "columns": len(matrix[0])}


def pool_counts(steps: list[Payload]) -> list[Payload]:
    """Replace each step's byte counts by `counts`: a place for each of `COUNTS` in the list returned.

    The list holds each distinct one once. A step of the trace draws alone, so it repeats totals that few
    steps change; `unpack.js` puts them back.
    """
    pool: list[Payload] = []
    place: dict[tuple[tuple[str, int], ...], int] = {}
    for step in steps:
        step["counts"] = []
        for name in COUNTS:
            counted = step.pop(name)
            counts = tuple(counted.items())
            if counts not in place:
                place[counts] = len(pool)
                pool.append(counted)
            step["counts"].append(place[counts])
    return pool


def pool_lists(steps: list[Payload]) -> list[list[Any]]:
    """Replace the lists of numbers in each step's state and work likewise: s stands in several."""
    pool: list[list[Any]] = []
    place: dict[str, int] = {}
    for step in steps:
        for part in (step["state"], step["work"]):
            for name in LISTS:
                if name in part:
                    text = json.dumps(part[name])
                    if text not in place:
                        place[text] = len(pool)
                        pool.append(part[name])
                    part[name] = place[text]
    return pool


def budget_for(peak_bytes: int) -> int:
    """Return the smallest power of two that holds the run's fullest moment."""
    return 1 << max(peak_bytes - 1, 0).bit_length()


def real_ledger(order: str, direction: Direction = "forward") -> Payload:
    """Return both algorithms' bytes for a long sequence, from the engine's closed forms."""
    standard = standard_bytes(
        REAL_LENGTH, REAL_LENGTH, REAL_D, bytes_per_element=REAL_BYTES, direction=direction
    )
    tiled = tiled_bytes(
        REAL_LENGTH,
        REAL_LENGTH,
        REAL_D,
        block_q=REAL_BLOCK,
        block_k=REAL_BLOCK,
        order="q_outer" if order == "q_outer" else "kv_outer",
        bytes_per_element=REAL_BYTES,
        direction=direction,
    )
    real: Payload = {"n": f"{REAL_LENGTH:,}", "d": REAL_D, "block": REAL_BLOCK, "format": REAL_FORMAT}
    for name, ledger in (("standard", standard), ("tiled", tiled)):
        real[f"{name}_read"] = {
            tensor: moved.read for tensor, moved in ledger.by_tensor.items() if moved.read
        }
        real[f"{name}_written"] = {
            tensor: moved.written for tensor, moved in ledger.by_tensor.items() if moved.written
        }
    return real


def encode(trace: Trace, *, budget_bytes: int | None = None, language: str = "en") -> Payload:
    """Return the payload of one trace, as finite builtins.

    Parameters
    ----------
    trace : Trace
    budget_bytes : int or None
        Where the budget line stands; None puts it at the smallest power of two that holds the run.
    language : str
        Folder of the words.

    Returns
    -------
    dict
        With `id`, which is the same for the same content, so that a rerun leaves the stage as it is.
    """
    document = trace_to_dict(trace, digits=DIGITS)
    arrays = document["arrays"]
    problem = document["problem"]
    # The stage never compares with the reference, and it reads O from the steps.
    for name in [name for name in arrays if name.startswith("reference_")]:
        del arrays[name]
    document.pop("result")
    # A backward has o and d_o among its inputs.
    for name in {"q", "k", "v", "o", "d_o"} & set(arrays):
        arrays[name] = packed(arrays[name])
    document["blocks"] = [packed(block) for block in document["blocks"]]
    peak = max(sum(step["resident"].values()) for step in document["steps"])
    payload: Payload = {
        "trace": document,
        "counts": pool_counts(document["steps"]),
        "lists": pool_lists(document["steps"]),
        "words": {name: table for name, table in load_stage_text(language).items() if name != "page"},
        "budget": budget_for(peak) if budget_bytes is None else budget_bytes,
        "real": real_ledger(problem["order"], problem["direction"]),
    }
    if problem["direction"] == "backward":
        payload["words"] = backward_words(payload["words"], language)
    predict = load_predict_text(language)
    # The card is made with every run, but a backward asks nothing.
    payload["words"]["predict"] = predict if problem["direction"] == "forward" else {"card": predict["card"]}
    payload["words"]["budget"] = load_budget_text(language)
    payload["words"]["presenter"] = load_presenter_text(problem["direction"], language)
    share = load_share_text(language)
    payload["words"] |= {"share": share["panel"], "picture": share["picture"]}
    text = json.dumps(payload, allow_nan=False, sort_keys=True)
    payload["id"] = hashlib.sha256(text.encode()).hexdigest()[:16]
    return payload
