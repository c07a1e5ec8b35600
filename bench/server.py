"""Start the app, or a bare Streamlit page, for a measurement, and read its memory and processor time."""

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType

ROOT = Path(__file__).resolve().parents[1]
START_S = 60
TICKS = os.sysconf("SC_CLK_TCK")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")

__all__ = ["BARE_PAGE", "Serving", "cookie_of", "free_port"]

BARE_PAGE = 'import streamlit as st\n\nst.title("Bare")\nst.write("One line.")\n'
"""The smallest page that shows anything."""


def free_port() -> int:
    """Return a TCP port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def cookie_of(url: str) -> str:
    """Return the cookies that a first visit is given, as one header."""
    with urllib.request.urlopen(f"{url}/_stcore/health", timeout=20) as answer:
        return "; ".join(each.split(";")[0] for each in answer.headers.get_all("Set-Cookie") or [])


class Serving:
    """A server of our own on a free port, ended with the block.

    Parameters
    ----------
    options : dict of str to str, optional
        Streamlit's options without the leading dashes, `{"runner.postScriptGC": "false"}`.
    bare : bool
        Serve `BARE_PAGE` instead of the app.
    defaults : bool
        For a bare page: Streamlit's own settings instead of the app's.
    environment : dict of str to str, optional
    port : int, optional
    """

    def __init__(
        self,
        options: dict[str, str] | None = None,
        *,
        bare: bool = False,
        defaults: bool = False,
        environment: dict[str, str] | None = None,
        port: int | None = None,
    ) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="tilewise-bench-")
        folder = Path(self._folder.name)
        where = folder if bare else ROOT
        script = "app.py"
        if bare:
            (folder / script).write_text(BARE_PAGE, encoding="utf-8")
            if not defaults:
                settings = folder / ".streamlit"
                settings.mkdir()
                text = (ROOT / ".streamlit/config.toml").read_text(encoding="utf-8")
                (settings / "config.toml").write_text(text, encoding="utf-8")
        port = port or free_port()
        self.url = f"http://127.0.0.1:{port}"
        # The app answers phones before its pages are loaded.
        self._ready = "_stcore/health" if bare else "readyz"
        self._log = folder / "log"
        command = [sys.executable, "-m", "streamlit", "run", script, "--server.headless", "true"]
        command += ["--server.port", str(port), "--server.address", "127.0.0.1"]
        command += [f"--{name}={value}" for name, value in (options or {}).items()]
        given = {**os.environ, "TILEWISE_DATA": str(folder / "data"), **(environment or {})}
        with self._log.open("wb") as out:
            self._process = subprocess.Popen(
                command, cwd=where, env=given, stdout=out, stderr=subprocess.STDOUT
            )

    def __enter__(self) -> "Serving":
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.url}/{self._ready}", timeout=2):
                    return self
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                time.sleep(0.1)
        self.stop()
        raise RuntimeError(f"the server did not start:\n{self.log_text()}")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        self._folder.cleanup()

    @property
    def pid(self) -> int:
        """The server's process."""
        return self._process.pid

    def stop(self, *, kill: bool = False) -> None:
        """End it and wait until it is gone."""
        if kill:
            self._process.kill()
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(20)

    def log_text(self) -> str:
        """What it has printed."""
        return self._log.read_text(encoding="utf-8", errors="replace")

    def memory_mib(self) -> float:
        """Resident memory of the process."""
        fields = Path(f"/proc/{self.pid}/statm").read_text(encoding="ascii").split()
        return int(fields[1]) * PAGE_BYTES / 2**20

    def cpu_s(self) -> float:
        """Processor time that it has taken."""
        fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS
