"""The calculator as Streamlit's own test runner sees it: open it, read its words and its tables."""

import re
from html import unescape

from streamlit.testing.v1 import AppTest

from tests.conftest import ROOT


def visit(**address: object) -> AppTest:
    """Return the calculator as it is for a visitor with these parameters (`calc_` is put before each)."""
    at = AppTest.from_file(str(ROOT / "home.py"), default_timeout=60)
    at.switch_page("pages/calculator.py")
    for name, value in address.items():
        at.query_params[f"calc_{name}"] = str(value)
    at.run()
    assert not at.exception
    return at


def html(at: AppTest) -> str:
    """Return all of the page's own HTML but its styles."""
    bodies = [element.proto.body for element in at.get("html")]
    return "\n".join(body for body in bodies if not body.startswith("<style"))


def text(at: AppTest) -> str:
    """Return what the page says, in Markdown and in HTML, without tags."""
    said = [element.value for element in at.markdown]
    return unescape(re.sub(r"<[^>]+>", " ", html(at))) + "\n" + "\n".join(said)


def cells(at: AppTest, caption: str) -> list[list[str]]:
    """Return the body rows of the table whose caption begins so."""
    found = re.search(
        rf"<caption>{re.escape(caption)}[^<]*</caption>.*?<tbody>(.*?)</tbody>", html(at), re.DOTALL
    )
    assert found, caption
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", found.group(1), re.DOTALL)
    return [[unescape(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)] for row in rows]


def number(cell: str) -> int:
    """Return the whole number that a cell shows with separators."""
    return int(cell.replace(",", "").replace("–", "0"))
