"""Presenter mode and the budget line in a real browser."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from engine import Trace, trace_attention
from lesson.inputs import load
from lesson.stage_present_text import load_presenter_text
from tests.browser.stage_page import go, mount, traced

KEY = "keys-lock.subject"
READ_ALOUD = ".step-name, .sentence, .formula, .formula *, .room-question, .waiting, .lecturer-note p"
SPILLS = """root => [root, ...root.querySelectorAll('.zone.words, .zone.outer, .zone.chip, .lecturer-note')]
  .map((node) => [node.className, node.scrollHeight - node.clientHeight, node.scrollWidth - node.clientWidth])
  .filter(([, down, across]) => down > 2 || across > 2)"""
BOXES = """root => [...root.querySelectorAll('.zone, .transport, .lecturer-note')]
  .map((node) => node.getBoundingClientRect()).filter((box) => box.width)
  .map((box) => [box.left, box.top, box.right, box.bottom])"""
SMALL = """(root, names) => [...root.querySelectorAll(names)].filter((node) => node.getClientRects().length)
  .map((node) => parseFloat(getComputedStyle(node).fontSize)).filter((size) => size < 24)"""
# The zones are fitted in the frame after a step.
FITTED = f"""async (root, names) => {{
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())));
  return [({SPILLS})(root), ({BOXES})(root), ({SMALL})(root, names)];
}}"""
QUESTIONS = load_presenter_text()["questions"]


def first_of(trace: Trace, kind: str) -> int:
    return next(index for index, step in enumerate(trace.steps) if step.kind == kind)


def present(page: Page, stage: Locator) -> None:
    page.keyboard.press("p")
    expect(stage).to_have_attribute("data-presenter", "")


@pytest.mark.parametrize(("width", "height"), [(1024, 768), (1440, 900), (1920, 1080)])
@pytest.mark.parametrize("key", [KEY, "rising", "ragged"])
def test_it_fits_the_screen_in_large_type(
    new_page: Callable[..., Page], key: str, width: int, height: int
) -> None:
    page = new_page(width=width, height=height)
    trace = traced(key)
    stage = mount(page, trace, "?present=1")
    shown = {step.kind: index for index, step in enumerate(trace.steps)}
    page.keyboard.press("n")
    for kind, index in shown.items():
        go(page, index)
        for _ in range(2):
            spills, boxes, small = stage.evaluate(FITTED, READ_ALOUD)
            assert spills == [], (kind, width)
            for left, top, right, bottom in boxes:
                inside = left >= 0 and top >= 0 and right <= width + 0.5 and bottom <= height + 0.5
                assert inside, (kind, boxes)
            assert small == [], kind
            page.keyboard.press("a")


def test_it_draws_larger_where_there_is_room(page: Page) -> None:
    """The few panels of a rescale leave room on a chip of half a laptop's screen."""
    trace = traced(KEY)
    stage = mount(page, trace, f"?present=1&step={trace.first_rescale()}")
    chip = stage.locator(".zone.chip").element_handle()
    page.wait_for_function(
        """chip => Number(chip.style.getPropertyValue('--shrink')) > 1
          && chip.scrollHeight <= chip.clientHeight + 1""",
        arg=chip,
    )


def test_answers_wait_for_a_key(page: Page) -> None:
    trace = traced(KEY)
    index = trace.first_rescale() or 0
    stage = mount(page, trace, f"?step={index - 1}")
    present(page, stage)
    # What is on the screen when the mode is entered by hand has been seen already.
    expect(stage).to_have_attribute("data-answer", "shown")
    page.keyboard.press("PageDown")
    expect(stage).to_have_attribute("data-step", str(index))
    expect(stage).to_have_attribute("data-answer", "hidden")
    expect(stage.get_by_test_id("sentence")).to_be_hidden()
    expect(stage.get_by_test_id("formula")).to_be_hidden()
    expect(stage.get_by_test_id("row-alpha").first).to_be_hidden()
    expect(stage.get_by_test_id("row-m-old").first).to_be_visible()
    question = stage.get_by_test_id("room-question")
    expect(question).to_be_visible()
    said = question.inner_text()
    # Those who listen are asked too, and are not told.
    expect(stage.locator(".spoken")).to_have_text(said)
    page.keyboard.press("PageDown")
    expect(stage).to_have_attribute("data-step", str(index))
    expect(stage.get_by_test_id("sentence")).to_be_visible()
    expect(question).to_be_hidden()
    expect(stage.locator(".spoken")).to_have_text(stage.get_by_test_id("sentence").inner_text())
    page.keyboard.press("a")
    expect(question).to_be_visible()
    # Going back shows what was said before.
    page.keyboard.press("PageUp")
    expect(stage).to_have_attribute("data-step", str(index - 1))
    expect(stage.get_by_test_id("sentence")).to_be_visible()
    page.keyboard.press("h")
    page.keyboard.press("PageDown")
    expect(stage).to_have_attribute("data-answer", "shown")


