"""The quiz on paper: a worksheet, and its key in a document of its own. HTML, ready to print."""

from collections.abc import Collection, Iterable
from html import escape

from lesson.quiz.bank import MOST_SEED, bank, make
from lesson.quiz.question import Question
from lesson.words import load_words

MOST_SHEETS = 60

_STYLE = """
body { margin: 2rem auto; max-width: 46rem; padding: 0 1rem; color: #111; }
body { font: 11pt/1.45 system-ui, sans-serif; }
header { display: flex; justify-content: space-between; gap: 1rem; border-bottom: 1px solid #111; }
h1 { font-size: 15pt; margin: 0; }
section + section { break-before: page; margin-top: 3rem; }
article { break-inside: avoid; margin: 1.1rem 0; }
h2 { font-size: 11pt; margin: 0 0 .2rem; }
p { margin: .2rem 0; }
ol.options { list-style: none; margin: .3rem 0; padding: 0; }
ol.options li { display: grid; grid-template-columns: 1.2rem 1.5rem 1fr; align-items: start; }
.box { width: .75rem; height: .75rem; border: 1px solid #111; margin-top: .28rem; }
.code { font-family: ui-monospace, monospace; font-size: 9.5pt; white-space: pre-wrap; }
.line { display: inline-block; min-width: 9rem; border-bottom: 1px solid #111; }
table { border-collapse: collapse; margin: .3rem 0; }
th, td { border: 1px solid #777; padding: .1rem .6rem; text-align: right; }
caption { text-align: left; font-size: 9.5pt; }
.note { font-size: 9.5pt; color: #444; }
@media print { body { margin: 0; max-width: none; } .how { display: none; } }
"""

__all__ = ["MOST_SHEETS", "sheet_seeds", "worksheet_html", "worksheet_key_html"]


def sheet_seeds(seed: int, sheets: int) -> tuple[int, ...]:
    """Return the code of each sheet: the first is the seed itself.

    Raises
    ------
    ValueError
        If a number is out of its limits; the message holds both.
    """
    if not 1 <= sheets <= MOST_SHEETS:
        raise ValueError(f"sheets is {sheets}; it can be 1 to {MOST_SHEETS}")
    if not 0 <= seed <= MOST_SEED:
        raise ValueError(f"seed is {seed}; it can be 0 to {MOST_SEED}")
    return tuple((seed + at) % (MOST_SEED + 1) for at in range(sheets))


def worksheet_html(seed: int, sheets: int = 1, topics: Collection[str] | None = None) -> str:
    """Return the worksheet: the questions and room to answer, without a single key.

    Parameters
    ----------
    seed : int
        The first sheet's code.
    sheets : int
        One for a class that shares its numbers, or one for each learner.
    topics : collection of str or None
        Which topics; None is all of them.

    Raises
    ------
    ValueError
        As `sheet_seeds`, or if no question is left.
    """
    return _document("worksheet", seed, sheets, topics)


def worksheet_key_html(seed: int, sheets: int = 1, topics: Collection[str] | None = None) -> str:
    """Return the key of `worksheet_html` with the same parameters: answers and reasons, sheet by sheet."""
    return _document("key", seed, sheets, topics)


def _document(what: str, seed: int, sheets: int, topics: Collection[str] | None) -> str:
    words = load_words("quiz_player")
    ids = [entry.id for entry in bank() if topics is None or entry.topic in topics]
    if not ids:
        raise ValueError(f"topics is {sorted(topics or ())}; no question has one of these")
    title = f"{words.say('sheet', 'title')}: {words.say('sheet', what)}"
    body = []
    for code in sheet_seeds(seed, sheets):
        drawn = _questions((make(each, code) for each in ids), key=what == "key")
        name = "" if what == "key" else f'{escape(words.say("sheet", "name"))} <span class="line"></span>'
        head = f"<h1>{escape(title)}</h1><span>{escape(words.say('sheet', 'sheet', code=code))}</span>"
        body.append(f"<section><header>{head}</header><p>{name}</p>{drawn}</section>")
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style></head><body>"
        f'<p class="note how">{escape(words.say("sheet", "how"))}</p>{"".join(body)}</body></html>\n'
    )


def _questions(questions: Iterable[Question], *, key: bool) -> str:
    draw = _key if key else _question
    return "".join(
        f"<article><h2>{number}. {escape(each.title)}</h2>{draw(each)}</article>"
        for number, each in enumerate(questions, start=1)
    )


def _question(question: Question) -> str:
    words = load_words("quiz_player")
    parts = [f"<p>{escape(question.prompt)}</p>"]
    if question.code:
        parts.append(f'<p class="note">{escape(question.code)}</p>')
    if question.table is not None:
        head = "".join(f"<th>{escape(text)}</th>" for text in question.table.columns)
        rows = "".join(
            f"<tr>{''.join(f'<td>{escape(text)}</td>' for text in row)}</tr>" for row in question.table.rows
        )
        caption = escape(question.table.caption)
        parts.append(f"<table><caption>{caption}</caption><tr>{head}</tr>{rows}</table>")
    if question.number is not None:
        parts.append(
            f'<p>{escape(words.say("sheet", "answer"))}: <span class="line"></span> '
            f'{escape(question.number.unit)}</p><p class="note">{escape(question.number.counts)}</p>'
        )
        return "".join(parts)
    items = []
    for place, option in enumerate(question.options, start=1):
        line = question.kind == "line"
        sign = str(place) if line else option.id
        text = f'<span class="code">{escape(option.text)}</span>' if line else escape(option.text)
        items.append(f'<li><span class="box"></span><b>{sign}</b><span>{text}</span></li>')
    parts.append(f'<ol class="options">{"".join(items)}</ol>')
    if question.kind == "order":
        parts.append(f'<p>{escape(words.say("sheet", "order_answer"))}: <span class="line"></span></p>')
    return "".join(parts)


def _key(question: Question) -> str:
    """The letters, the answer in words, and why."""
    letters = question.order if question.kind == "order" else question.right_ids
    shown = f"{', '.join(letters)}: " if letters and question.kind != "line" else ""
    return f'<p><b>{escape(shown + question.right_text())}</b></p><p class="note">{escape(question.why)}</p>'
