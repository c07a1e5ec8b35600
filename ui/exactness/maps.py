"""Which pairs each method computes: a small map a method, with its verdict."""

from html import escape
from pathlib import Path

import numpy as np

from engine.masks import BoolArray
from engine.variants import METHODS, Run
from ui.calculator.sheet import Sheet, kept_sheet
from ui.exactness.numbers import small
from ui.exactness.runs import compared, rounding_limit
from ui.exactness.settings import WORDS, Asked

__all__ = ["MAPS_CSS", "map_svg", "maps", "verdict"]

CELL = 10
MAPS_CSS = Path(__file__).with_name("maps.css").read_text(encoding="utf-8")
"""The styles of the maps, inside a sheet."""


def _squares(cells: BoolArray, inset: float = 0.0) -> str:
    size = CELL - 2 * inset
    return "".join(
        f"M{j * CELL + inset:g} {i * CELL + inset:g}h{size:g}v{size:g}h{-size:g}z"
        for i, j in np.argwhere(cells).tolist()
    )


def _crosses(cells: BoolArray) -> str:
    return "".join(f"M{j * CELL + 3} {i * CELL + 3}l4 4m-4 0l4 -4" for i, j in np.argwhere(cells).tolist())


def _marks(used: BoolArray, deleted: BoolArray, hidden: BoolArray, soft: BoolArray) -> str:
    """The cells of a map. Each kind has a shape of its own, not only a colour."""
    return (
        f'<path class="soft" d="{_squares(soft)}"/><path class="used" d="{_squares(used, 0.75)}"/>'
        f'<path class="dot" d="{_squares(hidden, 3.8)}"/><path class="gone" d="{_crosses(deleted)}"/>'
    )


def _kinds(run: Run) -> tuple[BoolArray, BoolArray, BoolArray, BoolArray]:
    """Pairs that are used, asked for and left out, multiplied then masked, and multiplied in vain."""
    return (
        run.used,
        run.asked & ~run.used,
        run.multiplied & ~run.asked,
        run.multiplied & ~run.used,
    )


def map_svg(run: Run, block_q: int, block_k: int) -> str:
    """Return one method's map as SVG, with words for those who do not see it."""
    n_q, n_k = run.used.shape
    used, deleted, hidden, soft = _kinds(run)
    alt = WORDS.say(
        "maps", "alt", method=WORDS.say("methods", run.method), used=run.cost.used, asked=run.cost.asked,
        left=run.cost.left_out, hidden=int(hidden.sum()),
    )  # fmt: skip
    lines = ""
    if run.method != "standard":
        lines = "".join(f"M0 {i * CELL}h{n_k * CELL}" for i in range(block_q, n_q, block_q))
        lines += "".join(f"M{j * CELL} 0v{n_q * CELL}" for j in range(block_k, n_k, block_k))
    return (
        f'<svg viewBox="-1 -1 {n_k * CELL + 2} {n_q * CELL + 2}" role="img" aria-label="{escape(alt)}">'
        f'{_marks(used, deleted, hidden, soft)}<path class="tile" d="{lines}"/>'
        f'<rect class="frame" x="0" y="0" width="{n_k * CELL}" height="{n_q * CELL}"/></svg>'
    )


def verdict(run: Run, limit: float) -> tuple[bool, str]:
    """Say whether a run gives what the definition asks for, and why not.

    Parameters
    ----------
    run : Run
    limit : float
        Largest difference that rounding alone explains.

    Returns
    -------
    exact : bool
    words : str
    """
    if run.cost.left_out:
        return False, WORDS.say("verdicts", "deleted", left=run.cost.left_out, asked=run.cost.asked)
    if run.largest > limit:
        return False, WORDS.say("verdicts", "approximate")
    return True, WORDS.say("verdicts", "exact" if run.method in ("standard", "tiled") else "nothing")


def _key() -> str:
    """What the signs mean."""
    one = np.ones((1, 1), np.bool_)
    none = ~one
    kinds = {
        "used": (one, none, none, none),
        "deleted": (none, one, none, none),
        "hidden": (none, none, one, one),
        "untouched": (none, none, none, none),
    }
    items = "".join(
        f'<li><svg viewBox="-1 -1 {CELL + 2} {CELL + 2}" aria-hidden="true">{_marks(*cells)}'
        f'<rect class="frame" x="0" y="0" width="{CELL}" height="{CELL}"/></svg>'
        f"{escape(WORDS.say('maps', kind))}</li>"
        for kind, cells in kinds.items()
    )
    return f'<ul class="key">{items}</ul>'


@kept_sheet
def maps(sheet: Sheet, asked: Asked) -> None:
    """Five maps, each with its verdict."""
    result = compared(asked.key, asked.settings, asked.storage)
    limit = rounding_limit(asked.key, asked.storage, asked.settings.causal)
    cards = []
    for method in METHODS:
        run = result.runs[method]
        exact, words = verdict(run, limit)
        difference = WORDS.say("maps", "difference", value=small(run.largest))
        cards.append(
            f'<div class="one"><h3>{escape(WORDS.say("methods", method))}</h3>'
            f'<p class="what">{escape(WORDS.say("what", method))}</p>'
            f"{map_svg(run, result.settings.block_q, result.settings.block_k)}"
            f'<p class="{"exact" if exact else "inexact"}">{escape(words)}</p>'
            f"<p>{escape(difference)}</p></div>"
        )
    sheet.add(f'<div class="maps"><div class="grid">{"".join(cards)}</div>{_key()}</div>')
