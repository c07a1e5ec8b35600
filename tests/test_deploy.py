"""What is shipped for running the app: the lock, the image, and that the examples agree with them."""

import re
import tomllib
from typing import Any

import pytest
import yaml

from deploy.health import ready_url
from deploy.licences import DOCUMENT, TABLE, locked
from serving.affinity import COOKIE
from tests.conftest import ROOT


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pinned(name: str) -> dict[str, str]:
    """Return the versions that a list pins, extras left out."""
    found = re.findall(r"^([A-Za-z0-9._-]+)(?:\[[a-z,]+\])?==(\S+)", read(name), re.MULTILINE)
    return {normal(package): version for package, version in found}


def test_the_lock_has_what_the_lists_pin_and_nothing_else() -> None:
    lock = locked(read("requirements.lock"))
    wanted, pins = pinned("requirements.txt"), pinned("constraints.txt")
    assert wanted and wanted.items() <= lock.items(), set(wanted.items()) - set(lock.items())
    rest = {name: version for name, version in lock.items() if name not in wanted}
    unpinned = {name: version for name, version in rest.items() if pins.get(name) != version}
    assert unpinned == {}, "run `make lock`, or pin these in constraints.txt"


def test_every_package_of_the_lock_has_hashes() -> None:
    blocks = re.split(r"^(?=[a-z0-9][a-z0-9._-]*==)", read("requirements.lock"), flags=re.MULTILINE)[1:]
    assert len(blocks) == len(locked(read("requirements.lock"))) > 30
    for block in blocks:
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", block), block[:60]


def test_every_package_of_the_lock_has_its_licence_listed() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    rows = text.partition(TABLE)[2].splitlines()
    listed = dict(tuple(cell.strip() for cell in row.split("|")[1:3]) for row in rows)
    assert listed == locked(read("requirements.lock")), "run `python -m deploy.licences`"
    assert all(row.split("|")[3].strip() for row in rows)


def test_the_image_gets_every_module_and_no_test() -> None:
    """The folders that the running app imports from, and the files that it reads, pass .dockerignore."""
    kept = [line[1:] for line in read(".dockerignore").splitlines() if line.startswith("!")]
    contract = re.search(r"^root_packages = \[(.*)\]", read("pyproject.toml"), re.MULTILINE)
    assert contract is not None
    for package in re.findall(r'"(\w+)"', contract[1]):
        assert any(line.split("/")[0] == package for line in kept), package
    for name in (
        "app.py",
        "home.py",
        "pyproject.toml",
        "requirements.lock",
        "docs/notation.md",
        "serving/**",
    ):
        assert name in kept
    assert not any(line.startswith(("tests", ".git", "bench/*", "data")) for line in kept)


def user_of_image() -> tuple[str, str]:
    found = re.search(r"^USER (\d+):(\d+)$", read("Dockerfile"), re.MULTILINE)
    assert found is not None
    return found[1], found[2]


def test_compose_runs_each_replica_without_rights() -> None:
    compose: dict[str, Any] = yaml.safe_load(read("deploy/compose.yaml"))
    services = compose["services"]
    replicas = {name: service for name, service in services.items() if name.startswith("app-")}
    lines = re.findall(r"^server (app-\d+):8501 ", read("deploy/nginx/replicas.conf"), re.MULTILINE)
    assert sorted(lines) == sorted(replicas)
    user, group = user_of_image()
    for service in (*replicas.values(), services["proxy"]):
        assert service["read_only"] is True and service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
    for service in replicas.values():
        assert f"/data:uid={user},gid={group}" in service["tmpfs"]
        assert service["environment"]["TILEWISE_REPLICAS"] == str(len(replicas))
        assert "ports" not in service and service["networks"] == ["inside"]
        assert "${POSTGRES_PASSWORD:?" in service["environment"]["DATABASE_URL"]
    assert compose["networks"]["inside"]["internal"] is True
    assert "ports" not in services["database"]


def test_kubernetes_agrees_with_the_image_and_with_nginx() -> None:
    parts = {part["kind"]: part for part in yaml.safe_load_all(read("deploy/kubernetes.yaml")) if part}
    pod = parts["Deployment"]["spec"]["template"]["spec"]
    user, group = user_of_image()
    assert (str(pod["securityContext"]["runAsUser"]), str(pod["securityContext"]["runAsGroup"])) == (
        user,
        group,
    )
    (app,) = pod["containers"]
    assert app["securityContext"]["readOnlyRootFilesystem"] and app["securityContext"]["capabilities"] == {
        "drop": ["ALL"]
    }
    assert app["ports"][0]["containerPort"] == 8501 and app["readinessProbe"]["httpGet"]["path"] == "/readyz"
    assert {mount["mountPath"] for mount in app["volumeMounts"]} == {"/tmp", "/data"}
    values = {entry["name"]: entry.get("value") for entry in app["env"]}
    assert values["TILEWISE_REPLICAS"] == str(parts["Deployment"]["spec"]["replicas"])
    annotations = parts["Ingress"]["metadata"]["annotations"]
    assert annotations["nginx.ingress.kubernetes.io/upstream-hash-by"] == f"$cookie_{COOKIE}"
    assert f"map $cookie_{COOKIE} $learner" in read("deploy/nginx/nginx.conf")


def test_the_health_check_asks_where_the_app_is(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ready_url() == "http://127.0.0.1:8501/readyz"
    monkeypatch.setenv("STREAMLIT_SERVER_PORT", "9000")
    monkeypatch.setenv("STREAMLIT_SERVER_BASE_URL_PATH", "/lesson/")
    assert ready_url() == "http://127.0.0.1:9000/lesson/readyz"


def test_the_server_is_set_for_strangers() -> None:
    """Each of these has been measured or is a door that must stay shut; docs/operations.md says why."""
    settings = tomllib.loads(read(".streamlit/config.toml"))
    server = settings["server"]
    assert server["enableXsrfProtection"] is True and server["fileWatcherType"] == "none"
    assert server["maxUploadSize"] <= 5
    assert settings["runner"]["postScriptGC"] is False
    assert settings["browser"]["gatherUsageStats"] is False
    assert settings["client"]["showErrorDetails"] == "type" and settings["client"]["toolbarMode"] == "viewer"
    assert settings["logger"]["hideWelcomeMessage"] is True
