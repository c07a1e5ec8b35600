"""The other static pages: the stage, one row, the formula, the check, the reference, and what is missing."""

import html
from collections.abc import Callable, Mapping
from typing import Any

from engine.memory import MAX_COUNT
from engine.precision import FORMATS
from lesson.evidence import load_provenance
from lesson.glossary import load_glossary
from lesson.inputs import real
from lesson.links import KINDS, load_links
from lesson.notation import load_notation
from lesson.outline import load_outline
from lesson.text import load_text
from lesson.words import load_words
from site_builder.address import ONLY_IN_APP
from site_builder.page import Document, data_element, mounted
from site_builder.prose import render, render_inline
from site_builder.rows import NAME as ROW
from site_builder.runs import DEFAULTS
from ui.quiz.payload import quiz_payload

Address = Callable[[str], str]

# The published lesson's example.
FIELDS: Mapping[str, int] = {"n_q": 4096, "n_k": 4096, "heads": 1, "batch": 1}
FORMAT = "float16"

__all__ = [
    "formula_page",
    "missing_page",
    "quiz_data",
    "quiz_page",
    "reference_page",
    "row_page",
    "stage_page",
]


def _menu(label: str, options: Mapping[str, str]) -> str:
    """The menu that `mountChosen` in `assets/site.js` fills the page by."""
    choices = "\n".join(
        f'<option value="{html.escape(value)}">{html.escape(text)}</option>'
        for value, text in options.items()
    )
    menu = f'<label for="runs">{html.escape(label)}</label> <select id="runs">{choices}</select>'
    return f'<p class="menu">{menu}</p>\n<p id="unknown" class="note" role="status"></p>'


def stage_page(files: Mapping[str, str], titles: Mapping[str, str]) -> Document:
    """Watch it run, with every run that was computed.

    Parameters
    ----------
    files, titles : mapping of str to str
        The file of each run and what it is, by the run's name.
    """
    page = load_outline().page("step_through")
    words = load_words("site").table("run")
    data = {"part": "stage", "defaults": dict(DEFAULTS), "files": files, "unknown": words["unknown"]}
    # Asking before a step is revealed belongs to the app's page of this name.
    data["extra"] = {"step": 0, "address": True, "ask": True}
    body = (
        _menu(words["label"], titles)
        + '\n<div data-chosen="data-runs"></div>\n'
        + data_element("data-runs", data)
    )
    return Document("step_through.html", page.title, page.summary, body, ("stage",))


def row_page(files: Mapping[str, str], labels: Mapping[str, str], default: str, address: Address) -> Document:
    """One row, with every row that was computed."""
    page = load_outline().page("online_softmax")
    words = load_words("site").table("run")
    data = {"part": "row", "name": ROW, "defaults": {ROW: default}, "files": files}
    data |= {"extra": {}, "unknown": words["unknown"]}
    pieces = []
    for part in load_text("softmax").parts:
        if isinstance(part, str):
            pieces.append(f'<div class="prose">{render(part, address)}</div>')
        elif part.name == "player":
            pieces.append(_menu(words["row"], labels))
            pieces.append('<div data-chosen="data-rows"></div>\n' + data_element("data-rows", data))
    return Document("online_softmax.html", page.title, page.summary, "\n".join(pieces), ("row",))


def quiz_data(address: Address) -> dict[str, Any]:
    """Return the comprehension check with its links turned into these files'."""
    data = quiz_payload(0)
    bank = [
        {
            **entry,
            "variants": [
                {
                    "question": variant["question"],
                    "key": {
                        **variant["key"],
                        "show": {**variant["key"]["show"], "href": address(variant["key"]["show"]["href"])},
                    },
                }
                for variant in entry["variants"]
            ],
        }
        for entry in data["bank"]
    ]
    beliefs = [{**each, "href": address(each["href"])} for each in data["beliefs"]]
    return {**data, "bank": bank, "beliefs": beliefs}


def quiz_page(address: Address) -> Document:
    """The comprehension check."""
    page = load_outline().page("quiz")
    body = mounted("quiz", "data-quiz", quiz_data(address))
    return Document("quiz.html", page.title, page.summary, body, ("quiz",))


def _field(name: str, label: str, value: int) -> str:
    box = f'<input id="field-{name}" name="{name}" value="{value}" inputmode="numeric" autocomplete="off">'
    return f'<p><label for="field-{name}">{html.escape(label)}</label>{box}</p>'


