"""The end of a part: its numbers as CSV, and a link that holds every setting."""

import csv
import io
from collections.abc import Mapping, Sequence
from html import escape
from urllib.parse import urlencode

from ui.calculator.controls import PREFIX, defaults
from ui.calculator.sheet import Sheet
from ui.calculator.words import words
from ui.share import base_path

__all__ = ["csv_text", "link_of", "take_away"]

Rows = Sequence[Sequence[object]]


def csv_text(columns: Sequence[str], rows: Rows) -> str:
    """Return rows as CSV. Counts are written without separators, so that a spreadsheet reads numbers."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue()


def link_of(held: Mapping[str, str]) -> str:
    """Return the address that holds every setting, also those of the parts that are not on screen."""
    usual = defaults()
    query = urlencode({PREFIX + name: value for name, value in held.items() if value != usual[name]})
    return f"{base_path()}/calculator" + (f"?{query}" if query else "")


def take_away(sheet: Sheet, name: str, columns: Sequence[str], rows: Rows) -> None:
    """Put the download and the link of a part below it.

    Parameters
    ----------
    sheet : Sheet
    name : str
        The part, in the file's name.
    columns, rows
        The part's numbers: bytes as whole numbers.
    """
    text = words()["page"]
    link = f'<a href="{escape(sheet.link)}" title="{escape(text["link_help"])}">{escape(text["link"])}</a>'
    sheet.take_away(text["csv"], f"tilewise-{name}.csv", csv_text(columns, rows), link)
