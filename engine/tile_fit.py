"""Do the tiles fit? One step's working set against what one block may use, and how many blocks reside.

Two readings of "on chip". *Literal*: everything lies in the budget, as in the papers' SRAM and in a trace.
*Kernel*: Q and the stages of K and V lie in shared memory; scores, accumulator, m and l lie in registers.
Register counts are least counts (no addresses, no copies), so residency is an upper bound.
Knows sizes and limits; must not know traffic or time.
"""

from dataclasses import dataclass
from typing import Literal

from engine.hardware import Device
from engine.memory import count_within
from engine.shapes import WIDEST_FORMAT
from engine.traffic import stat_bytes

Mode = Literal["literal", "kernel"]
MODES = ("literal", "kernel")
# Rows of m, l, the new maximum and alpha, as a trace holds them beside the accumulator.
LITERAL_STATS = 4
KERNEL_STATS = 2
WARP = 32
MOST_WARPS = 32
REGISTER_BYTES = 4
# Beyond this many stages the list of parts is summed up; no kernel has as many.
MOST_LISTED = 8
# A working set is a product of three counts, so it may be far larger than any one of them.
ASK_LIMIT = 10**48

__all__ = [
    "MODES",
    "Fit",
    "Mode",
    "Part",
    "Request",
    "TileSetup",
    "check_request",
    "fit_tiles",
    "working_set",
]


@dataclass(frozen=True)
class TileSetup:
    """What a block works on.

    Attributes
    ----------
    block_q, block_k, d : int
    d_v : int or None
        None becomes d.
    bytes_per_element : int
        Of Q, K, V in shared memory: float32 4, float16 and bfloat16 2, float8 1.
    stages : int
        Pairs of a K and a V tile that are held at once, so that the next loads while this one is used.
    warps : int
        Groups of 32 threads that share the registers; a block has at most 32 of them.
    extra_bytes : int
        Shared memory for anything else, such as barriers.
    mode : {"literal", "kernel"}

    Raises
    ------
    ValueError
        If a count is impossible or the mode unknown.
    """

    block_q: int
    block_k: int
    d: int
    d_v: int | None = None
    bytes_per_element: int = 2
    stages: int = 1
    warps: int = 4
    extra_bytes: int = 0
    mode: Mode = "kernel"

    def __post_init__(self) -> None:
        for name in ("block_q", "block_k", "d", "stages"):
            object.__setattr__(self, name, count_within(name, getattr(self, name)))
        count_within("warps", self.warps, 1, MOST_WARPS)
        object.__setattr__(self, "d_v", self.d if self.d_v is None else count_within("d_v", self.d_v))
        count_within("bytes_per_element", self.bytes_per_element, 1, WIDEST_FORMAT)
        count_within("extra_bytes", self.extra_bytes, 0)
        if self.mode not in MODES:
            raise ValueError(f"mode must be 'literal' or 'kernel', not {self.mode!r}")

    @property
    def value_size(self) -> int:
        """Head size of v and o."""
        return self.d if self.d_v is None else self.d_v

    @property
    def working_bytes(self) -> int:
        """Bytes of one score, accumulator entry or statistic: float32, or float64 for float64."""
        return stat_bytes(self.bytes_per_element)

    @property
    def threads(self) -> int:
        """Threads of the block."""
        return self.warps * WARP


@dataclass(frozen=True)
class Part:
    """One resident thing: its field's letter, where it lies, and its bytes."""

    name: str
    where: Literal["shared", "registers"]
    n_bytes: int


def working_set(setup: TileSetup) -> tuple[Part, ...]:
    """What one step holds, in the order in which it is needed: Q, the stages of K and V, then the results."""
    size, wide = setup.bytes_per_element, setup.working_bytes
    parts = [Part("q", "shared", setup.block_q * setup.d * size)]
    for stage in range(1, setup.stages + 1):
        parts.append(Part(f"k stage {stage}", "shared", setup.block_k * setup.d * size))
        parts.append(Part(f"v stage {stage}", "shared", setup.block_k * setup.value_size * size))
        if stage == MOST_LISTED and setup.stages > MOST_LISTED:
            rest = (setup.stages - stage) * setup.block_k * (setup.d + setup.value_size) * size
            parts.append(Part(f"k and v, stages {stage + 1} to {setup.stages:,}", "shared", rest))
            break
    results: Literal["shared", "registers"] = "shared" if setup.mode == "literal" else "registers"
    stats = LITERAL_STATS if setup.mode == "literal" else KERNEL_STATS
    parts += [
        Part("acc", results, setup.block_q * setup.value_size * wide),
        Part("stats", results, stats * setup.block_q * wide),
        Part("s", results, setup.block_q * setup.block_k * wide),
    ]
    if setup.extra_bytes:
        parts.append(Part("extra", "shared", setup.extra_bytes))
    return tuple(parts)


