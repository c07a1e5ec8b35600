"""What the exactness page can be asked, in its menus and in its address."""

from dataclasses import dataclass

import streamlit as st

from engine import FORMATS
from engine.precision_lab import LAB_INPUTS, MOST_ADDITIONS
from engine.units import parse_count
from engine.variants import PATTERNS, Settings
from lesson.inputs import entries
from lesson.words import load_words
from ui.menus import Menu, choose, take_address

WORDS = load_words("exactness")
PREFIX = "ex_"
COUNT_NAME = "ex_count"
DEFAULT_COUNT = "4096"
NARROW, WIDE = 165, 450
"""Pixels."""
HEAD_ENTRIES = {entry.key: entry for entry in entries() if entry.kind == "real"}

_SENTENCES = {key.split(".")[0]: entry.sentence or key for key, entry in HEAD_ENTRIES.items()}
_HEADS = {key.split(".")[1]: entry.label for key, entry in HEAD_ENTRIES.items()}
_TILES = ("1", "2", "3", "4", "5", "6", "8", "16", "32")


def _menu(name: str, words: dict[str, str], default: str = "") -> Menu:
    helps = WORDS.table("help")
    return Menu(f"{PREFIX}{name}", WORDS.say("menus", name), words, helps.get(name), default)


def _numbers(choices: tuple[str, ...]) -> dict[str, str]:
    return {choice: choice for choice in choices}


MENUS = {
    menu.name.removeprefix(PREFIX): menu
    for menu in (
        _menu("sentence", _SENTENCES),
        _menu("head", _HEADS),
        _menu("mask", dict(WORDS.table("masks"))),
        _menu("storage", _numbers(tuple(FORMATS)), "float32"),
        _menu("block_q", _numbers(_TILES), "4"),
        _menu("block_k", _numbers(_TILES), "4"),
        _menu("reach", _numbers(("0", "1", "2", "3", "4", "6", "8", "12", "16", "32")), "3"),
        _menu("pattern", {name: WORDS.say("patterns", name) for name in PATTERNS}),
        _menu("rank", _numbers(("1", "2", "4", "8", "12", "16", "32", "64")), "4"),
        _menu("lab", {name: WORDS.say("labs", name) for name in ("normal", "head", *LAB_INPUTS[1:])}),
        _menu("value", _numbers(("0.1", "0.5", "1", "3")), "1"),
    )
}


@dataclass(frozen=True)
class Asked:
    """One comparison: which head, how, and in which format."""

    key: str
    settings: Settings
    storage: str


def take_page_address() -> None:
    """Let the address choose, and say what it asks for in vain."""
    take_address(PREFIX, tuple(MENUS.values()), (COUNT_NAME,))


def draw_settings() -> Asked:
    """Draw the menus of the comparison and return what they say."""
    # Menus in a flow, two a row on a phone. Columns would cost more elements than there are menus.
    with st.container(horizontal=True):
        sentence, head = choose(MENUS["sentence"], WIDE), choose(MENUS["head"], NARROW + 40)
        mask, storage, block_q, block_k, reach, rank = (
            choose(MENUS[name], NARROW) for name in ("mask", "storage", "block_q", "block_k", "reach", "rank")
        )
        pattern = choose(MENUS["pattern"], NARROW + 135)
    settings = Settings(
        causal="bottom_right" if mask == "causal" else None,
        block_q=int(block_q),
        block_k=int(block_k),
        reach=int(reach),
        pattern=next(name for name in PATTERNS if name == pattern),
        rank=int(rank),
    )
    return Asked(f"{sentence}.{head}", settings, storage)


def draw_lab_input() -> str:
    """Draw the menu of the rounding section and return its choice."""
    return choose(MENUS["lab"], 2 * NARROW)


def draw_sum_fields() -> tuple[float, int] | None:
    """Draw the fields of the running sums; None, with a message, where the count is impossible."""
    with st.container(horizontal=True):
        value = choose(MENUS["value"], NARROW)
        typed = st.text_input(
            WORDS.say("menus", "count"),
            DEFAULT_COUNT,
            key=COUNT_NAME,
            bind="query-params",
            max_chars=40,
            width=NARROW,
        )
    try:
        return float(value), parse_count(
            typed, name=WORDS.say("menus", "count"), lowest=1, highest=MOST_ADDITIONS
        )
    except ValueError as error:
        st.error(str(error), icon=":material/error:")
        st.info(WORDS.say("say", "correct"), icon=":material/info:")
        return None
