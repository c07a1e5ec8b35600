"""A cookie that keeps a browser on one replica: a random name and nothing else.

A Streamlit session lives in one process. A proxy in front of several hashes this cookie; by address it could
not tell the seats of a lecture hall apart, which all have one.
"""

import re
import secrets

from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["COOKIE", "AffinityCookie"]

COOKIE = "tilewise_replica"
_BYTES = 9
_VALUE = re.compile(rb"[A-Za-z0-9_-]{12}")


def _has_one(scope: Scope) -> bool:
    for name, value in scope["headers"]:
        if name == b"cookie":
            given = cookie_parser(value.decode("latin-1")).get(COOKIE, "")
            if _VALUE.fullmatch(given.encode("latin-1", "replace")):
                return True
    return False


class AffinityCookie:
    """Give a browser that has none its cookie, with the first page that it is sent. Plain ASGI.

    It lasts until the browser is closed, and scripts cannot read it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the call on; add the cookie to an HTML answer."""
        if scope["type"] != "http" or _has_one(scope):
            await self.app(scope, receive, send)
            return

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = list(message.get("headers", []))
                if any(name.lower() == b"content-type" and b"text/html" in value for name, value in headers):
                    cookie = f"{COOKIE}={secrets.token_urlsafe(_BYTES)}; Path=/; HttpOnly; SameSite=Lax"
                    secure = "; Secure" if scope.get("scheme") == "https" else ""
                    message = {**message, "headers": [*headers, (b"set-cookie", (cookie + secure).encode())]}
            await send(message)

        await self.app(scope, receive, send_with_cookie)
