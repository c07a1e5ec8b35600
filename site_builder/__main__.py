"""Build the static site from the command line."""

import argparse
import sys
from pathlib import Path

from site_builder.build import build


def main(arguments: list[str] | None = None) -> int:
    """Write the site and report its size."""
    parser = argparse.ArgumentParser(prog="python -m site_builder", description=__doc__)
    parser.add_argument("folder", type=Path, help="where to write it")
    parser.add_argument("--app", default="", metavar="URL", help="where the whole app runs, if anywhere")
    asked = parser.parse_args(arguments)
    try:
        sizes = build(asked.folder, asked.app)
    except ValueError as error:
        print(f"site: {error}", file=sys.stderr)
        return 1
    total = sum(sizes.values())
    print(f"{asked.folder}: {len(sizes)} files, {total / 1e6:.1f} MB ({total / 2**20:.1f} MiB)")
    for name in ("index.html", "quiz.html", "parts/stage.js"):
        print(f"  {name}: {sizes[name] / 1e3:.0f} kB")
    print(f"Open {asked.folder / 'index.html'}, or put the folder on any file server.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
