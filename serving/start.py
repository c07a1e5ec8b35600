"""What the environment must say before the server starts; wrong values end the start in one sentence."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from classroom.settings import Settings, read_settings

__all__ = ["allowed_ancestors", "check_start"]

ROOT = Path(__file__).resolve().parents[1]


def allowed_ancestors(environment: Mapping[str, str] = os.environ) -> str:
    """Return who may frame the app: CSP sources, parted by spaces.

    Parameters
    ----------
    environment : mapping of str to str
        `TILEWISE_FRAME_ANCESTORS`, by default `'self'`.

    Raises
    ------
    ValueError
        If the value is empty, or would end the directive or the header.
    """
    value = environment.get("TILEWISE_FRAME_ANCESTORS", "'self'")
    if not value.strip() or re.search(r"[;,\r\n]", value):
        raise ValueError(
            f"TILEWISE_FRAME_ANCESTORS is {value[:80]!r}; give CSP sources parted by spaces, "
            "for example \"'self' https://lms.example.org\""
        )
    return value


def check_start(environment: Mapping[str, str] = os.environ) -> Settings:
    """Return where the room's data lives, once every setting is seen to be right. Opens nothing.

    Raises
    ------
    SystemExit
        With one sentence. An exception of another kind would bring a traceback that buries it.
    """
    try:
        allowed_ancestors(environment)
        return read_settings(environment, root=ROOT)
    except (RuntimeError, ValueError) as error:
        raise SystemExit(f"Tilewise cannot start: {error}") from error
