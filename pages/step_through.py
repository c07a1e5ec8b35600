"""Watch it run: choose one attention call and play it, tile by tile."""

from typing import Any

import streamlit as st

from engine import FORMATS
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
from lesson.stage_text import load_stage_text
from ui.address import report_unknown_choice, report_unknown_names
from ui.frame import begin, end
from ui.stage import show_stage

WORDS = {name: text for name, text in load_stage_text()["page"].items() if isinstance(text, str)}
SUGGESTED = "own"
OWN_FILE = "file"
ENTRIES = {entry.key: entry for entry in entries()}
SENTENCES = {
    key.split(".")[0]: entry.sentence for key, entry in ENTRIES.items() if entry.sentence is not None
}
HEADS = tuple(dict.fromkeys(key.split(".")[1] for key, entry in ENTRIES.items() if entry.kind == "real"))
MADE_UP = tuple(key for key, entry in ENTRIES.items() if entry.kind == "made_up")
DEFAULT_SENTENCE, DEFAULT_HEAD = DEFAULT_KEY.split(".")
BLOCKS = tuple(str(size) for size in (1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 64))

# Every setting, by its name in the address, with what it can be; the first is the default.
CHOICES: dict[str, tuple[str, ...]] = {
    "run_input": (*SENTENCES, *MADE_UP, OWN_FILE),
    "run_head": (DEFAULT_HEAD, *(head for head in HEADS if head != DEFAULT_HEAD)),
    "run_mask": (SUGGESTED, "none", "bottom_right", "top_left"),
    "run_window": (SUGGESTED, "0", "1", "2", "4", "8", "16"),
    "run_bq": (SUGGESTED, *BLOCKS),
    "run_bk": (SUGGESTED, *BLOCKS),
    "run_order": (SUGGESTED, "q_outer", "kv_outer"),
    "run_storage": (SUGGESTED, *FORMATS),
}


def label_of(name: str, choice: str) -> str:
    """Return how a choice reads in its menu, and in the address that Streamlit writes."""
    if name == "run_input":
        return WORDS["own"] if choice == OWN_FILE else SENTENCES.get(choice) or ENTRIES[choice].label
    if name == "run_head":
        return ENTRIES[f"{DEFAULT_SENTENCE}.{choice}"].label
    return WORDS.get(f"{name.removeprefix('run_')}_{choice}", choice)


def take_address() -> None:
    """Let links name a choice by its stable key (`run_order=kv_outer`) as well as by its label."""
    report_unknown_names("run_", {*CHOICES, "run_file"})
    for name, choices in CHOICES.items():
        labels = [label_of(name, choice) for choice in choices]
        asked = st.query_params.get(name)
        if asked in choices:
            if name not in st.session_state:
                st.session_state[name] = asked
        elif asked not in labels:
            report_unknown_choice(name, choices, choices[0])


def choose(name: str, label: str, help_text: str | None = None) -> str:
    """Draw one menu, bound to the address, and return its choice."""
    chosen = st.selectbox(
        WORDS[label],
        CHOICES[name],
        key=name,
        bind="query-params",
        format_func=lambda choice: label_of(name, choice),
        help=help_text,
    )
    return chosen or CHOICES[name][0]


def chosen_input() -> Input:
    """Draw the menus of the input and return it; the default, with a message, when a file cannot be used."""
    what, which = st.columns([3, 2])
    with what:
        key = choose("run_input", "input")
    if key in SENTENCES:
        heads = "; ".join(
            f"{entry.label}: {entry.layer}, {entry.head}"
            for entry in ENTRIES.values()
            if entry.key.startswith(f"{key}.")
        )
        with which:
            head = choose("run_head", "head", WORDS["head_help"].format(heads=heads))
        return load(f"{key}.{head}")
    if key != OWN_FILE:
        return load(key)
    limits = {"rows": MAX_N, "width": MAX_D, "bytes": f"{MAX_FILE_BYTES:,}"}
    file = st.file_uploader(
        WORDS["upload"], type="npz", key="run_file", help=WORDS["upload_help"].format(**limits)
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
    columns = st.columns(3) + st.columns(3)
    with columns[0]:
        mask = choose("run_mask", "mask")
    with columns[1]:
        block_q = choose("run_bq", "block_q")
    with columns[2]:
        block_k = choose("run_bk", "block_k")
    with columns[3]:
        window = choose("run_window", "window")
    with columns[4]:
        order = choose("run_order", "order", WORDS["order_help"])
    with columns[5]:
        storage = choose("run_storage", "storage")
    if mask != SUGGESTED:
        options["causal"] = None if mask == "none" else mask
    if window != SUGGESTED:
        # Under a causal mask the keys after the query are hidden anyway.
        options["window"] = (int(window), None if options["causal"] else int(window))
    if block_q != SUGGESTED:
        options["block_q"] = int(block_q)
    if block_k != SUGGESTED:
        options["block_k"] = int(block_k)
    if order != SUGGESTED:
        options["order"] = order
    if storage != SUGGESTED:
        options["storage"] = storage
    return options


def play(given: Input, options: dict[str, Any]) -> dict[str, Any]:
    """Put the stage on the page."""
    return show_stage(
        given.q, given.k, given.v, key="run_stage", tokens=(given.tokens_q, given.tokens_k), ask=True, **options
    )


def report_wrong_step(last: int) -> None:
    """Say when the address names a step that this run does not have."""
    asked = st.query_params.get("step")
    if asked is None or (asked.isascii() and asked.isdigit() and int(asked) <= last):
        return
    used = last if asked.isascii() and asked.isdigit() else 0
    st.warning(WORDS["wrong_step"].format(value=asked[:60], last=last, used=used), icon=":material/link_off:")


page = begin("step_through", heading=False)
st.space("xsmall")
# One compact line, so that the whole stage fits the first screen.
with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
    st.html(f'<h1 style="font-size: 1.6rem; padding: 0; margin: 0">{page.title}</h1>', width="content")
    about = st.container(width=600)
    menu = st.popover(WORDS["settings"], icon=":material/tune:", width="content")
take_address()
with menu:
    call = chosen_input()
    settings = chosen_options(call)
about.caption(call.description, help=call.source)
try:
    payload = play(call, settings)
except ValueError as error:
    st.error(WORDS["refused"].format(reason=error), icon=":material/error:")
    call = load(DEFAULT_KEY)
    payload = play(call, call.options())
report_wrong_step(len(payload["trace"]["steps"]) - 1)
end("step_through")
