"""Traces as JSON and `.npz`: finite builtins, exact or rounded numbers, a reader that refuses the rest."""

import io
import json
import math
import tempfile
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import (
    MISTAKES,
    Trace,
    read_trace,
    trace_attention,
    trace_to_dict,
    trace_to_json,
    trace_to_npz,
)
from tests.engine.strategies import ORDERS, Problem, examples, problems

TOP = [
    "format",
    "version",
    "digits",
    "problem",
    "pseudocode",
    "arrays",
    "blocks",
    "steps",
    "result",
    "standard",
]
PROBLEM = {
    "direction", "n_q", "n_k", "d", "d_v", "block_q", "block_k", "tiles_q", "tiles_k", "order", "causal",
    "window", "softcap", "scale", "storage", "has_keep", "has_bias", "bytes_per_element", "mistake", "seed",
    "tokens_q", "tokens_k", "allowed", "visits",
}  # fmt: skip
STEP = {
    "kind", "code", "tile", "rows", "cols", "state", "work", "hbm_read", "hbm_write", "hbm_read_total",
    "hbm_write_total", "standard_read_total", "standard_write_total", "resident",
}  # fmt: skip
WIDE = {"acc", "acc_before", "o", "d_q", "d_k", "d_v", "d_q_before", "d_k_before", "d_v_before"}
NARROW = {"s", "p", "d_p", "d_s"}


def sample(**options: Any) -> Trace:
    """A small trace with skipped tiles, an empty row and unequal sizes."""
    rng = np.random.default_rng(1)
    q, k, v = (rng.standard_normal(s).astype(np.float32) for s in ((5, 3), (4, 3), (4, 2)))
    return trace_attention(q, k, v, **({"block_q": 2, "block_k": 2, "causal": "bottom_right"} | options))


def only_finite_builtins(node: Any) -> None:
    """Strings, booleans, None, ints, finite floats, lists and string-keyed dicts, of exactly those types."""
    assert type(node) in (str, bool, type(None), int, float, list, dict), type(node)
    if isinstance(node, float):
        assert math.isfinite(node)
    if isinstance(node, dict):
        assert all(type(key) is str for key in node)
        for value in node.values():
            only_finite_builtins(value)
    if isinstance(node, list):
        for value in node:
            only_finite_builtins(value)


