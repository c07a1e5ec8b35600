"""How fast the calculator answers: from a key press to the new number on screen, and the server's time.

Serves the app, and a bare Streamlit page with one slider, both configured as the app is; drives both with
one browser on the same machine. Streamlit's garbage collection after each run is off in both: it costs the
bare page several times its own work, and would hide ours. Run ``python -m bench.calculator_latency`` on a
machine that does nothing else.

Targets: a change is on screen within 150 ms (95th percentile), and costs the server no more than 3 times the
bare page's time.
"""

import argparse
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.browser.conftest import ARGUMENTS
from tests.ensure_chromium import find_chromium

ROOT = Path(__file__).resolve().parents[1]
TARGET_MS, TARGET_RATIO = 150.0, 3.0
BARE = "import streamlit as st\n\nst.write(st.slider('x', 0, 100, 50))\n"
# The part, and a text that is on screen once a typed number of keys has arrived, with the number in it.
PARTS = {
    "Storage": ("calc_n_k", lambda n: f"{4096 * n * 2:,} bytes"),
    "Traffic": ("calc_n_k", lambda n: f"4,096 + {n:,}"),
    "Fit": ("calc_n_q", lambda n: f"{64 * n + n * n:,}"),
    "Roofline": ("calc_n_k", lambda n: f"{4 * 4096 * n * 64:,}"),
}
LABEL = {"calc_n_k": "Keys, T_key", "calc_n_q": "Queries, T_query"}

# Resolves with the time, in the page's own clock, from Enter to the frame in which the text is painted.
WAIT = """(text) => new Promise(done => {
  // The results stand in a shadow root of their own.
  const hosts = [...document.querySelectorAll('[data-testid="stBidiComponentIsolated"]')];
  const main = hosts.map((host) => host.shadowRoot.querySelector(".sheet-host")).find(Boolean);
  const seen = () => main.innerText.includes(text);
  const start = performance.now();
  const look = () => seen() ? requestAnimationFrame(() => done(performance.now() - start)) : 0;
  const watcher = new MutationObserver(() => { if (seen()) { watcher.disconnect(); look(); } });
  watcher.observe(main, { subtree: true, childList: true, characterData: true });
  setTimeout(() => done(-1), 20000);
})"""


def free_port() -> int:
    """Return a TCP port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def serving(script: Path, *options: str) -> Iterator[tuple[str, int]]:
    """Serve a script from the app's folder, so with its settings; give its address and process."""
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", str(script), "--server.port", str(port)]
    command += ["--server.address", "127.0.0.1", *options]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"{url}/_stcore/health", timeout=1).close()
                break
            except OSError:
                time.sleep(0.1)
        yield url, process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)


def cpu_ms(pid: int) -> float:
    """Return the processor time of a process so far. Linux only: the kernel counts in ticks."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def server_ms(pid: int, change: Callable[[int], object], times: int) -> float:
    """Return the server's mean processor time of one change."""
    before = cpu_ms(pid)
    for turn in range(times):
        change(turn)
    return (cpu_ms(pid) - before) / times


def bare_ms(page: Page, url: str, pid: int, times: int) -> float:
    """Return the server's time of one move of the bare page's slider."""
    page.goto(url)
    slider = page.get_by_role("slider")
    slider.wait_for()
    slider.focus()

    def move(turn: int) -> None:
        page.keyboard.press("ArrowRight" if turn % 40 < 20 else "ArrowLeft")
        page.wait_for_timeout(250)

    for turn in range(5):
        move(turn)
    return server_ms(pid, move, times)


def part_figures(page: Page, url: str, pid: int, part: str, times: int) -> tuple[list[float], float]:
    """Return each change's milliseconds to the screen, and the server's mean time of one."""
    key, expected = PARTS[part]
    page.goto(f"{url}/calculator?calc_part={part}&calc_formulas=true")
    field = page.get_by_role("textbox", name=LABEL[key])
    field.wait_for()
    page.wait_for_timeout(1500)
    taken: list[float] = []

    def change(turn: int) -> None:
        value = 5000 + 128 * turn
        field.fill(str(value))
        watched = page.evaluate_handle(f"window.watched = ({WAIT})({expected(value)!r}), 0")
        page.keyboard.press("Enter")
        taken.append(page.evaluate("window.watched"))
        watched.dispose()
        page.wait_for_timeout(250)

    for turn in range(5):
        change(turn)
    taken.clear()
    cost = server_ms(pid, lambda turn: change(turn + 5), times)
    if min(taken) < 0:
        raise RuntimeError(f"{part}: a change did not reach the screen within 20 s")
    return taken, cost


def main() -> int:
    """Measure, print each figure beside its target, and return 0 if all are met."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=60, help="changes a part (default 60)")
    times = parser.parse_args().times
    met = True
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=find_chromium(), headless=True, args=ARGUMENTS)
        bare = Path(folder) / "bare.py"
        bare.write_text(BARE, encoding="utf-8")
        quiet = ("--runner.postScriptGC", "false")
        with (
            serving(bare, *quiet) as (bare_url, bare_pid),
            serving(ROOT / "app.py", *quiet) as (url, pid),
        ):
            page = browser.new_page()
            floor = bare_ms(page, bare_url, bare_pid, times)
            print(f"bare page, one slider      server {floor:6.1f} ms")
            for part in PARTS:
                taken, cost = part_figures(page, url, pid, part, times)
                p95 = statistics.quantiles(taken, n=20)[-1]
                fine = p95 <= TARGET_MS and cost <= TARGET_RATIO * floor
                met &= fine
                print(
                    f"{part:10} screen p50 {statistics.median(taken):6.1f} ms, p95 {p95:6.1f} ms (target "
                    f"{TARGET_MS:.0f}); server {cost:6.1f} ms = {cost / floor:.2f} x bare (target "
                    f"{TARGET_RATIO:.0f})  {'met' if fine else 'MISSED'}"
                )
            again = bare_ms(page, bare_url, bare_pid, times)
            print(f"bare page again            server {again:6.1f} ms")
        browser.close()
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
