"""The phones' page as text: one HTML document and one script, with nothing from elsewhere.

The modules stay real files; they are joined with the question view that the quiz page uses too.
"""

import json
import re
from html import escape
from pathlib import Path

from lesson.words import load_words
from ui.joiner import join_modules
from ui.palette import css_variables
from ui.quiz.view import VIEW_CSS

__all__ = ["phone_html", "phone_script"]

FOLDER = Path(__file__).parent
# What stands beside an option after the reveal, in the words of the quiz page.
MARKS = ("mark_right", "mark_wrong", "mark_missed")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_LINE_START = re.compile(r"^[ \t]+", re.MULTILINE)
_FUNCTION = re.compile(r"^function (\w+)\(.*?^}\n", re.MULTILINE | re.DOTALL)


def _styles() -> str:
    """The page's styles with the colours that they use: every byte goes to a whole hall at once."""
    rules = _COMMENT.sub("", VIEW_CSS + (FOLDER / "phone.css").read_text(encoding="utf-8"))
    used = set(re.findall(r"var\((--tw-[\w-]+)", rules))
    colours = [line for line in css_variables().splitlines() if line.split(":")[0] in used]
    text = f":root{{{' '.join(colours)}}}\n{rules}"
    text = re.sub(r"\s*([{};,])\s*", r"\1", text.replace(": ", ":"))
    return text.replace(";}", "}").replace("}", "}\n").strip()


def _needed(code: str) -> str:
    """Return joined modules without the functions that nothing calls: a shared module brings some along."""
    while True:
        unused = [
            found.group(0)
            for found in _FUNCTION.finditer(code)
            if len(re.findall(rf"\b{found.group(1)}\b", code)) == 1
        ]
        if not unused:
            return code
        for text in unused:
            code = code.replace(text, "")


def phone_script(base: str, *, alphabet: str, length: int, days: int) -> str:
    """Return the page's script.

    Parameters
    ----------
    base : str
        The path of the rooms: the app's own path with the name of the route.
    alphabet : str
        The signs of a room code.
    length : int
        How many signs a room code has.
    days : int
        How long a room is kept.
    """
    player = load_words("quiz_player")
    words = dict(load_words("classroom").table("phone"))
    words["privacy"] = words["privacy"].format(days=days)
    data = {
        "base": base,
        "words": words,
        "viewWords": dict(player.table("answer")) | {mark: player.table("verdict")[mark] for mark in MARKS},
        "alphabet": alphabet,
        "length": length,
    }
    # Comments and indentation are for who reads the files. No text of ours holds what looks like a comment.
    code = _needed(_COMMENT.sub("", join_modules(FOLDER, "phone.js")))
    code = re.sub(r"^\s*//.*$", "", code, flags=re.MULTILINE)
    code = re.sub(r"\n+", "\n", _LINE_START.sub("", code))
    given = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    start = f"startPhone(document.getElementById('room'),{given});"
    return f"{code.strip()}\n{start}\n"


def phone_html() -> str:
    """Return the page, with `SCRIPT_URL` where its script's address belongs."""
    words = load_words("classroom").table("phone")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(words["title"])} · Tilewise</title>
<link rel="icon" href="data:,">
<style>
{_styles()}
</style>
<script type="module" src="SCRIPT_URL"></script>
</head>
<body>
<div id="room"><noscript><p>{escape(words["noscript"])}</p></noscript></div>
</body>
</html>
"""
