"""The quiz page in a browser: commit, reasons, new numbers, what is kept; nothing sent while answering."""

import json
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from lesson.quiz import Question, bank, load_misconceptions, make
from lesson.words import load_words
from tests.browser.axe import violations
from tests.browser.conftest import PATIENCE_MS, watch
from tests.browser.page_parts import settled
from ui.quiz.payload import VARIANTS

WORDS = load_words("quiz_player")
IDS = [entry.id for entry in bank()]


class Quiz:
    """The page, with the frames that it sent to the server."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.sent: list[object] = []
        page.on("websocket", lambda socket: socket.on("framesent", lambda frame: self.sent.append(frame)))
        self.trouble = watch(page)
        self.card = page.get_by_test_id("quiz-card")
        self.verdict = page.get_by_test_id("quiz-verdict")
        self.commit = self.card.get_by_role("button", name=WORDS.say("player", "commit"))
        self.again = self.card.get_by_role("button", name="Try again")

    def open(self, question_id: str) -> None:
        self.page.locator(f'[data-question="{question_id}"]').click()
        expect(self.card.locator("fieldset")).to_have_attribute("data-id", question_id)

    def question(self) -> Question:
        """Return the question on screen, made anew from its id and seed."""
        fields = self.card.locator("fieldset")
        expect(fields).to_be_visible()
        return make(fields.get_attribute("data-id") or "", int(self.card.get_attribute("data-seed") or -1))

    def option(self, letter: str) -> Locator:
        return self.card.locator(f'input[value="{letter}"]')


@pytest.fixture(scope="module")
def quiz(browser: Browser, server_url: str) -> Iterator[Quiz]:
    """One page for all: each test opens the question that it is about."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(PATIENCE_MS)
    quiz = Quiz(context.new_page())
    quiz.page.goto(f"{server_url}/quiz")
    settled(quiz.page)
    expect(quiz.card).to_be_visible()
    yield quiz
    context.close()


def test_the_published_question_by_keyboard_with_both_reasons(quiz: Quiz) -> None:
    question = quiz.question()
    assert question.id == IDS[0]
    expect(quiz.verdict).to_be_hidden()
    expect(quiz.card).not_to_contain_text(question.why)
    quiz.commit.focus()
    quiz.page.keyboard.press("Enter")
    expect(quiz.card.get_by_role("alert")).to_have_text(WORDS.say("answer", "missing_choice"))
    expect(quiz.verdict).to_be_hidden()
    quiz.option("a").focus()
    quiz.page.keyboard.press("Space")
    wrong = next(option for option in question.options if option.misconception)
    for _ in range("abc".index(wrong.id)):
        quiz.page.keyboard.press("ArrowDown")
    expect(quiz.option(wrong.id)).to_be_checked()
    quiz.page.keyboard.press("Enter")
    expect(quiz.verdict).to_be_focused()
    expect(quiz.verdict).to_contain_text(wrong.reason)
    expect(quiz.verdict).to_contain_text(question.why)
    expect(quiz.verdict).to_contain_text(question.right_text())
    expect(quiz.option(wrong.id)).to_be_disabled()
    texts = quiz.verdict.inner_text()
    assert texts.index(wrong.reason) < texts.index(question.why), "the answer given comes first"
    assert (quiz.page.get_by_test_id("quiz-show").get_attribute("href") or "") == question.show.href
    assert wrong.misconception is not None
    belief = load_misconceptions()[wrong.misconception]
    expect(quiz.page.get_by_test_id("quiz-map")).to_contain_text(belief.belief)
    expect(quiz.page.get_by_test_id("quiz-map")).to_contain_text(belief.truth)


def test_answering_every_kind_sends_nothing_to_the_server(quiz: Quiz) -> None:
    """Choices, a number, an order and a line; then new numbers: not one message."""
    settled(quiz.page)
    before = len(quiz.sent)
    assert before > 0, "the socket is watched"
    for question_id in (
        "heads_in_all",
        "what_remains",
        "merge_parts",
        "one_visit",
        "spot_the_line",
        "next_step",
    ):
        quiz.open(question_id)
        question = quiz.question()
        if question.number is not None:
            field = quiz.card.get_by_role("textbox")
            field.fill("about")
            field.press("Enter")
            expect(quiz.card.get_by_role("alert")).to_have_text(WORDS.say("answer", "missing_number"))
            field.fill(question.number.text)
            field.press("Enter")
        elif question.kind == "order":
            for wanted, letter in enumerate(question.order):
                item = quiz.card.locator(f'li[data-option="{letter}"]')
                while [
                    each.get_attribute("data-option") for each in quiz.card.locator("li[data-option]").all()
                ].index(letter) > wanted:
                    item.get_by_role("button").first.press("Enter")
            quiz.commit.press("Enter")
        else:
            for letter in question.right_ids:
                quiz.option(letter).check()
            quiz.commit.click()
        expect(quiz.card).to_have_attribute("data-state", "right")
        expect(quiz.verdict).to_contain_text(question.grade(question.right_answer()).reason)
    quiz.open("score_mib")
    seen = {quiz.question().seed}
    for _ in range(VARIANTS - 1):
        question = quiz.question()
        assert question.number is not None
        quiz.card.get_by_role("textbox").fill(f"{question.number.wrongs[0].value:.12g}")
        quiz.commit.click()
        expect(quiz.verdict).to_contain_text(question.number.wrongs[0].reason)
        quiz.again.click()
        expect(quiz.verdict).to_be_hidden()
        expect(quiz.card.get_by_role("textbox")).to_have_value("")
        seen.add(quiz.question().seed)
        expect(quiz.card.locator("legend")).to_have_text(quiz.question().prompt)
    assert seen == set(range(VARIANTS))
    assert len(quiz.sent) == before
    assert quiz.trouble.errors == []


