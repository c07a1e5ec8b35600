"""Loads what the pages import while the server answers already: a hall's phones need none of it."""

import asyncio
import contextlib
import gc
import importlib
import logging
from collections.abc import AsyncIterator, Iterable
from operator import attrgetter

__all__ = ["Warming"]

logger = logging.getLogger(__name__)


class Warming:
    """Modules on their way into memory, in a thread beside the server.

    Parameters
    ----------
    modules : iterable of str
        Names, in the order in which they are loaded.
    first : iterable of str
        What to call then, as `"module:name"`: it makes what the first visitor would wait for.
    """

    def __init__(self, modules: Iterable[str], first: Iterable[str] = ()) -> None:
        self._modules = tuple(modules)
        self._first = tuple(first)
        self.done = False
        """Whether all are loaded. It stays False if one cannot be: the log says which."""

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Load them beside what happens inside. Leaving waits for them."""
        loading = asyncio.create_task(asyncio.to_thread(self._load))
        try:
            yield
        finally:
            await loading

    def _load(self) -> None:
        for name in (*self._modules, *self._first):
            module, _, made = name.partition(":")
            try:
                loaded = importlib.import_module(module)
                if made:
                    attrgetter(made)(loaded)()
            except Exception:
                # Phones are served all the same, and the server never says that it is ready.
                logger.exception("%s cannot be loaded, so pages will fail", name)
                return
        # Streamlit may collect garbage after a run. Frozen, the libraries' objects are not walked again.
        gc.collect()
        gc.freeze()
        self.done = True
