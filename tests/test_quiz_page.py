"""The quiz page by Streamlit's own test runner: what is sent, the code in the address, the files."""

import json
from typing import Any
from urllib.parse import urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from lesson.quiz import bank, load_misconceptions, make
from lesson.quiz.worksheet import MOST_SHEETS
from lesson.words import load_words
from tests.parts import part_data
from tests.test_pages import visit
from ui.quiz import VIEW_CSS, view_module
from ui.quiz.component import QUIZ_CSS, QUIZ_JS
from ui.quiz.payload import SHUFFLES, VARIANTS, quiz_payload

WORDS = load_words("quiz_player")


def shown(at: AppTest) -> Any:
    """Return what the quiz on the page was sent."""
    return part_data(at, "quiz")


def test_the_payload_has_every_question_with_several_sets_of_numbers() -> None:
    payload = quiz_payload(0)
    json.dumps(payload, allow_nan=False)
    assert [each["id"] for each in payload["bank"]] == [entry.id for entry in bank()]
    for each in payload["bank"]:
        seeds = [variant["question"]["seed"] for variant in each["variants"]]
        assert seeds == list(range(VARIANTS if each["generated"] else SHUFFLES))
        assert each["topic"] in payload["topics"]
        for variant in each["variants"]:
            assert variant["key"] == make(each["id"], variant["question"]["seed"]).key()
    assert [each["key"] for each in payload["beliefs"]] == list(load_misconceptions())


def test_another_code_is_another_quiz_and_the_same_one_the_same() -> None:
    assert quiz_payload(9) == quiz_payload(9)
    assert quiz_payload(9)["id"] != quiz_payload(10)["id"]
    assert quiz_payload(2**31 - 1)["bank"][0]["variants"][1]["question"]["seed"] == 0


def test_what_the_phones_get_is_small_and_knows_no_key() -> None:
    """The view is for everybody: nothing that grades may be joined into it."""
    view = view_module()
    assert "createQuestionView" in view
    assert not any(name in view for name in ("gradeAnswer", "marksOf", "progress", "localStorage"))
    assert len(view.encode()) + len(VIEW_CSS.encode()) <= 18_000
    assert VIEW_CSS in QUIZ_CSS
    assert "gradeAnswer" in QUIZ_JS


@pytest.mark.parametrize("code", ["12", ""])
def test_the_code_in_the_address_is_the_quiz_that_is_shown(code: str) -> None:
    at = visit("pages/quiz.py", **({"quiz_seed": code} if code else {}))
    assert not at.exception
    assert not at.warning
    assert shown(at) == quiz_payload(int(code or 0))
    assert not at.get("download_button"), "made before anybody has asked"
    at.session_state["quiz_paper"] = True
    at.run()
    assert {button.proto.label for button in at.get("download_button")} == {
        WORDS.say("page", "sheet_file"),
        WORDS.say("page", "key_file"),
    }


def test_the_sheet_follows_the_fields() -> None:
    at = visit("pages/quiz.py", quiz_seed="4")
    at.session_state["quiz_paper"] = True
    at.run()
    at.number_input(key="quiz_sheets").set_value(2)
    at.selectbox(key="quiz_topic").set_value(bank()[0].topic).run()
    assert not at.exception
    assert shown(at)["id"] == quiz_payload(4)["id"], "the quiz on screen stays"
    assert at.number_input(key="quiz_sheets").max == MOST_SHEETS


@pytest.mark.parametrize("code", ["-1", "seven", "2147483648", "1e3"])
def test_a_wrong_code_is_named_and_the_page_goes_on(code: str) -> None:
    at = visit("pages/quiz.py", quiz_seed=code)
    assert not at.exception
    assert code in at.warning[0].value
    assert "2,147,483,647" in at.warning[0].value
    assert shown(at)["id"] == quiz_payload(0)["id"]
    drawn = [element.type for element in at.main]
    assert drawn.index("alert" if "alert" in drawn else "warning") == drawn.index("text_input") + 1
    assert not at.expander, "no worksheet of another code"


def test_an_unknown_name_is_named() -> None:
    assert "quiz_lives" in visit("pages/quiz.py", quiz_lives="3").warning[0].value


def test_every_link_leads_into_the_app() -> None:
    for each in quiz_payload(0)["bank"]:
        for variant in each["variants"]:
            address = urlsplit(variant["key"]["show"]["href"])
            assert (address.scheme, address.netloc) == ("", "")
            assert not address.path.startswith("/")
