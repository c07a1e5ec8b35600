"""Random calls of attention, for hypothesis. Sizes are small on purpose: the oracle is a Python loop."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from tests.engine.oracle import FORMATS

STORAGES = tuple(FORMATS)
ORDERS = ("q_outer", "kv_outer")


def examples(count: int) -> Callable[[Any], Any]:
    """Settings of every property test: the same examples on every machine, no clock, no database."""
    return settings(
        max_examples=count,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


@dataclass
class Problem:
    """Arrays of one call, with options that mean the same to the engine and to the oracle."""

    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    storage: str
    options: dict[str, Any] = field(default_factory=dict)
    block_q: int | None = None
    block_k: int | None = None
    order: str = "q_outer"

    @property
    def sizes(self) -> tuple[int, int]:
        """(n_q, n_k)."""
        return self.q.shape[-2], self.k.shape[-2]

    @property
    def tiles(self) -> dict[str, Any]:
        """Tile sizes and order, as keywords."""
        return {"block_q": self.block_q, "block_k": self.block_k, "order": self.order}

    @property
    def largest_value(self) -> float:
        """max |V|."""
        return float(np.abs(self.v.astype(np.float64)).max(initial=0.0))

    @property
    def visits_per_row(self) -> int:
        """Most key tiles that a query can visit."""
        n_k = self.sizes[1]
        return -(-n_k // (self.block_k or max(1, n_k)))


lengths = st.one_of(st.sampled_from([0, 1, 2]), st.integers(0, 11))
sides = st.one_of(st.none(), st.integers(0, 9))
windows = st.one_of(st.none(), st.tuples(sides, sides))
causals = st.sampled_from([None, "bottom_right", "top_left"])
blocks = st.one_of(st.none(), st.integers(1, 5), st.just(64))


def _stored_strangely(rng: np.random.Generator, a: np.ndarray, how: str) -> np.ndarray:
    """The same numbers in another memory layout."""
    if how == "strided":
        big = rng.standard_normal((*a.shape[:-2], a.shape[-2] * 2 + 1, a.shape[-1] * 2)).astype(a.dtype)
        view = big[..., 1::2, ::2][..., : a.shape[-2], :]
        view[...] = a
        return view
    if how == "transposed":
        return np.ascontiguousarray(a.swapaxes(-1, -2)).swapaxes(-1, -2)
    if how == "reversed":
        return np.ascontiguousarray(a[..., ::-1, :])[..., ::-1, :]
    return a


@st.composite
def problems(
    draw: Any,
    storages: tuple[str, ...] = STORAGES,
    *,
    heads: bool = True,
    per_pair: bool = True,
    least: int = 0,
) -> Problem:
    """Any call that the engine accepts, small."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_q, n_k = max(least, draw(lengths)), max(least, draw(lengths))
    d, d_v = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    storage = draw(st.sampled_from(storages))
    lead_q: tuple[int, ...] = ()
    lead_k: tuple[int, ...] = ()
    if heads and draw(st.booleans()):
        kv_heads, group = draw(st.integers(1, 2)), draw(st.integers(1, 3))
        batch = draw(st.sampled_from([(), (1,), (2,), (2, 1)]))
        lead_q, lead_k = (*batch, kv_heads * group), (*batch, kv_heads)
    dtype = FORMATS[storage]
    arrays = [
        _stored_strangely(
            rng,
            rng.standard_normal((*lead, n, width)).astype(dtype),
            draw(st.sampled_from(["plain", "strided", "transposed", "reversed"])),
        )
        for lead, n, width in ((lead_q, n_q, d), (lead_k, n_k, d), (lead_k, n_k, d_v))
    ]
    options: dict[str, Any] = {
        "causal": draw(causals),
        "window": draw(windows),
        "softcap": draw(st.sampled_from([None, 0, 0.7, 5.0, 50.0])),
        "scale": draw(st.sampled_from([None, 1.0, 0.0, -0.4, 3.0])),
    }
    if per_pair:
        shape = draw(st.sampled_from([(n_q, n_k), (1, n_k), (n_k,), (n_q, 1), (*lead_q, n_q, n_k)]))
        if draw(st.booleans()):
            options["keep"] = rng.random(shape) < draw(st.sampled_from([0.0, 0.2, 0.6, 0.95, 1.0]))
        if draw(st.booleans()):
            bias = rng.standard_normal(shape).astype(np.float32) * draw(st.sampled_from([0.0, 1.0, 8.0]))
            bias[rng.random(shape) < draw(st.sampled_from([0.0, 0.3]))] = -np.inf
            options["bias"] = bias
    return Problem(
        *arrays,
        storage=storage,
        options=options,
        block_q=draw(blocks),
        block_k=draw(blocks),
        order=draw(st.sampled_from(ORDERS)),
    )
