"""The room that a lecturer's browser leads: how it comes to lead one, and what it keeps of that.

All of it stands in a mapping that lasts as long as the page is open. Nothing here knows who draws.
"""

from collections.abc import Callable, MutableMapping
from typing import Any

from classroom.codes import normal_code
from classroom.errors import RoomError
from classroom.rooms import Room
from classroom.service import Classroom, View

# What is kept: the room it may lead, the key for the cookie, a new key until it is put away, what it has
# drawn, what to say next, and the room that it has left.
_ROOM, _COOKIE_KEY, _NEW_KEY, _DRAWN = "room_id", "room_cookie_key", "room_new_key", "room_drawn"
_NOTICE, _LEFT = "room_notice", "room_left"

__all__ = ["Leading"]


class Leading:
    """What one browser session leads.

    Parameters
    ----------
    kept : mutable mapping
        The session's own state.
    classroom : callable returning Classroom
    """

    def __init__(self, kept: MutableMapping[str, Any], classroom: Callable[[], Classroom]) -> None:
        self._kept, self._classroom = kept, classroom

    @property
    def left(self) -> str | None:
        """The code of the room that it has left, whose cookie has to go."""
        return self._kept.get(_LEFT)

    @property
    def cookie_key(self) -> str:
        """The key that the cookie has to hold."""
        return str(self._kept[_COOKIE_KEY])

    @property
    def new_key(self) -> str | None:
        """The key of a room just opened, until it is put away."""
        return self._kept.get(_NEW_KEY)

    def put_key_away(self) -> None:
        """Show the new key no more."""
        self._kept.pop(_NEW_KEY, None)

    @property
    def drawn(self) -> int | None:
        """The revision of the room that the page shows."""
        return self._kept.get(_DRAWN)

    @drawn.setter
    def drawn(self, revision: int) -> None:
        self._kept[_DRAWN] = revision

    def say(self, notice: str) -> None:
        """Keep a sentence for the next drawing."""
        self._kept[_NOTICE] = notice

    def take_notice(self) -> str | None:
        """Return the sentence that was kept, once."""
        notice: str | None = self._kept.pop(_NOTICE, None)
        return notice

    def attempt(self, work: Callable[..., object], *arguments: object, **options: object) -> None:
        """Do something to the room, and keep what it refuses for the next drawing."""
        try:
            work(*arguments, **options)
        except RoomError as error:
            # "changed" needs no words: another window was first, and the page shows what it did.
            if error.name != "changed":
                self.say(error.message)

    def _lead(self, room: Room, key: str) -> None:
        """Lead a room from now on."""
        self._kept[_ROOM], self._kept[_COOKIE_KEY] = room.id, key
        self._kept.pop(_LEFT, None)

    def enter(self, code: str, key: str) -> bool:
        """Take a room over with its key. Says False for a key that fits nothing."""
        try:
            room = self._classroom().check_key(normal_code(code) or "", key.strip())
        except RoomError as error:
            self.say(error.message)
            return False
        self._lead(room, key.strip())
        return True

    def enter_by_cookie(self, cookie: str) -> None:
        """Find the room again after a reload, by the cookie that only the server reads."""
        if _ROOM in self._kept or _LEFT in self._kept:
            return
        code, _, key = cookie.partition(".")
        if key and not self.enter(code, key):
            self._kept.pop(_NOTICE, None)

    def open_new(self, address: str) -> None:
        """Open a room and lead it. The address is the browser's: one may not open any number."""
        try:
            room, key = self._classroom().open_room(address)
        except RoomError as error:
            self.say(error.message)
            return
        self._lead(room, key)
        self._kept[_NEW_KEY] = key

    def leave(self, code: str) -> None:
        """Lead no room any more."""
        for name in (_ROOM, _COOKIE_KEY, _NEW_KEY, _DRAWN):
            self._kept.pop(name, None)
        self._kept[_LEFT] = code

    def view(self, gone: str) -> View | None:
        """Return the room that is led, or None. ``gone`` is what to say of one that is no more."""
        room_id = self._kept.get(_ROOM)
        if room_id is None:
            return None
        try:
            return self._classroom().view(room_id)
        except RoomError as error:
            self.say(gone if error.name == "no_room" else error.message)
            if error.name == "no_room":
                self.leave("gone")
            return None
