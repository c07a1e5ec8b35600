"""A table whose cells hold links and code, and that scrolls by itself on a small screen.

Streamlit's own Markdown tables push a phone's page sideways; the calculator's tables hold plain words only.
Both share the style of `ui.calculator.html`.
"""

import re
from collections.abc import Collection, Sequence
from html import escape

from ui.calculator.html import LONG_NAME, framed, told_cell

_CODE = re.compile(r"`([^`]+)`")
_LINK = re.compile(r"\[([^\]]+)\]\((https://[^\s()]+)\)")
_PAGE = re.compile(r"\[([^\]]+)\]\((\./[^\s()]*)\)")
_STRONG = re.compile(r"\*\*([^*]+)\*\*")

__all__ = ["inline_html", "linked_table", "markdown_rows"]


def inline_html(text: str) -> str:
    """Return one line of Markdown as HTML: code, bold and links; everything else is escaped."""
    html = escape(text, quote=False)
    html = _LINK.sub(r'<a href="\2" target="_blank" rel="noopener">\1</a>', html)
    html = _PAGE.sub(r'<a href="\2">\1</a>', html)
    return _STRONG.sub(r"<strong>\1</strong>", _CODE.sub(r"<code>\1</code>", html))


def markdown_rows(lines: Sequence[str]) -> list[list[str]]:
    """Return the cells of a Markdown table's lines, head first, without the line of dashes.

    Raises
    ------
    ValueError
        If a line has another number of cells than the head.
    """
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    rows = [row for row in rows if not all(set(cell) <= {"-", ":"} for cell in row)]
    for row in rows:
        if len(row) != len(rows[0]):
            raise ValueError(f"the table's head has {len(rows[0])} cells but a row has {len(row)}: {row}")
    return rows


def linked_table(
    caption: str, head: Sequence[str], rows: Sequence[Sequence[str]], *, wide: Collection[int] = ()
) -> str:
    """Return a table of one-line Markdown cells as HTML.

    Parameters
    ----------
    caption : str
        What the table holds; also its accessible name.
    head : sequence of str
    rows : sequence of sequences of str
        The first cell of each names its row.
    wide : collection of int
        Columns of whole sentences, which are not squeezed.
    """
    top = "".join(
        f'<th scope="col" class="{"w" if place in wide else "l"}">{inline_html(name)}</th>'
        for place, name in enumerate(head)
    )
    body = ""
    for row in rows:
        first, *others = (inline_html(cell) for cell in row)
        cells = "".join(
            told_cell(head[place], cell)
            if place in wide
            else f'<td class="l{" long" if len(row[place]) > LONG_NAME else ""}">{cell}</td>'
            for place, cell in enumerate(others, start=1)
        )
        body += f'<tr><th scope="row" class="l long title">{first}</th>{cells}</tr>'
    return framed(caption, top, body, len(head) - len(wide) if wide else 0)
