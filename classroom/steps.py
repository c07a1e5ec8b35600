"""What a lecturer may do next, in the order of peer instruction. Pure.

Vote alone, talk it over, vote again, reveal, go on. Whether the room is divided is not looked at: a button
that stood out only then would tell the hall, which sees this screen, how the vote went.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from classroom.phases import Standing, allowed
from classroom.rooms import Ask

__all__ = ["GO_ON", "PEEK", "Step", "next_ask", "steps"]

PEEK = "peek"
"""Showing a closed vote before its reveal: it changes nothing in the room."""

GO_ON = "go_on"
"""Opening the list of questions where none of it waits: it changes nothing in the room."""

# By phase and round: the step that stands out, then the others, few enough for one row. Those that may not
# follow are left out. Going on without a reveal is left to the list of questions.
_ORDER = {
    "lobby": (("open",),),
    "open": (("close",),),
    "closed": (
        ("discuss", PEEK, "second", "reveal", "undo_close"),
        ("reveal", PEEK, "undo_close"),
    ),
    "discuss": (("second", PEEK, "reveal"), ("reveal", PEEK)),
    "revealed": (("open", GO_ON, "second"),),
}


@dataclass(frozen=True)
class Step:
    """Something that may follow.

    Attributes
    ----------
    name : str
        An action of `classroom.phases.ACTIONS`, `PEEK` or `GO_ON`.
    primary : bool
        Whether it is the one that comes next as a rule.
    """

    name: str
    primary: bool


def next_ask(asks: Sequence[Ask], current: Ask | None) -> Ask | None:
    """Return the next question that was not asked yet: after the one at hand, else the first."""
    waiting = [each for each in asks if each.rounds == 0]
    later = [each for each in waiting if current is None or each.place > current.place]
    return next(iter(later or waiting), None)


def _may_follow(name: str, now: Standing, following: bool) -> bool:
    if name in (PEEK, GO_ON):
        return name == PEEK or not following
    return allowed(now, name) and (name != "open" or following)


def steps(now: Standing, *, following: bool) -> tuple[Step, ...]:
    """Return what may follow.

    Parameters
    ----------
    now : Standing
    following : bool
        Whether a question waits that was not asked yet.
    """
    orders = _ORDER[now.phase]
    order = orders[min(max(now.round, 1), len(orders)) - 1]
    return tuple(
        Step(name, place == 0 or name == GO_ON)
        for place, name in enumerate(order)
        if _may_follow(name, now, following)
    )
