"""Take the README's screenshots anew, from the running app: ``make screenshots``."""

import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.conftest import ARGUMENTS
from tests.browser.page_parts import settled
from tests.conftest import ROOT, start_server
from tests.ensure_chromium import find_chromium

FOLDER = ROOT / "docs" / "images"
# Each picture: what to open, and in which theme.
PICTURES = {
    "stage.png": ("step_through?ask=off&step=25", "light"),
    "calculator.png": ("calculator?calc_part=Fit", "light"),
    "exactness.png": ("exactness", "dark"),
}


def main() -> None:
    """Serve the app, open each page at 1440 × 900 and save what is on screen."""
    with tempfile.TemporaryDirectory() as folder:
        server = start_server(Path(folder) / "server.log")
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
                for name, (address, theme) in PICTURES.items():
                    page = browser.new_page(
                        viewport={"width": 1440, "height": 900},
                        color_scheme=theme,  # type: ignore[arg-type]
                        reduced_motion="reduce",
                    )
                    page.goto(f"{server.url}/{address}")
                    settled(page)
                    page.wait_for_load_state("networkidle")
                    page.screenshot(path=FOLDER / name)
                    page.close()
                    print(f"docs/images/{name}")
                browser.close()
        finally:
            server.stop()


if __name__ == "__main__":
    main()
