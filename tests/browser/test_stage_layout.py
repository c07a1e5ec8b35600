"""A step lays out what it changes, and not the page."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from lesson.inputs import DEFAULT_KEY
from tests.browser.stage_page import mount, traced

STEPS = 40

# Once through the steps, so that every box has met its content; then again, a step a frame.
WALK = """async ([from, to]) => {
  for (let step = from; step < to; step += 1) {
    window.goTo(String(step));
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  }
}"""


def layouts(page: Page, start: int, stop: int) -> list[dict[str, Any]]:
    """Step through a run and return what the browser tells of each layout."""
    session = page.context.new_cdp_session(page)
    events: list[dict[str, Any]] = []
    ended: list[object] = []
    session.on("Tracing.dataCollected", lambda told: events.extend(told["value"]))
    session.on("Tracing.tracingComplete", lambda told: ended.append(told))
    categories = {"includedCategories": ["devtools.timeline"]}
    session.send("Tracing.start", {"traceConfig": categories, "transferMode": "ReportEvents"})
    page.evaluate(WALK, [start, stop])
    session.send("Tracing.end")
    while not ended:
        page.wait_for_timeout(20)
    found = [event["args"]["beginData"] for event in events if event["name"] == "Layout"]
    return [each for each in found if each["totalObjects"] > 300]


def test_a_step_does_not_lay_out_the_whole_page(page: Page) -> None:
    """One changed word outside a box that is laid out alone would make every layout one of the page."""
    page.set_viewport_size({"width": 1440, "height": 1100})
    mount(page, traced(DEFAULT_KEY))
    page.evaluate(WALK, [0, STEPS])
    found = layouts(page, 0, STEPS)
    assert len(found) >= STEPS / 2
    whole = [each for each in found if not each["partialLayout"]]
    # The longest formulas make their zone taller, and a tile at the edge has another size.
    assert len(whole) <= STEPS / 4
    expect(page.locator(".now")).to_be_hidden()


# Every change of size that the stage is told of.
NOTE_SIZES = """() => {
  const Observer = window.ResizeObserver;
  window.resized = [];
  window.ResizeObserver = class extends Observer {
    constructor(tell) {
      super((entries, observer) => {
        window.resized.push(...entries.map(({ target }) => target.className));
        tell(entries, observer);
      });
    }
  };
}"""


def test_scrubbing_resizes_no_box(new_page: Callable[..., Page]) -> None:
    """A box that takes over the height of its content would have the page laid out twice in that frame."""
    page = new_page(width=1068, height=900, of_its_own=True)
    page.add_init_script(f"({NOTE_SIZES})()")
    trace = traced(DEFAULT_KEY)
    mount(page, trace)
    page.wait_for_function("() => window.resized.length > 0")
    places = [(37 * index) % len(trace.steps) for index in range(len(trace.steps))]
    page.evaluate("() => { window.resized = []; }")
    page.evaluate(
        """async (places) => {
          for (const place of places) {
            window.goTo(String(place));
            await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
          }
        }""",
        places,
    )
    assert page.evaluate("window.resized") == []


# Every printed number whose words are wider than its cell, at some steps of a run.
TOO_WIDE = """async (steps) => {
  const found = [];
  const range = document.createRange();
  for (const step of steps) {
    window.goTo(String(step));
    for (const cell of stage.querySelectorAll(".matrix .cell")) {
      range.selectNodeContents(cell);
      const words = range.getBoundingClientRect();
      if (words.width > cell.getBoundingClientRect().width) found.push(`${step}: ${cell.textContent}`);
    }
  }
  return found;
}"""


def test_no_number_runs_into_the_next(page: Page) -> None:
    """At widths at which the zones stand otherwise: a projector's stage is 628 pixels wide."""
    trace = traced(DEFAULT_KEY)
    mount(page, trace)
    for width in (384, 624, 652, 784, 984, 1068):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(TOO_WIDE, list(range(0, len(trace.steps), 3))) == [], width
