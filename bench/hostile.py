"""Hostile input against a running app: no traceback, no server error, bounded memory, a message each time.

    python -m bench.hostile                                   # starts the app itself
    python -m bench.hostile --addresses 200 --uploads 60      # a shorter run

Prints what was answered and returns 1 if anything was not as it must be.
"""

import argparse
import collections
import http.client
import sys
import time
from urllib.parse import urlsplit

from bench.hostile_cases import addresses, targets, uploads
from bench.server import Serving, cookie_of
from bench.session import Session, opened

MAX_GROWTH_MIB = 200
# The largest file that a page takes is smaller; the server refuses more than this before any page sees it.
UPLOAD_PAGE, UPLOAD_QUERY = "step_through", "run_input=file"

__all__ = ["answer_to", "main", "try_addresses", "try_targets", "try_uploads"]


def answer_to(url: str, method: str, target: str) -> tuple[int, bytes]:
    """Send a request line as it is, without a client's tidying; return status and body, 0 if cut off."""
    place = urlsplit(url)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=30)
    try:
        connection.putrequest(method, target, skip_accept_encoding=True)
        connection.putheader("Content-Length", "0")
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, answer.read(200_000)
    except (http.client.HTTPException, ConnectionError, ValueError):
        # The client library, or the server, refuses to go on with such a line.
        return 0, b""
    finally:
        connection.close()


def try_targets(url: str) -> tuple[collections.Counter[int], list[str]]:
    """Return how often each status came, and what must not have come."""
    statuses: collections.Counter[int] = collections.Counter()
    wrong = []
    for method, target in targets():
        status, body = answer_to(url, method, target)
        statuses[status] += 1
        leaked = [mark for mark in (b"Traceback", b"root:", b"[server]", b"import streamlit") if mark in body]
        if status >= 500 or leaked:
            wrong.append(f"{method} {target[:80]}: {status} {leaked}")
    return statuses, wrong


def try_addresses(url: str, count: int, seed: int = 0) -> tuple[int, list[str]]:
    """Open pages under fuzzed addresses and return how many messages were shown, and what went wrong."""
    shown, wrong = 0, []
    cookie = cookie_of(url)
    cases = list(addresses(count, seed))
    # A few to a session, as one learner's reloads are not.
    for start in range(0, len(cases), 20):
        with Session(url, cookie) as session:
            for page, query in cases[start : start + 20]:
                done = session.run(page, query)
                shown += len(done.alerts)
                wrong += [f"{page}?{query[:120]}: {said[:120]}" for said in done.exceptions]
    return shown, wrong


def try_uploads(url: str, count: int, seed: int = 0) -> tuple[collections.Counter[str], list[str]]:
    """Put files into both file fields; return how they were answered, and what went wrong."""
    answers: collections.Counter[str] = collections.Counter()
    wrong = []
    cookie = cookie_of(url)
    with Session(url, cookie) as session:
        sections = [opened(each) for each in session.run(UPLOAD_PAGE, UPLOAD_QUERY).closed]
        fields = session.run(UPLOAD_PAGE, UPLOAD_QUERY, sections).uploaders
        if len(fields) != 2:
            wrong.append(f"the page has {len(fields)} file fields, not 2")
        for number, (name, body) in enumerate(uploads(count, seed)):
            field = fields[number % len(fields)]
            status, state = session.upload(field, name, body)
            if status >= 500:
                wrong.append(f"{name}: {status}")
            if state is None:
                answers[f"refused by the server with {status}"] += 1
                continue
            done = session.run(UPLOAD_PAGE, UPLOAD_QUERY, [*sections, state])
            wrong += [f"{name}: {said[:160]}" for said in done.exceptions]
            answers["answered with a message" if done.alerts else "taken"] += 1
    return answers, wrong


def main(arguments: list[str] | None = None) -> int:
    """Run all three and print what came."""
    parser = argparse.ArgumentParser(prog="python -m bench.hostile", description=__doc__)
    parser.add_argument("--addresses", type=int, default=2000)
    parser.add_argument("--uploads", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(arguments)
    wrong: list[str] = []
    with Serving() as serving:
        # What every page keeps is loaded before memory is looked at.
        try_addresses(serving.url, 40, seed=asked.seed + 1)
        try_uploads(serving.url, 3)
        before = serving.memory_mib()
        began = time.monotonic()
        statuses, found = try_targets(serving.url)
        wrong += found
        print(
            f"{sum(statuses.values())} request lines: "
            + ", ".join(f"{n} × {s}" for s, n in sorted(statuses.items()))
        )
        shown, found = try_addresses(serving.url, asked.addresses, asked.seed)
        wrong += found
        print(f"{asked.addresses} addresses: {shown} messages to the learner")
        answers, found = try_uploads(serving.url, asked.uploads, asked.seed)
        wrong += found
        print(f"{asked.uploads} uploads: " + ", ".join(f"{n} {what}" for what, n in sorted(answers.items())))
        grown = serving.memory_mib() - before
        print(f"memory: {before:.0f} MiB, {grown:+.0f} MiB after it all; {time.monotonic() - began:.0f} s")
        log = serving.log_text()
    if grown > MAX_GROWTH_MIB:
        wrong.append(f"memory grew by {grown:.0f} MiB; the limit is {MAX_GROWTH_MIB}")
    if "Traceback" in log:
        wrong.append("the log holds a traceback: " + log[log.index("Traceback") :][:2000])
    for each in wrong:
        print(f"WRONG {each}")
    print(f"{len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
