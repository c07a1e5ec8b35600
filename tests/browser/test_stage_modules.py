"""The stage's pure modules, run where they will run: in Chromium."""

import math
import re
from typing import Any

import numpy as np
import pytest

from engine import trace_attention, trace_to_dict
from lesson.inputs import entries, load
from lesson.stage_text import load_stage_text
from tests.browser.modules import Modules
from ui.stage.payload import WIDEST_PRINTED, encode, packed


def traced(key: str, **changes: Any) -> dict[str, Any]:
    given = load(key)
    trace = trace_attention(
        given.q, given.k, given.v, tokens=(given.tokens_q, given.tokens_k), **(given.options() | changes)
    )
    return trace_to_dict(trace, digits=6)


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [
        (0.038842, 3, "0.0388"),
        (-2.5, 3, "−2.50"),
        (1, 3, "1"),
        (0, 3, "0"),
        (None, 3, "−∞"),
        ("inf", 3, "∞"),
        ("nan", 3, "NaN"),
        (1234.5, 3, "1235"),
        (9.996, 3, "10.0"),
        (0.00001234, 3, "1.23 × 10⁻⁵"),
        (-0.99996, 4, "−1.000"),
        (123456789, 3, "1.23 × 10⁸"),
    ],
)
def test_format(run: Modules, value: Any, digits: int, shown: str) -> None:
    assert run("numbers.js", "m.format(x[0], x[1])", [value, digits]) == shown
    back = run("numbers.js", "String(m.parse(m.format(x[0], x[1])))", [value, digits])
    assert back == run("numbers.js", "String(m.parse(x))", shown)


def test_compact_fits_and_never_hides_a_digit_before_the_point(run: Modules) -> None:
    values = [0.123456, -0.0213, 12.345, -123.4, -1234.5, 98765.4, None, -0.00045, 1]
    shown = run("numbers.js", "x.map((value) => m.compact(value))", values)
    assert shown == ["0.123", "−0.02", "12.3", "−123", "−1235", "98765", "−∞", "≈ 0", "1"]


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0 B"),
        (1023, "1,023 B"),
        (1024, "1,024 B (1 KiB)"),
        (28736, "28,736 B (28.1 KiB)"),
        (33554432, "33,554,432 B (32 MiB)"),
        (2**30, "1,073,741,824 B (1 GiB)"),
    ],
)
def test_bytes_are_exact_with_binary_units(run: Modules, count: int, shown: str) -> None:
    assert run("numbers.js", "m.bytes(x)", count) == shown


def test_operands_gain_digits_until_the_result_follows(run: Modules) -> None:
    operands, result = [0.799623, 1.05414], math.exp(0.799623 - 1.05414)
    got = run(
        "numbers.js",
        "m.agree(x[0], (a, b) => Math.exp(a - b), x[1], { digits: 4, most: 6 })",
        [operands, result],
    )
    a, b = (float(text) for text in got["operands"])
    assert f"{math.exp(a - b):.4f}" == got["result"] == f"{result:.4f}"


