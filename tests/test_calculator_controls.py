"""The calculator's controls, address and formulas, and the small parts it is drawn with."""

import csv
import io
import math
import re
from fractions import Fraction
from functools import cache
from html import unescape
from itertools import pairwise
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from engine.traffic import standard_bytes
from engine.units import exact_bytes
from tests.calculator_page import html, number, result, text, visit
from tests.parts import enter, part_data
from ui.calculator.controls import CHOICES, COUNTS, CUSTOM, PARTS, PREFIX, defaults
from ui.calculator.fit import CONTROLS as FIT
from ui.calculator.ledger import CONTROLS as TRAFFIC
from ui.calculator.numbers import ratio, scaled
from ui.calculator.plot import Axis, Plot
from ui.calculator.roofline_chart import CONTROLS as ROOFLINE
from ui.calculator.storage import CONTROLS as STORAGE
from ui.calculator.takeaway import csv_text
from ui.fields.component import LONGEST

CONTROLS = {"Storage": STORAGE, "Traffic": TRAFFIC, "Fit": FIT, "Roofline": ROOFLINE}


# Controls and the address


OTHER = {
    "n_q": "2048",
    "n_k": "2048",
    "heads": "4",
    "batch": "2",
    "d": "128",
    "kv_heads": "2",
    "layers": "3",
    "bq": "96",
    "bk": "256",
    "stages": "2",
    "warps": "8",
    "budget": "65536",
    "bandwidth": "5e12",
    "rate": "1e15",
    "format": "float32",
    "mask": "causal, bottom right",
    "order": "keys outside",
    "direction": "backward",
    "device": "H100 SXM5",
    "mode": "literal",
    "model": "Qwen3 4B",
}
# What has to be set for a control to matter at all.
FIRST = {
    "kv_heads": {"heads": "4"},
    **{name: {"device": CUSTOM} for name in ("budget", "bandwidth", "rate")},
}


def shown(at: AppTest) -> str:
    """Everything that the part shows, the charts' data included."""
    # The link below a part names the control itself: it is not what the control changes.
    return re.sub(r'<a href="[^"]*"', "<a", html(at))


@cache
def shown_at(part: str, **start: str) -> str:
    """What a part shows before the control in question is touched."""
    return shown(visit(part=part, **start))


@pytest.mark.parametrize(
    ("part", "name"), [(part, name) for part, names in CONTROLS.items() for name in names]
)
def test_every_control_changes_something(part: str, name: str) -> None:
    """Set in the address, the control has the value and the page shows something else than without it."""
    start = FIRST.get(name, {})
    at = visit(part=part, **start, **{name: OTHER[name]})
    fields = part_data(at, "fields")
    assert fields["values"][name] == OTHER[name]
    assert name in {field["name"] for row in fields["rows"] for field in row["fields"]}
    assert not at.error and not at.warning
    assert shown(at) != shown_at(part, **start)


@pytest.mark.parametrize("part", CONTROLS)
def test_by_hand_and_by_address_the_page_is_the_same(part: str) -> None:
    """All controls of a part changed one after the other, beside a link with all of them."""
    at = visit(part=part)
    names = [name for name in CONTROLS[part] if name not in ("budget", "bandwidth", "rate")]
    for name in names:
        enter(at, **{name: OTHER[name]})
    assert not at.exception and not at.error
    assert shown(at) == shown(visit(part=part, **{name: OTHER[name] for name in names}))


@pytest.mark.parametrize("part", CONTROLS)
def test_formulas_appear_on_request(part: str) -> None:
    """With the numbers in them, and a line of assumptions whether or not they show."""
    without, with_them = visit(part=part), visit(part=part, formulas="true")
    assert "twc-formula" not in html(without)
    assert html(with_them).count("twc-formula") >= 2
    assert "Assumes" in text(without)


