"""The lecturer's page, run by Streamlit's own test runner against a real database."""

import asyncio
from collections.abc import Iterator
from html import escape
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from classroom.service import COUNTS_S, Classroom
from classroom.shared import close_classroom, shared_classroom
from lesson.quiz import bank, make
from tests.conftest import ROOT
from tests.loops import finish
from tests.parts import part_data, parts_of

SINGLE = next(entry for entry in bank() if entry.kind == "single")
NUMBER = next(entry for entry in bank() if entry.kind == "number")


@pytest.fixture
def classroom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Classroom]:
    """The process's own classroom, in an empty folder."""
    close_classroom()
    monkeypatch.setenv("TILEWISE_DATA", str(tmp_path))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    yield shared_classroom()
    close_classroom()


def visit(*, coming_back: bool = False) -> AppTest:
    """Return the page as a new visitor sees it, or with the way back into a room opened."""
    at = AppTest.from_file(str(ROOT / "home.py"), default_timeout=60)
    at.switch_page("pages/classroom.py")
    run(at)
    assert not at.text_input
    if coming_back:
        at.session_state["room_back"] = True
        run(at)
    return at


def run(at: AppTest) -> AppTest:
    """Run the page; what it draws must be no error."""
    at.run()
    assert not at.exception
    return at


def press(at: AppTest, label: str) -> AppTest:
    """Press the one button with a label."""
    (button,) = [each for each in at.button if each.label == label]
    button.click()
    return run(at)


def labels(at: AppTest) -> set[str]:
    """Return what can be pressed."""
    return {each.label for each in at.button}


def html(at: AppTest) -> str:
    """Return everything drawn as HTML, without the styles."""
    return "\n".join(
        body for element in at.get("html") if not (body := element.proto.body).startswith("<style")
    )


def room_of(at: AppTest) -> int:
    """Return the room that a session leads."""
    return int(at.session_state["room_id"])


def new_key(at: AppTest) -> str:
    """Return the key that a new room's lecturer may copy."""
    return str(part_data(at, "room_new_key")["key"])


def everything(at: AppTest) -> str:
    """Return every text of the page that stands there without a press."""
    texts = [each.value for kind in ("markdown", "caption", "code") for each in getattr(at, kind)]
    return "\n".join([html(at), *map(str, texts)])


def vote(classroom: Classroom, room_id: int, choices: list[str]) -> None:
    """Have one phone for each choice join and vote on what is open."""
    room = classroom.view(room_id).room

    async def all_of_them() -> None:
        for number, choice in enumerate(choices):
            person = await classroom.join(room, f"phone {number}")
            await classroom.vote(
                room,
                person,
                ask_id=room.standing.ask or 0,
                round_=room.standing.round,
                answer={"choice": choice},
                sequence=1,
            )

    finish(all_of_them())


def test_the_key_is_given_once_never_stands_open_and_opens_the_room_elsewhere(classroom: Classroom) -> None:
    at = press(visit(), "Open a room")
    frame = part_data(at, "sidebar")
    assert (frame["heading"], frame["way"]) == (False, False)
    key = new_key(at)
    assert len(key) >= 22
    code = classroom.view(room_of(at)).room.code
    assert code in html(at)
    # The page is on the wall.
    assert key not in everything(at)
    assert f"Lecturer key: {key}" in part_data(at, "room_new_key")["text"]
    press(at, "I have kept it")
    assert not parts_of(at, "room_new_key") and not parts_of(run(at), "room_new_key")

    other = visit(coming_back=True)
    other.text_input(key="room_code_typed").set_value(code.lower())
    other.text_input(key="room_key_typed").set_value(key[:-1])
    press(other, "Enter")
    assert "room_id" not in other.session_state
    assert [each.value for each in other.info] == ["no room has this code and this lecturer key"]
    other.text_input(key="room_key_typed").set_value(key)
    press(other, "Enter")
    assert room_of(other) == room_of(at)
    assert not parts_of(other, "room_new_key")


