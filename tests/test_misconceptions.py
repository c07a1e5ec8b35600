"""docs/misconceptions.md: each misconception is met by places that exist and say what the document says."""

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from engine import MISTAKES
from engine.options import ORDERS
from lesson.frames import default_trace
from lesson.outline import load_outline
from lesson.plan import Section, load_sections
from lesson.quiz import load_misconceptions
from lesson.text import load_text
from lesson.values import section_values
from tests.conftest import ROOT
from tests.parts import page_html
from tests.test_pages import visit, words

DOCUMENT = ROOT / "docs" / "misconceptions.md"


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    key: str
    section: str
    section_words: str
    lab: str
    lab_words: str


def rows() -> list[Row]:
    """Return the lines of the document's table."""
    cells = [
        [cell.strip().strip("`") for cell in line.strip("|\n ").split("|")]
        for line in DOCUMENT.read_text(encoding="utf-8").splitlines()
        if re.match(r"\| M\d", line)
    ]
    return [
        Row(key, section.removeprefix("#"), said, lab, shown) for key, _, section, said, lab, shown in cells
    ]


ROWS = rows()


def said_in(section: Section) -> str:
    """Return everything that a section says: its sentences and its prediction."""
    name = f"lesson_{section.key}"
    text = load_text(name).filled(section_values(section.key, name))
    parts = [part for part in text.parts if isinstance(part, str)]
    if section.predict:
        parts += [f"{option.text} {option.reason}" for option in section.predict.options]
    return " ".join("\n".join(parts).replace("*", "").split())


def said_on(at: AppTest) -> str:
    """Return what a page says in Markdown and in its own HTML."""
    own = re.sub(r"<[^>]+>", " ", page_html(at))
    return " ".join(f"{words(at)}\n{own}".replace("*", "").split())


def test_every_misconception_has_its_line() -> None:
    assert [row.key for row in ROWS] == list(load_misconceptions())
    assert {row.key for row in ROWS} == {"M1b", *(f"M{number}" for number in range(1, 15))}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.key)
def test_the_section_says_it(row: Row) -> None:
    (section,) = [section for section in load_sections() if section.key == row.section]
    assert row.section_words in said_in(section)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.key)
def test_the_lab_opens_and_shows_it(row: Row) -> None:
    address = urlsplit(row.lab)
    query = dict(parse_qsl(address.query))
    page = load_outline().page(address.path)
    if "step" in query:
        assert default_trace().steps[int(query["step"])].kind == row.lab_words
    at = visit(page.script, **query)
    assert not at.error
    assert not at.warning
    if page.key != "step_through":
        assert row.lab_words in said_on(at)
    elif "step" not in query:
        assert row.lab_words in query.values()
        assert row.lab_words in {*MISTAKES, *ORDERS}
