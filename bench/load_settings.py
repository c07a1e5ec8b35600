"""What single settings of the server do: runs and memory with the shipped settings, and with one changed.

python -m bench.load_settings
"""

import argparse
import statistics
import sys
from contextlib import ExitStack

from bench.load_pages import rate
from bench.server import Serving

PAGES = ("reference", "calculator")
CHANGES: dict[str, dict[str, str]] = {
    "as shipped": {},
    "collection after each run": {"runner.postScriptGC": "true"},
    "files watched": {"server.fileWatcherType": "auto"},
    "messages compressed": {"server.enableWebsocketCompression": "true"},
    "sessions kept for 10 s": {"server.disconnectedSessionTTL": "10"},
}

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> int:
    """Measure every change in turns and print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench.load_settings", description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.5)
    parser.add_argument("--turns", type=int, default=3)
    asked = parser.parse_args(arguments)
    found: dict[tuple[str, str], list[float]] = {}
    with ExitStack() as stack:
        servers = {name: stack.enter_context(Serving(options)) for name, options in CHANGES.items()}
        for _ in range(asked.turns):
            for name, serving in servers.items():
                for page in PAGES:
                    found.setdefault((name, page), []).append(rate(serving, page, asked.seconds)[0])
        memory = {name: serving.memory_mib() for name, serving in servers.items()}
    heads = "".join(f" {page:>12}" for page in PAGES)
    print(f"{'runs / s of processor':<28}{heads} {'MiB':>8}")
    for name in CHANGES:
        rates = "".join(f" {statistics.median(found[name, page]):>12.1f}" for page in PAGES)
        print(f"{name:<28}{rates} {memory[name]:>8.0f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
