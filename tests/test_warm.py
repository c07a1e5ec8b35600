"""Modules are loaded beside the server, and it is ready only once all of them are."""

import gc
import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import app
from serving.warm import Warming
from tests.conftest import ROOT
from tests.loops import finish

# In a process of its own: here, other tests have loaded the pages' modules already.
VISIT_EARLY = """
import asyncio, sys
from starlette.requests import Request
import app
for path in sys.argv[1:]:
    request = Request({"type": "http", "method": "GET", "path": path, "headers": [], "query_string": b""})
    answer = asyncio.run(app.open_page(request))
    assert not app.warming.done
    print(path, answer.status_code, answer.body.count(b"modulepreload"))
"""


@pytest.fixture(autouse=True)
def thawed() -> Iterator[None]:
    """Undo the freezing of what was loaded so far, which would keep it out of every later collection."""
    yield
    gc.unfreeze()


def warmed(names: list[str]) -> tuple[Warming, bool]:
    """Run a warm-up, and return it with whether it was done while the server was still starting."""
    warming = Warming(names)

    async def serve() -> bool:
        async with warming.running():
            return warming.done

    return warming, finish(serve())


def test_the_server_goes_on_while_modules_are_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "slow_to_load.py").write_text(
        "import time\ntime.sleep(0.2)\nloaded = True\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(tmp_path)
    warming, early = warmed(["slow_to_load"])
    assert not early and warming.done
    assert sys.modules.pop("slow_to_load").loaded


def test_a_module_that_cannot_be_loaded_is_named_once_and_nothing_is_ever_ready(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.ERROR, "serving.warm"):
        warming, _ = warmed(["tilewise_has_no_such_module", "json"])
    assert not warming.done
    assert [record.message for record in caplog.records] == [
        "tilewise_has_no_such_module cannot be loaded, so pages will fail"
    ]


def test_every_page_finds_its_modules_warm() -> None:
    """All that is warmed exists."""
    warming, _ = warmed([*app.WARM_MODULES, *app.WARM_FIRST])
    assert warming.done


def test_what_a_first_visitor_would_wait_for_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "first_needs.py").write_text(
        "made = []\nclass page:\n    def warm():\n        made.append(1)\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert warmed(["first_needs:page.warm"])[0].done
    assert sys.modules.pop("first_needs").made == [1]
    with caplog.at_level(logging.ERROR, "serving.warm"):
        assert not warmed(["first_needs:page.cool"])[0].done
    assert "first_needs:page.cool cannot be loaded" in caplog.text


def test_a_visitor_who_comes_before_the_pages_are_loaded_gets_the_page() -> None:
    """Hints name only what is registered by then. They named the stage, and the answer was an error."""
    # The lesson's own page comes last: what it needs would be registered for the other, were it too early.
    paths = ["/step_through", "/"]
    told = subprocess.run(
        [sys.executable, "-c", VISIT_EARLY, *paths], cwd=ROOT, capture_output=True, text=True, check=False
    )
    answers = [line.split() for line in told.stdout.splitlines()[-len(paths) :]]
    assert [answer[:2] for answer in answers] == [[path, "200"] for path in paths], told.stderr
    assert all(int(hints) > 0 for _, _, hints in answers)
