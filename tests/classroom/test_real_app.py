"""The room as a part of the real app: under a base path, with its headers, and in the health route."""

import time
import urllib.error
import urllib.request
from collections.abc import Callable

from bench.room_client import Lecturer, Phone, close_all
from tests.classroom.postgres import Postgres
from tests.conftest import Server
from tests.loops import finish


def ready(url: str) -> int:
    """Return the status of the health route."""
    try:
        with urllib.request.urlopen(f"{url}/readyz", timeout=20) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def becomes(url: str, wanted: int) -> bool:
    """Say whether the health route comes to a status within 30 s."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if ready(url) == wanted:
            return True
        time.sleep(0.2)
    return False


def test_the_room_in_the_app_on_postgres(fresh_server: Callable[..., Server], postgres: Postgres) -> None:
    """Page, script and cookie follow the base path; health follows the database, down and up again."""
    running = fresh_server(base_path="lesson", env={"DATABASE_URL": postgres.new_database("app")})

    async def visit() -> None:
        lecturer = await Lecturer(running.url).open()
        phone = Phone(running.url, lecturer.code)
        page = await phone.ask("GET", lecturer.code)
        assert page.status == 200
        assert "default-src 'self'" in page.headers["content-security-policy"]
        cookie = next(each for each in page.headers["set-cookie"].split("\n") if "tilewise_phone" in each)
        assert "path=/lesson/room" in cookie.lower()
        assert 'src="/lesson/room/phone.' in page.body.decode()
        assert await phone.load() < 30_000
        assert (await phone.join()).json()["phase"] == "lobby"
        await close_all()

    finish(visit())
    assert ready(running.url) == 200
    postgres.stop()
    try:
        assert becomes(running.url, 503)
    finally:
        postgres.start()
    assert becomes(running.url, 200)
