"""The documents are true: links lead somewhere, and a link to a frame opens the kind that it names."""

import re
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from engine import attention, trace_attention
from lesson.inputs import DEFAULT_KEY, load
from lesson.outline import load_outline
from tests.conftest import ROOT

DOCUMENTS = sorted(
    path
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "deploy").rglob("*.md"))
    if path.name != "CHANGELOG.md"
)
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
