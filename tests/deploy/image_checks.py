"""The container, built and run: what it says of itself, what it may do, and one lesson path in Chromium.

Run by `make image-test`, as root; its name keeps it out of `make test`.
"""

import os
import re
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import watch
from tests.conftest import ROOT, free_port
from tests.deploy.container import Container, ready, start
from tests.deploy.image import Image, make

MAX_ADDED_BYTES = 700_000_000
MAX_START_S = 10
MAX_STOP_S = 5


@pytest.fixture(scope="module")
def image() -> Image:
    """The shipped Dockerfile, built."""
    return make()


@pytest.fixture
def data(image: Image, tmp_path: Path) -> Path:
    """A new volume: an engine copies the owner of the folder that it is mounted over."""
    folder = tmp_path / "data"
    folder.mkdir()
    like = (image.root / "data").stat()
    os.chown(folder, like.st_uid, like.st_gid)
    folder.chmod(stat.S_IMODE(like.st_mode))
    # pytest's folders are closed to everyone but their owner.
    for above in [*list(tmp_path.parents)[:2], tmp_path]:
        above.chmod(above.stat().st_mode | 0o011)
    return folder


@pytest.fixture
def started(image: Image, tmp_path: Path, data: Path) -> Iterator[Callable[..., Container]]:
    """A function that starts the image; what it started is stopped at the end."""
    running: list[Container] = []

    def begin(**options: object) -> Container:
        folder = tmp_path / f"container-{len(running)}"
        container = start(image, folder, data, **options)  # type: ignore[arg-type]
        running.append(container)
        return container

    yield begin
    for container in running:
        container.stop()


def test_what_the_image_says_of_itself(image: Image) -> None:
    config = image.config
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", config["User"])
    assert list(config["Volumes"]) == ["/data"]
    assert list(config["ExposedPorts"]) == ["8501/tcp"]
    assert config["Healthcheck"]["Test"] == ["CMD", "python3", "deploy/health.py"]
    assert config["Cmd"] == ["python3", "deploy/serve.py"] and not config.get("Entrypoint")
    labels = config["Labels"]
    assert labels["org.opencontainers.image.licenses"] == "Apache-2.0"
    assert re.fullmatch(r"[0-9a-f]{40}|unknown", labels["org.opencontainers.image.revision"])


def test_it_is_small_and_holds_only_what_runs(image: Image) -> None:
    print(f"{image.added_bytes:,} bytes over the base")
    assert image.added_bytes <= MAX_ADDED_BYTES, f"{image.added_bytes:,} bytes"
    top = {path.name for path in (image.root / "app").iterdir()}
    assert not top & {"tests", ".git", ".venv", "data", "requirements-dev.txt", "Makefile"}, top
    assert not list((image.root / "opt/venv").glob("lib/python*/site-packages/pip"))


def test_the_app_can_change_nothing_but_its_data(image: Image) -> None:
    """By owner and mode alone, before any read-only root."""
    user, group = (int(part) for part in image.config["User"].split(":"))
    open_to_it = []
    for top in ("app", "opt"):
        for folder, folders, names in os.walk(image.root / top):
            for path in (Path(folder) / name for name in (*folders, *names, ".")):
                status = path.lstat()
                writable = status.st_mode & stat.S_IWOTH and not stat.S_ISLNK(status.st_mode)
                if status.st_uid == user or status.st_gid == group or writable:
                    open_to_it.append(path)
    assert not open_to_it
    assert (image.root / "data").stat().st_uid == user


def test_alone_on_a_read_only_root(started: Callable[..., Container], data: Path) -> None:
    """Without any network it gets healthy in time, as an ordinary process 1, and ends when asked to."""
    container = started()
    waited = container.wait_until_healthy()
    used = container.cpu_s()
    print(f"healthy after {waited:.1f} s, of which {used:.1f} s of processor time")
    # Processor time, because other programs share the machine and a wall clock would measure them.
    assert used <= MAX_START_S
    wrote = container.run("python3", "-c", "open('/app/x', 'w')")
    assert wrote.returncode == 1 and "Read-only file system" in wrote.stderr
    said = container.run("python3", "-c", "import os; print(os.getuid(), os.getgid(), os.getgroups())")
    user, group = container.image.config["User"].split(":")
    assert said.stdout.split("\n")[0] in (f"{user} {group} []", f"{user} {group} [{group}]")
    # The backup that docs/operations.md gives, word for word.
    told = re.search(r'python3 -c "(.*)"$', (ROOT / "docs/operations.md").read_text(encoding="utf-8"), re.M)
    assert told is not None
    backed_up = container.run("python3", "-c", told[1].replace('\\"', '"'))
    assert backed_up.returncode == 0, backed_up.stderr
    with closing(sqlite3.connect(data / "backup.db")) as copy:
        assert copy.execute("SELECT count(*) FROM schema_version").fetchone() == (1,)
    status = Path(f"/proc/{container.pid()}/status").read_text(encoding="ascii")
    assert re.search(r"^CapEff:\s+0+$", status, re.MULTILINE)
    assert re.search(r"^NoNewPrivs:\s+1$", status, re.MULTILINE)
    ended, took = container.stop()
    print(f"ended with {ended} after {took:.1f} s")
    assert ended in (0, 143) and took < MAX_STOP_S
    log = container.log.read_text(encoding="utf-8")
    assert "Traceback" not in log and "Error" not in log, log


def test_a_data_folder_that_cannot_be_written_stops_it_with_one_sentence(
    started: Callable[..., Container], data: Path
) -> None:
    os.chown(data, 0, 0)
    data.chmod(0o755)
    container = started()
    assert container.process.wait(60) == 1
    log = container.log.read_text(encoding="utf-8").strip()
    assert log.startswith("Tilewise cannot start:") and "/data" in log and len(log.splitlines()) == 1, log


def test_a_whole_lesson_path(started: Callable[..., Container], page: Page) -> None:
    """The lesson, the stage, the calculator and the check, and then the end while a browser is connected."""
    container = started(port=free_port(), network=True)
    container.wait_until_healthy()
    trouble = watch(page)
    page.goto(container.url)
    stage = page.get_by_test_id("stage")
    expect(stage).to_be_visible()
    stage.get_by_role("button", name="Next rescale").click()
    expect(stage).to_have_attribute("data-kind", "rescale")
    for path, seen in [
        ("step_through", "Watch it run"),
        ("calculator", "Count the bytes"),
        ("exactness", "Exactness"),
        ("evidence", "Evidence"),
        ("quiz", "Check yourself"),
        ("reference", "Reference"),
    ]:
        page.goto(f"{container.url}/{path}")
        expect(page.get_by_role("heading", name=seen, level=1)).to_be_visible()
        expect(page.locator('[data-testid="stStatusWidget"]')).to_have_count(0)
        expect(page.locator('[data-testid="stException"]')).to_have_count(0)
    assert not trouble.errors and not trouble.outside(container.url)
    assert ready(container.url).get("status") == "ready"
    ended, took = container.stop()
    print(f"ended with {ended} after {took:.1f} s with a browser connected")
    assert ended in (0, 143) and took < MAX_STOP_S
    log = container.log.read_text(encoding="utf-8")
    assert "Traceback" not in log, log
