"""A page of prose, controls and what follows from them, as two elements: one text and one part.

Each element of a page costs the server a tenth of a bare page's run. The part puts what it holds between
the blocks of the text, and moves none of them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property, lru_cache
from html import escape
from pathlib import Path

import streamlit as st

from lesson.text import load_text
from ui.address import report_unknown_choice, report_unknown_names
from ui.calculator.sheet import SHEET_CSS, Sheet, icon
from ui.column.prose import Prose, prose_of
from ui.content import READING_WIDTH
from ui.fields.component import Field, held_values
from ui.joiner import join_modules
from ui.modules import Left, component
from ui.palette import css_variables

FOLDER = Path(__file__).parent
MOST_KEPT = 64
"""Pages that are kept as a whole, by what was chosen on them."""

_OWN_CSS = "\n".join(
    path.read_text(encoding="utf-8")
    for path in (FOLDER.parent / "fields" / "fields.css", FOLDER / "column.css")
)
_mount = component(
    "column",
    host="column-host",
    script=join_modules(FOLDER, "column.js"),
    css=f":host {{\n{css_variables()}\n}}\n{SHEET_CSS}\n{_OWN_CSS}",
)

__all__ = ["Column", "refusal"]


def refusal(messages: Sequence[str], advice: str) -> Sheet:
    """Return what stands in a slot instead of its sheet: why there is none, and what to do."""
    sheet = Sheet()
    said = "".join(f"<p>{escape(message)}</p>" for message in messages)
    sheet.add(
        f'<div class="column-refusal" role="alert">{icon("error")}'
        f'<div>{said}<p class="advice">{escape(advice)}</p></div></div>'
    )
    return sheet


@dataclass(frozen=True, eq=False)
class Column:
    """A page's column.

    Attributes
    ----------
    text : str
        The prose: `content/<language>/<text>.md`.
    values : callable
        Returns the values of its sentences. Called once.
    prefix : str
        Of the controls' names in the address.
    fields : mapping of str to tuple of Field
        The controls by the slots in which they stand.
    fill : callable
        Takes every control's value by its name, and returns the sheets by their slots. A slot that it leaves
        out stays empty.
    defaults : mapping of str to str
        Where controls begin, unless a menu begins at its first option.
    css : str
        Styles of this page's sheets.
    """

    text: str
    values: Callable[[], dict[str, str]]
    prefix: str
    fields: Mapping[str, tuple[Field, ...]]
    fill: Callable[[Mapping[str, str]], Mapping[str, Sheet]]
    defaults: Mapping[str, str] = field(default_factory=dict)
    css: str = ""

    @cached_property
    def prose(self) -> Prose:
        """The text with its places.

        Raises
        ------
        ValueError
            If controls stand in a slot that the text does not have.
        """
        prose = prose_of(load_text(self.text).filled(self.values()))
        if not set(self.fields) <= set(prose.places):
            raise ValueError(
                f"{self.text}.md has the slots {list(prose.places)} but not all of {list(self.fields)}"
            )
        return prose

    @cached_property
    def by_name(self) -> dict[str, Field]:
        """Every control by its name."""
        return {each.name: each for row in self.fields.values() for each in row}

    @cached_property
    def usual(self) -> dict[str, str]:
        """Every control's name with its default."""
        return {
            name: self.defaults[name] if name in self.defaults else each.options[0]
            for name, each in self.by_name.items()
        }

    def held(self, key: str) -> dict[str, str]:
        """Return what every control says now.

        A choice may be named by its words, and one that there is not is its default. A text is cut where its
        field ends.
        """
        held = held_values(key, self.prefix, self.usual)
        for name, each in self.by_name.items():
            if each.kind == "text":
                held[name] = held[name][: each.longest]
            else:
                held[name] = each.option(held[name]) or self.usual[name]
        return held

    def check_address(self) -> None:
        """Say what the address asks for and the page does not have."""
        report_unknown_names(self.prefix, {self.prefix + name for name in self.by_name})
        query = st.query_params.to_dict()
        for name, each in self.by_name.items():
            asked = query.get(self.prefix + name)
            if each.kind != "text" and asked is not None and each.option(asked) is None:
                report_unknown_choice(self.prefix + name, each.options, self.usual[name])

    @cached_property
    def composed(self) -> Callable[[tuple[tuple[str, str], ...]], Left]:
        """Makes what the browser fetches, from every control's name and value."""

        @lru_cache(maxsize=MOST_KEPT)
        def compose(settings: tuple[tuple[str, str], ...]) -> Left:
            filled = self.fill(dict(settings))
            odd = set(filled) - set(self.prose.places)
            if odd:
                raise ValueError(
                    f"{self.text}.md has the slots {list(self.prose.places)} but not {sorted(odd)}"
                )
            data = {
                "text": self.text,
                "width": READING_WIDTH,
                "blocks": self.prose.blocks,
                "css": self.css,
                "prefix": self.prefix,
                "defaults": self.usual,
                "slots": [
                    {
                        "name": name,
                        "above": above,
                        "fields": [asdict(each) for each in self.fields.get(name, ())],
                        **(filled[name] if name in filled else Sheet()).data(),
                    }
                    for name, above in self.prose.places.items()
                ],
            }
            return Left("column", data)

        return compose

    def warm(self) -> None:
        """Compose what a first visitor sees, so that nobody waits for it."""
        self.composed(tuple(self.usual.items()))

    def show(self) -> None:
        """Draw the page between its heading and its foot."""
        self.check_address()
        st.markdown(self.prose.markdown)
        _show_part(self)


# A fragment: what is chosen changes the part alone, not the page around it.
@st.fragment
def _show_part(column: Column) -> None:
    key = f"{column.prefix}column"
    held = column.held(key)
    left = column.composed(tuple(held.items()))
    _mount(key=key, data={**left.given(), "values": held}, keeps="values")
