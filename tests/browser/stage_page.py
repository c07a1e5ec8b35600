"""The stage or the one-row player on a page of its own, without a server: quick to mount, with an address."""

from collections.abc import Sequence
from typing import Any

from playwright.sync_api import Locator, Page, Route

from engine import Trace, trace_attention
from lesson.inputs import load
from ui.softmax.component import ROW_CSS, ROW_JS
from ui.softmax.payload import encode_row
from ui.stage.component import STAGE_CSS, STAGE_JS
from ui.stage.payload import encode

ADDRESS = "http://stage.test/"
SHELL = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Stage</title><style>
:root { color-scheme: light dark; } body { margin: 0; background: light-dark(#ffffff, #10151c); }
main { padding: 0 12px; }</style></head>
<body><main><h1>Stage</h1><div id="at"></div></main></body></html>"""
MOUNT = """async ([js, css, host, data]) => {
  const shadow = document.getElementById('at').attachShadow({ mode: 'open' });
  shadow.innerHTML = `<style>${css}</style><div class="${host}"></div>`;
  const address = URL.createObjectURL(new Blob([js], { type: 'text/javascript' }));
  const { default: mount } = await import(address);
  window.mountStage = (next) => mount({ data: next, parentElement: shadow });
  window.unmountStage = window.mountStage(data);
  window.stage = shadow.querySelector('.stage');
  const root = () => shadow.querySelector('.stage');
  window.goTo = (step) => {
    const slider = root().querySelector('.transport input[type=range]');
    slider.value = step;
    slider.dispatchEvent(new Event('input'));
  };
}"""

WALKED_AND_JUMPED = """async (stage) => {
  const drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const read = () => stage.querySelector('.stage-grid').innerText;
  const found = [];
  for (let index = 0; index < Number(stage.dataset.steps); index += 1) {
    await drawn();
    if (Number(stage.dataset.step) !== index) throw new Error(`step ${stage.dataset.step}, not ${index}`);
    found.push([stage.dataset.kind, read()]);
    stage.querySelector('.control.next').click();
  }
  const slider = stage.querySelector('.transport input[type=range]');
  const places = found.map((_, index) => index);
  for (const index of places.sort((a, b) => ((a * 37) % places.length) - ((b * 37) % places.length))) {
    slider.value = index;
    slider.dispatchEvent(new Event('input'));
    await drawn();
    found[index].push(read());
  }
  return found;
}"""


def traced(key: str, **changes: Any) -> Trace:
    """Trace one of the lesson's inputs, with its own options but for the changes."""
    given = load(key)
    return trace_attention(given.q, given.k, given.v, tokens=given.tokens, **(given.options() | changes))


def mount_part(page: Page, script: str, styles: str, host: str, data: Any, query: str = "") -> None:
    """Open an empty page and mount a part of ours on it."""

    def serve(route: Route) -> None:
        route.fulfill(content_type="text/html", body=SHELL)

    page.route(f"{ADDRESS}**", serve)
    page.goto(f"{ADDRESS}{query}")
    page.evaluate(MOUNT, [script, styles, host, data])


def given(trace: Trace, **data: Any) -> dict[str, Any]:
    """Return what a page gives the stage."""
    return {**encode(trace), "step": 0, "address": True, "ask": False, "share": None, **data}


def mount(page: Page, trace: Trace, query: str = "", **data: Any) -> Locator:
    """Open an empty page and mount the stage on it."""
    mount_part(page, STAGE_JS, STAGE_CSS, "stage-host", given(trace, **data), query)
    return page.get_by_test_id("stage")


def mount_row(page: Page, row: Sequence[float], query: str = "") -> Locator:
    """Open an empty page and mount the one-row player on it, without the field for another row."""
    mount_part(page, ROW_JS, ROW_CSS, "row-host", encode_row(row), query)
    return page.get_by_test_id("one-row")


def go(page: Page, step: int) -> None:
    """Scrub to a step."""
    page.evaluate("step => window.goTo(step)", str(step))


def walked_and_jumped(stage: Locator) -> list[tuple[str, str, str]]:
    """Return each step's kind, its text after walking there, and after jumping there from elsewhere."""
    return [(kind, walked, jumped) for kind, walked, jumped in stage.evaluate(WALKED_AND_JUMPED)]
