"""Glossary, notation, sources and licences as sheets."""

from functools import cache
from html import escape

from lesson.evidence import load_provenance
from lesson.glossary import Term, load_glossary
from lesson.inputs import real
from lesson.links import KINDS, load_links
from lesson.notation import load_notation
from lesson.outline import load_outline
from lesson.words import load_words
from ui.calculator.sheet import Sheet, icon, kept_sheet
from ui.reference.prose import prose_html
from ui.reference.table import inline_html, linked_table, markdown_rows

WORDS = load_words("reference")
NAMES = {term.key: term.name for term in load_glossary()}

__all__ = ["WORDS", "glossary", "licences", "notation", "sources"]


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


@kept_sheet
def glossary(sheet: Sheet, asked: str) -> None:
    """Every term, or those that a reader looks for."""
    terms = [term for term in load_glossary() if _matches(term, asked)]
    if not terms:
        said = escape(WORDS.say("glossary", "none", asked=asked))
        sheet.add(f'<p class="reference-none" role="status">{icon("search_off")}<span>{said}</span></p>')
        return
    said = escape(WORDS.say("glossary", "found", found=len(terms), all=len(load_glossary())))
    entries = "".join(f"<div>{_term_html(term)}</div>" for term in terms)
    sheet.add(f'<p class="twc-note" role="status">{said}</p>', f'<dl class="twc-terms">{entries}</dl>')


def _prose(lines: list[str]) -> str:
    text = "\n".join(lines)
    return f'<div class="reference-prose">{prose_html(text)}</div>'


@kept_sheet
def notation(sheet: Sheet) -> None:
    """The table of letters, and what stands before and after it."""
    lines = load_notation().splitlines()
    inside = [place for place, line in enumerate(lines) if line.startswith("|")]
    first, last = inside[0], inside[-1]
    head, *rows = markdown_rows(lines[first : last + 1])
    sheet.add(_prose(lines[:first]))
    sheet.add(linked_table(WORDS.say("notation", "caption"), head, rows, wide=(1,)))
    sheet.add(_prose(lines[last + 1 :]))


@kept_sheet
def sources(sheet: Sheet) -> None:
    """Every link of the app, kind by kind, with its dates."""
    for kind in KINDS:
        links = [link for link in load_links().values() if link.kind == kind]
        name = WORDS.say("kinds", kind)
        rows = [
            [link.markdown, link.date or WORDS.say("columns", "unknown"), link.read, link.note]
            for link in links
        ]
        sheet.add(linked_table(name, _head("source", "date", "read", "use"), rows, wide=(3,)))


@kept_sheet
def licences(sheet: Sheet) -> None:
    """Whose the data are."""
    told, gpu = real.meta(), load_provenance()
    facts = told["provenance"]
    say = WORDS.say
    heads = say(
        "licences", "heads_from", model=facts["model"], author=facts["author"], package=facts["package"]
    )
    note = say("licences", "heads_note", layers=len(told["heads"]), sentences=len(told["sentences"]))
    own = say("licences", "own")
    table = linked_table(
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
    sheet.add(table)
