"""A verdict on a kernel in words, and the frame of the stage that it is about."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from engine.trace import Trace
from engine.verdict import Departure, Verdict
from lesson.share_text import load_share_text

__all__ = ["Frame", "Report", "frame_of", "report_on"]

# Where the stage shows how a number came about.
_MADE_AT = {
    "m": ("update_max", "rescale", "skip"),
    "l": ("accumulate", "skip"),
    "acc": ("accumulate", "skip"),
    "o": ("normalise",),
    "lse": ("normalise",),
}


@dataclass(frozen=True)
class Frame:
    """A step of a trace (0-based), and the row inside its query tile."""

    step: int
    row: int


@dataclass(frozen=True)
class Report:
    """A verdict in sentences of Markdown, and the frame to look at (None when the kernel agrees)."""

    agrees: bool
    sentences: tuple[str, ...]
    frame: Frame | None


def frame_of(trace: Trace, departure: Departure) -> Frame:
    """Return the step that makes the number in question: of its key tile, or the last division of its row.

    A tile that the mask empties has only its `skip`.
    """
    block_q = trace.problem["block_q"]
    tile_q, row = divmod(departure.row, block_q)
    fitting = [
        (index, step.kind)
        for index, step in enumerate(trace.steps)
        if step.tile[0] == tile_q
        and step.kind in _MADE_AT[departure.name]
        and departure.tile in (None, step.tile[1])
    ]
    if departure.tile is None:
        return Frame(fitting[-1][0], row)
    kinds = _MADE_AT[departure.name]
    return Frame(min(fitting, key=lambda found: kinds.index(found[1]))[0], row)


def report_on(trace: Trace, verdict: Verdict, language: str = "en") -> Report:
    """Put a verdict into words.

    Parameters
    ----------
    trace : Trace
        The one that the verdict was reached with.
    verdict : Verdict
    language : str
        Folder of the words.
    """
    text = load_share_text(language)
    words, first = text["check"], verdict.first
    if first is None:
        names = ", ".join(f"`{name}`" for name in verdict.compared)
        used = _shares(verdict.largest, words["share"])
        return Report(True, (words["agrees"].format(names=names, storage=verdict.storage), f"{used}."), None)
    where = "departs_result" if first.tile is None else "departs_tile"
    place = words[where if first.column is None else f"{where}_column"].format(
        name=first.name,
        tile=first.tile,
        tiles=trace.problem["tiles_k"],
        row=first.row,
        column=first.column,
        token=trace.problem["tokens_q"][first.row].strip(),
    )
    numbers = words["numbers"].format(
        found=_number(first.found),
        expected=_number(first.expected),
        allowed=f"{first.allowed:.2g}",
        storage=verdict.storage,
    )
    hint = () if verdict.hint is None else (text["hints"][verdict.hint],)
    used = _shares(verdict.state_used, words["share"])
    state = (words["state_agrees"].format(used=used),) if used else ()
    return Report(False, (place, numbers, *state, *hint), frame_of(trace, first))


def _shares(shares: Mapping[str, float], word: str) -> str:
    return "; ".join(word.format(name=f"`{name}`", share=f"{share:.1%}") for name, share in shares.items())


def _number(value: float) -> str:
    """A number to seven digits, with signs as the lesson writes them."""
    if np.isnan(value):
        return "NaN"
    if np.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:.7g}".replace("-", "−")
