"""One way to read and one way to write, over SQLite or PostgreSQL.

SQLite has one writer at a time. So one thread writes, and its transactions start with BEGIN IMMEDIATE:
a deferred one that reads first and then writes fails at once when somebody else has written in between.
While one transaction waits for the disk, the next requests queue up and share the next transaction.
Each keeps a savepoint of its own, so that a request that is refused takes nothing with it.
None is acknowledged before its commit.

PostgreSQL has row locks instead, which `rooms` and `votes` take. There a few threads write, one request each:
two that shared a transaction would hold the locks of two rooms, and could wait for each other.
"""

import asyncio
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from classroom.errors import RoomError
from classroom.folder import check_folder
from classroom.schema import make_schema
from classroom.settings import Settings

__all__ = ["Database"]

T = TypeVar("T")
_BUSY_MS = 5_000
_MOST_IN_ONE_COMMIT = 64
_POSTGRES_WRITERS = 6
_READERS = 4
_CONNECT_S = 3
# Any number that no other user of the server takes: only one process makes the tables.
_SCHEMA_LOCK = 7_105_241
_WRITES = "room_writes"


@dataclass
class _Job:
    """A request to write, and the promise of its outcome."""

    work: Callable[[Connection], Any]
    promise: "Future[Any]"


def _make_engine(settings: Settings) -> Engine:
    if settings.folder is None:
        return create_engine(
            settings.url,
            pool_size=_POSTGRES_WRITERS + _READERS,
            max_overflow=10,
            # A server that was restarted leaves dead connections behind: try each before its use.
            pool_pre_ping=True,
            connect_args={"connect_timeout": _CONNECT_S, "application_name": "tilewise"},
        )
    engine = create_engine(
        settings.url,
        pool_size=_READERS + 2,
        max_overflow=30,
        connect_args={"timeout": _BUSY_MS / 1000, "check_same_thread": False},
    )

    @event.listens_for(engine, "connect")
    def set_up(connection: Any, _: object) -> None:
        # Python's own handling sends no BEGIN before a SELECT; ours below sends the one that is wanted.
        connection.isolation_level = None
        for pragma in (
            f"busy_timeout = {_BUSY_MS}",
            "journal_mode = WAL",
            "synchronous = FULL",
            "foreign_keys = ON",
        ):
            connection.execute(f"PRAGMA {pragma}").close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get(_WRITES, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


class Database:
    """The room's database, opened and checked.

    Parameters
    ----------
    settings : Settings

    Raises
    ------
    RuntimeError
        If the folder cannot hold it, the server does not answer, or the tables are another version's.
    """

    def __init__(self, settings: Settings) -> None:
        if settings.folder is not None:
            check_folder(settings.folder)
        self._engine = _make_engine(settings)
        self._writing = self._engine.execution_options(**{_WRITES: True})
        self.is_sqlite = settings.folder is not None
        self._make_tables(settings)
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._closed = False
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="room-read")
        threads = 1 if self.is_sqlite else _POSTGRES_WRITERS
        self._at_once = _MOST_IN_ONE_COMMIT if self.is_sqlite else 1
        self._writers = [
            threading.Thread(target=self._write_until_closed, name=f"room-write-{number}", daemon=True)
            for number in range(threads)
        ]
        for thread in self._writers:
            thread.start()

    def _make_tables(self, settings: Settings) -> None:
        try:
            with self._writing.begin() as connection:
                if not self.is_sqlite:
                    connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _SCHEMA_LOCK})
                make_schema(connection)
        except SQLAlchemyError as error:
            self._engine.dispose()
            where = settings.folder or "the PostgreSQL server that DATABASE_URL names"
            # The driver's own text is left out: it can hold the server's address.
            raise RuntimeError(
                f"the live room's database cannot be opened in {where} ({type(error).__name__})"
            ) from None
        except RuntimeError:
            self._engine.dispose()
            raise

    def close(self) -> None:
        """Finish what was asked for, then let go of every connection."""
        for _ in self._writers:
            self._jobs.put(None)
        for thread in self._writers:
            thread.join()
        self._closed = True
        while not self._jobs.empty():
            # Asked for while we closed: nobody may wait for it for ever.
            if (job := self._jobs.get()) is not None:
                _tell(job, None, _no_answer())
        self._readers.shutdown()
        self._engine.dispose()

    def read(self, work: Callable[[Connection], T]) -> T:
        """Run `work` in a transaction that only reads, in this thread.

        Raises
        ------
        RoomError
            `no_database` if the database does not answer; and whatever `work` raises.
        """
        try:
            with self._engine.connect() as connection:
                return work(connection)
        except (DBAPIError, PoolTimeoutError) as error:
            raise _no_answer() from error

    async def read_soon(self, work: Callable[[Connection], T]) -> T:
        """Do the same in a thread of our own, so that nothing else waits."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, self.read, work)

    def submit(self, work: Callable[[Connection], T]) -> "Future[T]":
        """Ask for `work` to be run in a writing transaction; the promise is kept once it is committed.

        The promise raises `RoomError("no_database")` if there was no commit, and else what `work` raises.
        """
        promise: Future[T] = Future()
        if self._closed:
            promise.set_exception(_no_answer())
        else:
            self._jobs.put(_Job(work, promise))
        return promise

    def write(self, work: Callable[[Connection], T]) -> T:
        """Run `work` in a writing transaction and wait for its commit."""
        return self.submit(work).result()

    async def write_soon(self, work: Callable[[Connection], T]) -> T:
        """Do the same without holding up the event loop."""
        return await asyncio.wrap_future(self.submit(work))

    def _next_jobs(self) -> list[_Job]:
        """Wait for a job, and take those that wait behind it. An empty list says that we close."""
        first = self._jobs.get()
        jobs = [] if first is None else [first]
        while jobs and len(jobs) < self._at_once:
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                break
            if job is None:
                # Closing: keep the sign for the next turn.
                self._jobs.put(None)
                break
            jobs.append(job)
        return jobs

    def _write_until_closed(self) -> None:
        while jobs := self._next_jobs():
            self._commit(jobs)

    def _commit(self, jobs: list[_Job]) -> None:
        """Run jobs in one transaction, and tell each its outcome after the commit."""
        outcomes: list[tuple[Any, BaseException | None]] = []
        try:
            with self._writing.begin() as connection:
                if len(jobs) == 1:
                    # Alone it needs no savepoint: what it raises ends the transaction.
                    outcomes.append((jobs[0].work(connection), None))
                else:
                    outcomes.extend(_run(job, connection) for job in jobs)
        except Exception as error:
            failure: BaseException = error
            if isinstance(error, SQLAlchemyError):
                failure = _no_answer()
            for job in jobs:
                _tell(job, None, failure)
            return
        for job, (result, raised) in zip(jobs, outcomes, strict=True):
            _tell(job, result, raised)


def _no_answer() -> RoomError:
    return RoomError("no_database", "the database does not answer; try again")


def _run(job: _Job, connection: Connection) -> tuple[Any, BaseException | None]:
    """Run one job behind its savepoint. Only a broken connection is raised: it takes all of them."""
    try:
        with connection.begin_nested():
            return job.work(connection), None
    except DBAPIError as error:
        if error.connection_invalidated:
            raise
        return None, RoomError("no_database", "the database refused the change; try again")
    except Exception as error:
        return None, error


def _tell(job: _Job, result: object, raised: BaseException | None) -> None:
    """Keep a promise, unless nobody waits for it any more."""
    if not job.promise.set_running_or_notify_cancel():
        return
    if raised is not None:
        job.promise.set_exception(raised)
    else:
        job.promise.set_result(result)
