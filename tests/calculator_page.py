"""The calculator as Streamlit's own test runner sees it: open it, read its words and its tables."""

import json
import re
from html import escape, unescape

from streamlit.testing.v1 import AppTest

from tests.conftest import ROOT
from tests.parts import enter, page_html
from ui.calculator.controls import defaults

html = page_html


def visit(**address: object) -> AppTest:
    """Return the calculator as it is for a visitor with these parameters (`calc_` is put before each)."""
    at = AppTest.from_file(str(ROOT / "home.py"), default_timeout=60)
    at.switch_page("pages/calculator.py")
    for name, value in address.items():
        at.query_params[f"calc_{name}"] = str(value)
    at.run()
    assert not at.exception
    return at


def result(at: AppTest) -> str:
    """Return the large result of the first part."""
    found = re.search(r'data-testid="result">(.*?)<', html(at))
    assert found
    return unescape(found[1])


def text(at: AppTest) -> str:
    """Return what the page says, in Markdown and in HTML, without tags."""
    said = [element.value for element in at.markdown]
    plain = re.sub(r"<[^>]+>", " ", re.sub(r"</?(b|small)>", "", html(at)))
    return re.sub(r" +", " ", unescape(plain)) + "\n" + "\n".join(said)


def press(at: AppTest, label: str) -> AppTest:
    """Press a button that sets the controls: those that it does not name go back to their defaults."""
    found = re.search(
        rf'data-set="([^"]*)">(?:<span [^>]*>[^<]*</span>)?{re.escape(escape(label))}</button>', html(at)
    )
    assert found, label
    return enter(at, **{**defaults(), **json.loads(unescape(found[1]))})


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
