"""Make sure that an nginx is there for the test of several replicas, installing Debian's where none is found.

Only root can install it. Nothing is started here.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

__all__ = ["find_nginx"]


def find_nginx() -> str | None:
    """Return the path of nginx, or None."""
    return shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")


def install_nginx() -> None:
    """Install Debian's smallest package, without the server that it would start by itself."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    # 101 tells Debian's scripts to start nothing. A policy that is there already is left alone.
    policy = Path("/usr/sbin/policy-rc.d")
    ours = not policy.exists()
    if ours:
        policy.write_text("#!/bin/sh\nexit 101\n", encoding="utf-8")
        policy.chmod(0o755)
    try:
        subprocess.run(["apt-get", "update", "-qq"], check=False, env=quiet)
        install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "nginx-light"]
        subprocess.run(install, check=False, env=quiet)
    finally:
        if ours:
            policy.unlink()


def main() -> int:
    """Find or install nginx and say where it is."""
    if find_nginx() is None:
        install_nginx()
    found = find_nginx()
    if found is None:
        print(
            "No nginx was found and none could be installed. Install the package nginx-light.",
            file=sys.stderr,
        )
        return 1
    print(f"The test of several replicas uses {found}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
