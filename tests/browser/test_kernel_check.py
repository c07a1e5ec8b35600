"""The check for kernel authors on the page: upload, answer, and the frame that it leads to."""

import io
import re

import numpy as np
from playwright.sync_api import Locator, Page, expect

from tests.browser.test_stage import at, open_stage, scrub, traced


def check(page: Page, **arrays: np.ndarray) -> Locator:
    """Upload a kernel's arrays and return the answer."""
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    page.get_by_text("For kernel authors: check your kernel").click()
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
        {"name": "kernel.npz", "mimeType": "application/zip", "buffer": buffer.getvalue()}
    )
    return page.get_by_test_id("stExpander").get_by_test_id("stAlert")


def test_a_kernel_that_departs_opens_its_frame(page: Page, server_url: str) -> None:
    trace = traced()
    stage = open_stage(page, server_url)
    scrub(stage, 12)
    o = trace.result["o"].astype(np.float32)
    lse = trace.result["lse"].astype(np.float32)
    lse[9] += 1
    answer = check(page, o=o, lse=lse)
    expect(answer).to_contain_text("lse departs in the result, first for query 9")
    at(stage, 12)
    link = page.get_by_role("link", name=re.compile("Open this frame"))
    page.goto(server_url + (link.get_attribute("href") or ""))
    stage = page.get_by_test_id("stage")
    expect(stage).to_have_attribute("data-kind", "normalise")
    step = trace.steps[int(stage.get_attribute("data-step") or -1)]
    assert step.rows is not None and step.rows[0] <= 9 < step.rows[1]
    expect(stage.get_by_test_id("row-pick").nth(9 - step.rows[0])).to_have_attribute("aria-pressed", "true")


def test_a_kernel_that_agrees_is_told_the_share_used(page: Page, server_url: str) -> None:
    open_stage(page, server_url)
    answer = check(page, o=traced().result["o"].astype(np.float32))
    expect(answer).to_contain_text("It agrees")
    expect(answer).to_contain_text(re.compile(r"o used \d+\.\d% of what is allowed"))


def test_a_file_that_does_not_fit_is_refused_with_both_shapes(page: Page, server_url: str) -> None:
    open_stage(page, server_url)
    answer = check(page, acc=np.zeros((3, 16, 64)))
    expect(answer).to_contain_text("acc has shape (3, 16, 64); this trace has (4, 16, 64)")
