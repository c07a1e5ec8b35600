"""The frame of a static page: head with its policy, navigation, heading, footer."""

import html
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from lesson.links import load_links
from lesson.outline import load_outline
from lesson.words import load_words
from site_builder.prose import render_inline
from ui.downloads import VERSION
from ui.frame import NAME

POLICY = "; ".join(
    [
        "default-src 'none'",
        # A page from disk is its own origin only in some browsers, hence the scheme.
        "script-src 'self' file:",
        # The parts write their styles into the page.
        "style-src 'self' file: 'unsafe-inline'",
        "img-src 'self' file: data: blob:",
        "base-uri 'none'",
        "form-action 'none'",
    ]
)

__all__ = ["POLICY", "Document", "data_element", "mounted"]


def plain_json(value: Any) -> str:
    """Return JSON that may stand inside a script element: only "<" could end it."""
    text = json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def data_element(name: str, value: Any) -> str:
    """Return data for the page's scripts, which no browser executes."""
    return f'<script type="application/json" id="{name}">{plain_json(value)}</script>'


def mounted(part: str, name: str, value: Any) -> str:
    """Return the place of a part with its data. By the test id the lesson finds its stage, as in the app."""
    place = f'<div data-testid="stBidiComponentIsolated" data-part="{part}" data-from="{name}"></div>'
    return f"{place}\n{data_element(name, value)}"


@dataclass(frozen=True)
class Document:
    """One page.

    Attributes
    ----------
    file : str
        Its file's name.
    title, summary : str
        The heading and the sentence under it.
    body : str
        HTML.
    parts : sequence of str
        The parts that it mounts.
    scripts : sequence of str
        Further scripts, and what starts them.
    """

    file: str
    title: str
    summary: str
    body: str
    parts: Sequence[str] = ()
    scripts: Sequence[str] = field(default_factory=tuple)

    def html(self, pages: Sequence[tuple[str, str]]) -> str:
        """Return the whole document.

        Parameters
        ----------
        pages : sequence of (file, label)
            The navigation.
        """
        words = load_words("site").table("frame")
        here = {self.file: ' aria-current="page"'}
        links = "\n".join(
            f'<li><a href="{file}"{here.get(file, "")}>{html.escape(label)}</a></li>' for file, label in pages
        )
        names = ["site.js", *(f"parts/{part}.js" for part in self.parts), *self.scripts, "start.js"]
        scripts = "\n".join(f'<script src="{name}" defer></script>' for name in names)
        licences = load_links()["lesson_licences"]
        rights = render_inline(words["rights"].format(link=licences.markdown), str)
        home = load_outline().page("home").title
        tab = self.title if self.title == home else f"{self.title} · {home}"
        about = words["about"].format(name=NAME, version=VERSION)
        return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="{NAME} {html.escape(VERSION)}">
<meta name="license" content="Apache-2.0">
<title>{html.escape(tab)}</title>
<link rel="icon" href="favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="site.css">
{scripts}
</head>
<body>
<a class="skip" href="#main">{html.escape(words["skip"])}</a>
<nav class="pages" aria-label="{html.escape(words["nav"])}"><strong>{NAME}</strong><ul>
{links}
</ul></nav>
<main id="main" tabindex="-1">
<h1>{html.escape(self.title)}</h1>
<p class="summary">{html.escape(self.summary)}</p>
<noscript><p class="note">{html.escape(words["noscript"])}</p></noscript>
{self.body}
</main>
<footer><p>{html.escape(about)} {html.escape(words["licence"])} {rights}</p></footer>
</body>
</html>
"""
