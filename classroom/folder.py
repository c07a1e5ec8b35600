"""Where the SQLite file may lie: a folder that we can write to, on a disk of this machine."""

import os
import tempfile
from pathlib import Path

__all__ = ["NETWORK_FILE_SYSTEMS", "check_folder", "file_system_of"]

NETWORK_FILE_SYSTEMS = frozenset(
    (
        *("afs", "ceph", "cifs", "davfs", "fuse.ceph", "fuse.glusterfs", "fuse.s3fs", "fuse.sshfs"),
        *("gfs2", "glusterfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "smb3", "smbfs"),
    )
)
"""SQLite's write-ahead log shares memory between its users, which these do not give."""

_MOUNTS = Path("/proc/self/mountinfo")


def _unescaped(path: str) -> str:
    """Return a path of the mount table with its octal escapes resolved."""
    for escaped, plain in ((r"\040", " "), (r"\011", "\t"), (r"\012", "\n"), (r"\134", "\\")):
        path = path.replace(escaped, plain)
    return path


def file_system_of(folder: Path, mounts: str) -> str:
    """Return the type of the file system that a folder lies on, "" if the table does not say.

    Parameters
    ----------
    folder : Path
        Absolute, without links.
    mounts : str
        The text of Linux's `/proc/self/mountinfo`.
    """
    best, kind = -1, ""
    for line in mounts.splitlines():
        left, _, right = line.partition(" - ")
        if len(left.split()) < 5 or not right:
            continue
        point = Path(_unescaped(left.split()[4]))
        # Of two mounts on one point the later hides the earlier.
        if (folder == point or point in folder.parents) and len(point.parts) >= best:
            best, kind = len(point.parts), right.split()[0]
    return kind


def check_folder(folder: Path, mounts: str | None = None) -> None:
    """Make the folder if it is not there, and refuse one that cannot hold the database.

    Parameters
    ----------
    folder : Path
    mounts : str, optional
        The mount table; this machine's by default. Elsewhere than on Linux there is none to read.

    Raises
    ------
    RuntimeError
        If it cannot be made or written to, or lies on a network file system; one sentence says what to do.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        user = f"user {os.getuid()}" if hasattr(os, "getuid") else "this user"
        raise RuntimeError(
            f"the live room cannot write to {folder} ({error.strerror or error}). Make it writable "
            f"for {user}, name another folder in TILEWISE_DATA, or give a PostgreSQL server in DATABASE_URL."
        ) from error
    if mounts is None:
        mounts = _MOUNTS.read_text(encoding="utf-8") if _MOUNTS.is_file() else ""
    kind = file_system_of(folder.resolve(), mounts)
    if kind in NETWORK_FILE_SYSTEMS:
        raise RuntimeError(
            f"the live room's folder {folder} lies on a network file system ({kind}), where SQLite loses or "
            "locks its data. Name a folder on a local disk in TILEWISE_DATA, or give a PostgreSQL server in "
            "DATABASE_URL."
        )
