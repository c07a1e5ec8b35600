"""Take it with you: links, QR codes, pictures, ledgers, files and the check for kernel authors."""

import csv
import io
import json
import re
import urllib.error
import urllib.request
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from engine import read_trace, trace_to_dict, trace_to_json
from tests.browser.conftest import Trouble, watch
from tests.browser.modules import Modules
from tests.browser.page_parts import idle
from tests.browser.test_stage import at, open_stage, press, scrub, stop_asking, traced
from ui.stage.payload import encode

SVG = "{http://www.w3.org/2000/svg}"


def saved(page: Page, click: Callable[[], None], folder: Path) -> Path:
    """What a click saves."""
    with page.expect_download() as waiting:
        click()
    target = folder / waiting.value.suggested_filename
    waiting.value.save_as(target)
    return target


def count_frames(page: Page) -> list[object]:
    """Everything that the page sends over its websocket from now on."""
    sent: list[object] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    return sent


def settle(page: Page, sent: list[object]) -> int:
    """How many messages the page sent until it fell silent."""
    before = -1
    while len(sent) != before:
        before = len(sent)
        page.wait_for_timeout(700)
    return before


# Links


@pytest.mark.parametrize(
    ("share", "place", "expected"),
    [
        (None, {"step": 0, "row": 1, "usualRow": 1}, "http://a/b?x=1"),
        (None, {"step": 4, "row": 2, "usualRow": 1}, "http://a/b?x=1&step=4&row=2"),
        (
            {"path": "/base/step_through", "query": {"run_order": "kv_outer", "run_bq": "2"}},
            {"step": 7, "row": 0, "usualRow": 1},
            "http://a/base/step_through?run_order=kv_outer&run_bq=2&step=7&row=0",
        ),
    ],
)
def test_a_link_names_only_what_differs(run: Modules, share: Any, place: Any, expected: str) -> None:
    expression = "m.frameLink('http://a/b?x=1&step=3&row=9', x[0], x[1])"
    assert run("share-link.js", expression, [share, place]) == expected


@pytest.mark.parametrize(("row", "kept"), [(0, "http://a/b?x=1"), (2, "http://a/b?x=1&row=2")])
def test_the_pages_own_address_names_a_row_of_the_readers_choice(run: Modules, row: int, kept: str) -> None:
    place = {"row": row, "usualRow": 0}
    assert run("share-link.js", "m.keptAddress('http://a/b?x=1&row=3', x)", place) == kept


