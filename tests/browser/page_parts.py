"""What tests do to the parts of a page that Streamlit draws."""

import re

from playwright.sync_api import Page, expect

from ui.palette import SURFACES

WIDTHS = [(1440, 900), (1024, 768), (390, 844)]


def idle(page: Page) -> None:
    """Wait until no script is running, and nothing on the page is grey or pale for want of a newer state."""
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0)
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
    expect(page.locator("[data-stale=true]")).to_have_count(0)


def settled(page: Page) -> None:
    """Wait until the page has its heading and its foot, and is idle."""
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_test_id("stMain").get_by_role("link").last).to_be_visible()
    idle(page)


def page_colour(theme: str) -> str:
    """Return the colour of a page in a theme, as the browser writes it."""
    surface = SURFACES[theme].page  # type: ignore[index]
    return "rgb({}, {}, {})".format(*(int(surface[at : at + 2], 16) for at in (1, 3, 5)))


def in_theme(page: Page, theme: str) -> None:
    """Turn to a theme, and wait until the app has it on."""
    page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", page_colour(theme))


def pick(page: Page, label: str | re.Pattern[str], option: str) -> None:
    """Choose an option of a menu by its word."""
    page.get_by_role("combobox", name=label).select_option(label=option)


def keeps_its_width(page: Page) -> None:
    """Wait until nothing on the page scrolls sideways, but inside itself."""
    main = page.get_by_test_id("stMain").element_handle()
    page.wait_for_function("main => main.scrollWidth - main.clientWidth <= 1", arg=main, timeout=5_000)
