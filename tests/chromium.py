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
def profile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserContext]:
    """A headless Chromium with a new profile on disk, so that the app's scripts are compiled once."""
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("profile"), executable_path=find_chromium(), headless=True, args=ARGUMENTS
        )
        context.set_default_timeout(PATIENCE_MS)
        yield context
        context.close()


@pytest.fixture(scope="session")
def browser(profile: BrowserContext) -> Browser:
    """The same Chromium, for contexts of a test's own."""
    assert profile.browser is not None
    return profile.browser


@pytest.fixture(scope="session")
def blank_page(browser: Browser) -> Iterator[Page]:
    """A page that no server fills."""
    page = browser.new_page()
    yield page
    page.close()


@pytest.fixture(scope="module")
def blank(blank_page: Page) -> Page:
    """An empty page for scripts that need no page around them; its memories end with the test file."""
    blank_page.goto("about:blank")
    return blank_page


def tidy(profile: BrowserContext, kept: Page) -> None:
    """Close every page of a profile but the one to keep, and leave nothing behind for the next test."""
    for page in profile.pages:
        if page.url.startswith("http"):
            page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        if page is not kept:
            page.close()
    profile.clear_cookies()
    profile.clear_permissions()
    profile.set_offline(False)
    kept.goto("about:blank")
    kept.unroute_all()
    kept.mouse.move(0, 0)


@pytest.fixture(scope="session")
def window(profile: BrowserContext) -> list[Page]:
    """The page that tests use one after the other: opening another costs as much as a test."""
    return profile.pages[:1]


@pytest.fixture
def new_page(profile: BrowserContext, window: list[Page]) -> Iterator[Callable[..., Page]]:
    """A function that gives a page without memories: `new_page(width=390, height=844, theme="dark")`.

    A test that changes the page for good, by a script for every document, asks for one `of_its_own`.
    """
    free = list(window)

    def open_page(
        *, width: int = 1440, height: int = 900, theme: str = "light", of_its_own: bool = False
    ) -> Page:
        page = profile.new_page() if of_its_own or not free else free.pop()
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(media="null", reduced_motion="null", color_scheme=theme)  # type: ignore[arg-type]
        return page

    yield open_page
    if not window or window[0].is_closed():
        window[:] = [profile.new_page()]
    tidy(profile, window[0])


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    """A page at 1440 × 900 in the light theme."""
    return new_page()
