"""The worksheet and its key: apart, seeded, complete, and made of text alone."""

import re
from html import escape, unescape

import pytest

from lesson.quiz import MOST_SEED, bank, make
from lesson.quiz.worksheet import MOST_SHEETS, sheet_seeds, worksheet_html, worksheet_key_html

IDS = [entry.id for entry in bank()]


def test_the_worksheet_asks_everything_and_tells_nothing() -> None:
    sheet = worksheet_html(5)
    for each in IDS:
        question = make(each, 5)
        assert escape(question.prompt) in sheet
        assert all(escape(option.text) in sheet for option in question.options)
        assert escape(question.why) not in sheet
        assert not any(escape(option.reason) in sheet for option in question.options)
    assert sheet.count("<article>") == len(IDS)


def test_the_key_has_every_answer_and_reason() -> None:
    key = worksheet_key_html(5)
    for each in IDS:
        question = make(each, 5)
        assert escape(question.right_text()) in key
        assert escape(question.why) in key
    assert "Sheet 5" in key
    assert "Name" not in re.sub(r"<style>.*?</style>", "", key, flags=re.DOTALL)


def test_the_same_code_is_the_same_sheet_and_each_sheet_has_its_own_numbers() -> None:
    assert worksheet_html(3, 2) == worksheet_html(3, 2)
    sections = worksheet_html(3, 3).split("<section>")[1:]
    assert len(set(sections)) == 3
    assert [re.findall(r"Sheet (\d+)", each) for each in sections] == [["3"], ["4"], ["5"]]
    alone = worksheet_html(4).split("<section>")[1]
    assert alone.split("</section>")[0] == sections[1].split("</section>")[0]
    assert len(worksheet_key_html(3, 3).split("<section>")) == 4


def test_topics_can_be_chosen() -> None:
    topic = bank()[0].topic
    chosen = [entry.title for entry in bank() if entry.topic == topic]
    drawn = re.findall(r"<h2>\d+\. (.*?)</h2>", worksheet_html(0, topics=[topic]))
    assert [unescape(each) for each in drawn] == chosen
    with pytest.raises(ValueError, match=r"topics is \['none'\]"):
        worksheet_html(0, topics=["none"])


def test_it_asks_for_nothing_outside_and_runs_nothing() -> None:
    for text in (worksheet_html(0), worksheet_key_html(0)):
        assert not re.search(r"<script|<link|<img|url\(|https?://", text)


def test_codes_go_round_at_the_end_and_limits_are_named() -> None:
    assert sheet_seeds(MOST_SEED, 2) == (MOST_SEED, 0)
    for seed, sheets, message in ((0, 0, "1 to 60"), (0, MOST_SHEETS + 1, "61"), (-1, 1, "seed is -1")):
        with pytest.raises(ValueError, match=message):
            sheet_seeds(seed, sheets)
