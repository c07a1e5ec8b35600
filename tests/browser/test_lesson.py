"""The lesson's page in a real browser: one page, read as a learner reads it."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from lesson.frames import default_trace, place
from lesson.plan import load_sections
from tests.browser.conftest import PATIENCE_MS, Trouble, watch

SECTIONS = load_sections()
KEY = "tilewise.progress.v1"


class Reading:
    """A learner's page: what it asked of others, and what it sent to its own server since it was there."""

    def __init__(self, page: Page, url: str) -> None:
        self.page, self.url, self.sent = page, url, 0
        self.trouble: Trouble = watch(page)
        page.on("websocket", lambda socket: socket.on("framesent", self._count))
        page.goto(url)
        expect(page.get_by_test_id("act")).to_have_count(len(SECTIONS))
        expect(page.get_by_test_id("stage")).to_be_visible()
        expect(page.get_by_test_id("stStatusWidget")).to_have_count(0)
        self.sent = 0

    def _count(self, _: object) -> None:
        self.sent += 1

    def act(self, section: str) -> Locator:
        return self.page.locator(f'[data-testid="act"][data-section="{section}"]')

    def kept(self) -> dict[str, dict[str, object]]:
        text = self.page.evaluate("key => localStorage.getItem(key)", KEY)
        return json.loads(text) if text else {}  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def reading(browser: Browser, server_url: str) -> Iterator[Reading]:
    context = browser.new_context(viewport={"width": 1440, "height": 900}, accept_downloads=True)
    context.set_default_timeout(PATIENCE_MS)
    yield Reading(context.new_page(), server_url)
    context.close()


def test_a_link_in_the_text_drives_the_stage_and_leads_back(reading: Reading) -> None:
    page, stage = reading.page, reading.page.get_by_test_id("stage")
    page.get_by_test_id("stMain").get_by_role("link", name="Show me the first rescale").first.click()
    expect(stage).to_have_attribute("data-step", str(default_trace().first_rescale()))
    expect(stage).to_have_attribute("data-kind", "rescale")
    expect(stage).to_be_in_viewport()
    assert len(page.context.pages) == 1
    # The way back stands above what it leads back from, and covers nothing of it.
    back = page.get_by_test_id("back-to-text")
    page.wait_for_function(
        """([stage, back]) => {
          const { top } = stage.getBoundingClientRect();
          return top < 100 && top >= back.getBoundingClientRect().bottom;
        }""",
        arg=[stage.element_handle(), back.element_handle()],
    )
    back.click()
    expect(page.locator("#steps")).to_be_in_viewport()
    expect(page.get_by_test_id("back-to-text")).to_be_hidden()
    assert "steps" in reading.kept()["sections"]
    # So does a link at a section's end.
    reading.act("mechanism").get_by_role("link", name="Watch the block being dropped").click()
    expect(stage).to_have_attribute("data-kind", "discard")
    expect(reading.act("mechanism").get_by_test_id("section-tick")).to_have_attribute("aria-pressed", "true")


def test_a_prediction_is_committed_before_its_reasons(reading: Reading) -> None:
    act, section = reading.act("objective"), SECTIONS[0]
    assert section.predict is not None
    wrong = next(option for option in section.predict.options if not option.right)
    right = next(option for option in section.predict.options if option.right)
    act.get_by_role("button", name="Commit").click()
    expect(act.get_by_test_id("act-verdict")).to_have_text("Choose an answer first.")
    act.get_by_text(wrong.text).click()
    act.get_by_role("button", name="Commit").press("Enter")
    verdict = act.get_by_test_id("act-verdict")
    expect(verdict).to_contain_text(wrong.reason)
    expect(verdict).to_contain_text(right.reason)
    assert reading.kept()["predictions"]["lesson:objective"]["right"] is False  # type: ignore[index]
    act.get_by_role("button", name="Ask me again").click()
    expect(verdict).to_be_empty()
    act.get_by_text(right.text).click()
    act.get_by_role("button", name="Commit").click()
    expect(verdict).to_contain_text(f"Right. {right.reason}")
    # The published lesson's question counts as one of the quiz.
    check = reading.act("check")
    check.get_by_test_id("act-option").first.click()
    check.get_by_role("button", name="Commit").click()
    assert "avoided_object" in reading.kept()["quiz"]


def test_the_slider_moves_its_bars(reading: Reading) -> None:
    act = reading.act("traffic")
    says = act.get_by_test_id("act-says")
    expect(says).to_contain_text("times as much as standard")
    for _ in range(4):
        act.get_by_test_id("act-slider").press("ArrowRight")
    expect(says).to_contain_text("64 queries in a tile, standard moves 2.00 times as much as tiled")
    assert "traffic" in reading.kept()["sections"]


def test_the_lessons_size_runs_and_shows_its_numbers(reading: Reading) -> None:
    act = reading.act("example")
    act.get_by_test_id("run-size").click()
    result = act.get_by_test_id("run-result")
    expect(result).to_contain_text("16,777,216: every one")
    part = re.search(r"([\d.]+) % of the matrix", result.inner_text())
    assert part and 0 < float(part[1]) <= 5
    assert "lesson_size" in reading.kept()["labs"]


