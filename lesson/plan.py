"""The lesson's sections in order, from `content/<language>/lesson.toml`: what each mirrors and asks for."""

import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Any

from lesson.frames import place_names
from lesson.place import CONTENT, LANGUAGE
from lesson.quiz import bank

SLIDERS = ("traffic", "storage")

__all__ = ["SLIDERS", "Option", "Prediction", "Section", "load_sections", "parse_sections"]


@dataclass(frozen=True)
class Option:
    """One answer to a prediction: its words, whether it is right, and why it is right or wrong."""

    text: str
    right: bool
    reason: str


@dataclass(frozen=True)
class Prediction:
    """A question to commit to before going on. Exactly one option is right."""

    question: str
    options: tuple[Option, ...]


@dataclass(frozen=True)
class Section:
    """One section of the lesson.

    Attributes
    ----------
    key : str
        Its anchor on the page; its text is `lesson_<key>.md`.
    title : str
    mirrors : str
        The heading of the published lesson that it renders; empty where the section is our own addition.
    part : str
        The heading that stands above it, empty for most.
    do : str
        One sentence: what to do at its end.
    places : tuple of str
        Names of `lesson.frames` that it leads to.
    predict : Prediction or None
    question : str
        A question of the quiz that is asked here in its place, by its id; empty for most.
    slider : str
        One of `SLIDERS`, or empty.
    run : bool
        Whether the lesson's size can be run here.
    """

    key: str
    title: str
    mirrors: str
    part: str
    do: str
    places: tuple[str, ...]
    predict: Prediction | None
    question: str
    slider: str
    run: bool


def _prediction(table: dict[str, Any], where: str) -> Prediction:
    options = []
    for entry in table.get("option", []):
        if set(entry) - {"right"} != {"text", "reason"}:
            raise ValueError(f"{where}: an option has {sorted(entry)}; it needs text and reason")
        options.append(Option(entry["text"], bool(entry.get("right", False)), entry["reason"]))
    if set(table) != {"question", "option"} or len(options) < 2:
        raise ValueError(f"{where}: a prediction needs a question and two options or more")
    if sum(option.right for option in options) != 1:
        raise ValueError(f"{where}: exactly one option of a prediction is right")
    return Prediction(table["question"], tuple(options))


def _section(table: dict[str, Any]) -> Section:
    where = f"section {table.get('key')!r}"
    known = {"key", "title", "mirrors", "part", "do", "places", "predict", "question", "slider", "run"}
    if set(table) - known or not {"key", "title", "mirrors", "do"} <= set(table):
        raise ValueError(f"{where} has {sorted(table)}; it needs key, title, mirrors and do")
    places = tuple(table.get("places", ()))
    unknown = set(places) - set(place_names())
    if unknown:
        raise ValueError(
            f"{where} leads to {', '.join(sorted(unknown))}, which lesson/frames.py does not have"
        )
    slider = table.get("slider", "")
    if slider and slider not in SLIDERS:
        raise ValueError(f"{where} has the slider {slider!r}; it can be {', '.join(SLIDERS)}")
    predict = _prediction(table["predict"], where) if "predict" in table else None
    question = table.get("question", "")
    if question and (predict or question not in {entry.id for entry in bank()}):
        raise ValueError(f"{where} asks {question!r}, beside a prediction or not in the bank")
    section = Section(
        table["key"],
        table["title"],
        table["mirrors"],
        table.get("part", ""),
        table["do"],
        places,
        predict,
        question,
        slider,
        bool(table.get("run", False)),
    )
    if not (places or predict or question or slider or section.run):
        raise ValueError(f"{where} ends in nothing to do")
    return section


def parse_sections(text: str) -> tuple[Section, ...]:
    """Return the sections of a TOML text.

    Raises
    ------
    ValueError
        If a field is missing or unknown, a key comes twice, a place or a slider does not exist, a prediction
        is unsound, or a section ends in nothing to do; the message names the section.
    """
    sections = tuple(_section(table) for table in tomllib.loads(text).get("section", []))
    keys = [section.key for section in sections]
    twice = sorted({key for key in keys if keys.count(key) > 1})
    if twice:
        raise ValueError(f"two sections have the key {twice[0]!r}")
    if not sections:
        raise ValueError("there is no [[section]]")
    return sections


@cache
def load_sections(language: str = LANGUAGE) -> tuple[Section, ...]:
    """Return the lesson's sections. Read once; raises as `parse_sections` does."""
    return parse_sections((CONTENT / language / "lesson.toml").read_text(encoding="utf-8"))
