"""Bytes to and from outer memory, by closed forms that equal a trace's totals byte for byte.

Outer memory is anything beyond the on-chip budget; caches are not modelled. Knows sizes and masks only; must
not know scores or how long anything takes. Rules: docs/decisions/byte-counting.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

import numpy.typing as npt

from engine.floor_sums import TileCover, cover
from engine.masks import Causal, PairRule, Window, tile_ranges
from engine.memory import whole_number
from engine.options import CAUSAL, ORDERS, Order, check_keep, check_window

Direction = Literal["forward", "backward"]

__all__ = [
    "Direction",
    "Ledger",
    "Traffic",
    "compulsory_bytes",
    "standard_bytes",
    "stat_bytes",
    "tiled_bytes",
]


@dataclass(frozen=True)
class Traffic:
    """Bytes of one tensor: ``read`` from and ``written`` to outer memory."""

    read: int = 0
    written: int = 0


@dataclass(frozen=True)
class Ledger:
    """Bytes of one run, tensor by tensor, as exact ints.

    Tensors are named ``q k v o lse m l s p d_o delta d_q d_k d_v d_p d_s``.
    """

    by_tensor: Mapping[str, Traffic] = field(default_factory=dict)

    @property
    def read(self) -> int:
        """Bytes read from outer memory."""
        return sum(t.read for t in self.by_tensor.values())

    @property
    def written(self) -> int:
        """Bytes written to outer memory."""
        return sum(t.written for t in self.by_tensor.values())

    @property
    def total(self) -> int:
        """Bytes read and written."""
        return self.read + self.written


@dataclass(frozen=True)
class _Sizes:
    n_q: int
    n_k: int
    d: int
    d_v: int
    size: int  # bytes per element
    stat: int  # bytes per m, l, lse or delta
    copies: int  # query heads times batch
    kv_share: tuple[int, int]  # key/value heads over query heads, for the compulsory bound


def stat_bytes(bytes_per_element: int) -> int:
    """Bytes of one m, l, lse or D: float32, or float64 where the tensors are float64."""
    return 8 if bytes_per_element == 8 else 4


def standard_bytes(
    n_q: int,
    n_k: int,
    d: int,
    *,
    d_v: int | None = None,
    bytes_per_element: int = 2,
    direction: Direction = "forward",
    heads: int = 1,
    kv_heads: int | None = None,
    batch: int = 1,
) -> Ledger:
    """Traffic of standard attention, which writes S and P out and reads them back.

    Parameters
    ----------
    n_q, n_k : int
        Query and key positions.
    d, d_v : int
        Head sizes of q and k, and of v and o; d_v None is d.
    bytes_per_element : int
    direction : {"forward", "backward"}
        The backward alone, or the forward alone.
    heads, kv_heads, batch : int
        Every query head is a pass of its own, so kv_heads does not lower the traffic of this model.

    Returns
    -------
    Ledger
        Forward: reads Q, K; S; P, V and writes S; P; O: four n_q·n_k passes. Backward: seven.

    Raises
    ------
    ValueError
        If a count is not a whole number or is below its least value.

    Notes
    -----
    Source: FlashAttention (arXiv 2205.14135), Algorithms 0 and 3. A mask does not lower it: the dense matrix
    is stored whole.
    """
    z = _sizes(n_q, n_k, d, d_v, bytes_per_element, heads, kv_heads, batch)
    q, k, v = z.n_q * z.d * z.size, z.n_k * z.d * z.size, z.n_k * z.d_v * z.size
    o, s = z.n_q * z.d_v * z.size, z.n_q * z.n_k * z.size
    if _direction(direction) == "forward":
        moved = {"q": (q, 0), "k": (k, 0), "v": (v, 0), "s": (s, s), "p": (s, s), "o": (0, o)}
    else:
        moved = {
            "p": (2 * s, 0), "d_p": (s, s), "d_s": (2 * s, s),
            "q": (q, 0), "k": (k, 0), "v": (v, 0), "d_o": (2 * o, 0),
            "d_q": (0, q), "d_k": (0, k), "d_v": (0, v),
        }  # fmt: skip
    return _ledger(moved, z.copies)


def tiled_bytes(
    n_q: int,
    n_k: int,
    d: int,
    *,
    block_q: int,
    block_k: int,
    order: Order = "q_outer",
    causal: Causal | None = None,
    window: Window | None = None,
    keep: npt.ArrayLike | None = None,
    d_v: int | None = None,
    bytes_per_element: int = 2,
    direction: Direction = "forward",
    heads: int = 1,
    kv_heads: int | None = None,
    batch: int = 1,
) -> Ledger:
    """Traffic of tiled attention; equals the totals of a trace with the same options, byte for byte.

    Parameters
    ----------
    n_q, n_k, d, d_v, bytes_per_element, direction, heads, kv_heads, batch
        As `standard_bytes`. Every query head loads its own tiles, so kv_heads does not lower the traffic.
    block_q, block_k : int
        Queries and keys in a tile.
    order : {"q_outer", "kv_outer"}
        Loop order of the forward; the backward has keys outside.
    causal, window, keep
        As `engine.attention`, keep for one head, shape (n_q, n_k). Tiles without a pair are not loaded.

    Returns
    -------
    Ledger
        q_outer: Q once, K and V once per query tile that visits them, O and lse out once. kv_outer: K and V
        once, Q, O, m and l in and O, m and l out at every visit. Backward: K and V once; Q, dO, lse, D and
        dQ in and dQ out at every visit; dK and dV out once; and one pass over O and dO that makes D.

    Raises
    ------
    ValueError
        As `standard_bytes`, or for an unknown order, mask or tile size.

    Notes
    -----
    Sources: FlashAttention (arXiv 2205.14135), Algorithms 1 and 4; FlashAttention-2 (arXiv 2307.08691),
    section 3.1. The counts of tiles are exact sums of floors, so size costs nothing.
    """
    z = _sizes(n_q, n_k, d, d_v, bytes_per_element, heads, kv_heads, batch)
    if order not in ORDERS:
        raise ValueError(f"order must be 'q_outer' or 'kv_outer', not {order!r}")
    if causal is not None and causal not in CAUSAL:
        raise ValueError(f"causal must be None, 'bottom_right' or 'top_left', not {causal!r}")
    block_q = min(whole_number("block_q", block_q, 1), max(1, z.n_q))
    block_k = min(whole_number("block_k", block_k, 1), max(1, z.n_k))
    rule = PairRule(z.n_q, z.n_k, causal, check_window(window), check_keep(keep, (z.n_q, z.n_k)))
    by_q, by_k = _covers(rule, block_q, block_k)
    if _direction(direction) == "backward":
        return _ledger(_backward(z, by_k), z.copies)
    return _ledger(_queries_outside(z, by_q) if order == "q_outer" else _keys_outside(z, by_k), z.copies)


def compulsory_bytes(
    n_q: int,
    n_k: int,
    d: int,
    *,
    d_v: int | None = None,
    bytes_per_element: int = 2,
    direction: Direction = "forward",
    heads: int = 1,
    kv_heads: int | None = None,
    batch: int = 1,
) -> Ledger:
    """Each tensor once: every input is read once, every output written once.

    Parameters are those of `standard_bytes`; here kv_heads counts: shared K and V need reading only once.
    The few bytes of lse, m and l are left out, as where the papers' passes are counted.

    Returns
    -------
    Ledger
        Forward: Q, K, V in, O out. Backward: Q, K, V, O, dO in, dQ, dK, dV out.

    Notes
    -----
    Without a mask no exact forward moves less. The backward's count has O among its inputs, as
    FlashAttention's has. So it bounds the methods that read O, and is no bound of the others: the standard
    backward works from P, and a method that makes O again from Q, K and V needs seven tensors of the eight.
    """
    z = _sizes(n_q, n_k, d, d_v, bytes_per_element, heads, kv_heads, batch)
    q, o = z.n_q * z.d * z.size * z.copies, z.n_q * z.d_v * z.size * z.copies
    kv_heads_in_all = z.copies * z.kv_share[0] // z.kv_share[1]
    k, v = z.n_k * z.d * z.size * kv_heads_in_all, z.n_k * z.d_v * z.size * kv_heads_in_all
    if _direction(direction) == "forward":
        return _ledger({"q": (q, 0), "k": (k, 0), "v": (v, 0), "o": (0, o)}, 1)
    moved = {
        "q": (q, 0), "k": (k, 0), "v": (v, 0), "o": (o, 0), "d_o": (o, 0),
        "d_q": (0, q), "d_k": (0, k), "d_v": (0, v),
    }  # fmt: skip
    return _ledger(moved, 1)


def _queries_outside(z: _Sizes, by_q: TileCover) -> dict[str, tuple[int, int]]:
    return {
        "q": (z.n_q * z.d * z.size, 0),
        "k": (by_q.positions * z.d * z.size, 0),
        "v": (by_q.positions * z.d_v * z.size, 0),
        "o": (0, z.n_q * z.d_v * z.size),
        "lse": (0, z.n_q * z.stat),
    }


def _keys_outside(z: _Sizes, by_k: TileCover) -> dict[str, tuple[int, int]]:
    o, stat = by_k.positions * z.d_v * z.size, by_k.positions * z.stat
    return {
        "k": (by_k.own_positions * z.d * z.size, 0),
        "v": (by_k.own_positions * z.d_v * z.size, 0),
        "q": (by_k.positions * z.d * z.size, 0),
        "o": (o, o),
        "m": (stat, stat),
        "l": (stat, stat),
    }


def _backward(z: _Sizes, by_k: TileCover) -> dict[str, tuple[int, int]]:
    q_visits, stat_visits = by_k.positions * z.d * z.size, by_k.positions * z.stat
    o_once = z.n_q * z.d_v * z.size
    return {
        "o": (o_once, 0),
        "d_o": (o_once + by_k.positions * z.d_v * z.size, 0),
        "delta": (stat_visits, z.n_q * z.stat),
        "lse": (stat_visits, 0),
        "k": (by_k.own_positions * z.d * z.size, 0),
        "v": (by_k.own_positions * z.d_v * z.size, 0),
        "q": (q_visits, 0),
        "d_q": (q_visits, q_visits),
        "d_k": (0, z.n_k * z.d * z.size),
        "d_v": (0, z.n_k * z.d_v * z.size),
    }


def _covers(rule: PairRule, block_q: int, block_k: int) -> tuple[TileCover, TileCover]:
    """What query tiles see of the keys, and what key tiles see of the queries."""
    if rule.keep is None:
        by_q = cover(rule.n_q, rule.n_k, block_q, block_k, rule.offset, rule.left, rule.right)
        by_k = cover(rule.n_k, rule.n_q, block_k, block_q, -rule.offset, rule.right, rule.left)
        return by_q, by_k
    q_tiles, k_tiles = tile_ranges(rule.n_q, block_q), tile_ranges(rule.n_k, block_k)
    pairs = [(rows, cols) for rows in q_tiles for cols in k_tiles if rule.visits(rows, cols)]
    return tuple(
        TileCover(
            visits=len(pairs),
            positions=sum(b[1] - b[0] for _, b in mine),
            own_positions=sum(b[1] - b[0] for b in {a for a, _ in mine}),
        )
        for mine in (pairs, [(cols, rows) for rows, cols in pairs])
    )  # type: ignore[return-value]


def _sizes(
    n_q: int,
    n_k: int,
    d: int,
    d_v: int | None,
    bytes_per_element: int,
    heads: int,
    kv_heads: int | None,
    batch: int,
) -> _Sizes:
    heads = whole_number("heads", heads, 1)
    kv_heads = heads if kv_heads is None else whole_number("kv_heads", kv_heads, 1)
    if heads % kv_heads:
        raise ValueError(f"{heads} query heads is not a multiple of {kv_heads} key/value heads")
    size = whole_number("bytes_per_element", bytes_per_element, 1)
    d = whole_number("d", d, 1)
    return _Sizes(
        whole_number("n_q", n_q, 0),
        whole_number("n_k", n_k, 0),
        d,
        d if d_v is None else whole_number("d_v", d_v, 1),
        size,
        stat_bytes(size),
        heads * whole_number("batch", batch, 1),
        (kv_heads, heads),
    )


def _direction(direction: Direction) -> Direction:
    if direction not in ("forward", "backward"):
        raise ValueError(f"direction must be 'forward' or 'backward', not {direction!r}")
    return direction


def _ledger(moved: dict[str, tuple[int, int]], copies: int) -> Ledger:
    return Ledger(MappingProxyType({t: Traffic(r * copies, w * copies) for t, (r, w) in moved.items()}))
