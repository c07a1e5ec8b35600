"""Questions about the lesson's own runs: what comes next, and how much is really done."""

from itertools import pairwise
from math import exp
from random import Random

from engine import Step, Trace
from lesson.inputs import load
from lesson.quiz.draft import Draft, choices_of, digits, maker, whole
from lesson.quiz.question import Table
from lesson.quiz.show import at_frame, trace_of
from lesson.words import load_words

FOUR = digits(4)
SENTENCES = ("keys-lock.prev", "red-fox.prev", "capitals.prev")
RISING = ("rising", "ragged", "keys-lock.prev", "red-fox.prev", "capitals.prev")


@maker("right", "not_rescaled", "upside_down", "max_kept", "sum_added")
def next_numbers(rng: Random) -> Draft:
    """m and l of a row after the step that shrinks what was gathered."""
    key = rng.choice(RISING)
    run = trace_of(key)
    places = [
        (at, row)
        for at, (step, after) in enumerate(pairwise(run.steps))
        if step.kind == "update_max" and after.kind == "rescale"
        for row, rescaled in enumerate(after.work["rescaled"])
        if rescaled
    ]
    at, row = rng.choice(places)
    step, after = run.steps[at], run.steps[at + 1]
    old, new = float(step.work["m_old"][row]), float(step.work["m_new"][row])
    held, right = float(step.state["l"][row]), float(after.state["l"][row])
    shrink = exp(old - new)

    def text(pair: tuple[float, float]) -> str:
        return f"m = {FOUR(pair[0])}, l = {FOUR(pair[1])}"

    # A token begins with the space before its word.
    query = run.problem["tokens_q"][(step.rows or (0, 0))[0] + row].strip()
    words = load_words("quiz_player")
    return Draft(
        slots={
            "query": query,
            "input": load(key).title,
            "old": FOUR(old),
            "new": FOUR(new),
            "l": FOUR(held),
            "alpha": FOUR(shrink),
            "right": FOUR(right),
        },
        choices=choices_of(
            text((new, right)),
            {
                "not_rescaled": text((new, held)),
                "upside_down": text((new, held / shrink)),
                "max_kept": text((old, held)),
                "sum_added": text((new, held + shrink)),
            },
        ),
        table=Table(
            words.say("table", "state", query=query),
            tuple(words.say("table", name) for name in ("m_old", "m_new", "l")),
            ((FOUR(old), FOUR(new), FOUR(held)),),
        ),
        show=at_frame(key, at + 1),
        sizes={"input": key, "step": at + 1, "row": row},
    )


def _next_of(run: Trace, at: int) -> str:
    """What follows a discard, in the terms of the options."""
    after: Step = run.steps[at + 1]
    if after.kind == "skip":
        return "skip"
    if after.kind == "load_kv":
        return "next_keys"
    if after.kind == "load_q":
        return "next_queries"
    return "divide"


NEXT = ("next_keys", "skip", "divide", "store_scores", "next_queries", "more_rescaling")


@maker("right", *NEXT)
def next_step(rng: Random) -> Draft:
    """What follows once a block is gone: the next tile, a skip, or the division."""
    key = rng.choice(SENTENCES)
    given = load(key)
    n = len(given.q)
    block_q, block_k = rng.choice(((4, 4), (4, 3), (6, 4), (8, 4), (5, 5)))
    run = trace_of(key, block_q=block_q, block_k=block_k)
    at = rng.choice([i for i, step in enumerate(run.steps) if step.kind == "discard"])
    step = run.steps[at]
    right = _next_of(run, at)
    words = load_words("quiz_player").table("next")
    wrong = {name: words[name] for name in NEXT if name != right}
    rows, cols = step.rows or (0, 0), step.cols or (0, 0)
    return Draft(
        slots={
            "n": str(n),
            "block_q": str(block_q),
            "block_k": str(block_k),
            "first_q": str(rows[0] + 1),
            "last_q": str(rows[1]),
            "first_k": str(cols[0] + 1),
            "last_k": str(cols[1]),
            "answer": words[right],
            "what": words[f"because_{right}"].format(last_q=rows[1], next_k=cols[1] + 1, n=n),
        },
        choices=choices_of(words[right], wrong),
        show=at_frame(key, at + 1, block_q=block_q, block_k=block_k),
        sizes={"input": key, "step": at, "block_q": block_q, "block_k": block_k},
    )


@maker("right", "one_a_tile", "diagonal_blocks", "causal_half", "one_block")
def pairs_done(rng: Random) -> Draft:
    """Scores that a run without a mask computes: every one."""
    key = rng.choice(SENTENCES)
    block_q, block_k = rng.choice((2, 3, 4, 6, 8)), rng.choice((2, 3, 4, 6, 8))
    run = trace_of(key, block_q=block_q, block_k=block_k, causal=None)
    scores = [step for step in run.steps if step.kind == "score"]
    n = len(load(key).q)
    visited = {(step.tile[0] or 0, step.tile[1] or 0): step.work["s"].size for step in scores}
    last = max(i for i, step in enumerate(run.steps) if step.kind == "score")
    return Draft(
        slots={
            "n": str(n),
            "block_q": str(block_q),
            "block_k": str(block_k),
            "tiles": str(len(scores)),
            "most": str(block_q * block_k),
        },
        right=sum(visited.values()),
        wrongs={
            "one_a_tile": len(scores),
            "diagonal_blocks": sum(size for (q, k), size in visited.items() if q == k),
            "causal_half": n * (n + 1) // 2,
            "one_block": block_q * block_k,
        },
        text=whole,
        show=at_frame(key, last, block_q=block_q, block_k=block_k, causal=None),
        sizes={"input": key, "n": n, "block_q": block_q, "block_k": block_k},
    )


@maker("right", "half", "diagonal_too", "none", "visited")
def causal_skips(rng: Random) -> Draft:
    """Tiles that a causal mask empties."""
    key = rng.choice(SENTENCES)
    block_q, block_k = rng.choice((2, 3, 4, 5)), rng.choice((2, 3, 4, 5))
    run = trace_of(key, block_q=block_q, block_k=block_k)
    n = len(load(key).q)
    visits = run.problem["visits"]
    skipped = sum(row.count("s") for row in visits)
    tiles = sum(len(row) for row in visits)
    touched = [step for step in run.steps if step.kind == "mask"]
    return Draft(
        slots={
            "n": str(n),
            "block_q": str(block_q),
            "block_k": str(block_k),
            "tiles": str(tiles),
            "visited": str(tiles - skipped),
            "skipped": str(skipped),
        },
        right=skipped,
        wrongs={
            "half": tiles // 2,
            "diagonal_too": skipped + len(touched),
            "none": 0,
            "visited": tiles - skipped,
        },
        text=whole,
        show=at_frame(key, lambda step: step.kind == "skip", block_q=block_q, block_k=block_k),
        sizes={"input": key, "n": n, "block_q": block_q, "block_k": block_k},
    )