def test_the_list_says_what_it_offers_and_what_to_do_and_opens_when_all_is_asked(
    classroom: Classroom,
) -> None:
    at = press(visit(), "Open a room")
    picker = at.multiselect(key="room_add")
    assert all(": " in option for option in picker.options)
    assert picker.proto.placeholder == "Choose questions, or type a word of one"
    press(at, "Add to the list")
    assert [each.value for each in at.warning] == ["Choose a question first, then add it."]
    at.multiselect(key="room_add").set_value([SINGLE.id])
    press(at, "Add to the list")
    assert not at.warning
    press(press(press(at, f"Ask: {SINGLE.title}"), "Close the vote"), "Reveal the answer")
    assert not at.expander[0].proto.expanded
    press(at, "Add or ask another")
    assert at.expander[0].proto.expanded


def test_a_question_from_the_list_to_the_second_reveal(classroom: Classroom) -> None:
    at = press(visit(), "Open a room")
    room_id = room_of(at)
    at.multiselect(key="room_add").set_value([SINGLE.id, NUMBER.id])
    press(at, "Add to the list")
    assert [ask.question for ask in classroom.view(room_id).asks] == [SINGLE.id, NUMBER.id]
    press(at, f"Ask: {SINGLE.title}")
    first = classroom.view(room_id).asks[0]
    asked = make(first.question, first.seed)
    right, wrong = asked.right_ids[0], next(o.id for o in asked.options if not o.right)
    vote(classroom, room_id, [wrong, wrong, right])
    finish(asyncio.sleep(COUNTS_S))
    run(at)
    assert '<span class="number">3</span> <span class="of">of 3 answered' in html(at)
    for hidden in ('class="bars"', "twr-key", asked.why):
        assert hidden not in html(at)
    press(at, "Close the vote")
    assert 'class="bars"' not in html(at), "the distribution waits until it is asked for"
    press(at, "Undo the close")
    press(at, "Close the vote")
    press(at, "Show what they answered")
    assert "2 · 67 %" in html(at)
    assert "✓" not in html(at) and 'class="right"' not in html(at) and asked.why not in html(at)
    press(at, "Let them discuss")
    press(at, "Open the second vote")
    vote(classroom, room_id, [right, wrong, right])
    press(at, "Close the vote")
    assert 'class="bars"' not in html(at), "the second vote waits as the first did"
    press(at, "Reveal the answer")
    assert html(at).count(escape(asked.options[0].text)) == 1 + asked.options[0].right, "options stand once"
    assert f'<li class="right"><i>{right}</i>' in html(at)
    assert "33 % right, then 67 %" in html(at)
    assert "twr-key" in html(at)
    assert "Open the second vote" not in labels(at)
    press(at, f"Next: {NUMBER.title}")
    assert classroom.view(room_id).current == classroom.view(room_id).asks[1]


def test_a_second_window_follows_and_a_late_click_changes_nothing(classroom: Classroom) -> None:
    one = press(visit(), "Open a room")
    key = new_key(one)
    room = classroom.view(room_of(one)).room
    classroom.add_ask(room.id, SINGLE.id)
    two = visit(coming_back=True)
    two.text_input(key="room_code_typed").set_value(room.code)
    two.text_input(key="room_key_typed").set_value(key)
    press(two, "Enter")
    run(one)
    press(one, f"Ask: {SINGLE.title}")
    press(two, f"Ask: {SINGLE.title}")
    assert classroom.view(room.id).room.standing.phase == "open"
    assert "Close the vote" in labels(two)


def test_deleting_needs_two_presses_and_leaves_nothing(classroom: Classroom) -> None:
    at = press(visit(), "Open a room")
    press(at, "Yes, delete it all")
    assert [each.value for each in at.info] == ["The room and all its votes are deleted."]
    assert "Open a room" in labels(at)
    assert (
        classroom._database.read(
            lambda connection: connection.exec_driver_sql("SELECT count(*) FROM room").scalar()
        )
        == 0
    )
    assert "room_id" not in at.session_state
