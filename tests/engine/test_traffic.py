"""Closed forms against traces, byte for byte; published figures; the laws that the lesson states."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import (
    Ledger,
    compulsory_bytes,
    score_matrix_bytes,
    standard_bytes,
    tiled_bytes,
    trace_attention,
)
from engine.traffic import Traffic, stat_bytes
from tests.engine.strategies import ORDERS, Problem, examples, problems

GB = 10**9
N, D, HEADS, BATCH = 1024, 64, 16, 64
PAPER: dict[str, Any] = {"heads": HEADS, "batch": BATCH, "bytes_per_element": 2}
ND = BATCH * HEADS * N * D * 2  # one pass over N × d numbers
NN = BATCH * HEADS * N * N * 2  # one pass over N × N numbers


def moved(ledger: Ledger) -> tuple[dict[str, int], dict[str, int]]:
    """(read, written) by tensor, without zeros."""
    return (
        {t: x.read for t, x in ledger.by_tensor.items() if x.read},
        {t: x.written for t, x in ledger.by_tensor.items() if x.written},
    )


def without_zeros(counts: dict[str, int]) -> dict[str, int]:
    return {t: n for t, n in counts.items() if n}


@examples(300)
@given(problems(heads=False), st.sampled_from(["forward", "backward"]))
def test_a_trace_moves_what_the_closed_form_says(p: Problem, direction: Any) -> None:
    """Every size, tile, mask, order, direction and format; tensor by tensor."""
    p.options.pop("bias", None)
    trace = trace_attention(p.q, p.k, p.v, direction=direction, **p.options, **p.tiles)
    problem, last = trace.problem, trace.steps[-1]
    shape: dict[str, Any] = {
        "n_q": problem["n_q"], "n_k": problem["n_k"], "d": problem["d"], "d_v": problem["d_v"],
        "bytes_per_element": p.q.dtype.itemsize, "direction": direction,
    }  # fmt: skip
    keep = p.options.get("keep")
    ledger = tiled_bytes(
        **shape, block_q=problem["block_q"], block_k=problem["block_k"], order=p.order,
        causal=p.options["causal"], window=p.options["window"],
        keep=None if keep is None else np.broadcast_to(keep, p.sizes),
    )  # fmt: skip
    assert (without_zeros(last.hbm_read_total), without_zeros(last.hbm_write_total)) == moved(ledger)
    standard = standard_bytes(**shape)
    lane = without_zeros(last.standard_read_total), without_zeros(last.standard_write_total)
    assert lane == moved(standard) == moved(trace.standard)
    assert sum(last.hbm_read_total.values()) + sum(last.hbm_write_total.values()) == ledger.total


@pytest.mark.parametrize("how", ["keep", "bias"])
def test_a_mask_of_minus_infinity_skips_tiles(how: str) -> None:
    """A bias of −∞ is a mask like any other: the tiles it empties are not loaded."""
    keep = np.ones((4, 6), bool)
    keep[:2, 2:4] = False
    options = {"keep": keep} if how == "keep" else {"bias": np.where(keep, 0.0, -np.inf)}
    x = np.ones((6, 2))
    trace = trace_attention(x[:4], x, x, block_q=2, block_k=2, **options)
    assert trace.problem["visits"] == ["vsv", "vvv"]
    assert trace.steps[-1].hbm_read_total["k"] == 5 * 2 * 2 * 8


def test_published_figures() -> None:
    """N 1024, d 64, 16 heads, batch 64, two bytes: the shape of FlashAttention's Figure 2."""
    forward = standard_bytes(N, N, D, **PAPER)
    backward = standard_bytes(N, N, D, direction="backward", **PAPER)
    assert forward.total == 4 * NN + 4 * ND
    assert backward.total == 7 * NN + 8 * ND
    assert round(forward.total / GB, 3) == 9.127
    assert round(backward.total / GB, 3) == 16.106
    assert round((forward.total + backward.total) / GB, 3) == 25.233
    least = [compulsory_bytes(N, N, D, direction=d, **PAPER) for d in ("forward", "backward")]
    assert [x.total for x in least] == [4 * ND, 8 * ND]
    assert round(sum(x.total for x in least) / GB, 3) == 1.611


