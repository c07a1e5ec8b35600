"""Random calls of attention, for hypothesis. Sizes are small on purpose: the oracle is a Python loop."""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product
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


def _usually(usual: tuple[Any, ...], others: tuple[Any, ...]) -> tuple[Any, ...]:
    """One of the first as often as one of the others."""
    return (*(usual * len(others)), *(others * len(usual)))


# Each draw takes longer than a small call of attention, so several choices are made in one.
SIDES = (None, *range(10))
LENGTHS = _usually((0, 1, 2), tuple(range(12)))
BLOCKS = _usually((None, 64), (1, 2, 3, 4, 5))
lengths = st.sampled_from(LENGTHS)
widths = st.sampled_from(tuple(product(range(1, 7), repeat=2)))
windows = st.sampled_from(_usually((None,), tuple(product(SIDES, SIDES))))
layouts = st.sampled_from(tuple(product(("plain", "strided", "transposed", "reversed"), repeat=3)))
# Batch axes, key/value heads, and query heads for each; None is one head alone.
leads = st.sampled_from(
    _usually((None,), tuple(product(((), (1,), (2,), (2, 1)), (1, 2), (1, 2, 3)))),
)
# causal, softcap, scale
rules = st.sampled_from(
    tuple(product((None, "bottom_right", "top_left"), (None, 0, 0.7, 5.0, 50.0), (None, 1.0, 0.0, -0.4, 3.0)))
)
# The share of pairs that are kept; how large a bias is, and the share of it that is −∞.
kept_shares = st.sampled_from(_usually((None,), (0.0, 0.2, 0.6, 0.95, 1.0)))
biases = st.sampled_from(_usually((None,), tuple(product((0.0, 1.0, 8.0), (0.0, 0.3)))))
# block_q, block_k, order
tilings = st.sampled_from(tuple(product(BLOCKS, BLOCKS, ORDERS)))


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
    d, d_v = draw(widths)
    storage = draw(st.sampled_from(storages))
    lead_q: tuple[int, ...] = ()
    lead_k: tuple[int, ...] = ()
    if heads and (lead := draw(leads)):
        batch, kv_heads, group = lead
        lead_q, lead_k = (*batch, kv_heads * group), (*batch, kv_heads)
    dtype = FORMATS[storage]
    shapes = (*lead_q, n_q, d), (*lead_k, n_k, d), (*lead_k, n_k, d_v)
    arrays = [
        _stored_strangely(rng, rng.standard_normal(shape).astype(dtype), layout)
        for shape, layout in zip(shapes, draw(layouts), strict=True)
    ]
    causal, softcap, scale = draw(rules)
    options: dict[str, Any] = {
        "causal": causal,
        "window": draw(windows),
        "softcap": softcap,
        "scale": scale,
    }
    if per_pair:
        shape = draw(st.sampled_from([(n_q, n_k), (1, n_k), (n_k,), (n_q, 1), (*lead_q, n_q, n_k)]))
        if (share := draw(kept_shares)) is not None:
            options["keep"] = rng.random(shape) < share
        if (kind := draw(biases)) is not None:
            size, hidden = kind
            bias = rng.standard_normal(shape).astype(np.float32) * size
            bias[rng.random(shape) < hidden] = -np.inf
            options["bias"] = bias
    block_q, block_k, order = draw(tilings)
    return Problem(*arrays, storage=storage, options=options, block_q=block_q, block_k=block_k, order=order)
