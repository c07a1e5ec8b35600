"""How near the tuned path comes to what NumPy can do, as ratios with targets: ``python -m bench.speed``.

See ``bench/README.md`` for what each line means. Exit status 1 when a target is missed.
"""

import platform
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_info

from engine import fast
from engine.masks import Causal, PairRule

D = 64
SCALE = 0.125
ROUNDS = 15
Array = Any
Run = Callable[[], Any]
Clock = Callable[[], float]


class Line(NamedTuple):
    """One measured ratio; ``target`` is the most it may be, or None where there is only something to see."""

    what: str
    ratio: float
    target: float | None = None
    percent: bool = False

    @property
    def met(self) -> bool:
        return self.target is None or self.ratio <= self.target

    def __str__(self) -> str:
        value = f"{self.ratio:7.1%}" if self.percent else f"{self.ratio:7.3f}"
        if self.target is None:
            return f"       {value}               {self.what}"
        target = f"{self.target:5.0%}" if self.percent else f"{self.target:5.2f}"
        return f"{'pass' if self.met else 'MISS'}   {value}   <= {target}    {self.what}"


def inputs(t: int, heads: int = 1, sharpness: float = 1.0) -> tuple[Array, Array, Array]:
    """Unit-normal q, k, v of shape (heads, t, D) in float32; ``sharpness`` multiplies q."""
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((heads, t, D), dtype=np.float32) for _ in range(3))
    return q * np.float32(sharpness), k, v


def tiled(
    q: Array, k: Array, v: Array, causal: Causal | None = None, threads: int = 1
) -> tuple[Array, Array]:
    """Run the path under test, with its own choice of tiles."""
    t = q.shape[1]
    block_q, block_k = fast.default_blocks(t, t, D)
    return fast.fast_forward(
        q, k, v, rule=PairRule(t, t, causal), scale=SCALE, softcap=None,
        block_q=block_q, block_k=block_k, threads=threads,
    )  # fmt: skip


def naive(q: Array, k: Array, v: Array, *, causal: bool = False) -> Array:
    """Attention as a textbook writes it: the whole matrix, a new one for each operation."""
    s = q @ k.swapaxes(1, 2) * np.float32(SCALE)
    if causal:
        s = np.where(np.tri(s.shape[1], dtype=bool), s, np.float32(-np.inf))
    p = np.exp(s - s.max(axis=-1, keepdims=True))
    p = p / p.sum(axis=-1, keepdims=True)
    return p @ v


def naive_in_place(q: Array, k: Array, v: Array, *, causal: bool = False) -> Array:
    """Attention by the whole matrix again, with as few matrices as possible."""
    s = q @ k.swapaxes(1, 2) * np.float32(SCALE)
    if causal:
        s = np.where(np.tri(s.shape[1], dtype=bool), s, np.float32(-np.inf))
    s -= s.max(axis=-1, keepdims=True)
    np.exp(s, out=s)
    s /= s.sum(axis=-1, keepdims=True)
    return s @ v


def floor(q: Array, k: Array, v: Array, *, causal: bool = False) -> None:
    """Do what no tiled loop can do without: both products, one exponential a score. Not attention."""
    t = q.shape[1]
    block_q, block_k = fast.default_blocks(t, t, D)
    exp = fast.exponential_for(q.dtype, avx512=fast.AVX512).ufunc
    scores = np.empty((block_k, block_q), q.dtype)
    out = np.empty((block_q, D), q.dtype)
    for head in range(q.shape[0]):
        for start in range(0, t, block_q):
            tile = q[head, start : start + block_q]
            stop = min(start + block_q, t) if causal else t
            for first in range(0, stop, block_k):
                last = min(first + block_k, stop)
                s = scores[: last - first, : len(tile)]
                np.matmul(k[head, first:last], tile.T, out=s)
                exp(s, out=s)
                np.matmul(s.T, v[head, first:last], out=out[: len(tile)])


def ratios(runs: dict[str, Run], base: str, clock: Clock, rounds: int = ROUNDS) -> dict[str, float]:
    """Median over the rounds of each run's time beside ``base``'s in the same round.

    Runs take turns, and are compared within a turn: a clock that changes its speed, or a busy neighbour,
    then meets both sides of a ratio.
    """
    for run in runs.values():
        run()
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            start = clock()
            run()
            seconds[name].append(clock() - start)
    return {
        name: statistics.median(a / b for a, b in zip(times, seconds[base], strict=True))
        for name, times in seconds.items()
    }


def peak(run: Run) -> int:
    """Bytes that NumPy and Python held at most during the run, less what it returns."""
    tracemalloc.start()
    result = run()
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    kept = result if isinstance(result, tuple) else (result,)
    return held - sum(a.nbytes for a in kept)


