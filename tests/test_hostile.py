"""Hostile input against the running app, in short; `python -m bench.hostile` is the long form."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from bench.hostile import try_addresses, try_targets, try_uploads
from bench.hostile_cases import addresses, uploads
from bench.server import cookie_of
from bench.session import Session
from lesson.outline import load_outline
from tests.conftest import Server

UPLOADS = 70
"""All that are made by hand, and a few damaged ones."""

# Put first on the path of a server, it writes down every address that the process connects to or looks up.
WATCH = """
import os, sys
def note(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "urllib.Request"):
        with open(os.environ["WATCH_FILE"], "a") as out:
            print(event, arguments, file=out)
sys.addaudithook(note)
"""


def logged(server: Server) -> str:
    """What a server has written so far: other tests on the same one, in whatever order, wrote there too."""
    return server.log.read_text(encoding="utf-8")


def test_path_tricks_meet_no_server_error_and_leak_nothing(server_url: str) -> None:
    statuses, wrong = try_targets(server_url)
    assert wrong == []
    assert sum(statuses.values()) > 700 and statuses[200] > 0 and statuses[404] > 0


def test_fuzzed_addresses_are_answered_with_messages(server: Server) -> None:
    before = len(logged(server))
    shown, wrong = try_addresses(server.url, 48)
    assert wrong == []
    assert shown >= 10
    assert "Traceback" not in logged(server)[before:]


def test_hostile_files_are_answered_with_messages(server: Server) -> None:
    before = len(logged(server))
    answers, wrong = try_uploads(server.url, UPLOADS)
    assert wrong == []
    assert answers["answered with a message"] >= 50
    assert "Traceback" not in logged(server)[before:]


def test_the_cases_are_the_same_for_the_same_seed_and_others_for_another() -> None:
    assert list(addresses(50, 3)) == list(addresses(50, 3)) != list(addresses(50, 4))
    assert list(uploads(90, 3))[60:] == list(uploads(90, 3))[60:] != list(uploads(90, 4))[60:]


def test_a_file_above_the_limit_or_without_the_token_never_reaches_a_page(server_url: str) -> None:
    cookie = cookie_of(server_url)
    with Session(server_url, cookie) as session:
        field = session.run("step_through", "run_input=file").uploaders[0]
        assert session.upload(field, "large.npz", bytes(6 << 20))[0] in (0, 413)
        session.cookie = ""
        assert session.upload(field, "a.npz", b"x")[0] == 403


def test_an_announced_message_above_the_limit_is_answered_with_the_reason(server_url: str) -> None:
    """Only the head of the message is sent, so no byte that nobody reads stands in the answer's way."""
    announced = bytes([0x82, 0x80 | 127]) + (9 << 20).to_bytes(8, "big") + bytes(4)
    with Session(server_url, cookie_of(server_url)) as session:
        session.socket.socket.sendall(announced)
        with pytest.raises(ConnectionClosed) as closed:
            session.socket.recv(timeout=30)
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 1009


def flood(session: Session) -> None:
    """Send messages above the limit, and wait for what comes of it."""
    for _ in range(4):
        session.socket.send(bytes(9 << 20))
    session.socket.recv(timeout=30)


def test_messages_above_the_limit_end_their_connection_and_no_other(server_url: str) -> None:
    """The network may drop the reason with the connection: what was sent lies unread when it closes."""
    with Session(server_url, cookie_of(server_url)) as other:
        with Session(server_url, cookie_of(server_url)) as session:
            with pytest.raises(ConnectionClosed) as closed:
                flood(session)
            assert closed.value.rcvd is None or closed.value.rcvd.code == 1009
        assert other.run("reference").exceptions == []


@pytest.mark.parametrize("garbage", [b"", b"\xff" * 50, b"\x08" + b"\xff" * 9 + b"\x01", "text"])
def test_a_message_that_means_nothing_hurts_nobody(server: Server, garbage: bytes | str) -> None:
    with Session(server.url, cookie_of(server.url)) as other:
        with Session(server.url, cookie_of(server.url)) as session:
            session.socket.send(garbage)
        assert other.run("reference").exceptions == []


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1.evil.example", "http://["]
)
def test_a_handshake_from_another_site_is_refused(server_url: str, origin: str) -> None:
    with pytest.raises(InvalidStatus) as refused:
        connect(
            f"{server_url.replace('http', 'ws', 1)}/_stcore/stream",
            origin=origin,  # type: ignore[arg-type]  # a plain text to the library
            subprotocols=["streamlit"],  # type: ignore[list-item]  # likewise
        )
    assert refused.value.response.status_code == 403


def test_the_server_asks_nothing_outside_and_says_nothing_of_its_visitors(
    fresh_server: Callable[..., Server], tmp_path: Path
) -> None:
    """Every connection and look-up of the process, while every page runs and foreign sites knock."""
    (tmp_path / "sitecustomize.py").write_text(WATCH, encoding="utf-8")
    noted = tmp_path / "noted.txt"
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    running = fresh_server(env={"PYTHONPATH": path, "WATCH_FILE": str(noted), "TILEWISE_DATA": str(tmp_path)})
    with Session(running.url, cookie_of(running.url)) as session:
        for page in load_outline().pages:
            name = "" if page.key == "home" else Path(page.script).stem
            assert session.run(name).exceptions == [], page.key
    for origin in ("https://evil.example", "http://10.1.2.3"):
        with pytest.raises(InvalidStatus):
            connect(f"{running.url.replace('http', 'ws', 1)}/_stcore/stream", origin=origin)  # type: ignore[arg-type]
    running.stop()
    seen = noted.read_text(encoding="utf-8").splitlines() if noted.exists() else []
    outside = [line for line in seen if "127.0.0.1" not in line and "localhost" not in line]
    assert outside == []
    log = running.log.read_text(encoding="utf-8").splitlines()
    assert [line for line in log if "Tilewise is at" in line]
    for line in log:
        assert "evil.example" not in line and "10.1.2.3" not in line and "Mozilla" not in line, line


def test_the_watch_sees_what_it_watches_for(tmp_path: Path) -> None:
    """The test above could not fail if the hook were deaf."""
    import_path = tmp_path / "sitecustomize.py"
    import_path.write_text(WATCH, encoding="utf-8")
    noted = tmp_path / "noted.txt"
    code = "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect(('192.0.2.1', 9))"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "WATCH_FILE": str(noted)}
    assert os.spawnve(os.P_WAIT, sys.executable, [sys.executable, "-c", code], environment) in (0, 1)
    assert "192.0.2.1" in noted.read_text(encoding="utf-8")
