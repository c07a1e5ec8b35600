"""A class opens the lesson: 200 learners in one minute, each with an empty cache, on one replica.

    python -m bench.load_crowd
    python -m bench.load_crowd --learners 50 --seconds 15

Each fetches what a browser fetches (learnt from one visit by Chromium), connects, and waits for the first
page's script to end. Returns 1 if the slowest twentieth waits too long, or anybody fails.
"""

import argparse
import http.client
import statistics
import sys
import threading
import time
from urllib.parse import urlsplit

from playwright.sync_api import sync_playwright

from bench.server import Serving, cookie_of
from bench.session import Session
from tests.ensure_chromium import find_chromium

MOST_P95_S = 5.0
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-component-update",
]
ARGUMENTS += ["--disable-background-networking", "--disable-sync"]

__all__ = ["files_of", "main", "open_lesson"]


def files_of(url: str) -> list[str]:
    """Return the paths that a browser with an empty cache fetches for the first page."""
    found: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        page = browser.new_page()
        page.on("request", lambda request: found.append(request.url) if request.method == "GET" else None)
        page.goto(url)
        page.get_by_test_id("stage").wait_for(timeout=60_000)
        browser.close()
    own = [each.removeprefix(url) for each in found if each.startswith(f"{url}/")]
    return list(dict.fromkeys(own))


def open_lesson(url: str, files: list[str], cookie: str) -> tuple[float, int]:
    """Open the lesson as one learner and return how long it took and how many bytes came.

    Raises
    ------
    RuntimeError
        If a file is missing or the page failed.
    """
    began = time.monotonic()
    place = urlsplit(url)
    received = 0
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=60)
    for path in files:
        connection.request("GET", path, headers={"Accept-Encoding": "gzip", "Cookie": cookie})
        answer = connection.getresponse()
        received += len(answer.read())
        if answer.status >= 400:
            raise RuntimeError(f"{path} was answered with {answer.status}")
    connection.close()
    with Session(url, cookie) as session:
        done = session.run()
    if done.exceptions:
        raise RuntimeError(done.exceptions[0])
    return time.monotonic() - began, received + done.received_bytes


def main(arguments: list[str] | None = None) -> int:
    """Let them come evenly over the time, and print how long they waited."""
    parser = argparse.ArgumentParser(prog="python -m bench.load_crowd", description=__doc__)
    parser.add_argument("--learners", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    asked = parser.parse_args(arguments)
    waited: list[float] = []
    failed: list[str] = []
    received: list[int] = []
    with Serving() as serving:
        files, cookie = files_of(serving.url), cookie_of(serving.url)
        used, memory, began = serving.cpu_s(), serving.memory_mib(), time.monotonic()

        def learner(number: int) -> None:
            time.sleep(number * asked.seconds / asked.learners)
            try:
                seconds, size = open_lesson(serving.url, files, cookie)
            except (RuntimeError, OSError, TimeoutError, http.client.HTTPException) as error:
                failed.append(f"learner {number}: {type(error).__name__}: {error}")
            else:
                waited.append(seconds)
                received.append(size)

        threads = [threading.Thread(target=learner, args=(number,)) for number in range(asked.learners)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        took = time.monotonic() - began
        used, grown = serving.cpu_s() - used, serving.memory_mib() - memory
    for each in failed[:10]:
        print(f"FAILED {each}")
    if not waited:
        return 1
    p50, p95 = statistics.median(waited), sorted(waited)[int(len(waited) * 0.95) - 1]
    print(f"{asked.learners} learners in {asked.seconds:.0f} s, {len(files)} files each")
    print(f"received by each: {statistics.median(received) / 1e6:.2f} MB; failed: {len(failed)}")
    print(f"until the page stood: median {p50:.2f} s, p95 {p95:.2f} s, slowest {max(waited):.2f} s")
    print(
        f"server: {used / len(waited):.3f} s of a core a learner, {used / took:.0%} of it, {grown:+.0f} MiB"
    )
    print(f"target: p95 ≤ {MOST_P95_S:.0f} s and none fails")
    return 1 if failed or p95 > MOST_P95_S else 0


if __name__ == "__main__":
    sys.exit(main())
