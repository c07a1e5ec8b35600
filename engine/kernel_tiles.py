"""Tile sizes that real kernels use, each with the file it stands in."""

from dataclasses import dataclass

from engine.traffic import Direction

FA_COMMIT = "Dao-AILab/flash-attention at 0251105a2fb1"
FA_DATE = "15 August 2026"
TORCH = "pytorch/pytorch"
FA2_FORWARD = "csrc/flash_attn/src/flash_fwd_launch_template.h"
FA2_BACKWARD = "csrc/flash_attn/src/flash_bwd_launch_template.h"
FA3_FORWARD = "hopper/tile_size.h"
FA4_FORWARD = "flash_attn/cute/interface.py"
TRITON = "triton-lang/triton at 003da478d84f and dc6ee3ed2cf9"
TRITON_FILE = "python/tutorials/06-fused-attention.py"

__all__ = ["KERNEL_TILES", "KernelTile", "kernel_tiles"]


@dataclass(frozen=True)
class KernelTile:
    """One tile size of one kernel.

    Attributes
    ----------
    kernel, devices : str
        The kernel, and the chips that it picks this tile for.
    d : int
        Largest head size that it is for.
    block_q, block_k : int
    warps : int or None
        None where the source read does not say.
    when : str
        The condition, empty if there is none.
    direction : {"forward", "backward"}
    bytes_per_element : int
    source, file, date : str
    """

    kernel: str
    devices: str
    d: int
    block_q: int
    block_k: int
    warps: int | None = None
    when: str = ""
    direction: Direction = "forward"
    bytes_per_element: int = 2
    source: str = FA_COMMIT
    file: str = FA2_FORWARD
    date: str = FA_DATE

    @property
    def shared_bytes(self) -> int:
        """Shared memory of one Q tile and one pair of K and V tiles: (Br·d + 2·Bc·d) · bytes."""
        return (self.block_q + 2 * self.block_k) * self.d * self.bytes_per_element


_BIG = "A100, H100"
_SMALL = "8.6 and 8.9 chips (RTX 30 and 40, L4)"


def _fa2(devices: str, d: int, q: int, k: int, warps: int | None = None, when: str = "") -> KernelTile:
    return KernelTile("FlashAttention-2", devices, d, q, k, warps, when)


def _fa2_backward(d: int, q: int, k: int, when: str) -> KernelTile:
    return KernelTile(
        "FlashAttention-2", "by shared memory", d, q, k, None, when, "backward", file=FA2_BACKWARD
    )


def _fa3(d: int, q: int, k: int, when: str = "", devices: str = "H100", size: int = 2) -> KernelTile:
    return KernelTile(
        "FlashAttention-3", devices, d, q, k, None, when, bytes_per_element=size, file=FA3_FORWARD
    )


def _fa4(d: int, q: int, k: int) -> KernelTile:
    return KernelTile("FlashAttention-4 (CuTe)", "H100", d, q, k, file=FA4_FORWARD)


def _flex(devices: str, d: int, q: int, k: int) -> KernelTile:
    return KernelTile(
        "FlexAttention", devices, d, q, k, None, "default, bf16", source=TORCH,
        file="torch/_inductor template heuristics", date="2026",
    )  # fmt: skip


def _triton(q: int, k: int) -> tuple[KernelTile, ...]:
    return tuple(
        KernelTile(
            "Triton tutorial", "tuned when run", d, q, k, None, "tried; stages 3, 4 or 7; warps 4 or 8",
            source=TRITON, file=TRITON_FILE, date="2026",
        )
        # The tutorial asks for block_k no larger than the head size.
        for d in (32, 64, 128, 256)
        if k <= d
    )  # fmt: skip


KERNEL_TILES: tuple[KernelTile, ...] = (
    _fa2("any", 32, 128, 128),
    _fa2(_BIG, 64, 128, 128, 4),
    _fa2(_BIG, 64, 128, 64, 4, "dropout"),
    _fa2(_BIG, 96, 128, 64),
    _fa2(_BIG, 128, 128, 64),
    _fa2(_BIG, 128, 128, 32, None, "dropout"),
    _fa2("any", 192, 128, 64, 8),
    _fa2("A100", 256, 128, 64, 8),
    _fa2("H100", 256, 64, 64, 4),
    _fa2(_SMALL, 64, 128, 128),
    _fa2(_SMALL, 96, 64, 64, None, "causal"),
    _fa2(_SMALL, 128, 64, 64, None, "causal"),
    _fa2(_SMALL, 128, 128, 32, None, "not causal"),
    _fa2(_SMALL, 256, 64, 64),
    _fa2("any", 64, 64, 256, None, "decoding, keys split"),
    _fa2("any", 128, 64, 128, None, "decoding, keys split"),
    _fa2("any", 256, 64, 64, None, "decoding, keys split"),
    _fa2_backward(64, 128, 128, "144 KB of shared memory or more"),
    _fa2_backward(64, 64, 128, "less than 144 KB of shared memory"),
    _fa2_backward(128, 64, 128, "with more shared memory"),
    _fa2_backward(128, 64, 64, "with less shared memory"),
    _fa2_backward(256, 64, 64, ""),
    _fa2_backward(256, 64, 32, "99 KB parts, no dropout"),
    _fa3(64, 192, 192),
    _fa3(64, 192, 128, "causal"),
    _fa3(128, 128, 176),
    _fa3(128, 128, 128, "causal or window"),
    _fa3(256, 128, 80),
    _fa3(256, 128, 64, "window"),
    _fa3(64, 192, 160, "fp8", size=1),
    _fa3(128, 128, 224, "fp8", size=1),
    _fa3(128, 128, 192, "fp8, window and softcap", size=1),
    _fa3(256, 128, 128, "fp8", size=1),
    _fa3(64, 128, 112, devices="8.x chips"),
    _fa3(128, 128, 64, devices="8.x chips"),
    _fa3(128, 128, 128, "8 warps", devices="8.x chips"),
    _fa3(256, 128, 96, devices="8.x chips"),
    _fa3(256, 128, 64, "in some cases", devices="8.x chips"),
    _fa4(64, 192, 128),
    _fa4(128, 128, 128),
    _fa4(256, 128, 80),
    _flex("A100", 64, 128, 64),
    _flex("H100", 64, 128, 128),
    _flex("A100, H100", 128, 128, 64),
    _flex("A100", 256, 32, 64),
    _flex("H100", 256, 64, 32),
    *(tile for q in (64, 128) for k in (32, 64) for tile in _triton(q, k)),
)


def kernel_tiles(d: int, direction: Direction = "forward") -> tuple[KernelTile, ...]:
    """Tiles for a head size: those made for the smallest listed head size that holds it, kernel by kernel."""
    mine = [tile for tile in KERNEL_TILES if tile.direction == direction and tile.d >= d]
    smallest = {tile.kernel: min(t.d for t in mine if t.kernel == tile.kernel) for tile in mine}
    return tuple(tile for tile in mine if tile.d == smallest[tile.kernel])
