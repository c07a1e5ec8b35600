"""The quiz's pure modules in Chromium: the browser grades as Python does, and sums up rightly."""

import csv
import io
import json
from typing import Any

import pytest
from playwright.sync_api import Page

from lesson.quiz import Question, bank, load_misconceptions, make
from lesson.words import load_words
from tests.browser.modules import UI, Modules
from tests.quiz.test_answers import TYPED
from ui.quiz.payload import quiz_payload

VERDICTS = dict(load_words("quiz_player").table("verdict"))


@pytest.fixture(scope="module")
def run(blank: Page) -> Modules:
    return Modules(blank, UI / "quiz")


def answers_to(question: Question) -> list[dict[str, Any]]:
    """Return answers of every sort: each option, the key, near and far numbers, changed orders."""
    ids = [option.id for option in question.options]
    if question.number is not None:
        values = [question.number.value, *(wrong.value for wrong in question.number.wrongs)]
        tried = [value * share for value in values for share in (1, 1.004, 0.996, 1.02, -1)] + [0.0, 1e9]
        return [{"number": f"{value:.12g}"} for value in tried]
    if question.kind == "order":
        right = list(question.order)
        swapped = [[*right[:at], right[at + 1], right[at], *right[at + 2 :]] for at in range(len(right) - 1)]
        return [{"order": each} for each in (right, ids, right[::-1], *swapped)]
    if question.kind == "several":
        return [
            {"choices": [each for at, each in enumerate(ids) if bits >> at & 1]}
            for bits in range(1, 2 ** len(ids))
        ]
    return [{"choice": each} for each in ids]


def test_the_browser_grades_as_python_does(run: Modules) -> None:
    """Every question, several seeds, every answer: the same verdict, reason and misconception."""
    asked, wanted = [], []
    for entry in bank():
        for seed in range(4):
            question = make(entry.id, seed)
            for answer in answers_to(question):
                verdict = question.grade(answer)
                asked.append([question.public(), question.key(), answer])
                wanted.append(
                    {"right": verdict.right, "reason": verdict.reason, "from": verdict.misconception}
                )
    graded = run("quiz_grade.js", "x[0].map((each) => m.gradeAnswer(...each, x[1]))", [asked, VERDICTS])
    assert len(graded) > 1500
    for given, one, other in zip(asked, graded, wanted, strict=True):
        assert one == other, (given[0]["id"], given[0]["seed"], given[2])


def test_marks_say_how_each_option_fared(run: Modules) -> None:
    for entry in bank():
        question = make(entry.id, 1)
        answers = answers_to(question)[:12]
        marks = run(
            "quiz_grade.js",
            "x[2].map((answer) => m.marksOf(x[0], x[1], answer))",
            [question.public(), question.key(), answers],
        )
        for answer, mark in zip(answers, marks, strict=True):
            right = question.grade(answer).right
            if question.number is not None:
                assert mark == {"number": "mark_right" if right else "mark_wrong"}
                continue
            assert right == (set(mark.values()) == {"mark_right"})
            if question.kind != "order":
                chosen = set(answer.get("choices", [answer.get("choice")]))
                for option in question.options:
                    fared = mark.get(option.id)
                    if option.right:
                        assert fared == ("mark_right" if option.id in chosen else "mark_missed")
                    else:
                        assert fared == ("mark_wrong" if option.id in chosen else None)


def test_answers_are_read_as_the_server_wants_them(run: Modules) -> None:
    """What is missing is named; what is given comes back; typed numbers are read as in Python."""
    for question_id, given, missing in (
        ("avoided_object", [], "missing_choice"),
        ("merge_parts", "many", "missing_number"),
        ("merge_parts", "1" * 41, "missing_number"),
        ("allowed_pairs", "", "missing_whole"),
    ):
        told = run("quiz_entry.js", "m.answerFrom(x[0], x[1])", [make(question_id).public(), given])
        assert told == {"missing": missing}
    for entry in bank():
        question = make(entry.id)
        for answer in answers_to(question)[:3]:
            back = run(
                "quiz_entry.js",
                "m.answerFrom(x[0], m.givenBy(x[0], x[1])).answer",
                [question.public(), answer],
            )
            assert question.canonical(back) == question.canonical(answer)
    read = run(
        "../stage/predict_answer.js",
        "x.map(([text, whole]) => m.readEntry(text, whole))",
        [[text, whole] for text, whole, _ in TYPED],
    )
    assert read == [number for _, _, number in TYPED]