def test_a_link_reproduces_input_options_step_and_row(page: Page, server_url: str) -> None:
    """Copied at one frame, opened afresh, reloaded: the same run, step and row each time."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    other = traced(order="kv_outer", block_q=8, block_k=2, causal=None)
    stage = open_stage(page, server_url, "?run_order=kv_outer&run_bq=8&run_bk=2&run_mask=none&step=21")
    at(stage, 21)
    stage.get_by_test_id("row-pick").nth(5).click()
    press(stage, "Copy link to this frame")
    expect(stage.get_by_test_id("share-status")).to_have_text("The link to step 22 is copied.")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == stage.get_by_test_id("share-link").input_value()
    assert {name: values[0] for name, values in parse_qs(urlsplit(link).query).items()} == {
        "run_order": "kv_outer", "run_bq": "8", "run_bk": "2", "run_mask": "none", "step": "21", "row": "5",
    }  # fmt: skip
    page.goto("about:blank")
    page.goto(link)
    for _ in range(2):
        stage = page.get_by_test_id("stage")
        expect(stage).to_have_attribute("data-steps", str(len(other.steps)))
        at(stage, 21)
        expect(stage.get_by_test_id("row-pick").nth(5)).to_have_attribute("aria-pressed", "true")
        page.wait_for_function("() => new URL(location.href).searchParams.get('run_order') !== null")
        page.reload()


def test_the_default_frame_has_a_bare_link(page: Page, server_url: str) -> None:
    stage = open_stage(page, server_url)
    press(stage, "Copy link to this frame")
    expect(stage.get_by_test_id("share-link")).to_have_value(f"{server_url}/step_through")


def test_without_a_clipboard_the_link_is_selected_and_said(
    new_page: Callable[..., Page], server_url: str
) -> None:
    page = new_page(of_its_own=True)
    page.add_init_script(
        "Object.defineProperty(navigator, 'clipboard', { value: undefined });"
        "document.execCommand = () => false;"
    )
    stage = open_stage(page, server_url, "?step=5")
    press(stage, "Copy link to this frame")
    expect(stage.get_by_test_id("share-status")).to_contain_text("press Ctrl+C")
    field = stage.get_by_test_id("share-link")
    expect(field).to_be_focused()
    assert (
        field.evaluate("node => node.value.slice(node.selectionStart, node.selectionEnd)")
        == field.input_value()
    )


def test_a_qr_code_is_drawn_on_demand_and_leaves_with_its_frame(page: Page, server_url: str) -> None:
    sent = count_frames(page)
    stage = open_stage(page, server_url, "?step=5")
    before = settle(page, sent)
    press(stage, "QR code for this frame")
    image = stage.get_by_test_id("share-qr").locator("img")
    expect(image).to_be_visible()
    page.wait_for_function("node => node.complete && node.naturalWidth > 0", arg=image.element_handle())
    assert image.get_attribute("alt") == f"QR code of {stage.get_by_test_id('share-link').input_value()}"
    expect(stage.get_by_test_id("share-qr")).to_contain_text("Step 6 of")
    page.keyboard.press("ArrowRight")
    at(stage, 6)
    expect(stage.get_by_test_id("share-qr")).to_be_hidden()
    expect(stage.get_by_test_id("share-link")).to_be_hidden()
    assert settle(page, sent) == before, "making a link or a code must not speak to the session"


def test_the_code_route_serves_links_into_the_app_alone(server_url: str) -> None:
    def answer(link: str) -> tuple[int, str]:
        try:
            with urllib.request.urlopen(
                f"{server_url}/qr.svg?link={quote(link, safe='')}", timeout=20
            ) as got:
                return got.status, got.headers["Content-Type"]
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    assert answer(f"{server_url}/step_through?step=3") == (200, "image/svg+xml")
    elsewhere = (400, "link must lead into this app")
    for link in ("", "https://example.org/", f"javascript:{server_url}", "//example.org", server_url[5:]):
        assert answer(link) == elsewhere, link
    status, said = answer(f"{server_url}/{'x' * 1000}")
    assert (
        status == 400 and said == f"the link has {len(server_url) + 1001} characters; it must have 1 to 1000"
    )


# Pictures


@pytest.mark.parametrize(
    "options",
    [{"order": "q_outer"}, {"order": "kv_outer"}, {"direction": "backward"}, {"mistake": "no_rescale"}],
    ids=lambda options: next(iter(options.values())),
)
def test_every_frame_makes_a_whole_picture(run: Modules, options: dict[str, Any]) -> None:
    """Each is well-formed, stands alone and says the step, the sizes and the sentence."""
    script = """(async () => {
      const { trace, words } = x;
      const named = (tokens, span) => (span ? tokens.slice(span[0], span[1]) : []);
      const colours = new Proxy({}, { get: () => "rgb(1, 2, 3)" });
      const scales = { q: 1, k: 1, v: 1, o: 1, s: 1, p: 1, acc: 1 };
      return trace.steps.map((step, index) => {
        const queries = named(trace.problem.tokens_q, step.rows);
        const keys = named(trace.problem.tokens_k, step.cols);
        const subject = { trace, step, row: 0, isFinal: true, queries, keys };
        const frame = { trace, step, index, row: 0, subject };
        return m.pictureOf(frame, words, { scales, budget: 8192, peak: 4224 }, colours, "A <title> & more");
      });
    })()"""
    trace = traced(**options)
    pictures = run(
        "export-picture.js",
        script,
        {"trace": trace_to_dict(trace, digits=6), "words": encode(trace)["words"]},
    )
    assert len(pictures) == len(trace.steps)
    for index, (text, step) in enumerate(zip(pictures, trace.steps, strict=True)):
        root = ElementTree.fromstring(text)
        assert root.tag == f"{SVG}svg"
        assert f"Step {index + 1} of {len(trace.steps)}" in (root.findtext(f"{SVG}title") or "")
        assert "A <title> & more" in (root.findtext(f"{SVG}title") or "")
        words = " ".join(" ".join(node.itertext()) for node in root.iter(f"{SVG}text"))
        assert "16 queries × 16 keys · d = 64" in words
        assert next(iter(options.values())) in words
        assert "causal, last query sees every key" in (root.findtext(f"{SVG}desc") or "")
        assert not re.search(r'(?:href|src)=|url\((?!#)|var\(|NaN"|undefined|\bnull\b', text), step.kind


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pictures_are_saved_in_the_theme_asked_for(
    new_page: Callable[..., Page], server_url: str, tmp_path: Path, theme: str
) -> None:
    page = new_page(theme=theme)
    trouble = watch(page)
    stage = open_stage(page, server_url)
    press(stage, "Next rescale")
    step = traced().first_rescale()
    backgrounds = {}
    for shown in ("as shown", "light", "dark"):
        stage.get_by_label("Colours of the picture").select_option(label=shown)
        path = saved(page, lambda: press(stage, "Picture, SVG"), tmp_path)
        assert path.name == f"tilewise-keys-lock.prev-step-{step}.svg"
        root = ElementTree.fromstring(path.read_text(encoding="utf-8"))
        backgrounds[shown] = root.find(f"{SVG}rect").get("fill")  # type: ignore[union-attr]
        text = " ".join("".join(node.itertext()) for node in root.iter(f"{SVG}text"))
        assert (stage.get_by_test_id("sentence").text_content() or "")[:60] in text
    assert backgrounds["as shown"] == backgrounds[theme]
    assert backgrounds["light"] != backgrounds["dark"]
    path = saved(page, lambda: press(stage, "Picture, PNG"), tmp_path)
    raw = path.read_bytes()
    assert (
        raw.startswith(b"\x89PNG")
        and int.from_bytes(raw[16:20]) == 2560
        and int.from_bytes(raw[20:24]) == 1440
    )
    assert not trouble.errors


# Ledgers


def test_the_ledgers_are_the_engines(page: Page, server_url: str, tmp_path: Path) -> None:
    trace = traced(order="kv_outer")
    stage = open_stage(page, server_url, "?run_order=kv_outer")
    path = saved(page, lambda: press(stage, "Ledger by step, CSV"), tmp_path)
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"))))
    assert len(rows) == len(trace.steps)
    for row, step in zip(rows, trace.steps, strict=True):
        assert row["kind"] == step.kind
        for name, moved in (("read", step.hbm_read), ("written", step.hbm_write)):
            found = {
                key.split("_")[1]: int(count)
                for key, count in row.items()
                if re.fullmatch(f"{name}_\\w+_bytes", key)
            }
            assert {tensor: count for tensor, count in found.items() if count} == moved
        assert int(row["tiled_read_total_bytes"]) == sum(step.hbm_read_total.values())
        assert int(row["tiled_written_total_bytes"]) == sum(step.hbm_write_total.values())
        assert int(row["standard_read_total_bytes"]) == sum(step.standard_read_total.values())
        assert int(row["standard_written_total_bytes"]) == sum(step.standard_write_total.values())
        assert int(row["on_chip_bytes"]) == sum(step.resident.values())
    path = saved(page, lambda: press(stage, "Ledger totals, CSV"), tmp_path)
    totals = {
        (row["algorithm"], row["tensor"]): (int(row["read_bytes"]), int(row["written_bytes"]))
        for row in csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig")))
    }
    last = trace.steps[-1]
    assert totals["tiled", "all"] == (sum(last.hbm_read_total.values()), sum(last.hbm_write_total.values()))
    assert totals["standard", "all"] == (
        sum(moved.read for moved in trace.standard.by_tensor.values()),
        sum(moved.written for moved in trace.standard.by_tensor.values()),
    )


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ("plain", "plain"), ("=1+1", "'=1+1"), (" =1+1", "' =1+1"), ("+1", "'+1"), ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"), ("\tx", "'\tx"), (-1, "-1"), (None, ""),
        ("a,b", '"a,b"'), ('say "x"', '"say ""x"""'), ("=a,b", '"\'=a,b"'),
    ],
)  # fmt: skip
def test_a_label_never_becomes_a_formula(run: Modules, value: Any, field: str) -> None:
    assert run("export-csv.js", "m.csvField(x)", value) == field


