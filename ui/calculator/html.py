"""Small pieces of HTML: cards, tables, bars. Text in, text out; everything given is escaped here."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

LONG_NAME = 16
"""Letters above which a row's name breaks on a narrow screen."""

__all__ = [
    "LONG_NAME",
    "Card",
    "Segment",
    "bars",
    "cards",
    "folded",
    "framed",
    "heading",
    "note",
    "pair",
    "statements",
    "table",
    "told_cell",
]


def heading(text: str, level: int = 2) -> str:
    """Return a heading."""
    return f"<h{level}>{escape(text)}</h{level}>"


def note(text: str, kind: str = "note") -> str:
    """Return a paragraph: a quiet `"note"`, a `"formula"`, or plain `"text"`."""
    name = "" if kind == "text" else f' class="twc-{kind}"'
    return f"<p{name}>{escape(text)}</p>"


@dataclass(frozen=True)
class Card:
    """One result: what it is, its value, a line below, and whether it is good news ("good", "bad", "")."""

    label: str
    value: str
    sub: str = ""
    mood: str = ""


def cards(items: Iterable[Card]) -> str:
    """Return results side by side."""
    return (
        '<div class="twc-cards">'
        + "".join(
            f'<div class="twc-card {card.mood}"><div class="twc-label">{escape(card.label)}</div>'
            f'<div class="twc-value">{escape(card.value)}</div>'
            f'<div class="twc-sub">{escape(card.sub)}</div></div>'
            for card in items
        )
        + "</div>"
    )


def statements(items: Iterable[tuple[str, str]]) -> str:
    """Return sentences about the reader's numbers, each with "good", "bad", "same" or ""."""
    rows = "".join(f'<li class="{mood}">{escape(text)}</li>' for mood, text in items)
    return f'<ul class="twc-say">{rows}</ul>'


def table(
    caption: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    words: Sequence[int] = (0,),
    marked: Sequence[int] = (),
) -> str:
    """Return a table that scrolls by itself on a small screen.

    Parameters
    ----------
    caption : str
        Names the table, also for a screen reader.
    columns : sequence of str
    rows : sequence of sequences of str
        The first cell of each names its row.
    words : sequence of int
        Columns of text, set to the left.
    marked : sequence of int
        Rows that are the reader's own, or totals.
    """
    left, told = set(words), set(words) - {0}
    head = ""
    for at, name in enumerate(columns):
        kind = " class=w" if at in told else " class=l" if at in left else ""
        head += f'<th scope="col"{kind}>{escape(name)}</th>'
    body = []
    for number, row in enumerate(rows):
        names = [*(["l"] if 0 in left else []), *(["long"] if len(row[0]) > LONG_NAME else [])]
        cells = [f'<th scope="row" class="{" ".join(names)}">{escape(row[0])}</th>']
        cells += [
            told_cell(columns[at], escape(cell)) if at in told else f"<td>{escape(cell)}</td>"
            for at, cell in enumerate(row[1:], start=1)
        ]
        body.append(f"<tr{' class=you' if number in marked else ''}>{''.join(cells)}</tr>")
    return framed(caption, head, "".join(body), len(columns) - len(told) if told else 0)


def told_cell(column: str, cell: str) -> str:
    """Return a cell of words; a narrow screen shows it below its row, after its column's name."""
    return f'<td class=w data-head="{escape(column)}">{cell}</td>'


def framed(caption: str, head: str, body: str, beside: int) -> str:
    """Return a table in a box that scrolls by itself.

    Parameters
    ----------
    caption : str
    head, body : str
        HTML of its rows: the head's cells, and the others' rows.
    beside : int
        How many columns stay side by side where others, of words, go below their row; 0 if there are none.
    """
    kind = f'class="twc-scroll told" style="--columns:{beside}"' if beside else 'class="twc-scroll"'
    # A region that scrolls has to be reachable by keyboard.
    return (
        f'<div {kind} tabindex="0" role="region" aria-label="{escape(caption)}"><table>'
        f"<caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>"
    )


def folded(summary: str, *pieces: str) -> str:
    """Return pieces that a reader opens. Only for what never changes: a changed element is closed again."""
    return f"<details><summary>{escape(summary)}</summary>{''.join(pieces)}</details>"


def pair(*pieces: str) -> str:
    """Return pieces side by side where the screen is wide enough."""
    return '<div class="twc-pair">' + "".join(f"<div>{piece}</div>" for piece in pieces) + "</div>"


@dataclass(frozen=True)
class Segment:
    """A part of a bar: its tensor (which gives the colour), its words and its size."""

    tensor: str
    label: str
    size: int
    striped: bool = False


def bars(
    rows: Sequence[tuple[str, str, Sequence[Segment]]], alt: str, *, whole: int = 0, mark: int = 0
) -> str:
    """Return bars on one scale.

    Parameters
    ----------
    rows : sequence of (name, text below the name, segments)
    alt : str
        What the picture says, for who does not see it.
    whole : int
        Size of the full width; 0 takes the longest bar.
    mark : int
        Where a line stands in every bar, 0 for none.
    """
    full = max([whole, 1, *(sum(each.size for each in parts) for _, _, parts in rows)])
    drawn = []
    for name, below, parts in rows:
        pieces = []
        for each in parts:
            share = 100 * each.size / full
            # Thinner than this no letter fits, and the table beside has it anyway.
            text = escape(each.label) if share > 1.2 * len(each.label) + 1 else ""
            shade = "--tw-" + each.tensor.replace("_", "-")
            pieces.append(
                f'<div class="twc-seg{" striped" if each.striped else ""}" '
                f'title="{escape(each.label)}: {each.size:,}" style="width:{share:.3f}%;'
                f'background-color:var({shade});color:var({shade}-on)">{text}</div>'
            )
        line = f'<div class="twc-mark" style="left:{100 * mark / full:.3f}%"></div>' if mark else ""
        drawn.append(
            f'<div class="n">{escape(name)}<small>{escape(below)}</small></div>'
            f'<div class="twc-track">{"".join(pieces)}{line}</div>'
        )
    return f'<div class="twc-bars" role="img" aria-label="{escape(alt)}">{"".join(drawn)}</div>'