def test_the_formulas_come_out_right() -> None:
    """The right side of each formula is the sum or product of the left side's numbers."""
    for address in (
        {"part": "Storage", "heads": 6, "kv_heads": 2},
        {"part": "Traffic"},
        {"part": "Fit", "stages": 3},
    ):
        lines = re.findall(r'<p class="twc-formula">(.*?)</p>', html(visit(**address, formulas="true")))
        checked = 0
        for line in lines:
            parts = unescape(line).split(" = ")
            result = re.fullmatch(r"([\d,]+) bytes", parts[-1])
            if not result:
                continue
            worked = re.sub(r"[A-Za-z]+", "", parts[-2].replace(",", "").replace("·", "*"))
            assert re.fullmatch(r"[\d\s*+()]+", worked), worked
            assert _value(worked) == number(result.group(1))
            checked += 1
        assert checked


def _value(worked: str) -> int:
    """Work out sums, products and brackets of whole numbers."""
    inner = re.search(r"\(([^()]*)\)", worked)
    while inner:
        worked = worked[: inner.start()] + str(_value(inner.group(1))) + worked[inner.end() :]
        inner = re.search(r"\(([^()]*)\)", worked)
    return sum(math.prod(int(factor) for factor in term.split("*")) for term in worked.split("+"))


@pytest.mark.parametrize(
    ("address", "value", "limit"),
    [
        ({"n_q": "0"}, "0", "1"),
        ({"n_k": "-7"}, "-7", "1"),
        ({"n_k": ""}, "is empty", "from 1 to 1,000,000,000"),
        ({"n_q": "10000000000000"}, "10000000000000", "1,000,000,000"),
        ({"d": "1e13"}, "1e13", "65,536"),
        ({"heads": "7", "kv_heads": "3"}, "7", "3"),
        ({"part": "Traffic", "bq": "2^60"}, "2^60", "1,048,576"),
        ({"part": "Fit", "stages": "many"}, "many", "64"),
        ({"part": "Fit", "device": CUSTOM, "budget": "0.5"}, "0.5", "1"),
        ({"part": "Roofline", "batch": "²"}, "²", "10,000"),
    ],
)
def test_impossible_input_names_value_and_limit(address: dict[str, str], value: str, limit: str) -> None:
    """One message, no result, and the page works on."""
    at = visit(**address)
    assert len(at.error) == 1
    assert value in at.error[0].value and limit in at.error[0].value
    assert list(part_data(at, "fields")["refused"].values()) == [at.error[0].value]
    assert not html(at).count("twc-card")
    name = next(each for each in address if each not in ("part", "device", "kv_heads"))
    enter(at, **{name: "6"})
    assert not at.error and not at.exception
    assert part_data(at, "fields")["refused"] == {}


def test_heads_that_do_not_go_together_are_named_at_their_field() -> None:
    assert list(part_data(visit(heads="7", kv_heads="3"), "fields")["refused"]) == ["kv_heads"]


@pytest.mark.parametrize("part", CONTROLS)
def test_the_largest_numbers_stay_exact(part: str) -> None:
    """At every limit at once, no part fails and no byte is lost."""
    largest = {
        name: COUNTS[name].highest for name in CONTROLS[part] if name in COUNTS and COUNTS[name].default
    }
    at = visit(part=part, **largest, formulas="true")
    assert not at.error
    assert "e+" not in html(at)
    if part == "Storage":
        assert f"{10**9 * 10**9 * 2 * 10**4 * 10**4:,} bytes" in text(at)
    if part == "Traffic":
        exact = standard_bytes(10**9, 10**9, 2**16, heads=10**4, batch=10**4).total
        assert exact_bytes(exact) in text(at)


def test_a_wrong_address_is_named() -> None:
    """A part, a choice and a name that there are not; the page still opens."""
    at = visit(part="Kitchen", order="sideways", rows="3")
    said = "\n".join(warning.value for warning in at.warning)
    for each in ("calc_part=Kitchen", "calc_order=sideways", "calc_rows"):
        assert each in said
    assert result(at) == "32 MiB"


