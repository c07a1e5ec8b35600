"""What the server needs of the live room: its routes, and its life from start to stop."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Sequence

from starlette.routing import BaseRoute

from classroom.errors import RoomError
from classroom.lecturer_routes import LecturerRoutes
from classroom.routes import PhonePage, PhoneRoutes
from classroom.shared import close_classroom, shared_classroom

__all__ = ["database_answers", "room_routes", "rooms_open"]

_CLEANING_S = 60 * 60
_PATIENCE_S = 2.0


def room_routes(page: PhonePage, base: str = "") -> Sequence[BaseRoute]:
    """Return the phones' and the lecturer's routes, each under `base`. Opens no database."""
    return [
        *PhoneRoutes(shared_classroom, page, base).routes(),
        *LecturerRoutes(shared_classroom, base).routes(),
    ]


async def database_answers() -> bool:
    """Say whether the room's database answers within two seconds."""
    try:
        await asyncio.wait_for(shared_classroom().alive(), _PATIENCE_S)
    except (RoomError, TimeoutError):
        return False
    return True


async def _clean_up() -> None:
    """Delete the rooms whose time is over, now and every hour."""
    while True:
        # A database that is away for the moment is asked again an hour later.
        with contextlib.suppress(RoomError):
            await asyncio.to_thread(shared_classroom().delete_expired)
        await asyncio.sleep(_CLEANING_S)


@contextlib.asynccontextmanager
async def rooms_open() -> AsyncIterator[None]:
    """Open the database at the server's start and close it at its end.

    Raises
    ------
    RuntimeError
        If the settings or the database are not as they must be; one sentence says what to do.
    """
    try:
        await asyncio.to_thread(shared_classroom)
    except RuntimeError as error:
        # What follows in the log is the way to this sentence, which few will read.
        print(f"Tilewise cannot start: {error}", file=sys.stderr, flush=True)
        raise
    cleaning = asyncio.create_task(_clean_up())
    try:
        yield
    finally:
        cleaning.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await cleaning
        await asyncio.to_thread(close_classroom)
