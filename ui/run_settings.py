"""What "Watch it run" can be asked, in its menus and in its address: an input and the options of its run.

Knows fields and the lesson's inputs; must not know the stage, which plays what is chosen here.
"""

from collections.abc import Mapping
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
from ui.address import report_unknown_choice, report_unknown_names
from ui.fields.component import Field, held_values
from ui.run_bar.component import draw_run_bar

__all__ = [
    "DEFAULTS",
    "ENTRIES",
    "FIELDS",
    "check_run_address",
    "chosen_input",
    "chosen_mistake",
    "chosen_options",
    "draw_settings",
    "held_run",
    "query_of_run",
]

PREFIX = "run_"
KEY = "run_bar"

WORDS = {name: text for name, text in load_stage_text()["page"].items() if isinstance(text, str)}
SUGGESTED = "own"
OWN_FILE = "file"
FILE_KEY = "run_file"
RIGHT = "right"
ENTRIES = {entry.key: entry for entry in entries()}
_SENTENCES = {
    key.split(".")[0]: entry.sentence for key, entry in ENTRIES.items() if entry.sentence is not None
}
_HEADS = {key.split(".")[1]: entry.label for key, entry in ENTRIES.items() if entry.kind == "real"}
_MADE_UP = {key: entry.label for key, entry in ENTRIES.items() if entry.kind == "made_up"}
_DEFAULT_HEAD = DEFAULT_KEY.split(".")[1]
_BLOCKS = tuple(str(size) for size in (1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 64))


def _field(name: str, words: Mapping[str, str], width: int, text: str = "", help_text: str = "") -> Field:
    """A menu, whose label and help stand in the stage's text under a name of their own or its own."""
    text = text or name
    return Field(
        name,
        "choice",
        WORDS[text],
        help_text or WORDS.get(f"{text}_help", ""),
        tuple(words),
        width,
        words=tuple(words.values()),
    )


def _options(name: str, *choices: str) -> dict[str, str]:
    """The words of choices, where one is not its own word."""
    return {choice: WORDS.get(f"{name}_{choice}", choice) for choice in choices}


_LAYERS = "; ".join(
    f"{entry.label}: {entry.layer}, {entry.head}"
    for entry in ENTRIES.values()
    if entry.key.startswith(f"{DEFAULT_KEY.split('.')[0]}.")
)
# The first choice of each is the default; "own" is what the input itself suggests.
FIELDS = {
    field.name: field
    for field in (
        _field("input", {**_SENTENCES, **_MADE_UP, OWN_FILE: WORDS["own"]}, 438),
        _field(
            "head",
            {_DEFAULT_HEAD: _HEADS[_DEFAULT_HEAD], **_HEADS},
            214,
            help_text=WORDS["head_help"].format(heads=_LAYERS),
        ),
        _field("direction", _options("direction", "forward", "backward"), 155),
        _field("mask", _options("mask", SUGGESTED, "none", "bottom_right", "top_left"), 155),
        _field("order", _options("order", SUGGESTED, "q_outer", "kv_outer"), 155),
        _field("storage", _options("storage", SUGGESTED, *FORMATS), 155),
        _field("bq", _options("bq", SUGGESTED, *_BLOCKS), 155, "block_q"),
        _field("bk", _options("bk", SUGGESTED, *_BLOCKS), 155, "block_k"),
        _field("window", _options("window", SUGGESTED, "0", "1", "2", "4", "8", "16"), 155),
        Field(
            "mistake",
            "choice",
            load_breakit_text()["page"]["choose"],
            options=(RIGHT, *MISTAKES),
            words=(
                load_breakit_text()["page"]["right"],
                *(load_breakit_text()["names"][name] for name in MISTAKES),
            ),
        ),
    )
}
DEFAULTS = {name: field.options[0] for name, field in FIELDS.items()}
_ROWS = (("input", "head"), ("direction", "mask", "order", "storage"), ("bq", "bk", "window"))


