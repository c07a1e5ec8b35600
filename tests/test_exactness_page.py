"""The exactness page, run by Streamlit's own test runner: every number on it is a run's."""

import re
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from engine import FORMATS, attention, reference_attention
from engine.precision_lab import MOST_ADDITIONS, Measured, Tile
from engine.variants import METHODS, Settings, compare, cost
from lesson.inputs import load
from lesson.words import load_words, parse_words
from tests.column_page import enter, html, plain, refusals, tables
from tests.parts import part_data
from tests.test_pages import visit, words
from ui.exactness.maps import map_svg, verdict
from ui.exactness.numbers import decades, factor, small
from ui.exactness.rounding import say_format
from ui.exactness.runs import (
    REAL_BLOCK,
    REAL_N,
    compared,
    counted,
    lab_runs,
    real_costs,
    rounding_limit,
    stall,
)
from ui.exactness.settings import FIELDS, PREFIX

SAY = load_words("exactness").say
DEFAULT, KEY = Settings(), "keys-lock.subject"


def page(**address: str) -> AppTest:
    return visit("pages/exactness.py", **address)


def test_the_five_methods_stand_side_by_side_with_the_runs_numbers() -> None:
    at = page()
    head, *rows = tables(at)[0]
    result = compare(*(getattr(load(KEY), name) for name in "qkv"), DEFAULT, storage="float32")
    assert [row[0] for row in rows] == [SAY("methods", method) for method in METHODS]
    for row, method in zip(rows, METHODS, strict=True):
        run = result.runs[method]
        assert plain(row[1]) == f"{run.cost.used} of {run.cost.asked}"
        assert row[2] == str(run.cost.left_out)
        assert row[4] == f"{run.cost.flops:,}"
        assert row[6] == small(run.largest) and row[7] == small(run.rms)
    assert len(head) == len(rows[0])
    assert result.runs["tiled"].cost.left_out == 0 and result.runs["window"].cost.left_out > 0


@pytest.mark.parametrize(("mask", "head"), [("none", "prev"), ("causal", "Previous token")])
def test_choices_in_the_address_choose_the_run(mask: str, head: str) -> None:
    """By key or by the words that the menu shows."""
    at = page(ex_mask=mask, ex_head=head, ex_storage="float16", ex_reach="1", ex_rank="2", ex_block_q="2")
    assert not at.warning
    causal = "bottom_right" if mask == "causal" else None
    settings = Settings(causal=causal, reach=1, rank=2, block_q=2)
    result = compared("keys-lock.prev", settings, "float16")
    rows = tables(at)[0][1:]
    assert [row[6] for row in rows] == [small(result.runs[m].largest) for m in METHODS]
    assert "Previous token" in html(at) and "float16" in html(at)


OTHER = {
    "sentence": "red-fox",
    "head": "prev",
    "mask": "none",
    "storage": "bfloat16",
    "block_q": "8",
    "block_k": "2",
    "reach": "6",
    "rank": "8",
    "pattern": "every_second",
    "lab": "large",
    "value": "3",
    "count": "300",
}


@pytest.mark.parametrize("name", [field.name for row in FIELDS.values() for field in row])
def test_every_control_changes_something_by_hand_and_by_address(name: str) -> None:
    at = page()
    before = html(at)
    enter(at, **{name: OTHER[name]})
    linked = page(**{PREFIX + name: OTHER[name]})
    assert not linked.warning and part_data(linked, "column")["values"][name] == OTHER[name]
    assert html(linked) == html(at) != before


@pytest.mark.parametrize(
    ("address", "parts"),
    [
        ({"ex_rank": "7"}, ["ex_rank=7", "64", "`4` is shown"]),
        ({"ex_head": "tail"}, ["ex_head=tail", "subject"]),
        ({"ex_colour": "red"}, ["ex_colour", "ex_rank"]),
    ],
)
def test_a_wrong_address_is_named_and_the_page_goes_on(address: dict[str, str], parts: list[str]) -> None:
    at = page(**address)
    assert len(at.warning) == 1
    assert all(part in at.warning[0].value for part in parts)
    assert len(tables(at)) >= 6


@pytest.mark.parametrize("typed", ["0", "-3", "10^9", "many"])
def test_an_impossible_count_is_named_and_the_rest_stays(typed: str) -> None:
    at = page(ex_count=typed)
    (message,) = refusals(at, "sums")
    assert typed in message and SAY("say", "correct") in message
    assert f"{MOST_ADDITIONS:,}" in message or "lowest possible is 1" in message
    assert part_data(at, "column")["values"]["count"] == typed
    before = len(tables(at))
    enter(at, count="300")
    assert not refusals(at, "sums") and len(tables(at)) == before + 2


def test_sums_stall_where_the_text_says() -> None:
    """2,048 in float16 and 256 in bfloat16, computed and then written into the sentence."""
    assert (stall("float16"), stall("bfloat16")) == (2048, 256)
    at = page()
    assert "float16 stops at 2,048 and bfloat16 at 256" in words(at)
    by_format = {row[0]: row for row in tables(at)[-2][1:]}
    assert by_format["float16"][2:] == ["2,048", "addition 2,048"]
    assert by_format["bfloat16"][2:] == ["256", "addition 256"]
    assert by_format["float32"][2:] == ["4,096", "never stalled"]
    with pytest.raises(ValueError, match="still grows"):
        stall("float32")


