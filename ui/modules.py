"""What the browser fetches once and keeps: scripts and styles of our parts, and data that many runs share.

Streamlit sends a component's inline script and styles with each message that mounts it, and its data too: for
the stage that is 300 KB at every change. What it gets from here is a few lines that import a file.
"""

import gzip
import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

import streamlit as st
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ui.joiner import lean, lean_styles
from ui.share import base_path

FOLDER = "modules"
"""Where the files are served, beside the pages."""

MOST_DATA = 512
"""Files of data that are held. A browser fetches one within seconds, and each run leaves those it names."""

START_JS = Path(__file__).with_name("start.js").read_text(encoding="utf-8")

__all__ = [
    "FOLDER",
    "MOST_DATA",
    "START_JS",
    "Left",
    "address_of",
    "component",
    "kept",
    "module_routes",
    "scripts_of",
    "served",
]

# The name holds a digest of the text, so a copy never grows old.
_HEADERS = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}


_KINDS = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}


@dataclass(frozen=True)
class _File:
    plain: bytes
    packed: bytes
    kind: str


_scripts: dict[str, _File] = {}
_data: OrderedDict[str, _File] = OrderedDict()
_lock = Lock()


def _name(name: str, plain: bytes, ending: str) -> str:
    return f"{name}-{hashlib.sha256(plain).hexdigest()[:32]}.{ending}"


def address_of(file: str) -> str:
    """Return the path under which a file is fetched from this server."""
    return f"{base_path()}/{FOLDER}/{file}"


def served(name: str, text: str, ending: str = "js") -> str:
    """Keep a text to be fetched for good, and return its file's name.

    Parameters
    ----------
    name : str
        Begins the file's name; small letters.
    text : str
    ending : {"js", "css", "svg"}
    """
    plain = (lean_styles if ending == "css" else lean)(text).encode()
    file = _name(name, plain, ending)
    _scripts[file] = _File(plain, gzip.compress(plain, mtime=0), _KINDS[ending])
    return file


class Left:
    """Data to be fetched: what many runs share and everybody may see.

    Encoding is what costs, so make it once and keep it.

    Parameters
    ----------
    name : str
        Begins the file's name; small letters.
    data : mapping
        Finite builtins.
    """

    def __init__(self, name: str, data: Mapping[str, Any]) -> None:
        plain = json.dumps(data, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode()
        self._name = _name(name, plain, "json")
        self._file = _File(plain, gzip.compress(plain, mtime=0), "application/json")

    def given(self) -> dict[str, str]:
        """Leave it there, if it no longer is, and return what a component of ours is given instead of it."""
        with _lock:
            _data[self._name] = self._file
            _data.move_to_end(self._name)
            while len(_data) > MOST_DATA:
                _data.popitem(last=False)
        return {"from": address_of(self._name)}


def kept(file: str) -> bytes:
    """Return what a file holds. Raises KeyError for one that there is not (any more)."""
    return (_scripts.get(file) or _data[file]).plain


_START = served("start", START_JS)
_parts: dict[str, str] = {}


def scripts_of(name: str) -> list[str]:
    """Return the addresses of the scripts that mount a component. Raises KeyError if nobody registered it."""
    return [address_of(_START), address_of(_parts[name])]


def component(
    name: str, *, host: str, script: str, css: str = "", isolated: bool = True
) -> Callable[..., None]:
    """Register a component of ours, and return what mounts it.

    Parameters
    ----------
    name : str
        Small letters; Streamlit knows it as `tilewise_<name>`.
    host : str
        The class of the element that the script fills.
    script : str
        A module whose default export mounts the component.
    css : str
        Styles of its shadow root. They come with the script, so nothing is ever drawn bare.
    isolated : bool
        Draw it in a shadow root; otherwise its styles hold in the whole page.
    """
    text = f"{script}\nexport const partStyles = {json.dumps(lean_styles(css), ensure_ascii=False)};\n"
    _parts[name] = served(name, text)
    files = json.dumps(scripts_of(name))
    # The script is loaded from a blob, to which no address is relative.
    registered = st.components.v2.component(
        f"tilewise_{name}",
        html=f'<div class="{host}"></div>',
        js=f"const files = {files}.map((file) => import(location.origin + file));\n"
        "const [{ start }, part] = await Promise.all(files);\nexport default start(part);\n",
        isolate_styles=isolated,
    )

    def mount(*, key: str, data: Mapping[str, Any] | None = None, keeps: str = "") -> None:
        """Mount it under a key, with data of finite builtins; `keeps` is the state that its script sets."""
        # As bytes: in anything else Streamlit looks for tables, at length and with the help of pandas.
        text = json.dumps(data or {}, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
        # Streamlit keeps a state only if there is a callback; the run that follows reads it.
        registered(key=key, data=text.encode(), **({f"on_{keeps}_change": _nothing} if keeps else {}))

    return mount


def _nothing() -> None:
    pass


async def _answer(request: Request) -> Response:
    name = request.path_params["file"]
    file = _scripts.get(name) or _data.get(name)
    if file is None:
        return Response("there is no such file", 404, {"Cache-Control": "no-store"})
    packed = "gzip" in request.headers.get("accept-encoding", "")
    return Response(
        file.packed if packed else file.plain,
        headers=_HEADERS | ({"Content-Encoding": "gzip"} if packed else {}),
        media_type=file.kind,
    )


def module_routes(base: str) -> list[Route]:
    """Return the route of the files. ``base`` is what the app is served under: "" or "/name"."""
    return [Route(f"{base}/{FOLDER}/{{file}}", _answer)]
