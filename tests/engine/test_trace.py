"""A trace as the format document describes it: fields, states, bytes and what is on chip, step by step."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import Step, Trace, attention, trace_attention
from engine.backward import tiled_backward
from engine.tiled import tiled_attention
from tests.engine.oracle import FORMATS, assert_close, may_attend
from tests.engine.strategies import ORDERS, Problem, examples, problems

RESCALE = {"s", "m_old", "m_new", "alpha", "l_before", "l_after", "acc_before", "rescaled"}
WORK = {
    "partition": set(),
    "load_kv": set(),
    "score": {"s"},
    "mask": {"s"},
    "update_max": {"s", "row_max", "m_old", "m_new", "rises"},
    "rescale": RESCALE,
    "accumulate": {"s", "p", "row_sum", "l_before", "acc_before"},
    "discard": {"block_bytes"},
    "skip": {"pairs"},
    "normalise": {"o", "lse", "acc_before"},
    "delta": {"delta"},
    "recompute_score": {"s"},
    "recompute_p": {"s", "p"},
    "d_v": {"p", "d_v_before"},
    "d_p": {"p", "d_p"},
    "d_s": {"p", "d_p", "d_s", "delta"},
    "d_q": {"p", "d_s", "d_q_before"},
    "d_k": {"p", "d_s", "d_k_before"},
}
VISIT = ["score", "update_max", "rescale", "accumulate", "discard"]
BACK_VISIT = ["recompute_score", "recompute_p", "d_v", "d_p", "d_s", "d_q", "d_k", "discard", "store"]


def work_of(step: Step, loop: str) -> set[str]:
    """Fields that the document lists for this kind."""
    if step.kind == "load_q":
        return {"q_outer": set(), "kv_outer": {"o"}, "backward": {"lse", "delta"}}[loop]
    if step.kind == "store":
        return {"o", "lse"} if loop != "backward" else set()
    return WORK[step.kind]


def state_of(step: Step, loop: str) -> set[str]:
    """What is carried at this kind of step."""
    if loop == "backward":
        if step.kind in ("partition", "delta"):
            return set()
        if step.kind == "skip":
            return {"d_k", "d_v"} if step.resident else set()
        if step.kind == "load_kv" or (step.kind == "store" and step.tile[0] is None):
            return {"d_k", "d_v"}
        return {"d_q", "d_k", "d_v"}
    without = {"partition"} if loop == "q_outer" else {"partition", "load_kv", "skip"}
    return set() if step.kind in without else {"m", "l", "acc"}


def expected_kinds(p: Problem, t: Trace) -> list[tuple[str, Any, Any]]:
    """(kind, query tile, key tile) of every step, from the masks alone."""
    info = t.problem
    keep = p.options.get("keep")
    n_q, n_k = p.sizes
    keep = np.ones((n_q, n_k), bool) if keep is None else np.broadcast_to(keep, (n_q, n_k))
    bias = p.options.get("bias")
    if bias is not None:
        keep = keep & ~np.isneginf(np.broadcast_to(bias, (n_q, n_k)))
    masks = p.options["causal"], p.options["window"]
    seen = np.array(
        [
            [keep[i, j] and may_attend(i, j, n_q, n_k, *masks) for j in range(n_k)]
            for i in range(n_q)
        ],
        bool,
    ).reshape(n_q, n_k)  # fmt: skip
    assert info["allowed"] == ["".join("01"[x] for x in row) for row in seen.astype(int)]

    def block(i: int, j: int) -> np.ndarray:
        bq, bk = info["block_q"], info["block_k"]
        return seen[i * bq : (i + 1) * bq, j * bk : (j + 1) * bk]

    tiles_q, tiles_k = range(info["tiles_q"]), range(info["tiles_k"])
    assert info["visits"] == ["".join("v" if block(i, j).any() else "s" for j in tiles_k) for i in tiles_q]
    steps: list[tuple[str, Any, Any]] = [("partition", None, None)]

    def visit(i: int, j: int) -> None:
        kinds = VISIT if block(i, j).all() else ["score", "mask", *VISIT[1:]]
        steps.extend((kind, i, j) for kind in kinds)

    if t.sizes.loop == "q_outer":
        for i in tiles_q:
            steps.append(("load_q", i, None))
            for j in tiles_k:
                if block(i, j).any():
                    steps.append(("load_kv", i, j))
                    visit(i, j)
                else:
                    steps.append(("skip", i, j))
            steps.extend([("normalise", i, None), ("store", i, None)])
        return steps
    if t.sizes.loop == "backward":
        steps.extend(("delta", i, None) for i in tiles_q)
    for j in tiles_k:
        if any(block(i, j).any() for i in tiles_q):
            steps.append(("load_kv", None, j))
        for i in tiles_q:
            if not block(i, j).any():
                steps.append(("skip", i, j))
                continue
            steps.append(("load_q", i, j))
            if t.sizes.loop == "backward":
                steps.extend((kind, i, j) for kind in BACK_VISIT)
            else:
                visit(i, j)
                steps.extend([("normalise", i, j), ("store", i, j)])
        if t.sizes.loop == "backward":
            steps.append(("store", None, j))
    return steps


def resident_bytes(step: Step, t: Trace, key_tile_held: int) -> int:
    """What must be on chip after this step, added up by hand."""
    z, size = t.sizes, t.sizes.fmt.dtype.itemsize
    wide = 8 if size == 8 else 4
    rows = 0 if step.rows is None else step.rows[1] - step.rows[0]
    cols = 0 if step.cols is None else step.cols[1] - step.cols[0]
    keys = key_tile_held * (z.d + z.d_v) * size
    queries = rows * (z.d * size + z.d_v * wide + 4 * wide)  # q; acc or o; m, l, m_new, alpha
    block = rows * cols * wide
    if z.loop == "backward":
        if step.kind in ("partition",) or (step.kind == "store" and step.tile[0] is None):
            return 0
        if step.kind == "delta":
            return rows * (2 * z.d_v * size + wide)
        keys += key_tile_held * (z.d + z.d_v) * wide  # dK and dV being summed
        if step.kind in ("load_kv", "skip", "store"):
            return keys
        queries = rows * ((z.d + z.d_v) * size + z.d * wide + 2 * wide)  # q, dO; dQ; lse, D
        blocks = {"load_q": 0, "discard": 0, "recompute_score": 1, "recompute_p": 1, "d_v": 1}.get(
            step.kind, 2
        )
        return keys + queries + blocks * block
    if step.kind == "partition" or (step.kind == "store" and z.loop == "q_outer"):
        return 0
    if z.loop == "kv_outer" and step.kind in ("load_kv", "skip", "store"):
        return keys
    working = step.kind in ("score", "mask", "update_max", "rescale", "accumulate")
    return keys + queries + (block if working else 0)


@examples(120)
@given(problems(heads=False), st.sampled_from(["forward", "backward"]))
def test_every_step_is_as_documented(p: Problem, direction: Any) -> None:
    """Kinds in order, fields by kind, ranges, running totals and the on-chip sum, over random calls."""
    t = trace_attention(p.q, p.k, p.v, direction=direction, **p.options, **p.tiles)
    loop = t.sizes.loop
    assert loop == ("backward" if direction == "backward" else p.order)
    assert [(s.kind, *s.tile) for s in t.steps] == expected_kinds(p, t)
    read: dict[str, int] = {}
    written: dict[str, int] = {}
    lanes_before: list[dict[str, int]] = [{}, {}]
    held = 0
    loaded = {j for row in t.problem["visits"] for j, mark in enumerate(row) if mark == "v"}
    for n, s in enumerate(t.steps):
        where = f"step {n}, {s.kind} {s.tile}"
        assert set(s.work) == work_of(s, loop), where
        assert set(s.state) == state_of(s, loop), where
        assert t.listing.lines[s.code] and s.code == t.listing.line_of[s.kind], where
        for side, block, at, length in (
            (0, "block_q", s.rows, p.sizes[0]),
            (1, "block_k", s.cols, p.sizes[1]),
        ):
            i, step = s.tile[side], t.problem[block]
            assert at == (None if i is None else (i * step, min((i + 1) * step, length))), where
        for total, moved in ((read, s.hbm_read), (written, s.hbm_write)):
            for tensor, count in moved.items():
                total[tensor] = total.get(tensor, 0) + count
                assert type(count) is int and count >= 0, where
        assert s.hbm_read_total == read and s.hbm_write_total == written, where
        for before, now in zip(lanes_before, (s.standard_read_total, s.standard_write_total), strict=True):
            assert all(now.get(tensor, 0) >= count for tensor, count in before.items()), where
        lanes_before = [s.standard_read_total, s.standard_write_total]
        if s.kind == "load_kv":
            held = s.cols[1] - s.cols[0]
        elif (loop == "q_outer" and s.kind in ("discard", "load_q")) or (
            s.kind == "skip" and s.tile[1] not in loaded
        ):
            held = 0
        assert all(type(b) is int and b >= 0 for b in s.resident.values()), where
        assert sum(s.resident.values()) == resident_bytes(s, t, held), f"{where}: {s.resident}"
        if loop == "backward" and s.kind == "store" and s.tile[0] is None:
            held = 0
    for s in t.steps:
        if s.kind == "discard":
            assert s.work["block_bytes"] == (s.rows[1] - s.rows[0]) * (s.cols[1] - s.cols[0]) * (
                8 if p.storage == "float64" else 4
            )
            assert not s.hbm_write and not s.hbm_read
            assert "s" not in s.resident and "p" not in s.resident


def check_scores(s: Step, t: Trace, bias: Any, close: tuple[float, float]) -> None:
    """Scores are those of the arrays, capped and biased; a mask hides what the problem forbids."""
    q, k = (t.arrays[name].astype(np.float64) for name in "qk")
    cap, allowed = t.problem["softcap"], np.array([[c == "1" for c in row] for row in t.problem["allowed"]])
    rows, cols = slice(*s.rows), slice(*s.cols)
    raw = t.problem["scale"] * q[rows] @ k[cols].T
    raw = raw if cap is None else cap * np.tanh(raw / cap)
    hidden = ~allowed[rows, cols]
    if bias is not None:
        raw = raw + np.where(np.isneginf(bias[rows, cols]), 0, bias[rows, cols])
    size = 1 + np.abs(raw).max()
    shown = ~hidden if s.kind == "mask" else np.ones_like(hidden)
    assert_close(s.work["s"][shown], raw[shown], (close[0] * size * 4, close[1] * 4), s.kind)
    assert np.isneginf(s.work["s"][~shown]).all()
    assert s.kind == "score" or hidden.any()


def check_rescale(s: Step, close: tuple[float, float]) -> None:
    """Alpha is exp(old − new), and both l and acc shrink by it."""
    w, state, seen = s.work, s.state, np.isfinite(s.work["m_old"])
    assert np.array_equal(state["m"], w["m_new"]) and np.array_equal(state["l"], w["l_after"])
    wanted = np.exp((w["m_old"][seen] - w["m_new"][seen]).astype(np.float64))
    assert_close(w["alpha"][seen], wanted, close, "alpha")
    assert not w["alpha"][~seen].any()
    assert_close(w["l_after"], w["alpha"] * w["l_before"], close, "l")
    assert_close(state["acc"], w["alpha"][:, None] * w["acc_before"], close, "acc")
    assert w["rescaled"] == list(seen & (w["m_new"] > w["m_old"]))


def check_accumulate(s: Step, p: Problem, v: Any, close: tuple[float, float]) -> None:
    """The weights are exp(s − m), and l and acc grow by them: acc by what is stored of them."""
    w, state, m = s.work, s.state, s.state["m"].astype(np.float64)
    p_wanted = np.exp(w["s"].astype(np.float64) - np.where(np.isneginf(m), 0, m)[:, None])
    assert_close(w["p"], p_wanted, close, "p")
    assert (w["p"] <= 1).all()
    stored = w["p"].astype(FORMATS[p.storage]).astype(np.float64)
    assert_close(w["row_sum"], w["p"].astype(np.float64).sum(axis=1), close, "row sums")
    assert_close(state["l"], w["l_before"] + w["row_sum"], close, "l")
    size = 4 * (1 + p.largest_value)
    added = stored @ v[slice(*s.cols)]
    assert_close(state["acc"], w["acc_before"] + added, (close[0] * size, close[1]), "acc")


def check_normalise(s: Step, close: tuple[float, float]) -> None:
    """The one division, and lse = m + log l."""
    w, state = s.work, s.state
    l = np.where(state["l"] == 0, 1, state["l"])
    assert np.array_equal(w["acc_before"], state["acc"])
    assert_close(w["o"], state["acc"] / l[:, None], close, "o")
    with np.errstate(invalid="ignore"):
        lse = state["m"] + np.log(l)
    assert np.array_equal(np.isneginf(w["lse"]), np.isneginf(lse))
    seen = np.isfinite(lse)
    assert_close(w["lse"][seen], lse[seen], close, "lse")


@examples(100)
@given(problems(heads=False))
def test_each_forward_step_follows_from_its_own_fields(p: Problem) -> None:
    """A step draws alone: its numbers are consistent without a look at its neighbours."""
    t = trace_attention(p.q, p.k, p.v, **p.options, **p.tiles)
    dtype = FORMATS[p.storage]
    close = (1e-13, 1e-13) if p.storage == "float64" else (2e-6, 2e-6)
    v = t.arrays["v"].astype(np.float64)
    bias = None if "bias" not in p.options else np.broadcast_to(p.options["bias"], p.sizes).astype(np.float64)
    for s in t.steps:
        w, state = s.work, s.state
        if s.kind in ("score", "mask"):
            check_scores(s, t, bias, close)
        elif s.kind == "update_max":
            assert np.array_equal(w["row_max"], w["s"].max(axis=1))
            assert np.array_equal(w["m_new"], np.maximum(w["m_old"], w["row_max"]))
            assert w["rises"] == list(w["m_new"] > w["m_old"]) and np.array_equal(state["m"], w["m_old"])
        elif s.kind == "rescale":
            check_rescale(s, close)
        elif s.kind == "accumulate":
            check_accumulate(s, p, v, close)
        elif s.kind == "normalise":
            check_normalise(s, close)
        elif s.kind == "store":
            assert np.array_equal(w["o"], w["o"].astype(dtype).astype(w["o"].dtype)), "not as stored"
        elif s.kind == "load_q" and t.sizes.loop == "q_outer":
            assert np.isneginf(state["m"]).all() and not state["l"].any() and not state["acc"].any()
        elif s.kind == "load_q":
            assert np.array_equal(state["acc"], state["l"][:, None] * w["o"])
        elif s.kind == "skip":
            assert w["pairs"] == (s.rows[1] - s.rows[0]) * (s.cols[1] - s.cols[0])


@examples(80)
@given(problems(heads=False))
def test_recording_changes_no_bit(p: Problem) -> None:
    """The unrecorded readable loop gives the same bits; per-pair arrays keep `attention` on that loop."""
    p.options.setdefault("keep", np.ones(p.sizes, bool))
    t = trace_attention(p.q, p.k, p.v, **p.options, **p.tiles)
    o, lse = attention(p.q, p.k, p.v, **p.options, **p.tiles)
    assert t.result["o"].astype(o.dtype).tobytes() == o.tobytes()
    assert t.result["lse"].tobytes() == lse.tobytes()
    stored = {s.tile[0]: s for s in t.steps if s.kind == "store"}
    for i, s in stored.items():
        assert np.array_equal(s.work["o"], t.result["o"][slice(*s.rows)]), f"tile {i}"
        assert np.array_equal(s.work["lse"], t.result["lse"][slice(*s.rows)]), f"tile {i}"


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("storage", ["float64", "float16"])
def test_later_steps_do_not_change_earlier_ones(order: Any, direction: Any, storage: str) -> None:
    """The recorder keeps references: a run that copies every array at its event must see the same."""
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((6, 3)) for _ in range(3))
    t = trace_attention(
        q, k, v, order=order, direction=direction, block_q=2, block_k=4, causal="top_left", storage=storage
    )
    copied: list[tuple[str, list[np.ndarray]]] = []

    def arrays(state: Any, work: dict[str, Any]) -> list[np.ndarray]:
        found = [*(state or ()), *work.values()]
        if "before" in work:
            found = [a for a in found if a is not work["before"]] + list(work["before"])
        return found

    def copy(kind: str, tile: Any, state: Any = None, **work: Any) -> None:
        copied.append((kind, [np.array(a) for a in arrays(state, work)]))

    if direction == "forward":
        tiled_attention(t.plan.head, 2, 4, order, note=copy)
    else:
        saved = (t.saved[n] for n in ("o", "lse", "d_o"))
        tiled_backward(t.plan.head, *saved, 2, 4, copy)
    assert len(copied) == len(t.events) == len(t.steps)
    for (kind, then), (name, _, state, work) in zip(copied, t.events, strict=True):
        assert kind == name
        for a, b in zip(then, arrays(state, work), strict=True):
            assert np.array_equal(a, b), f"{kind}: an array changed after its event"


@examples(60)
@given(problems(("float64",), heads=False))
def test_each_backward_step_follows_from_its_own_fields(p: Problem) -> None:
    """The recomputation, product by product, in float64."""
    rng = np.random.default_rng(p.q.size)
    d_o = rng.standard_normal((p.q.shape[0], p.v.shape[1]))
    t = trace_attention(p.q, p.k, p.v, direction="backward", d_o=d_o, **p.options, **p.tiles)
    q, k, v = (t.arrays[n] for n in "qkv")
    scale, close = t.problem["scale"], (1e-12, 1e-12)
    for s in t.steps:
        w, g = s.work, s.state
        rows, cols = (slice(None) if at is None else slice(*at) for at in (s.rows, s.cols))
        if s.kind == "delta":
            assert_close(w["delta"], (t.arrays["o"][rows] * d_o[rows]).sum(axis=1), close, "delta")
        elif s.kind == "load_kv":
            assert not g["d_k"].any() and not g["d_v"].any()
        elif s.kind == "load_q":
            assert np.array_equal(w["lse"], t.arrays["lse"][rows])
        elif s.kind == "recompute_p":
            lse = t.arrays["lse"][rows]
            assert_close(w["p"], np.exp(w["s"] - np.where(np.isneginf(lse), 0, lse)[:, None]), close, "p")
            assert (w["p"] <= 1 + 1e-12).all()
        elif s.kind == "d_v":
            assert_close(g["d_v"], w["d_v_before"] + w["p"].T @ d_o[rows], close, "d_v")
        elif s.kind == "d_p":
            assert_close(w["d_p"], d_o[rows] @ v[cols].T, close, "d_p")
        elif s.kind == "d_s":
            slope = 1.0
            if t.problem["softcap"] is not None:
                slope = 1 - np.tanh(scale * q[rows] @ k[cols].T / t.problem["softcap"]) ** 2
            assert_close(w["d_s"], w["p"] * (w["d_p"] - w["delta"][:, None]) * slope, close, "d_s")
        elif s.kind == "d_q":
            assert_close(g["d_q"], w["d_q_before"] + scale * w["d_s"] @ k[cols], close, "d_q")
        elif s.kind == "d_k":
            assert_close(g["d_k"], w["d_k_before"] + scale * w["d_s"].T @ q[rows], close, "d_k")


@examples(60)
@given(problems(heads=False))
def test_recording_a_backward_changes_no_bit(p: Problem) -> None:
    """The same readable loop with nobody listening, from the same saved o and lse."""
    t = trace_attention(p.q, p.k, p.v, direction="backward", **p.options, **p.tiles)
    saved = (t.saved[n] for n in ("o", "lse", "d_o"))
    grads = tiled_backward(t.plan.head, *saved, t.problem["block_q"], t.problem["block_k"])
    for name, a in zip(("d_q", "d_k", "d_v"), grads, strict=True):
        assert t.result[name].tobytes() == a.tobytes(), name