def calculator(formula: str) -> float:
    """Evaluate a formula as a reader would key it in; independent of the stage's own code."""
    text = formula.replace("−∞", "(-inf)").replace("−", "-").replace("×", "*").replace(",", "")
    text = re.sub(r"e\^\{([^}]*)\}", r"exp(\1)", text).replace("ln(", "log(")
    text = re.sub(r"10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda found: f"10**({found[1].translate(RAISED)})", text)
    text = re.sub(r"⌈([^⌉]*)⌉", r"ceil(\1)", text)
    names = {
        "exp": math.exp,
        "log": math.log,
        "tanh": math.tanh,
        "ceil": math.ceil,
        "inf": math.inf,
        "max": max,
    }
    return float(eval(text, {"__builtins__": {}}, names))


RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
COMMA_IN_NUMBER = re.compile(r"(?<=\d),(?=\d)")


def keyed(numbers: str) -> float:
    """`calculator`, but the comma of `max(a, b)` stays."""
    if numbers.startswith("max("):
        left, right = numbers[4:-1].split(", ")
        return max(calculator(left), calculator(right))
    return calculator(COMMA_IN_NUMBER.sub("", numbers))


def agrees(numbers: str, result: str) -> bool:
    """Whether the value of what is shown rounds to the result that is shown."""
    exact = re.match(r"([\d,]+) B", result)
    shown = float(exact[1].replace(",", "")) if exact else calculator(result)
    value = keyed(numbers)
    if not math.isfinite(shown):
        return value == shown
    mantissa = result.split(" ")[0].lstrip("−").replace(",", "")
    power = math.floor(math.log10(abs(shown))) if shown and "×" in result else 0
    decimals = len(mantissa.partition(".")[2]) - power
    return abs(value - shown) <= 0.5 * 10.0**-decimals * (1 + 1e-9)


ALL_LINES = """(() => {
  const { trace, words } = x;
  const found = [];
  trace.steps.forEach((step, index) => {
    const rows = step.rows && m.isAboutARow(step.kind) ? step.rows[1] - step.rows[0] : 1;
    for (let row = 0; row < rows; row += 1) {
      const tokens = (all, span) => (span ? all.slice(span[0], span[1]) : []);
      const subject = { trace, step, row, isFinal: false, queries: tokens(trace.problem.tokens_q, step.rows),
        keys: tokens(trace.problem.tokens_k, step.cols) };
      for (const line of m.formulaOf(subject, words)) found.push({ index, kind: step.kind, row, ...line });
    }
  });
  return found;
})()"""


@pytest.mark.parametrize(
    "key",
    [entry.key for entry in entries() if entry.kind == "made_up"] + ["keys-lock.subject", "red-fox.prev"],
)
@pytest.mark.parametrize("order", ["q_outer", "kv_outer"])
def test_a_calculator_gets_every_result_shown(run: Modules, key: str, order: str) -> None:
    lines = run("formula.js", ALL_LINES, {"trace": traced(key, order=order), "words": load_stage_text()})
    assert {"score", "update_max", "rescale", "accumulate", "normalise"} <= {line["kind"] for line in lines}
    wrong = [line for line in lines if line["result"] and not agrees(line["numbers"], line["result"])]
    assert not wrong, wrong[:3]


def held(trace: dict[str, Any], line: dict[str, Any]) -> list[Any]:
    """The numbers that the trace holds, in this step and row, under the letter that a line defines."""
    step, row = trace["steps"][line["index"]], line["row"]
    work, state, blocks = step["work"], step["state"], trace["blocks"]
    letter = line["symbols"].partition(" = ")[0]
    if letter == "p" and line["kind"] == "mask":
        later = next(s for s in trace["steps"][line["index"] :] if s["kind"] == "accumulate")
        return [p for p, s in zip(later["work"]["p"][row], work["s"][row], strict=True) if s is None]
    if letter in {"s", "p"}:
        return list(work[letter][row])
    if letter == "acc":
        return [blocks[state["acc"]][row][0]]
    if letter == "o":
        return [blocks[work["o"]][row][0]]
    return [work[letter][row] if letter in work else state[letter][row]]


@pytest.mark.parametrize("key", ["keys-lock.subject", "empty-row", "masked-first", "rising"])
@pytest.mark.parametrize("order", ["q_outer", "kv_outer"])
def test_a_formula_gives_a_letter_the_value_that_it_has(run: Modules, key: str, order: str) -> None:
    """A line `s = … = x` says that s is x. Where the mask hides a pair, s is −∞, and its p will be 0."""
    trace = traced(key, order=order)
    lines = run("formula.js", ALL_LINES, {"trace": trace, "words": load_stage_text()})
    defined = [
        line for line in lines if re.fullmatch(r"(s|p|m_new|alpha|l|acc|o|lse)( = .*)?", line["symbols"])
    ]
    assert {"update_max", "rescale", "accumulate", "normalise"} <= {line["kind"] for line in defined}
    for line in defined:
        shown = line["result"] or line["numbers"]
        values = [-math.inf if value is None else value for value in held(trace, line)]
        assert any(agrees(repr(value).replace("-inf", "−∞"), shown) for value in values), (line, values)
    hidden = [line for line in defined if line["kind"] == "mask" and line["numbers"] == "−∞"]
    weights = [line for line in defined if line["kind"] == "mask" and line["symbols"].startswith("p = ")]
    assert (len(hidden) > 0) == (key != "rising")
    for line in weights:
        later = next(s for s in trace["steps"][line["index"] :] if s["kind"] == "update_max")
        subtracted = line["numbers"].removeprefix("e^{−∞ − ").removesuffix("}").strip("()")
        assert agrees(repr(later["work"]["m_new"][line["row"]]), subtracted), line


def test_a_calculator_follows_softcap_and_bias(run: Modules) -> None:
    given = load("ragged")
    trace = trace_attention(given.q, given.k, given.v, block_q=2, block_k=4, softcap=1.5)
    lines = run(
        "formula.js", ALL_LINES, {"trace": trace_to_dict(trace, digits=6), "words": load_stage_text()}
    )
    assert any("tanh" in line["numbers"] for line in lines)
    assert all(agrees(line["numbers"], line["result"]) for line in lines if line["result"])


SENTENCES = """x.trace.steps.flatMap((step, index) => {
  const rows = step.rows ? step.rows[1] - step.rows[0] : 1;
  return Array.from({ length: rows }, (_, row) => ({ index, row, kind: step.kind,
    text: m.sentenceOf(m.topic(x.trace, step, row, true), x.words),
    variant: m.variantOf(m.topic(x.trace, step, row, true)) }));
})"""


def test_every_variant_of_every_sentence_is_reached_and_filled(run: Modules) -> None:
    reached: dict[str, set[str]] = {}
    for key in ("rising", "falling", "empty-row", "masked-first", "ragged", "keys-lock.subject"):
        for order in ("q_outer", "kv_outer"):
            for found in run(
                "sentence.js", SENTENCES, {"trace": traced(key, order=order), "words": load_stage_text()}
            ):
                assert "{" not in found["text"] and "undefined" not in found["text"], found
                assert found["text"].endswith("."), found
                reached.setdefault(found["kind"], set()).add(found["variant"])
    partial = {"store": {"partial"}}  # needs to know later steps; the browser test of kv_outer sees it
    for kind, variants in load_stage_text()["sentences"].items():
        assert reached[kind] == set(variants) - partial.get(kind, set()), kind


def test_sentence_of_a_rescale_names_this_runs_numbers(run: Modules) -> None:
    trace = traced("rising")
    found = run("sentence.js", SENTENCES, {"trace": trace, "words": load_stage_text()})
    shrunk = next(each for each in found if each["variant"] == "shrinks")
    work = trace["steps"][shrunk["index"]]["work"]
    for name in ("m_old", "m_new", "alpha"):
        shown = run("numbers.js", "m.format(x)", work[name][shrunk["row"]])
        assert shown in shrunk["text"]


def test_timeline(run: Modules) -> None:
    trace = traced("keys-lock.subject")
    steps = trace["steps"]
    rescales = [i for i, step in enumerate(steps) if any(step["work"].get("rescaled", []))]
    assert run("timeline.js", "m.nextRescale(x, 0)", steps) == rescales[0]
    assert run("timeline.js", f"m.nextRescale(x, {rescales[-1]})", steps) == rescales[0]
    assert run(
        "timeline.js", "[m.clampStep(-3, x), m.clampStep(1e9, x), m.clampStep('nonsense', x)]", steps
    ) == [
        0,
        len(steps) - 1,
        0,
    ]
    marks = run("timeline.js", "m.markers(x)", steps)
    assert [mark["index"] for mark in marks if mark["event"] == "rose"] == rescales
    assert sum(mark["event"] == "finished" for mark in marks) == trace["problem"]["tiles_q"]
    falling = traced("falling")["steps"]
    assert run("timeline.js", "m.nextRescale(x, 7)", falling) == 7


def test_same_place_in_another_run(run: Modules) -> None:
    first, other = (
        traced("keys-lock.subject")["steps"],
        traced("keys-lock.subject", order="kv_outer")["steps"],
    )
    index = next(i for i, step in enumerate(first) if step["kind"] == "accumulate" and step["tile"] == [2, 1])
    found = run(
        "timeline.js", "m.samePlace(x[0], x[1], x[2], x[3])", [first[index], index, len(first), other]
    )
    assert (other[found]["kind"], other[found]["tile"]) == ("accumulate", [2, 1])
    nowhere = {"kind": "score", "tile": [90, 90]}
    halfway = run("timeline.js", "m.samePlace(x[0], x[1], x[2], x[3])", [nowhere, 50, 101, other])
    assert abs(halfway - (len(other) - 1) / 2) <= 1


def test_only_one_block_is_ever_alive(run: Modules) -> None:
    for order in ("q_outer", "kv_outer"):
        trace = traced("keys-lock.subject", order=order)
        alive = run(
            "history.js",
            "((lives) => x.steps.map((_, i) => lives.filter((life) => m.blockState(life, i)"
            " === 'alive').length))"
            "(m.blockLives(x).flat())",
            trace,
        )
        assert max(alive) == 1
        holds_scores = [int("s" in step["resident"] or "p" in step["resident"]) for step in trace["steps"]]
        assert alive == holds_scores
        last = run(
            "history.js", "m.blockLives(x).flat().map((life) => m.blockState(life, x.steps.length))", trace
        )
        assert set(last) == {"gone", "skipped"}


def test_unpacked_payload_is_the_trace(run: Modules) -> None:
    given = load("ragged")
    trace = trace_attention(given.q, given.k, given.v, **given.options())
    payload = encode(trace)
    unpacked = run("unpack.js", "m.unpack(x)", payload)
    kept = trace_to_dict(trace, digits=6)
    assert unpacked["steps"] == kept["steps"]
    assert unpacked["blocks"] == kept["blocks"], "narrow blocks are sent as they are"
    wide = [[None, "inf", "nan", 0, 0.1, -2.5, *[1e-6] * WIDEST_PRINTED]] * 2
    sent = packed(wide)
    assert isinstance(sent, dict)
    opened = run("unpack.js", "m.matrixOf(x)", sent)
    assert [row[:4] for row in opened] == [row[:4] for row in wide]
    np.testing.assert_allclose([row[4:] for row in opened], [row[4:] for row in wide], rtol=1e-6)
    assert run("numbers.js", "m.shortest(x, 6)", opened[0][4]) == "0.1", "a float32 is as exact as it can be"


def test_keys_and_fields(run: Modules) -> None:
    assert run(
        "keys.js", "[' ', 'ArrowLeft', 'PageDown', 'End', 'r', 'x'].map((key) => m.actionOf(key, 9))"
    ) == [
        ["toggle"],
        ["by", -1],
        ["by", 1],
        ["go", 9],
        ["rescale"],
        None,
    ]
    made = "Object.assign(document.createElement(x[0]), x[1])"
    assert run("keys.js", f"m.belongsTo({made}, 'ArrowLeft')", ["textarea", {}])
    assert run("keys.js", f"m.belongsTo({made}, 'r')", ["input", {"type": "text"}])
    assert run("keys.js", f"m.belongsTo({made}, ' ')", ["button", {}])
    assert not run("keys.js", f"m.belongsTo({made}, 'ArrowLeft')", ["button", {}])
    assert not run("keys.js", f"m.belongsTo({made}, ' ')", ["div", {}])


def test_address(run: Modules) -> None:
    assert run(
        "address.js", "x.map(m.stepInAddress)", ["?step=12", "?step=-1", "?step=abc", "?a=1", "?step="]
    ) == [
        12,
        None,
        None,
        None,
        None,
    ]
    moved = run("address.js", "m.addressWithParameter(x, 'step', 7)", "http://h/p?run_head=prev&step=3&b=%2C")
    assert moved == "http://h/p?run_head=prev&step=7&b=%2C"


def test_verdict_and_segments(run: Modules) -> None:
    assert run("ledger.js", "m.verdict(x[0], x[1])", [300, 200]) == {"outcome": "wins", "ratio": 1.5}
    assert run("ledger.js", "m.verdict(x[0], x[1])", [200, 300]) == {"outcome": "loses", "ratio": 1.5}
    parts = run("ledger.js", "m.segments(x[0], x[1])", [{"q": 8}, {"s": 4}])
    assert sum(part["bytes"] for part in parts) == 12
