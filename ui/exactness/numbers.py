"""Small numbers as text: errors span fifteen powers of ten."""

from math import floor, log10

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

__all__ = ["decade", "decades", "factor", "small"]


def decade(power: int) -> str:
    """Return a power of ten, for example `"10⁻⁷"`."""
    return "1" if power == 0 else f"10{str(power).translate(_RAISED)}"


def small(value: float) -> str:
    """Return a number with two digits, for example `"5.8 × 10⁻⁷"` or `"0.53"`; 0 is `"0"`."""
    if value == 0:
        return "0"
    if 0.01 <= abs(value) < 1000:
        return f"{value:.2g}" if abs(value) < 10 else f"{value:.0f}"
    digits, power = f"{value:.1e}".split("e")
    return f"{digits} × {decade(int(power))}"


def factor(value: float) -> str:
    """Return how many times, for example `"1.8"` or `"120"`."""
    return f"{value:.1f}" if value < 10 else f"{value:,.0f}"


def decades(low: float, high: float, most: int = 8) -> list[tuple[float, str]]:
    """Return the ticks of a logarithmic axis: powers of ten between two numbers, at most ``most``."""
    first, last = floor(log10(low) + 0.999), floor(log10(high))
    stride = max(1, -(-(last - first + 1) // most))
    return [(10.0**power, decade(power)) for power in range(first, last + 1, stride)]
