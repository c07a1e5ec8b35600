"""A real Chromium, started once a process: `tests/conftest.py` gives its fixtures to every folder."""

from collections.abc import Callable, Iterator

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
