"""What the browser gets: one trace, the stage's words, the on-chip budget and a ledger of a real size."""

import hashlib
import json
from typing import Any

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

INPUT_DIGITS, BLOCK_DIGITS = 4, 5
"""Significant digits of rows that are too wide to print and are drawn as colour."""

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


def rounded(matrix: list[list[Any]], digits: int) -> list[list[Any]]:
    """Return a matrix with its floats at fewer significant digits."""
    return [[float(f"{x:.{digits}g}") if isinstance(x, float) else x for x in row] for row in matrix]


def pool_counts(steps: list[Payload]) -> list[Payload]:
    """Replace each step's byte counts by an index into the list returned, which holds each distinct one once.

    A step of the trace draws alone, so it repeats totals that few steps change; `unpack.js` puts them back.
    """
    pool: list[Payload] = []
    place: dict[tuple[tuple[str, int], ...], int] = {}
    for step in steps:
        for name in COUNTS:
            counts = tuple(step[name].items())
            if counts not in place:
                place[counts] = len(pool)
                pool.append(step[name])
            step[name] = place[counts]
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
        if len(arrays[name]) and len(arrays[name][0]) > WIDEST_PRINTED:
            arrays[name] = rounded(arrays[name], INPUT_DIGITS)
    document["blocks"] = [
        rounded(block, BLOCK_DIGITS) if len(block) and len(block[0]) > WIDEST_PRINTED else block
        for block in document["blocks"]
    ]
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
    payload["words"]["predict"] = load_predict_text(language)
    payload["words"]["budget"] = load_budget_text(language)
    payload["words"]["presenter"] = load_presenter_text(problem["direction"], language)
    share = load_share_text(language)
    payload["words"] |= {"share": share["panel"], "picture": share["picture"]}
    text = json.dumps(payload, allow_nan=False, sort_keys=True)
    payload["id"] = hashlib.sha256(text.encode()).hexdigest()[:16]
    return payload
