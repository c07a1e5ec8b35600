"""A real Chromium for the browser tests, and a page that notices trouble."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.ensure_chromium import find_chromium

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# A busy machine is slow, not wrong.
PATIENCE_MS = 30_000
expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A headless Chromium, started once."""
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=find_chromium(), headless=True, args=ARGUMENTS)
        yield running
        running.close()


@dataclass
class Trouble:
    """What went wrong in a page: console errors, uncaught exceptions, requests to other hosts."""

    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def outside(self, server_url: str) -> list[str]:
        """The requests that did not go to the app."""
        host = server_url.split("://", 1)[1].split("/", 1)[0]
        # A page from disk has no host: only the file itself is its own.
        app = (f"http://{host}/", f"ws://{host}/") if host else (server_url,)
        own = (*app, "data:", "blob:")
        return [url for url in self.requests if not url.startswith(own)]


def watch(page: Page) -> Trouble:
    """Note every trouble of a page from now on."""
    trouble = Trouble()
    page.on(
        "console", lambda message: trouble.errors.append(message.text) if message.type == "error" else None
    )
    page.on("pageerror", lambda error: trouble.errors.append(str(error)))
    page.on("request", lambda request: trouble.requests.append(request.url))
    page.on("websocket", lambda socket: trouble.requests.append(socket.url))
    return trouble


@pytest.fixture(scope="session")
def profile(browser: Browser) -> Iterator[BrowserContext]:
    """One profile for the whole run, so that the app's scripts are fetched and compiled once."""
    context = browser.new_context()
    context.set_default_timeout(PATIENCE_MS)
    yield context
    context.close()


def forget(profile: BrowserContext) -> None:
    """Close every page of a profile and leave nothing behind for the next test."""
    for page in profile.pages:
        if page.url.startswith("http"):
            page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        page.close()
    profile.clear_cookies()
    profile.clear_permissions()
    profile.set_offline(False)


@pytest.fixture
def new_page(profile: BrowserContext) -> Iterator[Callable[..., Page]]:
    """A function that opens a page without memories: `new_page(width=390, height=844, theme="dark")`."""

    def open_page(*, width: int = 1440, height: int = 900, theme: str = "light") -> Page:
        page = profile.new_page()
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        return page

    yield open_page
    forget(profile)


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    """A page at 1440 × 900 in the light theme."""
    return new_page()
