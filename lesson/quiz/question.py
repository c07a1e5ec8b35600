"""What a question is, and what may be told of it before and after the answer.

Knows nothing of files, of how numbers are made, or of who asks.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from lesson.quiz.answers import canonical_answer
from lesson.quiz.grading import Verdict, grade_answer
from lesson.quiz.show import Show

Kind = Literal["single", "several", "number", "order", "line", "frame"]
KINDS: tuple[Kind, ...] = get_args(Kind)

__all__ = ["KINDS", "Kind", "NumberKey", "Option", "Question", "Table", "Wrong"]


@dataclass(frozen=True)
class Option:
    """One thing to choose, to put in order, or one line of code.

    Attributes
    ----------
    id : str
        A letter in the order of display. It says nothing about what is right.
    text : str
    right : bool
        Whether it is (one of) the right ones. In an order every item is.
    reason : str
        Why it is right or wrong; in an order, why it stands where it does.
    misconception : str or None
        What choosing it (or, of several right ones, leaving it out) may come from.
    name : str
        What made it: the wrong formula's name. Never shown before the reveal.
    """

    id: str
    text: str
    right: bool
    reason: str
    misconception: str | None = None
    name: str = ""


@dataclass(frozen=True)
class Wrong:
    """A wrong number that a named wrong formula gives, so that it can be told why."""

    name: str
    value: float
    reason: str
    misconception: str | None = None


@dataclass(frozen=True)
class NumberKey:
    """The right number and how close is close enough.

    Attributes
    ----------
    value : float
    tolerance : float
        Largest distance that still counts; 0 for counts.
    whole : bool
        A count: a comma or a point parts thousands.
    unit : str
        May be empty.
    text : str
        The value as it is written to the learner.
    counts : str
        One sentence on what is close enough.
    wrongs : tuple of Wrong
    """

    value: float
    tolerance: float
    whole: bool
    unit: str
    text: str
    counts: str
    wrongs: tuple[Wrong, ...]


@dataclass(frozen=True)
class Table:
    """Numbers to look at before answering: the state of some rows."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Question:
    """One question with its numbers in it: the same id and seed always give the same one.

    Attributes
    ----------
    id, title : str
    seed : int
    kind : str
        One of `KINDS`.
    topic : str
        Which file it is from.
    generated : bool
        Whether another seed gives other numbers. The order of the options changes with every seed.
    prompt : str
        Plain text.
    options : tuple of Option
        In the order of display; empty for a number.
    number : NumberKey or None
    order : tuple of str
        The right order of the options' ids, for the kind "order".
    table : Table or None
    code : str
        What the lines belong to, for the kind "line"; empty otherwise.
    why : str
        The reason for the right answer.
    show : Show
        The frame or calculator state that settles it.
    misconceptions : tuple of str
        What it can uncover.
    sizes : mapping
        The raw numbers that it was made from, for whoever checks it by another route.
    """

    id: str
    title: str
    seed: int
    kind: Kind
    topic: str
    generated: bool
    prompt: str
    why: str
    show: Show
    misconceptions: tuple[str, ...]
    options: tuple[Option, ...] = ()
    number: NumberKey | None = None
    order: tuple[str, ...] = ()
    table: Table | None = None
    code: str = ""
    sizes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def right_ids(self) -> tuple[str, ...]:
        """The ids of the right options, in the order of display."""
        return tuple(option.id for option in self.options if option.right)

    def public(self) -> dict[str, Any]:
        """Return what may be shown before the reveal, as JSON: no key, no reason, no misconception.

        Returns
        -------
        dict
            ``id seed kind title prompt``; ``options`` as ``[{id, text}]`` or, for a number, ``unit``,
            ``whole`` and ``counts``; ``code`` and ``table`` where there is one.
        """
        shown: dict[str, Any] = {
            "id": self.id,
            "seed": self.seed,
            "kind": self.kind,
            "title": self.title,
            "prompt": self.prompt,
        }
        if self.number is None:
            shown["options"] = [{"id": option.id, "text": option.text} for option in self.options]
        else:
            shown |= {
                "unit": self.number.unit,
                "whole": self.number.whole,
                "counts": self.number.counts,
            }
        if self.code:
            shown["code"] = self.code
        if self.table is not None:
            shown["table"] = {
                "caption": self.table.caption,
                "columns": list(self.table.columns),
                "rows": [list(row) for row in self.table.rows],
            }
        return shown

    def key(self) -> dict[str, Any]:
        """Return the right answer and every reason, as JSON.

        Returns
        -------
        dict
            ``answer`` in the form of an answer; ``text``, the same in words; ``why``; ``show`` with ``href``
            (relative to the app's root) and ``label``; ``misconceptions``. With options: ``reasons`` and
            ``from`` (misconceptions) by option. For a number: ``value``, ``tolerance`` and ``wrongs``.
        """
        told: dict[str, Any] = {
            "answer": self.right_answer(),
            "text": self.right_text(),
            "why": self.why,
            "show": {"href": self.show.href, "label": self.show.label},
            "misconceptions": list(self.misconceptions),
        }
        if self.number is None:
            told["reasons"] = {option.id: option.reason for option in self.options}
            told["from"] = {
                option.id: option.misconception for option in self.options if option.misconception
            }
        else:
            told |= {"value": self.number.value, "tolerance": self.number.tolerance}
            told["wrongs"] = [
                {"id": wrong.name, "value": wrong.value, "reason": wrong.reason, "from": wrong.misconception}
                for wrong in self.number.wrongs
            ]
        return told

    def right_answer(self) -> dict[str, Any]:
        """The right answer, in the form in which a learner's comes."""
        if self.number is not None:
            return {"number": self.number.text.replace(",", "")}
        if self.kind == "order":
            return {"order": list(self.order)}
        if self.kind == "several":
            return {"choices": list(self.right_ids)}
        return {"choice": self.right_ids[0]}

    def right_text(self) -> str:
        """The right answer in words."""
        if self.number is not None:
            return f"{self.number.text} {self.number.unit}".strip()
        texts = {option.id: option.text.strip() for option in self.options}
        if self.kind == "order":
            return "; ".join(f"{place}. {texts[each]}" for place, each in enumerate(self.order, start=1))
        if self.kind == "line":
            place = [option.id for option in self.options].index(self.right_ids[0])
            return f"line {place + 1}: {texts[self.right_ids[0]]}"
        return "; ".join(texts[each] for each in self.right_ids)

    def canonical(self, answer: Mapping[str, Any]) -> str:
        """Return an answer in one short form, for counting: ``"b"``, ``"a+c"``, ``"33.5"`` or ``"c>a>b"``.

        Raises
        ------
        ValueError
            If it is no answer to this question; the message names the value and what is possible.
        """
        return canonical_answer(self, answer)

    def grade(self, answer: Mapping[str, Any]) -> Verdict:
        """Say whether an answer is right, why, and which misconception it may come from.

        Raises
        ------
        ValueError
            As `canonical`.
        """
        return grade_answer(self, answer)
