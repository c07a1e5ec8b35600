"""What the live room carries: 300 phones that join, vote and watch, with three lecturer windows open.

Serves the real app with an empty database (SQLite; with ``--postgres`` a PostgreSQL that is started for it)
and talks to it over real sockets on this machine. The lecturer's windows are real browser pages. Run
``python -m bench.room_load`` on a machine that does nothing else: phones, browser and server share its cores.

Targets: joining within 30 s p95 <= 3 s, phone page <= 30 kB; 300 votes within 2 s acknowledged p95 <= 500 ms
and p99 <= 1 s; the lecturer's count lags <= 1.5 s; a phase change is on the phones in <= 2.5 s (p95); the
server takes <= 40 % of one core and <= 500 MB.
"""

import argparse
import asyncio
import contextlib
import random
import statistics
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Sequence

from playwright.async_api import Page, async_playwright

from bench.room_client import Lecturer, Phone, close_all
from bench.server import Serving
from lesson.quiz import bank
from tests.browser.conftest import ARGUMENTS
from tests.classroom.postgres import Postgres
from tests.ensure_chromium import find_chromium

SINGLE = next(entry.id for entry in bank() if entry.kind == "single")
POLL_S, WATCH_S, WINDOWS = 2.0, 20.0, 3


class Report:
    """Prints figures beside their targets, and remembers whether all were met."""

    def __init__(self) -> None:
        self.met = True

    def line(self, what: str, value: float, target: float, unit: str) -> None:
        """Print one figure; smaller is better."""
        fine = value <= target
        self.met &= fine
        print(
            f"{what:52} {value:8.1f} {unit:4} (target {target:g})  {'met' if fine else 'MISSED'}", flush=True
        )


def percentile(values: Sequence[float], share: int) -> float:
    """Return a percentile of some values."""
    return statistics.quantiles(values, n=100)[share - 1]


async def timed(work: Awaitable[object]) -> float:
    """Return the milliseconds that something took."""
    start = time.perf_counter()
    await work
    return 1000 * (time.perf_counter() - start)


async def spread(works: Sequence[Awaitable[float]], seconds: float) -> list[float]:
    """Start things at random moments within some seconds, and return what each took."""

    async def one(work: Awaitable[float]) -> float:
        await asyncio.sleep(random.uniform(0, seconds))
        return await work

    return list(await asyncio.gather(*(one(work) for work in works)))


async def arrive(phone: Phone, sizes: list[int]) -> None:
    """Open the page and join, as after scanning the code."""
    sizes.append(await phone.load())
    answer = await phone.join()
    if answer.status != 200:
        raise ConnectionError(f"join: {answer.body!r}")


async def vote(phone: Phone) -> None:
    """Vote and see that it is saved."""
    answer = await phone.vote({"choice": random.choice("abc")})
    if answer.status != 200:
        raise ConnectionError(f"vote: {answer.body!r}")


@contextlib.asynccontextmanager
async def polling(phones: Sequence[Phone], seen: dict[Phone, float]) -> AsyncIterator[None]:
    """Let every phone ask for the state every two seconds; note when each last saw something new."""

    async def poll(phone: Phone) -> None:
        await asyncio.sleep(random.uniform(0, POLL_S))
        while True:
            if (await phone.look()).status == 200:
                seen[phone] = time.perf_counter()
            await asyncio.sleep(POLL_S * random.uniform(0.8, 1.2))

    tasks = [asyncio.create_task(poll(phone)) for phone in phones]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def lead(page: Page, url: str, lecturer: Lecturer) -> None:
    """Open a lecturer's window."""
    await page.goto(f"{url}/classroom")
    await page.get_by_text("Back into your room").click()
    await page.get_by_label("Room code").fill(lecturer.code)
    await page.get_by_label("Lecturer key").fill(lecturer.key)
    await page.get_by_role("button", name="Enter").click()
    await page.locator(".twr-live").wait_for()


async def count_shown(page: Page, wanted: int) -> float:
    """Wait until a lecturer's window shows so many votes, and return the time."""
    last = "[...document.querySelectorAll('.twr-live .number')].at(-1)"
    await page.wait_for_function(
        f"wanted => {last}?.textContent === String(wanted)",
        arg=wanted,
        timeout=30_000,
    )
    return time.perf_counter()


async def measure(url: str, server: Serving, count: int, report: Report) -> None:
    """Join, vote, watch."""
    lecturer = await Lecturer(url).open()
    (ask,) = await lecturer.put(SINGLE)
    phones = [Phone(url, lecturer.code) for _ in range(count)]
    sizes: list[int] = []
    joins = await spread([timed(arrive(phone, sizes)) for phone in phones], 30)
    report.line(f"{count} join within 30 s, p95", percentile(joins, 95), 3000, "ms")
    report.line("phone page and script, as sent", max(sizes) / 1000, 30, "kB")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        pages = [await browser.new_page() for _ in range(WINDOWS)]
        for page in pages:
            await lead(page, url, lecturer)
        seen: dict[Phone, float] = {}
        async with polling(phones, seen):
            await asyncio.sleep(3)
            opened = time.perf_counter()
            await lecturer.act("open", ask=ask)
            await asyncio.sleep(4)
            late = [1000 * (seen.get(phone, float("inf")) - opened) for phone in phones]
            report.line("a phase change is on the phones, p95", percentile(late, 95), 2500, "ms")
            votes = await spread([timed(vote(phone)) for phone in phones], 2)
            last = time.perf_counter()
            shown = await count_shown(pages[0], count)
            report.line(f"{count} votes within 2 s, p95", percentile(votes, 95), 500, "ms")
            report.line(f"{count} votes within 2 s, p99", percentile(votes, 99), 1000, "ms")
            report.line("the lecturer's count lags", 1000 * max(0.0, shown - last), 1500, "ms")
            before, start = server.cpu_s(), time.perf_counter()
            await asyncio.sleep(WATCH_S)
            share = 100 * (server.cpu_s() - before) / (time.perf_counter() - start)
            report.line(f"{count} phones and {WINDOWS} lecturer windows, of one core", share, 40, "%")
            report.line("the server's memory", server.memory_mib() * 1.048576, 500, "MB")
        await browser.close()
    view = await lecturer.view()
    if view["voted"] != count:
        raise RuntimeError(f"{count} votes were acknowledged and {view['voted']} are counted")
    await lecturer.ask("DELETE", "")
    await close_all()


def main() -> int:
    """Measure, print each figure beside its target, and return 0 if all are met."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--phones", type=int, default=300, help="phones (default 300)")
    parser.add_argument("--postgres", action="store_true", help="use a PostgreSQL started for it")
    given = parser.parse_args()
    report = Report()
    with contextlib.ExitStack() as stack:
        database = ""
        if given.postgres:
            postgres = Postgres()
            stack.callback(postgres.remove)
            postgres.start()
            database = postgres.new_database("load")
        print("PostgreSQL" if database else "SQLite, synchronous=FULL", flush=True)
        server = stack.enter_context(Serving(environment={"DATABASE_URL": database}))
        asyncio.run(measure(server.url, server, given.phones, report))
    return 0 if report.met else 1


if __name__ == "__main__":
    sys.exit(main())
