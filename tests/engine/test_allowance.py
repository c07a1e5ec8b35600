"""What rounding explains: right kernels of many kinds agree, and an accumulator that is rounded is named."""

from typing import Any

import numpy as np
import pytest

from engine import Trace, trace_attention
from engine.precision import Array, format_named
from engine.verdict import judge

HALF = ("float16", "bfloat16")
SIZES = {  # n_q, n_k, d, d_v, block_q, block_k, causal
    "ragged, causal": (37, 53, 8, 8, 4, 4, "bottom_right"),
    "wide tiles": (37, 53, 16, 16, 8, 16, None),
    "large head": (24, 64, 128, 32, 8, 16, None),
    "long": (16, 2048, 64, 16, 16, 64, None),
}


def cubic(x: Array) -> Array:
    """2^x as FlashAttention-4 computes it: a cubic for the fraction. Off by up to 1e-4."""
    whole = np.floor(x)
    r = (x - whole).astype(np.float32)
    coefficients = [np.float32(c) for c in (0.0771, 0.2276, 0.6951, 1.0)]
    return np.polyval(coefficients, r) * np.exp2(whole)


EXPONENTIALS: dict[str, Any] = {"e": np.exp, "2": np.exp2, "cubic": cubic}


def drawn(kind: str, n_q: int, n_k: int, d: int, d_v: int) -> list[Array]:
    """Inputs on which rounding shows in different ways."""
    rng = np.random.default_rng(5)
    q, k, v = (rng.standard_normal(shape) for shape in ((n_q, d), (n_k, d), (n_k, d_v)))
    if kind == "large scores":
        q, k = 3 * q, 2 * k
    elif kind == "equal scores":
        q = np.zeros_like(q)
    elif kind == "one dominant key":
        k = 0.1 * k
        k[n_k // 3] = 40 * q.mean(axis=0)
    elif kind == "cancellation":
        v = np.where(np.arange(n_k)[:, None] % 2, 7.3, -7.3) + 1e-3 * v
    elif kind == "outliers":
        q, v = (a + 10 * a * (rng.random(a.shape) < 0.01) for a in (q, v))
    return [a.astype(np.float32) for a in (q, k, v)]


KINDS = ("normal", "large scores", "equal scores", "one dominant key", "cancellation", "outliers")


def run(
    trace: Trace, storage: str, *, p_rounded: bool = True, exponential: str = "e", one_by_one: bool = False,
    scaled_q: bool = False, accumulator: str | None = None, leaves: bool = False,
) -> dict[str, Array]:  # fmt: skip
    """A tiled kernel in NumPy, in one of the ways that such kernels are written."""
    fmt, p_of = format_named(storage), trace.problem
    q, k, v = (fmt.round(trace.arrays[name]) for name in "qkv")
    allowed = np.array([[c == "1" for c in row] for row in p_of["allowed"]])
    to_base = 1.0 if exponential == "e" else float(np.log2(np.e))
    scale, power = fmt.compute.type(p_of["scale"] * to_base), EXPONENTIALS[exponential]
    if scaled_q:
        q, scale = fmt.round(q * scale), fmt.compute.type(1)
    kept = fmt if accumulator is None else format_named(accumulator)
    m, l = np.full(len(q), -np.inf, fmt.compute), np.zeros(len(q), fmt.compute)
    acc = np.zeros((len(q), v.shape[1]), fmt.compute)
    seen: dict[str, list[Array]] = {"m": [], "l": [], "acc": []}
    for start in range(0, len(k), p_of["block_k"]):
        cols = slice(start, start + p_of["block_k"])
        s = np.where(allowed[:, cols], (q @ k[cols].T) * scale, -np.inf).astype(fmt.compute)
        m_new = np.maximum(m, s.max(axis=1))
        shift = np.where(np.isneginf(m_new), 0, m_new)
        alpha = np.where(np.isneginf(m), 0, power(np.where(np.isneginf(m), 0, m) - shift)).astype(fmt.compute)
        p = np.where(np.isneginf(s), 0, power(np.where(np.isneginf(s), 0, s) - shift[:, None]))
        p = p.astype(fmt.compute)
        if leaves:  # O goes out after each visit, divided and rounded, and comes back
            total = np.where(l == 0, 1, l)[:, None]
            acc = fmt.round(acc / total) * total
        l = alpha * l + p.sum(axis=1)
        acc, weights = alpha[:, None] * acc, fmt.round(p) if p_rounded else p
        for j in range(weights.shape[1]) if one_by_one else ():
            acc = acc + weights[:, j, None] * v[start + j]
        if not one_by_one:
            acc = acc + weights @ v[cols]
        if accumulator is not None:
            acc = kept.store(acc).astype(fmt.compute)
        m = m_new
        for name, value in (("m", m / to_base), ("l", l), ("acc", acc)):
            seen[name].append(value.astype(fmt.compute))
    o = fmt.store(acc / np.where(l == 0, 1, l)[:, None])
    return {name: np.stack(values) for name, values in seen.items()} | {"o": o}


def traced(size: str, kind: str, storage: str, order: Any = "q_outer") -> Trace:
    n_q, n_k, d, d_v, block_q, block_k, causal = SIZES[size]
    options: dict[str, Any] = {"block_q": block_q, "block_k": block_k, "causal": causal, "order": order}
    return trace_attention(*drawn(kind, n_q, n_k, d, d_v), storage=storage, **options)


@pytest.mark.parametrize("size", list(SIZES))
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("storage", ["float64", "float32", *HALF])
def test_right_kernels_of_every_kind_agree(storage: str, kind: str, size: str) -> None:
    """p rounded or not, powers of e or of two, sums in any order, in every format, on any input."""
    trace = traced(size, kind, storage)
    ways: list[dict[str, Any]] = [{}, {"p_rounded": False}]
    if storage != "float64":  # where log₂ e itself would have to be exact to 1e-12
        ways += [{"exponential": "2"}]
    if storage in HALF:
        ways += [{"exponential": "cubic"}, {"exponential": "cubic", "p_rounded": False}]
    if size != "long":
        ways += [{"one_by_one": True}]
    for way in ways:
        arrays = run(trace, storage, **way)
        for given in (arrays, {"acc": arrays["acc"]}):
            verdict = judge(trace, given, storage)
            assert verdict.agrees, (way, verdict.first, verdict.largest)


@pytest.mark.parametrize("storage", HALF)
@pytest.mark.parametrize("kind", KINDS)
def test_rounded_scores_are_not_blamed_on_the_accumulator(storage: str, kind: str) -> None:
    """q scaled before it is rounded: the kernel's own m shows how exact its scores are."""
    trace = traced("wide tiles", kind, storage)
    first = judge(trace, run(trace, storage, scaled_q=True, exponential="2"), storage).first
    assert first is None or first.name != "acc"


@pytest.mark.parametrize("storage", HALF)
@pytest.mark.parametrize("kind", KINDS)
def test_what_leaves_and_comes_back_is_rounded_with_keys_outside(storage: str, kind: str) -> None:
    """FlashAttention-1's order rounds O at every visit, which is right in a trace of that order."""
    trace = traced("wide tiles", kind, storage, "kv_outer")
    assert judge(trace, run(trace, storage, leaves=True), storage).agrees
    assert judge(trace, run(trace, storage), storage).agrees


@pytest.mark.parametrize(
    ("stored", "storage"), [("float32", "float16"), ("float32", "bfloat16"), ("float16", "float32")]
)
@pytest.mark.parametrize("kind", KINDS)
def test_a_trace_of_another_format_judges_too(stored: str, storage: str, kind: str) -> None:
    """The kernel rounds inputs that the trace did not, or does not round the p that the trace did."""
    trace = traced("wide tiles", kind, stored)
    arrays = {name: a for name, a in run(trace, storage).items() if name != "o"}
    assert judge(trace, arrays, storage).agrees


@pytest.mark.parametrize("size", list(SIZES))
@pytest.mark.parametrize(
    ("storage", "accumulator"),
    [
        ("float16", "float16"), ("float16", "bfloat16"), ("bfloat16", "bfloat16"), ("float32", "float16"),
        ("float32", "bfloat16"), ("float64", "float32"),
    ],
)  # fmt: skip
def test_a_rounded_accumulator_is_named_at_its_first_tile(storage: str, accumulator: str, size: str) -> None:
    """Rounded after each tile, to the storage format or coarser. m and l are right."""
    trace = traced(size, "normal", storage)
    verdict = judge(trace, run(trace, storage, accumulator=accumulator), storage)
    assert verdict.first is not None and verdict.first.name == "acc"
    assert verdict.first.tile is not None and verdict.first.tile <= 1
    assert max(verdict.largest["m"], verdict.largest["l"]) <= 1 < verdict.largest["acc"]
