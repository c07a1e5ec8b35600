"""The pure parts: phases, codes, limits, results, the exported table, the lecturer's HTML."""

import itertools
import re

import pytest

from classroom.codes import ALPHABET, new_code, new_key, normal_code, read_cookie, sign_token
from classroom.errors import RoomError
from classroom.export import guarded
from classroom.limits import Limiter
from classroom.phases import ACTIONS, PHASES, Standing, allowed, follow
from classroom.results import answer_of, results_of
from lesson.quiz import bank, make
from ui.classroom import board

# Everything that may follow, written out: from, action, to. All other pairs are refused.
FOLLOWS = {
    ("lobby", "open"): "open",
    ("open", "close"): "closed",
    ("closed", "undo_close"): "open",
    ("closed", "discuss"): "discuss",
    ("closed", "reveal"): "revealed",
    ("closed", "second"): "open",
    ("closed", "open"): "open",
    ("discuss", "second"): "open",
    ("discuss", "reveal"): "revealed",
    ("discuss", "open"): "open",
    ("revealed", "second"): "open",
    ("revealed", "open"): "open",
}


@pytest.mark.parametrize(("phase", "action"), list(itertools.product(PHASES, ACTIONS)))
def test_what_may_follow_what(phase: str, action: str) -> None:
    now = Standing() if phase == "lobby" else Standing(phase, 5, 1)
    if (phase, action) not in FOLLOWS:
        assert not allowed(now, action)
        with pytest.raises(RoomError, match=f"{action} cannot follow while the room is {phase}"):
            follow(now, action, ask=6)
        return
    assert allowed(now, action)
    then = follow(now, action, ask=6)
    assert then.phase == FOLLOWS[phase, action]
    assert then.ask == (6 if action == "open" else 5)
    assert then.round == (2 if action == "second" else 1)


def test_a_third_vote_and_an_unknown_action_are_refused() -> None:
    with pytest.raises(RoomError, match="in round 2"):
        follow(Standing("closed", 5, 2), "second")
    with pytest.raises(RoomError, match="it can be open, close"):
        follow(Standing(), "explode")
    with pytest.raises(RoomError, match="open needs a question"):
        follow(Standing(), "open")


def test_going_back_to_a_question_shows_its_last_vote_closed() -> None:
    assert follow(Standing("revealed", 6, 1), "open", ask=5, rounds=2) == Standing("closed", 5, 2)


def test_codes_and_keys_are_made_at_random_and_typed_codes_are_forgiven() -> None:
    assert len({new_code() for _ in range(200)}) == 200
    assert len({new_key() for _ in range(200)}) == 200
    assert {sign for _ in range(400) for sign in new_code()} == set(ALPHABET)
    assert normal_code(" abc-23x ") == "ABC23X"
    for typed in ("", "ABC23", "ABC23XY", "ABC2OX", "ABC2!X", "ÄBC23X", "A" * 10_000):
        assert normal_code(typed) is None


def test_a_cookie_that_we_did_not_sign_is_none() -> None:
    cookie = sign_token("secret")
    assert read_cookie(cookie, "secret") == cookie.split(".")[0]
    for other in (cookie[:-1], cookie + "0", cookie.upper(), "x" + cookie, ".", "", "ä.ü"):
        assert read_cookie(other, "secret") is None
    assert read_cookie(cookie, "another secret") is None


def test_a_limit_is_one_clients_and_passes_with_its_window() -> None:
    now = [0.0]
    limiter = Limiter(3, 10, lambda: now[0])
    assert [limiter.count("a") for _ in range(4)] == [False, False, True, True]
    assert limiter.over("a") and not limiter.over("b")
    assert limiter.wait_s("a") == 11 and limiter.wait_s("b") == 0
    now[0] = 10.5
    assert not limiter.over("a")


@pytest.mark.parametrize(
    "cell",
    ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", " =1", "\u00a0=1", "|calc", "%x", "-inf", "-"],
)
def test_what_a_spreadsheet_would_run_gets_an_apostrophe(cell: str) -> None:
    assert guarded(cell) == f"'{cell}"


@pytest.mark.parametrize("cell", ["", "a+c", "c>a>b", "-5", "-5.5", "-1e-05", "33.5", "1 = 1", "Q, K and V"])
def test_harmless_cells_stay(cell: str) -> None:
    assert guarded(cell) == cell


