"""The calculator's controls: bound to the address, checked by the engine, named when impossible."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from engine.hardware import DEVICES, Device, custom_device
from engine.models import MODELS
from engine.shapes import BYTES_OF_FORMAT, AttentionShape
from engine.tile_fit import MODES
from engine.units import exact_bytes, parse_count
from ui.address import report_unknown_choice, report_unknown_names
from ui.calculator.words import words

PREFIX = "calc_"
PART = "calc_part"
FORMULAS = "calc_formulas"
JUST_SET = "just_set"
CUSTOM = "my own"
NO_MODEL = "none"
PARTS = ("Storage", "Traffic", "Fit", "Roofline", "Presets", "Papers")

# Fields that show only for a device of the reader's own.
OF_OWN_DEVICE = ("budget", "bandwidth", "rate")

__all__ = [
    "CHOICES",
    "COUNTS",
    "CUSTOM",
    "FORMULAS",
    "PART",
    "PARTS",
    "Count",
    "Values",
    "check_address",
    "device_of",
    "draw_controls",
    "finish_setting",
    "link_parameters",
    "set_values",
    "shape_of",
]

Values = dict[str, Any]


@dataclass(frozen=True)
class Count:
    """A whole number that the reader types; an empty default means that it may stay empty."""

    default: str
    highest: int
    width: int = 150


@dataclass(frozen=True)
class Choice:
    """A menu: what the page and the address show, and what the engine calls it. The first is the default."""

    options: Mapping[str, Any]
    default: str
    width: int = 170


COUNTS = {
    "n_q": Count("4096", 10**9),
    "n_k": Count("4096", 10**9),
    "heads": Count("1", 10**4, 110),
    "batch": Count("1", 10**4, 110),
    "d": Count("64", 2**16, 110),
    "kv_heads": Count("", 10**4, 150),
    "layers": Count("1", 10**4, 110),
    "bq": Count("128", 2**20, 150),
    "bk": Count("64", 2**20, 150),
    "stages": Count("1", 64, 110),
    "warps": Count("4", 32, 110),
    "budget": Count("101376", 2**40, 170),
    "bandwidth": Count("2e12", 10**18, 170),
    "rate": Count("3e14", 10**18, 170),
}
DEFAULT_BUDGET, DEFAULT_BANDWIDTH, DEFAULT_RATE = (
    parse_count(COUNTS[name].default, name=name, lowest=1, highest=COUNTS[name].highest)
    for name in ("budget", "bandwidth", "rate")
)
CHOICES = {
    "format": Choice({name: name for name in BYTES_OF_FORMAT}, "float16", 150),
    "mask": Choice(
        {"none": None, "causal, bottom right": "bottom_right", "causal, top left": "top_left"}, "none", 200
    ),
    "order": Choice({"queries outside": "q_outer", "keys outside": "kv_outer"}, "queries outside"),
    "direction": Choice({"forward": "forward", "backward": "backward"}, "forward", 140),
    "device": Choice(
        {**{device.name: key for key, device in DEVICES.items()}, CUSTOM: "custom"}, "A100 80 GB SXM", 190
    ),
    "mode": Choice({name: name for name in reversed(MODES)}, "kernel", 140),
    "model": Choice({NO_MODEL: None, **{model.name: key for key, model in MODELS.items()}}, NO_MODEL, 180),
}
KEYS = tuple(PREFIX + name for name in (*COUNTS, *CHOICES))


def check_address() -> None:
    """Say what the address asks for and the page does not have; let it name choices by the engine's names."""
    report_unknown_names(PREFIX, {*KEYS, PART, FORMULAS})
    report_unknown_choice(PART, PARTS, PARTS[0])
    report_unknown_choice(FORMULAS, ("true", "false"), "false")
    for name, choice in CHOICES.items():
        key = PREFIX + name
        asked = st.query_params.get(key)
        by_engine = {str(value): label for label, value in choice.options.items()}
        if asked not in choice.options and asked in by_engine:
            st.session_state[key] = by_engine[asked]
            st.query_params[key] = by_engine[asked]
            st.session_state[JUST_SET] = True
        else:
            report_unknown_choice(key, choice.options, choice.default)
    finish_setting()


def _defaults() -> dict[str, Any]:
    values = {PREFIX + name: each.default for name, each in (*COUNTS.items(), *CHOICES.items())}
    return values | {PART: PARTS[0], FORMULAS: False}