def formula_page(address: Address) -> Document:
    """The score-storage formula with the reader's numbers, under the name of the app's calculator."""
    words = load_words("site").table("formula")
    chosen = "".join(f"<option{' selected' if name == FORMAT else ''}>{name}</option>" for name in FORMATS)
    fields = [_field(name, words[name], value) for name, value in FIELDS.items()]
    menu = f'<p><label for="field-format">{html.escape(words["format"])}</label>'
    fields.insert(2, f'{menu}<select id="field-format" name="format">{chosen}</select></p>')
    data = {
        "fields": [{"name": name, "label": words[name], "most": MAX_COUNT} for name in FIELDS],
        "bytes": {name: format_.dtype.itemsize for name, format_ in FORMATS.items()},
        "words": {name: words[name] for name in ("all", "refused")},
    }
    text = "".join(
        f'<div class="prose">{render(part, address)}</div>'
        for part in load_text("calculator_storage").parts
        if isinstance(part, str)
    )
    body = f"""<form id="formula" class="fields">
{"".join(fields)}
</form>
<p class="result"><span>{html.escape(words["result"])}</span>
<output id="formula-result" form="formula"></output></p>
<p id="formula-says"></p>
<p id="formula-wrong" class="note" role="alert"></p>
{text}
{data_element("formula-data", data)}"""
    return Document(
        "calculator.html", words["title"], words["summary"], body, (), ("formula.js", "start-formula.js")
    )


def _glossary(address: Address) -> str:
    names = {term.key: term.name for term in load_glossary()}
    see = load_words("site").say("reference", "see")
    entries = []
    for term in load_glossary():
        others = ", ".join(f'<a href="#term-{key}">{html.escape(names[key])}</a>' for key in term.see)
        tail = f" <small>{html.escape(see)}: {others}</small>" if others else ""
        meaning = render_inline(term.meaning, address)
        entries.append(f'<dt id="term-{term.key}">{html.escape(term.name)}</dt><dd>{meaning}{tail}</dd>')
    return f"<dl>{''.join(entries)}</dl>"


def _notation(address: Address) -> str:
    # Wider than a phone, so it scrolls; by keyboard too, hence the tab stop and the name.
    caption = html.escape(load_words("reference").say("notation", "caption"))
    table = render(load_notation(), address)
    return f'<div class="prose wide" tabindex="0" role="region" aria-label="{caption}">{table}</div>'


def _sources(address: Address) -> str:
    words = load_words("reference")
    pieces = []
    for kind in KINDS:
        links = [link for link in load_links().values() if link.kind == kind]
        items = "".join(
            f"<li>{render_inline(link.markdown, address)}"
            f" {html.escape(link.date)}. {render_inline(link.note, address)}</li>"
            for link in links
        )
        pieces.append(f"<h3>{html.escape(words.say('kinds', kind))}</h3><ul>{items}</ul>")
    return "".join(pieces)


def _licences(address: Address) -> str:
    """Whose the data are: the rows of the app's own table."""
    words, told, gpu = load_words("reference"), real.meta(), load_provenance()
    facts = told["provenance"]

    def say(key: str, **values: object) -> str:
        return words.say("licences", key, **values)

    note = say("heads_note", layers=len(told["heads"]), sentences=len(told["sentences"]))
    heads = say("heads_from", model=facts["model"], author=facts["author"], package=facts["package"])
    rows = [
        (f"{say('heads')}. {note}", heads, facts["licence"]),
        (say("made_up"), say("made_up_from"), say("own")),
        (say("gpu"), say("gpu_from", date=gpu.date, device=gpu.device), say("own")),
        (say("figures"), say("figures_from"), say("figures_licence")),
        (say("text"), say("text_from"), say("own")),
    ]
    lines = "".join(
        f"<tr>{''.join(f'<td>{render_inline(cell, address)}</td>' for cell in row)}</tr>" for row in rows
    )
    head = "".join(
        f"<th>{html.escape(words.say('columns', name))}</th>" for name in ("data", "from", "licence")
    )
    caption = html.escape(say("caption"))
    table = f"<table><caption>{caption}</caption><tr>{head}</tr>{lines}</table>"
    return f'<div class="prose wide" tabindex="0" role="region" aria-label="{caption}">{table}</div>'


def reference_page(address: Address) -> Document:
    """Words, letters, sources and licences."""
    page = load_outline().page("reference")
    slots = {
        "glossary": _glossary,
        "notation": _notation,
        "sources": _sources,
        "licences": _licences,
    }
    pieces = []
    for part in load_text("reference").parts:
        if isinstance(part, str):
            pieces.append(f'<div class="prose">{render(part, address)}</div>')
        else:
            pieces.append(slots[part.name](address))
    return Document("reference.html", page.title, page.summary, "\n".join(pieces))


def missing_page() -> Document:
    """What a link leads to that only the app can follow."""
    words = load_words("site").table("missing")
    before, after = words["how"].split("{page}")
    body = f'<p>{html.escape(before)}<code id="missing-page"></code>{html.escape(after)}</p>'
    return Document(ONLY_IN_APP, words["title"], words["summary"], body, (), ("missing.js",))
