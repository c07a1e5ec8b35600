"""The engine against the definition, over random calls: every option, order, tile and storage format."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import FORMATS, attention, reference_attention, tolerance, trace_attention
from tests.engine import oracle
from tests.engine.oracle import (
    assert_close,
    assert_lse_close,
    forward_tolerance,
    lse_tolerance,
)
from tests.engine.strategies import ORDERS, STORAGES, Problem, examples, problems


def check(p: Problem, o: Any, lse: Any, order: str, what: str, storage: str | None = None) -> None:
    """Compare a result with the oracle, with the tolerance of its format and order."""
    storage = storage or p.storage
    wanted_o, wanted_lse, largest = oracle.attend(p.q, p.k, p.v, storage=storage, **p.options)
    # In q_outer O is rounded once, at the end, which the tolerance of the format covers.
    roundings = p.visits_per_row if order == "kv_outer" else 0
    assert_close(o, wanted_o, forward_tolerance(storage, largest, p.largest_value, roundings), f"{what}: o")
    assert_lse_close(lse, wanted_lse, lse_tolerance(storage, largest), f"{what}: lse")
    assert not np.asarray(o).astype(np.float64)[np.isneginf(wanted_lse)].any(), (
        f"{what}: an empty row is not 0"
    )


@examples(250)
@given(problems())
def test_attention_is_its_definition(p: Problem) -> None:
    """Any call that is accepted, on whichever path it takes."""
    o, lse = attention(p.q, p.k, p.v, **p.options, **p.tiles)
    assert o.dtype == FORMATS[p.storage].dtype
    assert lse.dtype == FORMATS[p.storage].compute
    check(p, o, lse, p.order, "attention")


@examples(150)
@given(problems(("float32", "float64"), per_pair=False))
def test_the_fast_path_is_its_definition(p: Problem) -> None:
    """Calls without per-pair arrays or rounding of P, queries outside: the tuned loop takes them."""
    o, lse = attention(p.q, p.k, p.v, **p.options, block_q=p.block_q, block_k=p.block_k, threads=2)
    check(p, o, lse, "q_outer", "fast path")


@examples(200)
@given(problems(heads=False))
def test_a_trace_computes_attention(p: Problem) -> None:
    """The recorded loop gives attention too."""
    trace = trace_attention(p.q, p.k, p.v, **p.options, **p.tiles)
    check(p, trace.result["o"], trace.result["lse"], p.order, "trace")
    check(p, trace.arrays["reference_o"], trace.arrays["reference_lse"], "q_outer", "a trace's reference")


@examples(150)
@given(problems())
def test_the_reference_is_its_definition(p: Problem) -> None:
    """float64 whole-matrix attention, on the rounded inputs."""
    o, lse = reference_attention(p.q, p.k, p.v, **p.options)
    wanted_o, wanted_lse, largest = oracle.attend(p.q, p.k, p.v, **p.options)
    assert o.dtype == lse.dtype == np.float64
    assert_close(o, wanted_o, forward_tolerance("float64", largest, p.largest_value), "reference o")
    assert_lse_close(lse, wanted_lse, lse_tolerance("float64", largest), "reference lse")


@examples(120)
@given(problems(("float32", "float64")), st.sampled_from(STORAGES))
def test_storage_rounds_the_inputs_first(p: Problem, storage: str) -> None:
    """With ``storage`` given, the result is that of the rounded inputs, in that format."""
    o, lse = attention(p.q, p.k, p.v, storage=storage, **p.options, **p.tiles)
    assert o.dtype == FORMATS[storage].dtype
    check(p, o, lse, p.order, f"storage={storage}", storage)


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("order", ORDERS)
def test_longer_inputs_than_the_oracle_can_afford(storage: str, order: str) -> None:
    """200 queries, 333 keys and ragged tiles of 32 × 48, against the float64 reference."""
    rng = np.random.default_rng(7)
    q, k, v = (
        rng.standard_normal(shape).astype(FORMATS[storage].dtype)
        for shape in ((200, 64), (333, 64), (333, 64))
    )
    o, lse = attention(q, k, v, block_q=32, block_k=48, causal="bottom_right", order=order)
    wanted_o, wanted_lse = reference_attention(q, k, v, causal="bottom_right")
    largest = float(np.abs(q.astype(np.float64) @ k.astype(np.float64).T).max() / 8)
    visits = 7 if order == "kv_outer" else 0
    largest_value = float(np.abs(v.astype(np.float64)).max())
    assert_close(o, wanted_o, forward_tolerance(storage, largest, largest_value, visits), "o")
    assert_lse_close(lse, wanted_lse, lse_tolerance(storage, largest))


def test_the_engines_own_tolerance_is_the_documented_rule() -> None:
    """The numbers that pages print beside an error."""
    assert tolerance(FORMATS["float64"], 0, 1) == (1e-12, 1e-12)
    assert tolerance(FORMATS["float32"], 10, 2) == pytest.approx((1e-6 + 4 * 2**-23 * 20, 0.0))
    assert tolerance(FORMATS["float16"], 0, 1) == (2e-3, 2e-3)
    assert tolerance(FORMATS["bfloat16"], 0, 1) == (1.6e-2, 1.6e-2)


def test_the_comparison_fails_on_nan() -> None:
    """A checker that says "correct" on NaN is worse than none."""
    with pytest.raises(AssertionError, match="not finite"):
        assert_close([np.nan], [0.0], (1.0, 1.0), "x")
    with pytest.raises(AssertionError, match=r"largest difference 2\.000e\+00"):
        assert_close([0.0, 2.0], [0.0, 0.0], (1.0, 1.0), "x")
    with pytest.raises(AssertionError, match="other rows"):
        assert_lse_close([0.0, -np.inf], [-np.inf, 0.0], (1.0, 1.0))
