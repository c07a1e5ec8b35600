"""Hints in the index page: what a page needs anyway is fetched while Streamlit's own script still starts."""

import re
from collections.abc import Iterable
from pathlib import Path

__all__ = ["chunk_with_imports", "data_links", "preload_links"]

_IMPORT = re.compile(r'(?:from|import)"\./([\w.-]+\.js)"')


def chunk_with_imports(folder: Path, name: str) -> list[str]:
    """Return one of Streamlit's files that it loads when first needed, and those that it imports.

    Parameters
    ----------
    folder : Path
        Where they lie.
    name : str
        What the file's name begins with, up to its digest.

    Raises
    ------
    ValueError
        If there is not exactly one such file.
    """
    found = [file.name for file in folder.glob(f"{name}.*.js")]
    if len(found) != 1:
        raise ValueError(f"{folder} has {len(found)} files that begin with {name!r}; one is needed")
    return [*found, *_IMPORT.findall((folder / found[0]).read_text(encoding="utf-8"))]


def preload_links(addresses: Iterable[str]) -> str:
    """Return the hints for addresses of scripts, each once."""
    return "\n    ".join(
        f'<link rel="modulepreload" crossorigin href="{address}">' for address in dict.fromkeys(addresses)
    )


def data_links(addresses: Iterable[str]) -> str:
    """Return the hints for addresses of data that a script will fetch."""
    return "\n    ".join(
        f'<link rel="preload" as="fetch" crossorigin href="{address}">' for address in addresses
    )
