"""Measure how long the stage takes from input to paint, in Chromium.

    python -m bench.stage_paint

The stage is mounted without a server, as it would be on the page, and measured in two ways.

* In the page: each input is given at the start of a frame, as a browser hands it out, and timed until its
  frame is painted. The targets are held against this one.
  "No input" is a frame without input: the machine's own unrest.
  "Busy" is the processor time of the page's main thread.
* To the screen: real keys and presses, from the event's own time to the presentation of its frame, as
  Chromium's trace has it. In it are the way through the browser's processes and the drawing without a GPU,
  which no page can change. So a bare page whose only element changes is measured beside it, and waiting for
  the display's clock is printed apart.

Prints the frames a second while playing at the fastest speed, too; exits with 1 if a target is missed.
"""

import json
import os
import shutil
import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from bench.screen_latency import Latency, Recorder
from engine import trace_attention
from lesson.inputs import DEFAULT_KEY, MAX_D, MAX_N, load
from ui.stage.component import STAGE_CSS, STAGE_JS
from ui.stage.payload import encode

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-sync",
]

MOUNT = """async ([js, css, data]) => {
  document.body.innerHTML = '<div id="at" style="color-scheme: light; width: 1044px; margin: auto"></div>';
  const shadow = document.getElementById('at').attachShadow({ mode: 'open' });
  shadow.innerHTML = `<style>${css}</style><div class="stage-host"></div>`;
  const address = URL.createObjectURL(new Blob([js], { type: 'text/javascript' }));
  const { default: mount } = await import(address);
  const began = performance.now();
  mount({ data, parentElement: shadow });
  window.stage = shadow.querySelector('.stage');
  return performance.now() - began;
}"""

# The least that a page can do: one element with one number, which a key or a press changes.
BARE = """() => {
  document.body.innerHTML = '<div id="only" style="width: 400px; height: 40px">0</div>';
  const only = document.getElementById('only');
  let count = 0;
  const change = () => { only.textContent = String(count += 1); };
  document.addEventListener('keydown', change);
  document.addEventListener('mousedown', change);
}"""

# One input: at the start of a frame; done when a message posted in that frame arrives, after its paint.
MEASURE = """async ([inputs]) => {
  const slider = stage.querySelector('.transport input[type=range]');
  const one = (input) => new Promise((done) => requestAnimationFrame(() => {
    const began = performance.now();
    if (input === null) stage.dataset.unrest = String(began);
    else if (typeof input === 'string') document.dispatchEvent(new KeyboardEvent('keydown', { key: input }));
    else { slider.value = input; slider.dispatchEvent(new Event('input')); }
    const channel = new MessageChannel();
    channel.port1.onmessage = () => done(performance.now() - began);
    requestAnimationFrame(() => {});
    channel.port2.postMessage(null);
  }));
  const times = [];
  for (const input of inputs) times.push(await one(input));
  return times;
}"""

# Play at the fastest speed for some seconds: frames painted, steps shown, and the p95 of a frame's time.
PLAY = """async ([seconds]) => {
  const speed = stage.querySelector('select[aria-label="Speed"]');
  speed.value = speed.options[speed.options.length - 1].value;
  speed.dispatchEvent(new Event('change'));
  const slider = stage.querySelector('.transport input[type=range]');
  const play = stage.querySelector('.control.play');
  const rewind = () => {
    slider.value = 0;
    slider.dispatchEvent(new Event('input'));
    play.click();
  };
  rewind();
  const frames = [];
  let shown = 0, last = stage.dataset.step, before = performance.now();
  const end = before + 1000 * seconds;
  await new Promise((done) => {
    const beat = () => {
      const now = performance.now();
      frames.push(now - before);
      before = now;
      if (stage.dataset.step !== last) { shown += 1; last = stage.dataset.step; }
      if (now >= end) return done();
      if (Number(stage.dataset.step) === Number(stage.dataset.steps) - 1) rewind();
      requestAnimationFrame(beat);
    };
    requestAnimationFrame(beat);
  });
  if (play.getAttribute('aria-label') === 'Pause') play.click();
  frames.sort((left, right) => left - right);
  const total = frames.reduce((sum, frame) => sum + frame, 0);
  const p95 = frames[Math.floor(0.95 * (frames.length - 1))];
  return { fps: 1000 * frames.length / total, steps: 1000 * shown / total, p95 };
}"""

# Two frames later an input has been painted, and the next one finds the page at rest.
AT_REST = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
PRESSES = 60
PLAY_SECONDS = 4
# A screen of 60 Hz gives 60 frames a second but for the rounding of its own clock.
TARGET_FPS = 59.0


@dataclass(frozen=True)
class Case:
    """A run to play, and the p95 it must keep to, in milliseconds."""

    name: str
    data: dict[str, Any]
    target_ms: float


def cases() -> list[Case]:
    """Return the default run and the largest that the page takes."""
    given = load(DEFAULT_KEY)
    usual = trace_attention(
        given.q, given.k, given.v, tokens=(given.tokens_q, given.tokens_k), **given.options()
    )
    rng = np.random.default_rng(0)
    q, k, v = (rng.normal(size=(MAX_N, MAX_D)).astype(np.float32) for _ in "qkv")
    largest = trace_attention(q, k, v, block_q=5, block_k=4)
    return [
        Case("default run", encode(usual), 16.7),
        Case(f"largest run, {MAX_N} × {MAX_N}, d = {MAX_D}", encode(largest), 33.0),
    ]


