"""What a room is doing, and what may follow. Pure: the server's state machine without a database.

    lobby ──open──▶ open ◀──undo_close── closed ──discuss──▶ discuss ──reveal──▶ revealed
                      └─────close─────────▶┘ └────────reveal──────────────────────▶┘

`second` opens the second vote from closed, discuss or revealed. `open` goes on to another question from
everywhere but an open vote. Going back to a question that was voted on shows it closed again.
"""

from dataclasses import dataclass, replace

from classroom.errors import RoomError

__all__ = ["ACTIONS", "MAX_ROUNDS", "PHASES", "Standing", "allowed", "follow"]

PHASES = ("lobby", "open", "closed", "discuss", "revealed")
ACTIONS = ("open", "close", "undo_close", "discuss", "reveal", "second")
MAX_ROUNDS = 2

_FROM = {
    "open": {"lobby", "closed", "discuss", "revealed"},
    "close": {"open"},
    "undo_close": {"closed"},
    "discuss": {"closed"},
    "reveal": {"closed", "discuss"},
    "second": {"closed", "discuss", "revealed"},
}
_TO = {"close": "closed", "undo_close": "open", "discuss": "discuss", "reveal": "revealed", "second": "open"}


@dataclass(frozen=True)
class Standing:
    """Where a room stands.

    Attributes
    ----------
    phase : str
        One of `PHASES`.
    ask : int or None
        The question at hand, by its row's number; None in the lobby.
    round : int
        1 for the first vote on it, 2 for the second; 0 in the lobby.
    """

    phase: str = "lobby"
    ask: int | None = None
    round: int = 0


def allowed(now: Standing, action: str) -> bool:
    """Say whether an action may follow. `open` still needs a question of this room."""
    if action not in _FROM or now.phase not in _FROM[action]:
        return False
    return action != "second" or now.round < MAX_ROUNDS


def follow(now: Standing, action: str, *, ask: int | None = None, rounds: int = 0) -> Standing:
    """Return where the room stands after an action.

    Parameters
    ----------
    now : Standing
    action : str
        One of `ACTIONS`.
    ask : int, optional
        For `open`: the question to go to.
    rounds : int
        For `open`: how many votes that question has had.

    Raises
    ------
    RoomError
        `malformed` for an unknown action or a missing question, `not_now` for one that may not follow.
    """
    if action not in _FROM:
        raise RoomError("malformed", f"the action is {action!r:.40}; it can be {', '.join(ACTIONS)}")
    if not allowed(now, action):
        detail = f" in round {now.round}" if action == "second" else ""
        raise RoomError("not_now", f"{action} cannot follow while the room is {now.phase}{detail}")
    if action == "open":
        if ask is None:
            raise RoomError("malformed", "open needs a question")
        # A finished vote is never opened again by accident: it is shown, and its own buttons lead on.
        return Standing("open", ask, 1) if rounds == 0 else Standing("closed", ask, rounds)
    if action == "second":
        return replace(now, phase="open", round=now.round + 1)
    return replace(now, phase=_TO[action])
