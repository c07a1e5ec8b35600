"""A lecturer's live room: open it, ask, watch the count, close, discuss, ask again, reveal."""

from datetime import UTC, datetime

import streamlit as st

from classroom.errors import RoomError
from classroom.leading import Leading
from classroom.lecturer_routes import LECTURER_COOKIE, csv_name
from classroom.phases import allowed
from classroom.questions import question_or_none
from classroom.rooms import KEPT_DAYS, Ask, Room
from classroom.routes import PREFIX
from classroom.service import View
from classroom.shared import shared_classroom
from classroom.steps import GO_ON, PEEK, next_ask, steps
from lesson.quiz import bank
from lesson.words import load_words
from ui.calculator.html import heading
from ui.classroom import board
from ui.classroom.beat import show_beat
from ui.classroom.keeper import drop_key, keep_key
from ui.classroom.key_panel import show_key
from ui.content import READING_WIDTH, render_text
from ui.frame import begin
from ui.share import base_path

WORDS = load_words("classroom").table("page")
TITLES = {entry.id: entry.title for entry in bank()}
TOPICS = load_words("quiz_player").table("topics")
OFFERED = {entry.id: f"{TOPICS[entry.topic]}: {entry.title}" for entry in bank()}
# Seconds between two looks at the counts, which are themselves half a second old at most.
LIVE_S = 0.9

# Whether the menu stands beside the room, in this browser session.
MENU = "room_menu"
# Whether "Add to the list" was pressed with nothing chosen.
NOTHING = "room_add_nothing"
# The question after which the list was opened to go on, and how often it was opened.
GOING_ON, OPENED = "room_going_on", "room_list_opened"
LEADING = Leading(st.session_state, shared_classroom)


def told(value: object) -> str:
    """Return what the browser told of itself; nothing where the page runs without one."""
    return value if isinstance(value, str) else ""


def room_address() -> str:
    """Return the address of the phones' page, without a room's code."""
    url = told(st.context.url) or "http://localhost/classroom"
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.split('/', 1)[0]}{base_path()}/{PREFIX}"


def key_route(code: str) -> str:
    """Return the route that keeps or drops a room's key."""
    return f"{base_path()}/{PREFIX}/{code}/key"


def day(time_ms: int) -> str:
    """Return a day in words."""
    at = datetime.fromtimestamp(time_ms / 1000, UTC)
    return f"{at.day} {at:%B %Y}"


def open_new() -> None:
    """Open a room and lead it."""
    LEADING.open_new(told(st.context.ip_address))


def enter_typed() -> None:
    """Enter with what was typed."""
    LEADING.enter(st.session_state.get("room_code_typed", ""), st.session_state.get("room_key_typed", ""))


def draw_entrance() -> None:
    """Join a room; below, for the lecturer: open a new one, or come back into one."""
    if code := LEADING.left:
        drop_key(key_route(code))
    board.draw(board.join_form(f"{base_path()}/{PREFIX}"), heading(WORDS["lecturer_heading"]))
    st.markdown(WORDS["open_lead"], width=READING_WIDTH)
    st.button(WORDS["open"], type="primary", icon=":material/add:", on_click=open_new)
    # Seldom asked for: in the browser that opened the room, a cookie brings the lecturer back.
    back = st.expander(WORDS["back_heading"], icon=":material/key:", key="room_back", on_change="rerun")
    if back.open:
        with back, st.form("room_enter", border=False):
            st.text_input(WORDS["code"], key="room_code_typed", max_chars=12, width=320)
            st.text_input(WORDS["key"], key="room_key_typed", type="password", max_chars=80, width=320)
            st.form_submit_button(WORDS["back"], on_click=enter_typed)


def draw_key(room: Room) -> None:
    """The new room's key, hidden, until the lecturer says that it is kept."""
    if (key := LEADING.new_key) is None:
        return
    with st.container(border=True, gap="xsmall"):
        show_key(
            key,
            file=f"tilewise-room-{room.code}-key.txt",
            text=WORDS["key_file_text"].format(
                address=room_address(), code=room.code, key=key, until=day(room.expires_ms)
            ),
        )
        st.button(WORDS["key_kept"], icon=":material/check:", on_click=LEADING.put_key_away)


def act_button(view: View, action: str, text: str, *, ask: Ask | None = None, primary: bool = False) -> None:
    """A button that moves the room on, if what this page shows is still so."""
    st.button(
        text,
        key=f"room_{action}",
        type="primary" if primary else "secondary",
        on_click=LEADING.attempt,
        args=(shared_classroom().act, view.room.id, action),
        kwargs={"ask_id": ask.id if ask is not None else None, "revision": view.room.revision},
    )


def peek_name(view: View, ask: Ask) -> str:
    """Return the name under which this session keeps whether it looks at a vote before the reveal."""
    return f"room_peek_{ask.id}_{view.room.standing.round}"


