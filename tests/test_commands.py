"""The commands that the documents print work as they are printed, in a folder laid out like a clone."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

DOCUMENTS = sorted(
    path
    for folder in ("*.md", "docs/**/*.md", "deploy/*.md", "bench/*.md", "ui/*/*.md")
    for path in ROOT.glob(folder)
    if path.name != "CHANGELOG.md"
)
LISTING = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"`([^`\n]+)`")
OWN_PYTHON = ".venv/bin/python"
GUIDE = ROOT / "docs" / "kernel-authors.md"


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def printed(document: Path) -> list[str]:
    """Everything in a document that is set as code, line by line."""
    text = document.read_text(encoding="utf-8")
    in_listings = [line for _, body in LISTING.findall(text) for line in body.splitlines()]
    return in_listings + CODE.findall(LISTING.sub("", text))


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder with the project's own parts and its `.venv`, in which a command may write."""
    for path in ROOT.iterdir():
        if not path.name.startswith("."):
            (tmp_path / path.name).symlink_to(path)
    (tmp_path / ".venv").symlink_to(sys.prefix)
    return tmp_path


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run what a reader types, with nothing set that a reader would not have."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def follow(document: Path, folder: Path) -> list[str]:
    """Do what a document says, from its first listing to its last; returns what each command printed."""
    answers = []
    for language, body in LISTING.findall(document.read_text(encoding="utf-8")):
        if language == "python":
            named = re.match(r"# (\w+\.py)\n", body)
            assert named, f"a reader cannot know where to save:\n{body}"
            (folder / named[1]).write_text(body, encoding="utf-8")
        if language == "sh":
            for command in body.splitlines():
                done = shell(command, folder)
                assert done.returncode == 0, (command, done.stderr)
                answers.append(done.stdout)
    return answers


def test_the_readme_can_be_followed_from_top_to_bottom(clone: Path) -> None:
    assert len(follow(ROOT / "README.md", clone)) >= 3


def test_the_guide_can_be_followed_and_its_check_finds_a_broken_kernel(clone: Path) -> None:
    """The guide's own kernel and command: as printed, and then with one factor forgotten."""
    answers = follow(GUIDE, clone)
    assert len(answers) >= 3
    assert "m, l, acc, o, lse agree in float16" in answers[-1]
    kernel = clone / "kernel.py"
    source = kernel.read_text(encoding="utf-8")
    broken = source.replace("acc = alpha[:, None] * acc +", "acc = acc +")
    assert broken != source
    kernel.write_text(broken, encoding="utf-8")
    check = next(line for line in printed(GUIDE) if "-m engine check" in line)
    assert shell(f"{OWN_PYTHON} kernel.py", clone).returncode == 0
    done = shell(check, clone)
    assert done.returncode == 1 and "acc first departs after key tile 1" in done.stdout


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_a_command_names_the_projects_own_python(document: Path) -> None:
    """On a clean clone no other Python has the packages. In a container there is only one."""
    for line in printed(document):
        if not line.startswith("docker "):
            rest = line.replace(f"{OWN_PYTHON} -m pip ", "").replace(OWN_PYTHON, "")
            assert not re.search(r"\b(python3?|pip) (-m|install|\w+\.py)", rest)


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_what_a_command_names_is_there(document: Path) -> None:
    """Modules, and make's targets and variables."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    variables = set(re.findall(r"^([A-Z]+) \?=", makefile, re.MULTILINE))
    for line in printed(document):
        if found := re.match(rf"{re.escape(OWN_PYTHON)} -m ([\w.]+)", line):
            assert importlib.util.find_spec(found[1]), line
        if found := re.match(r"make ([a-z-]+)((?: [A-Z]+=\S*)*)", line):
            assert found[1] in targets, line
            assert set(re.findall(r"([A-Z]+)=", found[2])) <= variables, line


INLINE = sorted(
    {
        code
        for path in DOCUMENTS
        for code in CODE.findall(LISTING.sub("", path.read_text(encoding="utf-8")))
        if code.startswith(f"{OWN_PYTHON} -m engine")
    }
)


@pytest.mark.parametrize("command", INLINE)
def test_a_command_inside_a_sentence_runs(command: str, clone: Path) -> None:
    done = shell(command, clone)
    assert done.returncode == 0 and done.stdout, done.stderr
