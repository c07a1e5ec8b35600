"""Rooms and votes in both databases: one row for each vote, none after the close, nothing lost."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Connection, func, select

from classroom import rooms, votes
from classroom.codes import ALPHABET, hash_token
from classroom.database import Database
from classroom.errors import RoomError
from classroom.folder import check_folder, file_system_of
from classroom.rooms import KEPT_DAYS, Room
from classroom.schema import participant, room, schema_version, vote
from classroom.service import Classroom
from classroom.settings import read_settings
from classroom.votes import Ballot, Saved
from lesson.quiz import bank
from tests.loops import finish

FIRST = next(entry.id for entry in bank() if entry.kind == "single")
A, B = ({"choice": letter} for letter in "ab")


def ready(classroom: Classroom, people: int = 1) -> tuple[Room, int, list[int]]:
    """Return a room with its first question open, the question's number and the people in it."""
    made, _ = classroom.open_room("here")
    classroom.add_ask(made.id, FIRST, 7)
    ask = classroom.view(made.id).asks[0]
    opened = classroom.act(made.id, "open", ask_id=ask.id)

    async def fill() -> list[int]:
        return list(await asyncio.gather(*(classroom.join(made, f"phone {n}") for n in range(people))))

    return opened, ask.id, finish(fill())


def cast(
    classroom: Classroom,
    at: Room,
    ask: int,
    number: int,
    sequence: int = 1,
    answer: str = "a",
    round_: int = 1,
) -> Saved:
    """Vote, past the routes."""
    ballot = Ballot(ask, round_, answer, f'{{"choice": "{answer}"}}', sequence)
    return classroom._database.write(lambda connection: votes.cast(connection, at.id, number, ballot))


def rows(classroom: Classroom) -> list[tuple[int, str, int]]:
    """Return every stored vote as round, answer and sequence."""
    query = select(vote.c.round, vote.c.answer, vote.c.sequence).order_by(vote.c.round, vote.c.number)
    return classroom._database.read(lambda connection: [tuple(row) for row in connection.execute(query)])


def test_a_room_has_a_code_that_can_be_read_out_and_a_key_that_is_not_stored(classroom: Classroom) -> None:
    made, key = classroom.open_room("here")
    assert len(made.code) == 6
    assert set(made.code) <= set(ALPHABET)
    assert len(ALPHABET) == 31
    assert not set("ILO01") & set(ALPHABET)
    # 4 signs hold 3 bytes: 32 signs are 192 bits.
    assert len(key) >= 22
    stored = classroom._database.read(lambda connection: connection.execute(select(room)).one())
    assert key not in map(str, stored)
    assert classroom.check_key(made.code, key) == made
    for code, wrong in ((made.code, key + "x"), (made.code, ""), ("AAAAAA", key)):
        with pytest.raises(RoomError, match="no room has this code and this lecturer key") as refusal:
            classroom.check_key(code, wrong)
        assert refusal.value.name == "wrong_key"


def test_forty_retries_at_once_leave_one_row(classroom: Classroom) -> None:
    at, ask, people = ready(classroom)
    with ThreadPoolExecutor(20) as pool:
        saved = list(pool.map(lambda _: cast(classroom, at, ask, people[0]), range(40)))
    assert set(saved) == {Saved("a", '{"choice": "a"}', 1)}
    assert rows(classroom) == [(1, "a", 1)]


def test_the_last_change_of_mind_stands_in_whatever_order_they_arrive(classroom: Classroom) -> None:
    at, ask, people = ready(classroom)
    cast(classroom, at, ask, people[0], 3, "b")
    assert cast(classroom, at, ask, people[0], 2, "a").answer == "b"
    assert cast(classroom, at, ask, people[0], 4, "c").answer == "c"
    assert rows(classroom) == [(1, "c", 4)]


def test_a_closed_vote_takes_nothing_new_but_still_acknowledges_what_stands(classroom: Classroom) -> None:
    at, ask, people = ready(classroom, 2)
    cast(classroom, at, ask, people[0], 1, "a")
    classroom.act(at.id, "close")
    assert cast(classroom, at, ask, people[0], 1, "a").sequence == 1
    for number, sequence, answer in ((people[0], 2, "b"), (people[0], 1, "b"), (people[1], 1, "a")):
        with pytest.raises(RoomError, match="this vote is closed"):
            cast(classroom, at, ask, number, sequence, answer)
    assert rows(classroom) == [(1, "a", 1)]


