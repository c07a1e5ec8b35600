"""The bar above a run as a Streamlit component: all that is chosen there is one element of the page."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from lesson.stage_breakit_text import load_breakit_text
from lesson.stage_text import load_stage_text
from ui.fields.component import Field, Row, drawn
from ui.joiner import join_modules
from ui.modules import Left, component

FOLDER = Path(__file__).parent
_FIELDS_CSS = (FOLDER.parent / "fields" / "fields.css").read_text(encoding="utf-8")

# Not in a shadow root: the heading is the page's, and who looks for it does not look into one. So the fields'
# styles are nested into the bar.
_mount = component(
    "run_bar",
    host="run-bar",
    script=join_modules(FOLDER, "run_bar.js"),
    css=f".run-bar {{\n{_FIELDS_CSS}}}\n" + (FOLDER / "run_bar.css").read_text(encoding="utf-8"),
    isolated=False,
)

__all__ = ["draw_run_bar"]


def _mistake(field: Field) -> dict[str, Any]:
    text = load_breakit_text()
    lines = text["lines"]
    return {
        "name": field.name,
        "label": field.label,
        "note": text["page"]["choose_help"],
        "none": text["page"]["forward_only"],
        "options": [[key, word, lines[key]] for key, word in zip(field.options, field.words, strict=True)],
    }


@cache
def _left(
    title: str, rows: tuple[Row, ...], mistake: Field, prefix: str, defaults: tuple[tuple[str, str], ...]
) -> Left:
    change, broken = load_stage_text()["page"]["settings"], load_breakit_text()["page"]["menu"]
    return Left(
        "run_bar",
        {
            "title": title,
            "prefix": prefix,
            "set": " ".join(field.name for _, fields in rows for field in fields),
            "rows": drawn(rows),
            "defaults": dict(defaults),
            "mistake": _mistake(mistake),
            "menus": {
                "change": {"name": "change", "label": change, "icon": "tune", "width": 702},
                "break": {"name": "break", "label": broken, "icon": "bug_report", "width": 440},
            },
        },
    )


def draw_run_bar(
    key: str,
    title: str,
    about: str,
    source: str,
    *,
    rows: Sequence[Row],
    mistake: Field,
    breakable: bool,
    prefix: str,
    values: Mapping[str, str],
    defaults: Mapping[str, str],
) -> None:
    """Draw the bar. What is chosen there is read with `ui.fields.component.held_values`.

    Parameters
    ----------
    key : str
        The element's key on the page.
    title : str
        The page's heading.
    about, source : str
        What runs and what to look for, and where its numbers come from.
    rows : sequence of Row
        The fields that change the run.
    mistake : Field
        Its options are the right algorithm and the wrong ones.
    breakable : bool
        Whether this run can be broken at all.
    prefix : str
        Of all names in the address.
    values, defaults : mapping of str to str
        Every value of the page by its name, also of fields that are not drawn.
    """
    left = _left(title, tuple(rows), mistake, prefix, tuple(defaults.items()))
    data = {"values": dict(values), "about": about, "source": source, "breakable": breakable}
    _mount(key=key, data={**left.given(), **data}, keeps="values")
