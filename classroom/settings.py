"""Where the room's data lives, as the environment says."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["FILE_NAME", "Settings", "read_settings"]

FILE_NAME = "classroom.db"


@dataclass(frozen=True)
class Settings:
    """Where the database is.

    Attributes
    ----------
    url : str
        An SQLAlchemy address.
    folder : Path or None
        The folder of the SQLite file; None with a server.
    """

    url: str
    folder: Path | None


def read_settings(environment: Mapping[str, str] = os.environ, *, root: Path) -> Settings:
    """Return the settings.

    Parameters
    ----------
    environment : mapping of str to str
        `DATABASE_URL` names a PostgreSQL server. Without it the data lies in an SQLite file in
        `TILEWISE_DATA`, by default `data` in the project's folder. `TILEWISE_REPLICAS` says how many of
        these servers run.
    root : Path
        The project's folder.

    Raises
    ------
    RuntimeError
        If the address is not one of PostgreSQL, or several servers would share one SQLite file. The message
        never holds the address, which has a password in it.
    """
    address = environment.get("DATABASE_URL", "").strip()
    if address:
        scheme, parted, rest = address.partition("://")
        if not parted or scheme not in {"postgres", "postgresql", "postgresql+psycopg"}:
            raise RuntimeError(f"DATABASE_URL begins with {scheme[:20]!r}; it must be postgresql://…")
        return Settings(f"postgresql+psycopg://{rest}", None)
    replicas = environment.get("TILEWISE_REPLICAS", "1").strip()
    if not replicas.isdecimal() or int(replicas) < 1:
        raise RuntimeError(f"TILEWISE_REPLICAS is {replicas[:20]!r}; it must be a number from 1")
    if int(replicas) > 1:
        raise RuntimeError(
            f"TILEWISE_REPLICAS is {replicas}, and several servers cannot share one SQLite file. "
            "Give a PostgreSQL server in DATABASE_URL."
        )
    folder = Path(environment.get("TILEWISE_DATA", "").strip() or root / "data").absolute()
    return Settings(f"sqlite:///{folder / FILE_NAME}", folder)
