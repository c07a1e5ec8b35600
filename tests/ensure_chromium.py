"""Make sure that a Chromium is there for the browser tests, installing one only where none is found.

Looks on the PATH first, then for Playwright's own; else installs with apt when root, else with Playwright.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

NAMES = ("chromium", "google-chrome", "chromium-browser")


def find_chromium() -> str | None:
    """Return the path of a Chromium to start, or None."""
    on_path = next(filter(None, map(shutil.which, NAMES)), None)
    if on_path:
        return on_path
    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    return own if Path(own).exists() else None


def install_chromium() -> None:
    """Install a Chromium by the means that this user has."""
    if os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "update", "-qq"], check=False)
        done = subprocess.run(["apt-get", "install", "-y", "-qq", "chromium"], check=False)
        if done.returncode == 0:
            return
    subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=True)


def main() -> int:
    """Find or install a Chromium and say which one the tests use."""
    if find_chromium() is None:
        install_chromium()
    found = find_chromium()
    if found is None:
        print("No Chromium was found and none could be installed.", file=sys.stderr)
        return 1
    print(f"Browser tests use {found}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
