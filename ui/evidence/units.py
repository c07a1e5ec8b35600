"""Numbers of the evidence page as text."""

from engine.units import binary_bytes, decimal_bytes

NO_BREAK = "\u00a0"

__all__ = ["NO_BREAK", "both_units", "giga", "milliseconds", "times"]


def both_units(n_bytes: int) -> str:
    """Return bytes in both families of units, broken only between the two."""
    return " · ".join(unit(n_bytes).replace(" ", NO_BREAK) for unit in (decimal_bytes, binary_bytes))


def giga(number: float, unit: str, digits: int = 1) -> str:
    """Return a number in thousands of millions, for example `"40.3 GB"`."""
    return f"{number / 1e9:,.{digits}f}{NO_BREAK}G{unit}"


def milliseconds(seconds: float) -> str:
    """Return a time with three digits that count, for example `"2.48 ms"`."""
    return f"{seconds * 1000:#.3g}".removesuffix(".") + f"{NO_BREAK}ms"


def times(value: float) -> str:
    """Return a ratio: three decimals near one, where a per mille counts, and fewer elsewhere."""
    if 0.1 <= value < 10:
        return f"{value:.3f}" if abs(value - 1) < 0.1 else f"{value:.2f}"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
