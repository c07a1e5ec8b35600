"""The server or its database dies while people vote: what was acknowledged stands, and everybody goes on."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from bench.room_client import close_all
from bench.room_storm import Storm, gathered, lost_votes
from classroom.settings import FILE_NAME
from lesson.quiz import bank
from tests.classroom.postgres import Postgres
from tests.classroom.serving import Bare
from tests.loops import finish

SINGLE = next(entry.id for entry in bank() if entry.kind == "single")
PHONES = 20


async def storm_through(url: str, disaster: Callable[[Storm], Awaitable[None]]) -> None:
    """Have phones vote through a disaster, then hold what stands against what was acknowledged."""
    lecturer, storm = await gathered(url, PHONES, SINGLE)
    stop = asyncio.Event()
    running = asyncio.create_task(storm.run(stop))
    try:
        await disaster(storm)
        before = storm.count
        async with asyncio.timeout(60):
            while storm.count < before + 2 * PHONES:
                await asyncio.sleep(0.05)
        stop.set()
        await running
        assert storm.failures > 0, "nobody noticed the disaster"
        assert await lost_votes(storm) == []
        assert (await lecturer.view())["joined"] == PHONES
    finally:
        stop.set()
        running.cancel()
        await close_all()


async def some_votes(storm: Storm, more: int) -> None:
    """Wait until so many more votes were acknowledged."""
    wanted = storm.count + more
    async with asyncio.timeout(60):
        while storm.count < wanted:
            await asyncio.sleep(0.01)


def test_no_acknowledged_vote_is_lost_when_the_server_is_killed(tmp_path: Path) -> None:
    server = Bare({"TILEWISE_DATA": str(tmp_path / "data"), "DATABASE_URL": ""}, tmp_path / "log").start()

    async def killed(storm: Storm) -> None:
        for more in (37, 11):
            await some_votes(storm, more)
            server.kill()
            await asyncio.to_thread(server.start)

    try:
        finish(storm_through(server.url, killed))
    finally:
        server.stop()
    connection = sqlite3.connect(tmp_path / "data" / FILE_NAME)
    try:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    finally:
        connection.close()


def test_a_server_that_cannot_keep_votes_does_not_start_and_says_why(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("", encoding="utf-8")
    server = Bare({"TILEWISE_DATA": str(file / "data"), "DATABASE_URL": ""}, tmp_path / "log")
    with pytest.raises(RuntimeError, match="Tilewise cannot start: the live room cannot write to"):
        server.start()


def test_no_acknowledged_vote_is_lost_when_postgres_is_killed(postgres: Postgres, tmp_path: Path) -> None:
    server = Bare({"DATABASE_URL": postgres.new_database("crash")}, tmp_path / "log").start()

    async def restarted(storm: Storm) -> None:
        await some_votes(storm, 50)
        postgres.stop()
        await asyncio.sleep(0.3)
        await asyncio.to_thread(postgres.start)

    try:
        finish(storm_through(server.url, restarted))
    finally:
        server.stop()