def test_every_kind_has_its_note_and_questions_name_the_row(page: Page) -> None:
    trace = traced(KEY)
    stage = mount(page, trace, "?present=1")
    note = stage.get_by_test_id("lecturer-note")
    expect(note).to_be_hidden()
    page.keyboard.press("n")
    notes = load_presenter_text()["notes"]
    # In the run's order: a step back shows the answer.
    for kind in dict.fromkeys(step.kind for step in trace.steps):
        go(page, first_of(trace, kind))
        expect(note).to_contain_text(notes[kind])
        if kind in QUESTIONS:
            expect(stage.get_by_test_id("room-question")).not_to_contain_text(re.compile(r"[{}]|“”"))
            expect(stage.get_by_test_id("room-question")).to_be_visible()
        else:
            expect(stage.get_by_test_id("sentence")).to_be_visible()
    page.keyboard.press("n")
    expect(note).to_be_hidden()


@pytest.mark.parametrize("key", ["b", "."])
def test_the_screen_goes_blank_and_comes_back_unmoved(page: Page, key: str) -> None:
    stage = mount(page, traced(KEY), "?present=1&step=4")
    blank = stage.get_by_test_id("blank-screen")
    expect(blank).to_be_hidden()
    page.keyboard.press(key)
    expect(blank).to_be_visible()
    box = blank.bounding_box()
    assert box is not None and (box["width"], box["height"]) == (1440, 900)
    page.keyboard.press("PageDown")
    expect(blank).to_be_hidden()
    expect(stage).to_have_attribute("data-step", "4")


def test_a_clicker_steps_even_when_the_slider_has_the_focus(page: Page) -> None:
    stage = mount(page, traced(KEY), "?present=1&step=0")
    stage.get_by_role("slider", name="Step", exact=True).focus()
    page.keyboard.press("PageDown")
    expect(stage).to_have_attribute("data-step", "1")
    page.keyboard.press("PageUp")
    expect(stage).to_have_attribute("data-step", "0")


def test_escape_leaves_and_the_address_remembers(page: Page) -> None:
    stage = mount(page, traced(KEY), "?present=1&step=3")
    expect(stage).to_have_attribute("data-presenter", "")
    assert stage.evaluate("root => root.matches(':popover-open')")
    page.keyboard.press("Escape")
    expect(stage).not_to_have_attribute("data-presenter", "")
    assert "present" not in page.url and "step=3" in page.url
    assert not stage.evaluate("root => root.hasAttribute('popover')")
    expect(stage.locator(".zone.code")).to_be_visible()
    stage.get_by_test_id("present-enter").click()
    expect(stage).to_have_attribute("data-presenter", "")
    page.wait_for_function("() => new URL(location.href).searchParams.get('present') === '1'")
    # Full screen, or on top of everything where the browser refuses it.
    page.wait_for_function(
        "() => { const root = document.getElementById('at').shadowRoot;"
        " return root.fullscreenElement !== null || root.querySelector('.stage').matches(':popover-open'); }"
    )
    stage.get_by_test_id("present-enter").click()
    expect(stage).not_to_have_attribute("data-presenter", "")


def test_the_focus_stays_on_the_stage(page: Page) -> None:
    stage = mount(page, traced(KEY), "?present=1")
    for _ in range(60):
        page.keyboard.press("Tab")
        inside = page.evaluate(
            "() => [document.getElementById('at'), document.body].includes(document.activeElement)"
        )
        assert inside
    expect(stage).to_have_attribute("data-presenter", "")


