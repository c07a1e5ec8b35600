"""What stands between the network and Streamlit: the guard, the replica's cookie, one line a record."""

import gzip
import http.client
import io
import logging
import re
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Message

import app
from serving.affinity import COOKIE
from serving.guard import is_own_origin
from serving.logs import one_line, write_one_line_each
from serving.preload import chunk_with_imports
from serving.static_files import StaticFiles
from tests.loops import finish


@pytest.mark.parametrize(
    ("origin", "own"),
    [
        (None, True),
        ("https://lesson.example", True),
        ("http://localhost:9000", True),
        ("https://lms.example.org", True),
        ("https://lesson.example:444", False),
        ("https://evil.example", False),
        ("https://lesson.example.evil.example", False),
        ("null", False),
        ("", False),
        ("http://[", False),
        ("localhost", False),
    ],
)
def test_whose_handshake_goes_on(origin: str | None, own: bool) -> None:
    assert is_own_origin(origin, "lesson.example", ("https://lms.example.org",)) is own


def cookies(url: str, given: str = "") -> list[str]:
    request = urllib.request.Request(url, headers={"Cookie": given} if given else {})
    with urllib.request.urlopen(request, timeout=20) as answer:
        return [each for each in answer.headers.get_all("Set-Cookie") or [] if each.startswith(COOKIE)]


def test_a_page_brings_the_cookie_once_and_other_answers_never(server_url: str) -> None:
    first, second = cookies(f"{server_url}/"), cookies(f"{server_url}/calculator")
    assert len(first) == len(second) == 1 and first != second
    found = re.fullmatch(rf"({COOKIE}=[A-Za-z0-9_-]{{12}}); Path=/; HttpOnly; SameSite=Lax", first[0])
    assert found is not None
    assert cookies(f"{server_url}/", found[1]) == []
    assert len(cookies(f"{server_url}/", f"{COOKIE}=made-up value;")) == 1
    assert cookies(f"{server_url}/readyz") == [] and cookies(f"{server_url}/_stcore/health") == []


def head(url: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Ask for one file; return status, headers by lower-case name, and body."""
    place = urlsplit(url)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=20)
    try:
        connection.request(method, place.path, headers={k.replace("_", "-"): v for k, v in headers.items()})
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    finally:
        connection.close()


def test_streamlits_files_come_packed_for_good_and_unchanged(server_url: str) -> None:
    folder = app.INDEX_FILE.parent / "static"
    for file in (
        next(folder.rglob("*.css")),
        next(folder.rglob("index.*.js")),
        next(folder.rglob("*.woff2")),
    ):
        url = f"{server_url}/static/{file.relative_to(folder).as_posix()}"
        status, headers, body = head(url)
        assert (status, body) == (200, file.read_bytes())
        assert headers["cache-control"] == "public, max-age=31536000, immutable"
        assert headers["x-content-type-options"] == "nosniff"
        packed_status, packed, sent = head(url, Accept_Encoding="gzip")
        assert packed_status == 200 and packed["etag"] == headers["etag"]
        if "content-encoding" in packed:
            assert gzip.decompress(sent) == body and len(sent) < len(body)
        assert ("content-encoding" in packed) is (file.suffix != ".woff2")
        assert head(url, If_None_Match=headers["etag"])[::2] == (304, b"")
        assert head(url, "HEAD")[0] == 200 and head(url, "HEAD")[2] == b""
        assert head(url, "POST")[0] == 405


@pytest.mark.parametrize(
    "path", ["../index.html", "%2e%2e/index.html", "js/../../index.html", "", "js", "none.js"]
)
def test_no_other_file_comes_that_way(path: str, tmp_path: Path) -> None:
    """Only what lies in the folder is answered for; the rest is passed on."""
    (tmp_path / "static/js").mkdir(parents=True)
    (tmp_path / "static/js/a.js").write_text("1", encoding="utf-8")
    (tmp_path / "index.html").write_text("secret", encoding="utf-8")

    async def beyond(request: Request) -> Response:
        return Response("passed on", 418)

    files = StaticFiles(Starlette(routes=[Route("/{rest:path}", beyond)]), tmp_path / "static", "/static/")
    told: list[Message] = []

    async def send(message: Message) -> None:
        told.append(message)

    async def receive() -> Message:
        return {"type": "http.request"}

    def scope(at: str) -> dict[str, object]:
        return {
            "type": "http",
            "method": "GET",
            "path": at,
            "headers": [],
            "query_string": b"",
            "root_path": "",
        }

    finish(files(scope(f"/static/{unquote(path)}"), receive, send))
    assert told[0]["status"] == 418
    told.clear()
    finish(files(scope("/static/js/a.js"), receive, send))
    assert told[0]["status"] == 200 and told[1]["body"] == b"1"


@pytest.fixture
def written() -> Iterator[tuple[logging.Logger, io.StringIO]]:
    """A logger that writes as the server does, and what it wrote."""
    before = logging.getLogRecordFactory()
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
    logger = logging.Logger("one-line")
    logger.addHandler(handler)
    write_one_line_each()
    yield logger, out
    logging.setLogRecordFactory(before)


def test_a_traceback_and_a_forged_line_stay_on_one_line(written: tuple[logging.Logger, io.StringIO]) -> None:
    logger, out = written
    logger.warning("asked for %s", "x\nINFO forged\r\x1b[31m")
    try:
        raise ValueError("two\nlines")
    except ValueError:
        logger.exception("failed %d", 3)
    lines = out.getvalue().splitlines()
    assert len(lines) == 2
    assert lines[0] == r"WARNING asked for x\nINFO forged\r\x1b[31m"
    assert lines[1].startswith(r"ERROR failed 3 | Traceback (most recent call last):\n") and "two" in lines[1]
    assert one_line("α ≤ β") == "α ≤ β"


def test_what_a_page_needs_first_is_named_and_is_there(server_url: str, tmp_path: Path) -> None:
    """The hints of the first page: each file exists, and none is named twice."""
    with urllib.request.urlopen(server_url, timeout=30) as answer:
        index = answer.read().decode()
    hints = re.findall(r'<link rel="modulepreload" crossorigin href="([^"]+)">', index)
    assert len(hints) == len(set(hints))
    names = [hint.split("/")[-1].split(".")[0].split("-")[0] for hint in hints]
    assert {"BidiComponent", "start", "sidebar", "stage", "lesson"} <= set(names)
    data = re.findall(r'<link rel="preload" as="fetch" crossorigin href="([^"]+)">', index)
    assert [each.split("/")[-1].split("-")[0] for each in data] == ["sidebar", "lesson", "run"]
    for hint in data:
        with urllib.request.urlopen(urljoin(f"{server_url}/", hint), timeout=30) as answer:
            assert answer.headers["content-type"] == "application/json"
    for hint in hints:
        with urllib.request.urlopen(urljoin(f"{server_url}/", hint), timeout=30) as answer:
            assert "javascript" in answer.headers["content-type"]
    (tmp_path / "One.abc.js").write_text('import{a}from"./two.js";import"./three.js"', encoding="utf-8")
    assert chunk_with_imports(tmp_path, "One") == ["One.abc.js", "two.js", "three.js"]
    with pytest.raises(ValueError, match="0 files"):
        chunk_with_imports(tmp_path, "Two")
