"""What tests read on a page that is one text and one part, and do to its controls."""

import re
from html import unescape
from typing import Any

from streamlit.testing.v1 import AppTest

from tests.parts import page_html, part_data, parts_of, send

__all__ = ["enter", "html", "plain", "refusals", "slot", "tables"]


def slot(at: AppTest, name: str) -> dict[str, Any]:
    """Return what the part has for one of its slots."""
    (found,) = [each for each in part_data(at, "column")["slots"] if each["name"] == name]
    return found


def html(at: AppTest) -> str:
    """Return all of a page's HTML: Streamlit's elements for it, and the sheets in the slots, in order."""
    slots = part_data(at, "column")["slots"] if parts_of(at, "column") else []
    return "\n".join([page_html(at), *(piece for each in slots for piece in each["pieces"])])


def tables(at: AppTest) -> list[list[list[str]]]:
    """Return every table of the page as rows of cells."""
    found = []
    for table in re.findall(r"<table>.*?</table>", html(at), re.DOTALL):
        rows = re.findall(r"<tr.*?</tr>", table, re.DOTALL)
        found.append([[unescape(c) for c in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)] for row in rows])
    return found


def plain(text: str) -> str:
    """Return a text with ordinary spaces."""
    return text.replace("\u00a0", " ")


def refusals(at: AppTest, name: str) -> list[str]:
    """Return the messages that stand in a slot instead of its sheet, as text."""
    pieces = "\n".join(slot(at, name)["pieces"])
    found = re.findall(r'<div class="column-refusal" role="alert">(.*?)</div></div>', pieces, re.DOTALL)
    return [unescape(re.sub(r"<[^>]+>", " ", each)) for each in found]


def enter(at: AppTest, **values: str) -> AppTest:
    """Set controls as a reader does, and let the page run: the browser sends every value that it holds."""
    data = part_data(at, "column")
    unknown = set(values) - set(data["defaults"])
    assert not unknown, f"no such controls: {sorted(unknown)}"
    return send(at, "column", values={**data["values"], **values})
