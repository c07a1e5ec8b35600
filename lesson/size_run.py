"""The lesson's example, executed: attention of that size, timed, its memory measured, its error found.

A process of its own, so that the memory of nothing else is counted and a web server is not held up.
`python -m lesson.size_run` prints one JSON object a line: progress, and at last the result.
"""

import argparse
import json
import os
import sys
import time
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from engine import attention, reference_attention, score_matrix_bytes
from engine.fast import default_blocks, default_threads
from engine.memory import count_within
from engine.precision import Array
from lesson.values import BYTES_PER_SCORE, D, N

SEED = 0
# Rows of the reference at a time: its matrices are float64, and there are several.
CHECK_ROWS = 128
# A server's other work goes first.
NICENESS = 5

__all__ = ["CHECK_ROWS", "SEED", "run_size"]

Report = dict[str, Any]


def run_size(n: int = N, tell: Callable[[Report], None] = lambda report: None) -> Report:
    """Compute attention of n queries and n keys in float32 and measure it.

    Parameters
    ----------
    n : int
        Queries and keys; head size 64, unit-normal inputs with a fixed seed.
    tell : callable
        Gets `{"stage": "run" | "measure" | "check", "done": 0 to 1}` as the work goes on.

    Returns
    -------
    dict
        `seconds` of the run; `peak_bytes`, the most that it held besides inputs and outputs at any moment;
        `difference`, the largest from float64 over all rows; `pairs`, `block_q`, `block_k`, `threads`,
        `score_bytes` (two-byte scores) and `single_bytes` (float32).

    Raises
    ------
    ValueError
        If n is not a whole number from 1 to the lesson's size.

    Notes
    -----
    The run is timed first and measured in a second run, because watching memory takes time. The peak is that
    of `tracemalloc`: it sees every array and object, and not the packing buffers inside BLAS.
    """
    count_within("n", n, 1, N)
    rng = np.random.default_rng(SEED)
    q, k, v = (rng.standard_normal((n, D), dtype=np.float32) for _ in range(3))
    # The first call of a process loads code and starts threads; that is not the algorithm.
    attention(q[:64], k[:64], v[:64])
    tell({"stage": "run", "done": 0.0})
    start = time.perf_counter()
    o, _ = attention(q, k, v)
    seconds = time.perf_counter() - start
    tell({"stage": "measure", "done": 0.0})
    peak_bytes = _peak_of_another(q, k, v, o)
    difference = _difference(q, k, v, o, tell)
    block_q, block_k = default_blocks(n, n, D)
    return {
        "stage": "done",
        "n": n,
        "d": D,
        "pairs": n * n,
        "seconds": seconds,
        "peak_bytes": peak_bytes,
        "score_bytes": score_matrix_bytes(n, n, BYTES_PER_SCORE),
        "single_bytes": score_matrix_bytes(n, n, o.itemsize),
        "difference": difference,
        "block_q": block_q,
        "block_k": block_k,
        "threads": default_threads(n, n),
    }


def _peak_of_another(q: Array, k: Array, v: Array, o: Array) -> int:
    """Run once more, hold the result to the first, and return the most bytes held besides it."""
    tracemalloc.start()
    again, lse_again = attention(q, k, v)
    peak = tracemalloc.get_traced_memory()[1] - again.nbytes - lse_again.nbytes
    tracemalloc.stop()
    if not np.array_equal(o, again):
        raise RuntimeError("two runs on the same input gave different bits")
    return int(peak)


def _difference(q: Array, k: Array, v: Array, o: Array, tell: Callable[[Report], None]) -> float:
    """Return the largest difference from float64, a few rows at a time."""
    largest = 0.0
    for first in range(0, len(q), CHECK_ROWS):
        tell({"stage": "check", "done": first / len(q)})
        rows = slice(first, first + CHECK_ROWS)
        exact, _ = reference_attention(q[rows], k, v)
        largest = max(largest, float(np.abs(o[rows] - exact).max()))
    return largest


def main() -> int:
    """Run and print, one JSON object a line."""
    parser = argparse.ArgumentParser(description="Run the lesson's example and measure it.")
    parser.add_argument("n", nargs="?", type=int, default=N, help="queries and keys")

    def tell(report: Report) -> None:
        print(json.dumps(report, allow_nan=False), flush=True)

    with suppress(AttributeError, OSError):  # Windows has no niceness, and a container may forbid it.
        os.nice(NICENESS)
    tell(run_size(parser.parse_args().n, tell))
    return 0


if __name__ == "__main__":
    sys.exit(main())
