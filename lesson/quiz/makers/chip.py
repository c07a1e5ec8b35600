"""What fits on the chip, and whose chip memory it is."""

from random import Random

from engine.hardware import DEVICES
from engine.io_bounds import paper_recipe
from engine.tile_fit import TileSetup, fit_tiles
from engine.units import binary_bytes
from lesson.quiz.draft import Choice, Draft, choices_of, digits, maker, whole
from lesson.quiz.show import in_calculator

KIB = 1024
# Devices of which every figure asked for is known.
CHIPS = tuple(
    key
    for key, device in DEVICES.items()
    if device.units and device.l2_bytes and device.shared_bytes_per_block and device.shared_bytes_per_unit
)


@maker("right", "forgot_s", "one_stage", "values_forgotten", "scores_too")
def tile_bytes(rng: Random) -> Draft:
    """Shared memory of one block: a tile of Q, and K and V for every stage."""
    block_q, block_k = rng.choice((64, 128, 192)), rng.choice((32, 64, 128))
    d, stages = rng.choice((64, 128)), rng.choice((2, 3))
    fit = fit_tiles(TileSetup(block_q, block_k, d, stages=stages), DEVICES["h100"])
    shared = fit.request.asked_bytes
    per_stage = 2 * block_k * d * 2
    return Draft(
        slots={
            "block_q": str(block_q),
            "block_k": str(block_k),
            "d": str(d),
            "stages": str(stages),
            "kib": digits(4)(shared / KIB),
        },
        right=shared / KIB,
        wrongs={
            "forgot_s": shared / 2 / KIB,
            "one_stage": (shared - (stages - 1) * per_stage) / KIB,
            "values_forgotten": (shared - stages * per_stage // 2) / KIB,
            "scores_too": (shared + block_q * block_k * 4) / KIB,
        },
        text=digits(4),
        tolerance=0.005,
        show=in_calculator("Fit", bq=block_q, bk=block_k, d=d, stages=stages, mode="kernel", device="h100"),
        sizes={"block_q": block_q, "block_k": block_k, "d": d, "stages": stages},
    )


@maker("right", "chip_wide", "cache_of_the_chip", "outer_memory")
def one_block(rng: Random) -> Draft:
    """What one block may ask for, beside what the whole chip has."""
    key = rng.choice(CHIPS)
    device = DEVICES[key]
    units, per_unit = device.units or 0, device.shared_bytes_per_unit or 0
    return Draft(
        slots={
            "device": device.name,
            "units": str(units),
            "per_unit": binary_bytes(per_unit),
            "l2": binary_bytes(device.l2_bytes or 0),
            "source": device.source,
        },
        choices=choices_of(
            device.shared_bytes_per_block or 0,
            {
                "chip_wide": units * per_unit,
                "cache_of_the_chip": device.l2_bytes or 0,
                "outer_memory": device.memory_bytes,
            },
            binary_bytes,
        ),
        show=in_calculator("Fit", device=key, mode="kernel"),
        sizes={"device": key},
    )


@maker("right", "too_large")
def fits(rng: Random) -> Draft:
    """The one tile of four that one block can hold."""
    key = rng.choice(CHIPS)
    device, d, stages = DEVICES[key], rng.choice((64, 128)), rng.choice((1, 2, 3))
    limit = device.shared_bytes_per_block or 0
    ok: list[Choice] = []
    over: list[Choice] = []
    for block_q in (32, 64, 128, 256):
        for block_k in (32, 64, 128, 256, 512):
            fit = fit_tiles(TileSetup(block_q, block_k, d, stages=stages), device)
            choice = Choice(
                f"{block_q} × {block_k}",
                fit.fits,
                "right" if fit.fits else "too_large",
                {"asked": binary_bytes(fit.request.asked_bytes)},
            )
            (ok if fit.fits else over).append(choice)
    right = rng.choice(ok)
    choices = (right, *rng.sample(over, min(3, len(over))))
    shown_q, shown_k = right.text.split(" × ")
    return Draft(
        slots={
            "device": device.name,
            "d": str(d),
            "stages": "one K and one V tile" if stages == 1 else f"{stages} K tiles and {stages} V tiles",
            "limit": binary_bytes(limit),
            "asked": right.slots["asked"],
        },
        choices=choices,
        show=in_calculator(
            "Fit", device=key, bq=shown_q, bk=shown_k, d=d, stages=stages, mode="kernel", format="float16"
        ),
        sizes={"device": key, "d": d, "stages": stages},
    )


@maker("right", "bytes_as_elements", "one_tensor", "no_rounding_up")
def recipe(rng: Random) -> Draft:
    """FlashAttention's own tile size: M counts elements."""
    sram_kib, d = rng.choice((48, 64, 96, 99, 100, 163, 164, 192, 227)), rng.choice((64, 80, 96, 128))
    found = paper_recipe(sram_kib * KIB, 2, d)
    return Draft(
        slots={
            "kib": str(sram_kib),
            "d": str(d),
            "elements": whole(found.elements),
            "bytes": whole(2 * found.elements),
        },
        right=found.block_k,
        wrongs={
            "bytes_as_elements": found.wrong_block_k,
            "one_tensor": -(-found.elements // d),
            "no_rounding_up": found.elements // (4 * d),
        },
        text=whole,
        show=in_calculator("Fit", d=d, device="custom", budget=sram_kib * KIB, mode="literal"),
        sizes={"sram_bytes": sram_kib * KIB, "d": d},
    )
