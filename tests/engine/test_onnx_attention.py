"""An outside suite: the output Y of every ONNX Attention node case, through `engine.attention`.

Importing the module generates the cases. Those named "_expanded" are the same numbers over another graph.
The optional score-matrix output is the one thing that tiled attention does not have.
"""

from typing import Any

import numpy as np
import onnx.backend.test.case.node as node_cases
import onnx.backend.test.case.node.attention  # noqa: F401 - importing it makes the cases
import pytest
from onnx.helper import get_attribute_value

from engine import attention
from tests.engine.oracle import ROUNDOFF, assert_close

CASES = {
    case.name: case
    for case in node_cases._NodeTestCases
    if case.model.graph.node[0].op_type == "Attention" and "_expanded" not in case.name
}

TILES: tuple[tuple[Any, int, int], ...] = (
    ("q_outer", 1, 4), ("q_outer", 3, 2), ("q_outer", 64, 64),
    ("kv_outer", 3, 1), ("kv_outer", 2, 5), ("kv_outer", 64, 64),
)  # fmt: skip


def to_heads(x: np.ndarray, heads: int | None) -> np.ndarray:
    """(batch, n, heads · d) to (batch, heads, n, d); four axes stay as they are."""
    if x.ndim == 4:
        return x
    return x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)


def pairs_allowed(
    n_q: int, n_k: int, offset: np.ndarray, causal: bool, left: int, right: int, valid: np.ndarray
) -> np.ndarray:
    """Boolean mask (batch, 1, n_q, n_k) of what position and valid length allow."""
    away = np.arange(n_k) - (np.arange(n_q)[:, None] + offset[:, None, None])
    keep = np.broadcast_to(np.arange(n_k) < valid[:, None, None], away.shape).copy()
    if causal:
        keep &= away <= 0
    if left >= 0:
        keep &= away >= -left
    if right >= 0:
        keep &= away <= right
    return keep[:, None]


def run(case: Any, **tiles: Any) -> np.ndarray:
    """One case through `engine.attention`, in the case's own layout and format."""
    node = case.model.graph.node[0]
    given = {a.name: get_attribute_value(a) for a in node.attribute}
    values, _ = case.data_sets[0]
    inputs = dict(zip([n for n in node.input if n], values, strict=True))
    q = to_heads(inputs["Q"], given.get("q_num_heads"))
    k, v = (to_heads(inputs[n], given.get("kv_num_heads")) for n in "KV")
    batch, n_q = q.shape[0], q.shape[2]
    # A query stands level with the key that follows the cached ones, or with the last valid key.
    offset = np.zeros(batch, np.int64)
    if "past_key" in inputs:
        offset += inputs["past_key"].shape[2]
        k = np.concatenate([inputs["past_key"], k], axis=2)
        v = np.concatenate([inputs["past_value"], v], axis=2)
    n_k = k.shape[2]
    valid = inputs.get("nonpad_kv_seqlen", np.full(batch, n_k))
    if "nonpad_kv_seqlen" in inputs:
        offset = valid - n_q
    keep = pairs_allowed(
        n_q, n_k, offset, bool(given.get("is_causal")),
        given.get("left_window_size", -1), given.get("right_window_size", -1), valid,
    )  # fmt: skip
    bias = None
    if "attn_mask" in inputs:
        mask = inputs["attn_mask"]
        short = n_k - mask.shape[-1]
        if mask.dtype == np.bool_:
            keep = keep & np.pad(mask, [(0, 0)] * (mask.ndim - 1) + [(0, short)], constant_values=False)
        else:
            wide = mask.astype(np.float32)
            bias = np.pad(wide, [(0, 0)] * (wide.ndim - 1) + [(0, short)], constant_values=-np.inf)
    o, _ = attention(
        q, k, v, keep=keep, bias=bias, scale=given.get("scale"), softcap=given.get("softcap") or None,
        allow_nonfinite=True, **tiles,
    )  # fmt: skip
    if inputs["Q"].ndim == 3:
        o = o.transpose(0, 2, 1, 3).reshape(batch, n_q, -1)
    return o


def test_all_ninety_three_cases_are_here() -> None:
    """None was lost to a change of names."""
    assert len(CASES) == 93
    assert all(case.model.graph.node[0].output[0] == "Y" for case in CASES.values())


@pytest.mark.parametrize("name", sorted(CASES))
def test_case(name: str) -> None:
    """Y holds in both orders and in small and large tiles, in the dtype and shape that the case gives.

    The small tiles hold one row or one key, and do not divide the lengths of most cases.
    """
    case = CASES[name]
    wanted = case.data_sets[0][1][0]
    # The suite's own tolerance; in half formats its reference rounds every product, so twice a roundoff of
    # the largest weight and the largest value, and the output's own rounding, come on top.
    allowed = (1e-7, case.rtol)
    if wanted.dtype.itemsize == 2:
        unit = ROUNDOFF[str(wanted.dtype)]
        largest = float(np.abs(case.data_sets[0][0][2].astype(np.float64)).max())
        allowed = (4 * unit * largest, 2 * unit)
    for order, block_q, block_k in TILES:
        found = run(case, order=order, block_q=block_q, block_k=block_k)
        assert found.dtype == wanted.dtype
        assert_close(found, wanted, allowed, f"{name}, {order}, {block_q} × {block_k}")


def test_causal_cases_hold_through_the_causal_option() -> None:
    """Without a cache the suite's causal is top-left; after past keys it is bottom-right."""
    held = 0
    for name, case in CASES.items():
        node = case.model.graph.node[0]
        given = {a.name: get_attribute_value(a) for a in node.attribute}
        inputs = dict(zip([n for n in node.input if n], case.data_sets[0][0], strict=True))
        if not given.get("is_causal") or "nonpad_kv_seqlen" in inputs or "attn_mask" in inputs:
            continue
        q = to_heads(inputs["Q"], given.get("q_num_heads"))
        k, v = (to_heads(inputs[n], given.get("kv_num_heads")) for n in "KV")
        causal: Any = "top_left"
        if "past_key" in inputs:
            if k.shape[2] != q.shape[2]:
                continue  # then neither alignment is the case's: it stands level after the cached keys
            causal = "bottom_right"
            k = np.concatenate([inputs["past_key"], k], axis=2)
            v = np.concatenate([inputs["past_value"], v], axis=2)
        left = given.get("left_window_size", -1)
        window = None if left < 0 else (left, None)
        o, _ = attention(q, k, v, causal=causal, window=window, block_q=2, block_k=3)
        if inputs["Q"].ndim == 3:
            o = o.transpose(0, 2, 1, 3).reshape(o.shape[0], o.shape[2], -1)
        wanted = case.data_sets[0][1][0]
        unit = 2e-2 if wanted.dtype.itemsize == 2 else 1e-5
        assert_close(o, wanted, (unit, unit), name)
        held += 1
    assert held >= 12