@pytest.mark.parametrize(
    ("block_k", "tensors", "statistics"),
    [(64, 6.711, 0.268), (128, 3.490, 0.134), (256, 1.879, 0.067), (512, 1.074, 0.034)],
)
def test_published_figures_with_keys_outside(block_k: int, tensors: float, statistics: float) -> None:
    """FlashAttention-1 as written: (2 + 3 Tc) passes of N d, and 4 Tc passes of m and l in float32."""
    for block_q in (16, 64, 1000):
        ledger = tiled_bytes(N, N, D, block_q=block_q, block_k=block_k, order="kv_outer", **PAPER)
        stats = sum(ledger.by_tensor[t].read + ledger.by_tensor[t].written for t in "ml")
        tiles = N // block_k
        assert ledger.total - stats == (2 + 3 * tiles) * ND
        assert stats == 4 * tiles * N * 4 * HEADS * BATCH
        assert round((ledger.total - stats) / GB, 3) == tensors
        assert round(stats / GB, 3) == statistics


@pytest.mark.parametrize(("block_q", "gigabytes"), [(64, 4.563), (128, 2.416)])
def test_published_figures_with_queries_outside(block_q: int, gigabytes: float) -> None:
    """FlashAttention-2: (2 + 2 Tr) passes of N d, and lse."""
    ledger = tiled_bytes(N, N, D, block_q=block_q, block_k=128, **PAPER)
    lse = ledger.by_tensor["lse"].written
    assert lse == N * 4 * HEADS * BATCH
    assert ledger.total - lse == (2 + 2 * (N // block_q)) * ND
    assert round((ledger.total - lse) / GB, 3) == gigabytes


@pytest.mark.parametrize("block_k", [64, 256, 1024])
def test_the_backward_in_passes(block_k: int) -> None:
    """K, V, dK, dV once, O and dO once for D; Q, dO, dQ in and dQ out at each visit; lse and D too."""
    ledger = tiled_bytes(N, N, D, block_q=100, block_k=block_k, direction="backward", **PAPER)
    tiles = N // block_k
    stats = sum(ledger.by_tensor[t].read + ledger.by_tensor[t].written for t in ("lse", "delta"))
    assert ledger.total - stats == (6 + 4 * tiles) * ND
    assert stats == (2 * tiles + 1) * N * 4 * HEADS * BATCH


@pytest.mark.parametrize("d", [32, 64, 128])
@pytest.mark.parametrize("n", [4096, 65536])
def test_queries_outside_break_even_at_half_the_head_size(d: int, n: int) -> None:
    """Of Q, K, V, O, S and P: at block_q = d / 2 tiled moves what standard does; lse is the rest."""

    def without_lse(block_q: int) -> int:
        ledger = tiled_bytes(n, n, d, block_q=block_q, block_k=64)
        return ledger.total - ledger.by_tensor["lse"].written

    standard = standard_bytes(n, n, d).total
    assert standard == (4 * n * n + 4 * n * d) * 2
    # 2 N d + 2 N² d / Br against 4 N² + 4 N d: equal up to the 2 N d that standard pays more.
    assert standard - without_lse(d // 2) == 2 * n * d * 2
    assert without_lse(d // 4) > standard > without_lse(d)


def test_the_saving_tends_to_twice_block_q_over_d() -> None:
    """From below, as N grows."""
    for block_q, d in ((64, 64), (128, 64), (32, 128), (256, 32)):
        limit = 2 * block_q / d
        savings = [
            standard_bytes(n, n, d).total / tiled_bytes(n, n, d, block_q=block_q, block_k=64).total
            for n in (2**12, 2**16, 2**24, 2**36)
        ]
        distances = [abs(s - limit) for s in savings]
        assert distances == sorted(distances, reverse=True)
        assert savings[-1] == pytest.approx(limit, rel=1e-6)


@examples(100)
@given(
    st.integers(0, 3000), st.integers(0, 3000), st.integers(1, 300), st.integers(1, 300), st.integers(1, 300)
)
def test_block_k_changes_no_byte_with_queries_outside(
    n_q: int, n_k: int, block_q: int, a: int, b: int
) -> None:
    """Without a mask: only the footprint on chip changes."""
    one, other = (tiled_bytes(n_q, n_k, 64, block_q=block_q, block_k=c) for c in (a, b))
    assert moved(one) == moved(other)


def test_block_k_changes_bytes_under_a_mask_and_block_q_with_keys_outside() -> None:
    """The law has limits: under causal, larger key tiles reach past the diagonal."""
    causal = [
        tiled_bytes(1024, 1024, 64, block_q=64, block_k=b, causal="bottom_right").total for b in (64, 256)
    ]
    assert causal[0] < causal[1]
    outside = [tiled_bytes(1024, 1024, 64, block_q=b, block_k=64, order="kv_outer").total for b in (16, 128)]
    assert outside[0] == outside[1]


@examples(200)
@given(
    st.integers(1, 500), st.integers(1, 500), st.integers(1, 200), st.integers(1, 64), st.integers(1, 64),
    st.sampled_from(ORDERS), st.sampled_from(["forward", "backward"]),
)  # fmt: skip
def test_no_method_moves_less_than_each_tensor_once(
    n_q: int, n_k: int, d: int, block_q: int, block_k: int, order: Any, direction: Any
) -> None:
    """It bounds both models, whichever of them reads O; and heads and batch multiply everything."""
    least = compulsory_bytes(n_q, n_k, d, direction=direction).total
    tiles: dict[str, Any] = {"block_q": block_q, "block_k": block_k, "order": order, "direction": direction}
    one = tiled_bytes(n_q, n_k, d, **tiles)
    assert least <= one.total and least <= standard_bytes(n_q, n_k, d, direction=direction).total
    many = tiled_bytes(n_q, n_k, d, **tiles, heads=6, kv_heads=2, batch=3)
    assert many.total == 18 * one.total
    assert many.by_tensor.keys() == one.by_tensor.keys()


def test_the_backwards_count_is_of_methods_that_read_o() -> None:
    """Eight tensors with O, which the tiled backward reads and the standard one does not; seven without."""
    least = compulsory_bytes(N, N, D, direction="backward").by_tensor
    assert len(least) == 8 and least["o"].read == N * D * 2
    tiled = tiled_bytes(N, N, D, block_q=64, block_k=64, direction="backward")
    assert "o" in tiled.by_tensor and "o" not in standard_bytes(N, N, D, direction="backward").by_tensor


def test_shared_key_heads_lower_the_bound_alone() -> None:
    """Every query head is a pass of its own in both models; read once each, shared K and V count once."""
    shape = (128, 256, 64)
    for direction in ("forward", "backward"):
        shared, own = (
            compulsory_bytes(*shape, heads=8, kv_heads=h, batch=2, direction=direction) for h in (2, 8)
        )
        for tensor in own.by_tensor:
            a, b = (x.by_tensor[tensor].read + x.by_tensor[tensor].written for x in (shared, own))
            assert b == (4 * a if tensor in ("k", "v", "d_k", "d_v") else a), tensor
        assert standard_bytes(*shape, heads=8, kv_heads=2, direction=direction) == standard_bytes(
            *shape, heads=8, direction=direction
        )


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_a_million_million_positions_are_exact(order: Any, direction: Any) -> None:
    """Lengths of 10^12 + ragged ends, against the sum written out by hand; answers are Python ints."""
    tiles, block, rest = 10**10, 128, 5
    n = tiles * block + rest
    ledger = tiled_bytes(
        n, n, 64, block_q=block, block_k=block, order=order, causal="bottom_right", direction=direction
    )
    # A query tile t < tiles sees key tiles 0 … t; the ragged one sees all n keys. Seen from the other side,
    # key tile t is seen by the queries from its own first one on.
    by_q = block * tiles * (tiles + 1) // 2 + n
    by_k = tiles * n - block * (tiles * (tiles - 1) // 2) + rest
    seen = by_q if (order, direction) == ("q_outer", "forward") else by_k
    tensor = "k" if (order, direction) == ("q_outer", "forward") else "q"
    assert ledger.by_tensor[tensor].read == seen * 64 * 2
    assert seen > 10**21
    for value in (ledger.read, ledger.written, ledger.total):
        assert type(value) is int
    assert ledger.total == sum(t.read + t.written for t in ledger.by_tensor.values())


@examples(150)
@given(
    st.integers(0, 60), st.integers(0, 60), st.integers(1, 20), st.integers(1, 20), st.sampled_from(ORDERS),
    st.sampled_from([None, "bottom_right", "top_left"]),
    st.one_of(st.none(), st.tuples(*[st.one_of(st.none(), st.integers(0, 70))] * 2)),
    st.sampled_from(["forward", "backward"]),
)  # fmt: skip
def test_a_positional_mask_is_the_same_as_its_boolean_one(
    n_q: int, n_k: int, block_q: int, block_k: int, order: Any, causal: Any, window: Any, direction: Any
) -> None:
    """The sum of floors against listing the tiles of the equal boolean mask."""
    i, j = np.ogrid[:n_q, :n_k]
    away = j - i - (0 if causal == "top_left" else n_k - n_q)
    keep = np.ones((n_q, n_k), bool)
    if causal:
        keep &= away <= 0
    if window and window[0] is not None:
        keep &= away >= -window[0]
    if window and window[1] is not None:
        keep &= away <= window[1]
    tiles: dict[str, Any] = {"block_q": block_q, "block_k": block_k, "order": order, "direction": direction}
    assert tiled_bytes(n_q, n_k, 3, **tiles, causal=causal, window=window) == tiled_bytes(
        n_q, n_k, 3, **tiles, keep=keep
    )


def test_statistics_are_four_bytes_except_in_float64() -> None:
    """m, l and lse stay in float32, whatever the tensors are stored in."""
    assert [stat_bytes(size) for size in (1, 2, 4, 8)] == [4, 4, 4, 8]
    assert tiled_bytes(10, 10, 4, block_q=5, block_k=5, bytes_per_element=1).by_tensor["lse"].written == 40
    assert tiled_bytes(10, 10, 4, block_q=5, block_k=5, bytes_per_element=8).by_tensor["lse"].written == 80


def test_a_ledger_adds_up() -> None:
    """read, written and total are sums over the tensors; a ledger cannot be changed."""
    ledger = tiled_bytes(100, 90, 8, d_v=5, block_q=16, block_k=32)
    assert ledger.by_tensor["v"] == Traffic(7 * 90 * 5 * 2, 0)
    assert ledger.by_tensor["o"] == Traffic(0, 100 * 5 * 2)
    assert ledger.total == ledger.read + ledger.written
    assert ledger.read == 100 * 8 * 2 + 7 * 90 * (8 + 5) * 2
    assert Ledger().total == 0
    with pytest.raises(TypeError):
        ledger.by_tensor["v"] = Traffic()  # type: ignore[index]


def test_the_score_matrix_of_the_lesson() -> None:
    """4096 × 4096 scores of two bytes are 33,554,432 bytes, 32 MiB; nothing is padded or lost."""
    assert score_matrix_bytes(4096, 4096, 2) == 33_554_432 == 32 * 2**20
    assert score_matrix_bytes(4096, 4096, 4, heads=32, batch=8) == 17_179_869_184
    assert score_matrix_bytes(1, 0, 2) == 0
    assert score_matrix_bytes(10**12, 10**12, 2) == 2 * 10**24
    large = score_matrix_bytes(np.int32(2**20), np.int32(2**20), np.int8(4))
    assert large == 2**42 and type(large) is int


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_q": -1}, "n_q must be at least 0, not -1"),
        ({"n_k": 1.5}, "n_k must be a whole number of at least 0, not 1.5"),
        ({"d": 0}, "d must be at least 1, not 0"),
        ({"d_v": 0}, "d_v must be at least 1, not 0"),
        ({"bytes_per_element": 0}, "bytes_per_element must be at least 1, not 0"),
        ({"bytes_per_element": True}, "bytes_per_element must be .* not True"),
        ({"heads": 0}, "heads must be at least 1, not 0"),
        ({"heads": 7, "kv_heads": 3}, "7 query heads is not a multiple of 3 key/value heads"),
        ({"kv_heads": 0}, "kv_heads must be at least 1, not 0"),
        ({"batch": "2"}, "batch must be a whole number of at least 1, not '2'"),
        ({"direction": "sideways"}, "direction must be 'forward' or 'backward', not 'sideways'"),
    ],
)
def test_sizes_that_mean_nothing_are_refused(change: dict[str, Any], message: str) -> None:
    """By all three models, with value and limit."""
    sizes: dict[str, Any] = {"n_q": 8, "n_k": 8, "d": 4} | change
    for model in (standard_bytes, compulsory_bytes, lambda **a: tiled_bytes(**a, block_q=2, block_k=2)):
        with pytest.raises(ValueError, match=message):
            model(**sizes)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"block_q": 0}, "block_q must be at least 1, not 0"),
        ({"block_k": 2.5}, "block_k must be .* not 2.5"),
        ({"order": "both"}, "order must be 'q_outer' or 'kv_outer', not 'both'"),
        ({"causal": True}, "causal must be .* not True"),
        ({"window": (-1, 0)}, "window side must be at least 0, not -1"),
        ({"keep": np.ones((3, 3), bool)}, r"keep has shape \(3, 3\), which does not broadcast to \(8, 8\)"),
        ({"keep": np.ones((8, 8))}, "keep must be boolean"),
    ],
)
def test_tiles_and_masks_that_mean_nothing_are_refused(change: dict[str, Any], message: str) -> None:
    """With the value in the message."""
    with pytest.raises(ValueError, match=message):
        tiled_bytes(8, 8, 4, **({"block_q": 2, "block_k": 2} | change))


@pytest.mark.parametrize("arguments", [(-1, 2, 2), (2, -1, 2), (2, 2, 0), (2.0, 2, 2), (2, 2, True)])
def test_score_matrix_refusals(arguments: Any) -> None:
    """A count is a whole number, and a score takes at least a byte."""
    with pytest.raises(ValueError, match="must be"):
        score_matrix_bytes(*arguments)
