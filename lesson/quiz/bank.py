"""The bank: every question, and the making of one with its numbers."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from random import Random

from lesson.quiz.draft import MOST_WRONG, Choice, Draft
from lesson.quiz.makers import MAKERS
from lesson.quiz.question import Kind, NumberKey, Option, Question, Wrong
from lesson.quiz.show import Show, at_frame, in_calculator, on_page
from lesson.quiz.source import Source, parse_topic
from lesson.text import CONTENT, LANGUAGE
from lesson.words import load_words

MOST_SEED = 2**31 - 1
DRAWS = 200
_LETTERS = "abcdefghijklmnopqrstuvwxyz"

__all__ = ["DRAWS", "MOST_SEED", "Entry", "bank", "make"]


@dataclass(frozen=True)
class Entry:
    """One line of the bank.

    Attributes
    ----------
    id, title, kind, topic : str
    generated : bool
        Whether another seed gives other numbers.
    misconceptions : tuple of str
        What the question can uncover.
    """

    id: str
    title: str
    kind: Kind
    topic: str
    generated: bool
    misconceptions: tuple[str, ...]


@cache
def _sources(language: str = LANGUAGE) -> Mapping[str, Source]:
    """Every question by its id, in the order of files and in them. Read once."""
    folder = CONTENT / language / "quiz"
    found: dict[str, Source] = {}
    for file in sorted(folder.glob("*.toml")):
        for source in parse_topic(file.stem, file.read_text(encoding="utf-8")):
            if source.id in found:
                raise ValueError(
                    f"{file.name}: the id {source.id!r} is also in {found[source.id].topic}.toml"
                )
            found[source.id] = source
    if not found:
        raise ValueError(f"there is no question in {language}/quiz")
    return found


@cache
def bank(language: str = LANGUAGE) -> tuple[Entry, ...]:
    """Return what there is to ask, in the order of the lesson. Read once.

    Raises
    ------
    ValueError
        If a file is not sound; the message names file, question, key and value.
    """
    return tuple(
        Entry(s.id, s.title, s.kind, s.topic, s.make is not None, s.misconceptions)
        for s in _sources(language).values()
    )


def make(question_id: str, seed: int = 0) -> Question:
    """Return a question with its numbers.

    Parameters
    ----------
    question_id : str
    seed : int
        0 to `MOST_SEED`. The same id and seed always give the same question.

    Raises
    ------
    KeyError
        If there is no such question.
    ValueError
        If the seed is impossible, or a text asks for a slot that the maker does not fill.
    """
    source = _sources().get(question_id)
    if source is None:
        raise KeyError(f"there is no question {question_id!r}")
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= MOST_SEED:
        raise ValueError(f"seed is {seed!r}; it is a whole number from 0 to {MOST_SEED}")
    # A text as the seed gives the same draws on every machine and in every version of Python.
    rng = Random(f"{question_id}:{seed}")
    return _written(source, seed, rng) if source.make is None else _generated(source, seed, rng)


def _written(source: Source, seed: int, rng: Random) -> Question:
    places = list(range(len(source.options)))
    if source.kind != "line":
        rng.shuffle(places)
    if source.kind == "order" and places == sorted(places):
        places = places[1:] + places[:1]  # handed over in the right order, it would answer itself
    options = []
    for letter, place in zip(_LETTERS, places, strict=False):
        option = source.options[place]
        because = option.because
        options.append(
            Option(letter, option.text, option.right, because.reason, because.misconception, str(place))
        )
    order = tuple(sorted((o.id for o in options), key=lambda each: places[_LETTERS.index(each)]))
    return Question(
        id=source.id,
        title=source.title,
        seed=seed,
        kind=source.kind,
        topic=source.topic,
        generated=False,
        prompt=source.prompt,
        why=source.why,
        show=_written_show(source),
        misconceptions=source.misconceptions,
        options=tuple(options),
        order=order if source.kind == "order" else (),
        code=source.code,
    )


def _written_show(source: Source) -> Show:
    """A written question names a page and its settings, or a kind of step in a run of an input."""
    settings = dict(source.show)
    page = settings.pop("page")
    if page == "step_through" and "first" in settings:
        kind, given = settings.pop("first"), settings.pop("input")
        options = {name: None if value == "none" else value for name, value in settings.items()}
        return at_frame(
            given,
            lambda step: step.kind == kind and (kind != "rescale" or any(step.work["rescaled"])),
            **options,
        )
    if page == "calculator":
        return in_calculator(settings.pop("part"), **settings)
    return on_page(page, **settings)


def _generated(source: Source, seed: int, rng: Random) -> Question:
    draw = MAKERS[source.make or ""].draw
    for _ in range(DRAWS):
        draft = draw(rng)
        if draft is None:
            continue
        number = _number(source, draft)
        options = _options(source, draft, rng)
        if number is not None or options:
            break
    else:
        raise ValueError(f"{source.topic}.toml: {source.id!r} found no sound numbers for the seed {seed}")
    why = _fill(source, source.why, draft.slots)
    if source.kind == "line":
        # Finding the line is half of it: what is wrong with it comes first, then how it should read.
        why = f"{next(option.reason for option in options if option.right)} {why}"
        options = tuple(replace(option, reason=why) if option.right else option for option in options)
    return Question(
        id=source.id,
        title=source.title,
        seed=seed,
        kind=source.kind,
        topic=source.topic,
        generated=True,
        prompt=_fill(source, source.prompt, draft.slots),
        why=why,
        show=draft.show,
        misconceptions=source.misconceptions,
        options=options,
        number=number,
        table=draft.table,
        code=source.code,
        sizes=draft.sizes,
    )


def _number(source: Source, draft: Draft) -> NumberKey | None:
    """The key of a typed number; None if fewer than two wrong formulas can be told from it."""
    if draft.right is None:
        return None
    tolerance = abs(draft.tolerance * draft.right)
    wrongs: list[Wrong] = []
    for name, value in draft.wrongs.items():
        others = [draft.right, *(wrong.value for wrong in wrongs)]
        texts = [draft.text(other) for other in others]
        # Two answers are told apart by what is written and by what would be taken for either.
        if draft.text(value) in texts or any(abs(value - other) <= 3 * tolerance for other in others):
            continue
        because = source.because[name]
        slots = {**draft.slots, "value": draft.text(value)}
        wrongs.append(Wrong(name, value, _fill(source, because.reason, slots), because.misconception))
    if len(wrongs) < 2:
        return None
    return NumberKey(
        value=draft.right,
        tolerance=tolerance,
        whole=draft.tolerance == 0,
        unit=source.unit,
        text=draft.text(draft.right),
        counts=f"{source.counts} {_what_counts(draft.tolerance)}".strip(),
        wrongs=tuple(wrongs),
    )


def _what_counts(share: float) -> str:
    """One sentence on how close is close enough."""
    words = load_words("quiz_player")
    return words.say("counts", "within", share=f"{100 * share:g}") if share else words.say("counts", "exact")


def _options(source: Source, draft: Draft, rng: Random) -> tuple[Option, ...]:
    """The options, shuffled; none if too few differ. Lines of code and numbered tiles keep their order."""
    keep_order = source.kind in ("line", "several")
    kept: list[Choice] = []
    for choice in draft.choices:
        if keep_order or choice.text not in [each.text for each in kept]:
            kept.append(choice)
    if not keep_order:
        right = [choice for choice in kept if choice.right]
        wrong = [choice for choice in kept if not choice.right]
        if len(wrong) < 2:
            return ()
        kept = right + rng.sample(wrong, min(MOST_WRONG, len(wrong)))
        rng.shuffle(kept)
    options = []
    for letter, choice in zip(_LETTERS, kept, strict=False):
        because = source.because[choice.because]
        slots = {**draft.slots, **choice.slots, "value": choice.text}
        reason = _fill(source, because.reason, slots)
        options.append(
            Option(letter, choice.text, choice.right, reason, because.misconception, choice.because)
        )
    return tuple(options)


def _fill(source: Source, text: str, slots: Mapping[str, str]) -> str:
    try:
        return text.format(**slots)
    except KeyError as error:
        raise ValueError(
            f"{source.topic}.toml: {source.id!r} asks for the slot {error}; there are {sorted(slots)}"
        ) from error
