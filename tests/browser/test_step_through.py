"""The page around the stage in a real browser: messages above it, sections below, the reader's own file."""

import io
import re
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from engine import trace_attention
from lesson.inputs import MAX_N
from tests.browser.page_parts import pick
from tests.browser.test_stage import at, open_stage, press, traced


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("?run_head=nonsense", "run_head=nonsense"),
        ("?run_bq=999", "run_bq=999"),
        ("?run_colour=red", "run_colour"),
        ("?step=100000", "This run has steps 0 to"),
        ("?step=abc", "step=abc"),
    ],
)
def test_a_wrong_address_is_named_and_the_page_works(
    page: Page, server_url: str, query: str, message: str
) -> None:
    stage = open_stage(page, server_url, query)
    notice = page.get_by_test_id("stAlert")
    expect(notice).to_contain_text(message)
    expect(notice).to_be_in_viewport()
    press(stage, "First step")
    press(stage, "Next step")
    at(stage, 1)


def test_the_stage_stays_when_a_message_above_it_goes(page: Page, server_url: str) -> None:
    open_stage(page, server_url, "?step=100000")
    parts = page.get_by_test_id(re.compile("^stBidiComponent"))
    parts.evaluate_all("parts => parts.forEach((part) => { part.marked = true; })")
    page.get_by_role("button", name="Change the run").click()
    pick(page, "Outer loop", "keys and values")
    expect(page.get_by_test_id("stAlert")).to_have_count(0)
    assert parts.evaluate_all("parts => parts.map((part) => part.marked)") == [True] * parts.count()


def test_opening_a_section_below_leaves_the_stage_alone(page: Page, server_url: str) -> None:
    stage = open_stage(page, server_url, "?step=20")
    press(stage, "Next step")
    at(stage, 21)
    # A flight may still be under way.
    page.wait_for_timeout(600)
    stage.evaluate("""stage => {
      stage.changes = 0;
      const options = { subtree: true, childList: true, attributes: true, characterData: true };
      new MutationObserver((changes) => { stage.changes += changes.length; }).observe(stage, options);
    }""")
    page.get_by_text("Files of the whole run").click()
    expect(page.get_by_test_id("stDownloadButton")).to_have_count(3)
    page.get_by_text("For kernel authors: check your kernel").click()
    expect(page.get_by_test_id("stFileUploader")).to_be_visible()
    assert stage.evaluate("stage => stage.changes") == 0


def archive(**arrays: np.ndarray) -> dict[str, Any]:
    file = io.BytesIO()
    np.savez(file, **arrays)  # type: ignore[arg-type]
    return {"name": "mine.npz", "mimeType": "application/octet-stream", "buffer": file.getvalue()}


def test_own_file_runs_and_a_bad_one_is_refused_with_value_and_limit(page: Page, server_url: str) -> None:
    open_stage(page, server_url)
    upload = page.get_by_test_id("stFileUploader").locator('input[type="file"]')
    expect(upload).to_have_count(0)
    page.get_by_role("button", name="Change the run").click()
    pick(page, "Input", "Your own file")
    expect(upload).to_have_count(1)
    page.keyboard.press("Escape")
    long = np.zeros((MAX_N + 1, 4), np.float32)
    upload.set_input_files(archive(q=long, k=long, v=long))
    expect(page.get_by_test_id("stAlert")).to_contain_text(str(MAX_N + 1))
    expect(page.get_by_test_id("stAlert")).to_contain_text(str(MAX_N))
    expect(page.get_by_test_id("stage")).to_have_attribute("data-steps", str(len(traced().steps)))
    rng = np.random.default_rng(0)
    small = {name: rng.normal(size=(6, 3)).astype(np.float32) for name in "qkv"}
    page.get_by_test_id("stFileUploader").locator("button").last.click()
    upload.set_input_files(archive(**small))
    own = trace_attention(**small, block_q=4, block_k=4)
    expect(page.get_by_test_id("stage")).to_have_attribute("data-steps", str(len(own.steps)))
