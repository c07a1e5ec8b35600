"""Plain routes for the button that runs the lesson's size: take a ticket, ask how it stands.

Nobody's Streamlit session reruns for it, and only one run computes at a time.
"""

from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from lesson.run_queue import QueueFull, RunQueue
from lesson.size_process import run_in_process

SIZE_ROUTE = "run-size"
"""The route, beside the pages."""

_NOT_KEPT = {"Cache-Control": "no-store"}

__all__ = ["SIZE_ROUTE", "size_routes"]


def _answer(content: dict[str, Any], status: int = 200) -> JSONResponse:
    return JSONResponse(content, status_code=status, headers=_NOT_KEPT)


def size_routes(base: str, queue: RunQueue | None = None) -> list[Route]:
    """Return the routes.

    Parameters
    ----------
    base : str
        What the app is served under: "" or "/name".
    queue : RunQueue or None
        None makes one that runs the lesson's own size.

    Returns
    -------
    list of Route
        `POST run-size` answers `{"ticket": …}`, or 429 when too many wait. `GET run-size/TICKET` answers what
        `RunQueue.look` returns, or 404 for a ticket that there is not (any more).
    """
    line = RunQueue(run_in_process) if queue is None else queue

    async def take(request: Request) -> JSONResponse:
        origin = request.headers.get("origin")
        # A page of somebody else's must not make its visitors' browsers start runs here.
        if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
            return _answer({"stage": "refused"}, 403)
        try:
            return _answer({"ticket": line.join()}, 202)
        except QueueFull as full:
            return _answer({"stage": "full", "reason": str(full)}, 429)

    async def look(request: Request) -> JSONResponse:
        try:
            return _answer(line.look(request.path_params["ticket"]))
        except KeyError:
            return _answer({"stage": "unknown"}, 404)

    return [
        Route(f"{base}/{SIZE_ROUTE}", take, methods=["POST"]),
        Route(f"{base}/{SIZE_ROUTE}/{{ticket}}", look, methods=["GET"]),
    ]
