"""Printed mistakes of the papers, and one of them run."""

from functools import lru_cache

import numpy as np

from engine import MISTAKES, attention, reference_attention, trace_attention
from engine.paper_checks import check_figure_2
from lesson.inputs import DEFAULT_KEY, entries, load
from lesson.links import link_markdown, load_links
from ui.calculator.html import statements
from ui.calculator.sheet import Sheet, kept_sheet
from ui.evidence.papers import WORDS
from ui.evidence.units import giga
from ui.exactness.numbers import small
from ui.reference.table import linked_table

ENTRIES = ("inverse", "third", "restated", "proof", "figure")
PRINTED_MISTAKE = "alpha_upside_down"

__all__ = ["ENTRIES", "errata", "errata_run", "run_printed"]


def _cells(name: str) -> list[str]:
    checks = {check.printed.method: check for check in check_figure_2()}
    values = {method: giga(check.printed.flops_printed, "FLOP") for method, check in checks.items()}
    values |= {f"{method}_right": giga(check.flops, "FLOP") for method, check in checks.items()}
    cells = [
        WORDS.say("errata", f"{name}_{part}", **values) for part in ("place", "printed", "right", "effect")
    ]
    links = []
    for key in WORDS.say("errata", f"{name}_links").split():
        links.append(link_markdown(key, load_links()[key].title.removeprefix("flash-attention ")))
    return [*cells, ", ".join(links)]


@kept_sheet
def errata(sheet: Sheet) -> None:
    """The mistakes as a table with links."""
    head = [WORDS.say("columns", name) for name in ("place", "printed", "right", "effect", "source")]
    caption = WORDS.say("errata", "caption")
    sheet.add(linked_table(caption, head, list(map(_cells, ENTRIES)), wide=(1, 2, 3)))


@lru_cache(maxsize=1)
def run_printed() -> tuple[int, int, float]:
    """Run the printed inverse on the default head.

    Returns
    -------
    finite, all : int
        Output numbers that are finite, and how many there are.
    right : float
        Largest difference of the algorithm without the inverse from the float64 reference.
    """
    given = load(DEFAULT_KEY)
    options = given.options()
    with np.errstate(all="ignore"):  # the point of this run is that it divides by zero
        wrong = trace_attention(given.q, given.k, given.v, mistake=PRINTED_MISTAKE, **options).result["o"]
    right, _ = attention(given.q, given.k, given.v, **options)
    reference, _ = reference_attention(given.q, given.k, given.v, causal=given.causal, keep=given.keep)
    return int(np.isfinite(wrong).sum()), wrong.size, float(np.abs(right - reference).max())


@kept_sheet
def errata_run(sheet: Sheet) -> None:
    """What the printed inverse gives, and why."""
    finite, size, right = run_printed()
    entry = next(entry for entry in entries() if entry.key == DEFAULT_KEY)
    told = WORDS.say(
        "errata", "run", sentence=entry.sentence, head=entry.label, finite=f"{finite:,}", all=f"{size:,}",
        right=small(right),
    )  # fmt: skip
    sheet.add(statements([("bad", told), ("", MISTAKES[PRINTED_MISTAKE].why)]))
