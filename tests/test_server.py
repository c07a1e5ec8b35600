"""The server: ready, with its headers, under a base path, and fast from a cold start."""

import json
import os
import resource
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from email.message import Message
from pathlib import Path

import pytest

import app
from bench.server import cookie_of
from bench.session import Session
from lesson.outline import load_outline
from serving.start import allowed_ancestors
from tests.conftest import ROOT, Server, free_port


def fetch(url: str) -> tuple[int, Message, bytes]:
    """Return status, headers and body."""
    try:
        with urllib.request.urlopen(url, timeout=20) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, error.read()


def directives(headers: Message) -> dict[str, list[str]]:
    """Return the content security policy as directive to sources."""
    parts = [part.split() for part in headers["Content-Security-Policy"].split(";")]
    return {part[0]: part[1:] for part in parts}


def test_ready(server_url: str) -> None:
    """The health route says so, and is never cached."""
    status, headers, body = fetch(f"{server_url}/readyz")
    assert (status, json.loads(body)) == (200, {"status": "ready"})
    assert headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    "path", ["/", "/calculator", "/readyz", "/_stcore/health", "/static/none.js", "/none"]
)
def test_every_answer_has_the_security_headers(server_url: str, path: str) -> None:
    """Pages, files, health and errors alike, each header once."""
    _, headers, _ = fetch(server_url + path)
    assert headers.get_all("X-Content-Type-Options") == ["nosniff"]
    assert headers.get_all("Referrer-Policy") == ["same-origin"]
    assert len(headers.get_all("Content-Security-Policy") or []) == 1
    policy = directives(headers)
    assert policy["default-src"] == ["'self'"]
    assert policy["object-src"] == ["'none'"]
    assert policy["frame-ancestors"] == ["'self'"]
    assert "blob:" in policy["script-src"]
    assert not {"'unsafe-inline'", "'unsafe-eval'", "*", "http:", "https:"} & set(policy["script-src"])


def test_a_link_to_a_page_gets_the_index(server_url: str) -> None:
    """With the note on where the server is, and with every inline script named in the policy."""
    status, headers, body = fetch(f"{server_url}/calculator?calc_n_q=8")
    assert status == 200
    assert b'BACKEND_BASE_URL:location.origin+"/"' in body
    hashes = app.inline_script_hashes(body.decode())
    assert len(hashes) >= 2
    assert set(hashes) <= set(directives(headers)["script-src"])


def test_a_cold_start_under_a_base_path_with_other_ancestors(fresh_server: Callable[..., Server]) -> None:
    """Cheap, it says where it is, own routes follow the base path, and who may frame the app is a setting.

    From the command through every page within 8 s of one core, without pandas. Processor time, because other
    tests share the machine and a wall clock would measure them.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    running = fresh_server(
        base_path="lesson", env={"TILEWISE_FRAME_ANCESTORS": "'self' https://lms.example.org"}
    )
    assert running.url.endswith("/lesson")
    _, headers, body = fetch(f"{running.url}/quiz")
    assert b'BACKEND_BASE_URL:location.origin+"/lesson/"' in body
    assert directives(headers)["frame-ancestors"] == ["'self'", "https://lms.example.org"]
    bare = running.url.removesuffix("/lesson")
    assert fetch(f"{bare}/readyz")[0] == 404
    with Session(running.url, cookie_of(running.url)) as session:
        for page in load_outline().pages:
            assert session.run("" if page.key == "home" else page.key).exceptions == []
    maps = Path(f"/proc/{running.process.pid}/maps")
    if maps.exists():
        assert "numpy" in maps.read_text(encoding="utf-8")
        assert "pandas" not in maps.read_text(encoding="utf-8"), "Streamlit looks for tables in our data"
    running.stop()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 8
    assert f"Tilewise is at {running.url}/" in running.log.read_text(encoding="utf-8")


@pytest.mark.parametrize("value", ["", " ", "'self'; script-src *", "'self',x", "a\r\nX: y"])
def test_a_policy_that_would_break_out_is_refused(value: str) -> None:
    """The message holds the value."""
    with pytest.raises(ValueError, match="TILEWISE_FRAME_ANCESTORS is"):
        allowed_ancestors({"TILEWISE_FRAME_ANCESTORS": value})


def stopped_start(command: list[str], environment: dict[str, str], folder: Path) -> str:
    """Start the app with a setting that cannot work, and return all that it printed before it ended."""
    kept = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    ended = subprocess.run(
        [sys.executable, *command, "--server.port", str(free_port())],
        cwd=ROOT, env={**kept, "TILEWISE_DATA": str(folder / "data"), **environment},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ended.returncode == 1
    return ended.stdout


STREAMLIT = ["-m", "streamlit", "run", "app.py"]
CONTAINER = ["deploy/serve.py"]


@pytest.mark.parametrize(
    ("command", "environment", "message"),
    [
        (STREAMLIT, {"TILEWISE_FRAME_ANCESTORS": "a;b"}, "TILEWISE_FRAME_ANCESTORS is 'a;b'"),
        (STREAMLIT, {"TILEWISE_FRAME_ANCESTORS": ""}, "TILEWISE_FRAME_ANCESTORS is ''"),
        (STREAMLIT, {"TILEWISE_REPLICAS": "many"}, "TILEWISE_REPLICAS is 'many'"),
        (CONTAINER, {"TILEWISE_FRAME_ANCESTORS": "a;b"}, "TILEWISE_FRAME_ANCESTORS is 'a;b'"),
        (CONTAINER, {"TILEWISE_REPLICAS": "3"}, "several servers cannot share one SQLite file"),
        (CONTAINER, {"DATABASE_URL": "mysql://root:secret@host/x"}, "DATABASE_URL begins with 'mysql'"),
        (CONTAINER, {"TILEWISE_DATA": "/proc/none"}, "cannot write to /proc/none"),
    ],
)
def test_a_setting_that_cannot_work_ends_the_start_in_one_line(
    command: list[str], environment: dict[str, str], message: str, tmp_path: Path
) -> None:
    """Before a port is open: no answer is ever given without its policy, and no traceback buries the line."""
    said = stopped_start(command, environment, tmp_path)
    assert said.startswith("Tilewise cannot start: ") and message in said
    assert said.count("\n") == 1 and "secret" not in said
