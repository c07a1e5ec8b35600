"""The documents are true: links lead somewhere, and a link to a frame opens the kind that it names."""

import re
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
from starlette.routing import Route

from classroom.lecturer_routes import LecturerRoutes
from classroom.limits import ROOMS_AN_HOUR
from classroom.phases import ACTIONS
from classroom.shared import shared_classroom
from engine import attention, trace_attention
from lesson.inputs import DEFAULT_KEY, load
from lesson.outline import load_outline
from lesson.quiz import bank
from tests.conftest import ROOT

DOCUMENTS = sorted(
    path
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "deploy").rglob("*.md"))
    if path.name != "CHANGELOG.md"
)
FOLDERS = (
    "bench",
    "classroom",
    "deploy",
    "engine",
    "lesson",
    "pages",
    "serving",
    "site_builder",
    "tests",
    "ui",
)
SOURCES = sorted(
    path
    for folder in FOLDERS
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".py", ".js", ".css", ".toml")
)
NAMED = re.compile(rf"\b(?:docs|{'|'.join(FOLDERS)})/[\w./-]+\.(?:py|js|md|toml|css|npz)\b")
PAGES = {page.key for page in load_outline().pages}
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
# A link in a plan: the address, and after it the kind of step that it opens, where it opens one.
PLANNED = re.compile(r"`((?:" + "|".join(sorted(PAGES)) + r")(?:\?[^`]*)?)`(?: (\w+))? \|")
TEACHING = (ROOT / "docs" / "teaching.md").read_text(encoding="utf-8")
PLANS = PLANNED.findall(TEACHING)


def kind_at(query: dict[str, str]) -> str:
    """The kind of the step that an address of the stage opens, from a run of the engine."""
    given = load(DEFAULT_KEY)
    options = given.options()
    if "run_order" in query:
        options["order"] = query["run_order"]
    if query.get("run_direction") == "backward":
        options |= {"direction": "backward", "d_o": attention(given.q, given.k, given.v, **options)[0]}
    trace = trace_attention(given.q, given.k, given.v, mistake=query.get("run_mistake"), **options)
    return trace.steps[int(query["step"])].kind


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_between_files_leads_to_one(document: Path) -> None:
    for found in LINK.finditer(document.read_text(encoding="utf-8")):
        target = found[1] or found[2]
        if not re.match(r"[a-z]+:|#", target):
            assert (document.parent / target.split("#")[0]).exists(), target


def test_the_plans_are_read_whole() -> None:
    rows = [line for line in TEACHING.splitlines() if re.match(r"\| \d+ \|", line)]
    assert len(PLANS) == len(rows) > 20


@pytest.mark.parametrize(("address", "kind"), PLANS)
def test_a_plans_link_opens_the_frame_that_it_names(address: str, kind: str) -> None:
    parts = urlsplit(address)
    assert parts.path in PAGES
    query = dict(parse_qsl(parts.query))
    assert ("step" in query) == bool(kind)
    if kind:
        assert kind_at(query) == kind


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_file_named_in_a_document_is_there(document: Path) -> None:
    named = re.findall(
        r"`([\w.-]+/[\w./-]+\.(?:py|js|md|toml|css|txt|yaml|conf))`", document.read_text("utf-8")
    )
    missing = [name for name in named if not any((base / name).exists() for base in (ROOT, document.parent))]
    assert missing == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_source_is_short_and_names_files_that_are_there(path: Path) -> None:
    text = path.read_text("utf-8")
    # A text's length is the lesson's; only what somebody has to follow is held short.
    assert path.suffix == ".toml" or text.count("\n") < 400
    bases = (ROOT, ROOT / "ui", path.parent)
    assert [name for name in NAMED.findall(text) if not any((base / name).exists() for base in bases)] == []


@pytest.mark.parametrize(
    "readme", sorted((ROOT / "ui").glob("*/README.md")), ids=lambda path: path.parent.name
)
def test_a_folders_table_names_each_of_its_files(readme: Path) -> None:
    table = "\n".join(line for line in readme.read_text("utf-8").splitlines() if line.startswith("| `"))
    named = set(re.findall(r"`([\w.-]+\.(?:py|js|css))`", table))
    there = {path.name for path in readme.parent.iterdir() if path.suffix in (".py", ".js", ".css")}
    assert named == there - {"__init__.py"}


def test_the_rooms_routes_are_all_described_and_no_others() -> None:
    text = (ROOT / "docs" / "live-room-routes.md").read_text("utf-8")
    described = {(method, path) for method, path in re.findall(r"\| `([A-Z]+) (/room[\w/.]*)`", text)}
    routes = LecturerRoutes(shared_classroom).routes()
    served = {
        (method, route.path.replace("{code}", "CODE"))
        for route in routes
        if isinstance(route, Route)
        for method in route.methods or ()
        if method != "HEAD" and not route.path.endswith("/key")
    }
    assert described == served
    assert set(re.findall(r'"(\w+)"', text)) >= set(ACTIONS) | {"add", "remove"}


def test_numbers_of_the_documents_are_the_programs() -> None:
    routes = (ROOT / "docs" / "live-room-routes.md").read_text("utf-8")
    assert f"One address may open {ROOMS_AN_HOUR} an hour" in routes
    assert f"All {len(bank())} questions fill" in TEACHING
