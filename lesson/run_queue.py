"""A queue for work that a server can do once at a time: tickets, progress, and one run for all who wait.

The work has no input, so everybody who came while a run was under way shares the next one: a class that
presses at once waits for two runs. Knows nothing of what the work is. Whoever stops asking for a ticket loses
the place.
"""

import secrets
import threading
import time
from collections.abc import Callable
from typing import Any

Report = dict[str, Any]
Work = Callable[[Callable[[Report], None]], Report]

__all__ = ["QueueFull", "RunQueue"]


class QueueFull(RuntimeError):
    """As many wait as may wait; the message names the limit."""


class RunQueue:
    """Do one piece of work after the other in a thread, and tell each asker how it stands.

    Parameters
    ----------
    work : callable
        Called with a function that takes reports of progress; returns the result, or raises.
    most_waiting : int
        Beyond so many in line, joining is refused.
    patience_s : float
        A waiting ticket that nobody has looked at for so long is passed over.
    keep_s : float
        How long a finished ticket can still be looked at.
    clock : callable
        Seconds, never going back.
    """

    def __init__(
        self,
        work: Work,
        *,
        most_waiting: int = 500,
        patience_s: float = 20.0,
        keep_s: float = 120.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._work, self._clock = work, clock
        self._most_waiting, self._patience_s, self._keep_s = most_waiting, patience_s, keep_s
        self._lock = threading.Lock()
        self._waiting: dict[str, float] = {}
        self._reports: dict[str, Report] = {}
        self._finished: dict[str, float] = {}
        self._busy = False

    def join(self) -> str:
        """Take a place in line and return the ticket.

        Raises
        ------
        QueueFull
            If too many wait already.
        """
        with self._lock:
            self._forget()
            if len(self._waiting) >= self._most_waiting:
                raise QueueFull(f"{len(self._waiting)} are waiting; the limit is {self._most_waiting}")
            ticket = secrets.token_urlsafe(12)
            self._waiting[ticket] = self._clock()
            if not self._busy:
                self._busy = True
                threading.Thread(target=self._serve, name="run-queue", daemon=True).start()
            return ticket

    def look(self, ticket: str) -> Report:
        """Return how a ticket stands.

        Returns
        -------
        dict
            `{"stage": "waiting", "sharing": 3}` while in line, with how many the next run is for. Later the
            work's own latest report or its result, or `{"stage": "failed", "reason": …}`, each with
            `sharing` too.

        Raises
        ------
        KeyError
            If there is no such ticket, or no longer.
        """
        with self._lock:
            self._forget()
            if ticket in self._waiting:
                self._waiting[ticket] = self._clock()
                return {"stage": "waiting", "sharing": len(self._waiting)}
            return self._reports[ticket]

    def _serve(self) -> None:
        """Work until nobody waits."""
        while tickets := self._next():

            def tell(report: Report, to: list[str] = tickets) -> None:
                with self._lock:
                    self._reports.update(dict.fromkeys(to, report | {"sharing": len(to)}))

            try:
                result = self._work(tell)
            except Exception as error:  # whatever the work raises is the asker's to read
                result = {"stage": "failed", "reason": str(error) or type(error).__name__}
            tell(result)
            with self._lock:
                self._finished.update(dict.fromkeys(tickets, self._clock()))

    def _next(self) -> list[str]:
        """Take everybody who waits; nobody: then the thread ends."""
        with self._lock:
            self._forget()
            tickets = list(self._waiting)
            self._waiting.clear()
            self._reports.update((ticket, {"stage": "start", "sharing": len(tickets)}) for ticket in tickets)
            self._busy = bool(tickets)
            return tickets

    def _forget(self) -> None:
        """Drop those who left the line and results that were kept long enough. The lock is held."""
        now = self._clock()
        for ticket in [t for t, seen in self._waiting.items() if now - seen > self._patience_s]:
            del self._waiting[ticket]
        for ticket in [t for t, ended in self._finished.items() if now - ended > self._keep_s]:
            del self._finished[ticket], self._reports[ticket]
