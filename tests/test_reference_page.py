"""The reference page: glossary, notation, links and licences, sound when shipped and refused when not."""

import re
from html import unescape
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from lesson.glossary import load_glossary, parse_glossary, term_markdown, term_values
from lesson.links import KINDS, link_markdown, link_values, load_links, parse_links
from lesson.notation import load_notation, notation_text
from lesson.plan import load_sections
from lesson.text import load_text
from tests.column_page import enter, html, slot, tables
from tests.conftest import ROOT
from tests.parts import part_data
from tests.test_pages import visit
from ui.reference.page import FILTER, PREFIX
from ui.reference.prose import prose_html
from ui.reference.table import inline_html, markdown_rows

LINK = """
[[link]]
key = "one"
title = "One"
url = "https://example.org/one"
kind = "paper"
date = ""
read = "2026"
note = "A note."
"""
TERM = """
[[term]]
key = "one"
name = "One"
meaning = "The first."
page = "home"
see = []
"""
SHOWN = [ROOT / "home.py", *sorted((ROOT / "pages").glob("*.py")), *sorted((ROOT / "ui").rglob("*.py"))]
SHOWN += [path for path in sorted((ROOT / "lesson" / "content").rglob("*.*")) if path.name != "links.toml"]


@pytest.mark.parametrize("path", SHOWN, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_page_leads_to_an_address_that_is_not_listed(path: Path) -> None:
    """Every external address stands in links.toml, so that one look finds them all."""
    listed = {link.url for link in load_links().values()}
    found = set(re.findall(r"https?://\w[^\s\"'<>)`]+", path.read_text(encoding="utf-8")))
    examples = {url for url in found if re.search(r"//(localhost|[^/]*example\.org|www\.w3\.org)", url)}
    assert found - examples <= listed


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        (LINK.replace('note = "A note."\n', ""), "note"),
        (LINK + 'colour = "red"\n', "colour"),
        (LINK.replace('"One"', '" "'), "title = ' '"),
        (LINK.replace('"one"', '"One1"'), "small letters"),
        (LINK.replace('"paper"', '"song"'), "'song'"),
        (LINK.replace("https", "http"), "begin with https"),
        (LINK.replace('"2026"', '"long ago"'), "'long ago'"),
        (LINK + LINK, "comes twice"),
        ("", "there is no"),
    ],
)
def test_a_bad_link_is_refused(toml: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_links(toml)


def test_links_are_named_by_their_keys_in_texts() -> None:
    link = load_links()["fa_one"]
    assert link_markdown("fa_one", "the paper") == f"[the paper]({link.url})"
    assert link_values(["link_fa_one", "n"]) == {"link_fa_one": link.markdown}
    with pytest.raises(KeyError):
        link_markdown("nothing")


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        (TERM.replace('meaning = "The first."\n', ""), "meaning"),
        (TERM.replace('"The first."', '""'), "meaning = ''"),
        (TERM.replace('"home"', '"nowhere"'), "'nowhere'"),
        (TERM.replace("[]", '["two"]'), "two"),
        (TERM.replace("[]", '"two"'), "list of keys"),
        (TERM + TERM, "share a key"),
        ("", "there is no"),
    ],
)
def test_a_bad_term_is_refused(toml: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_glossary(toml)


def shown_terms(at: AppTest) -> list[str]:
    """Return the terms on the page, in order."""
    return [unescape(name) for name in re.findall(r"<dt>(.*?)</dt>", html(at))]


def said(at: AppTest) -> str:
    """Return what the page says of the search, as text."""
    (found,) = re.findall(r'<p [^>]*role="status">(.*?)</p>', "".join(slot(at, "glossary")["pieces"]))
    return unescape(re.sub(r"<[^>]+>", " ", found))


def test_every_term_is_shown_and_can_be_found() -> None:
    at = visit("pages/reference.py")
    assert shown_terms(at) == [term.name for term in load_glossary()]
    text = unescape(re.sub(r"<[^>]+>", "", html(at)))
    for term in load_glossary():
        assert " ".join(term.meaning.split()).replace("`", "").replace("**", "") in text
    assert f"{len(load_glossary())} of {len(load_glossary())} words" in said(at)
    enter(at, find=" RESCALE ")
    shown = [term for term in load_glossary() if term.name in shown_terms(at)]
    assert 0 < len(shown) < len(load_glossary())
    assert all("rescale" in f"{term.name} {term.meaning}".casefold() for term in shown)
    assert f"{len(shown)} of {len(load_glossary())} words" in said(at)
    enter(at, find="zzz <b>")
    assert "“zzz <b>”" in said(at) and not at.exception and not shown_terms(at)
    assert "<b>" not in html(at)


def test_the_filter_changes_the_glossary_alone() -> None:
    every, few = (
        part_data(visit("pages/reference.py", **given), "column") for given in ({}, {"ref_find": "exact"})
    )
    assert few["values"] == {"find": "exact"} and every["values"] == {"find": ""}
    changed = [one["name"] for one, two in zip(every["slots"], few["slots"], strict=True) if one != two]
    assert changed == ["glossary"]


def test_every_term_fits_into_the_filter() -> None:
    assert max(len(term.name) for term in load_glossary()) <= FILTER.longest


def test_a_term_in_a_text_leads_to_its_entry() -> None:
    assert term_values(["term_sparse", "n"]) == {"term_sparse": term_markdown("sparse")}
    for term in load_glossary():
        (asked,) = re.findall(rf"{PREFIX}{FILTER.name}=([^)]*)\)$", term_markdown(term.key))
        assert asked
    assert "sparse attention" in shown_terms(visit("pages/reference.py", ref_find="sparse attention"))
    with pytest.raises(KeyError, match="'odd'"):
        term_markdown("odd")


def test_the_notation_is_the_documents() -> None:
    at = visit("pages/reference.py")
    document = (ROOT / "docs" / "notation.md").read_text(encoding="utf-8")
    rows = markdown_rows([line for line in document.splitlines() if line.startswith("|")])
    assert len(rows) > 10 and "Triton tutorial" in rows[0]
    shown = tables(at)[0]
    assert shown == [[inline_html(cell) for cell in row] for row in rows]
    text = html(at)
    sentences = [
        line.removeprefix("* ") for line in load_notation().splitlines() if line[:1] not in ("", "|")
    ]
    assert len(sentences) > 7 and all(inline_html(line) in text for line in sentences)
    assert text.count("<li>") == load_notation().count("\n* ") == 3
    for bad in ("no title", "# Title\n\nno table"):
        with pytest.raises(ValueError, match="notation"):
            notation_text(bad)


def test_prose_is_paragraphs_and_lists() -> None:
    assert (
        prose_html("One `a*b`\nand <two>.\n\n* **First.** m_new\n* Second.\n")
        == "<p>One <code>a*b</code> and &lt;two&gt;.</p>"
        "<ul><li><strong>First.</strong> m_new</li><li>Second.</li></ul>"
    )


@pytest.mark.parametrize(
    "block",
    [
        "## Heading", "> said", "| a | b |", "<div>", "```\ncode", "    indented", "1. first", "- item",
        "Title\n===", "Text\n* item", "* item\n  goes on", "An *emphasis*.", "An _emphasis_.",
        "[odd](elsewhere)", "$x$", "An `open code",
    ],
)  # fmt: skip
def test_prose_that_would_look_otherwise_is_refused(block: str) -> None:
    with pytest.raises(ValueError, match="no plain paragraph or list"):
        prose_html(f"Text.\n\n{block}\n")


def test_sources_stand_by_kind_with_dates() -> None:
    at = visit("pages/reference.py")
    text = html(at)
    for link in load_links().values():
        assert f'href="{link.url}"' in text and link.date in text
    by_kind = {kind: [link for link in load_links().values() if link.kind == kind] for kind in KINDS}
    assert [len(rows) - 1 for rows in tables(at)[1:-1]] == [len(by_kind[kind]) for kind in KINDS]


def test_licences_name_the_models_and_ours() -> None:
    *_, licences = tables(visit("pages/reference.py"))
    assert [row[2] for row in licences[1:4]] == ["Apache-2.0"] * 3
    assert "SmolLM2-135M-Instruct" in licences[1][1] and "H200" in licences[3][1]


def test_inline_markdown_escapes_what_it_does_not_know() -> None:
    assert inline_html("a <b> `x<y` **z**") == "a &lt;b&gt; <code>x&lt;y</code> <strong>z</strong>"
    assert 'href="https://example.org"' in inline_html("[t](https://example.org)")
    assert inline_html("[Quiz](./quiz)") == '<a href="./quiz">Quiz</a>'
    assert "javascript" not in re.findall(r'href="([^"]*)"', inline_html("[t](javascript:x)"))
    with pytest.raises(ValueError, match="2 cells"):
        markdown_rows(["| a | b |", "|---|---|", "| c |"])


def test_an_unknown_name_in_the_address_is_named() -> None:
    assert "ref_odd" in visit("pages/reference.py", ref_odd="1").warning[0].value


def test_a_term_of_the_lesson_is_linked_where_it_first_appears() -> None:
    """Every term that the glossary places on the first page is a link there."""
    texts = [load_text("home"), *(load_text(f"lesson_{section.key}") for section in load_sections())]
    linked = {name for text in texts for name in text.values if name.startswith("term_")}
    assert {f"term_{term.key}" for term in load_glossary() if term.page == "home"} <= linked
