"""The server: Streamlit around `home.py`, with security headers, a health route and a warm start.

`streamlit run app.py` finds `app` here. The pages in `pages/` are served beside `home.py`.
"""

import base64
import hashlib
import importlib
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import streamlit as st
from starlette.convertors import StringConvertor, register_url_convertor
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import runtime

from classroom.codes import ALPHABET, CODE_LENGTH
from classroom.mount import database_answers, room_routes, rooms_open
from classroom.rooms import KEPT_DAYS
from classroom.routes import PREFIX, PhonePage
from serving.affinity import AffinityCookie
from serving.guard import OriginGuard
from serving.logs import write_one_line_each
from serving.preload import chunk_with_imports, data_links, preload_links
from serving.start import allowed_ancestors, check_start
from serving.static_files import StaticFiles
from serving.warm import Warming
from ui.classroom.phone import phone_html, phone_script
from ui.frame import ARRIVAL, ICON, PAGE_CSS
from ui.lesson.size_routes import size_routes
from ui.modules import address_of, module_routes, scripts_of
from ui.qr import qr_svg
from ui.routing import HOME, name_pages
from ui.share import QR_ROUTE, base_path

# What the pages import. Loaded before the first visitor comes, so that nobody waits for it.
WARM_MODULES = (
    "numpy",
    "engine",
    "lesson.outline",
    "lesson.quiz",
    "lesson.inputs",
    "ui.address",
    "ui.classroom.board",
    "ui.classroom.keeper",
    "ui.content",
    "ui.frame",
    "ui.lesson.first_stage",
    "ui.palette",
    "ui.stage",
    "ui.exactness.lab",
    "ui.evidence.page",
    "ui.evidence.errata",
    "ui.quiz",
    "ui.softmax",
    "ui.calculator.parts",
    "ui.reference.page",
    "ui.run_settings",
    "ui.downloads",
    "ui.kernel_check",
)
# And what the first visitor of a page would have to wait for.
WARM_FIRST = (
    "ui.lesson.first_stage:first_data",
    "ui.exactness.lab:LAB.warm",
    "ui.evidence.page:EVIDENCE.warm",
    "ui.reference.page:REFERENCE.warm",
)
warming = Warming(WARM_MODULES, WARM_FIRST)


INDEX_FILE = Path(st.__file__).parent / "static" / "index.html"


# What pages mount first, by their names in the address: fetched while Streamlit's own script still starts.
# The first of these parts is on every page, and is there before the warm-up is done.
FIRST_PARTS = {"": ("sidebar", "stage", "lesson"), "step_through": ("sidebar", "run_bar", "stage")}
EVERYWHERE = ("sidebar",)
FIRST_CHUNKS = ("BidiComponent", "serialization", "Html")


@cache
def page_index(parts: tuple[str, ...] = EVERYWHERE, data: tuple[str, ...] = ()) -> str:
    """Return Streamlit's index page, told where its server is and what stands around our pages.

    Opened at /calculator, the plain index first looks for its server under /calculator/ and leaves two failed
    requests in the console of everybody who follows a link.

    Parameters
    ----------
    parts : tuple of str
        Names of the parts that the page mounts first; they are registered.
    data : tuple of str
        Addresses of the data that these fetch.
    """
    told = f"window.__streamlit={{BACKEND_BASE_URL:location.origin+{json.dumps(base_path() + '/')}}}"
    index = INDEX_FILE.read_text(encoding="utf-8")
    # At the end, so that our styles come after those that Streamlit writes into the head.
    styles = f'<link rel="stylesheet" href="{address_of(PAGE_CSS)}">'
    index = index.replace("<script>", f"<script>{told}</script>\n    <script>", 1)
    folder = INDEX_FILE.parent / "static" / "js"
    chunks = [file for name in FIRST_CHUNKS for file in chunk_with_imports(folder, name) if file not in index]
    scripts = [address for name in parts for address in scripts_of(name)]
    hints = preload_links([*(f"{base_path()}/static/js/{file}" for file in chunks), *scripts])
    hints += data_links(data)
    arrival = f'<script src="{address_of(ARRIVAL)}"></script>'
    index = index.replace("</head>", f"  {arrival}\n  {hints}\n  </head>", 1)
    index = index.replace('href="./favicon.png"', f'href="{address_of(ICON)}"', 1)
    return index.replace("</body>", f"  {styles}\n  </body>", 1)


def inline_script_hashes(html: str) -> list[str]:
    """Return the CSP sources of a page's inline scripts, so that the policy can refuse every other one."""
    scripts = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    digests = [hashlib.sha256(script.encode()).digest() for script in scripts]
    return [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]


def content_security_policy(frame_ancestors: str) -> str:
    """Return the policy that the app runs under.

    Parameters
    ----------
    frame_ancestors : str
        Who may frame the app, as `serving.start.allowed_ancestors` gives it.
    """
    # The inline scripts are the same on every page. A part's module is loaded from a blob: address, and
    # Streamlit writes its styles into the page.
    scripts = " ".join(["'self'", "blob:", "'wasm-unsafe-eval'", *inline_script_hashes(page_index())])
    return "; ".join(
        [
            "default-src 'self'",
            f"script-src {scripts}",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "media-src 'self' blob:",
            "connect-src 'self'",
            "worker-src 'self' blob:",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
            f"frame-ancestors {frame_ancestors}",
        ]
    )


