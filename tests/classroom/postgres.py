"""A PostgreSQL server of the tests' own: in a throw-away folder, on a free port, as a user without rights."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import psycopg

from tests.conftest import free_port
from tests.ensure_postgres import find_postgres

__all__ = ["Postgres"]

USER = "tilewise"


class Postgres:
    """A server with an empty cluster. `start` and `stop` it as often as needed, then `remove` it."""

    def __init__(self) -> None:
        programs = find_postgres()
        if programs is None:
            raise RuntimeError("there is no PostgreSQL; run `python tests/ensure_postgres.py` as root")
        self._programs = programs
        self.port = free_port()
        self._folder = Path(tempfile.mkdtemp(prefix="tilewise-postgres-"))
        # The server refuses to run as root. Debian's package makes a user for it.
        self._as_user: dict[str, str] = {}
        if os.geteuid() == 0:
            account = pwd.getpwnam("postgres")
            os.chown(self._folder, account.pw_uid, account.pw_gid)
            self._as_user = {"user": "postgres", "group": "postgres"}
        self._data = self._folder / "data"
        self._run("initdb", "-D", str(self._data), "-U", USER, "-A", "trust", "--locale=C", "-E", "UTF8")
        self._process: subprocess.Popen[bytes] | None = None

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [str(self._programs / program), *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=self._folder,
            **self._as_user,  # type: ignore[call-overload]
        )
        if done.returncode != 0:
            raise RuntimeError(f"{program} failed:\n{done.stdout}{done.stderr}")

    def start(self) -> None:
        """Start it and return once it answers."""
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "unix_socket_directories": str(self._folder),
            "max_connections": "60",
        }
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [str(self._programs / "postgres"), "-D", str(self._data), *options],
                stdout=log,
                stderr=log,
                cwd=self._folder,
                **self._as_user,  # type: ignore[call-overload]
            )
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                psycopg.connect(self.address("postgres"), connect_timeout=2).close()
            except psycopg.OperationalError:
                time.sleep(0.1)
            else:
                return
        self.stop()
        raise RuntimeError(f"PostgreSQL did not start:\n{(self._folder / 'log').read_text(encoding='utf-8')}")

    def stop(self) -> None:
        """Stop it at once, as a crash would: connections are cut and nothing is tidied up."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(60)
            self._process = None

    def remove(self) -> None:
        """Stop it and delete its folder."""
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def address(self, name: str) -> str:
        """Return the address of one of its databases."""
        return f"postgresql://{USER}@127.0.0.1:{self.port}/{name}"

    def new_database(self, name: str) -> str:
        """Make an empty database and return its address."""
        with psycopg.connect(self.address("postgres"), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')  # type: ignore[call-overload]
        return self.address(name)
