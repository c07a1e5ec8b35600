"""How soon the lesson's first page answers, beside a bare Streamlit page, with an empty profile each time.

    python -m bench.load_first_page

From the start of the navigation until the stage stands and takes a step; for the bare page until its title is
drawn. In turns; medians. Returns 1 if the lesson takes over 1.5 × as long.
"""

import argparse
import statistics
import sys
import time

from playwright.sync_api import Browser, sync_playwright

from bench.load_crowd import ARGUMENTS
from bench.server import Serving
from tests.ensure_chromium import find_chromium

MOST_OF_BARE = 1.5

__all__ = ["main"]


def until(browser: Browser, url: str, *, stage: bool) -> float:
    """Return the seconds until a fresh profile can use the page."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    began = time.perf_counter()
    page.goto(url, wait_until="commit")
    if stage:
        button = page.get_by_test_id("stage").get_by_role("button", name="Next step", exact=True)
        button.wait_for(timeout=60_000)
        first = page.get_by_test_id("stage").get_attribute("data-step")
        stepped = page.locator(f'[data-testid="stage"]:not([data-step="{first}"])')
        while not stepped.count():
            # A click on a page that is still being put together may be lost; a person clicks again.
            button.click(timeout=60_000)
            page.wait_for_timeout(20)
    else:
        page.get_by_role("heading", name="Bare").wait_for(timeout=60_000)
    took = time.perf_counter() - began
    context.close()
    return took


def main(arguments: list[str] | None = None) -> int:
    """Open both in turns."""
    parser = argparse.ArgumentParser(prog="python -m bench.load_first_page", description=__doc__)
    parser.add_argument("--turns", type=int, default=7)
    asked = parser.parse_args(arguments)
    with Serving() as app, Serving(bare=True) as bare, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        until(browser, app.url, stage=True)
        until(browser, bare.url, stage=False)
        pairs = [
            (until(browser, app.url, stage=True), until(browser, bare.url, stage=False))
            for _ in range(asked.turns)
        ]
        browser.close()
    lesson, plain = (statistics.median(times) for times in zip(*pairs, strict=True))
    ratio = statistics.median(first / second for first, second in pairs)
    print(
        f"lesson {lesson:.2f} s, bare page {plain:.2f} s, ratio {ratio:.2f} (median of {asked.turns} turns)"
    )
    print(f"target: ≤ {MOST_OF_BARE}")
    return 1 if ratio > MOST_OF_BARE else 0


if __name__ == "__main__":
    sys.exit(main())
