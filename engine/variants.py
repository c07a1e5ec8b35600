"""Exact and inexact attention side by side: what each computes, what each leaves out, and what each costs.

Five methods run on one head: standard and tiled, which are exact; sliding window and block-sparse attention,
which delete pairs; and a stand-in for low-rank methods, which keeps all pairs but only some of each score.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from engine.masks import BoolArray, Causal, PairRule, Window, tile_ranges
from engine.memory import whole_number
from engine.online import State
from engine.options import prepare
from engine.precision import FORMATS, Array
from engine.reference import reference_attention
from engine.standard import standard_attention
from engine.tiled import tiled_attention
from engine.traffic import Ledger, Traffic, standard_bytes, tiled_bytes

Method = Literal["standard", "tiled", "window", "block_sparse", "low_rank"]
Pattern = Literal["local_first", "every_second"]
METHODS: tuple[Method, ...] = ("standard", "tiled", "window", "block_sparse", "low_rank")
PATTERNS: tuple[Pattern, ...] = ("local_first", "every_second")

__all__ = [
    "METHODS",
    "PATTERNS",
    "Comparison",
    "Cost",
    "Method",
    "Pattern",
    "Run",
    "Settings",
    "compare",
    "cost",
    "pattern_keep",
]


@dataclass(frozen=True)
class Settings:
    """How the five methods are to run.

    Attributes
    ----------
    causal : {None, "bottom_right", "top_left"}
        The mask that belongs to the model: part of the definition, not a saving.
    block_q, block_k : int
        Tile of every method but the standard one.
    reach : int
        Sliding window: keys that a query sees before its own, and without a mask after it too.
    pattern : {"local_first", "every_second"}
        Block-sparse: each query tile keeps its own key tiles and the first, or every second key tile.
    rank : int
        Low-rank: directions of q and k that are kept. From the rank of K on, nothing is lost but rounding.
    """

    causal: Causal | None = "bottom_right"
    block_q: int = 4
    block_k: int = 4
    reach: int = 3
    pattern: Pattern = "local_first"
    rank: int = 4

    def __post_init__(self) -> None:
        for name, lowest in (("block_q", 1), ("block_k", 1), ("reach", 0), ("rank", 1)):
            whole_number(name, getattr(self, name), lowest)
        if self.pattern not in PATTERNS:
            raise ValueError(f"pattern must be one of {', '.join(PATTERNS)}, not {self.pattern!r}")


@dataclass(frozen=True)
class Cost:
    """What a method asks of the machine, for one head.

    Attributes
    ----------
    asked : int
        Pairs that the definition asks for: all that the model's own mask allows.
    used : int
        Pairs among them that shape the output.
    multiplied : int
        Pairs whose scores are multiplied out, hidden ones of a visited tile included.
    flops : int
        FLOPs of the matrix products over the multiplied pairs, projections included.
    ledger : Ledger
        Bytes to and from outer memory.
    """

    asked: int
    used: int
    multiplied: int
    flops: int
    ledger: Ledger

    @property
    def left_out(self) -> int:
        """Pairs that the definition asks for and the method never looks at."""
        return self.asked - self.used


@dataclass(frozen=True, eq=False)
class Run:
    """One method's output and how far it is from the definition.

    Attributes
    ----------
    method : str
    o : ndarray of shape (n_q, d_v), in the storage format
    asked, used, multiplied : ndarray of bool, shape (n_q, n_k)
        The maps that `Cost` counts, as the run itself made them.
    cost : Cost
    row_difference : ndarray of float64, shape (n_q,)
        Largest absolute difference from float64 dense attention on the same rounded inputs, row by row.
    rms : float
        Root of the mean square of all differences.
    """

    method: Method
    o: Array
    asked: BoolArray
    used: BoolArray
    multiplied: BoolArray
    cost: Cost
    row_difference: Array
    rms: float

    @property
    def largest(self) -> float:
        """Largest absolute difference."""
        return float(self.row_difference.max())


@dataclass(frozen=True, eq=False)
class Comparison:
    """The five runs on one head, and the scale to read their differences by.

    ``reference`` is float64 dense attention, shape (n_q, d_v).
    """

    settings: Settings
    storage: str
    reference: Array
    runs: Mapping[Method, Run]


def pattern_keep(n: int, block_q: int, block_k: int, pattern: Pattern) -> BoolArray:
    """Pairs that a block-sparse pattern keeps, shape (n, n): whole tiles, whatever they hold."""
    keep = np.zeros((n, n), np.bool_)
    k_tiles = tile_ranges(n, block_k)
    for rows in tile_ranges(n, block_q):
        own = rows[0] // block_k
        for j, cols in enumerate(k_tiles):
            local = cols[0] < rows[1] and rows[0] < cols[1]
            other = j == 0 if pattern == "local_first" else (j - own) % 2 == 0
            keep[slice(*rows), slice(*cols)] = local or other
    return keep


def _options(method: Method, n: int, settings: Settings) -> dict[str, Any]:
    """What a method adds to the model's own mask."""
    if method == "window":
        ahead = 0 if settings.causal else settings.reach
        window: Window = (settings.reach, ahead)
        return {"window": window}
    if method == "block_sparse":
        keep = pattern_keep(n, min(settings.block_q, n), min(settings.block_k, n), settings.pattern)
        return {"keep": keep}
    return {}


