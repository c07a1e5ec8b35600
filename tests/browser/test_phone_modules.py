"""The phone's pure modules: when it asks again, and a vote on its way."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

import ui.classroom
from ui.joiner import join_modules

FOLDER = Path(ui.classroom.__file__).parent
# Plays a ballot: `casts` are answers to cast one after the other, `replies` what the server answers in turn.
PLAY = """async ([source, casts, replies, mine]) => {
  const m = await import(`data:text/javascript,${encodeURIComponent(source)}`);
  const said = [], sent = [], waits = [];
  const ballot = m.createBallot({
    send: async (vote) => (sent.push(vote), await null, replies.shift()),
    show: (status, reason) => said.push(reason === undefined ? status : `${status}: ${reason}`),
    later: (ms, run) => (waits.push(ms), queueMicrotask(run)),
    stale: () => said.push("stale"),
    random: () => 0.5,
  });
  ballot.at(4, 1, mine);
  for (const answer of casts) ballot.cast(answer);
  await new Promise((done) => setTimeout(done, 20));
  return { said, sent, waits, pending: ballot.pending() };
}"""
DELAYS = """async ([source, name, cases]) => {
  const m = await import(`data:text/javascript,${encodeURIComponent(source)}`);
  return cases.map((given) => m[name](given));
}"""


@pytest.fixture(scope="module")
def evaluate(blank: Page) -> Callable[..., Any]:
    """A function that runs a script with a module's text in an empty page."""

    def run(script: str, module: str, *values: Any) -> Any:
        return blank.evaluate(script, [join_modules(FOLDER, module, export_names=True), *values])

    return run


def saved(sequence: int) -> dict[str, Any]:
    """Return the server's acknowledgement."""
    return {"status": 200, "body": {"saved": True, "sequence": sequence}}


A, B = {"choice": "a"}, {"choice": "b"}


def test_a_vote_is_tried_until_it_is_acknowledged(evaluate: Callable[..., Any]) -> None:
    broken = [{"status": status, "body": None} for status in (0, 503, 429, 500)]
    played = evaluate(PLAY, "phone_ballot.js", [A], [*broken, saved(1)], None)
    assert played["said"] == ["untouched", "sending", *["retrying"] * 4, "saved"]
    # Every try is the same vote, so the server can tell that it is one.
    assert played["sent"] == [{"ask": 4, "round": 1, "answer": A, "sequence": 1}] * 5
    assert played["waits"] == [500, 1000, 2000, 4000]
    assert not played["pending"]


def test_the_last_change_of_mind_is_sent_and_saved_is_said_of_it_alone(evaluate: Callable[..., Any]) -> None:
    played = evaluate(PLAY, "phone_ballot.js", [A, B, A, B], [saved(1), saved(4)], None)
    assert [vote["sequence"] for vote in played["sent"]] == [1, 4]
    assert played["sent"][-1]["answer"] == B
    assert played["said"] == ["untouched", "sending", "sending", "saved"]


def test_a_vote_goes_on_counting_from_what_stands(evaluate: Callable[..., Any]) -> None:
    played = evaluate(PLAY, "phone_ballot.js", [B], [saved(8)], {"answer": A, "sequence": 7})
    assert played["said"] == ["saved", "sending", "saved"]
    assert played["sent"][0]["sequence"] == 8


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ({"status": 409, "body": {"error": "not_open"}}, ["too_late", "stale"]),
        ({"status": 404, "body": {"error": "no_room"}}, ["too_late", "stale"]),
        ({"status": 400, "body": {"message": "why"}}, ["refused: why"]),
        ({"status": 413, "body": None}, ["refused: "]),
    ],
)
def test_what_can_never_be_saved_is_said_and_not_tried_again(
    evaluate: Callable[..., Any], reply: dict[str, Any], said: list[str]
) -> None:
    played = evaluate(PLAY, "phone_ballot.js", [A], [reply], None)
    assert played["said"] == ["untouched", "sending", *said]
    assert (len(played["sent"]), played["pending"]) == (1, False)


def test_a_phone_that_is_not_known_any_more_joins_and_tries_again(evaluate: Callable[..., Any]) -> None:
    played = evaluate(PLAY, "phone_ballot.js", [A], [{"status": 403, "body": None}, saved(1)], None)
    assert played["said"] == ["untouched", "sending", "retrying", "stale", "saved"]


def test_phones_ask_every_two_seconds_out_of_step_and_less_often_while_hidden(
    evaluate: Callable[..., Any],
) -> None:
    def delays(**given: Any) -> list[float]:
        cases = [{"hidden": False, "failures": 0, **given, "random": random} for random in (0, 0.5, 1)]
        return list(evaluate(DELAYS, "phone_timing.js", "pollDelay", cases))

    assert delays() == pytest.approx([1600, 2000, 2400])
    assert delays(hidden=True) == pytest.approx([12_000, 15_000, 18_000])
    assert delays(failures=9) == pytest.approx([3200, 4000, 4800])
