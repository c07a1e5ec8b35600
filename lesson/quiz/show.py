"""The link that settles a question: a frame of the stage, a state of the calculator, or a part of a page."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

from engine import Step, Trace, trace_attention
from lesson.inputs import load
from lesson.words import load_words

__all__ = ["Show", "at_frame", "in_calculator", "on_page", "trace_of"]

# What the stage's page calls the engine's options.
_RUN_NAMES = {
    "block_q": "run_bq",
    "block_k": "run_bk",
    "causal": "run_mask",
    "order": "run_order",
    "storage": "run_storage",
    "direction": "run_direction",
    "mistake": "run_mistake",
}


@dataclass(frozen=True)
class Show:
    """A page with the settings that stand in its address.

    Attributes
    ----------
    page : str
        Its key in the outline.
    query : tuple of (str, str)
        Settings, only those that differ from the page's defaults or that the question is about.
    label : str
        What the link says.
    """

    page: str
    query: tuple[tuple[str, str], ...]
    label: str

    @property
    def href(self) -> str:
        """The address, relative to the app's root."""
        return f"{self.page}?{urlencode(self.query)}" if self.query else self.page


@lru_cache(maxsize=32)
def trace_of(input_key: str, **options: Any) -> Trace:
    """Record the run that `at_frame` links to. The last few are kept, since many questions share a run.

    Parameters
    ----------
    input_key : str
        A key of the catalogue.
    **options
        What differs from the input's own options.
    """
    given = load(input_key)
    return trace_attention(
        given.q, given.k, given.v, tokens=(given.tokens_q, given.tokens_k), **(given.options() | options)
    )


def at_frame(input_key: str, step: int | Callable[[Step], bool], **options: Any) -> Show:
    """Link to one frame of a run.

    Parameters
    ----------
    input_key : str
    step : int or callable
        The 0-based step, or what is true of the first one wanted.
    **options
        Options of the engine that differ from the input's own; the stage's page has a menu for each.

    Raises
    ------
    ValueError
        If no step is wanted.
    """
    if callable(step):
        found = next((i for i, each in enumerate(trace_of(input_key, **options).steps) if step(each)), None)
        if found is None:
            raise ValueError(f"no step of {input_key!r} with {options} is the one to show")
        step = found
    name, _, head = input_key.partition(".")
    query = [("run_input", name)] + ([("run_head", head)] if head else [])
    for option, value in options.items():
        query.append((_RUN_NAMES[option], "none" if value is None else str(value)))
    return Show("step_through", (*query, ("step", str(step))), load_words("quiz_player").say("show", "frame"))


def in_calculator(part: str, **values: object) -> Show:
    """Link to a state of the calculator: its part and the fields that matter, without their prefix."""
    query = [("calc_part", part), *((f"calc_{name}", str(value)) for name, value in values.items())]
    return Show("calculator", tuple(query), load_words("quiz_player").say("show", "calculator"))


def on_page(page: str, **query: object) -> Show:
    """Link to a page, with settings in its address."""
    pairs = tuple((name, str(value)) for name, value in query.items())
    return Show(page, pairs, load_words("quiz_player").say("show", page))