def set_values(settings: Mapping[str, str]) -> None:
    """Set every control from a preset, as a button's callback; those not named go back to their defaults."""
    for key, default in _defaults().items():
        if key == FORMULAS:
            continue
        value = settings.get(key.removeprefix(PREFIX), default)
        st.session_state[key] = value
        # No control but the choice of parts is drawn where presets are, so none of these is bound just now.
        if key != PART and value != default:
            st.query_params[key] = value
    st.session_state[JUST_SET] = True


def finish_setting() -> None:
    """Run the page once more after `set_values`, before the controls are drawn.

    Streamlit keeps a value that the page itself set in the address only if both had it in the run before its
    control is drawn.
    """
    if st.session_state.pop(JUST_SET, False):
        st.rerun()


def link_parameters() -> dict[str, str]:
    """Every control that is not at its default, also those of the parts that are not on screen."""
    defaults = _defaults()
    state = st.session_state.to_dict()
    found = {key: state.get(key, default) for key, default in defaults.items()}
    return {
        key: str(value).lower() if isinstance(value, bool) else str(value)
        for key, value in found.items()
        if value is not None and value != defaults[key]
    }


def _typed(name: str, messages: list[str]) -> int | None:
    """Draw one field for a number and return it; None where it is empty by right, or impossible."""
    count, text = COUNTS[name], words()["fields"]
    typed = st.text_input(
        text[name],
        count.default,
        key=PREFIX + name,
        bind="query-params",
        help=text[f"{name}_help"],
        max_chars=60,
        width=count.width,
        placeholder=text.get(f"{name}_empty", ""),
    )
    if not count.default and not (typed or "").strip():
        return None
    try:
        return parse_count(typed or "", name=text[name], lowest=1, highest=count.highest)
    except ValueError as error:
        messages.append(str(error))
        return None


def _chosen(name: str) -> Any:
    """Draw one menu and return the engine's name of what is chosen."""
    choice, text = CHOICES[name], words()["fields"]
    options = list(choice.options)
    help_text = text[f"{name}_help"]
    if name == "format":
        help_text += " " + "; ".join(f"{each}: {exact_bytes(size)}" for each, size in BYTES_OF_FORMAT.items())
    label = st.selectbox(
        text[name],
        options,
        index=options.index(choice.default),
        key=PREFIX + name,
        bind="query-params",
        help=help_text,
        width=choice.width,
        filter_mode=None,
    )
    return choice.options.get(label, choice.options[choice.default])


def draw_controls(names: Sequence[str]) -> Values | None:
    """Draw the controls of a part in one wrapping row, and return their values.

    Returns
    -------
    dict or None
        The engine's values by name; None, with a message that names value and limit, if one is impossible.
    """
    messages: list[str] = []
    values: Values = {}
    with st.container(horizontal=True, gap="small"):
        for name in names:
            if name in OF_OWN_DEVICE and values.get("device") != "custom":
                continue
            values[name] = _typed(name, messages) if name in COUNTS else _chosen(name)
    try:
        if not messages and {"heads", "d"} <= set(values):
            shape_of(values)
    except ValueError as error:
        messages.append(str(error))
    for message in messages:
        st.error(message, icon=":material/error:")
    if messages:
        st.info(words()["page"]["correct_first"], icon=":material/info:")
        return None
    return values


def shape_of(values: Values) -> AttentionShape:
    """The attention call that the controls describe; what a part does not ask for is as the lesson has it.

    Raises
    ------
    ValueError
        If the sizes do not go together; the message holds both.
    """
    return AttentionShape(
        values["n_q"],
        values.get("n_k", values["n_q"]),
        values["d"],
        heads=values["heads"],
        kv_heads=values.get("kv_heads"),
        batch=values["batch"],
        bytes_per_element=BYTES_OF_FORMAT[values["format"]],
        causal=values.get("mask"),
    )


def device_of(values: Values) -> Device:
    """The chosen device, or one of the reader's own; what a part does not ask for is at its default."""
    if values["device"] == "custom":
        return custom_device(
            values.get("budget", DEFAULT_BUDGET),
            hbm_bytes_per_s=values.get("bandwidth", DEFAULT_BANDWIDTH),
            flops_per_s=values.get("rate", DEFAULT_RATE),
            name=CUSTOM,
        )
    return DEVICES[values["device"]]
