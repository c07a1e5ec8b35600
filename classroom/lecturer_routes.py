"""The lecturer's side over HTTP, for scripts. Everything needs the room's key: docs/live-room-routes.md."""

from collections.abc import Callable, Sequence
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from classroom.codes import normal_code
from classroom.errors import RoomError
from classroom.http import NO_STORE, answered, bearer, check_origin, read_json, whole_number
from classroom.questions import MOST_SEED
from classroom.rooms import Room
from classroom.routes import PREFIX
from classroom.service import Classroom, View
from classroom.votes import MOST_SEQUENCE

__all__ = ["LECTURER_COOKIE", "LecturerRoutes", "csv_name"]

LECTURER_COOKIE = "tilewise_lecturer"


def csv_name(room: Room) -> str:
    """Return the name of a room's exported file."""
    return f"tilewise-room-{room.code}.csv"


class LecturerRoutes:
    """The routes of one server.

    Parameters
    ----------
    classroom : callable returning Classroom
    base : str
        The path that the app is served under.
    """

    def __init__(self, classroom: Callable[[], Classroom], base: str = "") -> None:
        self._classroom, self._base = classroom, base

    def routes(self) -> Sequence[BaseRoute]:
        """Return them, each under the base path."""
        start = f"{self._base}/{PREFIX}"
        return [
            Route(start, answered(self.open_room), methods=["POST"]),
            Route(f"{start}/{{code}}", answered(self.delete), methods=["DELETE"]),
            Route(f"{start}/{{code}}/lecturer", answered(self.view)),
            Route(f"{start}/{{code}}/lecturer", answered(self.act), methods=["POST"]),
            Route(f"{start}/{{code}}/votes.csv", answered(self.export)),
            Route(f"{start}/{{code}}/key", answered(self.keep_key), methods=["PUT"]),
            Route(f"{start}/{{code}}/key", answered(self.drop_key), methods=["DELETE"]),
        ]

    async def _room(self, request: Request) -> Room:
        """Return the room whose key the request has."""
        key, code = bearer(request), normal_code(request.path_params["code"])
        return await run_in_threadpool(self._classroom().check_key, code or "", key)

    async def open_room(self, request: Request) -> Response:
        """Open a room; the answer holds the key, for the only time."""
        await read_json(request)
        address = request.client.host if request.client is not None else ""
        room, key = await run_in_threadpool(self._classroom().open_room, address)
        return JSONResponse({"code": room.code, "key": key, "revision": room.revision}, 201, NO_STORE)

    async def view(self, request: Request) -> Response:
        """Everything that a lecturer's window shows."""
        room = await self._room(request)
        return JSONResponse(await run_in_threadpool(self._view, room.id), headers=NO_STORE)

    def _view(self, room_id: int) -> dict[str, Any]:
        view = self._classroom().view(room_id)
        return _told(view, self._classroom())

    async def act(self, request: Request) -> Response:
        """Move the room on, or change its list of questions."""
        body = await read_json(request)
        room = await self._room(request)
        action = body.get("action")
        if not isinstance(action, str):
            raise RoomError("malformed", "action must be a text")
        revision = whole_number(body, "revision", 1, MOST_SEQUENCE) if "revision" in body else None
        ask_id = whole_number(body, "ask", 1, MOST_SEQUENCE) if "ask" in body else None
        classroom = self._classroom()
        if action == "add":
            question, seed = body.get("question"), None
            if not isinstance(question, str):
                raise RoomError("malformed", "question must be a text")
            if "seed" in body:
                seed = whole_number(body, "seed", 0, MOST_SEED)
            await run_in_threadpool(classroom.add_ask, room.id, question, seed)
        elif action == "remove" and ask_id is not None:
            await run_in_threadpool(classroom.remove_ask, room.id, ask_id)
        else:
            await run_in_threadpool(classroom.act, room.id, action, ask_id=ask_id, revision=revision)
        return JSONResponse(await run_in_threadpool(self._view, room.id), headers=NO_STORE)

    async def export(self, request: Request) -> Response:
        """Every vote as CSV."""
        room = await self._room(request)
        text = await run_in_threadpool(self._classroom().export, room.id)
        headers = {**NO_STORE, "Content-Disposition": f'attachment; filename="{csv_name(room)}"'}
        return Response(text, media_type="text/csv", headers=headers)

    async def keep_key(self, request: Request) -> Response:
        """Put the key into a cookie that no script can read, until the browser is closed.

        No route takes the cookie for a key. It only lets the lecturer's page find its room after a reload.
        """
        check_origin(request)
        room = await self._room(request)
        response = Response(None, 204, NO_STORE)
        response.set_cookie(
            LECTURER_COOKIE,
            f"{room.code}.{bearer(request)}",
            path=f"{self._base}/",
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="strict",
        )
        return response

    async def drop_key(self, request: Request) -> Response:
        """Take the cookie away."""
        check_origin(request)
        response = Response(None, 204, NO_STORE)
        response.delete_cookie(LECTURER_COOKIE, path=f"{self._base}/", httponly=True, samesite="strict")
        return response

    async def delete(self, request: Request) -> Response:
        """Delete the room and all that belongs to it."""
        check_origin(request)
        room = await self._room(request)
        await run_in_threadpool(self._classroom().delete_room, room)
        return Response(None, 204, NO_STORE)


def _told(view: View, classroom: Classroom) -> dict[str, Any]:
    """Return a view as JSON. While a vote is open even its lecturer sees how many voted, not what."""
    now, results = view.room.standing, None
    if view.current is not None and now.phase != "open":
        results = classroom.results(view.room.id, view.current)
    told: dict[str, Any] = {
        "code": view.room.code,
        "revision": view.room.revision,
        "phase": now.phase,
        "ask": now.ask,
        "round": now.round,
        "joined": view.joined,
        "voted": view.voted,
        "expires_ms": view.room.expires_ms,
        "asks": [
            {"id": ask.id, "question": ask.question, "seed": ask.seed, "rounds": ask.rounds}
            for ask in view.asks
        ],
    }
    if results is not None:
        told["results"] = {
            "lines": [
                {"label": line.label, "text": line.text, "right": line.right, "counts": list(line.counts)}
                for line in results.lines
            ],
            "others": list(results.others),
            "totals": list(results.totals),
            "right": list(results.right),
        }
    return told
