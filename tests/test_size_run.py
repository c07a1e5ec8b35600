"""The run of the lesson's size: its numbers, its queue, its process and its routes."""

import json
import threading
from typing import Any

import numpy as np
import pytest
from starlette.applications import Starlette
from starlette.types import Message

from engine import reference_attention
from lesson.run_queue import QueueFull, RunQueue
from lesson.size_process import run_in_process
from lesson.size_run import SEED, run_size
from lesson.values import D, N
from tests.loops import finish
from ui.lesson.size_routes import size_routes

SMALL = 300
Report = dict[str, Any]


class Gate:
    """Work that waits until the test lets it go on, and notes how many work at once."""

    def __init__(self) -> None:
        self.go, self.begun = threading.Semaphore(0), threading.Semaphore(0)
        self.at_once = self.most = self.done = 0

    def __call__(self, tell: Any) -> Report:
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        tell({"stage": "check", "done": 0.5})
        self.begun.release()
        assert self.go.acquire(timeout=20)
        self.at_once -= 1
        self.done += 1
        return {"stage": "done", "number": self.done}


def until(queue: RunQueue, ticket: str, stage: str) -> Report:
    """Ask until a ticket has come to a stage."""
    tick = threading.Event()
    for _ in range(2000):
        report = queue.look(ticket)
        if report["stage"] == stage:
            return report
        tick.wait(0.01)
    raise AssertionError(f"the ticket stands at {report}")


def test_the_numbers_are_those_of_the_run() -> None:
    told: list[Report] = []
    result = run_size(SMALL, told.append)
    assert [report["stage"] for report in told] == ["run", "measure", "check", "check", "check"]
    assert result["pairs"] == SMALL**2 and result["single_bytes"] == SMALL**2 * 4
    assert result["seconds"] > 0
    # Less than one copy of the matrix, and not nothing: one tile at least is alive.
    assert D * 4 < result["peak_bytes"] < 3 * SMALL**2 * 4
    rng = np.random.default_rng(SEED)
    q, k, v = (rng.standard_normal((SMALL, D), dtype=np.float32) for _ in range(3))
    largest = float(np.abs(reference_attention(q, k, v)[0]).max())
    assert 0 < result["difference"] < 1e-5 * largest


@pytest.mark.parametrize("n", [0, N + 1])
def test_an_impossible_size_is_refused(n: int) -> None:
    with pytest.raises(ValueError, match=str(n) if n == 0 else "4,097"):
        run_size(n)


def test_the_lessons_own_size_holds_a_small_part_of_the_matrix() -> None:
    """In a process of its own; at most 5 % of the matrix in float32."""
    told: list[Report] = []
    result = run_in_process(told.append)
    assert result["n"] == N and result["single_bytes"] == 64 * 2**20
    assert result["peak_bytes"] <= 0.05 * result["single_bytes"]
    assert result["difference"] < 1e-5
    assert {report["stage"] for report in told} == {"run", "measure", "check", "done"}


def test_a_run_that_dies_or_hangs_is_a_message() -> None:
    with pytest.raises(RuntimeError, match="n must be at least 1"):
        run_in_process(lambda report: None, n=0)
    with pytest.raises(RuntimeError, match="without a result"):
        run_in_process(lambda report: None, limit_s=0.01)


def test_twenty_at_once_wait_for_two_runs() -> None:
    gate = Gate()
    queue = RunQueue(gate)
    tickets = [queue.join()]
    assert gate.begun.acquire(timeout=20)
    tickets += [queue.join() for _ in range(19)]
    assert queue.look(tickets[0]) == {"stage": "check", "done": 0.5, "sharing": 1}
    assert [queue.look(ticket) for ticket in tickets[1:]] == [{"stage": "waiting", "sharing": 19}] * 19
    gate.go.release()
    assert gate.begun.acquire(timeout=20)
    assert [queue.look(ticket)["stage"] for ticket in tickets[1:]] == ["check"] * 19
    late = queue.join()
    gate.go.release()
    gate.go.release()
    done = [until(queue, ticket, "done") for ticket in (*tickets, late)]
    assert [report["number"] for report in done] == [1, *[2] * 19, 3]
    assert [report["sharing"] for report in done] == [1, *[19] * 19, 1]
    assert gate.most == 1


