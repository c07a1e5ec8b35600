"""The evidence page and its loader: every figure is the table's, a paper's or an engine run's."""

import re
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from engine.footprint import check_table_21
from engine.io_bounds import io_complexity
from engine.paper_checks import check_figure_2
from engine.traffic import compulsory_bytes, standard_bytes, tiled_bytes
from lesson.evidence import (
    TABLE_FILE,
    Measurement,
    load_measurements,
    load_provenance,
    parse_measurements,
    parse_provenance,
)
from lesson.evidence_checks import TOPICS, Check, check_row, checks, pairs
from lesson.links import load_links
from lesson.words import load_words
from tests import test_gpu_results as raw
from tests.column_page import enter, html, plain, refusals, slot, tables
from tests.conftest import ROOT
from tests.test_pages import visit, words
from ui.evidence.errata import ENTRIES, run_printed
from ui.evidence.units import both_units, giga, milliseconds, times

SAY = load_words("evidence").say
CALLS = ("forward", "forward_backward")
CSV = TABLE_FILE.read_text(encoding="utf-8")
L2 = load_provenance().l2_bytes


def page(**address: str) -> AppTest:
    return visit("pages/evidence.py", **address)


# ---- the loader -------------------------------------------------------------------------------------------


def test_every_row_is_loaded_as_the_other_reader_reads_it() -> None:
    rows = load_measurements()
    assert len(rows) == len(raw.ROWS) > 50
    for mine, theirs in zip(rows, raw.ROWS, strict=True):
        for name in vars(mine):
            assert getattr(mine, name) == theirs[name]
        assert mine.score_bytes == raw.pass_bytes(theirs) and mine.tensor_bytes == raw.unit(theirs)
        assert mine.dram_bytes == raw.dram(theirs) and mine.splits_keys == raw.splits_keys(theirs)


def edited(column: str, value: str) -> str:
    """The table with one cell of its third row changed."""
    lines = CSV.splitlines()
    place = lines[0].split(",").index(column)
    cells = lines[3].split(",")
    cells[place] = value
    return "\n".join([*lines[:3], ",".join(cells), *lines[4:]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (edited("dram_read_bytes", "-5"), r"row 3 has dram_read_bytes = '-5'"),
        (edited("dram_read_bytes", ""), r"dram_read_bytes = ''"),
        (edited("n", "0"), r"n = '0'; it must be a whole number from 1"),
        (edited("causal", "maybe"), "causal = 'maybe'; it must be one of True, False"),
        (edited("algorithm", "magic"), "one of standard, fused"),
        (edited("time_median_s", "soon"), "time_median_s = 'soon'"),
        (edited("time_median_s", "0"), "between 0 and 60"),
        (edited("forward_block_q", ""), "forward_block_q = ''"),
        (edited("backward_block_q", "64"), "backward_block_q = '64'; it must be empty"),
        (CSV.replace("sm_read_bytes", "sm_bytes", 1), "lacks the columns sm_read_bytes"),
        (CSV.splitlines()[0], "no rows"),
        (CSV + CSV.splitlines()[1] + "\n", "2 times"),
    ],
)
def test_a_damaged_table_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_measurements(text)


@pytest.mark.parametrize("fact", ["Device", "Driver", "Libraries", "Profiler", "Date", "Command", "Counters"])
def test_a_missing_fact_is_named(fact: str) -> None:
    text = (ROOT / "bench" / "results" / "gpu_traffic.md").read_text(encoding="utf-8")
    assert parse_provenance(text) == load_provenance()
    with pytest.raises(ValueError, match=fact):
        parse_provenance(text.replace(f"**{fact}:**", "**Gone:**"))


def test_the_device_and_its_cache_are_read_from_the_text() -> None:
    told = load_provenance()
    assert "H200" in told.device and told.l2_bytes == raw.L2_BYTES
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", told.date) and told.command.endswith("bench.gpu_traffic")


# ---- the model beside the measurements --------------------------------------------------------------------


def every(topic: Any) -> list[Check]:
    return [check for calls in CALLS for check in checks(topic, calls)]


def test_every_shape_is_compared_for_every_question() -> None:
    shapes = {row.shape for row in load_measurements()}
    for topic, calls in product(TOPICS, CALLS):
        assert {check.row.shape for check in checks(topic, calls)} == shapes


@pytest.mark.parametrize("check", every("standard_dram"), ids=lambda c: f"{c.row.shape}-{c.row.direction}")
def test_standard_against_its_closed_form(check: Check) -> None:
    row = check.row
    model = standard_bytes(row.n, row.n, row.d, heads=row.heads).total
    if row.with_backward:
        model += standard_bytes(row.n, row.n, row.d, heads=row.heads, direction="backward").total
    assert (check.measured_bytes, check.model_bytes) == (row.dram_bytes, model)
    theirs = next(
        r
        for r in raw.ROWS
        if all(r[k] == getattr(row, k) for k in ("n", "d", "heads", "causal", "algorithm", "direction"))
    )
    assert check.corrected_bytes - model == raw.extra_passes(theirs) * row.score_bytes
    if row.score_bytes >= 2 * L2 and not row.causal:
        assert check.corrected_ratio == pytest.approx(1, abs=0.02)
    if row.score_bytes < L2:
        assert "l2_holds_scores" in check.reasons and check.corrected_ratio < 0.8


