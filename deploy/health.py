"""Exit with 0 if the app in this container answers and its database does, else with 1.

Standard library only, because it runs every half minute.
"""

import os
import sys
import urllib.error
import urllib.request

TIMEOUT_S = 4


def ready_url() -> str:
    """Return the address of the readiness route, under the port and the base path that the app was given."""
    port = os.environ.get("STREAMLIT_SERVER_PORT", "8501")
    base = os.environ.get("STREAMLIT_SERVER_BASE_URL_PATH", "").strip("/")
    return f"http://127.0.0.1:{port}/{base + '/' if base else ''}readyz"


def main() -> int:
    """Ask once."""
    try:
        with urllib.request.urlopen(ready_url(), timeout=TIMEOUT_S) as answer:
            print(answer.read().decode())
    except (urllib.error.URLError, OSError) as error:
        print(f"not ready: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
