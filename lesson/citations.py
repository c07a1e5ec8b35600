"""Marks in the prose that say where a number comes from: `[src: fa_one]`.

A mark names a link of `links.toml`, and becomes a small link to it. It may instead name what in the engine
computes the number (`[src: engine.roofline.attention_flops]`), or say `definition`, for what is true by the
meaning of the words, or `example`, for an input that we chose. Such marks are for those who write, and are
not shown. In TOML files a mark is a comment behind the text. The rule: docs/decisions/numbers-in-texts.md.
"""

import re
from importlib import import_module

from lesson.links import load_links

OWN = ("definition", "example")
"""Sources that need no address: the meaning of the words, and inputs of a run that we chose."""

MARK = re.compile(r" ?\[src: ([\w., ]+)\]")

__all__ = ["MARK", "OWN", "check_source", "cited"]


def check_source(name: str) -> None:
    """Check that a source exists.

    Parameters
    ----------
    name : str
        A key of `links.toml`, a dotted name in `engine` or `lesson`, or one of `OWN`.

    Raises
    ------
    ValueError
        If there is no such thing; the message names it.
    """
    if name in OWN or name in load_links():
        return
    module, _, attribute = name.rpartition(".")
    if module.split(".")[0] in ("engine", "lesson"):
        try:
            if hasattr(import_module(module), attribute):
                return
            import_module(name)
            return
        except ImportError:
            pass
    raise ValueError(f"there is no source {name!r}: name a link, something in the engine, or one of {OWN}")


def cited(markdown: str) -> str:
    """Return a text with its marks replaced: a link of `links.toml` is shown, the others vanish.

    Raises
    ------
    ValueError
        If a mark names nothing that exists.
    """

    def show(mark: re.Match[str]) -> str:
        shown = ""
        for name in mark[1].split(","):
            check_source(name.strip())
            link = load_links().get(name.strip())
            if link is not None:
                shown += f" :small[[{link.title.split(':')[0]}]({link.url})]"
        return shown

    return MARK.sub(show, markdown)
