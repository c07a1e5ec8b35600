"""Bytes as text and text as counts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.units import (
    BINARY_UNITS,
    DECIMAL_UNITS,
    binary_bytes,
    decimal_bytes,
    exact_bytes,
    format_bytes,
    parse_count,
)


def test_the_same_bytes_in_both_families() -> None:
    """The report "83 GB used on an 80 GB card" came from mixing the two."""
    assert format_bytes(85_520_809_984) == "85,520,809,984 bytes (79.65 GiB, 85.52 GB)"
    assert format_bytes(33_554_432) == "33,554,432 bytes (32 MiB, 33.55 MB)"
    assert decimal_bytes(33_554_432, digits=1) == "33.6 MB"


@pytest.mark.parametrize(
    ("n_bytes", "binary", "decimal"),
    [
        (0, "0 B", "0 B"),
        (999, "999 B", "999 B"),
        (1000, "1,000 B", "1 kB"),
        (1023, "1,023 B", "1.02 kB"),
        (1024, "1 KiB", "1.02 kB"),
        (1536, "1.5 KiB", "1.54 kB"),
        (10**30, "827,180.61 YiB", "1,000,000 YB"),
    ],
)
def test_the_edges_of_the_units(n_bytes: int, binary: str, decimal: str) -> None:
    """Where one unit gives way to the next, and beyond the last."""
    assert binary_bytes(n_bytes) == binary
    assert decimal_bytes(n_bytes) == decimal


@given(st.integers(min_value=1000, max_value=10**26), st.integers(min_value=0, max_value=4))
def test_a_printed_size_is_the_nearest_one(n_bytes: int, digits: int) -> None:
    """Read back, a printed size lies within half a last digit of the bytes."""
    for text, base, units in (
        (binary_bytes(n_bytes, digits), 1024, BINARY_UNITS),
        (decimal_bytes(n_bytes, digits), 1000, DECIMAL_UNITS),
    ):
        number, unit = text.split(" ")
        scale = 1 if unit == "B" else base ** (units.index(unit) + 1)
        whole, _, fraction = number.replace(",", "").partition(".")
        steps = int(whole + fraction.ljust(digits, "0"))
        assert abs(steps * scale - n_bytes * 10**digits) * 2 <= scale, text


def test_a_size_that_rounds_up_to_the_next_unit_is_written_in_it() -> None:
    """One byte below 1 MiB rounds to 1 MiB, and is not written as 1,024 KiB."""
    assert binary_bytes(1024**2 - 1) == "1 MiB"
    assert decimal_bytes(10**6 - 1) == "1 MB"


def test_one_byte_is_not_plural() -> None:
    """Grammar counts."""
    assert exact_bytes(1) == "1 byte"
    assert exact_bytes(2) == "2 bytes"


def test_wrong_bytes_are_refused() -> None:
    """Negative, fractional and boolean sizes are mistakes of the caller."""
    with pytest.raises(ValueError, match="-5"):
        format_bytes(-5)
    with pytest.raises(TypeError, match=r"1\.5"):
        format_bytes(1.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="True"):
        format_bytes(True)


@pytest.mark.parametrize(
    "text",
    ["4096", "4,096", "4 096", "4_096", " 4096 ", "+4096", "2^12", "2**12", "4,096".replace(",", "\u202f")],
)
def test_the_ways_to_write_a_count(text: str) -> None:
    """Separators and powers are understood."""
    assert parse_count(text, name="Keys", lowest=1, highest=10**9) == 4096


def test_powers_of_ten() -> None:
    """1e6 is a million."""
    assert parse_count("1e6", name="Keys", lowest=1, highest=10**9) == 10**6
    assert parse_count("1E+6", name="Keys", lowest=1, highest=10**9) == 10**6


@pytest.mark.parametrize("text", ["10^30", "1e30", "1" + "0" * 30, "9999^9999", "1000000001"])
def test_too_large_a_count_names_value_and_limit(text: str) -> None:
    """The message holds what was typed and how far one may go."""
    with pytest.raises(ValueError, match=r"the limit here is 1,000,000,000") as caught:
        parse_count(text, name="Keys", lowest=1, highest=10**9)
    assert text in str(caught.value)


@pytest.mark.parametrize("text", ["0", "-3", "\u22123", "-1,000"])
def test_too_small_a_count_names_value_and_limit(text: str) -> None:
    """Zero and negative counts are refused, whichever minus sign is used."""
    with pytest.raises(ValueError, match=r"the lowest possible is 1\b") as caught:
        parse_count(text, name="Keys", lowest=1, highest=10**9)
    assert text.replace("\u2212", "-") in str(caught.value)


@pytest.mark.parametrize("text", ["four", "3.5", "1,2", "12,34", "nan", "1e", "0x10", "1" * 5000, "²"])
def test_what_is_no_whole_number_is_refused(text: str) -> None:
    """The message holds what was typed, shortened where it is long, and both limits."""
    with pytest.raises(ValueError, match="not a whole number; write one from 1 to 1,000") as caught:
        parse_count(text, name="Keys", lowest=1, highest=1000)
    assert text[:37] in str(caught.value)
    assert len(str(caught.value)) < 120


def test_nothing_typed_is_called_empty() -> None:
    with pytest.raises(ValueError, match="Keys is empty; give a whole number from 1 to 1,000"):
        parse_count(" ", name="Keys", lowest=1, highest=1000)
