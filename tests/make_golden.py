"""Write the golden traces anew: `python -m tests.make_golden` or `make golden`. Nothing else changes them.

A golden trace is one that a reader once looked through. The test compares its structure exactly and its
numbers within a tolerance, because BLAS and exp differ between machines in the last bits.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from engine import Trace, trace_attention, trace_to_dict

FOLDER = Path(__file__).parent / "golden"
DIGITS = 9

__all__ = ["DIGITS", "FOLDER", "GOLDEN", "main", "render"]


def numbers(rows: int, columns: int, salt: int) -> np.ndarray:
    """Multiples of 1/4 from −2 to 2 by whole-number arithmetic: the same in every format and everywhere."""
    i, j = np.ogrid[:rows, :columns]
    return ((7 * i * i + 5 * i * j + 3 * j * j + salt * (i + 2 * j + 1)) % 17 - 8) / 4


def made(n_q: int = 4, n_k: int = 6, d: int = 4, d_v: int = 3, **options: Any) -> Trace:
    """A trace over `numbers`, in tiles of 2 × 2 unless told otherwise."""
    q, k, v = numbers(n_q, d, 1), numbers(n_k, d, 4), numbers(n_k, d_v, 9)
    return trace_attention(q, k, v, **({"block_q": 2, "block_k": 2} | options))


def half_precision() -> Trace:
    """bfloat16 with a boolean mask: an empty row, a tile that it empties and a ragged end."""
    keep = np.ones((3, 5), bool)
    keep[1] = False
    keep[0, 2:4] = False
    return made(3, 5, keep=keep, storage="bfloat16", block_q=2)


GOLDEN: dict[str, Callable[[], Trace]] = {
    "q_outer": lambda: made(storage="float64"),
    "kv_outer": lambda: made(storage="float64", order="kv_outer"),
    "causal": lambda: made(
        5,
        5,
        causal="bottom_right",
        window=(3, None),
        storage="float32",
        tokens=["The", " cat", " sat", " on", " it"],
    ),
    "kv_outer_top_left": lambda: made(
        3, 4, causal="top_left", softcap=2.0, storage="float32", order="kv_outer", block_k=3
    ),
    "backward": lambda: made(
        4, 5, direction="backward", causal="bottom_right", softcap=3.0, storage="float64"
    ),
    "no_rescale": lambda: made(2, 6, mistake="no_rescale", storage="float64"),
    "bfloat16": half_precision,
}


def render(document: dict[str, Any]) -> str:
    """One line a block and a step, so that a difference between two versions can be read."""

    def line(node: Any) -> str:
        return json.dumps(node, allow_nan=False, ensure_ascii=False, separators=(",", ":"))

    fields = []
    for name, value in document.items():
        if name in ("blocks", "steps", "pseudocode"):
            rows = ",\n".join(f"  {line(row)}" for row in value)
            fields.append(f'"{name}":[\n{rows}\n]')
        else:
            fields.append(f'"{name}":{line(value)}')
    return "{\n" + ",\n".join(fields) + "\n}\n"


def main() -> None:
    """Write every golden trace and remove those that no longer have a maker."""
    FOLDER.mkdir(exist_ok=True)
    for name, make in GOLDEN.items():
        path = FOLDER / f"{name}.json"
        path.write_text(render(trace_to_dict(make(), DIGITS)), encoding="utf-8")
        print(f"{path.name}: {path.stat().st_size:,} bytes")
    for path in FOLDER.glob("*.json"):
        if path.stem not in GOLDEN:
            path.unlink()
            print(f"{path.name}: removed")


if __name__ == "__main__":
    main()
