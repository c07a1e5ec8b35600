"""Named places in the app that the lesson's text leads to, each found by running what it shows.

A text says `{{frame_first_rescale}}`. Which step that is follows from the recorded
run, so it cannot go stale.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache
from urllib.parse import quote, urlencode

from engine import Trace, attention, trace_attention
from engine.one_row import Method, softmax_row
from lesson.inputs import DEFAULT_KEY, load
from lesson.softmax_row import row_text
from lesson.softmax_text import load_row_text
from lesson.words import load_words

VALUE_PREFIX = "frame_"

__all__ = ["Place", "default_trace", "frame_values", "place", "place_names"]


@dataclass(frozen=True)
class Place:
    """Somewhere to go.

    Attributes
    ----------
    name : str
    label : str
        What the link says.
    page : str
        The page's key, which is its address.
    query : mapping of str to str
        Its settings.
    step : int or None
        The step of the lesson's own stage that shows the same, if it does: then nothing has to be opened.
    """

    name: str
    label: str
    page: str
    query: Mapping[str, str]
    step: int | None = None

    @property
    def href(self) -> str:
        """The address, relative to the app's."""
        return f"./{self.page}" + (f"?{urlencode(self.query, quote_via=quote)}" if self.query else "")

    @property
    def markdown(self) -> str:
        """The link as Markdown."""
        return f"[{self.label}]({self.href})"


@cache
def default_trace(direction: str = "forward") -> Trace:
    """Return the run that the lesson's stage plays, or its backward."""
    given = load(DEFAULT_KEY)
    options = given.options()
    if direction == "backward":
        options |= {"direction": direction, "d_o": attention(given.q, given.k, given.v, **options)[0]}
    return trace_attention(given.q, given.k, given.v, tokens=given.tokens, **options)


def _first(kind: str, direction: str = "forward") -> int:
    return next(index for index, step in enumerate(default_trace(direction).steps) if step.kind == kind)


def _still() -> int:
    """The first rescale in which no query's maximum rises, after its first tile."""
    for index, step in enumerate(default_trace().steps):
        if step.kind == "rescale" and step.tile[1] and (step.work["alpha"] == 1).all():
            return index
    raise LookupError("in the default run every later tile raises a maximum")


def _key_tiles_read_again() -> int:
    """The first load of a key tile that was on chip before."""
    seen: set[int | None] = set()
    for index, step in enumerate(default_trace().steps):
        if step.kind == "load_kv":
            if step.tile[1] in seen:
                return index
            seen.add(step.tile[1])
    raise LookupError("in the default run no key tile is loaded twice")


def _stage(step: int) -> tuple[str, dict[str, str], int | None]:
    return "step_through", {"step": str(step)}, step


def _elsewhere(page: str, **query: str) -> tuple[str, dict[str, str], int | None]:
    return page, query, None


def _row(method: Method, preset: str, *, rescales: bool = False) -> tuple[str, dict[str, str], int | None]:
    """A step of the one-row player: the first that rescales, or the last of the sums."""
    row = next(each.row for each in load_row_text()[1] if each.key == preset)
    frames = softmax_row(row, method).frames
    shrinks = [i for i, frame in enumerate(frames, start=1) if i > 1 and frame.alpha < 1]
    sums = [i for i, frame in enumerate(frames, start=1) if frame.phase == "sum"]
    step = shrinks[0] if rescales else sums[-1]
    return _elsewhere("online_softmax", row_x=row_text(row), row_method=method, row_step=str(step))


def _backward(kind: str) -> tuple[str, dict[str, str], int | None]:
    return _elsewhere("step_through", run_direction="backward", step=str(_first(kind, "backward")))


_FOUND: Mapping[str, Callable[[], tuple[str, dict[str, str], int | None]]] = {
    "partition": lambda: _stage(_first("partition")),
    "load": lambda: _stage(_first("load_kv")),
    "score": lambda: _stage(_first("score")),
    "first_rescale": lambda: _stage(default_trace().first_rescale() or 0),
    "nothing_to_fix": lambda: _stage(_still()),
    "accumulate": lambda: _stage(_first("accumulate")),
    "discard": lambda: _stage(_first("discard")),
    "skip": lambda: _stage(_first("skip")),
    "again": lambda: _stage(_key_tiles_read_again()),
    "divide": lambda: _stage(_first("normalise")),
    "store": lambda: _stage(_first("store")),
    "end": lambda: _stage(len(default_trace().steps) - 1),
    "naive_overflow": lambda: _row("naive", "huge"),
    "two_passes": lambda: _row("two_pass", "mixed"),
    "online_rescale": lambda: _row("online", "mixed", rescales=True),
    "online_huge": lambda: _row("online", "huge", rescales=True),
    "no_rescale": lambda: _elsewhere(
        "step_through", run_mistake="no_rescale", step=str(default_trace().first_rescale())
    ),
    "each_tile": lambda: _elsewhere("step_through", run_mistake="softmax_each_tile_then_average"),
    "keys_outside": lambda: _elsewhere("step_through", run_order="kv_outer"),
    "recompute": lambda: _backward("recompute_p"),
    "d_s": lambda: _backward("d_s"),
    "storage": lambda: _elsewhere("calculator", calc_part="Storage"),
    "ledger": lambda: _elsewhere("calculator", calc_part="Traffic"),
    "fit": lambda: _elsewhere("calculator", calc_part="Fit"),
    "roofline": lambda: _elsewhere("calculator", calc_part="Roofline"),
    "decode": lambda: _elsewhere("calculator", calc_part="Traffic", calc_n_q="1", calc_n_k="131072"),
    "cache": lambda: _elsewhere("calculator", calc_part="Storage", calc_n_q="1", calc_n_k="131072"),
    "presets": lambda: _elsewhere("calculator", calc_part="Presets"),
    "exactness": lambda: _elsewhere("exactness"),
    "measured": lambda: _elsewhere("evidence"),
    "quiz": lambda: _elsewhere("quiz"),
    "reference": lambda: _elsewhere("reference"),
    "one_row": lambda: _elsewhere("online_softmax"),
    "watch": lambda: _elsewhere("step_through"),
}


def place_names() -> tuple[str, ...]:
    """Return the name of every place."""
    return tuple(_FOUND)


@cache
def place(name: str) -> Place:
    """Return a place by its name.

    Raises
    ------
    KeyError
        If there is no such place, or `lesson_places.toml` has no label for it.
    """
    page, query, step = _FOUND[name]()
    return Place(name, load_words("lesson_places").say("labels", name), page, query, step)


def frame_values(names: Collection[str]) -> dict[str, str]:
    """Return what a text's `{{frame_…}}` values stand for; other names are left to the page.

    Raises
    ------
    KeyError
        If there is no such place.
    """
    return {
        name: place(name.removeprefix(VALUE_PREFIX)).markdown
        for name in names
        if name.startswith(VALUE_PREFIX)
    }