def cost(
    method: Method, n: int, d: int, settings: Settings, *, d_v: int | None = None, bytes_per_element: int = 2
) -> Cost:
    """Pairs, FLOPs and bytes of a method for n queries and n keys, without running it.

    Parameters
    ----------
    method : str
        One of `METHODS`.
    n, d, d_v, bytes_per_element : int
    settings : Settings

    Raises
    ------
    ValueError
        If there is no such method, or a size is impossible.

    Notes
    -----
    The standard method multiplies the whole matrix and masks afterwards. The low-rank stand-in counts one
    pass that projects Q and K on its directions; finding the directions is not counted, since a real method
    would have to have them beforehand.
    """
    if method not in METHODS:
        raise ValueError(f"the method must be one of {', '.join(METHODS)}, not {method!r}")
    n, d = whole_number("n", n, 1), whole_number("d", d, 1)
    d_v = d if d_v is None else whole_number("d_v", d_v, 1)
    added = _options(method, n, settings)
    rule = PairRule(n, n, settings.causal, added.get("window"), added.get("keep"))
    model = PairRule(n, n, settings.causal)
    asked, used, multiplied = 0, 0, 0
    for rows in tile_ranges(n, settings.block_q):
        for cols in tile_ranges(n, settings.block_k):
            asked += int(model.allowed(rows, cols).sum())
            if rule.visits(rows, cols):
                used += int(rule.allowed(rows, cols).sum())
                multiplied += (rows[1] - rows[0]) * (cols[1] - cols[0])
    if method == "standard":
        whole = standard_bytes(n, n, d, d_v=d_v, bytes_per_element=bytes_per_element)
        return Cost(asked, used, n * n, 2 * n * n * (d + d_v), whole)
    width = min(settings.rank, d) if method == "low_rank" else d
    ledger = tiled_bytes(
        n, n, width, d_v=d_v, block_q=settings.block_q, block_k=settings.block_k, causal=settings.causal,
        bytes_per_element=bytes_per_element, **added,
    )  # fmt: skip
    flops = 2 * multiplied * (width + d_v)
    if method == "low_rank":
        flops += 2 * 2 * n * d * width
        ledger = _with_projection(ledger, n, d, width, bytes_per_element)
    return Cost(asked, used, multiplied, flops, ledger)


