"""What the routes refuse: foreign keys and cookies, guessed codes, other sites, and what is no vote."""

import asyncio
import json

import pytest

from bench.room_client import Phone
from classroom.codes import sign_token
from classroom.http import BODY_BYTES
from classroom.limits import WRONG_CODES
from classroom.service import COUNTS_S
from tests.classroom.rooms import OF_KIND, SINGLE, room_with, run
from tests.classroom.serving import Bare


def test_a_phone_can_do_nothing_that_needs_the_lecturers_key(served: Bare) -> None:
    async def work() -> None:
        lecturer, asks, (phone,) = await room_with(served.url, SINGLE)
        before = await lecturer.view()
        for method, path, body in (
            ("GET", "lecturer", None),
            ("POST", "lecturer", {"action": "open", "ask": asks[0]}),
            ("GET", "votes.csv", None),
            ("PUT", "key", {}),
            ("DELETE", "", None),
        ):
            token = phone.cookie.split("=", 1)[1]
            for header in (
                "",
                f"Bearer {token}",
                "Bearer ",
                f"Basic {lecturer.key}",
                f"Bearer {lecturer.key}x",
            ):
                sent = {"Authorization": header} if header else {}
                answer = await phone.ask(method, f"{lecturer.code}/{path}".rstrip("/"), body, **sent)
                assert answer.status == 401, (method, path, header)
            # In the address the key opens nothing.
            address = f"{lecturer.code}/{path}".rstrip("/") + f"?key={lecturer.key}"
            assert (await phone.ask(method, address, body)).status == 401
        # The cookie that finds the lecturer's room again is no key to any route.
        kept = await lecturer.ask("PUT", "/key")
        assert kept.status == 204
        assert (
            "HttpOnly" in kept.headers["set-cookie"]
            and "samesite=strict" in kept.headers["set-cookie"].lower()
        )
        phone.cookie = kept.headers["set-cookie"].split(";")[0]
        assert (await phone.ask("GET", f"{lecturer.code}/lecturer")).status == 401
        assert await lecturer.view() == before

    run(work)


def test_one_rooms_key_is_none_to_another(served: Bare) -> None:
    async def work() -> None:
        one, _, _ = await room_with(served.url, SINGLE)
        two, _, _ = await room_with(served.url, SINGLE)
        one.key = two.key
        assert (await one.ask("GET", "/lecturer")).status == 401
        assert (await one.ask("DELETE", "")).status == 401
        assert (await two.ask("DELETE", "")).status == 204
        assert (await two.ask("GET", "/lecturer")).status == 401

    run(work)


def test_a_phones_cookie_is_ours_and_out_of_reach(served: Bare) -> None:
    async def work() -> None:
        lecturer, _, (phone,) = await room_with(served.url, SINGLE)
        fresh = await Phone(served.url, lecturer.code).ask("GET", lecturer.code)
        cookie = fresh.headers["set-cookie"].lower()
        assert fresh.headers["cache-control"].startswith("private")
        assert "httponly" in cookie and "samesite=lax" in cookie and "path=/room" in cookie
        stranger = Phone(served.url, lecturer.code)
        for forged in (
            "",
            "tilewise_phone=",
            "tilewise_phone=me.me",
            f"tilewise_phone={sign_token('guess')}",
        ):
            stranger.cookie = forged
            assert (await stranger.look()).json()["error"] == "not_joined"
        token, _, signature = phone.cookie.split("=", 1)[1].partition(".")
        stranger.cookie = f"tilewise_phone={token[::-1]}.{signature}"
        assert (await stranger.look()).status == 403

    run(work)


