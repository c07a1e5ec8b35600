"""The player and one run as a single HTML file that opens from disk, without network.

The very same modules and styles as in the app. Opened from `file:`, a page may not load modules, so they
become one classic script; the run is data beside it, which no browser executes.
"""

import base64
import hashlib
import html
import json
import re

from lesson.share_text import load_share_text
from ui.joiner import lean_styles
from ui.palette import css_variables
from ui.stage.component import FOLDER, STAGE_CSS, STAGE_JS
from ui.stage.payload import Payload

__all__ = ["standalone_html"]

_DEFAULT_EXPORT = re.compile(r"^export default (\w+);\s*\Z", re.MULTILINE)


def _page_css() -> str:
    """Return the page's own styles. The stage brings every colour; the page around it needs three of them."""
    rules = (FOLDER / "standalone.css").read_text(encoding="utf-8")
    colours = [line for line in css_variables().splitlines() if f"var({line.partition(':')[0]})" in rules]
    return ":root {\ncolor-scheme: light dark;\n" + "\n".join(colours) + "\n}\n" + rules


_PAGE_CSS = _page_css()


def _classic(module: str) -> str:
    """Turn the joined module into a script that mounts the stage on this page.

    Raises
    ------
    ValueError
        If the text does not end in its one default export, or would end its own script element.
    """
    found = _DEFAULT_EXPORT.search(module)
    if found is None:
        raise ValueError("the joined module does not end in a default export")
    body = module[: found.start()]
    if re.search(r"</script|<!--", body, re.IGNORECASE):
        raise ValueError("the joined module holds text that would end its script element")
    return f"""(() => {{
"use strict";
{body}
const host = document.getElementById("stage-host");
const parentElement = host.attachShadow({{ mode: "open" }});
parentElement.append(document.getElementById("stage-template").content);
{found[1]}({{ data: JSON.parse(document.getElementById("stage-data").textContent), parentElement }});
}})();
"""


def standalone_html(payload: Payload, *, title: str, name: str, version: str, step: int = 0) -> str:
    """Return one HTML document that plays a run.

    Parameters
    ----------
    payload : dict
        As `ui.stage.payload.encode` makes it.
    title : str
        What the run is; the heading and the name of the tab.
    name : str
        Goes into the names of files saved from it.
    version : str
        The program's version.
    step : int
        The step shown first (0-based), when the file's address names none.
    """
    words = load_share_text()["file"]
    data = {
        **payload,
        "step": step,
        "address": True,
        # No server: no QR codes. A link is the file's own address with step and row.
        "share": {"title": title, "name": name},
    }
    # Inside a script element only "<" could end it; JSON may write it as an escape.
    plain = json.dumps(data, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    text = plain.replace("<", "\\u003c")
    script = _classic(STAGE_JS)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
    shown = html.escape(title)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="Tilewise {html.escape(version)}">
<meta name="license" content="Apache-2.0">
<title>{shown} · Tilewise</title>
<link rel="icon" href="data:,">
<style>{lean_styles(_PAGE_CSS)}</style>
</head>
<body>
<main>
<h1>{shown}</h1>
<noscript><p>{html.escape(words["noscript"])}</p></noscript>
<div id="stage-host"></div>
<footer>{html.escape(words["about"].format(title=title, version=version))}</footer>
</main>
<template id="stage-template"><style>{STAGE_CSS}</style>
<div class="stage-host"></div></template>
<script type="application/json" id="stage-data">{text}</script>
<script>{script}</script>
</body>
</html>
"""
