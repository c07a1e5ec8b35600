"""Menus that stand in the address, by a stable key as well as by the words that a reader sees."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from ui.address import report_unknown_choice, report_unknown_names

__all__ = ["Menu", "choose", "take_address"]


@dataclass(frozen=True)
class Menu:
    """A choice, bound to the address.

    Attributes
    ----------
    name : str
        Its name in the address, with the page's prefix.
    label : str
    words : mapping of str to str
        What each choice reads like, by its key.
    help : str or None
    default : str
        The key that is chosen at first; empty is the first. Another one than the first is possible only where
        keys and words are the same, since Streamlit refuses a default beside a value set by the page.
    """

    name: str
    label: str
    words: Mapping[str, str]
    help: str | None = None
    default: str = ""

    def __post_init__(self) -> None:
        if self.default and (self.default not in self.words or any(k != w for k, w in self.words.items())):
            raise ValueError(f"the menu {self.name} cannot begin at {self.default!r}")

    @property
    def first(self) -> str:
        """The key that is chosen at first."""
        return self.default or self.choices[0]

    @property
    def choices(self) -> tuple[str, ...]:
        """The keys, in order."""
        return tuple(self.words)


def take_address(prefix: str, menus: Sequence[Menu], others: Sequence[str] = ()) -> None:
    """Let links name a choice by its key, and say what the address asks for in vain.

    A bound menu writes its words into the address, and drops a value that it does not know without a word.

    Parameters
    ----------
    prefix : str
        What the page's names begin with.
    menus : sequence of Menu
    others : sequence of str
        The page's other names in the address.
    """
    report_unknown_names(prefix, {*(menu.name for menu in menus), *others})
    by_key = False
    for menu in menus:
        asked = st.query_params.get(menu.name)
        if asked in menu.words and menu.words[asked] != asked:
            st.session_state[menu.name] = asked
            st.query_params[menu.name] = menu.words[asked]
            by_key = True
        elif asked not in menu.words.values():
            report_unknown_choice(menu.name, menu.choices, menu.first)
    if by_key:
        # What the page set stays in the address only if both had it in the run before its menu is drawn.
        st.rerun()


def choose(
    menu: Menu,
    width: int | Literal["stretch"] = "stretch",
    *,
    help_text: str | None = None,
    disabled: bool = False,
) -> str:
    """Draw a menu, as wide as its place or some pixels, and return the key of its choice.

    Parameters
    ----------
    menu : Menu
    width : int or "stretch"
    help_text : str, optional
        Instead of the menu's own help, where it depends on the run.
    disabled : bool
    """
    chosen = st.selectbox(
        menu.label,
        menu.choices,
        index=menu.choices.index(menu.first),
        key=menu.name,
        bind="query-params",
        format_func=lambda choice: menu.words[choice],
        help=help_text or menu.help,
        width=width,
        disabled=disabled,
    )
    return chosen or menu.first