@pytest.mark.parametrize("entry", bank(), ids=lambda entry: entry.id)
def test_results_of_every_question_count_every_vote_once(entry) -> None:  # type: ignore[no-untyped-def]
    asked = make(entry.id, 3)
    right = asked.canonical(asked.right_answer())
    assert asked.grade(answer_of(asked, right)).right
    if asked.kind == "number":
        wrong = asked.canonical({"number": str(round(2 * asked.number.value + 7))})
    elif asked.kind == "order":
        wrong = ">".join(reversed(right.split(">")))
    else:
        wrong = next(option.id for option in asked.options if not option.right)
    results = results_of(asked, [{right: 3, wrong: 5}, {right: 7}])
    assert (results.totals, results.right) == ((8, 7), (3, 7))
    shown = [sum(line.counts[n] for line in results.lines) + results.others[n] for n in (0, 1)]
    assert shown == [8, 7]
    assert [line.counts for line in results.lines if line.right] == [(3, 7)]


def test_many_different_numbers_leave_the_right_one_its_line() -> None:
    entry = next(entry for entry in bank() if entry.kind == "number")
    asked = make(entry.id, 3)
    votes = {asked.canonical({"number": str(10**9 + n)}): 2 for n in range(40)}
    results = results_of(asked, [votes])
    assert len(results.lines) == 8
    assert [line.counts for line in results.lines if line.right] == [(0,)]
    assert results.others == (80 - 14,)


KINDS = ("single", "several", "number", "order", "line", "frame")
NASTY = "<script>alert(1)</script>\"'&"


def test_no_text_reaches_the_lecturers_page_as_html() -> None:
    public = {
        "prompt": NASTY,
        "kind": "single",
        "code": NASTY,
        "options": [{"id": "a", "text": NASTY}],
        "table": {"caption": NASTY, "columns": [NASTY], "rows": [[NASTY]]},
    }
    votes = board.Distribution((board.Bar(NASTY, NASTY, True, (1,)),), (1,), (1,))
    pieces = [
        *(board.question_card({**public, "kind": kind}, votes, right=["a"]) for kind in KINDS),
        board.key_card(NASTY, NASTY),
        board.join_card("http://localhost/room", NASTY),
        board.corner("http://localhost/room", NASTY),
        board.join_form(NASTY),
        board.status_line("open", NASTY, 2, 1),
    ]
    for html in pieces:
        assert "<script" not in html
        assert "&lt;script&gt;" in html


@pytest.mark.parametrize("kind", KINDS)
def test_before_the_reveal_the_lecturers_screen_does_not_mark_the_right_answer(kind: str) -> None:
    """Options of one vote carry their bars; other answers stand below the options."""
    public = {
        "prompt": "?",
        "kind": kind,
        "options": [{"id": "a", "text": "one"}, {"id": "b", "text": "two"}],
    }
    labels = ("1", "2") if kind == "line" else ("", "") if kind in ("number", "order") else ("a", "b")
    bars = (board.Bar(labels[0], "one", False, (1, 2)), board.Bar(labels[1], "two", True, (3, 6)))
    votes = board.Distribution(bars, (4, 8), (3, 6))
    if kind == "number":
        public = {"prompt": "?", "kind": kind, "counts": "whole numbers"}
    unseen, hidden = board.question_card(public), board.question_card(public, votes)
    shown = board.question_card(public, votes, right=["b"])
    for html in (unseen, hidden):
        assert "✓" not in html and "75 % right" not in html and 'class="right"' not in html
    assert 'class="bars"' not in unseen
    # Of several choices both the option and the right combination are marked.
    assert shown.count("✓") == (2 if kind == "several" else 1)
    assert "75 % right, then 75 %" in shown
    counts = [("1", "25"), ("2", "25"), ("3", "75"), ("6", "75")]
    for html in (hidden, shown):
        assert re.findall(r"(\d+) · (\d+) %", html) == counts
        assert html.count(">one<") == html.count(">two<") == 1


def test_a_question_that_nobody_answered_says_so() -> None:
    public = {"prompt": "?", "kind": "single", "options": [{"id": "a", "text": "one"}]}
    votes = board.Distribution((board.Bar("a", "one", True, (0,)),), (0,), (0,))
    assert "Nobody has answered." in board.question_card(public, votes)
