"""A participant's transactions: join a room, vote; and what was voted, by counting rows.

Whether a vote still counts is decided inside the transaction that writes it, by the room's own row.
A vote and the close of its question can therefore not pass each other.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, func, insert, select
from sqlalchemy.dialects.postgresql import insert as postgres_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.exc import IntegrityError

from classroom.errors import RoomError
from classroom.rooms import joined, lock_room, now_ms
from classroom.schema import participant, vote

__all__ = [
    "MOST_PEOPLE",
    "MOST_SEQUENCE",
    "Ballot",
    "Saved",
    "cast",
    "find_person",
    "join",
    "own_votes",
    "tally",
]

MOST_PEOPLE = 1_000
MOST_SEQUENCE = 2**53 - 1
"""The largest whole number that JavaScript counts with exactly."""
_TRIES = 20


@dataclass(frozen=True)
class Ballot:
    """A vote as it comes in.

    Attributes
    ----------
    ask_id, round : int
        The question and the round that the phone showed.
    answer : str
        In the question's short form.
    given : str
        As it was given, in JSON.
    sequence : int
        Counts the changes of mind on this phone. The highest one stands.
    """

    ask_id: int
    round: int
    answer: str
    given: str
    sequence: int


@dataclass(frozen=True)
class Saved:
    """What stands in the database for a participant after a vote."""

    answer: str
    given: str
    sequence: int


def find_person(connection: Connection, room_id: int, token_hash: str) -> int | None:
    """Return a participant's number in a room, or None."""
    query = select(participant.c.number).where(
        participant.c.room_id == room_id, participant.c.token_hash == token_hash
    )
    return connection.execute(query).scalar()


def join(connection: Connection, room_id: int, token_hash: str) -> int:
    """Return a participant's number in a room, making one for who is new. Any number of calls make one.

    Raises
    ------
    RoomError
        `full` if the room has all the people that it may have.
    """
    known = find_person(connection, room_id, token_hash)
    if known is not None:
        return known
    lock_room(connection, room_id)
    # Another request of the same phone may have been first while this one waited for the lock.
    known = find_person(connection, room_id, token_hash)
    if known is not None:
        return known
    if joined(connection, room_id) >= MOST_PEOPLE:
        raise RoomError("full", f"the room has {MOST_PEOPLE:,} people, which is the most it takes")
    for _ in range(_TRIES):
        # Not in order of joining: a number says nothing about who sat where or came when.
        number = 100_000 + secrets.randbelow(900_000)
        try:
            with connection.begin_nested():
                connection.execute(
                    insert(participant).values(
                        room_id=room_id, number=number, token_hash=token_hash, joined_ms=now_ms()
                    )
                )
        except IntegrityError:
            continue  # Somebody has this number.
        return number
    raise RoomError("full", "no free number was found; try again")


def cast(connection: Connection, room_id: int, number: int, ballot: Ballot) -> Saved:
    """Write a vote, and return what stands.

    A retry of what already stands is answered the same, even after the close. An older change of mind that
    arrives late changes nothing.

    Raises
    ------
    RoomError
        `not_open` if this vote is not open (any more) and does not stand yet.
    """
    now = lock_room(connection, room_id, shared=True).standing
    place = (
        vote.c.room_id == room_id,
        vote.c.ask_id == ballot.ask_id,
        vote.c.round == ballot.round,
        vote.c.number == number,
    )
    if now.phase != "open" or (now.ask, now.round) != (ballot.ask_id, ballot.round):
        row = connection.execute(select(vote.c.answer, vote.c.given, vote.c.sequence).where(*place)).first()
        if row is not None and (row.answer, row.sequence) == (ballot.answer, ballot.sequence):
            return Saved(row.answer, row.given, row.sequence)
        raise RoomError("not_open", "this vote is closed")
    values = {
        "room_id": room_id,
        "ask_id": ballot.ask_id,
        "round": ballot.round,
        "number": number,
        "answer": ballot.answer,
        "given": ballot.given,
        "sequence": ballot.sequence,
        "voted_ms": now_ms(),
    }
    upsert = sqlite_insert(vote) if connection.dialect.name == "sqlite" else postgres_insert(vote)
    new = upsert.excluded
    stands = (vote.c.answer, vote.c.given, vote.c.sequence)
    written = connection.execute(
        upsert.values(values)
        .on_conflict_do_update(
            index_elements=[vote.c.room_id, vote.c.ask_id, vote.c.round, vote.c.number],
            set_={name: new[name] for name in ("answer", "given", "sequence", "voted_ms")},
            where=new.sequence > vote.c.sequence,
        )
        .returning(*stands)
    ).first()
    # Nothing was written if a later change of mind stands.
    row = written or connection.execute(select(*stands).where(*place)).one()
    return Saved(row.answer, row.given, row.sequence)


def tally(connection: Connection, room_id: int, ask_id: int, round_: int) -> dict[str, int]:
    """Return how often each answer was given in a round: counted rows, never a counter."""
    query = (
        select(vote.c.answer, func.count())
        .where(vote.c.room_id == room_id, vote.c.ask_id == ask_id, vote.c.round == round_)
        .group_by(vote.c.answer)
    )
    return {row[0]: row[1] for row in connection.execute(query)}


def own_votes(connection: Connection, room_id: int, ask_id: int, number: int) -> Mapping[int, Saved]:
    """Return a participant's own votes on a question, by round."""
    rows = connection.execute(
        select(vote.c.round, vote.c.answer, vote.c.given, vote.c.sequence).where(
            vote.c.room_id == room_id, vote.c.ask_id == ask_id, vote.c.number == number
        )
    )
    return {row.round: Saved(row.answer, row.given, row.sequence) for row in rows}