def test_questions_of_the_player_stay_away(page: Page) -> None:
    trace = traced(KEY)
    stage = mount(page, trace, "?present=1", ask=True)
    asked = stage.evaluate(
        """(stage, presses) => Array.from({ length: presses }, () => {
          document.dispatchEvent(new KeyboardEvent('keydown', { key: 'PageDown', bubbles: true }));
          return stage.querySelector('[data-testid=predict]')?.getClientRects().length ?? 0;
        })""",
        2 * len(trace.steps),
    )
    assert set(asked) == {0}
    expect(stage).to_have_attribute("data-step", str(len(trace.steps) - 1))


def used(step: object) -> int:
    return sum(step.resident.values())  # type: ignore[attr-defined]


def test_the_budget_line_moves_and_says_what_does_not_fit(page: Page) -> None:
    trace = traced(KEY)
    peak = max(map(used, trace.steps))
    index = first_of(trace, "accumulate")
    stage = mount(page, trace, f"?step={index}")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    field = stage.get_by_test_id("budget-number")
    fits = stage.get_by_test_id("budget-fit")
    expect(field).to_have_value(str(1 << (peak - 1).bit_length()))
    expect(fits).to_contain_text("every step fits")
    budget = peak - 1500
    field.fill(str(budget))
    field.press("Enter")
    excess = used(trace.steps[index]) - budget
    now = stage.get_by_test_id("budget-now")
    expect(now).to_contain_text(f"{excess:,} B over")
    # What lies beyond the line adds up to the excess.
    beyond = sum(
        int((part[0] or part[1]).replace(",", ""))
        for part in re.findall(r"([\d,]+) of the [\d,]+ B of|\(([\d,]+) B\)", now.inner_text())
    )
    assert beyond == excess
    expect(stage.get_by_test_id("budget-peak")).to_contain_text(f"{peak - budget:,} B over")
    expect(stage.locator(".meter")).to_have_attribute("data-over", "")
    page.wait_for_function(
        "value => new URL(location.href).searchParams.get('budget') === value", arg=str(budget)
    )
    go(page, 0)
    expect(now).to_contain_text("This step fits")
    slider = stage.get_by_test_id("budget-slider")
    before = int(slider.input_value())
    slider.focus()
    slider.press("ArrowRight")
    assert int(field.input_value()) > before
    # The slider keeps its keys: the run has not moved.
    expect(stage).to_have_attribute("data-step", "0")
    stage.get_by_role("button", name="reset", exact=True).click()
    expect(fits).to_contain_text("every step fits")
    page.wait_for_function("() => !new URL(location.href).searchParams.has('budget')")
    assert sent == []


@pytest.mark.parametrize("order", ["q_outer", "kv_outer"])
@pytest.mark.parametrize("key", [KEY, "rising", "ragged"])
def test_the_tiles_that_would_fit_do_fit_and_no_larger_ones(page: Page, key: str, order: str) -> None:
    given = load(key)
    options = given.options() | {"order": order}
    trace = traced(key, order=order)
    rows, keys = trace.problem["block_q"], trace.problem["block_k"]

    def peak_of(block_q: int, block_k: int) -> int:
        run = trace_attention(
            given.q, given.k, given.v, **(options | {"block_q": block_q, "block_k": block_k})
        )
        return max(map(used, run.steps))

    peak = peak_of(rows, keys)
    checked = 0
    stage = mount(page, trace)
    field = stage.get_by_test_id("budget-number")
    for budget in sorted({peak - 1, peak * 3 // 4, peak // 2, peak // 4, 16}):
        field.fill(str(budget))
        field.press("Enter")
        expect(field).to_have_value(str(budget))
        advice = stage.get_by_test_id("budget-would").inner_text()
        assert f"{peak:,} B" in advice
        square = re.search(r"block_q = block_k = (\d+)", advice)
        fewer_q = None if square else re.search(r"block_q = (\d+)", advice)
        fewer_k = None if square else re.search(r"block_k = (\d+)", advice)
        offers = {
            "q": [(int(fewer_q[1]) + more, keys) for more in (0, 1)] if fewer_q else [],
            "k": [(rows, int(fewer_k[1]) + more) for more in (0, 1)] if fewer_k else [],
            "square": [(int(square[1]) + more,) * 2 for more in (0, 1)] if square else [],
        }
        for fitting, larger in (pair for pair in offers.values() if pair):
            assert peak_of(*fitting) <= budget < peak_of(*larger)
            checked += 1
        if not any(offers.values()):
            assert peak_of(1, 1) > budget
            assert f"{peak_of(1, 1):,} B" in advice
            checked += 1
    assert checked >= 4
