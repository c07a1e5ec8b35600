"""What axe-core finds on a page: no violation of any level is allowed, Streamlit's own parts included."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

# Every rule is run. What passed is only counted, not described: that takes two thirds of the time.
OPTIONS = {"resultTypes": ["violations"]}


def violations(page: Page, within: str | None = None) -> list[tuple[str, str, str]]:
    """Return every violation on the page, or within a selector: rule, element and what axe says of it."""
    return [
        (violation["id"], f"{node['target']} {node['html'][:160]}", node["failureSummary"])
        for violation in Axe().run(page, within, OPTIONS).response["violations"]
        for node in violation["nodes"]
    ]
