"""What axe-core finds on a page: no violation of any level is allowed, Streamlit's own parts included."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

SCRIPT = Axe().axe_script
# What passed is only counted, not described: that takes two thirds of the time.
OPTIONS = {"resultTypes": ["violations"]}
# The rules that ask how something looks. The others ask what is there, which another theme does not change.
LOOKS = ["color-contrast", "link-in-text-block", "scrollable-region-focusable"]

# A colour that is on its way from one theme to the other is nobody's.
AT_REST = """() => document.getAnimations().every((each) =>
  each.playState !== 'running' || !Number.isFinite(each.effect.getComputedTiming().endTime))"""

__all__ = ["violations"]


def violations(page: Page, within: str | None = None, *, looks: bool = False) -> list[tuple[str, str, str]]:
    """Return every violation on the page, or within a selector: rule, element and what axe says of it.

    It is looked at once what fades or slides has come to rest. Every rule is run. With `looks` those alone
    that ask how something looks: for a page that has been looked at whole, and has changed its theme since.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(SCRIPT)
    options = OPTIONS | ({"runOnly": {"type": "rule", "values": LOOKS}} if looks else {})
    page.wait_for_function(AT_REST)
    found = page.evaluate(
        "([within, options]) => axe.run(within ?? document, options).then((result) => result.violations)",
        [within, options],
    )
    return [
        (violation["id"], f"{node['target']} {node['html'][:160]}", node["failureSummary"])
        for violation in found
        for node in violation["nodes"]
    ]
