"""Named devices: on-chip limits, memory, bandwidth and dense peak rates, each row with its source.

Every rate is dense. A rate "with sparsity" counts multiplications by zero that are never made; it stands
beside the dense one only so that a reader who knows it can place it. Ridges are computed.
"""

from dataclasses import dataclass

from engine.memory import MAX_COUNT, count_within

KIB, MIB = 2**10, 2**20
GB = 10**9

__all__ = ["DEVICES", "KIB", "Device", "custom_device", "device_named"]

# What NVIDIA states for its architectures: shared memory, residency and register limits.
ARCH_SOURCE = "NVIDIA/cccl, libcudacxx/include/cuda/__device/arch_traits.h at efee2cf61c8e"


@dataclass(frozen=True)
class Device:
    """One accelerator. None stands for a figure that no source we read gives.

    Attributes
    ----------
    key, name : str
    unit, units : str, int or None
        What a multiprocessor is called here, and how many there are.
    combined_bytes_per_unit : int or None
        L1 cache and shared memory together.
    shared_bytes_per_unit, shared_bytes_per_block : int or None
        The most that one multiprocessor gives to all its blocks, and the most that one block may ask for.
        The second is the limit that a tile has to fit.
    reserved_bytes_per_block : int
        What the driver keeps for itself of the first, for every resident block.
    registers_per_unit, registers_per_thread, threads_per_unit, blocks_per_unit : int or None
        32-bit registers, and residency limits.
    l2_bytes, memory_bytes : int or None, int
    memory : str
        The label of the memory, and how ``memory_bytes`` reads it.
    hbm_bytes_per_s : int
    flops_per_s : int
        Dense 16-bit products with float32 accumulation.
    sparse_flops_per_s : int or None
        The larger figure that sheets print, for structured sparsity.
    rate_note, note : str
        Dense or sparse, and anything else to know.
    source, date : str
        Where the row is from, and the year in which that was read.
    tag : str
        ``"primary"``: the maker's text was read. ``"quoted"``: the maker's figure through a third party.
    """

    key: str
    name: str
    unit: str
    units: int | None
    combined_bytes_per_unit: int | None
    shared_bytes_per_unit: int | None
    shared_bytes_per_block: int | None
    reserved_bytes_per_block: int
    registers_per_unit: int | None
    registers_per_thread: int | None
    threads_per_unit: int | None
    blocks_per_unit: int | None
    l2_bytes: int | None
    memory_bytes: int
    memory: str
    hbm_bytes_per_s: int
    flops_per_s: int
    sparse_flops_per_s: int | None
    rate_note: str
    note: str
    source: str
    date: str
    tag: str

    @property
    def ridge(self) -> float:
        """FLOP per byte at which the peak rate and the outer memory's bandwidth meet."""
        return self.flops_per_s / self.hbm_bytes_per_s


@dataclass(frozen=True)
class _Arch:
    """On-chip limits that all devices of one NVIDIA architecture share."""

    shared: int
    block: int
    reserved: int
    threads: int
    blocks: int


_VOLTA = _Arch(96 * KIB, 96 * KIB, 0, 2048, 32)
_TURING = _Arch(64 * KIB, 64 * KIB, 0, 1024, 16)
_AMPERE = _Arch(164 * KIB, 163 * KIB, KIB, 2048, 32)
_ADA = _Arch(100 * KIB, 99 * KIB, KIB, 1536, 24)
_HOPPER = _Arch(228 * KIB, 227 * KIB, KIB, 2048, 32)
_BLACKWELL = _Arch(228 * KIB, 227 * KIB, KIB, 2048, 32)

_NO_SPARSE = "Dense; this chip has no sparse rate."
_DRIVER = "as the driver reports it"
_LABEL = "the label, read as 10⁹ bytes"
_READ = "2026"


def _nvidia(
    key: str, name: str, arch: _Arch, *, units: int, combined: int | None, l2: int, memory_bytes: int,
    memory: str, gb_per_s: int, gflops: int, sparse_gflops: int | None, rate_note: str, source: str,
    tag: str, note: str = "",
) -> Device:  # fmt: skip
    """A row: rates in 10⁹ bytes/s and 10⁹ FLOP/s, so that every figure stays a whole number."""
    return Device(
        key=key, name=name, unit="SM", units=units, combined_bytes_per_unit=combined,
        shared_bytes_per_unit=arch.shared, shared_bytes_per_block=arch.block,
        reserved_bytes_per_block=arch.reserved, registers_per_unit=65_536, registers_per_thread=255,
        threads_per_unit=arch.threads, blocks_per_unit=arch.blocks, l2_bytes=l2, memory_bytes=memory_bytes,
        memory=memory, hbm_bytes_per_s=gb_per_s * GB, flops_per_s=gflops * GB,
        sparse_flops_per_s=None if sparse_gflops is None else sparse_gflops * GB, rate_note=rate_note,
        note=note, source=f"{source}; {ARCH_SOURCE}", date=_READ, tag=tag,
    )  # fmt: skip


