"""What a maker of numbers hands over, and the list of makers.

A maker draws sizes from a seeded `random.Random`, asks the engine for the right answer, and works out every
wrong one by a formula that has a name. Reasons are not its business: they stand in the TOML files.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, TypeVar

from lesson.quiz.question import Table
from lesson.quiz.show import Show

MOST_WRONG = 3
"""Wrong options of a generated question: more would only be read past."""

__all__ = ["MAKERS", "MOST_WRONG", "Choice", "Draft", "Maker", "choices_of", "digits", "maker", "whole"]


@dataclass(frozen=True)
class Choice:
    """One option: its words, whether it is right, and the name of the reason for it."""

    text: str
    right: bool
    because: str
    slots: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Draft:
    """One draw.

    Attributes
    ----------
    slots : mapping of str to str
        What the texts' `{slots}` stand for.
    show : Show
    sizes : mapping
        The raw numbers, for checking by another route.
    choices : tuple of Choice
        For everything but a typed number. Those that read like an earlier one are left out.
    right : float or None
        The right number, for a typed one.
    wrongs : mapping of str to float
        What each named wrong formula gives instead.
    text : callable
        How a typed number's values are written.
    tolerance : float
        Largest share of the right number that still counts; 0 for counts.
    table : Table or None
    """

    slots: Mapping[str, str]
    show: Show
    sizes: Mapping[str, Any]
    choices: tuple[Choice, ...] = ()
    right: float | None = None
    wrongs: Mapping[str, float] = field(default_factory=dict)
    text: Callable[[float], str] = str
    tolerance: float = 0.0
    table: Table | None = None


Draw = Callable[[Random], Draft | None]


@dataclass(frozen=True)
class Maker:
    """A function that draws (None: draw again), and the names of the reasons that it may ask for."""

    draw: Draw
    names: frozenset[str]


DrawKind = TypeVar("DrawKind", bound=Draw)
MAKERS: dict[str, Maker] = {}


def maker(*names: str) -> Callable[[DrawKind], DrawKind]:
    """Enter a function into `MAKERS` under its own name, with the reasons that it may ask for."""

    def enter(draw: DrawKind) -> DrawKind:
        MAKERS[draw.__name__] = Maker(draw, frozenset(names))
        return draw

    return enter


def choices_of(
    right: float | str, wrongs: Mapping[str, float | str], text: Callable[[Any], str] = str
) -> tuple[Choice, ...]:
    """Return one right option and its wrong ones, each with the name of its formula as its reason."""
    return (
        Choice(text(right), True, "right"),
        *(Choice(text(value), False, name) for name, value in wrongs.items()),
    )


def digits(significant: int) -> Callable[[float], str]:
    """Return a writer of numbers with that many significant digits, without exponents."""

    def write(value: float) -> str:
        rounded = float(f"{value:.{significant}g}")
        shown = f"{rounded:,.12f}".rstrip("0").rstrip(".")
        return shown.replace("-", "\u2212")

    return write


def whole(value: float) -> str:
    """Write a count with its thousands parted."""
    return f"{int(value):,}"