def test_the_queue_works_again_after_it_was_empty() -> None:
    gate = Gate()
    queue = RunQueue(gate)
    for number in (1, 2):
        ticket = queue.join()
        gate.go.release()
        assert until(queue, ticket, "done")["number"] == number


def test_a_full_line_refuses_with_its_limit() -> None:
    gate = Gate()
    queue = RunQueue(gate, most_waiting=2)
    queue.join()
    assert gate.begun.acquire(timeout=20)
    queue.join()
    queue.join()
    with pytest.raises(QueueFull, match="limit is 2"):
        queue.join()
    for _ in range(3):
        gate.go.release()


def test_who_leaves_loses_the_place_and_results_are_forgotten() -> None:
    now = [0.0]
    gate = Gate()
    queue = RunQueue(gate, patience_s=10, keep_s=100, clock=lambda: now[0])
    first = queue.join()
    assert gate.begun.acquire(timeout=20)
    left, stays = queue.join(), queue.join()
    now[0] = 8
    assert queue.look(stays)["sharing"] == 2
    now[0] = 15
    assert queue.look(stays) == {"stage": "waiting", "sharing": 1}
    with pytest.raises(KeyError):
        queue.look(left)
    gate.go.release()
    gate.go.release()
    until(queue, stays, "done")
    now[0] = 200
    for ticket in (first, stays, "odd"):
        with pytest.raises(KeyError):
            queue.look(ticket)


def test_work_that_fails_is_told_and_the_next_is_served() -> None:
    calls = iter([ValueError("no luck"), None])

    def work(tell: Any) -> Report:
        error = next(calls)
        if error:
            raise error
        return {"stage": "done"}

    queue = RunQueue(work)
    assert until(queue, queue.join(), "failed")["reason"] == "no luck"
    assert until(queue, queue.join(), "done") == {"stage": "done", "sharing": 1}


def ask(
    app: Starlette, method: str, path: str, origin: str | None = None
) -> tuple[int, dict[str, str], Report]:
    """Ask an app directly, and return status, headers and what its JSON holds, if it is JSON."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [(b"host", b"app.test"), *([(b"origin", origin.encode())] if origin else [])]
    scope = {"type": "http", "method": method, "path": path, "headers": headers, "query_string": b""}
    finish(app(scope, receive, send))
    answer = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    body = b"".join(message.get("body", b"") for message in sent[1:])
    return sent[0]["status"], answer, json.loads(body) if "json" in answer.get("content-type", "") else {}


def test_the_routes() -> None:
    gate = Gate()
    queue = RunQueue(gate, most_waiting=1)
    app = Starlette(routes=size_routes("/base", queue))
    status, headers, taken = ask(app, "POST", "/base/run-size")
    assert status == 202 and headers["cache-control"] == "no-store"
    ticket = taken["ticket"]
    assert gate.begun.acquire(timeout=20)
    assert ask(app, "GET", f"/base/run-size/{ticket}")[2] == {"stage": "check", "done": 0.5, "sharing": 1}
    assert ask(app, "POST", "/base/run-size", "http://app.test")[0] == 202
    status, _, full = ask(app, "POST", "/base/run-size")
    assert status == 429 and full["stage"] == "full" and "limit is 1" in full["reason"]
    assert ask(app, "POST", "/base/run-size", "https://evil.example.org")[0] == 403
    status, _, unknown = ask(app, "GET", "/base/run-size/odd")
    assert status == 404 and unknown == {"stage": "unknown"}
    assert ask(app, "GET", "/base/run-size")[0] == 405
    gate.go.release()
    gate.go.release()
    assert until(queue, ticket, "done")["number"] == 1