@dataclass(frozen=True)
class Request:
    """A request for shared memory beside the limit of one block."""

    asked_bytes: int
    limit_bytes: int

    @property
    def fits(self) -> bool:
        """Whether a launch with it is possible."""
        return self.asked_bytes <= self.limit_bytes

    @property
    def over_bytes(self) -> int:
        """Bytes above the limit; 0 if it fits."""
        return max(0, self.asked_bytes - self.limit_bytes)

    @property
    def free_bytes(self) -> int:
        """Bytes that are left; 0 if it does not fit."""
        return max(0, self.limit_bytes - self.asked_bytes)


def check_request(asked_bytes: int, device: Device) -> Request:
    """Compare a request for shared memory with what one block of the device may use.

    Raises
    ------
    ValueError
        If the request is impossible, or no verified limit is known for the device.
    """
    if device.shared_bytes_per_block is None:
        raise ValueError(f"no verified on-chip limit of one block is known for {device.name}")
    return Request(count_within("asked_bytes", asked_bytes, 0, ASK_LIMIT), device.shared_bytes_per_block)


@dataclass(frozen=True)
class Fit:
    """Whether the tiles fit a device, as data for a sentence.

    Attributes
    ----------
    setup : TileSetup
    parts : tuple of Part
    request : Request
        Shared memory against the limit of one block.
    first_over : str or None
        The part that crosses the limit, counting in the order of ``parts``.
    registers_per_thread : int or None
        Least number that the results need; None in the literal mode.
    register_limit : int or None
        The device's, where known.
    spills : bool or None
        Whether a thread needs more than it can have; None where that is not known.
    resident : int
        Most blocks on one multiprocessor; 0 if the tiles do not fit, or if the registers are too few.
    bounds : tuple of (str, int)
        What each resource alone would allow: "shared", "registers", "threads", "blocks" where known.
    limited_by : tuple of str
        The resources with the smallest bound.
    """

    setup: TileSetup
    parts: tuple[Part, ...]
    request: Request
    first_over: str | None
    registers_per_thread: int | None
    register_limit: int | None
    spills: bool | None
    resident: int
    bounds: tuple[tuple[str, int], ...]
    limited_by: tuple[str, ...]

    @property
    def fits(self) -> bool:
        """Whether the block can be launched."""
        return self.request.fits

    @property
    def register_bytes(self) -> int:
        """Bytes of the parts that lie in registers."""
        return sum(part.n_bytes for part in self.parts if part.where == "registers")


def fit_tiles(setup: TileSetup, device: Device) -> Fit:
    """Test tiles against a device: launch, registers and residency.

    Raises
    ------
    ValueError
        If no verified limit is known for the device.

    Notes
    -----
    Assumes that nothing else is in shared memory and that allocation is to the byte; real allocation rounds
    up. Sources: the device's row in `engine.hardware`; the shared-memory sum is that of the comments in
    flash-attention's ``csrc/flash_attn/src/flash_fwd_launch_template.h`` at 0251105a2fb1.
    """
    parts = working_set(setup)
    asked = sum(part.n_bytes for part in parts if part.where == "shared")
    request = check_request(asked, device)
    registers = None
    if setup.mode == "kernel":
        in_registers = sum(part.n_bytes for part in parts if part.where == "registers")
        registers = -(-in_registers // (REGISTER_BYTES * setup.threads))
    spills = None
    if registers is not None and device.registers_per_thread is not None:
        spills = registers > device.registers_per_thread
    bounds = _bounds(asked, registers, setup, device)
    fewest = min(bound for _, bound in bounds)
    tightest = tuple(name for name, bound in bounds if bound == fewest)
    return Fit(
        setup=setup,
        parts=parts,
        request=request,
        first_over=_first_over(parts, request.limit_bytes),
        registers_per_thread=registers,
        register_limit=device.registers_per_thread,
        spills=spills,
        resident=fewest if request.fits else 0,
        bounds=bounds,
        limited_by=tightest if request.fits else ("shared",),
    )


def _bounds(
    asked: int, registers: int | None, setup: TileSetup, device: Device
) -> tuple[tuple[str, int], ...]:
    """Blocks that each resource of one multiprocessor would allow by itself."""
    shared = device.shared_bytes_per_unit or 0
    bounds = [("shared", shared // (asked + device.reserved_bytes_per_block))]
    if registers is not None and device.registers_per_unit is not None:
        # A spilling thread holds as many registers as it can have; the rest goes to slow memory.
        held = (
            registers if device.registers_per_thread is None else min(registers, device.registers_per_thread)
        )
        bounds.append(("registers", device.registers_per_unit // (held * setup.threads)))
    if setup.mode == "kernel" and device.threads_per_unit is not None:
        bounds.append(("threads", device.threads_per_unit // setup.threads))
    if device.blocks_per_unit is not None:
        bounds.append(("blocks", device.blocks_per_unit))
    return tuple(bounds)


def _first_over(parts: tuple[Part, ...], limit: int) -> str | None:
    total = 0
    for part in parts:
        total += part.n_bytes if part.where == "shared" else 0
        if total > limit:
            return part.name
    return None
