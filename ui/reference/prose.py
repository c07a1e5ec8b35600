"""Paragraphs and lists of a document as HTML, for what stands in a sheet and not in the page's own text."""

import re

from ui.reference.table import inline_html

_GAP = re.compile(r"\n\s*\n")
_ITEM = "* "
# Blocks of Markdown that are neither a paragraph nor a plain list of one-line items.
_ODD_LINE = re.compile(r"^(?:\s|#|>|\||<|[*+-] |\d+[.)] |```|~~~|---|===|\$\$)", re.MULTILINE)
_CODE_OR_TAG = re.compile(r"<code>.*?</code>|<[^>]+>")
# What `inline_html` leaves of a mark that it does not know: emphasis, code, a link, a formula.
_ODD_SIGN = re.compile(r"[*`$]|\]\(|(?<!\w)_(?=\w)")

__all__ = ["prose_html"]


def prose_html(markdown: str) -> str:
    """Return paragraphs, and lists whose items begin with a star, as HTML.

    Raises
    ------
    ValueError
        If there is anything else; the message quotes the block.
    """
    return "".join(map(_block, _GAP.split(markdown.strip())))


def _block(block: str) -> str:
    lines = block.splitlines()
    listed = all(line.startswith(_ITEM) for line in lines)
    if listed:
        items = "".join(f"<li>{inline_html(line.removeprefix(_ITEM))}</li>" for line in lines)
        html = f"<ul>{items}</ul>"
    else:
        html = f"<p>{inline_html(' '.join(lines))}</p>"
    if (_ODD_LINE.search(block) and not listed) or _ODD_SIGN.search(_CODE_OR_TAG.sub("", html)):
        raise ValueError(f"this block is no plain paragraph or list: {block[:60]!r}")
    return html