def test_attention_that_counts_its_keys_is_run() -> None:
    rows = {(row.storage, row.narrow_sums): row for row in counted(4096)}
    for storage, limit in (("float16", 2048), ("bfloat16", 256)):
        wide, narrow = rows[storage, False], rows[storage, True]
        assert wide.lse == pytest.approx(np.log(4096), abs=1e-5) == wide.right_lse
        assert narrow.lse == pytest.approx(np.log(limit), abs=1e-5)
        assert abs(wide.output - wide.right_output) < 0.01 < abs(narrow.output - narrow.right_output)


def test_costs_at_a_real_length_are_closed_forms() -> None:
    costs = real_costs(DEFAULT, 16, 64)
    reach = round(DEFAULT.reach / 16 * REAL_N)
    settings = Settings(block_q=REAL_BLOCK, block_k=REAL_BLOCK, reach=reach)
    assert costs["window"] == cost("window", REAL_N, 64, settings)
    assert costs["tiled"].ledger.total < costs["standard"].ledger.total / 7
    assert costs["tiled"].used == costs["standard"].used
    row = tables(page())[2][1]
    assert plain(row[1]) == f"{costs['standard'].used:,} of {costs['standard'].asked:,}"


# ---- maps and verdicts ------------------------------------------------------------------------------------


@pytest.mark.parametrize("storage", list(FORMATS))
@pytest.mark.parametrize("key", ["keys-lock.subject", "red-fox.prev", "capitals.broad"])
def test_the_verdict_is_right_in_every_format(key: str, storage: str) -> None:
    """Exact methods are called exact, the others are not; a window that hides nothing says so."""
    limit = rounding_limit(key, storage, "bottom_right")
    result = compared(key, DEFAULT, storage)
    assert [verdict(result.runs[m], limit)[0] for m in METHODS] == [True, True, False, False, False]
    wide = compared(key, Settings(reach=32, rank=64), storage)
    exact, said = verdict(wide.runs["window"], limit)
    assert exact and said == SAY("verdicts", "nothing")


def test_the_map_says_in_words_what_it_draws() -> None:
    run = compared(KEY, DEFAULT, "float32").runs["window"]
    svg = map_svg(run, 4, 4)
    hidden = int((run.multiplied & ~run.asked).sum())
    assert f"{run.cost.used} of {run.cost.asked} pairs" in svg and f"{hidden} hidden" in svg
    drawn = {name: re.search(rf'class="{name}" d="([^"]*)"', svg) for name in ("used", "gone", "dot")}
    counts = {name: found.group(1).count("z") for name, found in drawn.items() if found}
    assert counts["used"] == run.cost.used and counts["dot"] == hidden
    assert drawn["gone"] and drawn["gone"].group(1).count("M") == run.cost.left_out


# ---- sentences on rounding --------------------------------------------------------------------------------


def measured(algorithm: Any, rms: float, order: Any = "q_outer", bits: str = "a") -> Measured:
    tile = None if algorithm == "standard" else Tile(4, 4, order)
    return Measured(algorithm, "float16", tile, rms, rms, bits)


@pytest.mark.parametrize(
    ("standard", "tiled", "moods"),
    [
        (2e-4, 1e-4, ["good"]),
        (1e-4, 2e-4, ["bad", "bad"]),
        (1e-4, 1e-4, ["same"]),
        (0.0, 1e-4, ["same"]),
    ],
)
def test_the_sentences_follow_the_errors(standard: float, tiled: float, moods: list[str]) -> None:
    said = say_format(
        [measured("standard", standard), measured("tiled", tiled), measured("tiled", tiled, "kv_outer")]
    )
    assert [mood for mood, _ in said] == moods


def test_both_outcomes_occur_on_the_page() -> None:
    """Tiled is closer with queries outside, and further off with keys outside and small tiles."""
    text = html(page())
    assert "float16: tiled with queries outside is" in text and "times closer" in text
    assert "bfloat16: with keys outside and tiles of 16 × 16, tiled is" in text and "further off" in text


def test_the_lab_runs_are_the_engines() -> None:
    n, runs = lab_runs("head", KEY, "bottom_right")
    given = load(KEY)
    one = next(r for r in runs if r.storage == "float16" and r.tile == Tile(4, 4))
    o, _ = attention(
        given.q, given.k, given.v, causal="bottom_right", storage="float16", block_q=4, block_k=4
    )
    right, _ = reference_attention(given.q, given.k, given.v, causal="bottom_right", storage="float16")
    assert n == len(given.q) and one.largest == np.abs(o.astype(float) - right).max()


# ---- small helpers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (5.83e-7, "5.8 × 10⁻⁷"), (0.534, "0.53"), (1.44, "1.4"), (12.3, "12"), (1.2e5, "1.2 × 10⁵")],
)
def test_small_numbers_are_written_out(value: float, text: str) -> None:
    assert small(value) == text


def test_factors_and_ticks() -> None:
    assert (factor(1.84), factor(123.4)) == ("1.8", "123")
    assert decades(1e-3, 1, 8) == [(1e-3, "10⁻³"), (1e-2, "10⁻²"), (0.1, "10⁻¹"), (1.0, "1")]
    assert len(decades(1e-18, 1, 7)) <= 7


@pytest.mark.parametrize(
    ("toml", "message"), [("", "empty"), ('a = "b"', "table"), ("[a]\nb = 3", "3"), ('[a]\nb = " "', "' '")]
)
def test_bad_words_are_refused(toml: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_words("sample", toml)


def test_a_missing_word_or_slot_is_named() -> None:
    sample = parse_words("sample", '[a]\nb = "{c}"')
    assert sample.say("a", "b", c=1) == "1"
    for table, key in (("x", "b"), ("a", "x"), ("a", "b")):
        with pytest.raises(KeyError):
            sample.say(table, key)
