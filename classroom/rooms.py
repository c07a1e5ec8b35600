"""A lecturer's transactions: open a room, plan its questions, move it from phase to phase, delete it.

Every function takes a connection inside a transaction. Those that write lock the room's row first: on SQLite
the transaction already holds the one write lock, on PostgreSQL `FOR UPDATE` waits for every vote in progress.
"""

import time
from dataclasses import dataclass

from sqlalchemy import Connection, Row, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from classroom.codes import hash_key, key_matches, new_code, new_key
from classroom.errors import RoomError
from classroom.phases import Standing, follow
from classroom.schema import ask, participant, room, vote

__all__ = [
    "KEPT_DAYS",
    "MOST_ASKS",
    "MOST_ROOMS",
    "Ask",
    "Room",
    "act",
    "add_ask",
    "asks_of",
    "check_key",
    "delete_expired",
    "delete_room",
    "find_room",
    "joined",
    "lock_room",
    "now_ms",
    "open_room",
    "remove_ask",
    "room_by_id",
]

KEPT_DAYS = 30
MOST_ASKS = 40
MOST_ROOMS = 2_000
_DAY_MS = 24 * 60 * 60 * 1000
_TRIES = 20


def now_ms() -> int:
    """Return the time in milliseconds since 1970, UTC."""
    return time.time_ns() // 1_000_000


@dataclass(frozen=True)
class Room:
    """A room as it stood at one moment.

    Attributes
    ----------
    id : int
    code : str
    revision : int
        Grows with everything that a lecturer changes.
    standing : Standing
    opened_ms, expires_ms : int
    """

    id: int
    code: str
    revision: int
    standing: Standing
    opened_ms: int
    expires_ms: int


@dataclass(frozen=True)
class Ask:
    """A question in a room.

    Attributes
    ----------
    id : int
    place : int
        Its place in the room's order; not every number need be taken.
    question : str
        Its id in the bank.
    seed : int
    rounds : int
        How many votes on it were opened.
    """

    id: int
    place: int
    question: str
    seed: int
    rounds: int


def _room(row: Row[tuple[object, ...]]) -> Room:
    found = row._mapping
    standing = Standing(found["phase"], found["ask_id"], found["round"])
    return Room(
        found["id"], found["code"], found["revision"], standing, found["opened_ms"], found["expires_ms"]
    )


def _gone() -> RoomError:
    return RoomError("no_room", "there is no room with this code")


def find_room(connection: Connection, code: str) -> Room:
    """Return the room with a code.

    Raises
    ------
    RoomError
        `no_room` if there is none, or its time is over.
    """
    row = connection.execute(select(room).where(room.c.code == code)).first()
    if row is None or row.expires_ms <= now_ms():
        raise _gone()
    return _room(row)


def room_by_id(connection: Connection, room_id: int) -> Room:
    """Return a room by its number; raises as `find_room` does."""
    row = connection.execute(select(room).where(room.c.id == room_id)).first()
    if row is None or row.expires_ms <= now_ms():
        raise _gone()
    return _room(row)


def lock_room(connection: Connection, room_id: int, *, shared: bool = False) -> Room:
    """Return a room that nobody else changes before this transaction ends.

    Parameters
    ----------
    connection : Connection
    room_id : int
    shared : bool
        Let other votes go on beside this one; only a lecturer's change waits.
    """
    query = select(room).where(room.c.id == room_id).with_for_update(read=shared)
    row = connection.execute(query).first()
    if row is None or row.expires_ms <= now_ms():
        raise _gone()
    return _room(row)


def open_room(connection: Connection) -> tuple[Room, str]:
    """Make a room, and return it with the lecturer's key, which is stored nowhere.

    Raises
    ------
    RoomError
        `full` if this server has all the rooms that it may have.
    """
    if connection.execute(select(func.count()).select_from(room)).scalar_one() >= MOST_ROOMS:
        raise RoomError("full", f"this server has {MOST_ROOMS:,} rooms, and takes no more for now")
    key, opened = new_key(), now_ms()
    for _ in range(_TRIES):
        try:
            with connection.begin_nested():
                made = connection.execute(
                    insert(room).values(
                        code=new_code(),
                        key_hash=hash_key(key),
                        revision=1,
                        phase="lobby",
                        ask_id=None,
                        round=0,
                        opened_ms=opened,
                        expires_ms=opened + KEPT_DAYS * _DAY_MS,
                    )
                )
        except IntegrityError:
            continue  # Another room has this code.
        assert made.inserted_primary_key is not None
        return room_by_id(connection, made.inserted_primary_key[0]), key
    raise RoomError("full", "no free room code was found; try again")


