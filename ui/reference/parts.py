"""Glossary, notation, sources and licences as they are drawn."""

from functools import cache

import streamlit as st

from lesson.evidence import load_provenance
from lesson.glossary import Term, load_glossary
from lesson.inputs import real
from lesson.links import KINDS, load_links
from lesson.notation import load_notation
from lesson.outline import load_outline
from lesson.words import load_words
from ui.calculator.html import draw, note
from ui.content import READING_WIDTH
from ui.reference.table import inline_html, linked_table, markdown_rows

WORDS = load_words("reference")
FILTER_NAME = "ref_find"
NAMES = {term.key: term.name for term in load_glossary()}

__all__ = ["FILTER_NAME", "draw_glossary", "draw_licences", "draw_notation", "draw_sources"]


def _head(*names: str) -> list[str]:
    return [WORDS.say("columns", name) for name in names]


def _matches(term: Term, asked: str) -> bool:
    return asked.casefold() in f"{term.name} {term.meaning}".casefold()


@cache
def _term_html(term: Term) -> str:
    """A term with where it is met and what else to read."""
    page = load_outline().page(term.page)
    # Relative, so that it holds under any base path.
    address = "./" if page.key == "home" else f"./{page.key}"
    others = ", ".join(NAMES[key] for key in term.see)
    tail = f"{WORDS.say('glossary', 'first')} [{page.label}]({address})"
    tail += f" · {WORDS.say('glossary', 'see')}: {others}" if others else ""
    meaning = inline_html(" ".join(term.meaning.split()))
    return f"<dt>{inline_html(term.name)}</dt><dd>{meaning}<small>{inline_html(tail)}</small></dd>"


def draw_glossary() -> None:
    """Every term, or those that a reader looks for."""
    asked = st.text_input(
        WORDS.say("glossary", "filter"), key=FILTER_NAME, bind="query-params", max_chars=40, width=400
    ).strip()
    terms = [term for term in load_glossary() if _matches(term, asked)]
    if not terms:
        st.info(WORDS.say("glossary", "none", asked=asked), icon=":material/search_off:")
        return
    found = note(WORDS.say("glossary", "found", found=len(terms), all=len(load_glossary())))
    # One element: each costs the server and the browser time.
    draw(found, f'<dl class="twc-terms">{"".join(f"<div>{_term_html(term)}</div>" for term in terms)}</dl>')


@cache
def _notation() -> tuple[str, str, str]:
    """What stands before the table of letters, the table, and what stands after it."""
    lines = load_notation().splitlines()
    inside = [place for place, line in enumerate(lines) if line.startswith("|")]
    head, *rows = markdown_rows(lines[inside[0] : inside[-1] + 1])
    table = linked_table(WORDS.say("notation", "caption"), head, rows, wide=(1,))
    return "\n".join(lines[: inside[0]]), table, "\n".join(lines[inside[-1] + 1 :])


def draw_notation() -> None:
    """The table of letters, and what stands around it."""
    before, table, after = _notation()
    st.markdown(before, width=READING_WIDTH)
    draw(table)
    st.markdown(after, width=READING_WIDTH)


def draw_sources() -> None:
    """Every link of the app, kind by kind, with its dates."""
    draw(_sources())


@cache
def _sources() -> str:
    tables = []
    for kind in KINDS:
        links = [link for link in load_links().values() if link.kind == kind]
        name = WORDS.say("kinds", kind)
        rows = [
            [link.markdown, link.date or WORDS.say("columns", "unknown"), link.read, link.note]
            for link in links
        ]
        tables.append(linked_table(name, _head("source", "date", "read", "use"), rows, wide=(3,)))
    return "".join(tables)


def draw_licences() -> None:
    """Whose the data are."""
    draw(_licences())


@cache
def _licences() -> str:
    told, gpu = real.meta(), load_provenance()
    facts = told["provenance"]
    say = WORDS.say
    heads = say(
        "licences", "heads_from", model=facts["model"], author=facts["author"], package=facts["package"]
    )
    note = say("licences", "heads_note", layers=len(told["heads"]), sentences=len(told["sentences"]))
    own = say("licences", "own")
    return linked_table(
        say("licences", "caption"),
        _head("data", "from", "licence"),
        [
            [f"{say('licences', 'heads')}. {note}", heads, facts["licence"]],
            [say("licences", "made_up"), say("licences", "made_up_from"), own],
            [say("licences", "gpu"), say("licences", "gpu_from", date=gpu.date, device=gpu.device), own],
            [say("licences", "figures"), say("licences", "figures_from"), say("licences", "figures_licence")],
            [say("licences", "text"), say("licences", "text_from"), own],
        ],
        wide=(1,),
    )