def turn(name: str) -> None:
    """Turn a choice of this session on or off."""
    st.session_state[name] = not st.session_state.get(name, False)


def draw_peek(view: View, ask: Ask) -> None:
    """The button that shows what a closed vote gave, before the reveal, and hides it again."""
    name = peek_name(view, ask)
    text = WORDS["unpeek" if st.session_state.get(name) else "peek"]
    st.button(text, key=f"{name}_button", help=WORDS["peek_help"], on_click=turn, args=(name,))


def is_going_on(view: View) -> bool:
    """Whether the list of questions is open for another one, after the last was revealed."""
    now = view.room.standing
    return now.phase == "revealed" and now.ask == st.session_state.get(GOING_ON)


def go_on(ask: Ask) -> None:
    """Open the list of questions, also one that was closed by hand, until another question is at hand."""
    st.session_state[GOING_ON] = ask.id
    st.session_state[OPENED] = st.session_state.get(OPENED, 0) + 1
    # The list stands outside the fragment: all is drawn anew.
    LEADING.drawn = -1


def draw_actions(view: View) -> None:
    """What may follow now, in one row; the next step of peer instruction comes first and stands out."""
    now, ask = view.room.standing, view.current
    following = next_ask(view.asks, ask)
    with st.container(horizontal=True, key="room_actions"):
        for step in steps(now, following=following is not None):
            if step.name == PEEK and ask is not None:
                draw_peek(view, ask)
            elif step.name == GO_ON and ask is not None:
                st.button(WORDS[GO_ON], key="room_go_on", type="primary", on_click=go_on, args=(ask,))
            elif step.name == "open" and following is not None:
                title = TITLES.get(following.question, following.question)
                text = WORDS["open_first" if now.phase == "lobby" else "next"].format(title=title)
                act_button(view, step.name, text, ask=following, primary=step.primary)
            else:
                act_button(view, step.name, WORDS[step.name], primary=step.primary)


def seen_votes(view: View, ask: Ask) -> board.Distribution | None:
    """Return the votes that may be seen: none while open, on request before the reveal, then always."""
    phase = view.room.standing.phase
    if phase == "open" or (phase != "revealed" and not st.session_state.get(peek_name(view, ask))):
        return None
    results = shared_classroom().results(view.room.id, ask)
    if results is None:
        return None
    bars = [board.Bar(line.label, line.text, line.right, line.counts) for line in results.lines]
    if any(results.others):
        bars.append(board.others(results.others))
    return board.Distribution(tuple(bars), results.totals, results.right)


def draw_asked(view: View, ask: Ask) -> None:
    """The question at hand, what may be seen of the votes on it, and what may follow."""
    now = view.room.standing
    asked = question_or_none(ask.question, ask.seed)
    if asked is None:
        st.warning(WORDS["gone_question"])
        draw_actions(view)
        return
    revealed = now.phase == "revealed"
    right = asked.right_ids if revealed else None
    board.draw(board.question_card(asked.public(), seen_votes(view, ask), right=right))
    if revealed:
        key = asked.key()
        board.draw(board.key_card(key["text"], key["why"]))
    if quiet := {"open": WORDS["hidden"], "discuss": WORDS["discussing"]}.get(now.phase):
        board.draw(board.note(quiet))
    draw_actions(view)
    if revealed:
        if allowed(now, "second"):
            board.draw(board.note(WORDS["after_reveal"]))
        st.link_button(
            WORDS["show"], f"{base_path()}/{key['show']['href'].lstrip('/')}", icon=":material/open_in_new:"
        )


def draw_lobby(view: View) -> None:
    """Before the first question: how to join, for the back of the hall, and what may follow."""
    card, beside = st.columns([1, 1], gap="medium")
    with card:
        board.draw(board.join_card(room_address(), view.room.code))
    with beside:
        draw_key(view.room)
        board.draw(board.status_line("lobby", "", view.joined, None))
        st.markdown(WORDS["lobby" if view.asks else "no_questions"])
        draw_actions(view)


def draw_at_hand(view: View, ask: Ask) -> None:
    """A question in its room: its place and the counts, how to join, and the question."""
    draw_key(view.room)
    place = [each.id for each in view.asks].index(ask.id) + 1
    with st.container(horizontal=True, horizontal_alignment="distribute", key="room_bar"):
        board.draw(
            board.status_line(
                view.room.standing.phase,
                WORDS["place"].format(place=place, count=len(view.asks)),
                view.joined,
                view.voted,
            ),
            narrow=True,
        )
        board.draw(board.corner(room_address(), view.room.code), narrow=True)
    draw_asked(view, ask)


