"""FLOPs, arithmetic intensity and the roofline: which limit binds, never how long something takes.

Only the matrix products count as FLOPs; exponentials, maxima and divisions do not. Pairs are the allowed
ones, exactly, for every algorithm, so that all are asked for the same useful work.
"""

from dataclasses import dataclass
from typing import Literal, TypedDict

from engine.hardware import Device
from engine.options import Order
from engine.shapes import AttentionShape
from engine.traffic import Direction, Ledger, compulsory_bytes, standard_bytes, tiled_bytes

Side = Literal["memory", "compute"]

ASSUMPTIONS = (
    "only matrix products count",
    "only allowed pairs count",
    "bytes are those of the ledger, with no cache",
    "rates are the dense peaks of the sheet",
    "loading and arithmetic overlap perfectly",
)

__all__ = [
    "ASSUMPTIONS", "Dot", "Roofline", "Side", "attention_flops", "ledgers", "roofline", "tiled_ledger",
]  # fmt: skip


def attention_flops(
    shape: AttentionShape, direction: Direction = "forward", *, recompute: bool = True
) -> int:
    """FLOPs of the matrix products of one attention call.

    Parameters
    ----------
    shape : AttentionShape
    direction : {"forward", "backward"}
        The backward alone, or the forward alone.
    recompute : bool
        Whether the backward makes the scores again, as tiled attention does: five products instead of four.

    Returns
    -------
    int
        Forward: 2 · pairs · (d + d_v), which is 4 · n_q · n_k · d for one size and no mask. Backward: twice
        that, and with recomputation two and a half times where d = d_v.

    Notes
    -----
    Source: FlashAttention-2, arXiv 2307.08691, section 4.1.
    """
    if direction not in ("forward", "backward"):
        raise ValueError(f"direction must be 'forward' or 'backward', not {direction!r}")
    both = shape.d + shape.value_size
    per_pair = 2 * both
    if direction == "backward":
        # dV and dP run over d_v, dQ and dK over d; the scores made again run over d.
        per_pair = 4 * both + (2 * shape.d if recompute else 0)
    return per_pair * shape.pairs.allowed * shape.copies


@dataclass(frozen=True)
class Dot:
    """One algorithm on the roofline.

    Attributes
    ----------
    name : str
        ``standard``, ``tiled`` or ``compulsory``.
    flops, n_bytes : int
    intensity : float
        FLOP per byte.
    side : {"memory", "compute"}
        Which limit the roofline puts on it: left of the ridge, the memory's bandwidth.
    bound_flops_per_s : float
        The lower of the two roofs. A bound under `ASSUMPTIONS`, never a promise.
    """

    name: str
    flops: int
    n_bytes: int
    intensity: float
    side: Side
    bound_flops_per_s: float


@dataclass(frozen=True)
class Roofline:
    """A device and the dots on it."""

    device: Device
    dots: tuple[Dot, ...]

    def dot(self, name: str) -> Dot:
        """The dot of an algorithm."""
        return next(dot for dot in self.dots if dot.name == name)


class _Sizes(TypedDict):
    """What all three models are told of a call, besides its lengths."""

    d_v: int
    bytes_per_element: int
    direction: Direction
    heads: int
    kv_heads: int
    batch: int


def ledgers(
    shape: AttentionShape, block_q: int, block_k: int, *, order: Order = "q_outer",
    direction: Direction = "forward",
) -> dict[str, Ledger]:  # fmt: skip
    """Byte ledgers of the three models for one call, by name."""
    sizes = _sizes(shape, direction)
    return {
        "standard": standard_bytes(shape.n_q, shape.n_k, shape.d, **sizes),
        "tiled": tiled_ledger(shape, block_q, block_k, order=order, direction=direction),
        "compulsory": compulsory_bytes(shape.n_q, shape.n_k, shape.d, **sizes),
    }


def tiled_ledger(
    shape: AttentionShape, block_q: int, block_k: int, *, order: Order = "q_outer",
    direction: Direction = "forward",
) -> Ledger:  # fmt: skip
    """Byte ledger of the tiled call alone: what a search over tile sizes asks for again and again."""
    return tiled_bytes(
        shape.n_q, shape.n_k, shape.d, block_q=block_q, block_k=block_k, order=order, causal=shape.causal,
        window=shape.window, **_sizes(shape, direction),
    )  # fmt: skip


def _sizes(shape: AttentionShape, direction: Direction) -> _Sizes:
    return {
        "d_v": shape.value_size,
        "bytes_per_element": shape.bytes_per_element,
        "direction": direction,
        "heads": shape.heads,
        "kv_heads": shape.group_heads,
        "batch": shape.batch,
    }


def roofline(
    shape: AttentionShape, device: Device, block_q: int, block_k: int, *, order: Order = "q_outer",
    direction: Direction = "forward",
) -> Roofline:  # fmt: skip
    """Place the standard and the tiled algorithm, and the compulsory bound, on a device's roofline.

    Fewer bytes move a dot to the right. Tiling never lowers the FLOPs; in the backward it adds to them.
    """
    dots = []
    for name, ledger in ledgers(shape, block_q, block_k, order=order, direction=direction).items():
        flops = attention_flops(shape, direction, recompute=name != "standard")
        intensity = flops / ledger.total
        under_memory = intensity * device.hbm_bytes_per_s
        side: Side = "memory" if intensity < device.ridge else "compute"
        bound = under_memory if side == "memory" else float(device.flops_per_s)
        dots.append(Dot(name, flops, ledger.total, intensity, side, bound))
    return Roofline(device, tuple(dots))
