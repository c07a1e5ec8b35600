"""The running maximum, the running sum and the one division."""

from functools import cache
from math import exp, inf, log
from random import Random
from typing import Any

import numpy as np

from engine import MISTAKES, Trace, merge, trace_attention
from engine.online import OnlineSoftmax
from engine.pseudocode import LISTINGS
from lesson.quiz.draft import MOST_WRONG, Choice, Draft, choices_of, digits, maker
from lesson.quiz.show import Show, at_frame, on_page, trace_of
from lesson.stage_breakit_text import load_breakit_text

THREE = digits(3)


def one_query(scores: list[float], values: list[float], block_k: int, mistake: str | None = None) -> Trace:
    """Run one query whose scores are given: q is 1 and the keys are the scores themselves."""
    column: Any = np.array(scores)[:, None]
    return trace_attention(
        np.ones((1, 1)),
        column,
        np.array(values)[:, None],
        scale=1.0,
        block_q=1,
        block_k=block_k,
        mistake=mistake,
    )


def plain(value: float) -> str:
    """Write a short binary fraction in full."""
    return f"{value:g}".replace("-", "\u2212")


def listed(values: list[float]) -> str:
    """Write numbers side by side."""
    return ", ".join(plain(value) for value in values)


def row_link(scores: list[float], step: int) -> Show:
    """Link to a frame of the one-row page: the online way handles one score a step, then writes shares."""
    row = ", ".join(f"{value:g}" for value in scores)
    return on_page("online_softmax", row_x=row, row_method="online", row_step=step)


@maker("right", "upside_down", "difference", "base_two", "part_lost", "forgets_old")
def alpha(rng: Random) -> Draft:
    """The factor of a rise."""
    old = rng.randrange(-4, 13) / 4
    rise = rng.choice((0.25, 0.5, 0.75, 1.25, 1.5, 2.0, 2.5))
    new = old + rise
    right = float(OnlineSoftmax().alpha(np.array([old]), np.array([new]))[0])
    return Draft(
        slots={"old": plain(old), "new": plain(new), "alpha": THREE(right)},
        right=right,
        wrongs={
            "upside_down": exp(rise),
            "difference": -rise,
            "base_two": 2**-rise,
            "part_lost": 1 - right,
            "forgets_old": exp(-new),
        },
        text=THREE,
        tolerance=0.02,
        show=row_link([old, new], 1),
        sizes={"old": old, "new": new},
    )


@maker("right", "sum_not_rescaled", "last_block_alone", "upside_down", "no_max")
def row_sum(rng: Random) -> Draft:
    """l of one query after two tiles, the larger score in the second."""
    first = [rng.randrange(0, 9) / 4 for _ in range(3)]
    second = [rng.randrange(0, 9) / 4 for _ in range(3)]
    second[rng.randrange(3)] = max(first) + rng.choice((0.5, 1.0, 1.5))
    scores = first + second
    run = one_query(scores, [1.0] * 6, 3)
    states = [step for step in run.steps if step.kind == "accumulate"]
    before, right = (float(step.state["l"][0]) for step in states)
    shrink = exp(max(first) - max(scores))
    wrong = one_query(scores, [1.0] * 6, 3, "sum_not_rescaled")
    unscaled = [step for step in wrong.steps if step.kind == "accumulate"][-1]
    return Draft(
        slots={
            "first": listed(first),
            "second": listed(second),
            "before": THREE(before),
            "alpha": THREE(shrink),
            "here": THREE(right - shrink * before),
            "right": THREE(right),
        },
        right=right,
        wrongs={
            "sum_not_rescaled": float(unscaled.state["l"][0]),
            "last_block_alone": right - shrink * before,
            "upside_down": right - shrink * before + before / shrink,
            "no_max": sum(exp(score) for score in scores),
        },
        text=THREE,
        tolerance=0.01,
        show=row_link(scores, len(scores) - 1),
        sizes={"scores": scores},
    )


MIX_MISTAKES = (
    "softmax_each_tile_then_average",
    "no_rescale",
    "divide_every_tile",
    "sum_not_rescaled",
    "accumulator_not_rescaled",
    "tile_max_instead_of_running_max",
)


@maker("right", *MIX_MISTAKES)
def mix(rng: Random) -> Draft:
    """The output of one query over two tiles, and what each named mistake makes of it."""
    scores = [rng.randrange(0, 13) / 4 for _ in range(4)]
    values = [float(rng.randrange(0, 21)) for _ in range(4)]
    outputs = {
        name: float(one_query(scores, values, 2, name).result["o"][0, 0]) for name in (None, *MIX_MISTAKES)
    }
    right = outputs.pop(None)
    return Draft(
        slots={
            "first": listed(scores[:2]),
            "second": listed(scores[2:]),
            "values_first": listed(values[:2]),
            "values_second": listed(values[2:]),
            "first_max": plain(max(scores[:2])),
            "all_max": plain(max(scores)),
            "right": THREE(right),
        },
        choices=choices_of(right, {str(name): value for name, value in outputs.items()}, THREE),
        show=row_link(scores, 2 * len(scores) - 1),
        sizes={"scores": scores, "values": values},
    )


@maker("right", "added", "larger", "mean", "log_of_sum")
def merge_parts(rng: Random) -> Draft:
    """lse of two parts joined."""
    # Close enough to each other that the smaller part still shows in the sum.
    a = rng.randrange(6, 17) / 4
    b = a + rng.choice((-1.25, -1, -0.75, -0.5, 0.5, 0.75, 1, 1.25))
    zero = np.zeros((1, 1))
    _, joined = merge(zero, np.array([a]), zero, np.array([b]))
    right = float(joined[0])
    return Draft(
        slots={"a": plain(a), "b": plain(b), "right": THREE(right), "larger": plain(max(a, b))},
        right=right,
        wrongs={"added": a + b, "larger": max(a, b), "mean": (a + b) / 2, "log_of_sum": log(a + b)},
        text=THREE,
        tolerance=0.01,
        show=row_link([a, b], 1),
        sizes={"a": a, "b": b},
    )


