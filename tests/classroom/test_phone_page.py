"""The phones' page as text: small, its own, and without a key."""

import gzip
import re

from classroom.routes import PhonePage
from ui.classroom.phone import phone_html, phone_script

SETTINGS = {"alphabet": "ABCDEFGHJKMNPQRSTUVWXYZ23456789", "length": 6, "days": 30}


def test_page_and_script_are_small_even_unpacked() -> None:
    html, script = phone_html().encode(), phone_script("/lesson/room", **SETTINGS).encode()
    assert len(html) + len(script) <= 30 * 1024
    assert len(html) + len(gzip.compress(script)) <= 20_000


def test_nothing_comes_from_elsewhere() -> None:
    text = phone_html() + phone_script("/room", **SETTINGS)
    assert not re.search(r"https?://|//[a-z]+\.|@import|url\(", text)
    assert re.findall(r'(?:src|href)="([^"]*)"', phone_html()) == ["data:,", "SCRIPT_URL"]


def test_the_scripts_name_changes_with_it() -> None:
    one, other = (PhonePage("", phone_script(base, **SETTINGS)) for base in ("/room", "/x/room"))
    assert one.script_name != other.script_name
    assert gzip.decompress(one.packed_script).decode() == one.script


def test_no_function_is_sent_that_nothing_calls() -> None:
    script = phone_script("/room", **SETTINGS)
    names = re.findall(r"^(?:async )?function (\w+)", script, re.MULTILINE)
    assert len(names) > 10
    for name in names:
        assert len(re.findall(rf"\b{name}\b", script)) > 1, name
