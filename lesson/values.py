"""The numbers in the lesson's sentences, each computed here by the engine from the lesson's own example."""

import math
from collections.abc import Callable, Mapping
from functools import cache

import numpy as np

from engine import attention, reference_attention, score_matrix_bytes
from engine.hardware import device_named
from engine.one_row import Method, softmax_row
from engine.roofline import attention_flops
from engine.shapes import AttentionShape
from engine.traffic import compulsory_bytes, standard_bytes, tiled_bytes
from engine.units import binary_bytes, decimal_bytes, exact_bytes, format_bytes
from lesson.frames import default_trace, frame_values
from lesson.glossary import term_values
from lesson.inputs import DEFAULT_KEY, load
from lesson.inputs.real import meta
from lesson.links import link_values, load_links
from lesson.text import load_text

# The published lesson's example, and the head size and the tile that the app counts with.
N, BYTES_PER_SCORE, D, BLOCK = 4096, 2, 64, 128
SINGLE = 4  # bytes of a float32
DEVICE = "a100-80"
DECODE_KEYS, SHORT_N = 131_072, 128

__all__ = ["BLOCK", "BYTES_PER_SCORE", "D", "N", "section_values"]


def _times(value: float) -> str:
    """A ratio with as many digits as say something: 3.94, and 1.016 near one."""
    return f"{value:.3g}" if abs(value - 1) > 0.05 else f"{value:.3f}"


def _small(value: float) -> str:
    """A small number with two digits, for example 2.1 × 10⁻⁶."""
    digits, power = f"{value:.1e}".split("e")
    return f"{digits} × 10{str(int(power)).translate(str.maketrans('-0123456789', '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


@cache
def _break_even() -> int:
    """The tallest query tile that moves no fewer bytes than the standard algorithm does."""
    standard = standard_bytes(N, N, D, bytes_per_element=BYTES_PER_SCORE).total
    tall = 1
    while _tiled(tall + 1) >= standard:
        tall += 1
    return tall


def _tiled(block_q: int) -> int:
    return tiled_bytes(N, N, D, block_q=block_q, block_k=BLOCK, bytes_per_element=BYTES_PER_SCORE).total


def _shape(shape: tuple[int, ...]) -> str:
    return " × ".join(f"{size:,}" for size in shape)


def _sizes() -> dict[str, str]:
    return {"n_q": f"{N:,}", "n_k": f"{N:,}", "d": str(D), "bytes_per_score": str(BYTES_PER_SCORE)}


def _home() -> dict[str, str]:
    sentence, _, _ = DEFAULT_KEY.partition(".")
    return {
        "lesson_version": load_links()["lesson"].date,
        "model": meta()["provenance"]["model"],
        "sentence": meta()["sentences"][sentence],
    }


def _mechanism() -> dict[str, str]:
    size = score_matrix_bytes(N, N, BYTES_PER_SCORE)
    return _sizes() | {"pairs": f"{N * N:,}", "score_bytes": f"{exact_bytes(size)}, or {binary_bytes(size)}"}


def _online() -> dict[str, str]:
    def reads(method: Method) -> str:
        return str(softmax_row((1.0, 2.0), method).loads)

    overflow = math.log(float(np.finfo(np.float32).max))
    return {
        "reads_naive": reads("naive"),
        "reads_safe": reads("two_pass"),
        "reads_online": reads("online"),
        "overflow_score": f"{overflow:.0f}",
    }


def _traffic() -> dict[str, str]:
    standard = standard_bytes(N, N, D, bytes_per_element=BYTES_PER_SCORE).total
    least = compulsory_bytes(N, N, D, bytes_per_element=BYTES_PER_SCORE).total
    return _sizes() | {
        "block": str(BLOCK),
        "standard_bytes": format_bytes(standard),
        "tiled_bytes": format_bytes(_tiled(BLOCK)),
        "compulsory_bytes": format_bytes(least),
        "saving": _times(standard / _tiled(BLOCK)),
        "break_even": str(_break_even() + 1),
        "row_bytes": binary_bytes(N * SINGLE),
    }


def _backward() -> dict[str, str]:
    shape = AttentionShape(N, N, D)
    forward = attention_flops(shape)
    standard = standard_bytes(N, N, D, direction="backward", bytes_per_element=BYTES_PER_SCORE)
    tiled = tiled_bytes(
        N, N, D, block_q=BLOCK, block_k=BLOCK, direction="backward", bytes_per_element=BYTES_PER_SCORE
    )
    return {
        "backward_flops": _times(attention_flops(shape, "backward") / forward),
        "kept_flops": _times(attention_flops(shape, "backward", recompute=False) / forward),
        "backward_standard": binary_bytes(standard.total),
        "backward_tiled": binary_bytes(tiled.total),
    }


