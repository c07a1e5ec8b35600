"""The live room as one object: what a lecturer's page and the phones' routes call.

A lecturer's calls wait for the database. A phone's are coroutines. What is the same for a whole room is read
once and kept for a moment: its row, the state that all phones share, the counts.
"""

import json
import secrets
import time
from collections import OrderedDict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sqlalchemy import Connection, insert, select, text
from sqlalchemy.exc import IntegrityError

from classroom import rooms, votes
from classroom.codes import hash_token
from classroom.database import Database
from classroom.errors import RoomError
from classroom.export import room_csv
from classroom.limits import ROOMS_AN_HOUR, Limiter
from classroom.phone_state import common_state, own_state
from classroom.questions import MOST_SEED, Question, canonical, question, question_or_none
from classroom.results import Results, results_of
from classroom.rooms import Ask, Room
from classroom.schema import meta
from classroom.votes import Ballot, Saved

__all__ = ["COUNTS_S", "ROOM_S", "Classroom", "View"]

V = TypeVar("V")
COUNTS_S = 0.5
"""Seconds that counts are kept: one query for all who look."""
ROOM_S = 0.25
"""Seconds that a room's row is kept. Changes made in this process are seen at once, others after this."""
_HOUR_S = 3600.0
_MOST_KEPT = 4_096


