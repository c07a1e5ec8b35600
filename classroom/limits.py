"""How often somebody may be wrong: a sliding window for each client, in this process's memory.

A phone is known by the cookie that we signed. Who sends none shares a window with the others of its address
that send none. A lecture hall behind one address is therefore never locked out: each of its phones has a
window of its own, and a right code is never counted. Trying codes stays hopeless all the same: 20 tries in
5 minutes for each cookie, some 10⁹ codes, and an address that is wrong very often waits for each answer.
"""

import time
from collections import OrderedDict, deque
from collections.abc import Callable

__all__ = ["ROOMS_AN_HOUR", "SLOW_AFTER", "WINDOW_S", "WRONG_CODES", "Limiter"]

WRONG_CODES = 20
WINDOW_S = 300.0
SLOW_AFTER = 200
"""Wrong codes from one address within the window, after which each more of them waits."""
ROOMS_AN_HOUR = 60
"""Rooms that may be opened from one address: a whole department behind one."""
_MOST_CLIENTS = 20_000


class Limiter:
    """Counts what a client did lately.

    Parameters
    ----------
    most : int
        How many within the window are too many: the one with this number is.
    window_s : float
        Seconds.
    clock : callable
        Seconds that only grow.
    """

    def __init__(self, most: int, window_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.most, self.window_s, self._clock = most, window_s, clock
        self._seen: OrderedDict[str, deque[float]] = OrderedDict()

    def _recent(self, client: str) -> deque[float]:
        times = self._seen.get(client, deque())
        while times and times[0] <= self._clock() - self.window_s:
            times.popleft()
        return times

    def over(self, client: str) -> bool:
        """Say whether a client has had its fill."""
        return len(self._recent(client)) >= self.most

    def wait_s(self, client: str) -> int:
        """Return the whole seconds until a client may try again."""
        times = self._recent(client)
        if len(times) < self.most:
            return 0
        return max(1, int(times[-self.most] + self.window_s - self._clock()) + 1)

    def count(self, client: str) -> bool:
        """Note one more, and say whether that was too many."""
        times = self._recent(client)
        times.append(self._clock())
        # More than this need not be remembered to know that it is over.
        while len(times) > self.most:
            times.popleft()
        self._seen[client] = times
        self._seen.move_to_end(client)
        while len(self._seen) > _MOST_CLIENTS:
            self._seen.popitem(last=False)
        return len(times) >= self.most
