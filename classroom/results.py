"""Votes as people read them: each answer with its words, its counts by round, and whether it is right."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from classroom.questions import Question

__all__ = ["MOST_LINES", "Line", "Results", "answer_of", "answer_text", "marks_of", "results_of"]

MOST_LINES = 8
"""Different answers that are shown one by one. Typed numbers can be as many as people."""


@dataclass(frozen=True)
class Line:
    """One answer in a distribution.

    Attributes
    ----------
    label : str
        The option's letter as on phones and paper, or the number of its line; several letters for several
        options; empty for what is no option.
    text : str
        The answer in words.
    right : bool
    counts : tuple of int
        How many gave it, by round.
    """

    label: str
    text: str
    right: bool
    counts: tuple[int, ...]


@dataclass(frozen=True)
class Results:
    """A question's votes.

    Attributes
    ----------
    lines : tuple of Line
        Every option; of lines of code those that were chosen; of other answers those given most often.
        The right one is always among them.
    others : tuple of int
        Votes for answers that have no line, by round.
    totals, right : tuple of int
        All votes and the right ones, by round.
    """

    lines: tuple[Line, ...]
    others: tuple[int, ...]
    totals: tuple[int, ...]
    right: tuple[int, ...]


def answer_of(asked: Question, short: str) -> dict[str, Any]:
    """Return an answer's short form as JSON again."""
    if asked.kind == "number":
        return {"number": short}
    if asked.kind == "several":
        return {"choices": short.split("+")}
    if asked.kind == "order":
        return {"order": short.split(">")}
    return {"choice": short}


def _label(asked: Question, short: str) -> str:
    """Return what stands beside an option on the screen: its letter, or the number of its line."""
    if asked.kind == "line":
        return str([option.id for option in asked.options].index(short) + 1)
    if asked.kind == "several":
        return short.replace("+", " + ")
    return short if asked.kind in ("single", "frame") else ""


def answer_text(asked: Question, short: str) -> str:
    """Return an answer's short form in words."""
    if asked.number is not None:
        return f"{float(short):,.10g} {asked.number.unit}".strip()
    texts = {option.id: option.text.strip() for option in asked.options}
    if asked.kind == "order":
        return "; ".join(f"{place}. {texts[each]}" for place, each in enumerate(short.split(">"), start=1))
    return "; ".join(texts[each] for each in short.split("+"))


def _is_right(asked: Question, short: str) -> bool:
    return asked.grade(answer_of(asked, short)).right


def marks_of(asked: Question, answer: Mapping[str, Any] | None) -> dict[str, str]:
    """Return what to write beside each option of a question, by the option's id.

    The rules are those of the quiz page (`ui/quiz/quiz_grade.js`): ``mark_right`` for a right option that was
    chosen, ``mark_missed`` for one that was not, ``mark_wrong`` for a wrong one that was. A number has one
    mark, under ``number``; in an order each place is right or wrong.

    Parameters
    ----------
    asked : Question
    answer : mapping of str to Any, optional
        None for who gave none: then every right option is ``mark_missed``.
    """
    if asked.kind in ("number", "order"):
        if answer is None:
            return {}
        if asked.kind == "number":
            return {"number": "mark_right" if asked.grade(answer).right else "mark_wrong"}
        return {
            given: "mark_right" if given == wanted else "mark_wrong"
            for given, wanted in zip(answer["order"], asked.order, strict=True)
        }
    given = answer or {}
    chosen = given.get("choices", [given.get("choice")])
    marks = {}
    for option in asked.options:
        if option.right:
            marks[option.id] = "mark_right" if option.id in chosen else "mark_missed"
        elif option.id in chosen:
            marks[option.id] = "mark_wrong"
    return marks


def results_of(asked: Question, tallies: Sequence[Mapping[str, int]]) -> Results:
    """Return a question's votes in words.

    Parameters
    ----------
    asked : Question
    tallies : sequence of mapping of str to int
        How often each answer was given, by round.
    """
    given = {short for counts in tallies for short in counts}
    right = {short for short in given if _is_right(asked, short)}
    if asked.kind in ("single", "line", "frame"):
        shown = [option.id for option in asked.options]
        right |= set(asked.right_ids)
        if asked.kind == "line":
            shown = [short for short in shown if short in given | right]
    else:
        right.add(key := asked.canonical(asked.right_answer()))
        by_count = sorted(given, key=lambda short: (-sum(each.get(short, 0) for each in tallies), short))
        shown = by_count[:MOST_LINES]
        if not right & set(shown):
            # The right answer is worth its line even if nobody, or hardly anybody, gave it.
            shown = [*shown[: MOST_LINES - 1], key]
    lines = tuple(
        Line(
            _label(asked, short),
            answer_text(asked, short),
            short in right,
            tuple(counts.get(short, 0) for counts in tallies),
        )
        for short in shown
    )
    totals = tuple(sum(counts.values()) for counts in tallies)
    return Results(
        lines=lines,
        others=tuple(total - sum(line.counts[place] for line in lines) for place, total in enumerate(totals)),
        totals=totals,
        right=tuple(sum(counts.get(short, 0) for short in right) for counts in tallies),
    )