def _example() -> dict[str, str]:
    size, single = (score_matrix_bytes(N, N, width) for width in (BYTES_PER_SCORE, SINGLE))
    tensors = compulsory_bytes(N, N, D, bytes_per_element=BYTES_PER_SCORE).total
    return _sizes() | {
        "score_bytes": f"{exact_bytes(size)}, or {binary_bytes(size)}",
        "score_bytes_single": binary_bytes(single),
        "tensor_bytes": binary_bytes(tensors),
    }


def _tradeoffs() -> dict[str, str]:
    device = device_named(DEVICE)
    size = score_matrix_bytes(N, N, BYTES_PER_SCORE)
    if device.shared_bytes_per_block is None or device.l2_bytes is None:
        raise ValueError(f"the device {DEVICE!r} has no limit per block or no L2 size in its sheet")
    return {
        "device": device.name,
        "block_limit": binary_bytes(device.shared_bytes_per_block),
        "l_two_bytes": binary_bytes(device.l2_bytes),
        "score_bytes": binary_bytes(size),
        "score_bytes_decimal": decimal_bytes(size),
    }


def _limits() -> dict[str, str]:
    standard = standard_bytes(1, DECODE_KEYS, D, bytes_per_element=BYTES_PER_SCORE).total
    tiled = tiled_bytes(1, DECODE_KEYS, D, block_q=1, block_k=BLOCK, bytes_per_element=BYTES_PER_SCORE).total
    short = compulsory_bytes(SHORT_N, SHORT_N, D, bytes_per_element=BYTES_PER_SCORE).total
    return {
        "decode_keys": f"{DECODE_KEYS:,}",
        "decode_row": binary_bytes(score_matrix_bytes(1, DECODE_KEYS, BYTES_PER_SCORE)),
        "decode_cache": binary_bytes(2 * DECODE_KEYS * D * BYTES_PER_SCORE),
        "decode_saving": _times(standard / tiled),
        "short_n": str(SHORT_N),
        "short_scores": binary_bytes(score_matrix_bytes(SHORT_N, SHORT_N, BYTES_PER_SCORE)),
        "short_tensors": binary_bytes(short),
        "break_even": str(_break_even()),
        "d": str(D),
    }


def _interfaces() -> dict[str, str]:
    given = load(DEFAULT_KEY)
    options = given.options()
    o, lse = attention(given.q, given.k, given.v, **options)
    mask = {name: value for name, value in options.items() if name not in ("block_q", "block_k", "order")}
    exact, _ = reference_attention(given.q, given.k, given.v, **mask)
    blocks = [step.work["s"].shape for step in default_trace().steps if step.kind == "score"]
    return {
        **{f"{name}_shape": _shape(getattr(given, name).shape) for name in "qkv"},
        "in_format": str(given.q.dtype),
        "o_shape": _shape(o.shape),
        "out_format": str(o.dtype),
        "lse_shape": _shape(lse.shape),
        "lse_format": str(lse.dtype),
        "block_shape": _shape(max(blocks, key=math.prod)),
        "difference": _small(float(np.abs(o.astype(np.float64) - exact).max())),
    }


def _history() -> dict[str, str]:
    papers = ("online_softmax", "rabe_staats", "fa_one", "fa_two", "fa_three", "fa_four")
    return {f"year_{key}": load_links()[key].date.split()[-1] for key in papers}


_OF_SECTION: Mapping[str, Callable[[], dict[str, str]]] = {
    "home": _home,
    "mechanism": _mechanism,
    "online": _online,
    "traffic": _traffic,
    "backward": _backward,
    "example": _example,
    "tradeoffs": _tradeoffs,
    "limits": _limits,
    "interfaces": _interfaces,
    "history": _history,
}


@cache
def section_values(key: str, text: str) -> dict[str, str]:
    """Return every value that a section's text asks for: numbers, links, terms and places. Computed once.

    Parameters
    ----------
    key : str
        The section's key, or `home` for what stands above them.
    text : str
        The name of its text in `content/`.
    """
    asked = load_text(text).values
    own = _OF_SECTION[key]() if key in _OF_SECTION else {}
    numbers = {name: value for name, value in own.items() if name in asked}
    return {**link_values(asked), **term_values(asked), **frame_values(asked), **numbers}
