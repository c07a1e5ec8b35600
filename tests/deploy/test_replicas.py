"""A classroom over three replicas behind the shipped nginx configuration; one is killed in mid-lesson."""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from lesson.quiz import bank, make
from serving.affinity import COOKIE
from tests.browser.conftest import watch
from tests.deploy.replicas import COUNT, Hall, ask

PHONES = 45


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    """Everything, started once."""
    running = Hall(tmp_path_factory.mktemp("hall"))
    try:
        running.start()
        yield running
    finally:
        running.stop()


def replica_cookie(hall: Hall) -> str:
    """Return the cookie that a new browser is given."""
    return next(each for each in ask(hall.url, "/").cookies if each.startswith(COOKIE))


def test_browsers_are_spread_and_each_stays_where_it_is(hall: Hall) -> None:
    cookies = [replica_cookie(hall) for _ in range(30)]
    where = {cookie: hall.replica_of(cookie) for cookie in cookies}
    assert len(set(cookies)) == 30
    assert len(set(where.values())) == COUNT, Counter(where.values())
    for cookie in cookies[:6]:
        assert {hall.replica_of(cookie) for _ in range(3)} == {where[cookie]}


def test_what_is_closed_and_what_is_packed(hall: Hall) -> None:
    for path in ("/_stcore/metrics", "/_stcore/agent", "/_stcore/agent/x", "/a/../_stcore/metrics"):
        assert ask(hall.url, path).status == 404, path
    page = ask(hall.url, "/", Accept_Encoding="gzip")
    assert page.headers["content-encoding"] == "gzip" and "nginx/" not in page.headers["server"]
    assert page.headers["x-content-type-options"] == "nosniff"
    log = hall.proxy_log()
    assert "127.0.0.1 - -" not in log and "?" not in log.replace("\n", "")


class Vote:
    """A room with one open question, seen from its lecturer and from its phones."""

    def __init__(self, hall: Hall) -> None:
        room = ask(hall.url, "/room", method="POST", json_body={}).json()
        self.hall, self.code = hall, room["code"]
        self.key = {"Authorization": f"Bearer {room['key']}"}
        question = next(entry.id for entry in bank() if make(entry.id).kind == "single")
        told = self.act(action="add", question=question)
        self.number = told["asks"][0]["id"]
        assert self.act(action="open", ask=self.number, revision=told["revision"])["phase"] == "open"

    def act(self, **body: object) -> dict[str, Any]:
        """Do what the lecturer does."""
        path = f"/room/{self.code}/lecturer"
        return ask(self.hall.url, path, method="POST", json_body=body, **self.key).json()

    def look(self) -> dict[str, Any]:
        """Return what the lecturer sees."""
        return ask(self.hall.url, f"/room/{self.code}/lecturer", **self.key).json()

    def cast(self, place: int) -> tuple[str, str]:
        """Join, vote, and try again until the vote is confirmed, as the phone's page does."""
        cookies: list[str] = []
        room = f"/room/{self.code}"
        for _ in range(60):
            try:
                if not cookies:
                    cookies = ask(self.hall.url, room).cookies
                given = {"Cookie": "; ".join(cookies)}
                ask(self.hall.url, f"{room}/join", method="POST", json_body={}, **given)
                choice = "ab"[place % 2]
                vote = {"ask": self.number, "round": 1, "sequence": 1, "answer": {"choice": choice}}
                answer = ask(self.hall.url, f"{room}/vote", method="POST", json_body=vote, **given)
                if answer.status == 200 and answer.json()["saved"]:
                    return cookies[0], choice
            except OSError:
                continue
        raise AssertionError("this vote was never confirmed")


def test_a_killed_replica_loses_no_answer_and_learners_go_on(hall: Hall, browser: Browser) -> None:
    """Phones vote over all replicas, and a learner stands at a step, when one replica is killed."""
    vote = Vote(hall)
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    trouble = watch(page)
    page.goto(f"{hall.url}/step_through?step=17")
    stage = page.get_by_test_id("stage")
    expect(stage).to_have_attribute("data-step", "17")
    stage.get_by_role("button", name="Next step", exact=True).click()
    expect(stage).to_have_attribute("data-step", "18")
    cookie = next(each for each in context.cookies() if each["name"] == COOKIE)
    doomed = hall.replica_of(f"{COOKIE}={cookie['value']}")
    # One connection before, one after: the page comes back by itself.
    sockets: list[str] = []
    page.on("websocket", lambda socket: sockets.append(socket.url))

    with ThreadPoolExecutor(8) as phones:
        votes = [phones.submit(vote.cast, place) for place in range(PHONES)]
        votes[PHONES // 3].result()
        hall.kill(doomed)
        confirmed = [each.result() for each in votes]
    assert len({who for who, _ in confirmed}) == PHONES

    vote.act(action="close", revision=vote.look()["revision"])
    told = vote.look()
    counts = {line["label"].lower(): line["counts"][0] for line in told["results"]["lines"]}
    assert told["voted"] == PHONES
    assert {name: counts[name] for name in "ab"} == dict(Counter(choice for _, choice in confirmed))

    # The learner's page found another replica, and stands where it stood.
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-connection-state", "CONNECTED")
    expect(stage).to_have_attribute("data-step", "18")
    stage.get_by_role("button", name="Next step", exact=True).click()
    expect(stage).to_have_attribute("data-step", "19")
    assert sockets, "the page never connected again"
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator('[data-testid="stException"]')).to_have_count(0)
    assert hall.replica_of(f"{COOKIE}={cookie['value']}") != doomed
    assert trouble.outside(hall.url) == []
    context.close()
