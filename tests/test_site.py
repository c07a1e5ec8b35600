"""The static site before any browser opens it: whole, self-contained, and with the app's own runs in it."""

import hashlib
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from engine import attention, trace_attention
from lesson.inputs import DEFAULT_KEY, load
from lesson.plan import load_sections
from lesson.quiz import bank
from site_builder.address import ONLY_IN_APP, canonical, static_address
from site_builder.build import PAGES, build, links_of_the_lesson
from site_builder.prose import mathml, render
from site_builder.runs import DEFAULTS, resolve
from ui.stage.component import STAGE_JS
from ui.stage.payload import encode

MAX_SITE_BYTES = 20_000_000


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "out"
    build(folder)
    return folder


class Elements(HTMLParser):
    """Every element with its attributes, and every id."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.all: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.all.append((tag, dict(attrs)))


def documents(site: Path) -> Iterator[tuple[Path, Elements]]:
    for file in sorted(site.glob("*.html")):
        yield file, Elements(file.read_text(encoding="utf-8"))


def test_nothing_is_fetched_from_elsewhere_and_every_local_link_leads_somewhere(site: Path) -> None:
    checked = 0
    for file, elements in documents(site):
        ids = {given.get("id") for _, given in elements.all}
        for tag, given in elements.all:
            for name in ("src", "href", "action", "data", "poster"):
                address = given.get(name)
                if address is None:
                    continue
                parts = urlsplit(address)
                if parts.scheme in ("http", "https"):
                    assert tag == "a", f"{file.name} fetches {address}"
                    continue
                assert not parts.scheme, f"{file.name}: {address}"
                assert not parts.path or (site / parts.path).is_file(), f"{file.name} leads to {address}"
                if not parts.path and parts.fragment:
                    assert parts.fragment in ids, f"{file.name} has no {address}"
                checked += 1
    assert checked > 100
    for file in [*site.glob("*.css"), *site.glob("*.js"), *site.glob("parts/*.js")]:
        text = file.read_text(encoding="utf-8")
        assert not re.search(
            r"@import|url\((?!['\"]?(?:data:|#|\$\{))|\bimport\s*\(|^import |^export ", text, re.M
        )


def test_every_page_runs_under_a_policy_without_inline_scripts(site: Path) -> None:
    for file, elements in documents(site):
        policy = next(given["content"] for tag, given in elements.all if "http-equiv" in given) or ""
        rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
        assert rules["default-src"] == "'none'" and "unsafe" not in rules["script-src"], file.name
        assert "connect-src" not in rules
        for tag, given in elements.all:
            if tag == "script" and given.get("type") != "application/json":
                assert given.get("src"), f"{file.name} has an inline script"
            assert not any(name.startswith("on") for name in given), f"{file.name}: {tag} {given}"


def test_every_section_and_every_question_is_there(site: Path) -> None:
    lesson = (site / "index.html").read_text(encoding="utf-8")
    for section in load_sections():
        assert f'id="{section.key}">{section.title}<' in lesson
        assert f'data-section="{section.key}"' in lesson
    # Each once, and the stage too.
    assert lesson.count('data-part="stage"') == lesson.count('data-part="contents"') == 1
    assert lesson.count("<section data-section=") == len(load_sections())
    prose = re.sub(r"<script.*?</script>", "", lesson, flags=re.DOTALL)
    assert [mark for mark in ("{{", "[[", ":small[", "$$", "[src:", ":material/") if mark in prose] == []
    assert prose.count("<math") >= 5
    quiz = (site / "quiz.html").read_text(encoding="utf-8")
    data = re.search(r'id="data-quiz">(.*?)</script>', quiz, re.DOTALL)
    assert data is not None
    assert [entry["id"] for entry in json.loads(data[1])["bank"]] == [entry.id for entry in bank()]


def test_the_stage_is_the_apps(site: Path) -> None:
    """The same functions, and runs that the engine records now."""
    script = (site / "parts/stage.js").read_text(encoding="utf-8")
    bodies = re.findall(r"^(?:async )?function \w+\(.*$", STAGE_JS, re.MULTILINE)
    assert len(bodies) > 100
    assert [line for line in bodies if line.strip() not in script] == []
    given = load(DEFAULT_KEY)
    page = (site / "step_through.html").read_text(encoding="utf-8")
    found = re.search(r'id="data-runs">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    files = json.loads(found[1])["files"]
    for name, changes in {
        "": {},
        "run_order=kv_outer": {"order": "kv_outer"},
        "run_direction=backward": {"direction": "backward"},
    }.items():
        options = given.options() | changes
        if "direction" in changes:
            options["d_o"] = attention(given.q, given.k, given.v, **given.options())[0]
        trace = trace_attention(given.q, given.k, given.v, tokens=given.tokens, **options)
        text = (site / files[name]).read_text(encoding="utf-8")
        held = json.loads(text.removeprefix("tilewise.take(").removesuffix(");\n"))
        assert held["id"] == encode(trace)["id"], name


def test_every_run_that_the_lesson_or_the_check_leads_to_was_computed(site: Path) -> None:
    page = (site / "step_through.html").read_text(encoding="utf-8")
    found = re.search(r'id="data-runs">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    files = json.loads(found[1])["files"]
    asked = [href for href in links_of_the_lesson() if "step_through" in href]
    assert len(asked) > 10
    for href in asked:
        query = dict(pair.split("=", 1) for pair in urlsplit(href).query.split("&") if pair)
        assert canonical(query, DEFAULTS) in files, href


def test_its_manifest_holds_and_its_size_is_bounded(site: Path) -> None:
    held = json.loads((site / "manifest.json").read_text(encoding="utf-8"))
    files = {str(file.relative_to(site)) for file in site.rglob("*") if file.is_file()} - {"manifest.json"}
    assert set(held) == files
    for name, digest in held.items():
        assert hashlib.sha256((site / name).read_bytes()).hexdigest() == digest
    assert sum((site / name).stat().st_size for name in files) <= MAX_SITE_BYTES


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep", encoding="utf-8")
    with pytest.raises(ValueError, match="not empty and holds no earlier site"):
        build(tmp_path)
    assert (tmp_path / "mine.txt").read_text(encoding="utf-8") == "keep"
    with pytest.raises(ValueError, match="'ftp://x' is no address of an app"):
        build(tmp_path / "new", "ftp://x")


@pytest.mark.parametrize(
    ("href", "there"),
    [
        ("./step_through?step=3", "step_through.html?step=3"),
        ("./", "index.html"),
        ("quiz", "quiz.html"),
        ("#online", "#online"),
        ("https://arxiv.org/abs/2205.14135", "https://arxiv.org/abs/2205.14135"),
        (
            "calculator?calc_part=Storage&calc_n_q=8&calc_format=float32",
            "calculator.html?calc_part=Storage&calc_n_q=8&calc_format=float32",
        ),
        ("calculator?calc_part=Fit", f"{ONLY_IN_APP}?page=calculator%3Fcalc_part%3DFit"),
        ("calculator?calc_mask=bottom_right", f"{ONLY_IN_APP}?page=calculator%3Fcalc_mask%3Dbottom_right"),
        ("exactness", f"{ONLY_IN_APP}?page=exactness"),
    ],
)
def test_where_links_lead(href: str, there: str) -> None:
    assert static_address(href, PAGES) == there


def test_with_an_app_its_links_lead_into_it() -> None:
    assert static_address("evidence", PAGES, "https://app.example/") == "https://app.example/evidence"
    asked = "calculator?calc_part=Fit&calc_d=64"
    assert static_address(asked, PAGES, "https://app.example/") == f"https://app.example/{asked}"


def test_an_address_means_the_run_that_it_means_in_the_app() -> None:
    run = resolve(
        {"run_input": "keys-lock", "run_bq": "8", "run_mask": "none", "run_window": "2", "step": "7"}
    )
    assert run.name == "run_bq=8&run_mask=none&run_window=2"
    assert run.options["block_q"] == 8 and run.options["causal"] is None
    assert run.options["window"] == (2, 2) and run.mistake is None
    assert resolve({"run_mistake": "no_rescale"}).mistake == "no_rescale"
    assert resolve({"run_input": "rising", "run_head": "prev"}).given.key == "rising"
    with pytest.raises(KeyError, match="run_colour"):
        resolve({"run_colour": "red"})


def test_prose_keeps_html_as_text_and_formulas_as_mathml() -> None:
    made = render("a <script>x</script> :small[see [b](./quiz)] $T_{\\mathrm{key}}$", lambda href: f"{href}!")
    assert "&lt;script&gt;" in made and '<small>see <a href="./quiz!">b</a></small>' in made
    assert "<mi>key</mi>" in made and "$" not in made
    assert mathml("a", "block").count('display="block"') == 1
    with pytest.raises(ValueError, match="never closed"):
        render(":small[open", str)
