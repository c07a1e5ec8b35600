"""Rows of scores computed beforehand for the one-row player."""

from collections.abc import Iterable, Mapping

from lesson.softmax_row import parse_row, row_text
from lesson.softmax_text import load_row_text
from ui.softmax.payload import Payload, encode_row

NAME = "row_x"

__all__ = ["NAME", "default_row", "distinct_rows", "payload_of"]


def default_row() -> str:
    """Return the row that is shown when an address names none."""
    return row_text(load_row_text()[1][0].row)


def distinct_rows(queries: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Return the rows that some addresses ask for as text, the presets first, with what each is called."""
    found = {row_text(preset.row): preset.label for preset in load_row_text()[1]}
    for query in queries:
        text = row_text(parse_row(query[NAME])) if NAME in query else default_row()
        found.setdefault(text, text)
    return found


def payload_of(text: str) -> Payload:
    """Return what the player needs for a row."""
    return encode_row(parse_row(text))
