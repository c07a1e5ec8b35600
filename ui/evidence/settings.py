"""What the evidence page can be asked: its controls, and what they say."""

from collections.abc import Mapping
from dataclasses import dataclass

from engine.io_bounds import IoBound, io_complexity
from engine.units import parse_count
from lesson.evidence import Calls
from lesson.evidence_checks import TOPICS, Topic
from ui.evidence.gpu import CALLS
from ui.evidence.papers import WORDS
from ui.fields.component import Field

PREFIX = "ev_"
WIDTH = 230
"""Pixels."""

__all__ = ["DEFAULTS", "FIELDS", "PREFIX", "bound_of", "calls_of", "topic_of"]


@dataclass(frozen=True)
class _Count:
    """A whole number of the page, with the highest that it may be."""

    default: str
    highest: int


# The default M is the shared memory of an A100's multiprocessor, 192 KiB, in two-byte elements.
_COUNTS = {"n": _Count("4096", 10**9), "d": _Count("64", 10**5), "m": _Count("98304", 10**12)}
DEFAULTS = {name: count.default for name, count in _COUNTS.items()}
"""Where the numbers begin."""


def _menu(name: str, label: str, table: str, choices: tuple[str, ...], width: int) -> Field:
    words = tuple(WORDS.say(table, each) for each in choices)
    return Field(name, "choice", WORDS.say("menus", label), options=choices, width=width, words=words)


FIELDS = {
    "growth_fields": tuple(Field(name, "text", WORDS.say("menus", name), width=WIDTH) for name in _COUNTS),
    "gpu_menus": (
        _menu("topic", "topic", "topics", TOPICS, 2 * WIDTH),
        _menu("calls", "direction", "directions", CALLS, WIDTH),
    ),
}
"""The page's controls by the slots in which they stand."""


def bound_of(held: Mapping[str, str]) -> IoBound | list[str]:
    """Return the bound for the reader's numbers, or a message for each that is impossible."""
    numbers, messages = {}, []
    for name, count in _COUNTS.items():
        try:
            numbers[name] = parse_count(
                held[name], name=WORDS.say("menus", name), lowest=1, highest=count.highest
            )
        except ValueError as error:
            messages.append(str(error))
    return messages or io_complexity(numbers["n"], numbers["d"], numbers["m"])


def topic_of(held: Mapping[str, str]) -> Topic:
    """Return the question that is chosen."""
    return next(topic for topic in TOPICS if topic == held["topic"])


def calls_of(held: Mapping[str, str]) -> Calls:
    """Return the calls that are chosen."""
    return next(calls for calls in CALLS if calls == held["calls"])
