"""How large things are: scores, caches, units."""

from math import log2
from random import Random

from engine import score_matrix_bytes
from engine.footprint import kv_cache_bytes
from engine.shapes import pair_counts
from engine.units import binary_bytes
from lesson.quiz.draft import Draft, choices_of, digits, maker, whole
from lesson.quiz.show import in_calculator

MIB, MB, KIB = 2**20, 10**6, 2**10
FORMAT_OF_BYTES = {2: "float16", 4: "float32"}
LENGTHS = (1024, 1536, 2048, 2560, 3072, 4096, 5120, 6144)


@maker("right", "forgot_s", "mb_for_mib", "t_log_t", "square_of_keys", "square_of_queries")
def score_mib(rng: Random) -> Draft:
    """M_score of one head in MiB, with more keys than queries or fewer."""
    n_q, n_k = rng.sample(LENGTHS, 2)
    size = rng.choice((2, 4))
    n_bytes = score_matrix_bytes(n_q, n_k, size)
    return Draft(
        slots={
            "n_q": whole(n_q),
            "n_k": whole(n_k),
            "s": str(size),
            "cells": whole(n_q * n_k),
            "bytes": whole(n_bytes),
            "mib": digits(4)(n_bytes / MIB),
            "mb": digits(4)(n_bytes / MB),
        },
        right=n_bytes / MIB,
        wrongs={
            "forgot_s": n_q * n_k / MIB,
            "mb_for_mib": n_bytes / MB,
            "t_log_t": n_q * log2(n_k) * size / MIB,
            "square_of_keys": n_k * n_k * size / MIB,
            "square_of_queries": n_q * n_q * size / MIB,
        },
        text=digits(4),
        tolerance=0.005,
        show=in_calculator("Storage", n_q=n_q, n_k=n_k, format=FORMAT_OF_BYTES[size]),
        sizes={"n_q": n_q, "n_k": n_k, "s": size},
    )


@maker("right", "one_head", "forgot_batch", "forgot_s", "heads_squared")
def heads_in_all(rng: Random) -> Draft:
    """The stored scores of every head and request."""
    n, heads = rng.choice(LENGTHS), rng.choice((8, 12, 16, 24, 32))
    batch = rng.choice((2, 4, 6, 8))
    one = score_matrix_bytes(n, n, 2)
    return Draft(
        slots={
            "n": whole(n),
            "heads": str(heads),
            "batch": str(batch),
            "one": binary_bytes(one),
            "copies": whole(heads * batch),
        },
        choices=choices_of(
            score_matrix_bytes(n, n, 2, heads=heads, batch=batch),
            {
                "one_head": one,
                "forgot_batch": one * heads,
                "forgot_s": n * n * heads * batch,
                "heads_squared": one * heads * heads * batch,
            },
            binary_bytes,
        ),
        show=in_calculator("Storage", n_q=n, n_k=n, heads=heads, batch=batch),
        sizes={"n": n, "heads": heads, "batch": batch},
    )


@maker("right", "same_number", "upside_down", "one_step_only")
def mib_to_mb(rng: Random) -> Draft:
    """MiB into MB. A matrix of n × 1024 float16 scores is n / 512 MiB."""
    mib = 2 * rng.randrange(12, 450)
    n_bytes = mib * MIB
    return Draft(
        slots={
            "mib": str(mib),
            "bytes": whole(n_bytes),
            "mb": digits(4)(n_bytes / MB),
            "one": digits(4)(MIB / MB),
        },
        right=n_bytes / MB,
        wrongs={
            "same_number": float(mib),
            "upside_down": mib * MB / MIB,
            "one_step_only": mib * 1024 / 1000,
        },
        text=digits(4),
        tolerance=0.005,
        show=in_calculator("Storage", n_q=mib * 512, n_k=1024, format="float16"),
        sizes={"mib": mib},
    )