def held_run() -> dict[str, str]:
    """Return every choice as it is now. One that there is not is its default."""
    held = held_values(KEY, PREFIX, DEFAULTS)
    return {name: field.option(held[name]) or DEFAULTS[name] for name, field in FIELDS.items()}


def check_run_address() -> None:
    """Say what the address asks for and the page does not have."""
    # Looked at once: each question to Streamlit for a single name takes its time.
    asked = {name: value for name, value in st.query_params.to_dict().items() if name.startswith(PREFIX)}
    if asked:
        report_unknown_names(PREFIX, {PREFIX + name for name in FIELDS})
    for name, field in FIELDS.items():
        if PREFIX + name in asked and field.option(asked[PREFIX + name]) is None:
            report_unknown_choice(PREFIX + name, field.options, DEFAULTS[name])


def chosen_input(held: Mapping[str, str]) -> tuple[Input, str]:
    """Return the input, and why the reader's own file was refused; the default where there is none to use."""
    if held["input"] in _SENTENCES:
        return load(f"{held['input']}.{held['head']}"), ""
    if held["input"] != OWN_FILE:
        return load(held["input"]), ""
    # The field for it is drawn later, below what says what runs. It keeps its file from one run to the next.
    file = st.session_state.get(FILE_KEY)
    if file is None:
        return load(DEFAULT_KEY), ""
    try:
        return load_npz(file.getvalue()), ""
    except InputError as error:
        return load(DEFAULT_KEY), str(error)


def draw_settings(title: str, given: Input, held: Mapping[str, str], refusal: str) -> None:
    """Draw the bar with all choices and, where it is wanted, the field for the reader's own file.

    Parameters
    ----------
    title : str
        The page's heading.
    given : Input
        What runs.
    held : mapping of str to str
    refusal : str
        Why the reader's own file cannot be used, if it cannot.
    """
    entry = ENTRIES.get(given.key)
    # A head's description names its model and its sentence.
    named = entry is not None and entry.kind == "real"
    # Only a sentence has heads to choose from.
    rows = tuple(
        ("", tuple(FIELDS[name] for name in row if name != "head" or held["input"] in _SENTENCES))
        for row in _ROWS
    )
    draw_run_bar(
        KEY,
        title,
        given.description if named else f"{given.title}: {given.description}",
        given.source,
        rows=rows,
        mistake=FIELDS["mistake"],
        breakable=held["direction"] == "forward",
        prefix=PREFIX,
        values=held,
        defaults=DEFAULTS,
    )
    if held["input"] == OWN_FILE:
        _draw_own_file(refusal)


def _draw_own_file(refusal: str) -> None:
    limits = {"rows": MAX_N, "width": MAX_D, "bytes": f"{MAX_FILE_BYTES:,}"}
    file = st.file_uploader(
        WORDS["upload"],
        type="npz",
        key=FILE_KEY,
        help=WORDS["upload_help"].format(**limits),
        max_upload_size=MAX_FILE_BYTES >> 20,
    )
    if refusal:
        st.error(WORDS["upload_refused"].format(reason=refusal), icon=":material/error:")
    elif file is None:
        st.info(WORDS["upload_first"], icon=":material/upload_file:")


def chosen_options(given: Input, held: Mapping[str, str]) -> dict[str, Any]:
    """Return the engine's options of the run."""
    options = given.options() | {"direction": held["direction"]}
    asked = {name: choice for name, choice in held.items() if choice != SUGGESTED}
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


def chosen_mistake(held: Mapping[str, str]) -> str | None:
    """Return the wrong algorithm that is chosen; a backward has none."""
    return None if held["mistake"] == RIGHT or held["direction"] == "backward" else held["mistake"]


def query_of_run(given: Input, held: Mapping[str, str]) -> dict[str, str]:
    """Return every setting that differs from its default, by the short names that a link uses."""
    unused = set() if held["input"] in _SENTENCES else {"head"}
    # Until a file is there, the default input plays.
    if given.key in ENTRIES and held["input"] == OWN_FILE:
        unused.add("input")
    return {
        PREFIX + name: choice
        for name, choice in held.items()
        if choice != DEFAULTS[name] and name not in unused
    }
