"""A page's prose as one Markdown text, and where its slots stand in it.

Streamlit makes one element of each block of Markdown: of a paragraph, a heading, a list. So a place between
them is a number of blocks.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from lesson.text import Text

__all__ = ["Prose", "prose_of"]

_GAP = re.compile(r"\n\s*\n")
# What may hold an empty line inside, and what Streamlit makes of it is then not one block: indented text,
# a fence, a quotation, a table, HTML. A list's items may stand in lines that follow each other.
_DOUBTFUL = re.compile(r"^(?: {4}|\t|```|~~~|>|\||<|\$\$|---|===)", re.MULTILINE)


@dataclass(frozen=True)
class Prose:
    """One text with places.

    Attributes
    ----------
    markdown : str
    blocks : int
        How many blocks it has.
    places : mapping of str to int
        For each slot, in order: how many blocks stand above it.
    """

    markdown: str
    blocks: int
    places: Mapping[str, int]


def prose_of(text: Text) -> Prose:
    """Return a text's prose as one Markdown document.

    Parameters
    ----------
    text : Text
        With its values filled in.

    Raises
    ------
    ValueError
        If a block may not be one element in the browser; the message quotes it.
    """
    blocks: list[str] = []
    places: dict[str, int] = {}
    for part in text.parts:
        if not isinstance(part, str):
            places[part.name] = len(blocks)
            continue
        for block in _GAP.split(part):
            if _DOUBTFUL.search(block) or (block.startswith("#") and "\n" in block):
                raise ValueError(f"this block may not be one element in the browser: {block[:60]!r}")
            blocks.append(block)
    return Prose("\n\n".join(blocks), len(blocks), MappingProxyType(places))
