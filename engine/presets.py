"""Named sets of parameters: the lesson's example, and the cases in which tiling does not help.

Data only. What each one shows is computed by the parts of the calculator, and tested.
"""

from dataclasses import dataclass
from typing import Literal

from engine.models import model_named
from engine.options import Order
from engine.shapes import AttentionShape
from engine.traffic import Direction

Shows = Literal["scores", "loses", "little", "kv_cache", "weights"]

__all__ = ["PRESETS", "Preset", "Shows"]


@dataclass(frozen=True)
class Preset:
    """One named case.

    Attributes
    ----------
    key, name : str
    shape : AttentionShape
    block_q, block_k : int
    order, direction
    shows : {"scores", "loses", "little", "kv_cache", "weights"}
        ``scores``: the matrix that tiling avoids. ``loses``: tiling moves more bytes. ``little``: it saves
        little. ``kv_cache`` and ``weights``: what stays, whatever the algorithm.
    model : str or None
        A key of `engine.models.MODELS`, where layers and weights matter.
    device : str
        A key of `engine.hardware.DEVICES`.
    """

    key: str
    name: str
    shape: AttentionShape
    block_q: int
    block_k: int
    shows: Shows
    order: Order = "q_outer"
    direction: Direction = "forward"
    model: str | None = None
    device: str = "a100-80"


def _of_model(key: str, n_q: int, n_k: int, batch: int = 1) -> AttentionShape:
    model = model_named(key)
    return AttentionShape(
        n_q, n_k, model.d, heads=model.heads, kv_heads=model.kv_heads, batch=batch, causal="bottom_right"
    )


_ROWS = (
    Preset("lesson", "The lesson's example", AttentionShape(4096, 4096, 64), 128, 64, "scores"),
    Preset(
        "decode", "Decoding: one query", _of_model("llama-3-8b", 1, 4096), 64, 128, "little",
        model="llama-3-8b",
    ),
    Preset("short", "A short text", AttentionShape(32, 32, 64, heads=16), 32, 32, "little"),
    Preset(
        "wide_head",
        "A wide head with few queries in a tile",
        AttentionShape(4096, 4096, 256),
        64,
        64,
        "loses",
    ),
    Preset(
        "keys_outside", "Keys outside with a small tile", AttentionShape(4096, 4096, 128), 64, 64, "loses",
        order="kv_outer",
    ),
    Preset(
        "kv_cache", "The key/value cache", _of_model("llama-3-8b", 1, 8192, batch=16), 64, 128, "kv_cache",
        model="llama-3-8b",
    ),
    Preset(
        "weights", "The model's weights", _of_model("llama-3-8b", 8192, 8192), 128, 64, "weights",
        model="llama-3-8b",
    ),
)  # fmt: skip
PRESETS = {preset.key: preset for preset in _ROWS}
