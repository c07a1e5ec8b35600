"""The browser of the browser tests, here too."""

from tests.browser.conftest import browser, new_page, page, profile

__all__ = ["browser", "new_page", "page", "profile"]
