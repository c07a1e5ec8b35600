"""The calculator's controls: bound to the address, checked by the engine, named when impossible."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import streamlit as st

from engine.hardware import DEVICES, Device, custom_device
from engine.models import MODELS
from engine.shapes import BYTES_OF_FORMAT, AttentionShape
from engine.tile_fit import MODES
from engine.units import exact_bytes, parse_count
from ui.address import report_unknown_choice, report_unknown_names
from ui.calculator.words import words
from ui.fields.component import Field, draw_fields, held_values

PREFIX = "calc_"
KEY = "calc_fields"
PART = "part"
FORMULAS = "formulas"
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
    "PREFIX",
    "Count",
    "Values",
    "check_address",
    "defaults",
    "device_of",
    "draw_controls",
    "held_controls",
    "shape_of",
    "values_of",
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
    "bq": Count("128", 2**20, 230),
    "bk": Count("64", 2**20, 220),
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


@cache
def defaults() -> dict[str, str]:
    """Every control's name with its default, as the address writes it."""
    usual = {name: each.default for name, each in (*COUNTS.items(), *CHOICES.items())}
    return {PART: PARTS[0], FORMULAS: "false", **usual}


def held_controls() -> dict[str, str]:
    """Return what every control says now, also those of the parts that are not on screen.

    A choice may be named as the engine names it. One that there is not is its default.
    """
    held = held_values(KEY, PREFIX, defaults())
    for name, choice in CHOICES.items():
        by_engine = {str(value): label for label, value in choice.options.items()}
        label = by_engine.get(held[name], held[name])
        held[name] = label if label in choice.options else choice.default
    held[PART] = held[PART] if held[PART] in PARTS else PARTS[0]
    held[FORMULAS] = held[FORMULAS] if held[FORMULAS] in ("true", "false") else "false"
    return held


def check_address() -> None:
    """Say what the address asks for and the page does not have."""
    # Looked at once: each question to Streamlit for a single name takes its time.
    address = st.query_params.to_dict()
    if not any(name.startswith(PREFIX) for name in address):
        return
    report_unknown_names(PREFIX, {PREFIX + name for name in defaults()})
    for name, choices in ((PART, PARTS), (FORMULAS, ("true", "false"))):
        report_unknown_choice(PREFIX + name, choices, defaults()[name])
    for name, choice in CHOICES.items():
        if address.get(PREFIX + name) not in map(str, choice.options.values()):
            report_unknown_choice(PREFIX + name, choice.options, choice.default)


@cache
def _field(name: str) -> Field:
    text = words()["fields"]
    if name in COUNTS:
        return Field(
            name,
            "text",
            text[name],
            text[f"{name}_help"],
            width=COUNTS[name].width,
            placeholder=text.get(f"{name}_empty", ""),
        )
    choice, help_text = CHOICES[name], text[f"{name}_help"]
    if name == "format":
        help_text += " " + "; ".join(f"{each}: {exact_bytes(size)}" for each, size in BYTES_OF_FORMAT.items())
    return Field(name, "choice", text[name], help_text, tuple(choice.options), choice.width)


def draw_controls(
    part: str, names: Sequence[str], held: Mapping[str, str], refused: Mapping[str, str]
) -> None:
    """Draw the choice of parts, and a part's controls in one wrapping row; some are refused."""
    text = words()["page"]
    own = held["device"] == CUSTOM
    top = [Field(PART, "parts", text["part"], options=PARTS)]
    if names:
        top.append(Field(FORMULAS, "switch", text["formulas"]))
    shown = tuple(_field(name) for name in names if own or name not in OF_OWN_DEVICE)
    rows = (("top", tuple(top)), *((("", shown),) if shown else ()))
    draw_fields(KEY, f"{part}{' own' if own else ''}", rows, PREFIX, held, defaults(), refused)


def values_of(names: Sequence[str], held: Mapping[str, str]) -> tuple[Values, dict[str, str]]:
    """Return the engine's values of a part's controls, and a message for each name that is impossible."""
    values: Values = {}
    refused = {}
    for name in names:
        if name in CHOICES:
            values[name] = CHOICES[name].options[held[name]]
        elif name not in OF_OWN_DEVICE or values.get("device") == "custom":
            try:
                values[name] = _count(name, held[name])
            except ValueError as error:
                refused[name] = str(error)
    try:
        if not refused and {"heads", "d"} <= set(values):
            shape_of(values)
    except ValueError as error:
        # Each number is possible by itself: what does not go together is the heads.
        refused["kv_heads"] = str(error)
    return values, refused


def _count(name: str, typed: str) -> int | None:
    count = COUNTS[name]
    if not count.default and not typed.strip():
        return None
    return parse_count(typed, name=words()["fields"][name], lowest=1, highest=count.highest)


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