@maker("right", "first", "rises", "not_above")
def which_tiles(rng: Random) -> Draft | None:
    """The tiles after which a row has something to shrink."""
    maxima = [rng.randrange(0, 13) / 4 for _ in range(5)]
    run = one_query(maxima, [1.0] * 5, 1)
    shrinks = [bool(step.work["rescaled"][0]) for step in run.steps if step.kind == "rescale"]
    if not 1 <= sum(shrinks) <= 3:
        return None  # too easy, or everything
    choices = []
    so_far = -inf
    for number, (here, rises) in enumerate(zip(maxima, shrinks, strict=True), start=1):
        because = "first" if number == 1 else "rises" if rises else "not_above"
        slots = {"number": str(number), "here": plain(here), "before": plain(so_far) if number > 1 else ""}
        choices.append(Choice(f"tile {number}: {plain(here)}", rises, because, slots))
        so_far = max(so_far, here)
    return Draft(
        slots={"maxima": listed(maxima)},
        choices=tuple(choices),
        show=row_link(maxima, shrinks.index(True)),
        sizes={"maxima": maxima},
    )


# A kind of step, and what a wrong algorithm writes in its line.
WRONG_LINES = {
    "alpha_upside_down": ("rescale", "    alpha ← e^(m_new − m);  l, acc ← alpha·l, alpha·acc"),
    "no_rescale": ("rescale", "    alpha ← e^(m − m_new);  m ← m_new"),
    "sum_not_rescaled": ("rescale", "    alpha ← e^(m − m_new);  acc ← alpha·acc"),
    "accumulator_not_rescaled": ("rescale", "    alpha ← e^(m − m_new);  l ← alpha·l"),
    "max_forgets": ("update_max", "    m_new ← rowmax s"),
    "mask_with_zero": ("mask", "    s ← 0 where masked"),
    "values_unweighted": ("accumulate", "    p ← e^(s − m_new);  l, acc ← l + rowsum p, acc + v"),
    "scores_stored": ("discard", "    store s, p;  discard k, v"),
    "no_division": ("normalise", "  o ← acc;  lse ← m + ln l"),
    "state_not_reset": ("load_q", "  load q;  keep m, l, acc"),
}


@maker("right", "sound", *WRONG_LINES)
def wrong_line(rng: Random) -> Draft:
    """The listing of the loop with one line of a wrong algorithm in it."""
    listing = LISTINGS["q_outer"]
    name = rng.choice(sorted(WRONG_LINES))
    kind, line = WRONG_LINES[name]
    place = listing.line_of[kind]
    choices = tuple(
        Choice(
            line if at == place else text,
            at == place,
            name if at == place else "sound",
            {"line": str(at + 1)},
        )
        for at, text in enumerate(listing.lines)
    )
    # The mask touches no tile of an input without one.
    given = "ragged" if kind == "mask" else "rising"
    return Draft(
        slots={"line": str(place + 1), "true_line": listing.lines[place].strip()},
        choices=choices,
        show=at_frame(
            given,
            lambda step: step.kind == kind and (kind != "rescale" or any(step.work["rescaled"])),
        ),
        sizes={"name": name, "place": place},
    )


LUCK_CANDIDATES = (
    "no_rescale",
    "sum_not_rescaled",
    "accumulator_not_rescaled",
    "softmax_each_tile_then_average",
    "divide_every_tile",
    "tile_max_instead_of_running_max",
)


@cache
def _lucky_input(mistake: str) -> str | None:
    """The first made-up input on which a mistake does no harm, or None."""
    for key in ("rising", "falling", "equal", "dominant"):
        wrong, right = trace_of(key, mistake=mistake).result["o"], trace_of(key).result["o"]
        if np.allclose(wrong, right, rtol=1e-5):
            return key
    return None


@maker("right", "unlucky")
def lucky(rng: Random) -> Draft | None:
    """The one mistake of four that does no harm on one row."""
    scores = [rng.randrange(0, 17) / 4 for _ in range(6)]
    values = [float(rng.randrange(0, 21)) for _ in range(6)]
    right = one_query(scores, values, 2).result["o"]
    names = load_breakit_text()["names"]
    harmless: dict[str, Choice] = {}
    harmful: list[Choice] = []
    for name in LUCK_CANDIDATES:
        agrees = bool(np.allclose(one_query(scores, values, 2, name).result["o"], right, rtol=1e-9))
        slots = {"why": MISTAKES[name].why, "luck": MISTAKES[name].lucky}
        choice = Choice(names[name], agrees, "right" if agrees else "unlucky", slots)
        if agrees and _lucky_input(name):
            harmless[name] = choice
        elif not agrees:
            harmful.append(choice)
    if not harmless or len(harmful) < MOST_WRONG:
        return None
    chosen = rng.choice(sorted(harmless))
    tiles = [scores[at : at + 2] for at in (0, 2, 4)]
    return Draft(
        slots={
            "tiles": "; ".join(listed(tile) for tile in tiles),
            "maxima": listed([max(tile) for tile in tiles]),
            "luck": MISTAKES[chosen].lucky,
        },
        choices=(harmless[chosen], *harmful),
        show=at_frame(_lucky_input(chosen) or "", lambda step: step.kind == "normalise", mistake=chosen),
        sizes={"scores": scores, "values": values},
    )
