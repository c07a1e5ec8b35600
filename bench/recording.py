"""What recording a trace costs, beside the same run unrecorded.

Run: ``python -m bench.recording``. Exit status 1 when the target is missed.
"""

import statistics
import sys
import time
from collections.abc import Callable

import numpy as np

from engine.options import prepare
from engine.tiled import tiled_attention
from engine.trace import trace_attention
from engine.trace_io import trace_to_json

T, D, TILE, ROUNDS = 64, 16, 16, 300
TARGET = 1.5


def main() -> int:
    """Time both in turn and print the medians and their ratio."""
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((T, D)).astype(np.float32) for _ in range(3))

    def unrecorded() -> None:
        ((_, head),) = prepare(q, k, v).heads()
        tiled_attention(head, TILE, TILE)

    def recorded() -> None:
        trace_attention(q, k, v, block_q=TILE, block_k=TILE)

    def steps() -> None:
        _ = trace_attention(q, k, v, block_q=TILE, block_k=TILE).steps

    plain, record, built = (statistics.median(times) for times in _interleaved(unrecorded, recorded, steps))
    ratio = record / plain
    size = len(trace_to_json(trace_attention(q, k, v, block_q=TILE, block_k=TILE), digits=6))
    print(f"T = {T}, d = {D}, tile {TILE}, float32, medians of {ROUNDS}, interleaved")
    print(f"unrecorded                {plain * 1e3:7.3f} ms")
    print(f"recorded                  {record * 1e3:7.3f} ms   {ratio:5.2f} x   target <= {TARGET}")
    print(f"recorded, steps worked out {built * 1e3:6.3f} ms   {built / plain:5.2f} x   (when first read)")
    print(f"as JSON, 6 digits         {size / 1e3:7.1f} kB")
    return int(ratio > TARGET)


def _interleaved(*calls: Callable[[], None]) -> list[list[float]]:
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(ROUNDS):
        for call, seen in zip(calls, times, strict=True):
            start = time.perf_counter()
            call()
            seen.append(time.perf_counter() - start)
    return times


if __name__ == "__main__":
    sys.exit(main())
