"""A phone and a lecturer of the live room over real sockets, without a browser: to measure and to test."""

import asyncio
import contextlib
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

__all__ = ["Answer", "Connection", "Lecturer", "Phone", "close_all"]

PATIENCE_S = 10.0
_open: "set[Connection]" = set()


@dataclass(frozen=True)
class Answer:
    """An answer as it came over the wire.

    Attributes
    ----------
    status : int
    headers : dict of str to str
        Names in small letters; several of one name are parted by line ends.
    body : bytes
    """

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


class Connection:
    """One kept-alive HTTP/1.1 connection; opened anew when it was closed.

    Parameters
    ----------
    url : str
        The server's address, with the app's own path.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.host, self.port = parts.hostname or "127.0.0.1", parts.port or 80
        self.path = parts.path.rstrip("/")
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._turn = asyncio.Lock()

    async def close(self) -> None:
        """Close it."""
        if self._streams is not None:
            _, writer = self._streams
            self._streams = None
            _open.discard(self)
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def ask(
        self, method: str, path: str, body: object = None, headers: dict[str, str] | None = None
    ) -> Answer:
        """Send one request and return its answer.

        Raises
        ------
        OSError
            If nobody answers, or the connection breaks.
        """
        async with self._turn:
            return await self._ask_twice(method, path, body, headers or {})

    async def _ask_twice(self, method: str, path: str, body: object, headers: dict[str, str]) -> Answer:
        while True:
            kept = self._streams is not None
            try:
                return await asyncio.wait_for(self._ask(method, path, body, headers), PATIENCE_S)
            except (OSError, asyncio.IncompleteReadError, TimeoutError, ValueError) as error:
                await self.close()
                # A kept connection may have been closed meanwhile: browsers too then open a new one.
                if not (kept and isinstance(error, asyncio.IncompleteReadError | ConnectionError)):
                    raise ConnectionError(f"{method} {path}: {error!r}") from error

    async def _ask(self, method: str, path: str, body: object, headers: dict[str, str]) -> Answer:
        if self._streams is None:
            self._streams = await asyncio.open_connection(self.host, self.port)
            _open.add(self)
        reader, writer = self._streams
        payload = b""
        lines = [f"{method} {self.path}{path} HTTP/1.1", f"Host: {self.host}:{self.port}"]
        if body is not None:
            payload = body if isinstance(body, bytes) else json.dumps(body).encode()
            if "Content-Type" not in headers:
                lines.append("Content-Type: application/json")
            lines.append(f"Content-Length: {len(payload)}")
        lines += [f"{name}: {value}" for name, value in headers.items()]
        writer.write("\r\n".join([*lines, "", ""]).encode() + payload)
        await writer.drain()
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        status = int(head[0].split(" ")[1])
        got = {}
        for line in filter(None, head[1:]):
            name, _, value = line.partition(":")
            name, value = name.lower(), value.strip()
            got[name] = f"{got[name]}\n{value}" if name in got else value
        if status in (204, 304) or method == "HEAD":
            content = b""
        elif got.get("transfer-encoding") == "chunked":
            content = await self._chunks(reader)
        else:
            content = await reader.readexactly(int(got.get("content-length", "0")))
        if got.get("connection") == "close":
            await self.close()
        return Answer(status, got, content)

    @staticmethod
    async def _chunks(reader: asyncio.StreamReader) -> bytes:
        content = bytearray()
        while size := int(await reader.readuntil(b"\r\n"), 16):
            content += (await reader.readexactly(size + 2))[:-2]
        await reader.readuntil(b"\r\n")
        return bytes(content)


async def close_all() -> None:
    """Close every connection that is still open, before the event loop ends."""
    for connection in list(_open):
        await connection.close()


class Phone:
    """A phone in a room: it asks what `ui/classroom/phone.js` asks."""

    def __init__(self, url: str, code: str) -> None:
        self.connection, self.code = Connection(url), code
        self.cookie = self.tag = ""
        self.shown: dict[str, Any] = {}
        self.sequence = 0

    def _headers(self) -> dict[str, str]:
        return {"Cookie": self.cookie} if self.cookie else {}

    async def ask(self, method: str, path: str, body: object = None, **headers: str) -> Answer:
        """Send a request below the rooms' path, with the phone's cookie; keep the one that comes back."""
        sent = self._headers() | {name.replace("_", "-"): value for name, value in headers.items()}
        answer = await self.connection.ask(method, f"/room/{path}", body, sent)
        for cookie in answer.headers.get("set-cookie", "").split("\n"):
            if cookie.startswith("tilewise_phone="):
                self.cookie = cookie.split(";")[0]
        return answer

    async def load(self) -> int:
        """Load the page and its script, and return their bytes as sent."""
        page = await self.ask("GET", self.code)
        text = page.body.decode()
        name = text.split('src="', 1)[1].split('"', 1)[0].rsplit("/", 1)[1]
        script = await self.ask("GET", name, Accept_Encoding="gzip")
        return len(page.body) + len(script.body)

    async def join(self) -> Answer:
        """Join the room."""
        answer = await self.ask("POST", f"{self.code}/join", {})
        if answer.status == 200:
            self.tag, self.shown = answer.headers["etag"], answer.json()
        return answer

    async def look(self) -> Answer:
        """Ask for the state, unless it is still the one shown."""
        tagged = {"If_None_Match": self.tag} if self.tag else {}
        answer = await self.ask("GET", f"{self.code}/state", None, **tagged)
        if answer.status == 200:
            self.tag, self.shown = answer.headers["etag"], answer.json()
        return answer

    async def vote(self, answer: object, *, sequence: int | None = None, **changes: object) -> Answer:
        """Send one vote on what is shown; the next in order unless a sequence is given."""
        if sequence is None:
            self.sequence += 1
            sequence = self.sequence
        vote = {
            "ask": self.shown["ask"],
            "round": self.shown["round"],
            "answer": answer,
            "sequence": sequence,
        }
        return await self.ask("POST", f"{self.code}/vote", vote | changes)


class Lecturer:
    """The lecturer of a new room."""

    def __init__(self, url: str) -> None:
        self.connection = Connection(url)
        self.code = self.key = ""

    async def open(self) -> "Lecturer":
        """Open the room."""
        answer = await self.connection.ask("POST", "/room", {})
        if answer.status != 201:
            raise ConnectionError(f"no room: {answer.body!r}")
        self.code, self.key = answer.json()["code"], answer.json()["key"]
        return self

    async def ask(self, method: str, path: str, body: object = None) -> Answer:
        """Send a request below this room's path, with its key."""
        key = {"Authorization": f"Bearer {self.key}"}
        return await self.connection.ask(method, f"/room/{self.code}{path}", body, key)

    async def act(self, action: str, **options: object) -> dict[str, Any]:
        """Do something and return the room as it is then.

        Raises
        ------
        ConnectionError
            If the room refuses.
        """
        answer = await self.ask("POST", "/lecturer", {"action": action, **options})
        if answer.status != 200:
            raise ConnectionError(f"{action}: {answer.body!r}")
        return dict(answer.json())

    async def view(self) -> dict[str, Any]:
        """Return the room as it is."""
        return dict((await self.ask("GET", "/lecturer")).json())

    async def put(self, *questions: str, seed: int = 7) -> list[int]:
        """Put questions on the list and return their numbers in the room."""
        for question in questions:
            await self.act("add", question=question, seed=seed)
        return [each["id"] for each in (await self.view())["asks"]]