@maker("right", "linear", "n_log_n", "power_of_two", "unchanged")
def longer(rng: Random) -> Draft:
    """How the stored scores grow with the length."""
    n, factor = rng.choice((1024, 2048, 4096)), rng.choice((3, 4, 5, 6, 8))
    times = digits(3)

    def text(value: float) -> str:
        return f"× {times(value)}"

    return Draft(
        slots={"n": whole(n), "longer": whole(n * factor), "factor": str(factor)},
        choices=choices_of(
            score_matrix_bytes(n * factor, n * factor, 2) / score_matrix_bytes(n, n, 2),
            {
                "linear": factor,
                "n_log_n": factor * log2(n * factor) / log2(n),
                "power_of_two": 2**factor,
                "unchanged": 1,
            },
            text,
        ),
        show=in_calculator("Storage", n_q=n * factor, n_k=n * factor),
        sizes={"n": n, "factor": factor},
    )


@maker("right", "square", "forgot_s", "keys_and_values")
def decode_row(rng: Random) -> Draft:
    """One step of decoding: a row of scores, not a square."""
    n_k, d = 1024 * rng.randrange(2, 17), rng.choice((64, 128))
    row = score_matrix_bytes(1, n_k, 2)
    both = 2 * n_k * d * 2
    return Draft(
        slots={
            "n_k": whole(n_k),
            "d": str(d),
            "kib": digits(4)(row / KIB),
            "both": binary_bytes(both),
            "square": binary_bytes(score_matrix_bytes(n_k, n_k, 2)),
        },
        right=row / KIB,
        wrongs={
            "square": score_matrix_bytes(n_k, n_k, 2) / KIB,
            "forgot_s": n_k / KIB,
            "keys_and_values": both / KIB,
        },
        text=digits(7),
        tolerance=0.005,
        show=in_calculator("Storage", n_q=1, n_k=n_k, d=d),
        sizes={"n_k": n_k, "d": d},
    )


@maker("right", "all_cells", "half", "without_diagonal")
def allowed_pairs(rng: Random) -> Draft:
    """Pairs that a square causal mask allows."""
    n = rng.randrange(6, 60)
    return Draft(
        slots={"n": str(n), "n1": str(n + 1), "cells": whole(n * n), "before": str(n - 1)},
        right=pair_counts(n, n, causal="bottom_right").allowed,
        wrongs={"all_cells": n * n, "half": n * n // 2, "without_diagonal": n * (n - 1) // 2},
        text=whole,
        show=in_calculator("Storage", n_q=n, n_k=n, mask="bottom_right"),
        sizes={"n": n},
    )


@maker("right", "tiles_only", "query_heads", "keys_alone")
def kv_cache(rng: Random) -> Draft:
    """The key/value cache with tiled attention: what it was."""
    layers, kv_heads, group = rng.choice((16, 24, 32, 48)), rng.choice((4, 8)), rng.choice((3, 4, 5, 6))
    d, n_k, block_k = rng.choice((64, 128)), 1024 * rng.randrange(3, 33), rng.choice((64, 128))
    cache = kv_cache_bytes(layers, kv_heads, d, n_k)
    heads = kv_heads * group
    return Draft(
        slots={
            "layers": str(layers),
            "heads": str(heads),
            "kv_heads": str(kv_heads),
            "d": str(d),
            "n_k": whole(n_k),
            "block_k": str(block_k),
        },
        choices=choices_of(
            cache,
            {
                "tiles_only": kv_cache_bytes(layers, kv_heads, d, block_k),
                "query_heads": kv_cache_bytes(layers, heads, d, n_k),
                "keys_alone": cache // 2,
            },
            binary_bytes,
        ),
        show=in_calculator(
            "Storage", n_q=1, n_k=n_k, d=d, heads=heads, kv_heads=kv_heads, layers=layers, format="float16"
        ),
        sizes={"layers": layers, "kv_heads": kv_heads, "d": d, "n_k": n_k},
    )
