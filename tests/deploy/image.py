"""Build the shipped Dockerfile without a container engine, with Debian's buildah and debootstrap, as root.

    python -m tests.deploy.image

The base is a small local Debian with Python, made once and kept. Prints what the image adds to it.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
STORE = Path(os.environ.get("TILEWISE_IMAGE_STORE", "/var/cache/tilewise-image"))
SUITE = "bookworm"
MIRROR = os.environ.get("TILEWISE_DEBIAN_MIRROR", "http://deb.debian.org/debian")
BASE = f"localhost/tilewise-base:{SUITE}"
IMAGE = "localhost/tilewise:test"
# The program that is looked for, and the Debian package that has it.
TOOLS = {"buildah": "buildah", "debootstrap": "debootstrap", "ip": "iproute2", "setpriv": "util-linux"}
CERTIFICATES = Path("/etc/ssl/certs")


@dataclass(frozen=True)
class Image:
    """A built image, unpacked.

    Attributes
    ----------
    root : Path
        Its file system.
    config : dict
        What it says about itself: Env, User, Cmd, Labels and so on, as the Docker image format names them.
    added_bytes : int
        What it holds beyond its base, uncompressed.
    """

    root: Path
    config: dict[str, Any]
    added_bytes: int


def buildah(*arguments: str, quiet: bool = False) -> str:
    """Run buildah on the store of these tests and return what it prints."""
    command = ["buildah", "--storage-driver", "vfs"]
    command += ["--root", str(STORE / "layers"), "--runroot", str(STORE / "run"), *arguments]
    environment = {**os.environ, "BUILDAH_ISOLATION": "chroot"}
    done = subprocess.run(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL if quiet else None,
        text=True,
        check=False,
        cwd=ROOT,
    )
    if done.returncode and not quiet:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout.strip() if not done.returncode else ""


def install_tools() -> None:
    """Install what the build needs where it is missing.

    Raises
    ------
    RuntimeError
        If this is no root on a Debian system.
    """
    if os.geteuid() != 0:
        raise RuntimeError("building the image without an engine needs root")
    missing = [package for tool, package in TOOLS.items() if shutil.which(tool) is None]
    if not missing:
        return
    if shutil.which("apt-get") is None:
        raise RuntimeError(f"{', '.join(missing)} not found, and there is no apt-get to install it with")
    subprocess.run(["apt-get", "update", "-qq"], check=True)
    subprocess.run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing], check=True)


def make_base() -> None:
    """Make the local base image, unless the store has it."""
    if buildah("images", "--quiet", BASE, quiet=True):
        return
    # In memory where there is room: unpacking a package waits for the disk after every file.
    memory = Path("/dev/shm")
    roomy = memory.is_dir() and shutil.disk_usage(memory).free > 2 << 30
    with tempfile.TemporaryDirectory(dir=memory if roomy else STORE) as folder:
        system = Path(folder) / "root"
        subprocess.run(
            [
                "debootstrap",
                "--variant=minbase",
                "--include=python3,python3-venv,ca-certificates",
                SUITE,
                str(system),
                MIRROR,
            ],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        shutil.rmtree(system / "var/cache/apt", ignore_errors=True)
        shutil.rmtree(system / "var/lib/apt/lists", ignore_errors=True)
        container = buildah("from", "scratch")
        buildah("add", "--quiet", container, str(system), "/")
        buildah("commit", "--quiet", "--rm", "--format", "docker", container, BASE)


def revision() -> str:
    """Return the commit that is built, "unknown" outside a checkout."""
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def build() -> None:
    """Build the Dockerfile at the project's root on the local base."""
    buildah(
        "bud",
        "--quiet",
        *("--format", "docker"),
        *("--tag", IMAGE),
        *("--build-arg", f"PYTHON_IMAGE={BASE}"),
        *("--build-arg", f"REVISION={revision()}"),
        # The authorities that this machine trusts, should the package index be behind one of its own.
        *(("--volume", f"{CERTIFICATES}:{CERTIFICATES}:ro") if CERTIFICATES.is_dir() else ()),
        *("--file", str(ROOT / "Dockerfile")),
        str(ROOT),
    )


def tree_bytes(root: Path) -> int:
    """Return the sizes of a tree's files, added up; a file with several names counts once."""
    seen, total = set(), 0
    for folder, _, names in os.walk(root):
        for name in names:
            status = os.lstat(os.path.join(folder, name))
            if (status.st_dev, status.st_ino) not in seen:
                seen.add((status.st_dev, status.st_ino))
                total += status.st_size
    return total


def unpacked(name: str) -> tuple[str, Path]:
    """Return a container made from an image, and where its files lie."""
    container = buildah("from", "--pull-never", name)
    return container, Path(buildah("mount", container))


def tidy() -> None:
    """Remove working containers that an ended run left in the store, and images that a newer one replaced."""
    for container in buildah("containers", "--quiet").split():
        buildah("rm", container)
    buildah("rmi", "--prune", quiet=True)


def unpack() -> Image:
    """Return the image that `build` made, its files ready to be run."""
    base, base_root = unpacked(BASE)
    base_bytes = tree_bytes(base_root)
    buildah("rm", base)
    _, root = unpacked(IMAGE)
    held = json.loads(buildah("inspect", "--type", "image", IMAGE))
    return Image(root, held["Docker"]["config"], tree_bytes(root) - base_bytes)


def make() -> Image:
    """Build everything and return the image, printing how long each part took."""
    STORE.mkdir(parents=True, exist_ok=True)
    install_tools()
    for part in (make_base, build, tidy):
        began = time.monotonic()
        part()
        print(f"{part.__name__}: {time.monotonic() - began:.0f} s", flush=True)
    return unpack()


if __name__ == "__main__":
    try:
        made = make()
    except RuntimeError as error:
        sys.exit(str(error))
    print(f"{IMAGE}: {made.added_bytes / 1e6:.0f} MB over its base, files at {made.root}")
