"""How long an input takes until its frame is on the screen, read from Chromium's own trace.

Chromium reports each input event as `EventLatency`, from the event's own time to the presentation of the
frame that it changed, in stages. Two of the stages are nothing but waiting for the display's clock.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page

CATEGORIES = ("cc", "benchmark", "input")
WAITING = ("RendererMainFinishedToBeginImplFrame", "ReceiveCompositorFrameToStartDraw")
"""Stages in which the browser waits for the next beat of the display."""

PRESSES = ("KEY_PRESSED", "RAW_KEY_DOWN", "MOUSE_PRESSED")
"""The kinds of event that change a frame here; releasing a key changes none."""


@dataclass(frozen=True)
class Latency:
    """One input: event to screen, and what of it was waiting for the display's clock; in milliseconds."""

    total_ms: float
    waited_ms: float


class Recorder:
    """Records Chromium's trace of all pages of a browser between `start` and `stop`."""

    def __init__(self, browser: Browser) -> None:
        self._session: CDPSession = browser.new_browser_cdp_session()
        self._events: list[dict[str, Any]] = []
        self._complete = False
        self._session.on("Tracing.dataCollected", lambda told: self._events.extend(told["value"]))
        self._session.on("Tracing.tracingComplete", self._finish)

    def _finish(self, _told: object) -> None:
        self._complete = True

    def start(self) -> None:
        """Begin a new recording."""
        self._events.clear()
        self._complete = False
        config = {"includedCategories": list(CATEGORIES)}
        self._session.send("Tracing.start", {"traceConfig": config, "transferMode": "ReportEvents"})

    def stop(self, page: Page) -> list[Latency]:
        """End the recording and return the latency of each input that changed a frame."""
        self._session.send("Tracing.end")
        while not self._complete:
            page.wait_for_timeout(50)
        return latencies(self._events)


def latencies(events: Iterable[dict[str, Any]]) -> list[Latency]:
    """Return the latency of each press in a trace that reached the screen.

    Parameters
    ----------
    events : iterable of dict
        As Chromium's trace holds them, in order of time: `EventLatency` and its stages share an `id2`.
    """
    found: list[Latency] = []
    open_: dict[str, dict[str, Any]] = {}
    for event in sorted(
        (event for event in events if "id2" in event and event["ph"] in "be"), key=lambda event: event["ts"]
    ):
        key = f"{event['pid']}:{event['id2']}"
        name, time = event["name"], event["ts"]
        if name == "EventLatency" and event["ph"] == "b":
            told = event["args"].get("event_latency", {})
            kind = told.get("event_type")
            # An event that changed no frame ends without having been presented.
            if kind in PRESSES and "display_trace_id" in told:
                open_[key] = {"start": time, "waited": 0.0}
        elif key in open_ and name == "EventLatency":
            press = open_.pop(key)
            found.append(Latency((time - press["start"]) / 1000, press["waited"] / 1000))
        elif key in open_ and name in WAITING:
            open_[key]["waited"] += time if event["ph"] == "e" else -time
    return found
