"""The live room's tests run against both databases."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from classroom.database import Database
from classroom.service import Classroom
from classroom.settings import read_settings
from tests.classroom.postgres import Postgres
from tests.classroom.serving import Bare
from tests.conftest import ROOT

_numbers = itertools.count()
KINDS = ("sqlite", "postgres")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A running PostgreSQL server, started once."""
    server = Postgres()
    try:
        server.start()
        yield server
    finally:
        server.remove()


def _environment(request: pytest.FixtureRequest, folder: Path) -> dict[str, str]:
    data = {"TILEWISE_DATA": str(folder), "DATABASE_URL": ""}
    if request.param == "postgres":
        server: Postgres = request.getfixturevalue("postgres")
        data["DATABASE_URL"] = server.new_database(f"room{next(_numbers)}")
    return data


@pytest.fixture(params=KINDS)
def environment(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """The environment that names an empty database, of one kind after the other."""
    return _environment(request, tmp_path / "data")


@pytest.fixture(scope="session", params=KINDS)
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bare]:
    """A running server of the routes, shared by all tests that lead rooms of their own."""
    folder = tmp_path_factory.mktemp("served")
    bare = Bare(_environment(request, folder / "data"), folder / "log").start()
    yield bare
    bare.stop()


@pytest.fixture
def open_classroom(environment: dict[str, str]) -> Iterator[Callable[[], Classroom]]:
    """A function that opens the classroom: each call is one more server of the same database."""
    opened: list[Classroom] = []

    def start() -> Classroom:
        opened.append(Classroom(Database(read_settings(environment, root=ROOT))))
        return opened[-1]

    yield start
    for each in opened:
        each.close()


@pytest.fixture
def classroom(open_classroom: Callable[[], Classroom]) -> Classroom:
    """A classroom with an empty database."""
    return open_classroom()
