"""The routes over real sockets, on both databases: a room's course, and what no phone may learn too early."""

import asyncio
import csv
import io
import json
import re
from typing import Any

import pytest

from bench.room_client import Answer, Phone
from classroom.service import COUNTS_S
from lesson.quiz import Question, make
from tests.classroom.rooms import OF_KIND, SEED, SINGLE, room_with, run
from tests.classroom.serving import Bare


def test_a_room_from_the_lobby_to_the_second_reveal(served: Bare) -> None:
    async def work() -> None:
        lecturer, asks, phones = await room_with(served.url, SINGLE, people=3)
        first, second, late = phones[0], phones[1], Phone(served.url, lecturer.code.lower())
        assert first.shown["phase"] == "lobby"
        await lecturer.act("open", ask=asks[0])
        assert (await first.look()).status == 200
        assert (await first.look()).status == 304
        assert (await late.join()).status == 200, "who comes late joins into the open question"
        assert late.shown["question"]["prompt"] == make(SINGLE, SEED).prompt
        assert (await second.look()).status == 200
        right = make(SINGLE, SEED).right_answer()
        wrong = {"choice": next(o.id for o in make(SINGLE, SEED).options if not o.right)}
        for phone, answer in ((first, wrong), (second, right), (late, wrong)):
            saved = await phone.vote(answer)
            assert (saved.status, saved.json()["saved"]) == (200, True)
        await asyncio.sleep(COUNTS_S)
        view = await lecturer.view()
        assert (view["joined"], view["voted"]) == (4, 3)
        assert "results" not in view, "not even the lecturer sees answers while the vote is open"
        await lecturer.act("close")
        assert (await first.vote(right)).json()["error"] == "not_open"
        await lecturer.act("undo_close")
        assert (await first.vote(right)).status == 200
        await lecturer.act("close")
        await lecturer.act("discuss")
        await lecturer.act("second")
        await first.look()
        assert (first.shown["round"], first.shown["mine"]) == (2, None)
        await first.vote(right, sequence=1)
        await lecturer.act("close")
        told = (await lecturer.act("reveal"))["results"]
        assert told["totals"] == [3, 1]
        assert told["right"] == [2, 1]
        await first.look()
        assert [verdict["right"] for verdict in first.shown["verdicts"]] == [True, True]
        assert first.shown["results"]["totals"] == [3, 1]
        assert [line["counts"] for line in first.shown["results"]["lines"]] == [
            line["counts"] for line in told["lines"]
        ]

    run(work)


def test_eighty_phones_join_and_vote_at_once_and_every_vote_counts(served: Bare) -> None:
    async def work() -> None:
        lecturer, asks, _ = await room_with(served.url, SINGLE, people=0)
        await lecturer.act("open", ask=asks[0])
        phones = [Phone(served.url, lecturer.code) for _ in range(80)]
        await asyncio.gather(*(phone.ask("GET", lecturer.code) for phone in phones))
        assert {answer.status for answer in await asyncio.gather(*(phone.join() for phone in phones))} == {
            200
        }
        choices = ["ab"[number % 4 == 0] for number in range(80)]
        votes = [phone.vote({"choice": choice}) for phone, choice in zip(phones, choices, strict=True)]
        # Each sends its vote once more, as a phone does that heard no answer.
        votes += [
            phone.vote({"choice": choice}, sequence=1) for phone, choice in zip(phones, choices, strict=True)
        ]
        for start in range(0, len(votes), 80):
            assert {each.status for each in await asyncio.gather(*votes[start : start + 80])} == {200}
        told = await lecturer.act("close")
        assert (told["joined"], told["voted"]) == (80, 80)
        counts = {line["label"]: line["counts"] for line in told["results"]["lines"]}
        assert (counts["a"], counts["b"]) == ([60], [20])

    run(work)


def test_a_reloaded_phone_is_the_same_person_with_its_own_answer(served: Bare) -> None:
    async def work() -> None:
        lecturer, asks, (phone,) = await room_with(served.url, SINGLE)
        await lecturer.act("open", ask=asks[0])
        await phone.look()
        await phone.vote({"choice": "b"})
        again = Phone(served.url, lecturer.code)
        again.cookie = phone.cookie
        assert (await again.join()).json()["mine"] == {"answer": {"choice": "b"}, "sequence": 1}
        assert (await lecturer.view())["joined"] == 1

    run(work)


