"""The live room in a real browser: a phone through every phase, and the lecturer's page with it."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from streamlit.proto.BackMsg_pb2 import BackMsg

from lesson.quiz import bank
from tests.browser.axe import violations
from tests.browser.conftest import watch
from tests.browser.page_parts import in_theme

OF_KIND = {entry.kind: entry.id for entry in reversed(bank())}
TITLES = {entry.id: entry.title for entry in bank()}
MARK = re.compile("^(right|right, not chosen)$")


class Lecturer:
    """Leads a room over HTTP."""

    def __init__(self, page: Page, url: str, *kinds: str, room: tuple[str, str] | None = None) -> None:
        """Open a room, or lead the one with this code and key; put questions of these kinds on its list."""
        self.page, self.url = page, url
        if room is None:
            made = page.request.post(f"{url}/room", data={}).json()
            room = made["code"], made["key"]
        self.code, self.key = room
        for kind in kinds:
            self.act("add", question=OF_KIND[kind], seed=7)
        self.asks = [each["id"] for each in self.view()["asks"]]

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"}

    def view(self) -> dict[str, Any]:
        """Return the room as it is."""
        return dict(
            self.page.request.get(f"{self.url}/room/{self.code}/lecturer", headers=self._headers()).json()
        )

    def act(self, action: str, **options: object) -> None:
        """Do something."""
        answer = self.page.request.post(
            f"{self.url}/room/{self.code}/lecturer",
            data={"action": action, **options},
            headers=self._headers(),
        )
        assert answer.ok, answer.text()


@pytest.fixture
def leads(browser: Browser, server_url: str) -> Iterator[Callable[..., Lecturer]]:
    """A function that opens a room, or takes one over, with a question of each kind named."""
    context = browser.new_context()
    yield lambda *kinds, **room: Lecturer(context.new_page(), server_url, *kinds, **room)
    context.close()


def on_screen(page: Page, name: str) -> None:
    """Wait for a phase on a phone."""
    expect(page.locator("#room")).to_have_attribute("data-screen", name)


def woken(page: Page) -> None:
    """Have a phone ask at once, as it does when its network comes back."""
    page.evaluate("dispatchEvent(new Event('online'))")


def is_sound(page: Page) -> None:
    """Nothing for axe to mend, and nothing cut off at the side."""
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize(
    ("theme", "kinds"), [("light", ("single", "several", "number", "order")), ("dark", ("single",))]
)
def test_a_phone_by_keyboard_from_the_code_to_the_reveal(
    new_page: Callable[..., Page],
    server_url: str,
    leads: Callable[..., Lecturer],
    theme: str,
    kinds: tuple[str, ...],
) -> None:
    """One question of each way to answer; every screen is sound at 390 px."""
    lecturer = leads(*kinds)
    phone = new_page(width=390, height=844, theme=theme)
    trouble = watch(phone)
    phone.goto(f"{server_url}/room")
    is_sound(phone)
    phone.get_by_label("Room code").focus()
    phone.keyboard.type("abc")
    phone.keyboard.press("Enter")
    expect(phone.get_by_role("alert")).to_contain_text("A code has 6 characters")
    phone.get_by_label("Room code").fill(lecturer.code.lower())
    phone.keyboard.press("Enter")
    on_screen(phone, "lobby")
    assert phone.url == f"{server_url}/room/{lecturer.code}"
    is_sound(phone)
    saved = phone.get_by_test_id("saved")
    for ask, kind in zip(lecturer.asks, kinds, strict=True):
        lecturer.act("open", ask=ask)
        woken(phone)
        on_screen(phone, "open")
        expect(phone.get_by_test_id("quiz-question")).to_have_attribute("data-kind", kind)
        expect(saved).to_have_text("Nothing sent yet.")
        # The heading has the focus, so the keyboard goes on from there.
        phone.keyboard.press("Tab")
        if kind == "number":
            phone.keyboard.type("12")
        elif kind == "order":
            phone.keyboard.press("Enter")
        else:
            phone.keyboard.press("Space")
        if kind != "single":
            expect(saved).to_have_text("Changed here, and not sent yet.")
            phone.get_by_role("button", name="Send").focus()
            phone.keyboard.press("Enter")
        expect(saved).to_have_text("Saved.")
        is_sound(phone)
        lecturer.act("close")
        woken(phone)
        on_screen(phone, "closed")
        expect(phone.get_by_text("Your answer is saved.")).to_be_visible()
        lecturer.act("reveal")
        woken(phone)
        on_screen(phone, "revealed")
        expect(phone.get_by_test_id("verdict")).to_have_count(1)
        expect(phone.get_by_test_id("right-answer")).to_be_visible()
        if kind in ("single", "several"):
            # The options fare as they do on the quiz page.
            right = phone.locator("[data-fared=mark_right], [data-fared=mark_missed]")
            expect(right.locator(".fared").first).to_have_text(MARK)
        is_sound(phone)
    assert trouble.errors == []
    assert trouble.outside(server_url) == []


def test_a_phone_sleeps_loses_its_network_and_reloads_and_is_still_the_same(
    new_page: Callable[..., Page], server_url: str, leads: Callable[..., Lecturer]
) -> None:
    lecturer = leads("single")
    lecturer.act("open", ask=lecturer.asks[0])
    phone = new_page(width=390, height=844)
    phone.goto(f"{server_url}/room/{lecturer.code}")
    on_screen(phone, "open")
    saved = phone.get_by_test_id("saved")
    phone.context.set_offline(True)
    phone.get_by_role("radio").first.check()
    expect(saved).to_have_text("Not saved yet, trying again …")
    expect(phone.get_by_text("No connection. Trying again by itself …")).to_be_visible()
    assert lecturer.view()["voted"] == 0
    phone.context.set_offline(False)
    expect(saved).to_have_text("Saved.")
    phone.reload()
    expect(phone.get_by_role("radio").first).to_be_checked()
    expect(saved).to_have_text("Saved.")
    lecturer.act("close")
    lecturer.act("discuss")
    on_screen(phone, "discuss")
    lecturer.act("second")
    on_screen(phone, "open")
    expect(saved).to_have_text("Nothing sent yet.")
    expect(phone.get_by_role("radio").first).not_to_be_checked()
    assert (lecturer.view()["joined"], lecturer.view()["round"]) == (1, 2)


# Every clock of the page can be made to strike in the moment of a press.
KEEP_CLOCKS = """() => {
  const start = window.setInterval;
  window.clocks = [];
  window.setInterval = (strike, ...rest) => { window.clocks.push(strike); return start(strike, ...rest); };
}"""
PRESS_AT_A_BEAT = """(button) => {
  const due = performance.now() + 1000;
  while (performance.now() < due);
  button.click();
  window.clocks.forEach((strike) => strike());
}"""


def test_a_press_that_meets_a_beat_is_one_press(new_page: Callable[..., Page], server_url: str) -> None:
    """Sent twice it would be done twice: a menu opened and closed at once."""
    page = new_page(of_its_own=True)
    page.add_init_script(f"({KEEP_CLOCKS})()")
    pressed: list[str] = []

    def note(sent: str | bytes) -> None:
        message = BackMsg.FromString(sent if isinstance(sent, bytes) else sent.encode())
        pressed.extend(each.id for each in message.rerun_script.widget_states.widgets if each.trigger_value)

    page.on("websocket", lambda socket: socket.on("framesent", note))
    page.goto(f"{server_url}/classroom")
    page.get_by_role("button", name="Open a room").click()
    page.get_by_role("button", name="I have kept it").click()
    expect(page.locator(".key-host")).to_have_count(0)
    for label, then in (("Show the menu", "Fill the screen"), ("Fill the screen", "Show the menu")):
        pressed.clear()
        page.get_by_role("button", name=label).evaluate(PRESS_AT_A_BEAT)
        expect(page.get_by_role("button", name=then)).to_be_visible()
        assert len(pressed) == 1


def fits(page: Page, width: int, height: int) -> None:
    """At this size nothing is cut off at the side, and axe finds nothing to mend."""
    page.set_viewport_size({"width": width, "height": height})
    main = page.get_by_test_id("stMain").element_handle()
    page.wait_for_function("main => main.scrollWidth - main.clientWidth <= 1", arg=main)
    assert violations(page) == []


def test_the_lecturers_page_with_a_phone(
    new_page: Callable[..., Page], server_url: str, leads: Callable[..., Lecturer]
) -> None:
    """Open a room, keep its key unseen, ask, see the count rise, close, reveal, reload, come back."""
    page = new_page(width=1024, height=768)
    trouble = watch(page)
    page.goto(f"{server_url}/classroom")
    page.get_by_role("button", name="Open a room").click()
    code = page.locator(".twr-join .code").inner_text()
    # The hall sees this screen: nothing of the app around the room, and nothing of its key.
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    panel = page.locator(".key-host")
    expect(panel.locator("code")).to_have_text(re.compile("^•+$"))
    panel.get_by_role("button", name="Copy").click()
    expect(panel.get_by_role("status")).to_have_text("Copied.")
    panel.get_by_role("button", name="Show").click()
    key = panel.locator("code").inner_text()
    assert len(key) >= 22
    panel.get_by_role("button", name="Hide").click()
    expect(panel.locator("code")).not_to_contain_text(key)
    image = page.get_by_alt_text("QR code of the address beside it")
    assert image.evaluate("image => image.naturalWidth") > 0
    assert (image.bounding_box() or {})["width"] >= 320
    # Even from the back of a hall, and without scrolling.
    expect(page.locator(".twr-join .code")).to_be_in_viewport(ratio=1)
    fits(page, 1024, 768)
    page.get_by_role("button", name="I have kept it").click()
    expect(panel).to_have_count(0)
    # A chosen question is a filled label, whose words must stand out in both themes.
    page.get_by_test_id("stMultiSelect").locator("input").click()
    page.get_by_role("option", name=TITLES[OF_KIND["single"]]).click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("listbox")).to_have_count(0)
    in_theme(page, "dark")
    fits(page, 1024, 768)
    in_theme(page, "light")
    # In a browser of its own, which has no lecturer's cookie.
    phone = leads("single", "number", room=(code, key)).page

    # Whoever opens the app instead of scanning the code finds the way in first.
    phone.goto(f"{server_url}/classroom")
    phone.get_by_label("Code on the screen").fill(code.lower())
    fits(phone, 390, 844)
    phone.get_by_role("button", name="Join").press("Enter")
    on_screen(phone, "lobby")
    assert phone.url == f"{server_url}/room/{code}"

    page.get_by_role("button", name=f"Ask: {TITLES[OF_KIND['single']]}").click()
    on_screen(phone, "open")
    phone.get_by_role("radio").first.check()
    expect(page.locator(".twr-live")).to_contain_text("1 of 1 answered")
    expect(page.locator(".twr-corner .code")).to_have_text(code)
    expect(page.locator(".bars")).to_have_count(0)
    letters = page.locator(".twr-question li i").all_inner_texts()
    assert letters == phone.locator(".option i").all_inner_texts()
    page.get_by_role("button", name="Close the vote").click()
    actions = page.locator(".st-key-room_actions")
    expect(actions.get_by_role("button", name="Let them discuss")).to_be_visible()
    expect(actions.get_by_test_id("stBaseButton-primary")).to_have_count(1)
    boxes = [button.bounding_box() or {} for button in actions.get_by_role("button").all()]
    assert len(boxes) == 5 and len({box["y"] for box in boxes}) == 1, "one row on a projector"
    page.get_by_role("button", name="Show what they answered").click()
    expect(page.locator(".twr-question")).to_contain_text("1 · 100 %")
    expect(page.locator(".twr-question")).not_to_contain_text("✓")
    page.get_by_role("button", name="Reveal the answer").click()
    expect(page.locator(".twr-key")).to_be_visible()
    on_screen(phone, "revealed")
    expect(page.locator(".twr-question li.right")).to_have_count(1)
    fits(page, 1440, 900)
    in_theme(page, "dark")
    fits(page, 390, 844)
    page.reload()
    expect(page.locator(".twr-key")).to_be_visible()
    page.get_by_role("button", name="Show the menu").click()
    expect(page.get_by_role("button", name="Fill the screen")).to_be_visible()
    page.get_by_text("Export, leave, delete").click()
    page.get_by_role("button", name="Leave on this device").click()
    page.get_by_text("Back into your room").click()
    page.get_by_label("Room code").fill(code)
    page.get_by_label("Lecturer key").fill(key)
    page.get_by_role("button", name="Enter").click()
    expect(page.locator(".twr-key")).to_be_visible()
    assert trouble.errors == []
    assert trouble.outside(server_url) == []


def test_after_the_last_reveal_the_list_is_opened_and_shown(server_url: str, page: Page) -> None:
    page.goto(f"{server_url}/classroom")
    page.get_by_role("button", name="Open a room").click()
    picker = page.get_by_role("combobox", name="Question to add")
    picker.click()
    page.get_by_role("option").nth(2).click()
    page.keyboard.press("Escape")
    for name in ("Add to the list", "Ask:", "Close the vote", "Reveal the answer", "Add or ask another"):
        page.get_by_role("button", name=name).click()
    expect(picker).to_be_in_viewport(ratio=1)
    # Closed by hand, it is opened again.
    page.get_by_text("Questions of this room").click()
    expect(picker).to_be_hidden()
    page.get_by_role("button", name="Add or ask another").click()
    expect(picker).to_be_in_viewport(ratio=1)
