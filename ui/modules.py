"""Scripts of our components as files that a browser fetches once, instead of with every run of a page.

Streamlit sends a component's inline script with each message that mounts it: for the stage that would be more
than the run itself. What it gets from here is two lines that import the file.
"""

import gzip
import hashlib
import json
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ui.share import base_path

FOLDER = "modules"
"""Where the files are served, beside the pages."""

__all__ = ["FOLDER", "module_routes", "served"]

# The name holds a digest of the text, so a copy never grows old.
_HEADERS = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}


@dataclass(frozen=True)
class _File:
    plain: bytes
    packed: bytes


_files: dict[str, _File] = {}


def served(name: str, text: str) -> str:
    """Keep a module to be fetched, and return the script that a component is given instead of it.

    Parameters
    ----------
    name : str
        Begins the file's name; small letters.
    text : str
        A module whose default export mounts the component.
    """
    plain = text.encode()
    file = f"{name}-{hashlib.sha256(plain).hexdigest()[:16]}.js"
    _files[file] = _File(plain, gzip.compress(plain, mtime=0))
    # The script is loaded from a blob, to which no address is relative.
    address = json.dumps(f"{base_path()}/{FOLDER}/{file}")
    return f"const {{ default: mount }} = await import(location.origin + {address});\nexport default mount;\n"


async def _answer(request: Request) -> Response:
    file = _files.get(request.path_params["file"])
    if file is None:
        return Response("there is no such module", 404, {"Cache-Control": "no-store"})
    packed = "gzip" in request.headers.get("accept-encoding", "")
    return Response(
        file.packed if packed else file.plain,
        headers=_HEADERS | ({"Content-Encoding": "gzip"} if packed else {}),
        media_type="text/javascript",
    )


def module_routes(base: str) -> list[Route]:
    """Return the route of the files. ``base`` is what the app is served under: "" or "/name"."""
    return [Route(f"{base}/{FOLDER}/{{file}}", _answer)]
