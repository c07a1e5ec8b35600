"""Numbers that are no bytes, as text. Bytes go through `engine.units` alone."""

from fractions import Fraction

PREFIXES = ("", "k", "M", "G", "T", "P", "E", "Z", "Y")

__all__ = ["ratio", "scaled"]


def scaled(number: float | int, unit: str, digits: int = 1) -> str:
    """Return a number with an SI prefix, for example `"68.7 GFLOP"`."""
    for power, prefix in enumerate(PREFIXES):
        value = number / 1000**power
        # Asked of the rounded text, so that 999.96 becomes 1 of the next unit and not 1000.0 of this one.
        if round(value, digits) < 1000 or prefix == PREFIXES[-1]:
            break
    text = f"{value:,.{digits}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return f"{text} {prefix}{unit}"


def ratio(value: Fraction | float) -> str:
    """Return a factor: whole if it is whole, else with two decimals, or as many as say something."""
    if value == int(value):
        return f"{int(value):,}"
    number = float(value)
    if number >= 100:
        return f"{number:,.0f}"
    if number >= 0.1:
        return f"{number:.2f}"
    return f"{number:.2g}"