def test_five_hundred_votes_racing_a_close_leave_none_after_it(
    open_classroom: Callable[[], Classroom],
) -> None:
    """Through three servers where the database allows it: the database keeps votes and close apart."""
    first = open_classroom()
    servers = [first] * 3 if first._database.is_sqlite else [first, open_classroom(), open_classroom()]
    at, ask, people = ready(first, 125)
    underway = threading.Event()

    def feed(turns: range, server: Classroom) -> list[str | None]:
        """Vote 25 at a time, and return each refusal's name."""
        names: list[str | None] = []
        for start in turns[::25]:
            promises = []
            for turn in range(start, start + 25):
                number, change = people[turn % 125], turn // 125

                def work(at_: Connection, number: int = number, change: int = change) -> Saved:
                    return votes.cast(at_, at.id, number, Ballot(ask, 1, "ab"[change % 2], "{}", 1 + change))

                promises.append(server._database.submit(work))
            for refused in [promise.exception() for promise in promises]:
                names.append(refused.name if isinstance(refused, RoomError) else refused and repr(refused))
            if len(names) >= 50:
                underway.set()
        return names

    with ThreadPoolExecutor(2) as pool:
        fed = [pool.submit(feed, range(250 * n, 250 * n + 250), servers[n]) for n in range(2)]
        assert underway.wait(60)
        servers[2].act(at.id, "close")
        at_close = rows(servers[2])
        names = [name for each in fed for name in each.result()]
    assert rows(servers[2]) == at_close
    assert len(names) == 500
    assert set(names) == {None, "not_open"}, "the close came after all of them, or something failed"


def test_two_votes_on_one_question_are_two_rounds(classroom: Classroom) -> None:
    at, ask, people = ready(classroom, 3)
    for number in people:
        cast(classroom, at, ask, number, 1, "a")
    classroom.act(at.id, "close")
    classroom.act(at.id, "discuss")
    classroom.act(at.id, "second")
    with pytest.raises(RoomError, match="closed"):
        cast(classroom, at, ask, people[0], 9, "b", round_=1)
    cast(classroom, at, ask, people[0], 1, "b", round_=2)
    assert [classroom.tally(at.id, ask, each) for each in (1, 2)] == [{"a": 3}, {"b": 1}]
    classroom.act(at.id, "close")
    with pytest.raises(RoomError, match="second cannot follow"):
        classroom.act(at.id, "second")


def test_what_a_second_window_or_a_second_click_asks_for_too_late_does_nothing(classroom: Classroom) -> None:
    at, _, _ = ready(classroom)
    closed = classroom.act(at.id, "close", revision=at.revision)
    with pytest.raises(RoomError, match="the room has changed") as refusal:
        classroom.act(at.id, "undo_close", revision=at.revision)
    assert refusal.value.status == 409
    assert classroom.view(at.id).room == closed
    assert classroom.act(at.id, "undo_close", revision=closed.revision).standing.phase == "open"


def test_only_questions_that_were_not_asked_leave_the_list(classroom: Classroom) -> None:
    at, ask, _ = ready(classroom)
    with pytest.raises(RoomError, match="not asked yet"):
        classroom.remove_ask(at.id, ask)
    classroom.add_ask(at.id, FIRST)
    second = classroom.view(at.id).asks[1]
    classroom.remove_ask(at.id, second.id)
    assert [each.id for each in classroom.view(at.id).asks] == [ask]
    with pytest.raises(RoomError, match="the bank has no question"):
        classroom.add_ask(at.id, "'; DROP TABLE vote; --")
    classroom.act(at.id, "close")
    with pytest.raises(RoomError, match="the room has no question"):
        classroom.act(at.id, "open", ask_id=10**9)


def test_a_question_of_one_room_takes_no_votes_in_another(classroom: Classroom) -> None:
    at, ask, people = ready(classroom)
    other, other_ask, _ = ready(classroom)
    for place, question in ((at, other_ask), (other, ask)):
        with pytest.raises(RoomError):
            cast(classroom, place, question, people[0])
    assert rows(classroom) == []


def test_one_phone_is_one_person_however_often_it_joins_at_once(classroom: Classroom) -> None:
    made, _ = classroom.open_room("here")

    async def many() -> list[int]:
        return list(await asyncio.gather(*(classroom.join(made, "the same") for _ in range(40))))

    assert len(set(finish(many()))) == 1
    counted = select(func.count()).select_from(participant)
    assert classroom._database.read(lambda connection: connection.execute(counted).scalar()) == 1
    stored = classroom._database.read(lambda connection: connection.execute(select(participant)).one())
    assert stored.token_hash == hash_token("the same", made.id)


def test_deleting_a_room_leaves_nothing_of_it_and_all_of_another(classroom: Classroom) -> None:
    at, ask, people = ready(classroom, 3)
    kept, kept_ask, kept_people = ready(classroom, 2)
    for number in people:
        cast(classroom, at, ask, number)
    cast(classroom, kept, kept_ask, kept_people[0])
    classroom.delete_room(at)
    with pytest.raises(RoomError, match="there is no room"):
        classroom.view(at.id)
    with pytest.raises(RoomError, match="there is no room"):
        finish(classroom.room(at.code))
    assert len(rows(classroom)) == 1
    assert classroom.view(kept.id).joined == 2


