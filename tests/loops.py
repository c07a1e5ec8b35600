"""Coroutines in tests that have no loop of their own."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

__all__ = ["finish"]

Result = TypeVar("Result")


def finish(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine to its end and return what it gives.

    In a thread of its own: after the first browser test of a process, Playwright's loop runs in the main one.
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()