_AMPERE_SOURCE = "Ampere tuning guide; A100 datasheet r4 (quoted); FlashAttention section 2.1"
_ROWS = (
    _nvidia(
        "v100", "V100 SXM2", _VOLTA, units=80, combined=128 * KIB, l2=6 * MIB, memory_bytes=16 * GB,
        memory=f"16 GB HBM2 (also sold with 32), {_LABEL}", gb_per_s=900, gflops=125_000, sparse_gflops=None,
        rate_note=f"{_NO_SPARSE} fp16 only, no bf16.",
        source="Volta tuning guide; V100 datasheet (quoted); jax-ml/scaling-book gpus.md at 1a55377a",
        tag="quoted",
    ),
    _nvidia(
        "a100-40", "A100 40 GB SXM", _AMPERE, units=108, combined=192 * KIB, l2=40 * MIB,
        memory_bytes=40_960 * MIB, memory=f"40 GB HBM2, {_DRIVER}", gb_per_s=1555, gflops=312_000,
        sparse_gflops=None, rate_note="Dense.", source=_AMPERE_SOURCE, tag="quoted",
    ),
    _nvidia(
        "a100-80", "A100 80 GB SXM", _AMPERE, units=108, combined=192 * KIB, l2=40 * MIB,
        memory_bytes=81_920 * MIB, memory=f"80 GB HBM2e, {_DRIVER}", gb_per_s=2039, gflops=312_000,
        sparse_gflops=None, rate_note="Dense.", source=_AMPERE_SOURCE, tag="quoted",
        note="The PCIe card has 1935 GB/s.",
    ),
    _nvidia(
        "h100", "H100 SXM5", _HOPPER, units=132, combined=256 * KIB, l2=50 * MIB, memory_bytes=81_559 * MIB,
        memory=f"80 GB HBM3, {_DRIVER}", gb_per_s=3350, gflops=989_000, sparse_gflops=1_979_000,
        rate_note="Dense; the 1979 TFLOP/s on the sheet is with sparsity.",
        source="Hopper tuning guide 13.3 (quoted); H100 datasheet; FlashAttention-3, arXiv 2407.08608",
        tag="quoted",
    ),
    _nvidia(
        "h200", "H200 SXM", _HOPPER, units=132, combined=256 * KIB, l2=50 * MIB, memory_bytes=141 * GB,
        memory=f"141 GB HBM3e, {_LABEL}", gb_per_s=4800, gflops=989_000, sparse_gflops=1_979_000,
        rate_note="Dense; pages that print 1.97 PFLOP/s as dense print the sparse rate.",
        note="L2 is the published figure; the driver of the device that we measured on reports 60 MiB.",
        source="stas00/ml-engineering compute/accelerator at 744d01e18b79; jax-ml/scaling-book at 1a55377a",
        tag="quoted",
    ),
    _nvidia(
        "b200", "B200", _BLACKWELL, units=148, combined=256 * KIB, l2=126 * MIB, memory_bytes=180 * GB,
        memory=f"180 GB HBM3e usable (192 on some sheets), {_LABEL}", gb_per_s=8000, gflops=2_250_000,
        sparse_gflops=4_500_000, rate_note="Dense; 4500 TFLOP/s is with sparsity.",
        source="Blackwell tuning guide; FlashAttention-4, arXiv 2603.05451 (authors' post of 5 March 2026)",
        tag="primary", note="A further 256 KiB of tensor memory an SM holds accumulators; not counted here.",
    ),
    _nvidia(
        "rtx4090", "RTX 4090", _ADA, units=128, combined=128 * KIB, l2=72 * MIB, memory_bytes=24 * GB,
        memory=f"24 GB GDDR6X, {_LABEL}", gb_per_s=1008, gflops=165_200, sparse_gflops=330_400,
        rate_note="Dense with float32 accumulation; 330.4 TFLOP/s is with sparsity.",
        source="Ada whitepaper, appendix A, table 2 (quoted)", tag="quoted",
    ),
    _nvidia(
        "l4", "L4", _ADA, units=58, combined=128 * KIB, l2=48 * MIB, memory_bytes=23_034 * MIB,
        memory=f"24 GB GDDR6, {_DRIVER}", gb_per_s=300, gflops=121_000, sparse_gflops=242_000,
        rate_note="Dense; 242 TFLOP/s is with sparsity.",
        source="L4 product page (quoted); ScalingIntelligence/KernelBench at 423217d9fda9", tag="quoted",
        note="SMs follow from the float32 rate and clock; lists say 58 or 60. L2 is second-hand.",
    ),
    _nvidia(
        "t4", "T4", _TURING, units=40, combined=None, l2=4 * MIB, memory_bytes=15_360 * MIB,
        memory=f"16 GB GDDR6, {_DRIVER}", gb_per_s=320, gflops=65_000, sparse_gflops=None,
        rate_note=f"{_NO_SPARSE} fp16 only, no bf16.", source="T4 product page (quoted); Turing tuning guide",
        tag="quoted", note="The product page prints 320+ GB/s, the datasheet 300.",
    ),
    Device(
        key="mi300x", name="MI300X", unit="CU", units=304, combined_bytes_per_unit=None,
        shared_bytes_per_unit=64 * KIB, shared_bytes_per_block=64 * KIB, reserved_bytes_per_block=0,
        registers_per_unit=None, registers_per_thread=None, threads_per_unit=None, blocks_per_unit=None,
        l2_bytes=32 * MIB, memory_bytes=192 * GB, memory=f"192 GB HBM3, {_LABEL}",
        hbm_bytes_per_s=5300 * GB, flops_per_s=1_307_400 * GB, sparse_flops_per_s=2_614_900 * GB,
        rate_note="Dense; 2614.9 TFLOP/s is with sparsity.",
        note="Local data share and a separate 32 KiB L1 a CU. L2 is 4 MiB in each of 8 dies; behind it lie "
        "256 MiB of Infinity Cache.",
        source="ROCm docs/reference/gpu-arch-specs.rst; KernelBench at 423217d9fda9 (quoted)", date=_READ,
        tag="primary",
    ),
    Device(
        key="tpu-v5e", name="TPU v5e", unit="TensorCore", units=1, combined_bytes_per_unit=None,
        shared_bytes_per_unit=None, shared_bytes_per_block=None, reserved_bytes_per_block=0,
        registers_per_unit=None, registers_per_thread=None, threads_per_unit=None, blocks_per_unit=None,
        l2_bytes=None, memory_bytes=16 * GB, memory=f"16 GB HBM2, {_LABEL}", hbm_bytes_per_s=819 * GB,
        flops_per_s=197_000 * GB, sparse_flops_per_s=None, rate_note="Dense, bf16.",
        note="The size of its vector memory is not in the source, so no tile can be tested against it.",
        source="Google Cloud TPU v5e page", date=_READ, tag="primary",
    ),
)  # fmt: skip
DEVICES = {device.key: device for device in _ROWS}


