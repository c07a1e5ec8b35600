"""The lesson's example as the server runs it: ``python -m bench.lesson_size``. Exit 1 if a target is missed.

The run on the page is one process; here it is started five times, and the median counts.
"""

import statistics
import sys
import time

from lesson.size_process import run_in_process

ROUNDS = 5
MOST_SECONDS = 2.0
MOST_PART = 0.05


def main() -> int:
    """Run, print each number beside its target."""
    runs, whole = [], []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        runs.append(run_in_process(lambda report: None))
        whole.append(time.perf_counter() - start)
    first = runs[0]
    seconds = statistics.median(run["seconds"] for run in runs)
    peak = max(run["peak_bytes"] for run in runs)
    part = peak / first["single_bytes"]
    print(f"{first['n']} x {first['n']}, d {first['d']}, float32, {first['threads']} threads, {ROUNDS} runs")
    print(f"the run                 {seconds:7.3f} s     target <= {MOST_SECONDS:g}")
    print(f"held besides in and out {peak / 2**20:7.2f} MiB   {part:.1%} of the matrix, <= {MOST_PART:.0%}")
    print(f"from float64, all rows  {max(run['difference'] for run in runs):7.1e}")
    print(f"with start, second run and check {statistics.median(whole):.2f} s")
    return int(seconds > MOST_SECONDS or part > MOST_PART)


if __name__ == "__main__":
    sys.exit(main())