def test_answers_are_kept_and_the_map_lets_go_of_what_is_mended(quiz: Quiz) -> None:
    quiz.open(IDS[0])
    beliefs = quiz.page.get_by_test_id("quiz-map")
    held = beliefs.locator("[data-belief]").count()
    assert held >= 2
    quiz.page.reload()
    settled(quiz.page)
    expect(quiz.card).to_have_attribute("data-state", "wrong")
    expect(quiz.page.locator(f'[data-question="{IDS[0]}"]')).to_have_attribute("data-state", "wrong")
    expect(beliefs.locator("[data-belief]")).to_have_count(held)
    first = quiz.question()
    with quiz.page.expect_download() as asked:
        beliefs.get_by_test_id("quiz-json").click()
    document = json.loads(asked.value.path().read_text(encoding="utf-8"))
    assert {each["id"]: each["right"] for each in document["answers"]}[first.id] is False
    with quiz.page.expect_download() as asked:
        beliefs.get_by_test_id("quiz-csv").click()
    assert asked.value.path().read_text(encoding="utf-8").startswith("\ufeffquestion,")
    quiz.again.click()
    quiz.option(quiz.question().right_ids[0]).check()
    quiz.commit.click()
    expect(beliefs.locator("[data-belief]")).to_have_count(held - 1)
    kept = quiz.page.evaluate("JSON.parse(localStorage.getItem('tilewise.progress.v1')).quiz")
    assert kept[first.id]["right"] is True
    assert kept[first.id]["tries"] == 2
    quiz.page.get_by_role("textbox", name=WORDS.say("page", "sheet_code")).fill("6")
    quiz.page.keyboard.press("Enter")
    expect(quiz.card).to_have_attribute("data-seed", "6")
    quiz.page.get_by_text(WORDS.say("page", "sheet_open")).click()
    for label, told in (("sheet_file", False), ("key_file", True)):
        with quiz.page.expect_download() as asked:
            quiz.page.get_by_role("button", name=WORDS.say("page", label), exact=True).click()
        sheet = asked.value.path().read_text(encoding="utf-8")
        assert "Sheet 6" in sheet
        assert (make(IDS[-1], 6).why in sheet) is told
    forget = beliefs.get_by_test_id("quiz-forget")
    forget.click()
    expect(forget).to_have_text(WORDS.say("player", "forget_sure"))
    forget.click()
    expect(quiz.page.get_by_test_id("quiz-score")).to_have_text(f"{len(IDS)} questions, in any order")
    expect(beliefs.locator("[data-belief]")).to_have_count(0)
    assert quiz.trouble.errors == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_and_a_phone_never_scrolls_sideways(
    new_page: Callable[..., Page], server_url: str, theme: str
) -> None:
    """Before and after an answer, for the kinds that draw something of their own."""
    dark = theme == "dark"
    page = new_page(theme=theme)
    quiz = Quiz(page)
    page.goto(f"{server_url}/quiz?quiz_q=what_remains")
    settled(page)
    main = page.get_by_test_id("stMain")
    assert quiz.question().id == "what_remains", "a link names a question"
    for width, question_id in ((1440, "what_remains"), (390, "one_visit"), (390, "spot_the_line")):
        page.set_viewport_size({"width": width, "height": 900})
        quiz.open(question_id)
        assert violations(page, looks=dark) == [], question_id
        if quiz.question().kind != "order":
            quiz.option("a").check()
        quiz.commit.click()
        if quiz.question().kind == "order":
            quiz.commit.click()
        expect(quiz.verdict).to_be_visible()
        assert violations(page, looks=dark) == [], f"{question_id}, answered"
        assert main.evaluate("element => element.scrollWidth - element.clientWidth") <= 1
    for question_id in ("next_numbers", "recipe"):
        quiz.open(question_id)
        assert violations(page, looks=dark) == [], question_id
        assert main.evaluate("element => element.scrollWidth - element.clientWidth") <= 1


def test_an_order_as_it_was_dealt_is_asked_about_once(server_url: str, page: Page) -> None:
    """Nothing is booked by a press too early, and who believes that order right may still commit to it."""
    page.goto(f"{server_url}/quiz?quiz_q=one_visit")
    quiz = Quiz(page)
    quiz.commit.click()
    expect(quiz.card.get_by_role("alert")).to_have_text(WORDS.say("answer", "missing_order"))
    expect(quiz.card).to_have_attribute("data-state", "open")
    quiz.commit.click()
    expect(quiz.verdict).to_be_visible()
    quiz.page.get_by_role("button", name=WORDS.say("player", "again_same")).click()
    quiz.commit.click()
    expect(quiz.card.get_by_role("alert")).to_have_text(WORDS.say("answer", "missing_order"))
    quiz.card.get_by_role("button", name="Move down").first.click()
    expect(quiz.card.get_by_role("alert")).to_be_empty()
    quiz.commit.click()
    expect(quiz.verdict).to_be_visible()
