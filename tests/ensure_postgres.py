"""Make sure that a PostgreSQL is there for the live room's tests, installing Debian's where none is found.

Only root can install it. Nothing is started here: the tests start a server of their own.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

__all__ = ["find_postgres"]

_DEBIAN = Path("/usr/lib/postgresql")


def find_postgres() -> Path | None:
    """Return the folder with `initdb` and `postgres`, or None."""
    folders = sorted(_DEBIAN.glob("*/bin"), reverse=True) if _DEBIAN.is_dir() else []
    for folder in folders:
        if (folder / "initdb").is_file() and (folder / "postgres").is_file():
            return folder
    on_path = shutil.which("initdb")
    return Path(on_path).resolve().parent if on_path and shutil.which("postgres") else None


def install_postgres() -> None:
    """Install Debian's package, without the server that it would start by itself."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "update", "-qq"], check=False, env=quiet)
    # This setting keeps the package from making and starting a server of the machine's own.
    setting = Path("/etc/postgresql-common/createcluster.conf")
    if not setting.exists():
        setting.parent.mkdir(parents=True, exist_ok=True)
        setting.write_text("create_main_cluster = false\n", encoding="utf-8")
    keep = ["-o", "Dpkg::Options::=--force-confold"]
    subprocess.run(["apt-get", "install", "-y", "-qq", *keep, "postgresql"], check=False, env=quiet)


def main() -> int:
    """Find or install PostgreSQL and say where it is."""
    if find_postgres() is None:
        install_postgres()
    found = find_postgres()
    if found is None:
        print("No PostgreSQL was found and none could be installed. Install the package postgresql.")
        return 1
    print(f"The live room's tests use the PostgreSQL in {found}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