@pytest.mark.parametrize("check", every("fused_sm"), ids=lambda c: f"{c.row.shape}-{c.row.direction}")
def test_the_fused_kernel_is_the_tiled_model_to_a_per_mille_or_two(check: Check) -> None:
    """With spills and the float32 dQ counted; keys split over two kernels lie outside the model."""
    row = check.row
    assert check.measured_bytes == row.sm_read_bytes + row.sm_written_bytes
    forward = tiled_bytes(
        row.n, row.n, row.d, heads=row.heads, causal="bottom_right" if row.causal else None,
        block_q=row.forward_block_q, block_k=row.forward_block_k,
    )  # fmt: skip
    if not row.with_backward:
        assert check.model_bytes == forward.total
    if row.splits_keys:
        assert "split_keys" in check.reasons and check.corrected_ratio > 1.05
    else:
        assert check.corrected_ratio == pytest.approx(1, abs=2e-3 if row.with_backward else 1e-3)
        assert not check.reasons


@pytest.mark.parametrize("check", every("fused_dram"), ids=lambda c: f"{c.row.shape}-{c.row.direction}")
def test_each_tensor_once_is_the_bound_of_the_third_question(check: Check) -> None:
    row = check.row
    model = compulsory_bytes(row.n, row.n, row.d, heads=row.heads).total
    if row.with_backward:
        model += compulsory_bytes(row.n, row.n, row.d, heads=row.heads, direction="backward").total
    assert check.model_bytes == model and not check.corrections
    if not row.with_backward:
        assert check.ratio > 1
    if abs(check.ratio - 1) > 0.05:
        assert check.reasons


def test_a_row_far_from_its_model_always_has_a_reason() -> None:
    """No ratio further than five per cent from one goes without a word."""
    for topic in TOPICS:
        for check in every(topic):
            assert check.all_reasons or abs(check.ratio - 1) < 0.05


def test_a_kernel_that_hides_its_tiles_is_refused() -> None:
    row = next(r for r in load_measurements() if r.algorithm == "fused")
    with pytest.raises(ValueError, match="does not tell its tiles"):
        check_row("fused_sm", replace(row, forward_block_q=None), L2)


def test_pairs_are_of_one_shape() -> None:
    for calls in CALLS:
        for pair in pairs(calls):
            assert pair.standard.shape == pair.fused.shape
            assert pair.faster == pair.standard.time_median_s / pair.fused.time_median_s
            assert (pair.standard.algorithm, pair.fused.algorithm) == ("standard", "fused")


# ---- the page ---------------------------------------------------------------------------------------------


def test_figure_two_has_printed_computed_ratio_and_the_known_error() -> None:
    at = page()
    rows = [[plain(cell) for cell in row] for row in tables(at)[0][1:]]
    standard, flash = check_figure_2()
    assert [row[1] for row in rows] == [
        "40.3 GB", "40.3 GB", "4.4 GB", "4.4 GB", "66.6 GFLOP", "75.2 GFLOP",
    ]  # fmt: skip
    assert [row[2] for row in rows] == [
        plain(giga(n, "B", 2))
        for n in (standard.model_bytes, standard.least_bytes, flash.model_bytes, flash.least_bytes)
    ] + [plain(giga(check.flops, "FLOP")) for check in (standard, flash)]
    assert rows[0][3] == times(40.3e9 / standard.model_bytes)
    assert "wrong by a constant factor" in html(at) and "12.4 times and 12.8 times" in html(at)
    assert "6 products" in rows[4][4] and "7 products" in rows[5][4]


def test_the_memory_table_is_reproduced_cell_by_cell() -> None:
    at = page()
    rows = {row[0]: row for row in tables(at)[1][1:]}
    for check in check_table_21():
        row = rows[f"{check.n:,}"]
        printed, computed = row[1:3] if check.method == "standard" else row[3:5]
        if check.printed_mib is None:
            assert printed == "out of memory"
        else:
            assert printed == f"{check.printed_mib:,}" and "(equal" in computed
    assert "(equal, cut off)" in rows["512"][4]
    assert "16 of 16 printed cells are reproduced exactly" in html(at)


@pytest.mark.parametrize(
    ("address", "parts"),
    [
        ({}, ["M lies in the domain, from 64 to 262,144"]),
        (
            {"ev_n": "256"},
            ["M = 98,304 is above N·d = 16,384", "would give 2,731 accesses", "held at 16,384"],
        ),
        ({"ev_m": "10"}, ["M = 10 is below d = 64"]),
    ],
)
def test_growth_says_where_the_formula_holds(address: dict[str, str], parts: list[str]) -> None:
    at = page(**address)
    assert all(part in html(at) for part in parts)
    numbers = {"ev_n": 4096, "ev_d": 64, "ev_m": 98304} | {k: int(v) for k, v in address.items()}
    bound = io_complexity(*numbers.values())
    rows = tables(at)[2][1:]
    assert [row[1] for row in rows] == [
        f"{float(x):,.0f}" for x in (bound.standard, bound.raw_tiled, bound.tiled, bound.least)
    ]