def at_2048() -> list[Line]:
    """The targets: one head, T = 2048, one thread."""
    t = 2048
    q, k, v = inputs(t)
    sharp = inputs(t, sharpness=30)
    lines = []
    for causal, target in ((None, 0.55), ("top_left", 0.30)):
        named: Causal | None = "top_left" if causal else None
        masked = causal is not None
        runs: dict[str, Run] = {
            "tiled": lambda named=named: tiled(q, k, v, named),
            "naive": lambda masked=masked: naive(q, k, v, causal=masked),
            "in place": lambda masked=masked: naive_in_place(q, k, v, causal=masked),
            "floor": lambda masked=masked: floor(q, k, v, causal=masked),
            "sharp": lambda named=named: tiled(*sharp, named),
        }
        # CPU time of this thread: work of other programs on a shared machine is not ours.
        r = ratios(runs, "naive", time.thread_time)
        kind = "causal" if masked else "forward"
        lines += [
            Line(f"{kind} / naive", r["tiled"], target),
            Line(f"{kind} / floor", r["tiled"] / r["floor"], 1.5),
            Line(f"{kind}, q x 30 / q x 1", r["sharp"] / r["tiled"], 1.4),
            Line(f"{kind} temporaries / (T x T)", peak(runs["tiled"]) / (t * t * 4), 0.08, percent=True),
            Line(
                f"{kind}, q x 30, temporaries / (T x T)",
                peak(runs["sharp"]) / (t * t * 4),
                0.08,
                percent=True,
            ),
            Line(f"{kind} / naive in place", r["tiled"] / r["in place"]),
            Line(f"{kind}: floor / naive", r["floor"]),
            Line(f"{kind}: floor / naive in place", r["floor"] / r["in place"]),
            Line(f"{kind}: naive temporaries / (T x T)", peak(runs["naive"]) / (t * t * 4), percent=True),
        ]
    return lines


def elsewhere() -> list[Line]:
    """Other sizes, to see the trend; no targets."""
    q, k, v = inputs(4096)
    small = inputs(128, heads=64)
    big: dict[str, Run] = {
        "naive": lambda: naive(q, k, v),
        "tiled": lambda: tiled(q, k, v),
        "floor": lambda: floor(q, k, v),
        "naive causal": lambda: naive(q, k, v, causal=True),
        "causal": lambda: tiled(q, k, v, "top_left"),
    }
    r = ratios(big, "naive", time.thread_time, rounds=5)
    heads: dict[str, Run] = {
        "naive": lambda: naive(*small),
        "tiled": lambda: tiled(*small),
        "one by one": lambda: [tiled(*(a[h : h + 1] for a in small)) for h in range(64)],
    }
    s = ratios(heads, "naive", time.thread_time)
    # Two threads are judged by the wall clock: that is what they are for.
    two: dict[str, Run] = {"1": lambda: tiled(q, k, v), "2": lambda: tiled(q, k, v, None, 2)}
    w = ratios(two, "1", time.perf_counter, rounds=5)
    return [
        Line("T = 4096, forward / naive", r["tiled"]),
        Line("T = 4096, forward / floor", r["tiled"] / r["floor"]),
        Line("T = 4096, causal / naive causal", r["causal"] / r["naive causal"]),
        Line("T = 4096, two threads / one (wall clock)", w["2"]),
        Line("64 heads of T = 128, together / naive", s["tiled"]),
        Line("64 heads of T = 128, together / one by one", s["tiled"] / s["one by one"]),
    ]


def cpu_name() -> str:
    """The processor as the system names it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def main() -> int:
    exp = fast.exponential_for(np.dtype(np.float32), avx512=fast.AVX512).ufunc.__name__
    print(f"CPU {cpu_name()}, AVX-512 {'yes' if fast.AVX512 else 'no'}; exponential: np.{exp}")
    for pool in threadpool_info():
        if pool["user_api"] == "blas":
            name = f"{pool['internal_api']} {pool['version']} ({pool.get('architecture')})"
            print(f"NumPy {np.__version__}, {name}, {pool['num_threads']} thread")
    print(f"float32, d = {D}, tiles {fast.default_blocks(2048, 2048, D)}, medians of {ROUNDS} rounds\n")
    print("T = 2048, one head, one thread")
    lines = at_2048()
    for line in lines:
        print(line)
    print("\nOther sizes")
    for line in elsewhere():
        print(line)
    missed = [line.what for line in lines if not line.met]
    print(f"\nMissed: {', '.join(missed)}" if missed else "\nEvery target is met.")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
