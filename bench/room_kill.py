"""Kill the server twenty times while 50 phones vote, then stop PostgreSQL while they vote.

Serves the real app. Each kill is `kill -9` at a random moment. The server is then started again on the same
port and must answer within 5 s, and the phones go on by themselves. At the end every vote that a phone was
told is saved must stand, and the database must be whole. Run ``python -m bench.room_kill``; PostgreSQL is
started for it in a throw-away folder.
"""

import argparse
import asyncio
import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from bench.room_client import close_all
from bench.room_storm import Storm, gathered, lost_votes
from bench.server import Serving, free_port
from classroom.settings import FILE_NAME
from lesson.quiz import bank
from tests.classroom.postgres import Postgres

SINGLE = next(entry.id for entry in bank() if entry.kind == "single")
HEALTHY_S = 5.0

Disaster = Callable[[Storm], Awaitable[list[float]]]


async def storm_through(url: str, count: int, disaster: Disaster) -> tuple[Storm, list[float], list[str]]:
    """Have phones vote through a disaster; return what they did, how long each outage was, what was lost."""
    _, storm = await gathered(url, count, SINGLE)
    stop = asyncio.Event()
    running = asyncio.create_task(storm.run(stop))
    await asyncio.sleep(1)
    outages = await disaster(storm)
    before = storm.count
    while storm.count < before + 2 * count:
        await asyncio.sleep(0.05)
    stop.set()
    await running
    lost = await lost_votes(storm)
    await close_all()
    return storm, outages, lost


async def answering(storm: Storm) -> float:
    """Wait until some vote is acknowledged from now on, and return the seconds."""
    start, before = time.perf_counter(), storm.count
    while storm.count == before:
        await asyncio.sleep(0.01)
    return time.perf_counter() - start


def verdict(name: str, storm: Storm, outages: list[float], lost: list[str]) -> bool:
    """Print what happened, and say whether it is as it must be."""
    longest = max(outages)
    fine = not lost and longest <= HEALTHY_S
    print(
        f"{name}: {storm.count} votes acknowledged, {storm.failures} tries failed, {len(lost)} acknowledged "
        f"votes lost, longest wait for the next vote {longest:.1f} s (target {HEALTHY_S:g})  "
        f"{'met' if fine else 'MISSED'}",
        flush=True,
    )
    for line in lost[:5]:
        print(f"  {line}")
    return fine


def kill_server(count: int, times: int) -> bool:
    """Kill the app over an SQLite file."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="tilewise-kill-") as folder:
        environment = {"TILEWISE_DATA": folder, "DATABASE_URL": ""}
        serving = [Serving(port=port, environment=environment).__enter__()]

        def start_again() -> None:
            serving.append(Serving(port=port, environment=environment).__enter__())

        async def disaster(storm: Storm) -> list[float]:
            outages = []
            for _ in range(times):
                await asyncio.sleep(random.uniform(0.2, 1.5))
                serving[-1].stop(kill=True)
                # The phones' votes are what counts, not when the new server says that it is there.
                starting = asyncio.create_task(asyncio.to_thread(start_again))
                outages.append(await answering(storm))
                await starting
            return outages

        try:
            storm, outages, lost = asyncio.run(storm_through(serving[0].url, count, disaster))
        finally:
            for each in serving:
                each.__exit__(None, None, None)
        connection = sqlite3.connect(Path(folder) / FILE_NAME)
        whole = connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        connection.close()
    print(f"the SQLite file is {'whole' if whole else 'BROKEN'} after {times} kills", flush=True)
    return verdict(f"{times} x kill -9", storm, outages, lost) and whole


def stop_postgres(count: int, times: int) -> bool:
    """Stop PostgreSQL at once and start it again, under the running app."""
    server = Postgres()
    try:
        server.start()

        async def disaster(storm: Storm) -> list[float]:
            outages = []
            for _ in range(times):
                await asyncio.sleep(random.uniform(0.2, 1.5))
                server.stop()
                await asyncio.sleep(0.5)
                await asyncio.to_thread(server.start)
                outages.append(await answering(storm))
            return outages

        with Serving(environment={"DATABASE_URL": server.new_database("kill")}) as serving:
            storm, outages, lost = asyncio.run(storm_through(serving.url, count, disaster))
        return verdict(f"{times} x PostgreSQL stopped", storm, outages, lost)
    finally:
        server.remove()


def main() -> int:
    """Run both, and return 0 if nothing was lost and everybody went on in time."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--phones", type=int, default=50, help="phones (default 50)")
    parser.add_argument("--kills", type=int, default=20, help="kills of the server (default 20)")
    given = parser.parse_args()
    met = kill_server(given.phones, given.kills)
    met &= stop_postgres(given.phones, 3)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
