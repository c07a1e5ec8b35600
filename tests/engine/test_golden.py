"""Committed traces: structure to the letter, numbers within a tolerance. `make golden` alone changes them."""

import json
from typing import Any

import numpy as np
import pytest

from engine import read_trace, trace_to_dict
from tests.engine.oracle import assert_close, assert_lse_close, one_head
from tests.make_golden import DIGITS, FOLDER, GOLDEN, render

# Room for another exp and another order of sums; in bfloat16 one rounding of P or O may fall the other way.
TOLERANCE = {"float64": (1e-8, 1e-8), "float32": (5e-6, 5e-6), "bfloat16": (1.6e-2, 1.6e-2)}
NUMERIC = {"arrays", "blocks", "result", "state", "work"}


def compare(found: Any, golden: Any, close: tuple[float, float], path: str, numeric: bool = False) -> None:
    """Same types, keys and lengths; numbers within ``close`` where they are computed, else equal."""
    if isinstance(golden, dict):
        assert isinstance(found, dict) and list(found) == list(golden), f"{path}: {list(found)}"
        for key in golden:
            compare(found[key], golden[key], close, f"{path}/{key}", numeric or key in NUMERIC)
    elif isinstance(golden, list):
        assert isinstance(found, list) and len(found) == len(golden), path
        for i, (a, b) in enumerate(zip(found, golden, strict=True)):
            compare(a, b, close, f"{path}/{i}", numeric)
    elif numeric and isinstance(golden, float | int) and not isinstance(golden, bool):
        assert isinstance(found, float | int) and not isinstance(found, bool), f"{path}: {found!r}"
        atol, rtol = close
        off = abs(found - golden)
        assert off <= atol + rtol * abs(golden), f"{path}: {found!r} for {golden!r}, off by {off:.3e}"
    else:
        assert found == golden and type(found) is type(golden), f"{path}: {found!r} for {golden!r}"


def test_every_golden_trace_has_a_maker() -> None:
    """And every maker its file."""
    assert {path.stem for path in FOLDER.glob("*.json")} == set(GOLDEN)


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_the_trace_is_the_golden_one(name: str) -> None:
    """Steps, fields, bytes, labels, masks and indices exactly; numbers within the format's tolerance."""
    golden = read_trace(FOLDER / f"{name}.json")
    found = trace_to_dict(GOLDEN[name](), DIGITS)
    compare(found, golden, TOLERANCE[golden["problem"]["storage"]], name)


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_the_file_is_as_it_was_written(name: str) -> None:
    """No hand has been at it, as far as the layout shows, and it is small."""
    text = (FOLDER / f"{name}.json").read_text(encoding="utf-8")
    assert render(json.loads(text)) == text
    assert len(text) < 100_000


def test_a_changed_number_or_field_is_noticed() -> None:
    """The comparison itself can fail."""
    golden = read_trace(FOLDER / "q_outer.json")
    close = TOLERANCE["float64"]
    compare(golden, golden, close, "same")
    for change in (
        lambda d: d["steps"][3]["work"]["s"][0].__setitem__(0, 9.0),
        lambda d: d["steps"][3]["hbm_read_total"].__setitem__("k", 1),
        lambda d: d["steps"].pop(),
        lambda d: d["problem"].pop("seed"),
        lambda d: d["blocks"][1][0].__setitem__(0, None),
        lambda d: d["steps"][2].__setitem__("kind", "mask"),
    ):
        other = json.loads(json.dumps(golden))
        change(other)
        with pytest.raises(AssertionError):
            compare(other, golden, close, "changed")


@pytest.mark.parametrize("name", sorted(set(GOLDEN) - {"backward", "no_rescale"}))
def test_a_golden_result_is_attention(name: str) -> None:
    """A golden file must not keep a bug alive: its result is checked against the definition."""
    d = read_trace(FOLDER / f"{name}.json")
    p = d["problem"]
    q, k, v = (np.array(d["arrays"][n]) for n in "qkv")
    keep = np.array([[c == "1" for c in row] for row in p["allowed"]])
    o, lse, _ = one_head(q, k, v, keep=keep, softcap=p["softcap"], scale=p["scale"])
    close = TOLERANCE[p["storage"]]
    found_lse = [-np.inf if x is None else x for x in d["result"]["lse"]]
    assert_close(d["result"]["o"], o, close, "o")
    assert_lse_close(found_lse, lse, (5e-6, 0))
    assert_close(d["arrays"]["reference_o"], o, (1e-8, 0), "reference_o")


def test_the_golden_mistake_is_wrong() -> None:
    """Or it would teach nothing."""
    d = read_trace(FOLDER / "no_rescale.json")
    assert np.abs(np.array(d["result"]["o"]) - np.array(d["arrays"]["reference_o"])).max() > 0.01
