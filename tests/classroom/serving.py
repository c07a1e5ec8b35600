"""The bare routes in a process that a test may kill and start again on the same port."""

import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from tests.conftest import ROOT, free_port

__all__ = ["Bare"]


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
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> "Bare":
        """Start it and return once it answers."""
        command = [sys.executable, "-m", "tests.classroom.bare_server", str(self.port)]
        with self._log.open("ab") as out:
            self._process = subprocess.Popen(
                command, cwd=ROOT, env=self._environment, stdout=out, stderr=subprocess.STDOUT
            )
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self._process.poll() is None:
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
        self._process.wait(20)

    def stop(self) -> None:
        """End it in an orderly way."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            self._process.wait(20)
