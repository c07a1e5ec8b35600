"""Answers: one short form, refused with value and limit when malformed, and graded with a reason."""

from typing import Any

import pytest

from lesson.quiz import Question, bank, make
from lesson.quiz.answers import read_number
from lesson.words import load_words

IDS = [entry.id for entry in bank()]
SINGLE, SEVERAL, NUMBER, ORDER = "avoided_object", "what_remains", "merge_parts", "one_visit"


@pytest.mark.parametrize("question_id", IDS)
def test_the_key_is_graded_right_and_every_option_by_its_own_reason(question_id: str) -> None:
    for seed in range(6):
        question = make(question_id, seed)
        verdict = question.grade(question.right_answer())
        assert verdict.right
        assert verdict.misconception is None
        assert question.canonical(question.key()["answer"]) == question.canonical(question.right_answer())
        if question.kind in ("single", "line", "frame"):
            for option in question.options:
                given = question.grade({"choice": option.id})
                assert (given.right, given.reason) == (option.right, option.reason)
                assert given.misconception == (None if option.right else option.misconception)


@pytest.mark.parametrize("question_id", [entry.id for entry in bank() if entry.kind == "number"])
def test_a_number_within_the_tolerance_is_right_and_a_wrong_formula_is_named(question_id: str) -> None:
    words = load_words("quiz_player")
    for seed in range(12):
        question = make(question_id, seed)
        number = question.number
        assert number is not None
        for share in (-0.9, 0, 0.9):
            typed = repr(number.value + share * number.tolerance) if number.tolerance else number.text
            assert question.grade({"number": typed}).right
        for wrong in number.wrongs:
            verdict = question.grade({"number": f"{wrong.value:.12g}"})
            assert (verdict.right, verdict.reason) == (False, wrong.reason)
            assert verdict.misconception == wrong.misconception
        far = 10 * max(abs(number.value), *(abs(wrong.value) for wrong in number.wrongs)) + 7
        verdict = question.grade({"number": f"{far:.0f}"})
        assert verdict.reason == words.say("verdict", "too_large")
        assert question.grade({"number": f"{-far:.0f}"}).reason == words.say("verdict", "too_small")


def test_several_and_order_say_what_went_wrong_first() -> None:
    several = make(SEVERAL)
    right = list(several.right_ids)
    missing = several.grade({"choices": right[1:]})
    assert missing.reason == next(o.reason for o in several.options if o.id == right[0])
    extra = next(option for option in several.options if not option.right)
    too_many = several.grade({"choices": [*right, extra.id]})
    assert (too_many.reason, too_many.misconception) == (extra.reason, extra.misconception)
    order = make(ORDER)
    swapped = [order.order[1], order.order[0], *order.order[2:]]
    assert order.grade({"order": swapped}).reason == next(
        o.reason for o in order.options if o.id == order.order[0]
    )


@pytest.mark.parametrize(
    ("question_id", "answer", "short"),
    [
        (SINGLE, {"choice": "b"}, "b"),
        (SEVERAL, {"choices": ["c", "a"]}, "a+c"),
        (NUMBER, {"number": " 33,50 "}, "33.5"),
        (NUMBER, {"number": "-0"}, "0"),
        ("allowed_pairs", {"number": "1,024"}, "1024"),
        (ORDER, {"order": list("fedcba")}, "f>e>d>c>b>a"),
    ],
)
def test_short_forms(question_id: str, answer: dict[str, Any], short: str) -> None:
    assert make(question_id).canonical(answer) == short


def lacks(question: Question) -> list[tuple[Any, str]]:
    """Answers that are none, with a part of the message that each must give."""
    bad: list[tuple[Any, str]] = [([], "exactly"), ("a", "exactly"), (None, "exactly"), ({}, "exactly")]
    bad += [({"choice": "a", "number": "1"}, "exactly"), ({"text": "a"}, "'text'")]
    if question.kind == "single":
        for value in ("z", "", "A", 1, None, ["a"], "<b>"):
            bad.append(({"choice": value}, "it can be a, b, c"))
    if question.kind == "several":
        for value in ("a", None, ["z"], [1], {"a": 1}):
            bad.append(({"choices": value}, "it is a list of"))
        bad += [({"choices": []}, "at least 1"), ({"choices": ["a", "a"]}, "twice")]
    if question.kind == "number":
        for value in ("", "a lot", "1/2", "nan", "inf", "1e999", "0x10", "\u0663"):
            bad.append(({"number": value}, "type a number"))
        for value in (3, None, ["1"], "1" * 41):
            bad.append(({"number": value}, "at most 40 signs"))
    if question.kind == "order":
        bad += [({"order": ["a", "b"]}, "2 of the 6"), ({"order": list("aabcde")}, "twice")]
        bad += [({"order": "abcdef"}, "it is a list")]
    return bad


@pytest.mark.parametrize("question_id", [SINGLE, SEVERAL, NUMBER, ORDER])
def test_what_is_no_answer_is_refused_with_value_and_limit(question_id: str) -> None:
    question = make(question_id)
    for answer, message in lacks(question):
        for ask in (question.canonical, question.grade):
            with pytest.raises(ValueError, match=message):
                ask(answer)


def test_a_long_value_is_cut_in_the_message() -> None:
    with pytest.raises(ValueError, match="choice is") as refused:
        make(SINGLE).canonical({"choice": "x" * 10_000})
    assert len(str(refused.value)) < 200


TYPED = [
    ("0.24", False, 0.24),
    ("0,24", False, 0.24),
    (" ,5 ", False, 0.5),
    ("−1.42", False, -1.42),
    ("1e-3", False, 0.001),
    ("1,024", False, 1.024),
    ("1,024", True, 1024),
    ("1.048.576", True, 1048576),
    ("2\u00a0080", True, 2080),
    ("2 080", True, 2080),
    ("5.", False, 5),
    ("", False, None),
    ("a lot", False, None),
    ("1/2", False, None),
    ("0x10", True, None),
    ("1e999", False, None),
    ("--1", False, None),
]


@pytest.mark.parametrize(("text", "whole", "number"), TYPED)
def test_typed_numbers(text: str, whole: bool, number: float | None) -> None:
    assert read_number(text, whole=whole) == number