class SecurityHeaders:
    """Add the security headers to every HTTP answer.

    Plain ASGI, so that streamed answers and websockets pass through untouched.
    """

    def __init__(self, app: ASGIApp, frame_ancestors: str) -> None:
        self.app = app
        headers = {
            "Content-Security-Policy": content_security_policy(frame_ancestors),
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "same-origin",
            "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
        }
        self.headers = [(name.lower().encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the call on, with the headers added where an HTTP answer starts."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        ours = {name for name, _ in self.headers}

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                kept = [pair for pair in message.get("headers", []) if pair[0].lower() not in ours]
                message = {**message, "headers": [*kept, *self.headers]}
            await send(message)

        await self.app(scope, receive, send_with_headers)


async def readyz(_: Request) -> JSONResponse:
    """Answer 200 once a page is shown without delay and the live room's database answers, else 503."""
    ready = False
    if runtime.exists():
        ready, _ = await runtime.get_instance().is_ready_for_browser_connection
        ready = ready and warming.done and await database_answers()
    return JSONResponse(
        {"status": "ready" if ready else "starting"},
        status_code=200 if ready else 503,
        headers={"Cache-Control": "no-store"},
    )


def first_addresses() -> tuple[str, ...]:
    """Return where the data of the first page lie. Only for after the warm-up."""
    # Loaded by then. Named at the top of this file, it would make the phones wait for it.
    first_stage = importlib.import_module("ui.lesson.first_stage")
    return tuple(left.given()["from"] for left in first_stage.first_data())


class Mistyped(StringConvertor):
    """What could be a page's name, and nothing that Streamlit answers itself."""

    regex = "[A-Za-z0-9_-]+"


register_url_convertor("mistyped", Mistyped())


async def open_nothing(_: Request) -> HTMLResponse:
    """Answer a link to a page that there is not: the first page comes, and Streamlit says why."""
    return HTMLResponse(page_index(), status_code=404, headers={"Cache-Control": "no-cache"})


async def open_page(request: Request) -> HTMLResponse:
    """Answer a link to one of the pages."""
    page = request.url.path.removeprefix(f"{base_path()}/")
    parts, data = EVERYWHERE, ()
    if warming.done:
        parts = FIRST_PARTS.get(page, EVERYWHERE)
        data = () if page else first_addresses()
    return HTMLResponse(page_index(parts, data), headers={"Cache-Control": "no-cache"})


async def qr_code(request: Request) -> Response:
    """Draw a link into this app as a QR code. Links elsewhere are refused: this is no service for others."""
    link = request.query_params.get("link", "")
    target = urlsplit(link)
    if target.scheme not in ("http", "https") or target.netloc != request.headers.get("host"):
        return Response("link must lead into this app", 400)
    try:
        picture = qr_svg(link)
    except ValueError as error:
        return Response(str(error), 400)
    return Response(picture, media_type="image/svg+xml", headers={"Cache-Control": "private, max-age=3600"})


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[None]:
    """Open the rooms, say where the app is, and warm up beside the first phones."""
    write_one_line_each()
    address = st.get_option("server.address") or "localhost"
    shown = "localhost" if address in ("0.0.0.0", "::") else address
    async with rooms_open(), warming.running():
        print(f"Tilewise is at http://{shown}:{st.get_option('server.port')}{base_path()}/", flush=True)
        yield


def phone_page() -> PhonePage:
    """Return the page of the live room that phones open."""
    rooms = f"{base_path()}/{PREFIX}"
    return PhonePage(phone_html(), phone_script(rooms, alphabet=ALPHABET, length=CODE_LENGTH, days=KEPT_DAYS))


# Here, since Starlette makes the middleware only for the first request, and would answer it with an error.
check_start()
name_pages()
app = st.App(
    HOME,
    routes=[
        Route(f"{base_path()}/readyz", readyz),
        Route(f"{base_path()}/{QR_ROUTE}", qr_code),
        *module_routes(base_path()),
        *size_routes(base_path()),
        *room_routes(phone_page(), base_path()),
        Route(f"{base_path()}/", open_page),
        *(
            Route(f"{base_path()}/{script.stem}", open_page)
            for script in sorted((Path(__file__).parent / "pages").glob("*.py"))
        ),
        Route(f"{base_path()}/{{page:mistyped}}", open_nothing),
    ],
    middleware=[
        Middleware(SecurityHeaders, frame_ancestors=allowed_ancestors()),
        Middleware(OriginGuard, allowed=st.get_option("server.corsAllowedOrigins") or ()),
        Middleware(AffinityCookie),
        Middleware(StaticFiles, folder=INDEX_FILE.parent / "static", prefix=f"{base_path()}/static/"),
    ],
    lifespan=lifespan,
)
