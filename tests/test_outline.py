"""The outline and the prose: sound when shipped, refused when not."""

import re
from pathlib import Path

import pytest

from lesson.outline import load_outline, parse_outline
from lesson.text import CONTENT, Slot, load_text, parse_text
from tests.conftest import ROOT

ENTRY = """
[[page]]
key = "one"
script = "one.py"
title = "One"
label = "First"
icon = ":material/school:"
summary = "A page."
"""


def test_the_outline_names_every_page_and_only_pages_that_exist() -> None:
    """A page that is not in the outline cannot be reached; a dead entry would break every page."""
    listed = {page.script for page in load_outline().pages}
    existing = {"home.py"} | {f"pages/{path.name}" for path in (ROOT / "pages").glob("[!_]*.py")}
    assert listed == existing


def test_a_page_that_there_is_not_is_named() -> None:
    """And those that there are."""
    with pytest.raises(KeyError, match="no page 'nowhere'"):
        load_outline().page("nowhere")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no"),
        (ENTRY.replace('title = "One"\n', ""), "title"),
        (ENTRY + 'colour = "red"\n', "colour"),
        (ENTRY.replace('"One"', '" "'), "title = ' '"),
        (ENTRY.replace('"One"', "7"), "title = 7"),
        (ENTRY.replace(":material/school:", "school"), "icon 'school'"),
        (ENTRY + ENTRY, "share the key 'one'"),
    ],
)
def test_a_bad_outline_is_refused(text: str, message: str) -> None:
    """The message says what is wrong."""
    with pytest.raises(ValueError, match=message):
        parse_outline(text)


@pytest.mark.parametrize("path", sorted(CONTENT.rglob("*.md")), ids=lambda path: path.stem)
def test_prose_has_one_sentence_a_line(path: Path) -> None:
    """A change to one sentence is then a change to one line."""
    load_text(path.stem, path.parent.name)
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line.lstrip().startswith("|"):
            continue
        bare = re.sub(r"^\s*(\d+\.|[-*#>]+)\s+", "", line)
        assert not re.search(r"[.!?][”\"*)]* +[A-Z“*]", bare), f"{path.name}:{number}: {line}"


def test_text_is_cut_at_its_slots_and_filled() -> None:
    """A slot stands alone on its line; a value stands in a sentence."""
    text = parse_text("One {{what}}.\n\n[[place]]\n\nTwo.\n")
    assert text.parts == ("One {{what}}.", Slot("place"), "Two.")
    assert text.filled({"what": "thing"}).parts[0] == "One thing."
    with pytest.raises(ValueError, match="what"):
        text.filled({})
    with pytest.raises(ValueError, match="other"):
        text.filled({"what": "x", "other": "y"})


@pytest.mark.parametrize(("markdown", "message"), [("  \n", "empty"), ("[[a]]\n[[a]]\n", "'a' comes twice")])
def test_bad_text_is_refused(markdown: str, message: str) -> None:
    """The message says what is wrong."""
    with pytest.raises(ValueError, match=message):
        parse_text(markdown)


def test_a_missing_text_is_named() -> None:
    """The message holds the file's name."""
    with pytest.raises(ValueError, match=r"en/nothing\.md"):
        load_text("nothing")
