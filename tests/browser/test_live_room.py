"""The live room in a real browser: a phone through every phase, and the lecturer's page with it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from lesson.quiz import bank
from tests.browser.axe import violations
from tests.browser.conftest import watch

OF_KIND = {entry.kind: entry.id for entry in reversed(bank())}
TITLES = {entry.id: entry.title for entry in bank()}


class Lecturer:
    """Leads a room over HTTP."""

    def __init__(self, page: Page, url: str, *kinds: str) -> None:
        self.page, self.url = page, url
        made = page.request.post(f"{url}/room", data={}).json()
        self.code, self.key = made["code"], made["key"]
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
    """A function that opens a room with a question of each kind named."""
    context = browser.new_context()
    yield lambda *kinds: Lecturer(context.new_page(), server_url, *kinds)
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
    expect(phone.get_by_role("alert")).to_contain_text("A code has 6 signs")
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


def test_the_lecturers_page_with_a_phone(
    new_page: Callable[..., Page], server_url: str, leads: Callable[..., Lecturer]
) -> None:
    """Enter with the key, ask, watch the count rise, close, reveal; a reload comes back without the key."""
    lecturer = leads("single", "number")
    page = new_page(width=1440, height=900)
    trouble = watch(page)
    page.goto(f"{server_url}/classroom")
    page.get_by_label("Room code").fill(lecturer.code)
    page.get_by_label("Lecturer key").fill(lecturer.key)
    page.get_by_role("button", name="Enter").click()
    expect(page.locator(".twr-join .code")).to_have_text(lecturer.code)
    expect(page.get_by_alt_text("QR code of the address below")).to_be_visible()
    assert page.locator(".twr-join img").evaluate("image => image.naturalWidth") > 0
    phone = new_page(width=390, height=844)
    phone.goto(f"{server_url}/room/{lecturer.code}")
    on_screen(phone, "lobby")
    page.get_by_role("button", name=f"Ask: {TITLES[OF_KIND['single']]}").click()
    on_screen(phone, "open")
    phone.get_by_role("radio").first.check()
    expect(page.locator(".twr-live .number")).to_have_text(["1", "1"])
    expect(page.locator(".twr-bars")).to_have_count(0)
    page.get_by_role("button", name="Close the vote").click()
    expect(page.get_by_role("button", name="Reveal the answer")).to_be_visible()
    page.get_by_text("Show what they answered").click()
    expect(page.locator(".twr-bars")).to_contain_text("1 · 100 %")
    expect(page.locator(".twr-bars")).not_to_contain_text("✓")
    page.get_by_role("button", name="Reveal the answer").click()
    expect(page.locator(".twr-key")).to_be_visible()
    on_screen(phone, "revealed")
    assert violations(page) == []
    for width, height in ((1024, 768), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        main = page.get_by_test_id("stMain").element_handle()
        page.wait_for_function("main => main.scrollWidth - main.clientWidth <= 1", arg=main)
        assert violations(page) == []
    page.reload()
    expect(page.locator(".twr-key")).to_be_visible()
    page.get_by_role("button", name="Leave on this device").click()
    expect(page.get_by_role("button", name="Open a room")).to_be_visible()
    assert trouble.errors == []
    assert trouble.outside(server_url) == []