def harmless(asked: Question) -> dict[str, Any]:
    """Return an answer that does not contain the key's own words."""
    if asked.kind == "number":
        return {"number": "1"}
    ids = [option.id for option in asked.options]
    if asked.kind == "order":
        return {"order": ids}
    return {"choices": [ids[0]]} if asked.kind == "several" else {"choice": ids[0]}


@pytest.mark.parametrize("kind", sorted(OF_KIND))
def test_no_byte_before_the_reveal_holds_a_count_or_the_key(served: Bare, kind: str) -> None:
    """Every answer that a phone gets is read, headers and all; the reveal then does tell both."""

    async def work() -> None:
        lecturer, asks, phones = await room_with(served.url, OF_KIND[kind], people=2)
        asked = make(OF_KIND[kind], SEED)
        received: list[Answer] = []

        async def look_around() -> None:
            for phone in phones:
                phone.tag = ""
                received.append(await phone.ask("GET", lecturer.code))
                received.append(await phone.join())
                phone.tag = ""
                received.append(await phone.look())
                received.append(await phone.vote(harmless(asked), sequence=1))
                received.append(await phone.vote({"choice": "nothing"}))

        await look_around()
        await lecturer.act("open", ask=asks[0])
        await look_around()
        for action in ("close", "discuss", "second", "close"):
            await lecturer.act(action)
            await look_around()
        key = asked.key()
        secrets = [
            key["why"],
            *key.get("reasons", {}).values(),
            *(w["reason"] for w in key.get("wrongs", [])),
        ]
        public = json.dumps(asked.public(), ensure_ascii=False)
        names = ("results", "verdicts", "totals", "right", "key", "why", "reasons", "wrongs", "seed", "voted")
        for answer in received:
            text = answer.body.decode() + str(answer.headers)
            for secret in secrets:
                assert secret not in text or secret in public
            if asked.number is not None:
                number = rf"(?<![\w.,]){re.escape(asked.number.text)}(?![\w.,])"
                assert not re.search(number, answer.body.decode())
            if answer.headers.get("content-type") == "application/json":
                assert not set(names) & set(all_names(answer.json()))
        assert {answer.status for answer in received} == {200, 400}
        await lecturer.act("reveal")
        await phones[0].look()
        assert phones[0].shown["results"]["why"] == key["why"]
        assert sum(phones[0].shown["results"]["totals"]) == 4

    run(work)


def all_names(value: Any) -> list[str]:
    """Return every name in a JSON value, however deep."""
    if isinstance(value, dict):
        return [*value, *(name for each in value.values() for name in all_names(each))]
    return [name for each in value for name in all_names(each)] if isinstance(value, list) else []


def test_the_table_of_votes_agrees_with_the_screen_and_holds_no_formula(served: Bare) -> None:
    async def work() -> None:
        number = OF_KIND["number"]
        lecturer, asks, phones = await room_with(served.url, number, SINGLE, people=3)
        await lecturer.act("open", ask=asks[0])
        for phone, typed in zip(
            phones, ("-5", "7", make(number, SEED).right_answer()["number"]), strict=True
        ):
            await phone.look()
            assert (await phone.vote({"number": typed})).status == 200
        await lecturer.act("close")
        await lecturer.act("second")
        await phones[0].look()
        await phones[0].vote({"number": "7"})
        await lecturer.act("close")
        view = await lecturer.act("reveal")
        answer = await lecturer.ask("GET", "/votes.csv")
        assert answer.headers["content-type"].startswith("text/csv")
        assert answer.headers["content-disposition"].startswith("attachment")
        text = answer.body.decode()
        assert text.startswith("\ufeff")
        rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
        by_round = [sum(row["round"] == each for row in rows) for each in "12"]
        right = [sum(row["round"] == each and row["right"] == "yes" for row in rows) for each in "12"]
        assert (by_round, right) == (view["results"]["totals"], view["results"]["right"]) == ([3, 1], [1, 0])
        assert {row["answer"] for row in rows} >= {"-5", "7"}
        assert len({row["participant"] for row in rows}) == 3
        assert all(row["voted_at"].endswith("+00:00") for row in rows)

    run(work)


def test_a_deleted_room_is_gone_for_everybody(served: Bare) -> None:
    async def work() -> None:
        lecturer, _, (phone,) = await room_with(served.url, SINGLE)
        assert (await lecturer.ask("DELETE", "")).status == 204
        assert (await phone.look()).json()["error"] == "no_room"
        assert (await phone.join()).status == 404

    run(work)