def check_key(connection: Connection, code: str, key: str) -> Room:
    """Return the room that a key belongs to.

    Raises
    ------
    RoomError
        `wrong_key`, the same whether the code or the key is wrong: the refusal tells nothing of codes.
    """
    row = connection.execute(select(room).where(room.c.code == code)).first()
    if row is None or not key_matches(key, row.key_hash) or row.expires_ms <= now_ms():
        raise RoomError("wrong_key", "no room has this code and this lecturer key")
    return _room(row)


def asks_of(connection: Connection, room_id: int) -> tuple[Ask, ...]:
    """Return a room's questions in their order."""
    rows = connection.execute(select(ask).where(ask.c.room_id == room_id).order_by(ask.c.place))
    return tuple(Ask(row.id, row.place, row.question, row.seed, row.rounds) for row in rows)


def joined(connection: Connection, room_id: int) -> int:
    """Return how many people have joined a room."""
    query = select(func.count()).select_from(participant).where(participant.c.room_id == room_id)
    return connection.execute(query).scalar_one()


def _raise_revision(connection: Connection, room_id: int, **values: object) -> Room:
    connection.execute(
        update(room).where(room.c.id == room_id).values(revision=room.c.revision + 1, **values)
    )
    return room_by_id(connection, room_id)


def add_ask(connection: Connection, room_id: int, question: str, seed: int) -> Room:
    """Put a question at the end of a room's list.

    Raises
    ------
    RoomError
        `full` if the list is as long as it may be.
    """
    lock_room(connection, room_id)
    places = [each.place for each in asks_of(connection, room_id)]
    if len(places) >= MOST_ASKS:
        raise RoomError("full", f"the room has {len(places)} questions; {MOST_ASKS} is the most")
    place = max(places, default=0) + 1
    connection.execute(
        insert(ask).values(room_id=room_id, place=place, question=question, seed=seed, rounds=0)
    )
    return _raise_revision(connection, room_id)


def remove_ask(connection: Connection, room_id: int, ask_id: int) -> Room:
    """Take a question off the list that nobody has been asked yet.

    Raises
    ------
    RoomError
        `not_now` if it is not there, or was voted on.
    """
    lock_room(connection, room_id)
    gone = connection.execute(
        delete(ask).where(ask.c.room_id == room_id, ask.c.id == ask_id, ask.c.rounds == 0)
    )
    if gone.rowcount != 1:
        raise RoomError("not_now", "only a question that was not asked yet can be taken off the list")
    return _raise_revision(connection, room_id)


def act(
    connection: Connection,
    room_id: int,
    action: str,
    *,
    ask_id: int | None = None,
    revision: int | None = None,
) -> Room:
    """Move a room on.

    Parameters
    ----------
    connection : Connection
    room_id : int
    action : str
        One of `classroom.phases.ACTIONS`.
    ask_id : int, optional
        For `open`: which question.
    revision : int, optional
        What the lecturer saw. If the room has changed since, in another window or by a second click, nothing
        happens.

    Raises
    ------
    RoomError
        `changed`, `not_now` or `malformed`.
    """
    now = lock_room(connection, room_id)
    if revision is not None and revision != now.revision:
        raise RoomError("changed", f"the room has changed: it is at revision {now.revision}, not {revision}")
    rounds = 0
    if action == "open" and ask_id is not None:
        found = connection.execute(select(ask.c.rounds).where(ask.c.room_id == room_id, ask.c.id == ask_id))
        row = found.first()
        if row is None:
            raise RoomError("malformed", f"the room has no question {ask_id}")
        rounds = row.rounds
    then = follow(now.standing, action, ask=ask_id, rounds=rounds)
    if then.phase == "open":
        connection.execute(update(ask).where(ask.c.id == then.ask).values(rounds=then.round))
    return _raise_revision(connection, room_id, phase=then.phase, ask_id=then.ask, round=then.round)


def delete_room(connection: Connection, room_id: int) -> None:
    """Delete a room with its questions, people and votes. Nothing of it stays."""
    lock_room(connection, room_id)
    _delete(connection, room_id)


def _delete(connection: Connection, room_id: int) -> None:
    # In this order no row waits for a cascade to look for its children.
    for table in (vote, participant, ask):
        connection.execute(delete(table).where(table.c.room_id == room_id))
    connection.execute(delete(room).where(room.c.id == room_id))


def delete_expired(connection: Connection) -> int:
    """Delete the rooms whose time is over, and return how many there were."""
    over = connection.execute(
        select(room.c.id).where(room.c.expires_ms <= now_ms()).with_for_update()
    ).scalars()
    numbers = list(over)
    for room_id in numbers:
        _delete(connection, room_id)
    return len(numbers)