def device_named(key: str) -> Device:
    """Look a device up by its key.

    Raises
    ------
    ValueError
        If there is no such device; the message lists those there are.
    """
    if key not in DEVICES:
        raise ValueError(f"the device must be one of {', '.join(DEVICES)}, not {key!r}")
    return DEVICES[key]


def custom_device(
    shared_bytes_per_block: int, *, shared_bytes_per_unit: int | None = None, memory_bytes: int = 80 * GB,
    hbm_bytes_per_s: int = 2000 * GB, flops_per_s: int = 300_000 * GB, name: str = "Your own device",
) -> Device:  # fmt: skip
    """A device of the reader's own: a budget for one block, and the two rates that a roofline needs.

    Parameters
    ----------
    shared_bytes_per_block : int
        What one block may use, in bytes.
    shared_bytes_per_unit : int or None
        What one multiprocessor has for all its blocks; None is one block's budget.
    memory_bytes, hbm_bytes_per_s, flops_per_s : int

    Raises
    ------
    ValueError
        If a figure is zero, negative or absurd, or if a multiprocessor has less than one block may use.
    """
    block = count_within("shared_bytes_per_block", shared_bytes_per_block)
    unit = block if shared_bytes_per_unit is None else shared_bytes_per_unit
    if count_within("shared_bytes_per_unit", unit) < block:
        raise ValueError(f"one multiprocessor has {unit:,} bytes, less than the {block:,} of one block")
    rates = {"hbm_bytes_per_s": hbm_bytes_per_s, "flops_per_s": flops_per_s, "memory_bytes": memory_bytes}
    for label, value in rates.items():
        count_within(label, value, 1, MAX_COUNT**2)
    return Device(
        key="custom", name=name, unit="SM", units=None, combined_bytes_per_unit=None,
        shared_bytes_per_unit=unit, shared_bytes_per_block=block, reserved_bytes_per_block=0,
        registers_per_unit=None, registers_per_thread=None, threads_per_unit=None, blocks_per_unit=None,
        l2_bytes=None, memory_bytes=memory_bytes, memory="as given", hbm_bytes_per_s=hbm_bytes_per_s,
        flops_per_s=flops_per_s, sparse_flops_per_s=None, rate_note="As given.", note="", source="as given",
        date="", tag="given",
    )  # fmt: skip
