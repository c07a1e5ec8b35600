"""Start the app in its container: see that settings and folder are right, then become the server."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Python puts this file's own folder on the path; the app's modules lie one up.
sys.path.insert(0, str(ROOT))

from classroom.folder import check_folder  # noqa: E402 - needs the path above
from serving.start import check_start  # noqa: E402


def main() -> None:
    """Become the server, or end with one sentence if a setting is wrong or the data folder cannot be used.

    Raises
    ------
    SystemExit
        With the sentence.
    """
    folder = check_start().folder
    if folder is not None:
        try:
            check_folder(folder)
        except RuntimeError as error:
            raise SystemExit(f"Tilewise cannot start: {error}") from error
    os.chdir(ROOT)
    # Replaces this process, so that the container's signals reach the server itself.
    os.execv(sys.executable, [sys.executable, "-m", "streamlit", "run", "app.py", *sys.argv[1:]])


if __name__ == "__main__":
    main()
