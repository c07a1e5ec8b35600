"""What a lecturer may do next, and the marks beside a phone's options."""

import pytest

from classroom.phases import PHASES, Standing, allowed
from classroom.results import marks_of, results_of
from classroom.rooms import Ask
from classroom.steps import GO_ON, PEEK, next_ask, steps
from lesson.quiz import bank, make

STANDINGS = [Standing("lobby"), *(Standing(phase, 1, round_) for phase in PHASES[1:] for round_ in (1, 2))]
OF_KIND = {entry.kind: entry.id for entry in reversed(bank())}


def names(now: Standing, *, following: bool = True) -> list[str]:
    """Return what may follow, by name."""
    return [step.name for step in steps(now, following=following)]


@pytest.mark.parametrize("now", STANDINGS)
@pytest.mark.parametrize("following", [True, False])
def test_what_is_offered_may_follow_and_one_step_at_most_stands_out(now: Standing, following: bool) -> None:
    offered = steps(now, following=following)
    assert all(step.name in (PEEK, GO_ON) or allowed(now, step.name) for step in offered)
    assert [step.primary for step in offered].count(True) <= 1
    assert not any(step.primary for step in offered[1:])
    assert len({step.name for step in offered}) == len(offered) <= 5
    assert following or "open" not in {step.name for step in offered}


def test_the_step_that_stands_out_leads_through_peer_instruction() -> None:
    way = [
        Standing("lobby"),
        Standing("open", 1, 1),
        Standing("closed", 1, 1),
        Standing("discuss", 1, 1),
        Standing("open", 1, 2),
        Standing("closed", 1, 2),
        Standing("revealed", 1, 2),
    ]
    taken = [step.name for now in way for step in steps(now, following=True) if step.primary]
    assert taken == ["open", "close", "discuss", "second", "close", "reveal", "open"]


def test_a_vote_is_looked_at_only_while_it_is_closed_and_not_revealed() -> None:
    assert {now.phase for now in STANDINGS if PEEK in names(now)} == {"closed", "discuss"}


def test_after_the_last_question_the_list_stands_out() -> None:
    for round_ in (1, 2):
        first, *others = steps(Standing("revealed", 1, round_), following=False)
        assert (first.name, first.primary) == (GO_ON, True)
        assert not any(step.primary for step in others)
    assert {now.phase for now in STANDINGS if GO_ON in names(now, following=False)} == {"revealed"}
    assert not any(GO_ON in names(now) for now in STANDINGS)


def test_the_next_question_is_the_first_that_waits_behind_the_one_at_hand_else_the_first() -> None:
    one, two, three = (Ask(place, place, "any", 0, rounds) for place, rounds in ((1, 0), (2, 1), (3, 0)))
    asks = (one, two, three)
    assert next_ask(asks, None) == one
    assert next_ask(asks, two) == three
    assert next_ask(asks, three) == one
    assert next_ask((two,), two) is None


def test_one_choice_is_marked_as_the_quiz_page_does() -> None:
    asked = make(OF_KIND["single"], 7)
    right = asked.right_ids[0]
    wrong = next(option.id for option in asked.options if not option.right)
    assert marks_of(asked, {"choice": right}) == {right: "mark_right"}
    assert marks_of(asked, {"choice": wrong}) == {right: "mark_missed", wrong: "mark_wrong"}
    assert marks_of(asked, None) == {right: "mark_missed"}


def test_several_choices_are_marked_one_by_one() -> None:
    asked = make(OF_KIND["several"], 7)
    first, *rest = asked.right_ids
    wrong = next(option.id for option in asked.options if not option.right)
    marks = marks_of(asked, {"choices": [first, wrong]})
    assert marks == {first: "mark_right", wrong: "mark_wrong", **dict.fromkeys(rest, "mark_missed")}


def test_a_number_and_an_order_are_marked_where_they_are_right() -> None:
    number = make(OF_KIND["number"], 7)
    assert marks_of(number, number.right_answer()) == {"number": "mark_right"}
    assert marks_of(number, {"number": "-1"}) == {"number": "mark_wrong"}
    order = make(OF_KIND["order"], 7)
    swapped = [order.order[1], order.order[0], *order.order[2:]]
    marks = marks_of(order, {"order": swapped})
    assert [marks[option] for option in swapped] == ["mark_wrong"] * 2 + ["mark_right"] * (len(swapped) - 2)
    assert marks_of(number, None) == marks_of(order, None) == {}


def test_answers_carry_the_letters_that_phones_and_paper_show() -> None:
    single, several = make(OF_KIND["single"], 7), make(OF_KIND["several"], 7)
    letters = [option.id for option in single.options]
    assert [line.label for line in results_of(single, [{}]).lines] == letters
    a, b = (option.id for option in several.options[:2])
    shown = results_of(several, [{f"{a}+{b}": 1}]).lines[0]
    assert shown.label == f"{a} + {b}"
