"""Keys of generated questions by a second route: plain loops, without the engine's own forms."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine.hardware import DEVICES
from lesson.inputs import load
from lesson.quiz import Question, bank, make

SEEDS = range(30)
MIB = 1024 * 1024


def in_bytes(text: str) -> float:
    """Read "33.02 MiB" back."""
    number, unit = text.split(" ")
    return float(number.replace(",", "")) * {"B": 1, "KiB": 1024, "MiB": MIB, "GiB": 1024 * MIB}[unit]


def right_text(question: Question) -> str:
    (only,) = (option.text for option in question.options if option.right)
    return only


def close_text(question: Question, n_bytes: float) -> bool:
    """The right option, as displayed, is this many bytes to its last digit; no wrong one is."""
    hits = [abs(in_bytes(o.text) - n_bytes) <= 0.006 * n_bytes for o in question.options if o.right]
    return all(hits) and all(
        in_bytes(o.text) != in_bytes(right_text(question)) for o in question.options if not o.right
    )


def softmax_output(scores: list[float], values: list[float]) -> float:
    weights = [math.exp(score) for score in scores]
    return sum(w * v for w, v in zip(weights, values, strict=True)) / sum(weights)


def tiles(n: int, block: int) -> list[range]:
    return [range(start, min(start + block, n)) for start in range(0, n, block)]


def moved_queries_outside(n_q: int, n_k: int, d: int, block_q: int) -> int:
    """Count bytes tile by tile, float16 without a mask."""
    total = 0
    for rows in tiles(n_q, block_q):
        total += len(rows) * d * 2  # q in
        total += n_k * d * 2 + n_k * d * 2  # k and v in
        total += len(rows) * d * 2 + len(rows) * 4  # o and lse out
    return total


def moved_keys_outside(n: int, d: int, block_k: int) -> int:
    """Count bytes tile by tile: O, m and l in and out at every visit."""
    total = 0
    for cols in tiles(n, block_k):
        total += 2 * len(cols) * d * 2  # k and v in
        total += n * d * 2  # q in
        total += 2 * (n * d * 2 + n * 4 + n * 4)  # o, m and l in and out
    return total


def standard_moved(n: int, d: int) -> int:
    return 4 * n * n * 2 + 4 * n * d * 2


def softmax_two_ways(question: Question) -> bool:
    scores, values = question.sizes["scores"], question.sizes["values"]
    return right_text(question) == f"{softmax_output(scores, values):.3g}"


def sum_of_row(question: Question) -> float:
    scores = question.sizes["scores"]
    return sum(math.exp(score - max(scores)) for score in scores)


def rescaling_tiles(question: Question) -> list[bool]:
    maxima = question.sizes["maxima"]
    return [at > 0 and here > max(maxima[:at]) for at, here in enumerate(maxima)]


def skipped(question: Question) -> int:
    z = question.sizes
    return sum(
        all(col > row for row in rows for col in cols)
        for rows in tiles(z["n"], z["block_q"])
        for cols in tiles(z["n"], z["block_k"])
    )


def shared_bytes(block_q: int, block_k: int, d: int, stages: int) -> int:
    return (block_q * d + stages * 2 * block_k * d) * 2


def one_that_fits(question: Question) -> bool:
    limit = DEVICES[question.sizes["device"]].shared_bytes_per_block
    assert limit is not None
    for option in question.options:
        block_q, block_k = (int(part) for part in option.text.split(" × "))
        fits = shared_bytes(block_q, block_k, question.sizes["d"], question.sizes["stages"]) <= limit
        if fits != option.right:
            return False
    return True


def block_limit(question: Question) -> bool:
    """The limits that NVIDIA states a block: what a multiprocessor has, less the reserved KiB."""
    limits = {
        "v100": 96, "t4": 64, "a100-40": 163, "a100-80": 163, "rtx4090": 99, "l4": 99,
        "h100": 227, "h200": 227, "b200": 227, "mi300x": 64,
    }  # fmt: skip
    return right_text(question) == f"{limits[question.sizes['device']]} KiB"


def loses(question: Question) -> bool:
    n, d = question.sizes["n"], question.sizes["d"]
    return all(
        (moved_queries_outside(n, n, d, int(option.text)) > standard_moved(n, d)) == option.right
        for option in question.options
    )


def flops_by_loop(question: Question) -> bool:
    n, d = question.sizes["n"], question.sizes["d"]
    per_query = n * 2 * d + n * 2 * d  # every key: a score and a weighted value, a product and a sum each
    return right_text(question) == f"{n * per_query / 1e9:.3g} GFLOP"


def intensity_by_loop(question: Question) -> bool:
    z = question.sizes
    count = z["n"] * z["n"] * 4 * z["d"]
    shown = count / moved_queries_outside(z["n"], z["n"], z["d"], z["block_q"])
    return abs(float(right_text(question).split()[0].replace(",", "")) / shown - 1) < 0.006


def next_numbers(question: Question) -> bool:
    """m and l from the inputs: the maximum over the tiles so far, and the sum over those before this one."""
    given = load(question.sizes["input"])
    step, row = question.sizes["step"], question.sizes["row"]
    scale = 1 / math.sqrt(given.q.shape[1])
    scores = scale * given.q.astype(float) @ given.k.astype(float).T
    if given.causal == "bottom_right":
        offset = len(given.k) - len(given.q)
        for i in range(len(given.q)):
            scores[i, i + offset + 1 :] = -math.inf
    # Find the frame again by walking the loop, counting its steps.
    at = 1
    block_q, block_k = given.block_q, given.block_k
    assert block_q is not None and block_k is not None
    for rows in tiles(len(given.q), block_q):
        at += 1  # load_q
        for cols in tiles(len(given.k), block_k):
            block = scores[np.ix_(rows, cols)]
            if not np.isfinite(block).any():
                at += 1  # skip
                continue
            at += 2 + (0 if np.isfinite(block).all() else 1)  # load_kv, score, mask
            at += 1  # update_max
            if at == step:
                before, here = scores[rows[row], : cols[0]], scores[rows[row], cols[0] : cols[-1] + 1]
                new = max(before.max(), here.max())
                held = np.exp(before - new).sum()
                return right_text(question) == f"m = {new:.4g}, l = {held:.4g}".replace("-", "−")
            at += 3  # rescale, accumulate, discard
        at += 2  # normalise, store
    raise AssertionError(f"the loop has no step {step}")


def next_step(question: Question) -> bool:
    """What follows a discard, from the mask alone."""
    z = question.sizes
    n = len(load(z["input"]).q)
    at = 1
    for rows in tiles(n, z["block_q"]):
        at += 1
        cols_list = tiles(n, z["block_k"])
        for number, cols in enumerate(cols_list):
            allowed = [col <= row for row in rows for col in cols]
            if not any(allowed):
                at += 1
                continue
            at += 6 + (0 if all(allowed) else 1)  # load, score, (mask), max, rescale, accumulate, discard
            if at - 1 == z["step"]:
                later = cols_list[number + 1 :]
                if not later:
                    wanted = "divided by l"
                else:
                    wanted = "is loaded" if later[0][0] <= rows[-1] else "is skipped"
                return wanted in right_text(question)
        at += 2
    raise AssertionError(f"the loop has no discard at step {z['step']}")


def lucky(question: Question) -> bool:
    """Only the mistake said to be lucky gives the output of a plain softmax; each run anew, by hand."""
    scores, values = question.sizes["scores"], question.sizes["values"]
    wanted = softmax_output(scores, values)
    for option in question.options:
        agrees = math.isclose(by_hand(option.text, scores, values), wanted, rel_tol=1e-6)
        if agrees != option.right:
            return False
    return True


def by_hand(name: str, scores: list[float], values: list[float]) -> float:
    """Run a named mistake over tiles of two keys, in plain numbers."""
    parts = [(scores[at : at + 2], values[at : at + 2]) for at in range(0, len(scores), 2)]
    if name == "softmax each tile, then average":
        return sum(softmax_output(s, v) for s, v in parts) / len(parts)
    m, total, acc = -math.inf, 0.0, 0.0
    for s, v in parts:
        new = max(m, *s)
        alpha = math.exp(m - new)
        keep_l = name in ("rescale nothing", "forget to rescale l")
        keep_acc = name in ("rescale nothing", "forget to rescale acc")
        base = max(s) if name == "use the tile's own maximum" else new
        p = [math.exp(x - base) for x in s]
        total = (1 if keep_l else alpha) * total + sum(p)
        acc = (1 if keep_acc else alpha) * acc + sum(w * x for w, x in zip(p, v, strict=True))
        if name == "divide at every tile":
            acc /= total
        m = new
    return acc if name == "divide at every tile" else acc / total


NUMBERS: dict[str, Callable[[dict[str, Any]], float]] = {
    "score_mib": lambda z: sum(z["s"] * z["n_k"] for _ in range(z["n_q"])) / MIB,
    "mib_to_mb": lambda z: z["mib"] * 2**20 / 10**6,
    "decode_row": lambda z: z["n_k"] * 2 / 1024,
    "allowed_pairs": lambda z: sum(col <= row for row in range(z["n"]) for col in range(z["n"])),
    "alpha": lambda z: math.exp(z["old"]) / math.exp(z["new"]),
    "merge_parts": lambda z: math.log(math.exp(z["a"]) + math.exp(z["b"])),
    "kv_reads": lambda z: len(tiles(z["n_q"], z["block_q"])),
    "tile_bytes": lambda z: shared_bytes(z["block_q"], z["block_k"], z["d"], z["stages"]) / 1024,
    "recipe": lambda z: math.ceil(z["sram_bytes"] / 2 / (4 * z["d"])),
    "pairs_done": lambda z: sum(1 for _ in range(z["n"]) for _ in range(z["n"])),
}
NUMBERS_OF_QUESTION: dict[str, Callable[[Question], float]] = {
    "row_sum": sum_of_row,
    "causal_skips": skipped,
}
CHECKS: dict[str, Callable[[Question], bool]] = {
    "heads_in_all": lambda q: close_text(q, q.sizes["n"] ** 2 * 2 * q.sizes["heads"] * q.sizes["batch"]),
    "longer_prompt": lambda q: right_text(q) == f"× {q.sizes['factor'] * q.sizes['factor']}",
    "kv_cache": lambda q: close_text(
        q, 2 * q.sizes["layers"] * q.sizes["kv_heads"] * q.sizes["d"] * q.sizes["n_k"] * 2
    ),
    "two_tiles_mixed": softmax_two_ways,
    "which_tiles_rescale": lambda q: [o.right for o in q.options] == rescaling_tiles(q),
    "right_by_luck": lucky,
    "tiled_total": lambda q: close_text(
        q, moved_queries_outside(q.sizes["n"], q.sizes["n"], q.sizes["d"], q.sizes["block_q"])
    ),
    "keys_outside": lambda q: close_text(
        q, moved_keys_outside(q.sizes["n"], q.sizes["d"], q.sizes["block_k"])
    ),
    "wider_key_tiles": lambda q: close_text(
        q, moved_queries_outside(q.sizes["n"], q.sizes["n"], q.sizes["d"], q.sizes["block_q"])
    ),
    "break_even": loses,
    "flops": flops_by_loop,
    "intensity": intensity_by_loop,
    "one_block": block_limit,
    "which_fits": one_that_fits,
    "next_numbers": next_numbers,
    "next_step": next_step,
}
# Its key is a place in the listing; tests/quiz/test_show.py holds it against the engine's own listing.
ELSEWHERE = {"spot_the_line"}


def test_every_generated_question_has_a_second_route() -> None:
    generated = {entry.id for entry in bank() if entry.generated}
    assert generated == {*NUMBERS, *NUMBERS_OF_QUESTION, *CHECKS, *ELSEWHERE}


@pytest.mark.parametrize("question_id", [*NUMBERS, *NUMBERS_OF_QUESTION])
def test_numbers(question_id: str) -> None:
    for seed in SEEDS:
        question = make(question_id, seed)
        assert question.number is not None
        route = NUMBERS_OF_QUESTION.get(question_id)
        wanted = route(question) if route else NUMBERS[question_id](dict(question.sizes))
        np.testing.assert_allclose(question.number.value, wanted, rtol=1e-6, err_msg=f"seed {seed}")


@pytest.mark.parametrize("question_id", CHECKS)
def test_options(question_id: str) -> None:
    for seed in SEEDS:
        assert CHECKS[question_id](make(question_id, seed)), f"seed {seed}"
