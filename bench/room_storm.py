"""Phones that vote without a pause and go on by themselves, whatever happens to the server."""

import asyncio
import random
from dataclasses import dataclass, field

from bench.room_client import Lecturer, Phone

__all__ = ["Storm", "gathered", "lost_votes"]

RETRY_S = 0.1


@dataclass
class Storm:
    """Phones that change their minds all the time.

    Attributes
    ----------
    phones : list of Phone
        Joined, with an open question on the screen.
    acknowledged : dict of Phone to (sequence, choice)
        What each phone was last told is saved.
    count, failures : int
        Votes acknowledged, and tries that nobody answered or that were refused for the moment.
    """

    phones: list[Phone]
    acknowledged: dict[Phone, tuple[int, str]] = field(default_factory=dict)
    count: int = 0
    failures: int = 0

    async def _vote_on(self, phone: Phone, stop: asyncio.Event) -> None:
        """Vote, retrying each vote until it is acknowledged, as the phone's page does."""
        while not stop.is_set():
            phone.sequence += 1
            choice = random.choice("ab")
            while not stop.is_set():
                try:
                    answer = await phone.vote({"choice": choice}, sequence=phone.sequence)
                except OSError:
                    answer = None
                if answer is not None and answer.status == 200:
                    self.acknowledged[phone] = (phone.sequence, choice)
                    self.count += 1
                    break
                self.failures += 1
                await asyncio.sleep(RETRY_S)

    async def run(self, stop: asyncio.Event) -> None:
        """Go on until told to stop."""
        await asyncio.gather(*(self._vote_on(phone, stop) for phone in self.phones))


async def gathered(url: str, count: int, question: str) -> tuple[Lecturer, Storm]:
    """Open a room with an open question, and have phones join it."""
    lecturer = await Lecturer(url).open()
    (ask,) = await lecturer.put(question)
    await lecturer.act("open", ask=ask)
    storm = Storm([Phone(url, lecturer.code) for _ in range(count)])
    for phone in storm.phones:
        await phone.join()
    return lecturer, storm


async def lost_votes(storm: Storm) -> list[str]:
    """Return every phone whose acknowledged vote does not stand any more, in words.

    A later vote may stand: it was written, and the server died before it said so.
    """
    lost = []
    for phone in storm.phones:
        sequence, choice = storm.acknowledged[phone]
        phone.tag = ""
        await phone.look()
        mine = phone.shown["mine"] or {"sequence": 0, "answer": {}}
        same = mine["sequence"] == sequence and mine["answer"] == {"choice": choice}
        if not (same or mine["sequence"] > sequence):
            lost.append(f"acknowledged {sequence} ({choice}), found {mine}")
    return lost