def _with_projection(ledger: Ledger, n: int, d: int, rank: int, size: int) -> Ledger:
    """Add the pass that reads Q, K and the directions and writes the narrow Q and K."""
    moved = dict(ledger.by_tensor)
    for name in ("q", "k"):
        moved[name] = Traffic(moved[name].read + n * d * size, moved[name].written + n * rank * size)
    moved["directions"] = Traffic(d * rank * size, 0)
    return Ledger(MappingProxyType(moved))


def compare(
    q: npt.ArrayLike, k: npt.ArrayLike, v: npt.ArrayLike, settings: Settings, *, storage: str = "float32"
) -> Comparison:
    """Run the five methods on one head.

    Parameters
    ----------
    q, k : array_like of shape (n, d)
    v : array_like of shape (n, d_v)
    settings : Settings
    storage : str
        A format of `engine.FORMATS`.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        As `engine.attention`; also if there is more than one head, or as many keys as queries are not given.
    """
    call = prepare(q, k, v, causal=settings.causal, storage=storage)
    if call.lead:
        raise ValueError(f"the comparison takes one head, of shape (n, d); q has leading axes {call.lead}")
    n, n_k = call.q.shape[2], call.k.shape[2]
    if n != n_k:
        raise ValueError(f"the comparison needs as many keys as queries, not {n_k} keys and {n} queries")
    reference = reference_attention(q, k, v, causal=settings.causal, storage=storage)[0]
    rounded = (call.q[0, 0], call.k[0, 0], call.v[0, 0])
    runs = {method: _run(method, rounded, settings, storage, reference) for method in METHODS}
    return Comparison(settings, storage, reference, MappingProxyType(runs))


def _run(
    method: Method, arrays: tuple[Array, Array, Array], settings: Settings, storage: str, reference: Array
) -> Run:
    q, k, v = arrays
    n, d = q.shape
    added = _options(method, n, settings)
    options = {"causal": settings.causal, "storage": storage, **added}
    whole = (0, n), (0, n)
    asked = PairRule(n, n, settings.causal).allowed(*whole)
    used = asked & PairRule(n, n, settings.causal, added.get("window"), added.get("keep")).allowed(*whole)
    multiplied = np.zeros((n, n), np.bool_)
    if method == "standard":
        o = standard_attention(q, k, v, **options)
        multiplied[:] = True
    else:
        if method == "low_rank":
            # Taking the mean key off every key shifts a whole row of scores, which softmax does not see.
            k = k - k.mean(axis=0)
            directions = _directions(k, settings.rank)
            q, k, options["scale"] = q @ directions, k @ directions, 1 / np.sqrt(d)
        head = next(head for _, head in prepare(q, k, v, **options).heads())
        block_q, block_k = min(settings.block_q, n), min(settings.block_k, n)

        def note(
            kind: str, tile: tuple[int | None, int | None], state: State | None = None, **work: Any
        ) -> None:
            """Mark the tile whose scores are being made: the map is what the loop did, not what it should."""
            i, j = tile
            if kind == "score" and i is not None and j is not None:
                rows, cols = work["s"].shape
                multiplied[i * block_q : i * block_q + rows, j * block_k : j * block_k + cols] = True

        o, _ = tiled_attention(head, block_q, block_k, note=note)
    off = o.astype(np.float64) - reference
    return Run(
        method, o, asked, used & multiplied, multiplied,
        cost(method, n, d, settings, d_v=v.shape[1], bytes_per_element=FORMATS[storage].bytes_per_element),
        np.abs(off).max(axis=1), float(np.sqrt(np.mean(off * off))),
    )  # fmt: skip


def _directions(k: Array, rank: int) -> Array:
    """The directions, shape (d, rank), that keep most of K: its first right singular vectors.

    No other directions lose less of K (Eckart and Young), so the stand-in flatters low-rank methods.
    """
    right = np.linalg.svd(k.astype(np.float64))[2]
    return right[: min(rank, len(right))].T.astype(k.dtype)
