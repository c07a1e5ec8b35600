"""The phones' side over HTTP: a plain page and three routes, in the same process as the lesson.

`GET /room` and `GET /room/CODE` give the page, `POST …/join` joins, `GET …/state` tells what to show and
answers 304 while nothing has changed, `POST …/vote` votes. A phone has no session here, only a cookie.
"""

import asyncio
import gzip
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from classroom.codes import normal_code, read_cookie, sign_token
from classroom.errors import RoomError
from classroom.http import NO_STORE, answered, read_json, whole_number
from classroom.limits import SLOW_AFTER, WINDOW_S, WRONG_CODES, Limiter
from classroom.phases import MAX_ROUNDS
from classroom.rooms import KEPT_DAYS, Room
from classroom.service import Classroom
from classroom.votes import MOST_SEQUENCE

__all__ = ["COOKIE", "PREFIX", "PhonePage", "PhoneRoutes"]

PREFIX = "room"
COOKIE = "tilewise_phone"
_SLOW_S = 1.0
# The answer may carry a phone's own cookie: no cache on the way may keep it for the next phone.
_PAGE_HEADERS = {"Cache-Control": "private, no-cache"}
_DAY_S = 24 * 60 * 60


@dataclass(frozen=True)
class PhonePage:
    """The phone's page, ready to send.

    Attributes
    ----------
    html : str
        Has `SCRIPT_URL` where the script's address belongs.
    script : str
    """

    html: str
    script: str

    @cached_property
    def script_name(self) -> str:
        """A name that changes with the script, so that a phone may keep it for good."""
        return f"phone.{hashlib.sha256(self.script.encode()).hexdigest()[:12]}.js"

    @cached_property
    def packed_script(self) -> bytes:
        """The script as gzip: a third of its size, for a hall's network."""
        return gzip.compress(self.script.encode(), mtime=0)


def _address(request: Request) -> str:
    return request.client.host if request.client is not None else ""


