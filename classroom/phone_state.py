"""What a phone is told, phase by phase. Counts and keys leave through here alone."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from classroom.questions import Question
from classroom.results import Results, answer_of, answer_text, marks_of
from classroom.rooms import Ask, Room
from classroom.votes import Saved

__all__ = ["common_state", "own_state"]


def common_state(
    room: Room, asks: Sequence[Ask], asked: Question | None, results: Results | None
) -> dict[str, Any]:
    """Return what every phone in the room is told.

    Parameters
    ----------
    room : Room
    asks : sequence of Ask
        The room's questions.
    asked : Question or None
        The question at hand.
    results : Results or None
        Its votes. They are passed on only once the room has revealed them.

    Returns
    -------
    dict
        ``revision``, ``phase``, ``ask``, ``round``; with a question its ``place`` in the list, how many it
        ``of`` has, and ``question``; after the reveal ``results``.
    """
    now = room.standing
    state: dict[str, Any] = {"revision": room.revision}
    if asked is None:
        # Between questions; or a later version of the lesson has no such question, and the phones wait.
        return state | {"phase": "lobby", "ask": None, "round": 0}
    state |= {"phase": now.phase, "ask": now.ask, "round": now.round}
    places = [each.id for each in asks]
    state |= {"place": places.index(now.ask) + 1 if now.ask in places else 0, "of": len(places)}
    # The seed would let a copy of the lesson work out the key.
    state["question"] = {name: value for name, value in asked.public().items() if name not in ("seed", "id")}
    if now.phase == "revealed" and results is not None:
        key = asked.key()
        state["results"] = {
            "lines": [
                {"label": line.label, "text": line.text, "right": line.right, "counts": list(line.counts)}
                for line in results.lines
            ],
            "others": list(results.others),
            "totals": list(results.totals),
            "answer": key["text"],
            "why": key["why"],
            "show": key["show"],
        }
    return state


def own_state(room: Room, asked: Question | None, votes: Mapping[int, Saved]) -> dict[str, Any]:
    """Return what one phone is told of its own votes.

    Returns
    -------
    dict
        ``mine``: the vote that stands in this round, as ``answer`` and ``sequence``, or None.
        After the reveal also ``verdicts``, one for each round voted in: ``text``, ``right`` and ``reason``;
        and ``marks``, what to write beside each option.
    """
    now = room.standing
    saved = votes.get(now.round)
    mine = None if saved is None else {"answer": json.loads(saved.given), "sequence": saved.sequence}
    if now.phase != "revealed" or asked is None:
        return {"mine": mine}
    verdicts = []
    for round_, each in sorted(votes.items()):
        verdict = asked.grade(answer_of(asked, each.answer))
        verdicts.append(
            {
                "round": round_,
                "text": answer_text(asked, each.answer),
                "right": verdict.right,
                "reason": verdict.reason,
            }
        )
    marks = marks_of(asked, None if mine is None else mine["answer"])
    return {"mine": mine, "verdicts": verdicts, "marks": marks}