@st.fragment
def draw_live(room_id: int) -> None:
    """Everything that changes by itself: the counts, and what another window of the lecturer's does."""
    try:
        view = shared_classroom().view(room_id)
    except RoomError:
        st.rerun()
    if view.room.revision != LEADING.drawn:
        st.rerun()
    if notice := LEADING.take_notice():
        st.warning(notice, icon=":material/info:")
    if view.current is None:
        draw_lobby(view)
    else:
        draw_at_hand(view, view.current)
    show_beat(LIVE_S, str(st.session_state[OPENED]) if is_going_on(view) else "")


def add_chosen(room_id: int) -> None:
    """Put the chosen questions on the list."""
    st.session_state[NOTHING] = not st.session_state["room_add"]
    for question_id in st.session_state["room_add"]:
        LEADING.attempt(shared_classroom().add_ask, room_id, question_id)
    st.session_state["room_add"] = []


def draw_list(view: View) -> None:
    """The room's questions: add, ask, look at, take off."""
    now = view.room.standing
    for number, ask in enumerate(view.asks, start=1):
        title = TITLES.get(ask.question, ask.question)
        state = WORDS[("not_asked", "asked_once", "asked_twice")[ask.rounds]]
        if ask.id == now.ask:
            state = f"{state}, {WORDS['at_hand']}"
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"{number}. **{title}** :small[{state}]", width="stretch")
            if allowed(now, "open") and ask.id != now.ask:
                st.button(
                    WORDS["ask" if ask.rounds == 0 else "look"],
                    key=f"room_ask_{ask.id}",
                    on_click=LEADING.attempt,
                    args=(shared_classroom().act, view.room.id, "open"),
                    kwargs={"ask_id": ask.id, "revision": view.room.revision},
                )
            if ask.rounds == 0:
                st.button(
                    WORDS["remove"],
                    key=f"room_remove_{ask.id}",
                    on_click=LEADING.attempt,
                    args=(shared_classroom().remove_ask, view.room.id, ask.id),
                )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.multiselect(
            WORDS["add_label"],
            list(OFFERED),
            format_func=OFFERED.__getitem__,
            key="room_add",
            placeholder=WORDS["add_choose"],
            select_all=False,
        )
        st.button(WORDS["add"], icon=":material/add:", on_click=add_chosen, args=(view.room.id,))
    if st.session_state.pop(NOTHING, False):
        st.warning(WORDS["add_nothing"], icon=":material/info:")


def delete(room: Room) -> None:
    """Delete the room and leave it."""
    LEADING.attempt(shared_classroom().delete_room, room)
    LEADING.leave(room.code)
    LEADING.say(WORDS["deleted"])


def draw_end(view: View) -> None:
    """Export, leave, delete."""
    room = view.room
    st.markdown(WORDS["retention"].format(until=day(room.expires_ms)))
    with st.container(horizontal=True):
        st.download_button(
            WORDS["export"],
            lambda: shared_classroom().export(room.id).encode(),
            file_name=csv_name(room),
            mime="text/csv",
            icon=":material/download:",
            on_click="ignore",
        )
        st.button(WORDS["leave"], on_click=LEADING.leave, args=(room.code,), icon=":material/logout:")
        with st.popover(WORDS["delete"], icon=":material/delete:"):
            st.markdown(WORDS["delete_sure"])
            st.button(WORDS["delete_really"], on_click=delete, args=(room,), type="primary")


def draw_room(view: View) -> None:
    """A room as the hall sees it: without the app around it, unless the lecturer wants its menu."""
    LEADING.drawn = view.room.revision
    menu = st.session_state.get(MENU, False)
    with st.container(key="room_desk" if menu else "room_hall"):
        st.html(f'<h1 class="twr-title">{WORDS["room"].format(code=view.room.code)}</h1>')
        draw_live(view.room.id)
        # Another key opens it anew.
        with st.expander(
            WORDS["list_heading"].format(count=len(view.asks)),
            expanded=view.room.standing.phase == "lobby" or is_going_on(view),
            key=f"room_list_{st.session_state.get(OPENED, 0)}",
        ):
            draw_list(view)
        with st.expander(WORDS["end_heading"]):
            draw_end(view)
        st.button(
            WORDS["fill" if menu else "menu"],
            icon=":material/fullscreen:" if menu else ":material/menu:",
            key="room_menu_button",
            type="tertiary",
            on_click=turn,
            args=(MENU,),
        )
        # Draws nothing, so it stands last.
        keep_key(key_route(view.room.code), LEADING.cookie_key)


def draw_outside() -> None:
    """What stands where no room is led."""
    if notice := LEADING.take_notice():
        st.info(notice, icon=":material/info:")
    draw_entrance()


LEADING.enter_by_cookie(told(st.context.cookies.get(LECTURER_COOKIE)))
led = LEADING.view(gone=WORDS["gone"])
begin("classroom", heading=led is None, way=led is None)
if led is None:
    render_text("classroom", slots={"room": draw_outside}, values={"days": str(KEPT_DAYS)})
else:
    draw_room(led)