class _Kept(Generic[V]):
    """Values that are good for some seconds, the oldest forgotten first."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._values: OrderedDict[Hashable, tuple[float, V]] = OrderedDict()

    def get(self, key: Hashable) -> V | None:
        found = self._values.get(key)
        return found[1] if found is not None and time.monotonic() - found[0] < self._seconds else None

    def put(self, key: Hashable, value: V) -> V:
        self._values[key] = (time.monotonic(), value)
        while len(self._values) > _MOST_KEPT:
            self._values.popitem(last=False)
        return value

    def forget(self, key: Hashable) -> None:
        self._values.pop(key, None)


@dataclass(frozen=True)
class View:
    """What a lecturer's window shows of a room.

    Attributes
    ----------
    room : Room
    asks : tuple of Ask
    joined : int
        People in the room.
    voted : int
        Votes in the round at hand.
    """

    room: Room
    asks: tuple[Ask, ...]
    joined: int
    voted: int

    @property
    def current(self) -> Ask | None:
        """The question at hand."""
        return next((each for each in self.asks if each.id == self.room.standing.ask), None)


class Classroom:
    """All rooms of this server.

    Parameters
    ----------
    database : Database
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._rooms: _Kept[Room] = _Kept(ROOM_S)
        self._counts: _Kept[dict[str, int]] = _Kept(COUNTS_S)
        self._common: _Kept[dict[str, Any]] = _Kept(_HOUR_S)
        self._people: _Kept[int] = _Kept(_HOUR_S)
        self._named: _Kept[tuple[str, int]] = _Kept(_HOUR_S)
        self._openings = Limiter(ROOMS_AN_HOUR, _HOUR_S)
        self.secret = database.write(_cookie_secret)

    def close(self) -> None:
        """Finish, and let go of the database."""
        self._database.close()

    # A lecturer's side.

    def open_room(self, address: str) -> tuple[Room, str]:
        """Open a room and return it with the lecturer's key, which cannot be asked for again.

        Parameters
        ----------
        address : str
            Who asks. Kept for an hour in memory, and nowhere else.

        Raises
        ------
        RoomError
            `too_often` for more than `ROOMS_AN_HOUR` from one address, `full` if the server is.
        """
        if self._openings.over(address):
            raise RoomError("too_often", f"{ROOMS_AN_HOUR} rooms an hour is the most from one address")
        made = self._database.write(rooms.open_room)
        self._openings.count(address)
        self.delete_expired()
        return made

    def check_key(self, code: str, key: str) -> Room:
        """Return the room that a lecturer's key belongs to; see `rooms.check_key`."""
        return self._database.read(lambda connection: rooms.check_key(connection, code, key))

    def view(self, room_id: int) -> View:
        """Return what a lecturer's window shows. Raises `no_room` once the room is gone."""

        def look(connection: Connection) -> tuple[Room, tuple[Ask, ...], int]:
            room = rooms.room_by_id(connection, room_id)
            return room, rooms.asks_of(connection, room_id), rooms.joined(connection, room_id)

        room, asks, joined = self._database.read(look)
        now = room.standing
        voted = 0 if now.ask is None else sum(self.tally(room_id, now.ask, now.round).values())
        return View(room, asks, joined, voted)

    def tally(self, room_id: int, ask_id: int, round_: int) -> dict[str, int]:
        """Return how often each answer was given; at most `COUNTS_S` old."""
        key = (room_id, ask_id, round_)
        kept = self._counts.get(key)
        if kept is not None:
            return kept
        counted = self._database.read(lambda connection: votes.tally(connection, room_id, ask_id, round_))
        return self._counts.put(key, counted)

    def results(self, room_id: int, ask: Ask) -> Results | None:
        """Return a question's votes of every round; None if the bank no longer has the question."""
        asked = question_or_none(ask.question, ask.seed)
        if asked is None:
            return None
        return results_of(asked, [self.tally(room_id, ask.id, round_) for round_ in range(1, ask.rounds + 1)])

    def add_ask(self, room_id: int, question_id: str, seed: int | None = None) -> Room:
        """Put a question on a room's list, with numbers of its own unless a seed is given."""
        seed = secrets.randbelow(MOST_SEED) if seed is None else seed
        question(question_id, seed)
        return self._changed(
            self._database.write(lambda connection: rooms.add_ask(connection, room_id, question_id, seed))
        )

    def remove_ask(self, room_id: int, ask_id: int) -> Room:
        """Take a question off the list; see `rooms.remove_ask`."""
        return self._changed(
            self._database.write(lambda connection: rooms.remove_ask(connection, room_id, ask_id))
        )

    def act(
        self, room_id: int, action: str, *, ask_id: int | None = None, revision: int | None = None
    ) -> Room:
        """Move a room on; see `rooms.act`."""

        def move(connection: Connection) -> Room:
            return rooms.act(connection, room_id, action, ask_id=ask_id, revision=revision)

        room = self._changed(self._database.write(move))
        now = room.standing
        # A count taken just before the close is not the last one.
        self._counts.forget((room.id, now.ask, now.round))
        return room

    def _changed(self, room: Room) -> Room:
        return self._rooms.put(room.code, room)

    def export(self, room_id: int) -> str:
        """Return a room's votes as CSV."""
        return self._database.read(lambda connection: room_csv(connection, room_id))

    def delete_room(self, room: Room) -> None:
        """Delete a room and all that belongs to it."""
        self._database.write(lambda connection: rooms.delete_room(connection, room.id))
        self._rooms.forget(room.code)

    def delete_expired(self) -> int:
        """Delete the rooms whose time is over."""
        return self._database.write(rooms.delete_expired)

    # The phones' side.

    async def alive(self) -> None:
        """Go to the database and back. Raises `no_database` if it does not answer."""
        await self._database.read_soon(lambda connection: connection.execute(text("SELECT 1")).scalar())

    async def room(self, code: str) -> Room:
        """Return a room by its code; at most `ROOM_S` old."""
        kept = self._rooms.get(code)
        if kept is not None:
            return kept
        found = await self._database.read_soon(lambda connection: rooms.find_room(connection, code))
        return self._rooms.put(code, found)

    async def join(self, room: Room, token: str) -> int:
        """Return a phone's number in a room, making one for a new phone."""
        token_hash = hash_token(token, room.id)
        number = await self._database.write_soon(
            lambda connection: votes.join(connection, room.id, token_hash)
        )
        return self._people.put((room.id, token_hash), number)

    async def person(self, room: Room, token: str) -> int:
        """Return a phone's number in a room. Raises `not_joined` if it has none."""
        token_hash = hash_token(token, room.id)
        kept = self._people.get((room.id, token_hash))
        if kept is not None:
            return kept
        number = await self._database.read_soon(
            lambda connection: votes.find_person(connection, room.id, token_hash)
        )
        if number is None:
            raise RoomError("not_joined", "this phone has not joined the room")
        return self._people.put((room.id, token_hash), number)

    async def state(self, room: Room, number: int) -> dict[str, Any]:
        """Return what a phone is told, its own votes with it."""
        now = room.standing
        common = self._common.get((room.id, room.revision))
        if common is None:
            common = await self._database.read_soon(lambda connection: _common_of(connection, room))
            self._common.put((room.id, room.revision), common)
        ask_id = now.ask
        if ask_id is None:
            return {**common, **own_state(room, None, {})}
        mine = await self._database.read_soon(
            lambda connection: votes.own_votes(connection, room.id, ask_id, number)
        )
        asked = await self._asked(room, ask_id)
        return {**common, **own_state(room, asked, mine)}

    async def _asked(self, room: Room, ask_id: int) -> Question | None:
        """Return a question of a room. What an `ask` row says of it never changes."""
        key = (room.id, ask_id)
        named = self._named.get(key)
        if named is None:
            asks = await self._database.read_soon(lambda connection: rooms.asks_of(connection, room.id))
            ask = next((each for each in asks if each.id == ask_id), None)
            if ask is None:
                return None
            named = self._named.put(key, (ask.question, ask.seed))
        return question_or_none(*named)

    async def vote(
        self, room: Room, number: int, *, ask_id: int, round_: int, answer: Mapping[str, Any], sequence: int
    ) -> Saved:
        """Write a vote and return what stands; see `votes.cast`."""
        asked = await self._asked(room, ask_id)
        if asked is None:
            raise RoomError("not_open", "this question is not in the room")
        ballot = Ballot(ask_id, round_, canonical(asked, answer), json.dumps(answer), sequence)
        return await self._database.write_soon(
            lambda connection: votes.cast(connection, room.id, number, ballot)
        )


def _common_of(connection: Connection, room: Room) -> dict[str, Any]:
    """Read what all phones of a room are told."""
    now, asks = room.standing, rooms.asks_of(connection, room.id)
    ask = next((each for each in asks if each.id == now.ask), None)
    asked = None if ask is None else question_or_none(ask.question, ask.seed)
    results = None
    if asked is not None and ask is not None and now.phase == "revealed":
        # Only the rounds of this revision: a second vote may just have been opened.
        tallies = [votes.tally(connection, room.id, ask.id, round_) for round_ in range(1, now.round + 1)]
        results = results_of(asked, tallies)
    return common_state(room, asks, asked, results)


def _cookie_secret(connection: Connection) -> str:
    """Return the secret that signs phones' cookies, made once for all servers of one database."""
    query = select(meta.c.value).where(meta.c.name == "cookie_secret")
    found = connection.execute(query).scalar()
    if found is not None:
        return str(found)
    try:
        with connection.begin_nested():
            connection.execute(insert(meta).values(name="cookie_secret", value=secrets.token_urlsafe(32)))
    except IntegrityError:
        pass  # Another server of this database was first.
    return str(connection.execute(query).scalar_one())
