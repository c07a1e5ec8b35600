"""Bytes to and from outer memory, and what they mean for speed."""

from math import ceil, log2
from random import Random

from engine import compulsory_bytes, standard_bytes, tiled_bytes
from engine.hardware import DEVICES
from engine.roofline import attention_flops, roofline
from engine.shapes import AttentionShape
from engine.units import binary_bytes
from lesson.quiz.draft import Choice, Draft, choices_of, digits, maker, whole
from lesson.quiz.show import in_calculator

LENGTHS = (2048, 3072, 4096, 6144, 8192)
FORMAT = "float16"


@maker("right", "once", "key_tiles", "each_query", "rounded_down")
def kv_reads(rng: Random) -> Draft:
    """How often a key tile is read with queries outside."""
    block_q, block_k, d = rng.choice((64, 96, 128, 192)), rng.choice((32, 64)), 64
    n_q, n_k = 100 * rng.randrange(8, 40), rng.choice(LENGTHS)
    reads = tiled_bytes(n_q, n_k, d, block_q=block_q, block_k=block_k).by_tensor["k"].read
    once = compulsory_bytes(n_q, n_k, d).by_tensor["k"].read
    return Draft(
        slots={
            "n_q": whole(n_q),
            "n_k": whole(n_k),
            "block_q": str(block_q),
            "block_k": str(block_k),
            "tiles": whole(reads // once),
        },
        right=reads // once,
        wrongs={
            "once": 1,
            "key_tiles": ceil(n_k / block_k),
            "each_query": n_q,
            "rounded_down": n_q // block_q,
        },
        text=whole,
        show=in_calculator("Traffic", n_q=n_q, n_k=n_k, d=d, bq=block_q, bk=block_k, order="q_outer"),
        sizes={"n_q": n_q, "n_k": n_k, "block_q": block_q, "block_k": block_k},
    )


@maker("right", "kv_read_once", "standard", "o_at_every_visit", "scores_written")
def tiled_total(rng: Random) -> Draft:
    """All bytes of the tiled forward with queries outside."""
    n, d, block_q, block_k = rng.choice(LENGTHS), rng.choice((64, 128)), rng.choice((64, 128, 256)), 64
    tiled = tiled_bytes(n, n, d, block_q=block_q, block_k=block_k)
    standard = standard_bytes(n, n, d)
    outside_keys = tiled_bytes(n, n, d, block_q=block_q, block_k=block_k, order="kv_outer")
    least = compulsory_bytes(n, n, d)
    return Draft(
        slots={
            "n": whole(n),
            "d": str(d),
            "block_q": str(block_q),
            "tiles": whole(ceil(n / block_q)),
            "pass": binary_bytes(n * d * 2),
            "lse": binary_bytes(n * 4),
        },
        choices=choices_of(
            tiled.total,
            {
                "kv_read_once": least.total + tiled.by_tensor["lse"].written,
                "standard": standard.total,
                "o_at_every_visit": outside_keys.total,
                "scores_written": tiled.total + standard.by_tensor["s"].written,
            },
            binary_bytes,
        ),
        show=in_calculator("Traffic", n_q=n, n_k=n, d=d, bq=block_q, bk=block_k, order="q_outer"),
        sizes={"n": n, "d": d, "block_q": block_q, "block_k": block_k},
    )


@maker("right", "no_gain", "o_once", "o_for_every_key")
def keys_outside(rng: Random) -> Draft:
    """All bytes with keys outside, where O goes in and out at every visit."""
    n, d, block = rng.choice(LENGTHS), rng.choice((64, 128)), rng.choice((256, 384, 512))
    tiled = tiled_bytes(n, n, d, block_q=64, block_k=block, order="kv_outer")
    standard = standard_bytes(n, n, d)
    moved = tiled.by_tensor
    o_once = tiled.total - moved["o"].read - moved["o"].written + n * d * 2
    return Draft(
        slots={
            "n": whole(n),
            "d": str(d),
            "block_k": str(block),
            "tiles": whole(ceil(n / block)),
            "standard": binary_bytes(standard.total),
            "ratio": digits(2)(standard.total / tiled.total),
        },
        choices=choices_of(
            tiled.total,
            {
                "no_gain": standard.total + moved["o"].read + moved["o"].written,
                "o_once": o_once,
                "o_for_every_key": tiled_bytes(n, n, d, block_q=64, block_k=1, order="kv_outer").total,
            },
            binary_bytes,
        ),
        show=in_calculator("Traffic", n_q=n, n_k=n, d=d, bq=64, bk=block, order="kv_outer"),
        sizes={"n": n, "d": d, "block_k": block},
    )


@maker("right", "halved", "doubled", "all_halved")
def wider_key_tiles(rng: Random) -> Draft:
    """Twice as many keys in a tile, queries outside: the same bytes."""
    n, d, block_q, old = rng.choice(LENGTHS), rng.choice((64, 128)), rng.choice((64, 128)), 64
    before = tiled_bytes(n, n, d, block_q=block_q, block_k=old)
    after = tiled_bytes(n, n, d, block_q=block_q, block_k=2 * old)
    keys = before.by_tensor["k"].read + before.by_tensor["v"].read
    return Draft(
        slots={
            "n": whole(n),
            "d": str(d),
            "block_q": str(block_q),
            "old": str(old),
            "new": str(2 * old),
            "before": binary_bytes(before.total),
            "tiles": whole(ceil(n / block_q)),
        },
        choices=choices_of(
            after.total,
            {
                "halved": before.total - keys // 2,
                "doubled": before.total + keys,
                "all_halved": before.total // 2,
            },
            binary_bytes,
        ),
        show=in_calculator("Traffic", n_q=n, n_k=n, d=d, bq=block_q, bk=2 * old, order="q_outer"),
        sizes={"n": n, "d": d, "block_q": block_q, "block_k": 2 * old},
    )


@maker("right", "wins")
def break_even(rng: Random) -> Draft:
    """The one query tile of four with which tiling moves more than the standard algorithm."""
    n, d = rng.choice(LENGTHS), rng.choice((64, 128, 256))
    standard = standard_bytes(n, n, d).total
    sizes = [d // 4, *rng.sample([d, 3 * d // 2, 2 * d, 3 * d, 4 * d], 3)]
    choices = []
    for block_q in sizes:
        tiled = tiled_bytes(n, n, d, block_q=block_q, block_k=64).total
        loses = tiled > standard
        share = digits(3)(tiled / standard)
        choices.append(Choice(str(block_q), loses, "right" if loses else "wins", {"share": share}))
    losing = next(choice for choice in choices if choice.right)
    return Draft(
        slots={"n": whole(n), "d": str(d), "half": str(d // 2), "share": losing.slots["share"]},
        choices=tuple(choices),
        show=in_calculator("Traffic", n_q=n, n_k=n, d=d, bq=int(losing.text), bk=64, order="q_outer"),
        sizes={"n": n, "d": d},
    )


@maker("right", "saved_like_bytes", "n_log_n", "scores_skipped")
def flops(rng: Random) -> Draft:
    """FLOPs of the tiled forward: those of the standard one."""
    n, d, block_q = rng.choice(LENGTHS), rng.choice((64, 128)), 128
    count = attention_flops(AttentionShape(n, n, d))
    saving = standard_bytes(n, n, d).total / tiled_bytes(n, n, d, block_q=block_q, block_k=64).total

    def text(value: float) -> str:
        return f"{digits(3)(value / 1e9)} GFLOP"

    return Draft(
        slots={"n": whole(n), "d": str(d), "standard": text(count), "saving": digits(2)(saving)},
        choices=choices_of(
            count,
            {
                "saved_like_bytes": count / saving,
                "n_log_n": 4 * n * log2(n) * d,
                "scores_skipped": count / 2,
            },
            text,
        ),
        show=in_calculator("Roofline", n_q=n, n_k=n, d=d, bq=block_q, bk=64),
        sizes={"n": n, "d": d},
    )


@maker("right", "lower", "the_same", "flops_fell_too")
def intensity(rng: Random) -> Draft:
    """FLOP per byte of the tiled forward, from that of the standard one."""
    n, d, block_q = rng.choice(LENGTHS), rng.choice((64, 128)), rng.choice((128, 192, 256))
    placed = roofline(AttentionShape(n, n, d), DEVICES["a100-80"], block_q, 64)
    standard, tiled = placed.dot("standard"), placed.dot("tiled")
    fewer = standard.n_bytes / tiled.n_bytes

    def text(value: float) -> str:
        return f"{digits(3)(value)} FLOP/byte"

    return Draft(
        slots={
            "n": whole(n),
            "d": str(d),
            "block_q": str(block_q),
            "standard": text(standard.intensity),
            "fewer": digits(3)(fewer),
        },
        choices=choices_of(
            tiled.intensity,
            {
                "lower": standard.intensity / fewer,
                "the_same": standard.intensity,
                "flops_fell_too": standard.intensity * fewer**2,
            },
            text,
        ),
        show=in_calculator("Roofline", n_q=n, n_k=n, d=d, bq=block_q, bk=64, device="a100-80"),
        sizes={"n": n, "d": d, "block_q": block_q},
    )
