"""The lesson's Markdown as HTML: tables, formulas as MathML, small print, and links that lead to files."""

import html
import re
from collections.abc import Callable

from latex2mathml.converter import convert
from markdown_it import MarkdownIt

_MATH = re.compile(r"\$\$(?P<block>.+?)\$\$|\$(?P<inline>[^$\n]+?)\$", re.DOTALL)
_UPRIGHT = re.compile(r'(?:<mi mathvariant="normal">[^<]</mi>){2,}')
_SMALL = re.compile(r":small\[")
_HREF = re.compile(r'(?<=<a href=")[^"]*(?=")')
# Private characters hold the place of what Markdown must not touch.
_OPEN, _CLOSE, _HELD = "\ue000", "\ue001", "\ue002"

_markdown = MarkdownIt("commonmark", {"html": False}).enable("table")

__all__ = ["mathml", "render", "render_inline"]


def mathml(tex: str, display: str = "inline") -> str:
    """Return a formula as MathML, with a name of several letters as one word."""

    def join(found: re.Match[str]) -> str:
        return f"<mi>{re.sub('<[^>]*>', '', found.group())}</mi>"

    return _UPRIGHT.sub(join, convert(tex.strip(), display=display))


def _mark_small(text: str) -> str:
    """Replace `:small[…]`, whose text may hold links in brackets, by private marks."""
    while found := _SMALL.search(text):
        depth, at = 1, found.end()
        while depth:
            if at == len(text):
                raise ValueError(f"':small[' is never closed: {text[found.start() :][:60]!r}")
            depth += {"[": 1, "]": -1}.get(text[at], 0)
            at += 1
        text = f"{text[: found.start()]}{_OPEN}{text[found.end() : at - 1]}{_CLOSE}{text[at:]}"
    return text


def _render(text: str, address: Callable[[str], str], convert_text: Callable[[str], str]) -> str:
    formulas: list[str] = []

    def hold(found: re.Match[str]) -> str:
        tex, display = (found["block"], "block") if found["block"] else (found["inline"], "inline")
        formulas.append(mathml(tex, display))
        return f"{_HELD}{len(formulas) - 1}{_HELD}"

    made = convert_text(_mark_small(_MATH.sub(hold, text)))
    made = made.replace(_OPEN, "<small>").replace(_CLOSE, "</small>")
    made = re.sub(f"{_HELD}(\\d+){_HELD}", lambda found: formulas[int(found[1])], made)
    return _HREF.sub(lambda found: html.escape(address(html.unescape(found.group()))), made)


def render(text: str, address: Callable[[str], str]) -> str:
    """Return Markdown as HTML.

    Parameters
    ----------
    text : str
        Markdown as the app's pages have it. Any HTML in it stays text.
    address : callable
        Turns the address of a link of the app into one of these files.
    """
    return _render(text, address, _markdown.render)


def render_inline(text: str, address: Callable[[str], str]) -> str:
    """Return one line of Markdown as HTML, without a paragraph around it."""
    return _render(text, address, _markdown.renderInline)
