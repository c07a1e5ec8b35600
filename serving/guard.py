"""Refuse WebSocket handshakes from other sites before Streamlit looks at them.

Streamlit compares a foreign origin with the machine's own addresses too, and to learn these it asks a host on
the internet, blocking every other visitor for up to two seconds each time. Here nothing outside is asked.
"""

from collections.abc import Sequence
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["LOCAL_NAMES", "OriginGuard", "is_own_origin"]

LOCAL_NAMES = ("localhost", "127.0.0.1", "0.0.0.0")
"""Names that Streamlit allows before it looks anything up: a tunnel to one's own machine changes the port."""

_POLICY_VIOLATION = 1008


def is_own_origin(origin: str | None, host: str | None, allowed: Sequence[str]) -> bool:
    """Say whether a handshake may go on.

    Parameters
    ----------
    origin : str or None
        As the browser sent it. A browser always sends one; without it there is no page to protect from.
    host : str or None
        The host that was asked for.
    allowed : sequence of str
        Further origins, such as `"https://lms.example.org"`.
    """
    if origin is None or origin in allowed:
        return True
    try:
        parts = urlsplit(origin)
        name = parts.hostname
    except ValueError:
        return False
    return bool(parts.netloc) and (parts.netloc == host or name in LOCAL_NAMES)


class OriginGuard:
    """Close a foreign handshake at once, which the browser sees as 403. Plain ASGI.

    Parameters
    ----------
    app : ASGIApp
    allowed : sequence of str
        As in `is_own_origin`.
    """

    def __init__(self, app: ASGIApp, allowed: Sequence[str] = ()) -> None:
        self.app = app
        self.allowed = tuple(allowed)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on but a foreign handshake."""
        if scope["type"] == "websocket":
            headers = Headers(scope=scope)
            if not is_own_origin(headers.get("origin"), headers.get("host"), self.allowed):
                await receive()
                await send({"type": "websocket.close", "code": _POLICY_VIOLATION})
                return
        await self.app(scope, receive, send)