def matrix(plain: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers of a document as an array."""
    words = {None: -math.inf, "inf": math.inf, "nan": math.nan}

    def number(x: Any) -> float:
        return words[x] if x is None or isinstance(x, str) else float(x)

    flat = [number(x) for row in plain for x in (row if len(shape) == 2 else [row])]
    return np.array(flat, np.float64).reshape(shape)


@examples(60)
@given(problems(heads=False), st.sampled_from(["forward", "backward"]), st.sampled_from([None, *MISTAKES]))
def test_the_document_is_the_trace(p: Problem, direction: Any, mistake: Any) -> None:
    """Finite builtins only; every field there; every block index valid; every number exact."""
    mistake = None if direction == "backward" else mistake
    t = trace_attention(p.q, p.k, p.v, direction=direction, mistake=mistake, **p.options, **p.tiles)
    document = trace_to_dict(t)
    only_finite_builtins(document)
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert json.loads(trace_to_json(t)) == document
    assert list(document) == TOP and set(document["problem"]) == PROBLEM
    assert (document["format"], document["version"], document["digits"]) == ("tilewise-trace", 1, None)
    assert len(document["steps"]) == len(t.steps)
    used: set[int] = set()
    for step, made in zip(document["steps"], t.steps, strict=True):
        assert set(step) == STEP
        for part, arrays in (("state", made.state), ("work", made.work)):
            assert step[part].keys() == arrays.keys()
            for name, array in arrays.items():
                plain = step[part][name]
                if name in WIDE:
                    assert type(plain) is int and 0 <= plain < len(document["blocks"])
                    used.add(plain)
                    plain = document["blocks"][plain]
                elif name in NARROW:
                    assert isinstance(plain, list)
                if isinstance(array, np.ndarray):
                    found = matrix(plain, array.shape)
                    assert np.array_equal(found, array.astype(np.float64), equal_nan=True), (
                        step["kind"],
                        name,
                    )
    assert used == set(range(len(document["blocks"]))), "a block that no step uses"
    for part, arrays in (("arrays", t.arrays), ("result", t.result)):
        for name, array in arrays.items():
            found = matrix(document[part][name], array.shape)
            assert np.array_equal(found, array.astype(np.float64), equal_nan=True), name
    assert document["pseudocode"] == list(t.listing.lines)
    assert document["standard"]["read"] == {n: x.read for n, x in t.standard.by_tensor.items() if x.read}
    assert document["standard"]["written"] == {
        n: x.written for n, x in t.standard.by_tensor.items() if x.written
    }


def test_arrays_and_results_are_named() -> None:
    """By direction."""
    forward, backward = trace_to_dict(sample()), trace_to_dict(sample(direction="backward"))
    inputs = {"q", "k", "v", "reference_o", "reference_lse"}
    assert set(forward["arrays"]) == inputs and set(forward["result"]) == {"o", "lse"}
    gradients = {"d_q", "d_k", "d_v"}
    assert set(backward["arrays"]) == inputs | {"o", "lse", "d_o"} | {f"reference_{g}" for g in gradients}
    assert set(backward["result"]) == gradients and backward["problem"]["order"] == "kv_outer"


def test_minus_infinity_is_null() -> None:
    """In lists of numbers and in matrices; row 0 of 5 sees none of 4 keys."""
    document = trace_to_dict(sample())
    assert document["result"]["lse"][0] is None and document["arrays"]["reference_lse"][0] is None
    assert document["steps"][1]["state"]["m"] == [None, None]
    masked = next(s for s in document["steps"] if s["kind"] == "mask")
    assert None in masked["work"]["s"][0]
    assert document["result"]["o"][0] == [0, 0]


def test_a_negative_zero_keeps_its_sign() -> None:
    """In every rounding; a whole number, 0 among them, is written without a point."""
    x = np.array([[-0.0, 0.0, 2.0]])
    trace = trace_attention(x, x, x)
    for digits in (None, 1, 17):
        assert json.dumps(trace_to_dict(trace, digits)["arrays"]["v"]) == "[[-0.0, 0, 2]]"


def test_a_wrong_algorithm_writes_words() -> None:
    """+∞ and NaN, which only mistakes make, are "inf" and "nan"."""
    text = trace_to_json(sample(mistake="alpha_upside_down"))
    document = json.loads(text)
    assert "nan" in document["result"]["o"][1] and '"inf"' in text
    assert '"nan"' not in trace_to_json(sample()) and '"inf"' not in trace_to_json(sample())


@pytest.mark.parametrize("digits", [1, 3, 6, 17])
@pytest.mark.parametrize("order", ORDERS)
def test_digits_round_every_float(digits: int, order: Any) -> None:
    """To that many significant digits; bytes and indices stay whole."""
    t = sample(order=order)
    exact, rounded = trace_to_dict(t), trace_to_dict(t, digits)
    assert rounded["digits"] == digits
    for a, b in zip(exact["blocks"], rounded["blocks"], strict=True):
        for x, y in zip(chain(*a), chain(*b), strict=True):
            assert y == float(f"{x:.{digits}g}")
    for a, b in zip(exact["steps"], rounded["steps"], strict=True):
        for name in ("hbm_read_total", "hbm_write_total", "standard_read_total", "resident", "tile", "code"):
            assert a[name] == b[name]
    assert len(trace_to_json(t, 3)) < len(trace_to_json(t))


@pytest.mark.parametrize("digits", [0, -1, 18, 2.5, True])
def test_digits_that_mean_nothing_are_refused(digits: Any) -> None:
    """With the value."""
    with pytest.raises(ValueError, match=f"digits must be .*not {digits}"):
        trace_to_json(sample(), digits)


# A backward has one order.
@pytest.mark.parametrize(
    ("direction", "order"), [("forward", "q_outer"), ("forward", "kv_outer"), ("backward", "kv_outer")]
)
@pytest.mark.parametrize("storage", ["float64", "float32", "float16", "bfloat16"])
def test_both_files_read_back_as_the_document(
    tmp_path: Path, direction: Any, order: Any, storage: Any
) -> None:
    """JSON and .npz hold the same; the .npz loads without pickles and holds unrounded arrays."""
    t = sample(direction=direction, order=order, storage=storage)
    document = trace_to_dict(t)
    as_json, as_npz = tmp_path / "trace.json", tmp_path / "trace.npz"
    as_json.write_text(trace_to_json(t), encoding="utf-8")
    as_npz.write_bytes(trace_to_npz(t))
    assert read_trace(as_json) == document
    assert read_trace(str(as_npz)) == document
    with np.load(as_npz, allow_pickle=False) as file:
        assert file["meta"].ndim == 0 and file["meta"].dtype.kind == "U"
        meta = json.loads(str(file["meta"]))
        assert meta["format"] == "tilewise-trace" and meta["arrays"]["q"] == {"array": "arrays/q"}
        assert (
            np.array_equal(file["arrays/q"], t.arrays["q"]) and file["arrays/q"].dtype == t.arrays["q"].dtype
        )
        names = set(file.files)
        assert "result/o" in names or "result/d_q" in names
        assert {f"blocks/{i}" for i in range(len(document["blocks"]))} <= names
        for i, s in enumerate(t.steps):
            for part, arrays in (("state", s.state), ("work", s.work)):
                for name, a in arrays.items():
                    if isinstance(a, np.ndarray) and (a.ndim == 1 or name in NARROW):
                        found = file[f"steps/{i}/{part}/{name}"]
                        assert found.dtype == a.dtype and np.array_equal(found, a)


@examples(25)
@given(problems(heads=False), st.sampled_from([None, "alpha_upside_down", "no_max"]))
def test_npz_equals_json_for_any_call(p: Problem, mistake: Any) -> None:
    """Also with no queries, no keys, or numbers that are not finite."""
    t = trace_attention(p.q, p.k, p.v, mistake=mistake, **p.options, **p.tiles)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.npz"
        path.write_bytes(trace_to_npz(t))
        assert read_trace(path) == trace_to_dict(t)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "another-trace"}, "format 'another-trace', version 1; known: 'tilewise-trace', 1"),
        ({"version": 2}, "format 'tilewise-trace', version 2; known: 'tilewise-trace', 1"),
        ({"version": "1"}, "version '1'"),
        ({"version": True}, "version True"),
        ({"version": None}, "version None"),
    ],
)
def test_unknown_formats_and_versions_are_refused(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    """In both kinds of file, with what was found and what is known."""
    document = trace_to_dict(sample()) | change
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_trace(path)
    np.savez(tmp_path / "trace.npz", meta=np.array(json.dumps(document)))
    with pytest.raises(ValueError, match=message):
        read_trace(tmp_path / "trace.npz")


def _zip_with_meta(meta: Any, **arrays: Any) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, meta=meta, **arrays)
    return buffer.getvalue()


HEADER = '{"format": "tilewise-trace", "version": 1, "x": %s}'


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"not a trace",
        b"[1, 2]",
        b"null",
        b"\xff\xfe",
        b"[" * 100_000,
        b"PK",
        b"PK\x03\x04" + b"\0" * 100,
        b"PK\x05\x06" + b"\0" * 18,
        _zip_with_meta(np.array("{")),
        _zip_with_meta(np.array([1, 2])),
        _zip_with_meta(np.array([{"a": 1}], dtype=object)),
        _zip_with_meta(np.array(HEADER % '{"array": "nowhere"}')),
        _zip_with_meta(np.array(HEADER % '{"array": [1]}')),
        _zip_with_meta(np.array(HEADER % '{"array": "text"}'), text=np.array(["a"])),
        _zip_with_meta(np.array(HEADER % '{"array": "pickle"}'), pickle=np.array([{}], dtype=object)),
    ],
    ids=range(16),
)
def test_files_that_are_no_traces_are_refused(tmp_path: Path, raw: bytes) -> None:
    """With one clear error that names the file, whatever is wrong inside; nothing is unpickled."""
    path = tmp_path / "some.npz"
    path.write_bytes(raw)
    with pytest.raises(ValueError, match=r"some\.npz (is not a trace|says format)"):
        read_trace(path)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "its 0 bytes are neither an .npz file nor JSON"),
        (b"not a trace", "its 11 bytes are neither an .npz file nor JSON"),
        (b"PK and rubbish", "the 14 bytes are not a whole .npz file"),
    ],
)
def test_a_file_of_another_kind_is_called_that(tmp_path: Path, raw: bytes, message: str) -> None:
    """Not by what a parser missed in it, and never with the advice to trust it."""
    path = tmp_path / "some.npz"
    path.write_bytes(raw)
    with pytest.raises(ValueError, match=f"is not a trace: {message}$"):
        read_trace(path)


def test_broken_files_are_refused_or_right(tmp_path: Path) -> None:
    """A file cut short, or with a flipped byte, never gives a wrong trace."""
    good = trace_to_npz(sample())
    path = tmp_path / "broken.npz"
    document = trace_to_dict(sample())
    refused = 0
    for at in range(10, len(good), 2477):
        for raw in (good[:at], good[:at] + bytes([good[at] ^ 0xFF]) + good[at + 1 :]):
            path.write_bytes(raw)
            try:
                found = read_trace(path)
            except ValueError as error:
                refused += str(error).startswith(f"{path} is not a trace")
            else:
                assert found == document
                refused += 1  # the byte had no meaning
    assert refused == 2 * len(range(10, len(good), 2477))


def test_a_missing_file_is_a_missing_file(tmp_path: Path) -> None:
    """Not "no trace"."""
    with pytest.raises(FileNotFoundError):
        read_trace(tmp_path / "none.json")


def test_labels_keep_their_letters(tmp_path: Path) -> None:
    """Tokens of any script, quotes and control signs included."""
    tokens = ["Straße", "注意", '"\\', "\n", "🧮"]
    t = trace_attention(np.ones((5, 1)), np.ones((5, 1)), np.ones((5, 1)), tokens=tokens)
    for name, raw in (("t.json", trace_to_json(t).encode()), ("t.npz", trace_to_npz(t))):
        (tmp_path / name).write_bytes(raw)
        assert read_trace(tmp_path / name)["problem"]["tokens_k"] == tokens
