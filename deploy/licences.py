"""Write the table of docs/licences.md anew, for everything that requirements.lock installs.

    python -m deploy.licences

They are what the installed packages say of themselves. One that says something new stops it, so that somebody
reads the terms.
"""

import re
import sys
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "requirements.lock"

# How packages name their licence, and the short name for it.
KNOWN = {
    "Apache-2.0": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "Apache-2.0 OR BSD-2-Clause": "Apache-2.0 or BSD-2-Clause",
    "BSD License": "BSD",
    "BSD-3-Clause": "BSD-3-Clause",
    "3-Clause BSD License": "BSD-3-Clause",
    "MIT": "MIT",
    "MIT License": "MIT",
    "MIT-CMU": "MIT-CMU",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "PSF-2.0": "PSF-2.0",
    "LGPL-3.0-only": "LGPL-3.0-only",
    "MIT AND PSF-2.0": "MIT and PSF-2.0",
    # NumPy, with what its wheel carries.
    "BSD-3-Clause AND 0BSD AND MIT AND Zlib AND CC0-1.0": "BSD-3-Clause and others",
}

DOCUMENT = ROOT / "docs/licences.md"
TABLE = "| package | version | licence |\n|---|---|---|\n"

__all__ = ["DOCUMENT", "LOCK", "TABLE", "licence_of", "locked", "table"]


def locked(text: str) -> dict[str, str]:
    """Return the packages of a lock file with their versions."""
    return dict(re.findall(r"^([a-z0-9._-]+)==([^ ;\\\n]+)", text, re.MULTILINE))


def licence_of(name: str) -> str:
    """Return a package's licence.

    Raises
    ------
    LookupError
        If it is not installed, says nothing, or says something that nobody has read yet.
    """
    try:
        told = metadata(name)
    except PackageNotFoundError as error:
        raise LookupError(f"{name} is not installed, so its licence is not known") from error
    classes = [
        line.split(" :: ")[-1] for line in told.get_all("Classifier") or [] if line.startswith("License")
    ]
    named = [(told.get_all(field) or [""])[0] for field in ("License-Expression", "License")]
    said = [named[0], ", ".join(sorted(classes)), named[1]]
    for each in filter(None, said):
        if each in KNOWN:
            return KNOWN[each]
    raise LookupError(
        f"{name} says {[str(each)[:80] for each in said if each]}; read its terms and add them to KNOWN"
    )


def table(text: str) -> str:
    """Return the list for a lock file."""
    lines = [f"| {name} | {version} | {licence_of(name)} |" for name, version in sorted(locked(text).items())]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write the table; what stands above it is written by hand."""
    before, head, _ = DOCUMENT.read_text(encoding="utf-8").partition(TABLE)
    try:
        DOCUMENT.write_text(before + head + table(LOCK.read_text(encoding="utf-8")), encoding="utf-8")
    except LookupError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
