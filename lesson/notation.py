"""The notation table of `docs/notation.md`: what is called what, here, in the papers and in Triton."""

from functools import cache
from pathlib import Path

NOTATION_FILE = Path(__file__).resolve().parents[1] / "docs" / "notation.md"

__all__ = ["NOTATION_FILE", "load_notation", "notation_text"]


def notation_text(document: str) -> str:
    """Return the document without its title, which a page has of its own.

    Raises
    ------
    ValueError
        If there is no title, or no table with the columns of a notation.
    """
    title, _, body = document.partition("\n")
    if not title.startswith("# "):
        raise ValueError(f"the notation must begin with a title, not {title[:40]!r}")
    if "| here | meaning |" not in body:
        raise ValueError("the notation has no table with the columns “here” and “meaning”")
    return body.strip()


@cache
def load_notation() -> str:
    """Return the notation as Markdown. Read once; raises as `notation_text` does."""
    return notation_text(NOTATION_FILE.read_text(encoding="utf-8"))
