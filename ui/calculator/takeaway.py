"""The end of a part: its numbers as CSV, a link that holds every setting, and the prose."""

import csv
import io
from collections.abc import Sequence

import streamlit as st

from lesson.text import load_text
from ui.calculator.controls import link_parameters
from ui.calculator.words import words
from ui.content import READING_WIDTH

__all__ = ["csv_text", "read_on", "take_away"]

Rows = Sequence[Sequence[object]]


def csv_text(columns: Sequence[str], rows: Rows) -> str:
    """Return rows as CSV. Counts are written without separators, so that a spreadsheet reads numbers."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue()


def take_away(name: str, columns: Sequence[str], rows: Rows) -> None:
    """Draw the download and the link of a part.

    Parameters
    ----------
    name : str
        The part, in the file's name.
    columns, rows
        The part's numbers: bytes as whole numbers.
    """
    text = words()["page"]
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        # The text is made only when somebody asks for it.
        st.download_button(
            text["csv"],
            data=lambda: csv_text(columns, rows),
            file_name=f"tilewise-{name}.csv",
            mime="text/csv",
            on_click="ignore",
            icon=":material/download:",
            key=f"take_{name}",
        )
        st.page_link(
            "pages/calculator.py",
            label=text["link"],
            icon=":material/link:",
            help=text["link_help"],
            query_params=link_parameters(),
        )


def read_on(name: str) -> None:
    """Draw prose that has neither slots nor values, as one element: every element costs a rerun time."""
    st.markdown("\n".join(str(part) for part in load_text(name).parts), width=READING_WIDTH)