def test_answers_of_the_stage_are_progress(reading: Reading) -> None:
    page, stage = reading.page, reading.page.get_by_test_id("stage")
    stage.get_by_role("button", name="First step").click()
    before = set(reading.kept()["predictions"])
    stage.get_by_test_id("predict-toggle").click()
    for _ in range(len(default_trace().steps)):
        if stage.get_by_test_id("predict").is_visible():
            break
        stage.get_by_role("button", name="Next step", exact=True).click()
    page.keyboard.press("1")
    expect(stage.get_by_test_id("predict-verdict")).to_be_visible()
    (new,) = set(reading.kept()["predictions"]) - before
    assert re.fullmatch(r"\w+:\d+", new)


def test_nothing_so_far_asked_the_server_for_a_rerun(reading: Reading) -> None:
    assert reading.sent == 0
    assert reading.trouble.errors == []
    assert reading.trouble.outside(reading.url) == []


def test_the_browsers_way_back_leads_from_the_stage_to_the_text(reading: Reading) -> None:
    """And not out of the lesson."""
    page, stage = reading.page, reading.page.get_by_test_id("stage")
    page.get_by_test_id("stMain").get_by_role("link", name="Show me the first rescale").first.click()
    expect(page.get_by_test_id("back-to-text")).to_be_visible()
    expect(stage).to_be_in_viewport()
    page.go_back()
    expect(page.locator("#steps")).to_be_in_viewport()
    expect(page.get_by_test_id("back-to-text")).to_be_hidden()
    expect(stage).to_have_attribute("data-step", str(default_trace().first_rescale()))


def test_the_panel_counts_saves_clears_and_restores(reading: Reading, tmp_path: Path) -> None:
    page = reading.page
    page.get_by_text("Your progress").click()
    summary = page.get_by_test_id("progress-summary")
    done = len(reading.kept()["sections"])
    expect(summary).to_contain_text(f"Sections: {done} of {len(SECTIONS)}.")
    expect(page.get_by_test_id("contents-count")).to_contain_text(f"{done} of {len(SECTIONS)}")
    with page.expect_download() as info:
        page.get_by_test_id("progress-download").click()
    file = tmp_path / info.value.suggested_filename
    info.value.save_as(file)
    before = reading.kept()
    assert json.loads(file.read_text(encoding="utf-8")) == before
    page.get_by_test_id("progress-clear").click()
    assert reading.kept() == before
    page.get_by_test_id("progress-clear").click()
    expect(summary).to_contain_text(f"Sections: 0 of {len(SECTIONS)}.")
    assert reading.kept() == {}
    expect(reading.act("objective").get_by_test_id("act-verdict")).to_be_empty()
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps({**before, "sections": {"mechanism": "soon"}}), encoding="utf-8")
    page.get_by_test_id("progress-file").set_input_files(bad)
    expect(page.get_by_test_id("progress-said")).to_contain_text("sections.mechanism")
    assert reading.kept() == {}
    page.get_by_test_id("progress-file").set_input_files(file)
    expect(summary).to_contain_text(f"Sections: {done} of {len(SECTIONS)}.")
    assert reading.kept() == before


def test_ticks_stand_in_the_navigation(reading: Reading) -> None:
    page = reading.page
    page.evaluate(
        """([key, sections]) => {
          const kept = JSON.parse(localStorage.getItem(key))
            ?? { version: 1, sections: {}, predictions: {}, labs: {}, quiz: {} };
          for (const section of sections) kept.sections[section] = "2026-10-07T12:00:00.000Z";
          localStorage.setItem(key, JSON.stringify(kept));
          window.dispatchEvent(new CustomEvent("tilewise:progress"));
        }""",
        [KEY, [section.key for section in SECTIONS]],
    )
    links = page.get_by_test_id("stSidebar").get_by_role("link")
    ticks = links.evaluate_all("nodes => nodes.map((node) => getComputedStyle(node, '::after').content)")
    assert ticks[0].startswith('"✓"')
    assert not ticks[1].startswith('"✓"')


def test_paper_has_the_text_and_no_controls(reading: Reading) -> None:
    page = reading.page
    page.emulate_media(media="print", color_scheme="light")
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    for name in ("section-tick", "place", "run-size"):
        expect(page.get_by_test_id(name).first).to_be_hidden()
    expect(page.get_by_test_id("act-option").first).to_be_visible()
    # Nothing is cut: what scrolls on a screen is as high as its content on paper.
    cut = page.evaluate(
        """() => [...document.querySelectorAll('[data-testid="stApp"], [data-testid="stMain"]')]
          .map((node) => node.scrollHeight - node.clientHeight)"""
    )
    assert max(cut) <= 1
    page.emulate_media(media="screen")


def test_a_lab_is_another_page_and_the_way_back_leads_to_the_section(reading: Reading) -> None:
    page = reading.page
    page.evaluate("key => localStorage.removeItem(key)", KEY)
    reading.act("traffic").get_by_role("link", name=place("ledger").label).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Count the bytes")
    assert page.url == f"{reading.url}/calculator?calc_part=Traffic"
    field = page.get_by_role("textbox", name="Keys, T_key")
    field.fill("8192")
    expect(page.get_by_test_id("progress-summary")).to_contain_text("Labs: 1 of")
    assert list(reading.kept()["labs"]) == ["calculator"]
    page.go_back()
    expect(page.get_by_test_id("act")).to_have_count(len(SECTIONS))
    expect(page.locator("#traffic")).to_be_in_viewport()