def test_twenty_wrong_codes_stop_one_client_and_nobody_else_behind_its_address(served: Bare) -> None:
    async def work() -> None:
        lecturer, _, (inside,) = await room_with(served.url, SINGLE)
        guesser = Phone(served.url, "AAAAAA")
        await guesser.load()
        seen = [(await guesser.join()).status for _ in range(WRONG_CODES)]
        assert seen == [404] * (WRONG_CODES - 1) + [429]
        # The right code is no longer told from a wrong one, by any route.
        guesser.code = lecturer.code
        for answer in (await guesser.join(), await guesser.look()):
            assert (answer.status, answer.json()["error"]) == (429, "too_often")
        # Forty more behind the same address join with the right code, and one mistypes it first.
        for number in range(40):
            phone = Phone(served.url, "BBBBBB" if number == 0 else lecturer.code)
            await phone.ask("GET", phone.code)
            if number == 0:
                assert (await phone.join()).status == 404
                phone.code = lecturer.code
            assert (await phone.join()).status == 200
        assert (await inside.look()).status == 304

    run(work)


@pytest.mark.parametrize(
    ("body", "status", "error"),
    [
        (b"", 400, "malformed"),
        (b"{", 400, "malformed"),
        (b"[]", 400, "malformed"),
        (b"[" * 2000, 400, "malformed"),
        (b'{"answer": 1, "ask": 1, "round": 1, "sequence": 1}', 400, "malformed"),
        (b"x" * (BODY_BYTES + 1), 413, "too_long"),
    ],
)
def test_a_malformed_vote_is_refused(served: Bare, body: bytes, status: int, error: str) -> None:
    async def work() -> None:
        lecturer, asks, (phone,) = await room_with(served.url, SINGLE)
        await lecturer.act("open", ask=asks[0])
        answer = await phone.ask("POST", f"{lecturer.code}/vote", body)
        assert (answer.status, answer.json()["error"]) == (status, error)

    run(work)


def test_votes_that_are_no_answer_are_refused_and_nothing_is_injected(served: Bare) -> None:
    async def work() -> None:
        lecturer, asks, (phone,) = await room_with(served.url, SINGLE, OF_KIND["number"])
        await lecturer.act("open", ask=asks[0])
        await phone.look()
        nasty = "'; DROP TABLE vote; --<script>alert(1)</script>\u0000\ud800"
        for answer in (
            {"choice": nasty},
            {"choice": ["a"]},
            {"choice": "a", "more": 1},
            {"number": "1"},
            {"choice": None},
            {},
        ):
            assert (await phone.vote(answer)).status == 400, answer
        for name, value in (
            ("ask", "1"),
            ("ask", True),
            ("ask", 2**70),
            ("round", 0),
            ("round", 3),
            ("sequence", 0),
            ("sequence", 1.5),
            ("sequence", 2**53),
        ):
            refused = await phone.vote({"choice": "a"}, **{name: value})
            assert (refused.status, refused.json()["error"]) == (400, "malformed"), (name, value)
        assert (await phone.vote({"number": "1"}, ask=asks[1])).json()["error"] == "not_open"
        assert (await phone.vote({"choice": "a"}, round=2)).json()["error"] == "not_open"
        added = await lecturer.ask("POST", "/lecturer", {"action": "add", "question": nasty})
        assert added.status == 400
        await lecturer.act("close")
        await lecturer.act("open", ask=asks[1])
        await phone.look()
        assert (await phone.vote({"number": "=1+1"})).status == 400
        assert (await phone.vote({"number": "-5"})).status == 200
        await asyncio.sleep(COUNTS_S)
        assert (await lecturer.view())["voted"] == 1

    run(work)


def test_another_sites_page_changes_nothing(served: Bare) -> None:
    async def work() -> None:
        lecturer, asks, (phone,) = await room_with(served.url, SINGLE)
        await lecturer.act("open", ask=asks[0])
        await phone.look()
        vote = {"ask": asks[0], "round": 1, "answer": {"choice": "a"}, "sequence": 1}
        path = f"{lecturer.code}/vote"
        for headers in (
            {"Origin": "http://evil.example"},
            {"Origin": "null"},
            {"Origin": f"http://127.0.0.1:{served.port + 1}"},
            {"Sec_Fetch_Site": "cross-site"},
        ):
            refused = await phone.ask("POST", path, vote, **headers)
            assert (refused.status, refused.json()["error"]) == (403, "other_site")
        simple = await phone.ask("POST", path, json.dumps(vote).encode(), Content_Type="text/plain")
        assert simple.status == 400
        assert (await phone.ask("POST", path, vote, Origin=served.url)).status == 200

    run(work)
