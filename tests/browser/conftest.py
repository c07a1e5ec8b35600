"""A page that notices trouble, and the stage's modules."""

from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Page

from tests.browser.modules import UI, Modules
from tests.chromium import ARGUMENTS, PATIENCE_MS

__all__ = ["ARGUMENTS", "PATIENCE_MS", "Trouble", "watch"]


@pytest.fixture(scope="module")
def run(blank: Page) -> Modules:
    """Evaluates expressions with the stage's modules."""
    return Modules(blank, UI / "stage")


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