@pytest.mark.parametrize(
    ("name", "typed", "limit"), [("ev_n", "0", "1"), ("ev_d", "10^9", "100,000"), ("ev_m", "x", "1")]
)
def test_impossible_numbers_are_named(name: str, typed: str, limit: str) -> None:
    at = page(**{name: typed})
    (message,) = refusals(at, "growth")
    assert typed in message and limit in message and SAY("growth", "correct") in message
    before = len(tables(at))
    enter(at, **{name.removeprefix("ev_"): "100"})
    assert not refusals(at, "growth") and len(tables(at)) == before + 1


def test_each_impossible_number_is_named() -> None:
    (message,) = refusals(page(ev_n="0", ev_m="x"), "growth")
    assert "Tokens, N is 0" in message and "in elements" in message and "x" in message


@pytest.mark.parametrize(("topic", "calls"), list(product(TOPICS, CALLS)))
def test_the_gpu_table_is_the_checks(topic: Any, calls: Any) -> None:
    at = page(ev_topic=topic, ev_calls=calls)
    assert not at.warning
    rows = tables(at)[3][1:]
    found = checks(topic, calls)
    assert len(rows) == len(found) == 14
    for row, check in zip(rows, found, strict=True):
        assert f"{check.row.n:,} tokens" in row[0] and (("causal" in row[0]) == check.row.causal)
        assert row[1:4] == [
            both_units(check.measured_bytes),
            both_units(check.model_bytes),
            times(check.ratio),
        ]
        for reason in check.all_reasons:
            assert SAY("reasons", reason) in plain(row[-1])
            assert SAY("explained", reason, l2="L2").split(".")[0].split("L2")[0] in html(at)
    time_rows = tables(at)[4][1:]
    for row, pair in zip(time_rows, pairs(calls), strict=True):
        assert row[1] == milliseconds(pair.standard.time_median_s) and row[3] == times(pair.faster)


@pytest.mark.parametrize("calls", ["forward_backward", "forward and backward"])
def test_a_link_names_a_choice_by_its_key_or_its_words(calls: str) -> None:
    at = page(ev_calls=calls)
    assert not at.warning
    rows = tables(at)[4][1:]
    assert [row[3] for row in rows] == [times(pair.faster) for pair in pairs("forward_backward")]


def test_the_whole_table_can_be_taken_away() -> None:
    at = page()
    assert slot(at, "provenance")["csv"] == {"name": TABLE_FILE.name, "text": CSV}
    assert f"{SAY('gpu', 'download')}</button>" in html(at)


def test_source_date_and_the_limits_of_the_claim_are_said() -> None:
    at = page()
    told = load_provenance()
    assert all(fact in html(at) for fact in (told.device, told.driver, told.libraries, told.date))
    assert "None of this is a promise" in words(at) and told.command in words(at)
    assert "2205.14135" in html(at) and "2022" in html(at)


def test_a_wrong_address_is_named() -> None:
    at = page(ev_topic="everything", ev_odd="1")
    assert [any(part in w.value for w in at.warning) for part in ("ev_topic=everything", "ev_odd")] == [
        True
    ] * 2
    assert len(tables(at)) == 6


# ---- misprints --------------------------------------------------------------------------------------------


def test_each_misprint_links_to_where_it_was_reported() -> None:
    text = html(page())
    listed = [key for name in ENTRIES for key in SAY("errata", f"{name}_links").split()]
    assert set(listed) == {link.key for link in load_links().values() if link.kind == "issue"}
    for key in listed:
        assert f'href="{load_links()[key].url}"' in text


def test_the_printed_inverse_is_run_and_fails() -> None:
    finite, size, right = run_printed()
    assert finite < size and right < 1e-5
    assert f"{finite:,} of {size:,} output numbers are finite" in html(page())


# ---- what the image must hold -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["bench/results/gpu_traffic.csv", "bench/results/gpu_traffic.md", "docs/notation.md"]
)
def test_the_image_holds_what_the_pages_read(path: str) -> None:
    """`.dockerignore` leaves everything out but what it names."""
    kept = [
        line[1:]
        for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
        if line[:1] == "!"
    ]
    assert any(Path(path).match(pattern.replace("/**", "/*")) for pattern in kept), (
        f"add !{path} to .dockerignore"
    )


@pytest.mark.parametrize(
    ("value", "text"), [(1.0004, "1.000"), (0.559, "0.56"), (25.02, "25"), (146.1, "146"), (0.0808, "0.0808")]
)
def test_ratios_keep_a_per_mille_near_one(value: float, text: str) -> None:
    assert times(value) == text


def test_units_come_in_both_families() -> None:
    assert plain(both_units(2**25)) == "33.55 MB · 32 MiB"
    assert (plain(milliseconds(0.0026)), plain(milliseconds(0.0265))) == ("2.60 ms", "26.5 ms")
    assert isinstance(load_measurements()[0], Measurement)
