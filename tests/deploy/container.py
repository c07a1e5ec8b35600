"""Run an unpacked image as an engine would: its user and settings, a read-only root, processes of its own."""

import json
import os
import signal
import subprocess
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from tests.deploy.image import Image

# Mounts and capabilities are set up as root in namespaces of their own; then the image's user takes over.
# Given: root, mount point, data folder, user, group, working folder; then the environment and the command.
ENTER = """
set -eu
root=$1 at=$2 data=$3 user=$4 group=$5 folder=$6; shift 6
ip link set lo up
mount --bind "$root" "$at"
mount -o remount,ro,bind "$at"
mount -t proc proc "$at/proc"
mount -t tmpfs -o mode=1777 tmp "$at/tmp"
mount -t tmpfs dev "$at/dev"
for name in null zero full random urandom; do
  touch "$at/dev/$name"
  mount --bind "/dev/$name" "$at/dev/$name"
done
ln -s /proc/self/fd "$at/dev/fd"
mkdir -m 1777 "$at/dev/shm"
mount --bind "$data" "$at/data"
exec chroot "$at" /usr/bin/setpriv --reuid "$user" --regid "$group" --clear-groups --no-new-privs \
  --bounding-set=-all --inh-caps=-all /usr/bin/env --ignore-environment --chdir "$folder" "$@"
"""


@dataclass
class Container:
    """A started image.

    Attributes
    ----------
    process : subprocess.Popen
        The one that waits for the container.
    url : str
        Where it serves, from inside its own network.
    log : Path
        What it printed.
    environment : list of str
        What it was given, as NAME=value.
    """

    image: Image
    process: subprocess.Popen[bytes]
    url: str
    log: Path
    environment: list[str]

    def pid(self) -> int:
        """Return the pid, outside, of the process that is number 1 inside.

        Raises
        ------
        LookupError
            While there is none yet, or no more.
        """
        task = Path(f"/proc/{self.process.pid}/task/{self.process.pid}")
        try:
            return int((task / "children").read_text(encoding="ascii").split()[0])
        except (IndexError, OSError) as error:
            raise LookupError("the container has no process 1") from error

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command inside, as the image's user."""
        user, group = self.image.config["User"].split(":")
        inside = ["nsenter", "--target", str(self.pid()), "--all", "--root", "--wd"]
        inside += ["setpriv", "--reuid", user, "--regid", group, "--clear-groups", "--no-new-privs"]
        inside += ["env", "--ignore-environment", "--chdir", self.image.config["WorkingDir"]]
        inside += [*self.environment, *command]
        return subprocess.run(inside, capture_output=True, text=True, check=False, timeout=60)

    def healthy(self) -> bool:
        """Run the image's own health check."""
        try:
            return self.run(*self.image.config["Healthcheck"]["Test"][1:]).returncode == 0
        except LookupError:
            return False

    def wait_until_healthy(self) -> float:
        """Return how many seconds it took from now.

        Raises
        ------
        RuntimeError
            If it ends first, or takes over a minute; the message holds its log.
        """
        began = time.monotonic()
        while time.monotonic() - began < 60 and self.process.poll() is None:
            if self.healthy():
                return time.monotonic() - began
            time.sleep(0.1)
        raise RuntimeError(f"the container did not get healthy:\n{self.log.read_text(encoding='utf-8')}")

    def cpu_s(self) -> float:
        """Return the processor time that process 1 has taken, in seconds."""
        fields = Path(f"/proc/{self.pid()}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> tuple[int, float]:
        """Ask it to end as an engine does, and return its exit status and how many seconds that took."""
        began = time.monotonic()
        try:
            os.kill(self.pid(), signal.SIGTERM)
        except LookupError:
            # Not that far yet, or gone already.
            self.process.kill()
        try:
            status = self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait(20)
        return status, time.monotonic() - began


def environment(image: Image, changes: dict[str, str] | None = None) -> list[str]:
    """Return the image's environment as NAME=value, with changes."""
    values = dict(entry.split("=", 1) for entry in image.config["Env"])
    return [f"{name}={value}" for name, value in {**values, **(changes or {})}.items()]


def start(
    image: Image,
    folder: Path,
    data: Path,
    *,
    port: int = 8501,
    network: bool = False,
    command: tuple[str, ...] = (),
) -> Container:
    """Start an image.

    Parameters
    ----------
    image : Image
    folder : Path
        An empty folder for the mount point and the log.
    data : Path
        What lies at /data.
    port : int
    network : bool
        Whether it shares this machine's network. Else it has a loopback device and nothing besides.
    command : tuple of str
        What to run; the image's own command by default.
    """
    at = folder / "root"
    at.mkdir(parents=True)
    log = folder / "log"
    user, group = image.config["User"].split(":")
    arguments = [str(image.root), str(at), str(data), user, group, image.config["WorkingDir"]]
    given = environment(image, {"STREAMLIT_SERVER_PORT": str(port)})
    arguments += given
    arguments += command or tuple(image.config["Cmd"])
    apart = [
        "unshare",
        "--mount",
        "--pid",
        "--fork",
        "--kill-child=SIGKILL",
        *(() if network else ("--net",)),
    ]
    with log.open("wb") as out:
        process = subprocess.Popen(
            [*apart, "bash", "-c", ENTER, "enter", *arguments], stdout=out, stderr=subprocess.STDOUT
        )
    return Container(image, process, f"http://127.0.0.1:{port}", log, given)


def ready(url: str) -> dict[str, str]:
    """Return what the readiness route says, {} while it cannot be reached."""
    try:
        with urllib.request.urlopen(f"{url}/readyz", timeout=4) as answer:
            return dict(json.loads(answer.read()))
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return {}
