"""The one HTML file of a run: that it is whole, safe and small, before any browser opens it."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

from engine import trace_attention
from lesson.inputs import DEFAULT_KEY, load
from lesson.share_text import SHARE_SLOTS, load_share_text
from tests.conftest import ROOT
from ui.downloads import VERSION
from ui.joiner import lean, lean_styles
from ui.qr import MAX_LINK, qr_svg
from ui.stage.comparison import comparison_payload
from ui.stage.component import STAGE_JS
from ui.stage.payload import Payload, encode
from ui.stage.standalone import standalone_html

MAX_BYTES = 400_000


def payload_of(key: str = DEFAULT_KEY, **changes: Any) -> Payload:
    given = load(key)
    return encode(
        trace_attention(given.q, given.k, given.v, tokens=given.tokens, **(given.options() | changes))
    )


class Parts(HTMLParser):
    """Elements with their attributes, and the text of scripts, styles and the title."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.elements:
            self.texts.append((self.elements[-1][0], data))


@pytest.fixture(scope="module")
def document() -> str:
    return standalone_html(payload_of(), title="The keys", name="keys", version=VERSION, step=5)


def test_the_default_run_is_small(document: str) -> None:
    size = len(document.encode())
    assert size <= MAX_BYTES, f"{size:,} bytes"


def test_a_backward_and_a_mistake_of_the_default_run_are_small_too() -> None:
    given = load(DEFAULT_KEY)
    right = trace_attention(given.q, given.k, given.v, tokens=given.tokens, **given.options())
    wrong = trace_attention(
        given.q, given.k, given.v, tokens=given.tokens, mistake="no_rescale", **given.options()
    )
    backward = payload_of(direction="backward", d_o=np.cos(np.arange(given.v.size)).reshape(given.v.shape))
    broken = encode(right) | {"comparison": comparison_payload(right, wrong)}
    for payload in (backward, broken):
        text = standalone_html(payload, title="The keys", name="keys", version=VERSION)
        assert len(text.encode()) <= MAX_BYTES, f"{len(text.encode()):,} bytes"


def test_it_says_what_it_is(document: str) -> None:
    parts = Parts(document)
    assert re.search(r"<title>The keys · Tilewise</title>", document)
    metas = {meta.get("name"): meta.get("content") for tag, meta in parts.elements if tag == "meta"}
    assert metas["generator"] == f"Tilewise {VERSION}" and metas["license"] == "Apache-2.0"
    assert load_share_text()["file"]["noscript"] in document
    assert ("html", {"lang": "en"}) in parts.elements


def test_nothing_in_it_comes_from_elsewhere(document: str) -> None:
    parts = Parts(document)
    for tag, attributes in parts.elements:
        for name in ("src", "href", "action", "data", "poster"):
            address = attributes.get(name)
            assert address is None or address.startswith("data:"), (tag, address)
    assert not re.search(r"@import|url\((?!['\"]?(?:data:|#|\$\{))", document)
    assert not re.search(r"\bimport\s*\(|^import |^export ", document, re.MULTILINE)


def test_the_policy_allows_this_script_and_nothing_else(document: str) -> None:
    parts = Parts(document)
    policy = next(a["content"] for tag, a in parts.elements if tag == "meta" and "http-equiv" in a) or ""
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    scripts = re.findall(r"<script>(.*?)</script>", document, re.DOTALL)
    assert len(scripts) == 1
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    assert rules["script-src"] == f"'sha256-{digest}'"
    assert "connect-src" not in rules and "unsafe" not in rules["script-src"]


def test_the_same_modules_run_in_it(document: str) -> None:
    """Every function that the app's stage declares is in the file, in the same words."""
    script = re.findall(r"<script>(.*?)</script>", document, re.DOTALL)[0]
    bodies = re.findall(r"^(?:async )?function \w+\(.*$", STAGE_JS, re.MULTILINE)
    assert len(bodies) > 100
    assert [line for line in bodies if line.strip() not in script] == []


def test_only_comments_that_stand_alone_and_indentation_are_left_out() -> None:
    source = (
        "/** One\n * two. */\nlet a = 1; // kept\n\n  // gone\n  /* kept */ b();\n  c(); /* kept\n  too */\n"
    )
    assert lean(source) == "let a = 1; // kept\n/* kept */ b();\nc(); /* kept\ntoo */\n"


def test_lean_styles_keep_every_rule() -> None:
    source = "/* why */\n.a > .b:not(.c) {\n  margin: calc(1px + 2px) 0;\n\n  color: red;\n}\n"
    source += "@media (width > 1px) {\n  .a,\n .b { top: 0; /* why */ left: min(1px, 2px); }\n}\n"
    wanted = ".a > .b:not(.c){margin:calc(1px + 2px) 0;color:red}"
    wanted += "@media (width > 1px){.a,.b{top:0;left:min(1px,2px)}}"
    assert lean_styles(source) == wanted


def test_no_text_in_a_style_sheet_holds_what_is_left_out() -> None:
    for file in sorted((ROOT / "ui").rglob("*.css")):
        rules = re.sub(r"/\*.*?\*/", "", file.read_text("utf-8"), flags=re.DOTALL)
        for text in re.findall(r'"[^"]*"', rules):
            assert not re.search(r"[{};,]\s|\s[{}]|/\*|[\w)]: ", text), (file.name, text)


@pytest.mark.parametrize("title", ["</title><script>alert(1)</script>", 'a "b" & <i>c</i>'])
def test_a_hostile_title_or_token_stays_text(title: str) -> None:
    given = load(DEFAULT_KEY)
    tokens = tuple(f"</script><!--<script>{i}" for i in range(len(given.tokens_k)))
    payload = encode(trace_attention(given.q, given.k, given.v, tokens=(tokens, tokens), **given.options()))
    text = standalone_html(payload, title=title, name="x", version=VERSION)
    assert text.count("<script") == 2 and text.count("</script>") == 2 and "<!--" not in text
    data = re.search(r'<script type="application/json" id="stage-data">(.*?)</script>', text, re.DOTALL)
    assert data is not None
    held = json.loads(data[1])
    assert held["trace"]["problem"]["tokens_k"] == list(tokens)
    assert held["share"]["title"] == title
    assert {name: held[name] for name in payload} == json.loads(json.dumps(payload))


def test_the_words_have_every_entry_and_slot() -> None:
    text = load_share_text()
    assert {table: set(entries) for table, entries in text.items()} == {
        table: set(entries) for table, entries in SHARE_SLOTS.items()
    }


def test_a_qr_code_holds_its_link_and_refuses_longer_ones() -> None:
    picture = qr_svg("http://localhost:8501/step_through?run_order=kv_outer&step=21")
    assert picture.startswith("<svg") and "viewBox" in picture and 'fill="#fff"' in picture
    assert qr_svg("x" * MAX_LINK).startswith("<svg")
    for link in ("", "x" * (MAX_LINK + 1)):
        with pytest.raises(ValueError, match=f"{len(link)} characters; it must have 1 to {MAX_LINK}"):
            qr_svg(link)
