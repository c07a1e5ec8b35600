"""The bare routes in a process that a test may kill and start again on the same port."""

import multiprocessing
import os
import time
import urllib.error
import urllib.request
from multiprocessing.process import BaseProcess
from pathlib import Path

from tests.classroom.bare_server import serve
from tests.conftest import free_port

__all__ = ["Bare"]

# Each server is a process of its own, split off from one that has imported everything and done nothing.
_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(["tests.classroom.bare_server"])


class Bare:
    """A server of the live room's routes alone.

    Parameters
    ----------
    environment : dict of str to str
        Names the database.
    log : Path
    """

    def __init__(self, environment: dict[str, str], log: Path) -> None:
        self.port, self._log = free_port(), log
        self.url = f"http://127.0.0.1:{self.port}"
        self._environment = {**os.environ, **environment}
        self._process: BaseProcess | None = None

    def start(self) -> "Bare":
        """Start it and return once it answers."""
        given = (self.port, self._environment, str(self._log))
        self._process = _processes.Process(target=serve, args=given)
        self._process.start()
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self._process.is_alive():
            try:
                with urllib.request.urlopen(f"{self.url}/room", timeout=2):
                    return self
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                time.sleep(0.05)
        self.stop()
        raise RuntimeError(f"the server did not start:\n{self._log.read_text(encoding='utf-8')}")

    def kill(self) -> None:
        """End it as a power cut would: at once, in the middle of whatever it does."""
        assert self._process is not None
        self._process.kill()
        self._ended()

    def stop(self) -> None:
        """End it in an orderly way."""
        if self._process is not None:
            self._process.terminate()
            self._ended()

    def _ended(self) -> None:
        assert self._process is not None
        self._process.join(20)
        self._process.close()
        self._process = None