class PhoneRoutes:
    """The routes of one server.

    Parameters
    ----------
    classroom : callable returning Classroom
        Asked at each request, so that making the routes opens no database.
    page : PhonePage
    base : str
        The path that the app is served under, "" or "/name".
    """

    def __init__(self, classroom: Callable[[], Classroom], page: PhonePage, base: str = "") -> None:
        self._classroom, self._base = classroom, base
        self._page = page
        script_url = f"{base}/{PREFIX}/{page.script_name}"
        self._html = page.html.replace("SCRIPT_URL", script_url)
        self._wrong = Limiter(WRONG_CODES, WINDOW_S)
        self._wrong_address = Limiter(SLOW_AFTER, WINDOW_S)

    def routes(self) -> Sequence[BaseRoute]:
        """Return them, each under the base path."""
        start = f"{self._base}/{PREFIX}"
        return [
            Route(start, answered(self.show_page)),
            Route(f"{start}/{self._page.script_name}", self.show_script),
            Route(f"{start}/{{code}}", answered(self.show_page)),
            Route(f"{start}/{{code}}/join", answered(self.join), methods=["POST"]),
            Route(f"{start}/{{code}}/state", answered(self.state)),
            Route(f"{start}/{{code}}/vote", answered(self.vote), methods=["POST"]),
        ]

    # Who asks, and for which room.

    def _token(self, request: Request) -> str | None:
        return read_cookie(request.cookies.get(COOKIE, ""), self._classroom().secret)

    def _client(self, request: Request) -> str:
        token = self._token(request)
        return f"address {_address(request)}" if token is None else f"phone {token}"

    def _refuse_if_over(self, client: str) -> None:
        if self._wrong.over(client):
            wait = self._wrong.wait_s(client)
            raise RoomError("too_often", f"too many wrong codes; try again in {wait} seconds")

    async def _note_wrong(self, request: Request) -> None:
        """Note a wrong code. Raises `too_often` if this was one too many."""
        client = self._client(request)
        self._wrong.count(client)
        if self._wrong_address.count(_address(request)):
            # Only wrong answers wait: whoever has the right code notices nothing.
            await asyncio.sleep(_SLOW_S)
        self._refuse_if_over(client)

    async def _room(self, request: Request) -> Room:
        """Return the room that a request names. Raises `no_room`, or `too_often` after too many of them."""
        code = normal_code(request.path_params["code"])
        try:
            if code is None:
                raise RoomError("no_room", "there is no room with this code")
            return await self._classroom().room(code)
        except RoomError as error:
            if error.name == "no_room":
                await self._note_wrong(request)
            raise

    async def _person(self, request: Request, room: Room) -> int:
        """Return the number of the phone that asks. A wrong guess learns nothing from the refusal."""
        try:
            token = self._token(request)
            if token is None:
                raise RoomError("not_joined", "this phone has not joined the room")
            return await self._classroom().person(room, token)
        except RoomError as error:
            if error.name == "not_joined":
                self._refuse_if_over(self._client(request))
            raise

    def _set_cookie(self, request: Request, response: Response, cookie: str) -> None:
        response.set_cookie(
            COOKIE,
            cookie,
            max_age=KEPT_DAYS * _DAY_S,
            path=f"{self._base}/{PREFIX}",
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="lax",
        )

    # The routes.

    async def show_page(self, request: Request) -> Response:
        """The page, the same for every code, with a cookie for who has none."""
        response = Response(self._html, media_type="text/html", headers=_PAGE_HEADERS)
        if self._token(request) is None:
            self._set_cookie(request, response, sign_token(self._classroom().secret))
        return response

    async def show_script(self, request: Request) -> Response:
        """The page's script."""
        headers = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
        body = self._page.script.encode()
        if "gzip" in request.headers.get("accept-encoding", ""):
            body = self._page.packed_script
            headers["Content-Encoding"] = "gzip"
        return Response(body, media_type="text/javascript", headers=headers)

    async def join(self, request: Request) -> Response:
        """Join, and learn what to show. Joining again changes nothing."""
        await read_json(request)
        self._refuse_if_over(self._client(request))
        room = await self._room(request)
        token, cookie = self._token(request), None
        if token is None:
            cookie = sign_token(self._classroom().secret)
            token = read_cookie(cookie, self._classroom().secret)
            assert token is not None
        number = await self._classroom().join(room, token)
        state = await self._classroom().state(room, number)
        response = JSONResponse({"code": room.code, **state}, headers={**NO_STORE, "ETag": _tag(room)})
        if cookie is not None:
            self._set_cookie(request, response, cookie)
        return response

    async def state(self, request: Request) -> Response:
        """What to show, or 304 if the phone shows it already."""
        room = await self._room(request)
        headers = {**NO_STORE, "ETag": _tag(room)}
        number = await self._person(request, room)
        if request.headers.get("if-none-match") == headers["ETag"]:
            return Response(None, 304, headers)
        return JSONResponse(await self._classroom().state(room, number), headers=headers)

    async def vote(self, request: Request) -> Response:
        """Save a vote. The answer says what stands, so that a retry is answered like the first try."""
        body = await read_json(request)
        room = await self._room(request)
        number = await self._person(request, room)
        answer = body.get("answer")
        if not isinstance(answer, dict):
            raise RoomError("malformed", "answer must be a JSON object")
        saved = await self._classroom().vote(
            room,
            number,
            ask_id=whole_number(body, "ask", 1, MOST_SEQUENCE),
            round_=whole_number(body, "round", 1, MAX_ROUNDS),
            answer=answer,
            sequence=whole_number(body, "sequence", 1, MOST_SEQUENCE),
        )
        return JSONResponse(
            {"saved": True, "answer": saved.answer, "sequence": saved.sequence}, headers=NO_STORE
        )


def _tag(room: Room) -> str:
    return f'"{room.id}.{room.revision}"'
