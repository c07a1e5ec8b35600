"""Part 5: named cases, those where tiling does not help among them, and the shapes of real models."""

import json
from collections.abc import Mapping
from functools import cache
from html import escape

from engine.footprint import kv_cache_bytes, score_storage, weight_bytes
from engine.hardware import DEVICES
from engine.models import MODELS, Model, model_named
from engine.presets import PRESETS, Preset
from engine.statements import saving, verdict
from engine.units import format_bytes
from ui.calculator.controls import CHOICES
from ui.calculator.html import heading, note, table
from ui.calculator.ledger_chart import LETTER
from ui.calculator.numbers import ratio
from ui.calculator.sheet import Sheet, icon
from ui.calculator.words import say, words

# The part that shows what a preset is about.
PART_OF = {
    "scores": "Storage",
    "loses": "Traffic",
    "little": "Traffic",
    "kv_cache": "Storage",
    "weights": "Storage",
}
MODEL_POSITIONS = 4096

__all__ = ["draw_presets", "model_settings", "preset_sentence", "preset_settings"]


def _label(name: str, value: object) -> str:
    """How a control writes a value of the engine."""
    return next(label for label, each in CHOICES[name].options.items() if each == value)


def preset_settings(preset: Preset) -> dict[str, str]:
    """The controls' texts for a preset."""
    shape = preset.shape
    settings = {
        "n_q": str(shape.n_q),
        "n_k": str(shape.n_k),
        "d": str(shape.d),
        "heads": str(shape.heads),
        "kv_heads": "" if shape.group_heads == shape.heads else str(shape.group_heads),
        "batch": str(shape.batch),
        "bq": str(preset.block_q),
        "bk": str(preset.block_k),
        "mask": _label("mask", shape.causal),
        "order": _label("order", preset.order),
        "direction": preset.direction,
        "device": DEVICES[preset.device].name,
        "part": PART_OF[preset.shows],
    }
    if preset.model is not None:
        model = model_named(preset.model)
        settings["layers"] = str(model.layers)
        settings["model"] = model.name if preset.shows == "weights" else CHOICES["model"].default
    return settings


def model_settings(model: Model) -> dict[str, str]:
    """The controls' texts for one request to a model."""
    return {
        "n_q": str(MODEL_POSITIONS),
        "n_k": str(MODEL_POSITIONS),
        "d": str(model.d),
        "heads": str(model.heads),
        "kv_heads": "" if model.kv_heads == model.heads else str(model.kv_heads),
        "layers": str(model.layers),
        "model": model.name,
        "mask": _label("mask", model.causal),
        "part": "Storage",
    }


@cache
def preset_sentence(key: str) -> str:
    """What a preset shows, in numbers worked out from it. Made once."""
    preset = PRESETS[key]
    shape, options = preset.shape, {"order": preset.order, "direction": preset.direction}
    found = saving(shape, preset.block_q, preset.block_k, **options)
    scores = format_bytes(score_storage(shape).all_bytes)
    size = shape.bytes_per_element
    if preset.shows == "scores":
        return say("presets", "scores", scores=scores, ratio=ratio(found.ratio))
    if preset.shows == "loses":
        even = verdict(shape, preset.block_q, preset.block_k, **options).break_even
        have = preset.block_q if even.side == "block_q" else preset.block_k
        return say(
            "presets",
            "loses",
            standard=ratio(1 / found.ratio),
            side=LETTER[even.side],
            have=have,
            law=ratio(even.law or 0),
        )
    if preset.shows == "little":
        name = "little" if found.wins else "little_loses"
        return say(
            "presets",
            name,
            ratio=ratio(found.ratio),
            standard=ratio(1 / found.ratio),
            best=ratio(found.best),
            scores=scores,
        )
    model = model_named(preset.model or "")
    if preset.shows == "kv_cache":
        cache_bytes = kv_cache_bytes(
            model.layers, model.kv_heads, model.d, shape.n_k, batch=shape.batch, bytes_per_element=size
        )
        return say("presets", "kv_cache", cache=format_bytes(cache_bytes), scores=scores)
    return say(
        "presets", "weights", weights=format_bytes(weight_bytes(model.parameters, size)), scores=scores
    )


@cache
def _models_table() -> str:
    columns = (
        "model",
        "layers",
        "heads",
        "KV heads",
        "head size",
        "hidden",
        "weights",
        f"KV cache of {MODEL_POSITIONS:,} positions in fp16, bytes",
        "note",
        "source",
        "read",
    )
    rows = [
        [
            each.name,
            f"{each.layers}",
            f"{each.heads}",
            f"{each.kv_heads}",
            f"{each.d}",
            f"{each.hidden:,}",
            f"{each.parameters:,}",
            f"{kv_cache_bytes(each.layers, each.kv_heads, each.d, MODEL_POSITIONS):,}",
            each.note,
            each.source,
            each.date,
        ]
        for each in MODELS.values()
    ]
    return table(words()["presets"]["models_table"], columns, rows, words=(0, 8, 9, 10))


def _button(name: str, settings: Mapping[str, str]) -> str:
    """A button that sets every control; those that it does not name go back to their defaults."""
    label = escape(say("presets", "load", name=name))
    given = escape(json.dumps(settings))
    return f'<button type="button" class="twc-button" data-set="{given}">{icon("input")}{label}</button>'


@cache
def _cases() -> str:
    rows = [
        f'<div class="twc-case">{_button(preset.name, preset_settings(preset))}'
        f"{note(preset_sentence(preset.key), 'text')}</div>"
        for preset in PRESETS.values()
    ]
    return f'<div class="twc-cases">{"".join(rows)}</div>'


@cache
def _models() -> str:
    buttons = "".join(_button(model.name, model_settings(model)) for model in MODELS.values())
    return f'<div class="twc-models">{buttons}</div>'


def draw_presets(sheet: Sheet) -> None:
    """Draw every case with its sentence and its button, then the models."""
    text = words()["presets"]
    sheet.add(heading(text["cases"]), _cases())
    sheet.add(note(text["assumes"]), heading(text["models"]), note(text["models_hint"]), _models())
    sheet.add(_models_table())
