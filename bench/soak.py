"""Learners come and go for eight minutes; memory must not grow.

    python -m bench.soak
    python -m bench.soak --minutes 20 --learners 6

Each learner opens one page after the other, changes something, and leaves. Prints the slope of the server's
memory over sessions, after the time in which Streamlit still keeps ended sessions. Returns 1 if
it is too steep.
"""

import argparse
import itertools
import statistics
import sys
import threading
import time
from pathlib import Path

from bench.server import Serving, cookie_of
from bench.session import Session
from lesson.outline import load_outline

MOST_MIB_A_THOUSAND = 1.0
# Streamlit keeps an ended session for two minutes, so memory is level only after that.
WARM_S = 150
CHANGES = {"calculator": ("calc_n_q=1024", "calc_part=Traffic"), "step_through": ("run_order=kv_outer",)}

__all__ = ["main", "slope"]


def slope(points: list[tuple[int, float]]) -> float:
    """Return the least-squares slope of memory over sessions, in MiB for a thousand."""
    fit = statistics.linear_regression([sessions for sessions, _ in points], [mib for _, mib in points])
    return fit.slope * 1000


def main(arguments: list[str] | None = None) -> int:
    """Run the learners and watch the memory."""
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=8)
    parser.add_argument("--learners", type=int, default=3)
    parser.add_argument("--warm", type=float, default=WARM_S, help="seconds before memory counts")
    asked = parser.parse_args(arguments)
    # One page a session, as a reload of the browser makes it.
    pages = itertools.cycle(
        "" if page.key == "home" else Path(page.script).stem for page in load_outline().pages
    )
    count, failed = itertools.count(), []
    done = [0]
    lock = threading.Lock()
    with Serving() as serving:
        cookie = cookie_of(serving.url)
        end = time.monotonic() + asked.minutes * 60

        def learner() -> None:
            while time.monotonic() < end:
                with lock:
                    page, number = next(pages), next(count)
                try:
                    with Session(serving.url, cookie) as session:
                        for query in ("", *CHANGES.get(page, ())):
                            failed.extend(session.run(page, query).exceptions)
                except (OSError, TimeoutError) as error:
                    failed.append(f"session {number}: {type(error).__name__}: {error}")
                with lock:
                    done[0] += 1

        threads = [threading.Thread(target=learner) for _ in range(asked.learners)]
        began = time.monotonic()
        for thread in threads:
            thread.start()
        points: list[tuple[int, float]] = []
        while any(thread.is_alive() for thread in threads):
            time.sleep(2)
            seconds = time.monotonic() - began
            if seconds >= asked.warm:
                points.append((done[0], serving.memory_mib()))
            if int(seconds) % 30 < 2:
                print(f"{seconds:5.0f} s  {done[0]:6d} sessions  {serving.memory_mib():7.1f} MiB", flush=True)
        log = serving.log_text()
    if "Traceback" in log:
        failed.append("the log holds a traceback")
    for each in failed[:10]:
        print(f"FAILED {each}")
    if len(points) < 3:
        print("too short to fit a slope: memory counts only after the warm-up")
        return 1
    grew = slope(points)
    print(f"{done[0]} sessions, {len(failed)} failed; after {asked.warm:.0f} s: {grew:+.2f} MiB a thousand")
    print(f"target: ≤ {MOST_MIB_A_THOUSAND:.0f} MiB a thousand sessions")
    return 1 if failed or grew > MOST_MIB_A_THOUSAND else 0


if __name__ == "__main__":
    sys.exit(main())
