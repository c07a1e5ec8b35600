"""Script runs a second of each page, beside a bare page with the same settings and with the defaults.

    python -m bench.load_pages                # two seconds a page and turn
    python -m bench.load_pages --seconds 5 --turns 5

A run is one learner's change answered in full. Runs are counted against the server's processor time, because
whoever makes the load shares the machine with it. Returns 1 if a target is missed.
"""

import argparse
import statistics
import sys
import time
from contextlib import ExitStack
from pathlib import Path

from bench.server import Serving, cookie_of
from bench.session import Session
from lesson.outline import load_outline

LEAST_OF_BARE = 1 / 3
LEAST_OF_DEFAULTS = 4

__all__ = ["main", "rate"]


def rate(serving: Serving, page: str, seconds: float) -> tuple[float, float]:
    """Return runs for each second of the server's processor, and runs a second of the clock."""
    with Session(serving.url, cookie_of(serving.url)) as session:
        # What the page computes once for everybody is not what is measured.
        for _ in range(2):
            session.run(page)
        used, began, runs = serving.cpu_s(), time.monotonic(), 0
        while time.monotonic() - began < seconds or runs < 3:
            done = session.run(page)
            if done.exceptions:
                raise RuntimeError(f"the page {page!r} failed: {done.exceptions[0]}")
            runs += 1
        return runs / max(serving.cpu_s() - used, 0.01), runs / (time.monotonic() - began)


def main(arguments: list[str] | None = None) -> int:
    """Measure in turns and print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench.load_pages", description=__doc__)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--turns", type=int, default=3)
    asked = parser.parse_args(arguments)
    pages = {page.key: "" if page.key == "home" else Path(page.script).stem for page in load_outline().pages}
    measured: dict[str, list[tuple[float, float]]] = {}
    with ExitStack() as stack:
        app = stack.enter_context(Serving())
        bare = stack.enter_context(Serving(bare=True))
        plain = stack.enter_context(Serving(bare=True, defaults=True))
        for _ in range(asked.turns):
            # In turns, so that a clock that changes its speed meets all of them.
            measured.setdefault("bare", []).append(rate(bare, "", asked.seconds))
            measured.setdefault("defaults", []).append(rate(plain, "", asked.seconds))
            for key, page in pages.items():
                measured.setdefault(key, []).append(rate(app, page, asked.seconds))
    runs = {key: statistics.median(cpu for cpu, _ in rates) for key, rates in measured.items()}
    clock = {key: statistics.median(wall for _, wall in rates) for key, rates in measured.items()}
    print(f"{'page':<16} {'runs / s of processor':>22} {'runs / s':>10} {'of bare':>9} {'× defaults':>11}")
    missed = []
    for key in ("bare", "defaults", *pages):
        of_bare, of_defaults = runs[key] / runs["bare"], runs[key] / runs["defaults"]
        print(f"{key:<16} {runs[key]:>22.1f} {clock[key]:>10.1f} {of_bare:>9.2f} {of_defaults:>11.1f}")
        if key in pages and (of_bare < LEAST_OF_BARE or of_defaults < LEAST_OF_DEFAULTS):
            missed.append(key)
    print(f"target: a third of the bare page and {LEAST_OF_DEFAULTS} × the bare page under defaults")
    print(f"missed by: {', '.join(missed)}" if missed else "met by every page")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
