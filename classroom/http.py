"""What the room's routes share: reading requests with suspicion, and answering in JSON."""

import json
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from classroom.errors import RoomError

__all__ = ["BODY_BYTES", "answered", "bearer", "check_origin", "read_json", "whole_number"]

BODY_BYTES = 2_048
"""The longest request. A vote with every field at its longest is half as long."""
NO_STORE = {"Cache-Control": "no-store"}
_RETRY_S = "1"

Handler = Callable[[Request], Awaitable[Response]]


def answered(handler: Handler) -> Handler:
    """Answer what a handler refuses as JSON with the refusal's status."""

    async def handle(request: Request) -> Response:
        try:
            return await handler(request)
        except RoomError as error:
            headers = dict(NO_STORE)
            if error.status == 503:
                headers["Retry-After"] = _RETRY_S
            body = {"error": error.name, "message": error.message}
            return JSONResponse(body, error.status, headers)

    return handle


def check_origin(request: Request) -> None:
    """Refuse a request that changes something and was made by another site's page.

    Raises
    ------
    RoomError
        `other_site`.
    """
    origin = request.headers.get("origin")
    if origin is not None:
        own = urlsplit(origin).netloc == request.headers.get("host", "")
    else:
        own = request.headers.get("sec-fetch-site", "none") in ("none", "same-origin")
    if not own:
        raise RoomError("other_site", "this request comes from another site")


async def read_json(request: Request) -> dict[str, Any]:
    """Return a request's JSON object.

    Raises
    ------
    RoomError
        `too_long`, or `malformed`.
    """
    check_origin(request)
    if request.headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
        raise RoomError("malformed", "the request must be of type application/json")
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > BODY_BYTES:
            raise RoomError("too_long", f"the request is longer than {BODY_BYTES:,} bytes")
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise RoomError("malformed", "the request is not JSON") from error
    if not isinstance(found, dict):
        raise RoomError("malformed", "the request must be a JSON object")
    return found


def whole_number(body: dict[str, Any], name: str, least: int, most: int) -> int:
    """Return a whole number out of a request.

    Raises
    ------
    RoomError
        `malformed`, with the name, the value and the limits.
    """
    value = body.get(name)
    if type(value) is not int or not least <= value <= most:
        raise RoomError("malformed", f"{name} is {value!r:.40}; it is a whole number from {least} to {most}")
    return value


def bearer(request: Request) -> str:
    """Return the lecturer's key, which comes in a header: an address is logged, shown and passed on.

    Raises
    ------
    RoomError
        `wrong_key` if there is none.
    """
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not key.strip():
        raise RoomError("wrong_key", "this needs the room's lecturer key as a bearer token")
    return key.strip()
