"""The page's runs, each made once for all visitors."""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from engine import FORMATS
from engine.masks import Causal
from engine.options import prepare
from engine.precision import Array, tolerance
from engine.precision_lab import (
    Measured,
    Tile,
    lab_inputs,
    measure,
    narrow_attention,
    running_sums,
    stalls_after,
)
from engine.reference import reference_attention
from engine.tiled import tiled_attention
from engine.variants import METHODS, Comparison, Cost, Method, Settings, compare, cost
from lesson.inputs import load

REAL_N, REAL_BLOCK, REAL_FORMAT = 4096, 128, "float16"
LAB_N, LAB_D = 256, 64
HALF_FORMATS = ("float16", "bfloat16")
SUM_FORMATS = ("float32", "float16", "bfloat16")

__all__ = [
    "HALF_FORMATS",
    "LAB_N",
    "REAL_BLOCK",
    "REAL_FORMAT",
    "REAL_N",
    "SUM_FORMATS",
    "Counted",
    "compared",
    "counted",
    "lab_runs",
    "lab_tiles",
    "real_costs",
    "rounding_limit",
    "stall",
    "sums",
]


@lru_cache(maxsize=128)
def compared(key: str, settings: Settings, storage: str) -> Comparison:
    """Run the five methods on a head of the catalogue."""
    given = load(key)
    return compare(given.q, given.k, given.v, settings, storage=storage)


@lru_cache(maxsize=128)
def rounding_limit(key: str, storage: str, causal: Causal | None) -> float:
    """Largest difference that rounding alone explains on this head."""
    given = load(key)
    q, k, v = (np.asarray(a, np.float64) for a in (given.q, given.k, given.v))
    largest_score = float(np.abs(q @ k.T).max()) / q.shape[1] ** 0.5
    largest_value = float(np.abs(v).max())
    atol, rtol = tolerance(FORMATS[storage], largest_score, largest_value)
    return atol + rtol * float(np.abs(reference_attention(q, k, v, causal=causal)[0]).max())


@lru_cache(maxsize=32)
def real_costs(settings: Settings, n: int, d: int) -> dict[Method, Cost]:
    """Costs at a real length, with the window's share of the sentence kept."""
    reach = round(settings.reach / n * REAL_N)
    real = replace(settings, block_q=REAL_BLOCK, block_k=REAL_BLOCK, reach=reach)
    size = FORMATS[REAL_FORMAT].bytes_per_element
    return {method: cost(method, REAL_N, d, real, bytes_per_element=size) for method in METHODS}


def lab_tiles(n: int) -> tuple[Tile, ...]:
    """Tiles that the rounding section runs with: two sizes, a ragged one, all at once, and both orders."""
    small, large, ragged = max(1, n // 16), max(1, n // 4), max(1, n // 3)
    return (
        Tile(large, large),
        Tile(small, small),
        Tile(large, small),
        Tile(ragged, ragged),
        Tile(n, n),
        Tile(large, large, "kv_outer"),
        Tile(small, small, "kv_outer"),
    )


@lru_cache(maxsize=32)
def lab_runs(kind: str, key: str, causal: Causal | None) -> tuple[int, tuple[Measured, ...]]:
    """Every run of the rounding section, with the number of queries and keys.

    Random inputs are drawn once, with a fixed seed and without a mask, so that everybody sees the same.
    """
    if kind == "head":
        given = load(key)
        return len(given.q), measure(given.q, given.k, given.v, lab_tiles(len(given.q)), causal=causal)
    return LAB_N, measure(*lab_inputs(kind, LAB_N, LAB_D), lab_tiles(LAB_N))


@lru_cache(maxsize=32)
def sums(value: float, count: int, name: str) -> Array:
    """Partial sums in a format."""
    return running_sums(value, count, FORMATS[name])


def stall(name: str, value: float = 1.0, count: int = 4096) -> float:
    """Where a running sum stops growing in a format.

    Raises
    ------
    ValueError
        If it does not within ``count`` additions.
    """
    partial = sums(value, count, name)
    if stalls_after(partial) is None:
        raise ValueError(f"{name} still grows after {count} additions of {value:g}")
    return float(partial[-1])


@dataclass(frozen=True)
class Counted:
    """One query over equal keys: what came out, and what should."""

    storage: str
    narrow_sums: bool
    output: float
    lse: float
    right_output: float
    right_lse: float


@lru_cache(maxsize=16)
def counted(count: int) -> tuple[Counted, ...]:
    """Attention whose row sum counts its keys, with wide and with narrow sums."""
    q, k = np.zeros((1, 1)), np.zeros((count, 1))
    v = np.linspace(0, 1, count)[:, None]
    rows = []
    for storage in HALF_FORMATS:
        o_right, lse_right = reference_attention(q, k, v, storage=storage)
        head = next(head for _, head in prepare(q, k, v, storage=storage).heads())
        wide = tiled_attention(head, 1, 128)
        narrow = narrow_attention(q, k, v, storage=storage, block_q=1, block_k=128)
        for is_narrow, (o, lse) in ((False, wide), (True, narrow)):
            got, right = (float(o[0, 0]), float(lse[0])), (float(o_right[0, 0]), float(lse_right[0]))
            rows.append(Counted(storage, is_narrow, *got, *right))
    return tuple(rows)
