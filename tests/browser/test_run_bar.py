"""The bar of "Watch it run": its panels stand where they should, for everybody."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import violations
from tests.browser.modules import UI, Modules
from tests.browser.page_parts import WIDTHS, in_theme, settled


@pytest.mark.parametrize(
    ("button", "view", "place"),
    [
        # Under its button, flush with the button's right end.
        ([700, 90], [1440, 900], {"width": 500, "left": 200, "top": 96, "height": 792}),
        # Not beyond the window's left edge, nor its right one.
        ([200, 90], [1440, 900], {"width": 500, "left": 12, "top": 96, "height": 792}),
        ([1500, 90], [1440, 900], {"width": 500, "left": 928, "top": 96, "height": 792}),
        # No wider than a phone.
        ([300, 200], [390, 844], {"width": 366, "left": 12, "top": 206, "height": 626}),
        # A button far down, or scrolled away, leaves its panel room.
        ([700, 880], [1440, 900], {"width": 500, "left": 200, "top": 405, "height": 483}),
        ([700, -300], [1440, 900], {"width": 500, "left": 200, "top": 12, "height": 876}),
    ],
)
def test_a_panel_stands_inside_the_window(
    blank: Page, button: list[int], view: list[int], place: dict[str, Any]
) -> None:
    run = Modules(blank, UI / "run_bar")
    found = run(
        "menu.js",
        "m.panelPlace({ right: x[0][0], bottom: x[0][1] }, 500, { width: x[1][0], height: x[1][1] })",
        [button, view],
    )
    assert {name: round(value, 6) for name, value in found.items()} == place


def test_both_panels_fit_every_window_in_both_themes_and_axe_finds_nothing(
    page: Page, server_url: str
) -> None:
    page.goto(f"{server_url}/step_through?ask=off&run_mistake=no_max")
    settled(page)
    for name in ("Change the run", "Break it"):
        panel = page.get_by_role("dialog", name=name)
        for theme, (width, height) in zip(("light", "light", "dark"), WIDTHS, strict=True):
            page.set_viewport_size({"width": width, "height": height})
            in_theme(page, theme)
            page.get_by_role("button", name=name).click()
            expect(panel).to_be_visible()
            box = panel.bounding_box()
            assert box is not None and box["x"] >= 0 and box["y"] >= 0
            assert box["x"] + box["width"] <= width and box["y"] + box["height"] <= height
            assert panel.evaluate("node => node.scrollWidth <= node.clientWidth"), (name, width)
            assert violations(page, ".run-bar") == [], (name, width)
            page.keyboard.press("Escape")
            expect(panel).to_be_hidden()
