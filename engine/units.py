"""Counts and bytes as text, and text as counts: the one place where units are written.

1 kB is 1000 bytes and 1 KiB is 1024 bytes. Both families are always printed together, because the same
number of bytes looks 7 % smaller in GiB than in GB.
"""

import re

BINARY_UNITS = ("KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB")
DECIMAL_UNITS = ("kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB")


def _scaled(n_bytes: int, base: int, units: tuple[str, ...], digits: int) -> str:
    """Return `n_bytes` in the largest unit in which it rounds to at least 1; in bytes below the first."""
    if n_bytes < base:
        return f"{n_bytes:,} B"
    # Whole numbers throughout, so that no size is too large to be exact.
    for power, unit in enumerate(units, start=1):
        last_digits = (2 * n_bytes * 10**digits + base**power) // (2 * base**power)
        if last_digits < base * 10**digits or unit == units[-1]:
            break
    whole, rest = divmod(last_digits, 10**digits)
    fraction = f"{rest:0{digits}d}".rstrip("0")
    return f"{whole:,}.{fraction} {unit}" if fraction else f"{whole:,} {unit}"


def _checked(n_bytes: int) -> int:
    if isinstance(n_bytes, bool) or not isinstance(n_bytes, int):
        raise TypeError(f"bytes must be an int, got {n_bytes!r}")
    if n_bytes < 0:
        raise ValueError(f"bytes must not be negative, got {n_bytes}")
    return n_bytes


def binary_bytes(n_bytes: int, digits: int = 2) -> str:
    """Return bytes in KiB, MiB, GiB …, for example `"32 MiB"`.

    Raises
    ------
    TypeError
        If `n_bytes` is no int.
    ValueError
        If it is negative.
    """
    return _scaled(_checked(n_bytes), 1024, BINARY_UNITS, digits)


def decimal_bytes(n_bytes: int, digits: int = 2) -> str:
    """Return bytes in kB, MB, GB …, for example `"33.55 MB"`. Raises as `binary_bytes` does."""
    return _scaled(_checked(n_bytes), 1000, DECIMAL_UNITS, digits)


def exact_bytes(n_bytes: int) -> str:
    """Return every digit, for example `"33,554,432 bytes"`. Raises as `binary_bytes` does."""
    return "1 byte" if _checked(n_bytes) == 1 else f"{n_bytes:,} bytes"


def format_bytes(n_bytes: int, digits: int = 2) -> str:
    """Return bytes in every form, for example `"33,554,432 bytes (32 MiB, 33.55 MB)"`.

    Below 1000 bytes both families say the same, so only the bytes are written.
    Raises as `binary_bytes` does.
    """
    exact = exact_bytes(n_bytes)
    if n_bytes < 1000:
        return exact
    return f"{exact} ({binary_bytes(n_bytes, digits)}, {decimal_bytes(n_bytes, digits)})"


_POWER = re.compile(r"(?P<base>\d{1,4})(?:\^|\*\*)(?P<exponent>\d{1,4})")
_TIMES_TEN = re.compile(r"(?P<digits>\d{1,4})[eE]\+?(?P<zeros>\d{1,4})")
_PLAIN = re.compile(r"[+-]?(?:\d+|\d{1,3}(?:[,_\u00a0\u202f ]\d{3})+)")
# Python itself refuses to read far longer numbers; no count here needs a tenth of these.
_MOST_DIGITS = 400


def _whole_number(typed: str) -> int | None:
    """Return the number that a text spells, or None."""
    if power := _POWER.fullmatch(typed):
        value: int = int(power["base"]) ** int(power["exponent"])
        return value
    if times_ten := _TIMES_TEN.fullmatch(typed):
        zeros: int = 10 ** int(times_ten["zeros"])
        return int(times_ten["digits"]) * zeros
    if len(typed) <= _MOST_DIGITS and _PLAIN.fullmatch(typed):
        return int(re.sub(r"[,_\u00a0\u202f ]", "", typed))
    return None


def parse_count(text: str, *, name: str, lowest: int, highest: int) -> int:
    """Return the whole number that a reader typed.

    Takes `4096`, `4,096`, `4 096`, `2^12`, `2**12` and `1e6`.

    Parameters
    ----------
    text : str
        What was typed, or came in the address.
    name : str
        What the number counts; it begins the message.
    lowest, highest : int
        The limits, both allowed.

    Raises
    ------
    ValueError
        If the text is no whole number or lies outside the limits. The message names the value and the limit.
    """
    typed = text.strip().replace("\u2212", "-")
    shown = typed if len(typed) <= 40 else typed[:37] + "..."
    if not typed:
        raise ValueError(f"{name} is empty; give a whole number from {lowest:,} to {highest:,}.")
    value = _whole_number(typed)
    if value is None:
        raise ValueError(
            f"{name} is “{shown}”, which is not a whole number; write one from {lowest:,} to {highest:,}."
        )
    if value < lowest:
        raise ValueError(f"{name} is {shown}; the lowest possible is {lowest:,}.")
    if value > highest:
        raise ValueError(f"{name} is {shown}; the limit here is {highest:,}.")
    return value
