"""The lesson's two sliders: every stop computed beforehand, so that moving them asks no server."""

from typing import Any

from engine import score_matrix_bytes
from engine.traffic import compulsory_bytes, standard_bytes, tiled_bytes
from engine.units import binary_bytes, decimal_bytes, exact_bytes
from lesson.values import BLOCK, BYTES_PER_SCORE, D, N
from lesson.words import load_words

BLOCKS = (8, 16, 24, 32, 48, 64, 96, 128, 192, 256)
LENGTHS = tuple(2**power for power in range(7, 18))

__all__ = ["BLOCKS", "LENGTHS", "slider"]

Slider = dict[str, Any]


def _both(n_bytes: int) -> str:
    return f"{binary_bytes(n_bytes)} ({decimal_bytes(n_bytes)})"


def _bar(name: str, n_bytes: int, tensor: str, most: int) -> dict[str, Any]:
    return {"name": name, "text": _both(n_bytes), "share": n_bytes / most, "tensor": tensor}


def _traffic() -> Slider:
    words = load_words("lesson_words")
    standard = standard_bytes(N, N, D, bytes_per_element=BYTES_PER_SCORE).total
    least = compulsory_bytes(N, N, D, bytes_per_element=BYTES_PER_SCORE).total
    totals = {
        block: tiled_bytes(N, N, D, block_q=block, block_k=BLOCK, bytes_per_element=BYTES_PER_SCORE).total
        for block in BLOCKS
    }
    most = max(standard, *totals.values())
    stops = []
    for block, tiled in totals.items():
        less = tiled <= standard
        ratio = standard / tiled if less else tiled / standard
        stops.append(
            {
                "label": str(block),
                "bars": [
                    _bar(words.say("traffic", "standard"), standard, "s", most),
                    _bar(words.say("traffic", "tiled"), tiled, "k", most),
                    _bar(words.say("traffic", "least"), least, "q", most),
                ],
                "says": words.say(
                    "traffic",
                    "says_less" if less else "says_more",
                    block=block,
                    ratio=f"{ratio:.2f}",
                    least_ratio=f"{tiled / least:.1f}",
                ),
            }
        )
    assumes = words.say("traffic", "assumes", n=f"{N:,}", d=D, bytes=BYTES_PER_SCORE)
    return {
        "label": words.say("traffic", "label"),
        "stops": stops,
        "start": BLOCKS.index(16),
        "assumes": assumes,
    }


def _storage() -> Slider:
    words = load_words("lesson_words")
    stops = []
    for n in LENGTHS:
        scores = score_matrix_bytes(n, n, BYTES_PER_SCORE)
        tensors = compulsory_bytes(n, n, D, bytes_per_element=BYTES_PER_SCORE).total
        most = max(scores, tensors)
        stops.append(
            {
                "label": f"{n:,}",
                "bars": [
                    _bar(words.say("storage", "scores"), scores, "s", most),
                    _bar(words.say("storage", "tensors"), tensors, "q", most),
                ],
                "says": words.say(
                    "storage", "says", n=f"{n:,}", size=exact_bytes(scores), ratio=f"{scores / tensors:g}"
                ),
            }
        )
    return {
        "label": words.say("storage", "label"),
        "stops": stops,
        "start": LENGTHS.index(N),
        "assumes": words.say("storage", "assumes", d=D, bytes=BYTES_PER_SCORE),
    }


def slider(name: str) -> Slider:
    """Return a slider's stops, as finite builtins.

    Parameters
    ----------
    name : {"traffic", "storage"}

    Returns
    -------
    dict
        `label`, `start` (the first stop shown), `assumes`, and `stops`: each with `label`, `says` and `bars`,
        and each bar with `name`, `text`, `tensor` (its colour) and `share`, its length from 0 to 1.

    Raises
    ------
    ValueError
        If there is no such slider.
    """
    if name == "traffic":
        return _traffic()
    if name == "storage":
        return _storage()
    raise ValueError(f"there is no slider {name!r}")
