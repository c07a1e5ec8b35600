"""Streamlit's own browser files out of memory, packed once: they are most of what a first visit fetches.

A first visit asks for about eighty of them. Opening, reading and packing each anew costs a server more than
running the page does.
"""

import gzip
import hashlib
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from anyio.to_thread import run_sync
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["StaticFiles"]

_PACKED_TYPES = ("text/", "application/javascript", "application/json", "application/wasm", "image/svg+xml")
_LEAST_PACKED = 1_024
# Their names hold a hash of their content, so a browser never has to ask again.
_FOR_GOOD = b"public, max-age=31536000, immutable"


@dataclass(frozen=True)
class _File:
    """A file as it is sent."""

    plain: bytes
    packed: bytes | None
    kind: bytes
    tag: bytes


def _read(path: Path) -> _File:
    plain = path.read_bytes()
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    packed = None
    if len(plain) >= _LEAST_PACKED and kind.startswith(_PACKED_TYPES):
        packed = gzip.compress(plain, 6, mtime=0)
    tag = f'"{hashlib.sha256(plain).hexdigest()[:24]}"'.encode()
    return _File(plain, packed, kind.encode(), tag)


class StaticFiles:
    """Answer for the files of a folder; pass everything else on. Plain ASGI.

    Which files there are is looked up once, so no path can lead out of the folder.

    Parameters
    ----------
    app : ASGIApp
    folder : Path
    prefix : str
        The path that they are served under, with a slash at its end.
    """

    def __init__(self, app: ASGIApp, folder: Path, prefix: str) -> None:
        self.app = app
        self._paths: Mapping[str, Path] = {
            prefix + file.relative_to(folder).as_posix(): file for file in folder.rglob("*") if file.is_file()
        }
        self._files: dict[str, _File] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a GET or HEAD of one of the files."""
        if (
            scope["type"] != "http"
            or scope["method"] not in ("GET", "HEAD")
            or scope["path"] not in self._paths
        ):
            await self.app(scope, receive, send)
            return
        path = scope["path"]
        file = self._files.get(path)
        if file is None:
            file = self._files[path] = await run_sync(partial(_read, self._paths[path]))
        asked = Headers(scope=scope)
        headers = [(b"etag", file.tag), (b"cache-control", _FOR_GOOD), (b"vary", b"accept-encoding")]
        if asked.get("if-none-match") == file.tag.decode():
            await send({"type": "http.response.start", "status": 304, "headers": headers})
            await send({"type": "http.response.body", "body": b""})
            return
        body = file.plain
        if file.packed is not None and "gzip" in asked.get("accept-encoding", ""):
            body = file.packed
            headers.append((b"content-encoding", b"gzip"))
        headers += [(b"content-type", file.kind), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})
