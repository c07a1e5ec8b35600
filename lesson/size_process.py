"""Run the lesson's example in a process of its own, and pass its reports on."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
# A run takes a second or two. Whatever takes so long has gone wrong.
LIMIT_S = 60.0

__all__ = ["LIMIT_S", "run_in_process"]

Report = dict[str, Any]


def run_in_process(
    tell: Callable[[Report], None], *, n: int | None = None, limit_s: float = LIMIT_S
) -> Report:
    """Run `lesson.size_run` and return its result.

    Parameters
    ----------
    tell : callable
        Gets each report of progress.
    n : int or None
        Queries and keys; None is the lesson's own size.
    limit_s : float
        The process is stopped after so many seconds.

    Raises
    ------
    RuntimeError
        If the process ends without a result; the message says how.
    """
    command = [sys.executable, "-m", "lesson.size_run", *([] if n is None else [str(n)])]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
        stop = threading.Timer(limit_s, process.kill)
        stop.start()
        try:
            report: Report = {}
            for line in process.stdout or ():
                report = json.loads(line)
                tell(report)
            trouble = process.stderr.read() if process.stderr else ""
        finally:
            stop.cancel()
            process.kill()
    if report.get("stage") != "done":
        last = trouble.strip().splitlines()[-1:] or [f"it was stopped after {limit_s:g} s"]
        raise RuntimeError(f"the run ended without a result: {last[0]}")
    return report