def test_a_room_is_over_after_its_days_and_then_deleted(
    classroom: Classroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    at, ask, people = ready(classroom)
    cast(classroom, at, ask, people[0])
    assert at.expires_ms - at.opened_ms == KEPT_DAYS * 24 * 3600 * 1000
    for late, gone in ((at.expires_ms - 1, 0), (at.expires_ms, 1)):
        monkeypatch.setattr(rooms, "now_ms", lambda late=late: late)
        if gone:
            with pytest.raises(RoomError, match="there is no room"):
                classroom.view(at.id)
        assert classroom.delete_expired() == gone
    assert rows(classroom) == []


def test_another_servers_changes_are_seen(open_classroom: Callable[[], Classroom]) -> None:
    first, second = open_classroom(), open_classroom()
    at, ask, people = ready(first)
    assert first.secret == second.secret
    cast(second, at, ask, people[0])
    second.act(at.id, "close")
    assert first.view(at.id).room.standing.phase == "closed"
    assert first.view(at.id).voted == 1


def test_a_database_of_another_version_is_refused(open_classroom: Callable[[], Classroom]) -> None:
    classroom = open_classroom()
    classroom._database.write(
        lambda connection: connection.execute(schema_version.update().values(version=99))
    )
    with pytest.raises(RuntimeError, match="schema version 99; this app knows version 1"):
        open_classroom()


def test_sqlite_is_set_up_to_keep_what_it_acknowledged(tmp_path: Path) -> None:
    database = Database(read_settings({"TILEWISE_DATA": str(tmp_path)}, root=tmp_path))
    names = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
    try:
        found = database.read(lambda at: [at.exec_driver_sql(f"PRAGMA {name}").scalar() for name in names])
    finally:
        database.close()
    # 2 is FULL.
    assert found == ["wal", 2, 1, 5000]


def test_who_writes_after_the_end_is_refused_and_does_not_wait(tmp_path: Path) -> None:
    database = Database(read_settings({"TILEWISE_DATA": str(tmp_path)}, root=tmp_path))
    database.close()
    refused = database.submit(lambda connection: connection.exec_driver_sql("SELECT 1").scalar())
    assert isinstance(refused.exception(5), RoomError)


def test_an_unwritable_folder_is_refused_in_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("", encoding="utf-8")
    with pytest.raises(RuntimeError, match=r"cannot write to .*file/data .*TILEWISE_DATA"):
        check_folder(file / "data")


MOUNTS = """\
22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
40 22 0:40 / /srv rw - nfs4 server:/export rw
41 40 254:1 / /srv/local\\040disk rw - xfs /dev/vdb rw
42 22 0:42 / /mnt rw shared:7 - cifs //server/share rw
43 22 0:43 / /mnt rw shared:8 - ext4 /dev/vdc rw
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/data", "ext4"),
        ("/srv", "nfs4"),
        ("/srv/tilewise/data", "nfs4"),
        ("/srv/local disk/data", "xfs"),
        ("/srvlike", "ext4"),
        ("/mnt/x", "ext4"),
    ],
)
def test_the_file_system_of_a_folder_is_that_of_its_nearest_mount(folder: str, kind: str) -> None:
    assert file_system_of(Path(folder), MOUNTS) == kind


def test_a_network_file_system_is_refused(tmp_path: Path) -> None:
    mounts = f"1 1 0:1 / / rw - ext4 x rw\n2 1 0:2 / {tmp_path.resolve()} rw - nfs4 server:/x rw\n"
    with pytest.raises(RuntimeError, match=r"network file system \(nfs4\)"):
        check_folder(tmp_path / "data", mounts)


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({"DATABASE_URL": "mysql://root:secret@host/x"}, "DATABASE_URL begins with 'mysql'"),
        ({"DATABASE_URL": "root:secret"}, "it must be postgresql"),
        ({"TILEWISE_REPLICAS": "3"}, "cannot share one SQLite file"),
        ({"TILEWISE_REPLICAS": "many"}, "must be a number from 1"),
    ],
)
def test_settings_that_cannot_work_are_refused(
    environment: dict[str, str], message: str, tmp_path: Path
) -> None:
    with pytest.raises(RuntimeError, match=message) as refusal:
        read_settings(environment, root=tmp_path)
    assert "secret@" not in str(refusal.value)


def test_several_servers_may_share_postgres(tmp_path: Path) -> None:
    environment = {"DATABASE_URL": "postgres://u:p@host/x", "TILEWISE_REPLICAS": "3"}
    assert read_settings(environment, root=tmp_path).url == "postgresql+psycopg://u:p@host/x"
