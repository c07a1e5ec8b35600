"""The lesson as a static page: every section with its text, its stage and what it ends in."""

import html
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from lesson.frames import place
from lesson.inputs import DEFAULT_KEY
from lesson.outline import Page, load_outline
from lesson.plan import Section, load_sections
from lesson.text import load_text
from lesson.values import section_values
from lesson.words import load_words
from site_builder.page import Document, mounted
from site_builder.prose import render
from site_builder.runs import resolve
from ui.lesson.component import act_data, contents_data
from ui.share import share_of

Address = Callable[[str], str]

__all__ = ["lesson_page"]


def stage_part() -> str:
    """The stage on the default run."""
    run = resolve({})
    step = place("score").step or 0
    data = {**run.payload(), "step": step, "address": True, "share": stage_share(run.title, DEFAULT_KEY)}
    return mounted("stage", "data-stage", data)


def stage_share(title: str, name: str) -> dict[str, Any]:
    """Return what file names and pictures need. Without path and code: a link is the page's own address."""
    full = share_of("", query={}, title=title, name=name)
    return {key: full[key] for key in ("title", "name")}


def act_part(section: Section, address: Address) -> str:
    """What a section ends in, less what only a server can do."""
    data = act_data(section)
    for each in data["places"]:
        each["href"] = address(each["href"])
    if data["run"]:
        data |= {"run": None, "do": load_words("site").say("lesson", "run_missing")}
    if not (data["places"] or data["predict"] or data["slider"]):
        return f'<p class="note">{html.escape(data["do"])}</p>'
    return mounted("act", f"data-act-{section.key}", data)


def onward(address: Address) -> str:
    """Every page of the app with its summary."""

    def entry(page: Page) -> str:
        link = f'<a href="{html.escape(address(Path(page.script).stem))}">{html.escape(page.label)}</a>'
        return f"<li>{link}: {html.escape(page.summary)}</li>"

    items = "\n".join(entry(page) for page in load_outline().pages if page.key != "home")
    return (
        f'<p>{html.escape(load_words("site").say("lesson", "next"))}</p>\n<ul class="onward">\n{items}\n</ul>'
    )


def section_part(section: Section, address: Address) -> str:
    """One section."""
    name = f"lesson_{section.key}"
    slots = {"next": lambda: onward(address)}
    level = 3 if section.part else 2
    pieces = [f"<h2>{html.escape(section.part)}</h2>"] if section.part else []
    pieces.append(f'<h{level} id="{section.key}">{html.escape(section.title)}</h{level}>')
    for part in load_text(name).filled(section_values(section.key, name)).parts:
        if isinstance(part, str):
            pieces.append(f'<div class="prose">{render(part, address)}</div>')
        else:
            pieces.append(slots[part.name]())
    pieces.append(act_part(section, address))
    body = "\n".join(pieces)
    return f'<section data-section="{section.key}">\n{body}\n</section>'


def lesson_page(address: Address) -> Document:
    """Return the page.

    Parameters
    ----------
    address : callable
        Turns an address of the app into one of these files.
    """
    page = load_outline().page("home")
    pieces = []
    for part in load_text("home").filled(section_values("home", "home")).parts:
        if isinstance(part, str):
            pieces.append(f'<div class="prose">{render(part, address)}</div>')
        elif part.name == "stage":
            pieces.append(stage_part())
        else:
            pieces.append(mounted("contents", "data-contents", contents_data()))
            pieces += [section_part(section, address) for section in load_sections()]
    return Document("index.html", page.title, page.summary, "\n".join(pieces), ("stage", "act", "contents"))


def linked_places() -> Sequence[str]:
    """Return every address of the app that the lesson's sections lead to."""
    return [place(name).href for section in load_sections() for name in section.places]