def test_a_step_moves_by_one_and_stays_at_the_ends(run: Modules) -> None:
    moves = [(["a", "b", "c"], place, by) for place in range(3) for by in (-1, 1)]
    moved = run("quiz_entry.js", "x.map((each) => m.moved(...each).join(''))", moves)
    assert moved == ["abc", "bac", "bac", "acb", "acb", "abc"]


def test_sums_up_what_is_still_believed(run: Modules) -> None:
    payload = quiz_payload(0)
    beliefs = [{"key": each} for each in load_misconceptions()]
    kept = {
        "alpha": {
            "right": False,
            "from": "M9",
            "seed": 1,
            "answer": {"number": "=1+1"},
            "tries": 2,
            "at": "t",
        },
        "kv_reads": {
            "right": False,
            "from": "M3",
            "seed": 0,
            "answer": {"number": "1"},
            "tries": 1,
            "at": "t",
        },
        "row_sum": {
            "right": False,
            "from": "M9",
            "seed": 0,
            "answer": {"number": "2"},
            "tries": 1,
            "at": "t",
        },
        "flops": {"right": True, "from": None, "seed": 0, "answer": {"choice": "a"}, "tries": 3, "at": "t"},
        "mib_to_mb": {
            "right": False,
            "from": None,
            "seed": 0,
            "answer": {"number": "7"},
            "tries": 1,
            "at": "t",
        },
        "of_an_older_bank": {"right": False, "from": "M1", "seed": 0, "answer": {}, "tries": 1, "at": "t"},
    }
    argument = [payload["bank"], beliefs, kept]
    held = run("quiz_tally.js", "m.beliefsHeld(...x).map(({ belief, ids }) => [belief.key, ids])", argument)
    assert held == [["M3", ["kv_reads"]], ["M9", ["alpha", "row_sum"]]]
    score = run("quiz_tally.js", "m.scoreOf(x[0], x[2])", argument)
    assert score == {"right": 1, "answered": 5, "left": len(bank()) - 5}
    document = json.loads(run("quiz_tally.js", "m.resultsJson(...x, 'now')", argument))
    assert (document["format"], document["version"], document["at"]) == ("tilewise-quiz", 1, "now")
    assert document["beliefs"] == ["M3", "M9"]
    assert len(document["answers"]) == 5
    text = run("quiz_tally.js", "m.resultsCsv(x[0], x[2])", argument)
    assert text.startswith("\ufeff")
    rows = list(csv.DictReader(io.StringIO(text[1:])))
    order = [entry.id for entry in bank() if entry.id in kept]
    assert [row["question"] for row in rows] == order
    by_id = {row["question"]: row for row in rows}
    assert by_id["alpha"]["answer"] == "'=1+1", "a spreadsheet must not run it"
    assert (by_id["flops"]["right"], by_id["flops"]["answer"], by_id["flops"]["tries"]) == ("yes", "a", "3")
    assert by_id["kv_reads"]["belief"] == "M3"


def test_csv_fields_are_quoted(run: Modules) -> None:
    fields = run("quiz_tally.js", "x.map((each) => m.csvField(each))", ['a "b"', "a,b", "-1", "@x", "\tx", 3])
    assert fields == ['"a ""b"""', '"a,b"', "'-1", "'@x", "'\tx", "3"]


def test_the_address_names_a_question(run: Modules) -> None:
    ids = [{"id": entry.id} for entry in bank()]
    places = run(
        "quiz_address.js",
        "x[1].map((search) => m.placeInAddress(search, x[0]))",
        [ids, ["", "?quiz_q=row_sum", "?quiz_q=nothing", "?step=3&quiz_q=alpha"]],
    )
    names = [entry.id for entry in bank()]
    assert places == [0, names.index("row_sum"), 0, names.index("alpha")]
    href = run("quiz_address.js", "m.addressOfQuestion(x, 'alpha')", "http://h/quiz?quiz_seed=4&quiz_q=a")
    assert href == "http://h/quiz?quiz_seed=4&quiz_q=alpha"
