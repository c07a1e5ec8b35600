"""Watch it run: choose one attention call and play it, tile by tile."""

from typing import Any

import streamlit as st

from engine import FORMATS, MISTAKES, Trace, attention, trace_attention
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
from ui.downloads import draw_downloads
from ui.frame import begin, end
from ui.kernel_check import draw_kernel_check
from ui.share import share_of
from ui.stage import show_stage

WORDS = {name: text for name, text in load_stage_text()["page"].items() if isinstance(text, str)}
BREAK_WORDS = load_breakit_text()
PAGE = "step_through"
SUGGESTED = "own"
OWN_FILE = "file"
RIGHT = "right"
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
    "run_direction": ("forward", "backward"),
    "run_mistake": (RIGHT, *MISTAKES),
}


def label_of(name: str, choice: str) -> str:
    """Return how a choice reads in its menu, and in the address that Streamlit writes."""
    if name == "run_input":
        return WORDS["own"] if choice == OWN_FILE else SENTENCES.get(choice) or ENTRIES[choice].label
    if name == "run_head":
        return ENTRIES[f"{DEFAULT_SENTENCE}.{choice}"].label
    if name == "run_mistake":
        return BREAK_WORDS["names"].get(choice, BREAK_WORDS["page"]["right"])
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
    options["direction"] = choose("run_direction", "direction", WORDS["direction_help"])
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


def with_gradient(given: Input, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a run with what a backward starts from.

    Its loss is half the sum of the squares of o, so that the gradient dO at the output is O itself.
    """
    if options.get("direction", "forward") == "forward":
        return options
    forward = {name: value for name, value in options.items() if name != "direction"}
    return options | {"d_o": attention(given.q, given.k, given.v, **forward)[0]}


def query_of_run(given: Input) -> dict[str, str]:
    """Return every setting that differs from its default, by the short names that a link uses."""
    query = {
        name: str(st.session_state[name])
        for name, choices in CHOICES.items()
        if st.session_state.get(name, choices[0]) != choices[0]
    }
    # Until a file is there, the default input plays.
    if given.key in ENTRIES and query.get("run_input") == OWN_FILE:
        del query["run_input"]
    return query


def title_of(given: Input) -> str:
    """Return the run in a few words: with its sentence, where it has one."""
    entry = ENTRIES.get(given.key)
    return f"{entry.sentence} · {given.title}" if entry and entry.sentence else given.title


def sharing(given: Input) -> dict[str, Any]:
    """Return what the stage needs for links and files."""
    own_file = given.key not in ENTRIES
    return share_of(PAGE, query=query_of_run(given), title=title_of(given), name=given.key, own_file=own_file)


def draw_take_away(given: Input, options: dict[str, Any], played: dict[str, Any]) -> None:
    """Draw what can be taken from the whole run, and the check for kernel authors."""

    def record() -> Trace:
        return trace_attention(
            given.q, given.k, given.v, tokens=given.tokens, **with_gradient(given, options)
        )

    share = sharing(given)
    draw_downloads(record, played, title=share["title"], name=given.key)
    if options.get("direction") != "backward":
        draw_kernel_check(record, page=PAGE, query=share["query"], name=given.key, own_file=share["own_file"])


def chosen_mistake(backward: bool) -> str | None:
    """Draw the menu of wrong algorithms and return the one chosen; a backward has none."""
    words = BREAK_WORDS["page"]
    chosen = st.selectbox(
        words["choose"],
        CHOICES["run_mistake"],
        key="run_mistake",
        bind="query-params",
        format_func=lambda choice: label_of("run_mistake", choice),
        help=words["choose_help"],
        disabled=backward,
    )
    return None if backward or chosen in (None, RIGHT) else chosen


def play(given: Input, options: dict[str, Any], mistake: str | None = None) -> dict[str, Any]:
    """Put the stage on the page."""
    return show_stage(
        given.q,
        given.k,
        given.v,
        key="run_stage",
        tokens=(given.tokens_q, given.tokens_k),
        mistake=mistake,
        ask=options.get("direction") != "backward",
        share=sharing(given),
        **with_gradient(given, options),
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
with st.container(
    key="run_bar", horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"
):
    st.html(f'<h1 style="font-size: 1.6rem; padding: 0; margin: 0">{page.title}</h1>', width="content")
    about = st.container(width=600)
    menu = st.popover(WORDS["settings"], icon=":material/tune:", width="content")
    breaker = st.popover(BREAK_WORDS["page"]["menu"], icon=":material/bug_report:", width="content")
take_address()
with menu:
    call = chosen_input()
    settings = chosen_options(call)
with breaker:
    mistake = chosen_mistake(settings.get("direction") == "backward")
about.markdown(f":small[{call.description}]", help=call.source)
try:
    payload = play(call, settings, mistake)
except ValueError as error:
    st.error(WORDS["refused"].format(reason=error), icon=":material/error:")
    call = load(DEFAULT_KEY)
    settings = call.options()
    payload = play(call, settings)
report_wrong_step(len(payload["trace"]["steps"]) - 1)
if not st.context.is_embedded:
    draw_take_away(call, settings, payload)
end("step_through")
