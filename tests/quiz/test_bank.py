"""Every question, over many seeds: sound, the same each time, and giving nothing away before the reveal."""

import functools
import json
import re
from typing import Any

import pytest

from lesson.quiz import KINDS, MOST_SEED, Question, bank, load_misconceptions, make
from lesson.quiz.makers import MAKERS
from lesson.quiz.source import parse_topic
from lesson.text import CONTENT

IDS = [entry.id for entry in bank()]
GENERATED = [entry.id for entry in bank() if entry.generated]
SEEDS = range(24)
MAKER_OF = {
    source.id: source.make
    for file in (CONTENT / "en" / "quiz").glob("*.toml")
    for source in parse_topic(file.stem, file.read_text(encoding="utf-8"))
}

# The tests ask for the same draws: each is made once. That it does not change has a test of its own.
made = functools.cache(make)


def test_the_bank_is_large_and_covers_every_misconception() -> None:
    assert len(IDS) >= 30
    assert len(GENERATED) >= 15
    assert {entry.kind for entry in bank()} == set(KINDS)
    covered = {name for entry in bank() for name in entry.misconceptions}
    assert covered == set(load_misconceptions())
    assert {f"M{number}" for number in range(1, 15)} <= covered


def test_the_published_lessons_question_comes_first() -> None:
    first = make(IDS[0])
    assert first.kind == "single"
    assert len(first.options) == 3
    (right,) = (option for option in first.options if option.right)
    assert "matrix of scores" in right.text


@pytest.mark.parametrize("question_id", IDS)
def test_sound_over_many_seeds(question_id: str) -> None:
    for seed in SEEDS:
        question = made(question_id, seed)
        texts = [question.prompt, question.why, question.title, *(o.text for o in question.options)]
        texts += [option.reason for option in question.options]
        if question.number is not None:
            texts += [wrong.reason for wrong in question.number.wrongs]
        assert not any(re.search(r"[{}]|nan|inf\b|None", text) for text in texts), seed
        right = [option for option in question.options if option.right]
        if question.kind in ("single", "line", "frame"):
            assert len(right) == 1
        if question.kind == "several":
            assert 0 < len(right) < len(question.options)
        if question.options:
            assert len(question.options) >= 3
            if question.kind != "line":
                # Options of a listing are lines: two of them may read alike.
                assert len({option.text for option in question.options}) == len(question.options)
            wrong = [option.reason for option in question.options if not option.right]
            if question.kind in ("single", "frame"):
                assert len({option.reason for option in question.options}) == len(question.options)
            assert all(wrong)


@pytest.mark.parametrize("question_id", [entry.id for entry in bank() if entry.kind == "number"])
def test_wrong_numbers_can_be_told_from_the_right_one(question_id: str) -> None:
    for seed in SEEDS:
        number = made(question_id, seed).number
        assert number is not None
        assert len(number.wrongs) >= 2
        shown = [number.text, *(f"{wrong.value:.6g}" for wrong in number.wrongs)]
        assert len(set(shown)) == len(shown)
        assert all(abs(wrong.value - number.value) > 2 * number.tolerance for wrong in number.wrongs)
        # A comma parts thousands in counts only, so no other answer may need one.
        assert number.whole or abs(number.value) < 1000
        assert not number.whole or number.value == int(number.value)
        share = f"{100 * number.tolerance / number.value:.3g} %" if number.tolerance else "exact number"
        assert share in number.counts


@pytest.mark.parametrize("question_id", GENERATED)
def test_another_seed_gives_other_numbers(question_id: str) -> None:
    drawn = {json.dumps([each.prompt, dict(each.sizes)]) for each in (made(question_id, s) for s in range(8))}
    assert len(drawn) >= 3


@pytest.mark.parametrize("question_id", GENERATED)
def test_every_named_wrong_formula_is_met(question_id: str) -> None:
    """A reason that no draw ever shows would be dead text."""
    met: set[str] = set()
    for seed in range(60):
        question = made(question_id, seed)
        met |= {option.name for option in question.options}
        met |= {wrong.name for wrong in question.number.wrongs} if question.number else set()
    assert met | {"right"} == MAKERS[str(MAKER_OF[question_id])].names


@pytest.mark.parametrize("question_id", IDS)
def test_the_same_seed_gives_the_same_question(question_id: str) -> None:
    for seed in (0, 7, MOST_SEED):
        assert make(question_id, seed) == made(question_id, seed)


def test_these_draws_never_change() -> None:
    """A printed sheet and its code must still agree tomorrow, on any machine."""
    assert make("alpha", 3).sizes == {"old": 2.5, "new": 4.5}
    assert make("score_mib", 3).sizes == {"n_q": 2048, "n_k": 6144, "s": 2}
    assert [option.right for option in make("avoided_object", 3).options] == [True, False, False]


def _every_text(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for each in value.values() for text in _every_text(each)]
    if isinstance(value, list):
        return [text for each in value for text in _every_text(each)]
    return [value] if isinstance(value, str) else []


def _hidden(question: Question) -> set[str]:
    reasons = {question.why, *(option.reason for option in question.options)}
    names = {option.name for option in question.options if len(option.name) > 3}
    if question.number is not None:
        reasons |= {wrong.reason for wrong in question.number.wrongs}
        names |= {wrong.name for wrong in question.number.wrongs}
    return reasons | names | set(question.misconceptions)


@pytest.mark.parametrize("question_id", IDS)
def test_nothing_is_given_away_before_the_reveal(question_id: str) -> None:
    for seed in range(4):
        question = made(question_id, seed)
        shown = question.public()
        told = json.dumps(shown, allow_nan=False, ensure_ascii=False)
        texts = set(_every_text(shown))
        assert not texts & _hidden(question)
        assert not re.search(
            r'"(right|reason|reasons|misconceptions?|from|why|answer|value|tolerance)"', told
        )
        assert set(shown) <= {
            *("id", "seed", "kind", "title", "prompt", "options", "unit", "whole", "counts", "code", "table")
        }
        assert all(set(option) == {"id", "text"} for option in shown.get("options", []))


@pytest.mark.parametrize("question_id", [e.id for e in bank() if e.kind in ("single", "frame")])
def test_the_place_of_the_right_option_is_no_hint(question_id: str) -> None:
    places = {made(question_id, seed).right_ids for seed in range(40)}
    assert len(places) >= 3


def test_an_order_is_never_handed_over_in_order() -> None:
    for seed in range(40):
        question = make("one_visit", seed)
        assert tuple(option.id for option in question.options) != question.order


@pytest.mark.parametrize("seed", [-1, MOST_SEED + 1, 1.5, True, "3"])
def test_an_impossible_seed_is_refused(seed: Any) -> None:
    with pytest.raises(ValueError, match="seed is"):
        make("alpha", seed)


def test_an_unknown_question_is_refused() -> None:
    with pytest.raises(KeyError, match="no_such"):
        make("no_such")
