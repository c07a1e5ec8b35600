"""The import rules: import-linter's contracts, and what they cannot say."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import ROOT

PACKAGES = ("engine", "lesson", "classroom", "ui", "pages", "bench")
SOURCES = sorted(
    path
    for path in [ROOT / "app.py", ROOT / "home.py", *(ROOT / name for name in PACKAGES)]
    for path in ([path] if path.is_file() else path.rglob("*.py"))
)
DRAWS = ("app.py", "home.py", "pages/", "ui/")
# Draws nothing: it puts load on a server in Streamlit's own messages, and may use their definitions alone.
SPEAKS = "bench/session.py"
# What the engine may use besides the standard library and itself.
ENGINE_MAY_USE = {"engine", "numpy", "ml_dtypes", "threadpoolctl"}


def name_of(path: Path) -> str:
    """Return a path as it is written from the project's root."""
    return path.relative_to(ROOT).as_posix()


@cache
def parsed(path: Path) -> ast.Module:
    """Return a file's syntax tree, made once."""
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(path: Path) -> set[str]:
    """Return the top-level names of everything that a file imports."""
    names: set[str] = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module.split(".")[0])
    return names


def hidden_imports(tree: ast.AST, *, inside: bool = False) -> Iterator[int]:
    """Yield the lines of imports inside functions."""
    for node in ast.iter_child_nodes(tree):
        if inside and isinstance(node, ast.Import | ast.ImportFrom):
            yield node.lineno
        function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        # An expression holds no statement.
        if not isinstance(node, ast.expr):
            yield from hidden_imports(node, inside=inside or function)


def test_the_contracts_hold() -> None:
    """The layers of `pyproject.toml`, checked by import-linter."""
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from importlinter.cli import lint_imports_command as run; run()",
            "--no-cache",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout


def test_the_sources_were_found() -> None:
    """The tests below would pass on an empty list."""
    found = {name_of(path) for path in SOURCES}
    assert {"app.py", "home.py", "engine/__init__.py", "ui/frame.py", "pages/quiz.py"} <= found


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_streamlit_is_imported_only_where_something_is_drawn(path: Path) -> None:
    """Elsewhere it would tie the engine, the lesson or the classroom to one way of showing them."""
    if name_of(path) == SPEAKS:
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if "import" in line.split()]
        assert all("streamlit" not in line or line.startswith("from streamlit.proto.") for line in lines)
    elif not name_of(path).startswith(DRAWS):
        assert not imported(path) & {"streamlit"}


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_no_import_hides_in_a_function(path: Path) -> None:
    """Such an import hides a cycle, and is paid for by whoever calls first."""
    assert list(hidden_imports(parsed(path))) == []


def test_a_hidden_import_is_noticed() -> None:
    """The check itself can fail."""
    source = "import os\nclass C:\n    import os\n    def f():\n        if True:\n            import os\n"
    assert list(hidden_imports(ast.parse(source))) == [6]


@pytest.mark.parametrize("path", sorted((ROOT / "engine").rglob("*.py")), ids=name_of)
def test_the_engine_stands_alone(path: Path) -> None:
    """NumPy, its number formats, its thread control and the standard library."""
    assert imported(path) - ENGINE_MAY_USE <= set(sys.stdlib_module_names)


@pytest.mark.parametrize("name", ["home.py", "app.py"])
def test_nothing_imports_a_page(name: str) -> None:
    """Pages are run by Streamlit, never imported."""
    assert not imported(ROOT / name) & {"pages", "home"}


@pytest.mark.parametrize("path", [ROOT / "home.py", *sorted((ROOT / "pages").glob("*.py"))], ids=name_of)
def test_a_page_keeps_no_cache_of_its_own(path: Path) -> None:
    """Streamlit runs a page's module anew at each change, so a cache in it is always empty."""
    assert "functools" not in imported(path)
