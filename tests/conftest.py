"""Fixtures that several test files share: a served app and a real browser."""

import functools
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner

from tests.chromium import blank, blank_page, browser, new_page, page, profile, window

__all__ = [
    "ROOT",
    "Server",
    "blank",
    "blank_page",
    "browser",
    "free_port",
    "new_page",
    "page",
    "profile",
    "start_server",
    "window",
]

ROOT = Path(__file__).resolve().parents[1]


def free_port() -> int:
    """Return a TCP port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session", autouse=True)
def _rooms_of_the_tests(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Pages that tests run without a server keep their rooms in a folder that goes away."""
    os.environ.setdefault("TILEWISE_DATA", str(tmp_path_factory.mktemp("data")))


@pytest.fixture(scope="session", autouse=True)
def _packages_are_looked_through_once() -> Iterator[None]:
    """Each new `AppTest` reads the description of every installed package in search of components.

    That takes longer than most of our pages, and what is installed does not change while tests run.
    """
    with pytest.MonkeyPatch.context() as patch:
        found = functools.cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", found)
        yield


@dataclass
class Server:
    """A running app."""

    url: str
    process: subprocess.Popen[bytes]
    log: Path

    def stop(self) -> None:
        """End it and wait until it is gone."""
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(20)


def start_server(log: Path, *, base_path: str = "", env: dict[str, str] | None = None) -> Server:
    """Start the app on a free port and return once it is ready.

    Raises
    ------
    RuntimeError
        If it ends, or is not ready after 60 s; the message holds its log.
    """
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    command += ["--server.address", "127.0.0.1", "--server.baseUrlPath", base_path]
    # Each server keeps its rooms beside its log, not in the project's folder.
    own = {"TILEWISE_DATA": str(log.parent / f"data-{port}"), **(env or {})}
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT, env={**os.environ, **own}
        )
    url = f"http://127.0.0.1:{port}" + (f"/{base_path}" if base_path else "")
    server = Server(url, process, log)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/readyz", timeout=2) as answer:
                if answer.status == 200:
                    return server
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)
    server.stop()
    raise RuntimeError(f"the app did not get ready:\n{log.read_text(encoding='utf-8', errors='replace')}")


@pytest.fixture
def fresh_server(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """A function that starts a server of the test's own, stopped at the end of the test."""
    started: list[Server] = []

    def start(**options: object) -> Server:
        server = start_server(tmp_path / f"server-{len(started)}.log", **options)  # type: ignore[arg-type]
        started.append(server)
        return server

    yield start
    for server in started:
        server.stop()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The app, served once for the whole test run (once a worker under xdist)."""
    running = start_server(tmp_path_factory.mktemp("server") / "server.log")
    yield running
    running.stop()


@pytest.fixture(scope="session")
def server_url(server: Server) -> str:
    """The address of the served app, without a slash at its end."""
    return server.url