def test_hostile_labels_stay_text_in_the_ledger(run: Modules) -> None:
    document = trace_to_dict(traced(), digits=6)
    document["problem"]["tokens_q"] = ['=HYPERLINK("http://x","y")'] * 16
    text = run("export-csv.js", "m.ledgerBySteps(x)", document)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert rows[1]["first_query"] == '\'=HYPERLINK("http://x","y")'


# Files of the whole run


def to_the_stage(frames: list[bytes]) -> list[bytes]:
    """Return what the server told the stage in these frames."""
    elements = (ForwardMsg.FromString(frame).delta.new_element for frame in frames)
    parts = (element.bidi_component for element in elements if element.HasField("bidi_component"))
    return [part.SerializeToString() for part in parts if part.component_name == "tilewise_stage"]


def test_files_are_made_on_demand_without_rerun(page: Page, server_url: str, tmp_path: Path) -> None:
    trace = traced(order="kv_outer")
    told: list[bytes] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: told.append(bytes(frame))))
    stage = open_stage(page, server_url, "?run_order=kv_outer")
    scrub(stage, 30)
    first = to_the_stage(told)
    assert len(first) == 1
    files = page.get_by_role("button", name="Trace, JSON", exact=True)
    expect(files).to_have_count(0)
    told.clear()
    page.get_by_text("Files of the whole run").click()
    expect(files).to_be_visible()
    idle(page)
    # To open the section ran the page, and the stage was told what it knew.
    assert to_the_stage(told) == first
    told.clear()
    expected = trace_to_dict(trace)
    path = saved(page, files.click, tmp_path)
    assert json.loads(path.read_text(encoding="utf-8")) == json.loads(trace_to_json(trace))
    path = saved(page, lambda: page.get_by_role("button", name="Trace, .npz", exact=True).click(), tmp_path)
    assert read_trace(path)["steps"] == json.loads(json.dumps(expected["steps"]))
    with np.load(path, allow_pickle=False) as file:
        np.testing.assert_array_equal(file["arrays/q"], trace.arrays["q"])
    path = saved(
        page,
        lambda: page.get_by_role("button", name="Animation, one HTML file", exact=True).click(),
        tmp_path,
    )
    assert path.name == "tilewise-keys-lock.prev.html"
    assert to_the_stage(told) == []
    at(stage, 30)


# In an iframe


def test_embedded_there_is_only_the_stage(page: Page, server_url: str) -> None:
    trouble: Trouble = watch(page)
    stage = open_stage(page, server_url, "?embed=true&step=7")
    at(stage, 7)
    expect(page.get_by_test_id("stSidebar")).to_have_count(0)
    expect(page.get_by_text("Change the run")).to_be_hidden()
    expect(page.get_by_text("For kernel authors")).to_have_count(0)
    expect(page.get_by_test_id("stHeader")).to_be_hidden()
    # The shell's own link for keyboards, "Skip to main content", may stay.
    expect(page.get_by_test_id("stMain").get_by_role("link")).to_have_count(0)
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    stop_asking(stage)
    press(stage, "Next step")
    at(stage, 8)
    assert not trouble.errors
