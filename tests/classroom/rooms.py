"""What the tests of the routes share: a room with phones in it."""

from collections.abc import Awaitable, Callable

from bench.room_client import Lecturer, Phone, close_all
from lesson.quiz import bank
from tests.loops import finish

SEED = 7
OF_KIND = {entry.kind: entry.id for entry in reversed(bank())}
SINGLE = OF_KIND["single"]

__all__ = ["OF_KIND", "SEED", "SINGLE", "room_with", "run"]


def run(work: Callable[[], Awaitable[None]]) -> None:
    """Run a test's own coroutine, and close what it opened."""

    async def closing() -> None:
        try:
            await work()
        finally:
            await close_all()

    finish(closing())


async def room_with(url: str, *questions: str, people: int = 1) -> tuple[Lecturer, list[int], list[Phone]]:
    """Return a room's lecturer, its questions' numbers, and phones that have joined."""
    lecturer = await Lecturer(url).open()
    asks = await lecturer.put(*questions, seed=SEED)
    phones = [Phone(url, lecturer.code) for _ in range(people)]
    for phone in phones:
        await phone.ask("GET", lecturer.code)
        assert (await phone.join()).status == 200
    return lecturer, asks, phones