def test_every_part_is_in_the_link_and_opens_again() -> None:
    """Something set in one part, then another part: the address has both, and leads back to both."""
    at = enter(enter(visit(part="Traffic"), bq="96", n_k="777"), part="Fit", stages="2")
    values = part_data(at, "fields")["values"]
    assert {name: values[name] for name in ("bq", "n_k", "stages")} == {
        "bq": "96",
        "n_k": "777",
        "stages": "2",
    }
    found = re.search(r'<a href="[^"?]*calculator\?([^"]*)"', html(at))
    assert found
    query = dict(parse_qsl(unescape(found[1])))
    assert query == {"calc_part": "Fit", "calc_bq": "96", "calc_n_k": "777", "calc_stages": "2"}
    opened = visit(**{name.removeprefix(PREFIX): value for name, value in query.items()})
    assert part_data(opened, "fields")["values"] == values
    # The part that was left has what was set there.
    assert "4,096 + 777" in text(enter(opened, part="Traffic", formulas="true"))


def test_what_a_browser_sends_is_no_more_trusted_than_an_address() -> None:
    """Other names, other types and long texts: they are dropped, cut or refused with a message."""
    at = visit()
    enter(at, format="float7", mask="none")
    assert part_data(at, "fields")["values"]["format"] == CHOICES["format"].default
    enter(at, n_q="9" * 5000)
    assert len(part_data(at, "fields")["values"]["n_q"]) == LONGEST
    assert len(at.error) == 1 and not at.exception


def test_every_choice_has_a_label_that_leads_back() -> None:
    """No two labels of a menu are the same, and each has its default."""
    assert set(defaults()) == {"part", "formulas", *COUNTS, *CHOICES}
    for choice in CHOICES.values():
        assert choice.default == next(iter(choice.options)) or choice.default in choice.options
        assert len(set(choice.options.values())) == len(choice.options)
    assert set(CONTROLS) < set(PARTS)


# The small parts


def test_csv_keeps_whole_numbers() -> None:
    """A spreadsheet reads them, and none loses a digit."""
    written = csv_text(("a", "b"), [("x, y", 10**20 + 1)])
    assert list(csv.reader(io.StringIO(written))) == [["a", "b"], ["x, y", str(10**20 + 1)]]


@pytest.mark.parametrize(
    ("value", "shown"),
    [(Fraction(4), "4"), (3.9375, "3.94"), (123.4, "123"), (0.0125, "0.013"), (0, "0"), (1 / 3, "0.33")],
)
def test_factors_are_written_to_be_read(value: float, shown: str) -> None:
    """Whole where whole, else a few digits."""
    assert ratio(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"), [(999_960, "1 MB/s"), (1, "1 B/s"), (4_294_967_296, "4.3 GB/s"), (2.039e12, "2 TB/s")]
)
def test_prefixes_step_at_a_thousand(value: float, shown: str) -> None:
    """Also where rounding makes the step."""
    assert scaled(value, "B/s") == shown


def test_a_plot_puts_values_where_they_belong() -> None:
    """A logarithmic axis: equal factors, equal distances; labels at the end do not overlap."""
    axis = Axis("n", 1, 100, [(1, "1")])
    assert [axis.place(value) for value in (1, 10, 100, 1000)] == pytest.approx([0, 0.5, 1, 1])
    plot = Plot(axis, Axis("m", 0, 10, [], log=False))
    for level in (5.0, 5.01, 5.02, 9.99, 10.0):
        plot.level(level, f"level {level}")
    heights = sorted(float(y) for y in re.findall(r'y="([\d.]+)" fill="var\(--tw-muted\)">level', plot.svg()))
    assert len(heights) == 5
    gaps = [after - before for before, after in pairwise(heights)]
    assert min(gaps) >= 15 - 0.11


def test_what_a_reader_types_cannot_become_markup() -> None:
    """Escaped in the drawing too."""
    axis = Axis("<b>", 1, 2, [(1, "<i>")])
    assert "<b>" not in Plot(axis, axis).svg() and "<i>" not in Plot(axis, axis).svg()