def busy_s(session: CDPSession) -> float:
    """Return the processor time that the page's main thread has spent on tasks, in seconds."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return float(next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration"))


def p95_of(values: Sequence[float]) -> float:
    """Return the 95th percentile, as one of the values."""
    return sorted(values)[int(0.95 * (len(values) - 1))]


def described(values: Sequence[float]) -> str:
    """Return the median and the 95th percentile in words."""
    return f"median {statistics.median(values):5.1f} ms   p95 {p95_of(values):5.1f} ms"


def pressed(page: Page, recorder: Recorder, press: Callable[[], None]) -> list[Latency]:
    """Press again and again, each time on a page at rest, and return how long each took to the screen."""
    recorder.start()
    for _ in range(PRESSES):
        press()
        page.evaluate(AT_REST)
    return recorder.stop(page)


def scrubbing(page: Page) -> Callable[[], None]:
    """Return a press on the slider of the stage, each time at another place."""
    slider = page.locator(".transport input[type=range]")
    rng = np.random.default_rng(2)

    def press() -> None:
        box = slider.bounding_box()
        if box is None:
            raise RuntimeError("the slider is not on the page")
        across = box["x"] + box["width"] * float(rng.uniform(0.02, 0.98))
        page.mouse.click(across, box["y"] + box["height"] / 2)

    return press


def measure_bare(page: Page, recorder: Recorder) -> None:
    """Measure the bare page: what no page on this machine can be faster than."""
    page.evaluate(BARE)
    print("bare page, one element that changes: the floor of what follows")
    for name, press in (
        ("key", lambda: page.keyboard.press("ArrowRight")),
        ("press", lambda: page.mouse.click(100, 100)),
    ):
        print(f"  {name:14} to the screen {on_screen(pressed(page, recorder, press))}")


def on_screen(taken: Sequence[Latency]) -> str:
    """Return how long inputs took to the screen, in words."""
    waited = statistics.median(latency.waited_ms for latency in taken)
    totals = [latency.total_ms for latency in taken]
    return f"{described(totals)}   of it waiting for the display {waited:.1f} ms   ({len(taken)} inputs)"


def measure(page: Page, recorder: Recorder, case: Case) -> bool:
    """Measure one case, print it and say whether it keeps to its target."""
    steps = len(case.data["trace"]["steps"])
    mounting = page.evaluate(MOUNT, [STAGE_JS, STAGE_CSS, {**case.data, "step": 0, "address": False}])
    page.wait_for_timeout(500)
    size = len(json.dumps(case.data))
    print(f"{case.name}: {steps} steps, {size:,} bytes of JSON, mounted in {mounting:.0f} ms")
    rng = np.random.default_rng(1)
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    inputs: dict[str, list[Any]] = {
        "no input": [None] * 100,
        "next step": ["ArrowRight"] * min(200, steps - 1),
        "previous step": ["ArrowLeft"] * min(200, steps - 1),
        "scrub": [int(index) for index in rng.integers(0, steps, 200)],
    }
    kept = True
    for name, given in inputs.items():
        before = busy_s(session)
        times = page.evaluate(MEASURE, [given])
        busy_ms = 1000 * (busy_s(session) - before) / len(times)
        line = f"  {name:14} in the page   {described(times)}   worst {max(times):5.1f} ms"
        if given[0] is not None:
            good = p95_of(times) <= case.target_ms
            kept &= good
            line += f"   target p95 ≤ {case.target_ms} ms   {'kept' if good else 'MISSED'}"
        print(f"{line}   busy {busy_ms:.1f} ms")
    page.evaluate(MEASURE, [[0]])
    presses: dict[str, Callable[[], None]] = {
        "next step": lambda: page.keyboard.press("ArrowRight"),
        "previous step": lambda: page.keyboard.press("ArrowLeft"),
        "scrub": scrubbing(page),
    }
    for name, press in presses.items():
        print(f"  {name:14} to the screen {on_screen(pressed(page, recorder, press))}")
    return kept & measure_playing(page, session)


def measure_playing(page: Page, session: CDPSession) -> bool:
    """Play at the fastest speed, print it and say whether it is fluid."""
    before = busy_s(session)
    played = page.evaluate(PLAY, [PLAY_SECONDS])
    share = (busy_s(session) - before) / PLAY_SECONDS
    fluid = bool(played["fps"] >= TARGET_FPS)
    print(
        f"  {'playing':14} {played['fps']:.1f} frames a second, {played['steps']:.1f} steps a second, "
        f"frame p95 {played['p95']:.1f} ms   target {TARGET_FPS:g} frames a second   "
        f"{'kept' if fluid else 'MISSED'}   main thread busy {share:.0%}"
    )
    return fluid


def new_page(browser: Browser) -> Page:
    """Return an empty page of a usual size."""
    return browser.new_page(viewport={"width": 1440, "height": 900})


def main() -> int:
    """Measure every case."""
    path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    print(f"load of this machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        recorder = Recorder(browser)
        measure_bare(new_page(browser), recorder)
        kept = [measure(new_page(browser), recorder, case) for case in cases()]
        browser.close()
    print(f"load of this machine after: {os.getloadavg()[0]:.1f}")
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
