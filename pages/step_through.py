"""Watch it run: choose one attention call and play it, tile by tile."""

from typing import Any

import streamlit as st

from engine import Trace, attention, trace_attention
from lesson.inputs import DEFAULT_KEY, Input, load
from lesson.stage_text import load_stage_text
from ui.address import opened_with
from ui.downloads import draw_downloads
from ui.frame import begin
from ui.kernel_check import draw_kernel_check
from ui.run_settings import (
    DEFAULTS,
    ENTRIES,
    check_run_address,
    chosen_input,
    chosen_mistake,
    chosen_options,
    draw_settings,
    held_run,
    query_of_run,
)
from ui.share import share_of
from ui.stage import show_stage

WORDS = load_stage_text()["page"]
PAGE = "step_through"


def with_gradient(given: Input, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a run with what a backward starts from.

    Its loss is half the sum of the squares of o, so that the gradient dO at the output is O itself.
    """
    if options.get("direction", "forward") == "forward":
        return options
    forward = {name: value for name, value in options.items() if name != "direction"}
    return options | {"d_o": attention(given.q, given.k, given.v, **forward)[0]}


def title_of(given: Input) -> str:
    """Return the run in a few words: with its sentence, where it has one."""
    entry = ENTRIES.get(given.key)
    return f"{entry.sentence} · {given.title}" if entry and entry.sentence else given.title


def sharing(given: Input, held: dict[str, str]) -> dict[str, Any]:
    """Return what the stage needs for links and files."""
    own_file = given.key not in ENTRIES
    query = query_of_run(given, held)
    return share_of(PAGE, query=query, title=title_of(given), name=given.key, own_file=own_file)


def report_wrong_step(played: dict[str, Any]) -> None:
    """Say when the address names a step that this run does not have."""
    last = len(played["trace"]["steps"]) - 1
    asked = opened_with("step")
    if asked is None or (asked.isascii() and asked.isdigit() and int(asked) <= last):
        return
    used = last if asked.isascii() and asked.isdigit() else 0
    st.warning(WORDS["wrong_step"].format(value=asked[:60], last=last, used=used), icon=":material/link_off:")


def play(
    given: Input, options: dict[str, Any], share: dict[str, Any], mistake: str | None = None
) -> dict[str, Any]:
    """Put the stage on the page."""
    return show_stage(
        given.q,
        given.k,
        given.v,
        key="run_stage",
        tokens=given.tokens,
        mistake=mistake,
        ask=options.get("direction") != "backward",
        share=share,
        before=report_wrong_step,
        **with_gradient(given, options),
    )


def take_away(
    given: Input, options: dict[str, Any], played: dict[str, Any], share: dict[str, Any], *, broken: bool
) -> None:
    """Draw what can be taken from the whole run, and the check for kernel authors."""

    def record() -> Trace:
        return trace_attention(
            given.q, given.k, given.v, tokens=given.tokens, **with_gradient(given, options)
        )

    draw_downloads(record, played, title=share["title"], name=given.key)
    if options.get("direction") != "backward":
        draw_kernel_check(
            record,
            page=PAGE,
            query=share["query"],
            name=given.key,
            own_file=share["own_file"],
            broken=broken,
        )


page = begin("step_through", heading=False)
held = held_run()
call, refusal = chosen_input(held)
if not st.context.is_embedded:
    draw_settings(page.title, call, held, refusal)
check_run_address()
settings, shared, mistake = chosen_options(call, held), sharing(call, held), chosen_mistake(held)
try:
    payload = play(call, settings, shared, mistake)
except ValueError as error:
    st.error(WORDS["refused"].format(reason=error), icon=":material/error:")
    call = load(DEFAULT_KEY)
    settings, shared, mistake = call.options(), sharing(call, DEFAULTS), None
    payload = play(call, settings, shared)
if not st.context.is_embedded:
    take_away(call, settings, payload, shared, broken=mistake is not None)
