"""What "Watch it run" can be asked, in its menus and in its address: an input and the options of its run.

Knows menus and the lesson's inputs; must not know the stage, which plays what is chosen here.
"""

from typing import Any

import streamlit as st

from engine import FORMATS, MISTAKES
from lesson.inputs import (
    DEFAULT_KEY,
    MAX_D,
    MAX_FILE_BYTES,
    MAX_N,
    Input,
    InputError,
    entries,
    load,
    load_npz,
)
from lesson.stage_breakit_text import load_breakit_text
from lesson.stage_text import load_stage_text
from ui.menus import Menu, choose, take_address

__all__ = [
    "ENTRIES", "chosen_input", "chosen_mistake", "chosen_options", "query_of_run", "take_run_address",
]  # fmt: skip

PREFIX = "run_"
WORDS = {name: text for name, text in load_stage_text()["page"].items() if isinstance(text, str)}
BREAK_WORDS = load_breakit_text()
SUGGESTED = "own"
NARROW = 200
"""Pixels."""
OWN_FILE = "file"
RIGHT = "right"
ENTRIES = {entry.key: entry for entry in entries()}
_SENTENCES = {
    key.split(".")[0]: entry.sentence for key, entry in ENTRIES.items() if entry.sentence is not None
}
_HEADS = {key.split(".")[1]: entry.label for key, entry in ENTRIES.items() if entry.kind == "real"}
_MADE_UP = {key: entry.label for key, entry in ENTRIES.items() if entry.kind == "made_up"}
_DEFAULT_HEAD = DEFAULT_KEY.split(".")[1]
_BLOCKS = tuple(str(size) for size in (1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 64))


def _menu(name: str, choices: tuple[str, ...], label: str = "") -> Menu:
    """A menu whose words stand in the stage's text, where a choice is not its own word."""
    words = {choice: WORDS.get(f"{name}_{choice}", choice) for choice in choices}
    return Menu(PREFIX + name, WORDS[label or name], words, WORDS.get(f"{label or name}_help"))


# The first choice of each is the default; "own" is what the input itself suggests.
MENUS = {
    menu.name.removeprefix(PREFIX): menu
    for menu in (
        Menu("run_input", WORDS["input"], {**_SENTENCES, **_MADE_UP, OWN_FILE: WORDS["own"]}),
        Menu("run_head", WORDS["head"], {_DEFAULT_HEAD: _HEADS[_DEFAULT_HEAD], **_HEADS}),
        _menu("direction", ("forward", "backward")),
        _menu("mask", (SUGGESTED, "none", "bottom_right", "top_left")),
        _menu("bq", (SUGGESTED, *_BLOCKS), "block_q"),
        _menu("bk", (SUGGESTED, *_BLOCKS), "block_k"),
        _menu("window", (SUGGESTED, "0", "1", "2", "4", "8", "16")),
        _menu("order", (SUGGESTED, "q_outer", "kv_outer")),
        _menu("storage", (SUGGESTED, *FORMATS)),
        Menu(
            "run_mistake",
            BREAK_WORDS["page"]["choose"],
            {RIGHT: BREAK_WORDS["page"]["right"], **{name: BREAK_WORDS["names"][name] for name in MISTAKES}},
            BREAK_WORDS["page"]["choose_help"],
        ),
    )
}


def take_run_address() -> None:
    """Let the address choose, and say what it asks for in vain."""
    take_address(PREFIX, tuple(MENUS.values()), ("run_file",))


def chosen_input() -> Input:
    """Draw the menus of the input and return it; the default, with a message, when a file cannot be used."""
    row = st.container(horizontal=True)
    with row:
        key = choose(MENUS["input"], 2 * NARROW)
    if key in _SENTENCES:
        heads = "; ".join(
            f"{entry.label}: {entry.layer}, {entry.head}"
            for entry in ENTRIES.values()
            if entry.key.startswith(f"{key}.")
        )
        with row:
            head = choose(MENUS["head"], NARROW, help_text=WORDS["head_help"].format(heads=heads))
        return load(f"{key}.{head}")
    if key != OWN_FILE:
        return load(key)
    limits = {"rows": MAX_N, "width": MAX_D, "bytes": f"{MAX_FILE_BYTES:,}"}
    file = st.file_uploader(
        WORDS["upload"],
        type="npz",
        key="run_file",
        help=WORDS["upload_help"].format(**limits),
        max_upload_size=MAX_FILE_BYTES >> 20,
    )
    if file is None:
        st.info(WORDS["upload_first"], icon=":material/upload_file:")
        return load(DEFAULT_KEY)
    try:
        return load_npz(file)
    except InputError as error:
        st.error(WORDS["upload_refused"].format(reason=error), icon=":material/error:")
        return load(DEFAULT_KEY)


def chosen_options(given: Input) -> dict[str, Any]:
    """Draw the menus of the run and return the engine's options."""
    options = given.options()
    options["direction"] = choose(MENUS["direction"])
    picked = {}
    # Menus in a flow: three a row, fewer on a phone, and none of the elements that columns would cost.
    with st.container(horizontal=True):
        for name in ("mask", "bq", "bk", "window", "order", "storage"):
            picked[name] = choose(MENUS[name], NARROW)
    asked = {name: choice for name, choice in picked.items() if choice != SUGGESTED}
    if "mask" in asked:
        options["causal"] = None if asked["mask"] == "none" else asked["mask"]
    if "window" in asked:
        # Under a causal mask the keys after the query are hidden anyway.
        reach = int(asked["window"])
        options["window"] = (reach, None if options["causal"] else reach)
    for name, option in (("bq", "block_q"), ("bk", "block_k")):
        if name in asked:
            options[option] = int(asked[name])
    return options | {name: asked[name] for name in ("order", "storage") if name in asked}


def chosen_mistake(backward: bool) -> str | None:
    """Draw the menu of wrong algorithms and return the one chosen; a backward has none."""
    chosen = choose(MENUS["mistake"], disabled=backward)
    return None if backward or chosen == RIGHT else chosen


def query_of_run(given: Input) -> dict[str, str]:
    """Return every setting that differs from its default, by the short names that a link uses."""
    query = {
        menu.name: str(st.session_state[menu.name])
        for menu in MENUS.values()
        if st.session_state.get(menu.name, menu.first) != menu.first
    }
    # Until a file is there, the default input plays.
    if given.key in ENTRIES and query.get("run_input") == OWN_FILE:
        del query["run_input"]
    return query
