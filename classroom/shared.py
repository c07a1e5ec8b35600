"""The one `Classroom` of this process: the lecturer's page and the phones' routes use the same."""

import threading
from pathlib import Path

from classroom.database import Database
from classroom.service import Classroom
from classroom.settings import read_settings

__all__ = ["close_classroom", "shared_classroom"]

_ROOT = Path(__file__).resolve().parents[1]
_lock = threading.Lock()
_open: list[Classroom] = []


def shared_classroom() -> Classroom:
    """Return it, opened by the first call as the environment says.

    Raises
    ------
    RuntimeError
        If the settings or the database are not as they must be; one sentence says what to do.
    """
    with _lock:
        if not _open:
            _open.append(Classroom(Database(read_settings(root=_ROOT))))
        return _open[0]


def close_classroom() -> None:
    """Finish what was asked for and let go of the database. A later call opens it again."""
    with _lock:
        while _open:
            _open.pop().close()
