"""The stage as a Streamlit component: mount it with `show_stage`."""

import pickle
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy.typing as npt

from engine import trace_attention
from ui.joiner import join_modules, lean, lean_styles
from ui.modules import Left, component
from ui.palette import css_variables
from ui.stage.comparison import comparison_payload
from ui.stage.payload import Payload, encode

FOLDER = Path(__file__).parent

STAGE_JS = lean(join_modules(FOLDER, "stage.js"))
STAGE_CSS = lean_styles(
    f":host {{\n{css_variables()}\n}}\n"
    + "\n".join(
        (FOLDER / name).read_text(encoding="utf-8")
        for name in (
            "stage.css",
            "zones.css",
            "backward.css",
            "predict.css",
            "breakit.css",
            "share.css",
            "budget.css",
            "presenter.css",
        )
    )
)

_mount = component("stage", host="stage-host", script=STAGE_JS, css=STAGE_CSS)


@lru_cache(maxsize=64)
def _played(asked: bytes) -> tuple[Payload, Left | None]:
    """Return a run's payload, and the same to be fetched, None if private.

    Both are shared between the runs that ask for the same, so nobody changes them. What is asked for comes
    pickled, because arrays are no keys and Streamlit's own cache takes longer to make one than all else here.
    """
    q, k, v, tokens, budget_bytes, mistake, private, options = pickle.loads(asked)
    trace = trace_attention(q, k, v, tokens=tokens, **options)
    payload = encode(trace, budget_bytes=budget_bytes)
    if mistake is not None:
        wrong = trace_attention(q, k, v, tokens=tokens, mistake=mistake, **options)
        payload |= {"comparison": comparison_payload(trace, wrong), "id": f"{payload['id']}-{mistake}"}
    return payload, None if private else Left("run", payload)


def run_left(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    v: npt.ArrayLike,
    *,
    tokens: tuple[Sequence[str], Sequence[str]] | None = None,
    **options: Any,
) -> Left:
    """Return what the browser fetches of a run that `show_stage` would play with the same arguments.

    Raises
    ------
    ValueError
        As `show_stage`.
    """
    _, left = _played(pickle.dumps((q, k, v, tokens, None, None, False, options)))
    assert left is not None
    return left


def show_stage(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    v: npt.ArrayLike,
    *,
    key: str,
    tokens: tuple[Sequence[str], Sequence[str]] | None = None,
    step: int = 0,
    address: bool = True,
    budget_bytes: int | None = None,
    mistake: str | None = None,
    ask: bool = False,
    share: dict[str, Any] | None = None,
    before: Callable[[Payload], None] | None = None,
    **options: Any,
) -> Payload:
    """Trace one attention call and play it in the browser.

    Parameters
    ----------
    q, k, v : array_like of shape (n_q, d), (n_k, d), (n_k, d_v)
        One head.
    key : str
        The component's key on the page.
    tokens : pair of sequences of str, or None
        Labels of the queries and of the keys.
    step : int
        The first step shown (0-based) when the address names none.
    address : bool
        Keep the step in the address as `step=`, written by the browser alone. One stage a page may do so.
    budget_bytes : int or None
        Where the on-chip budget line stands; None puts it at the smallest power of two that holds the run.
    mistake : str or None
        A name from `engine.MISTAKES`: set this wrong algorithm beside the right one. Forward only.
    ask : bool
        Ask before some steps are revealed, unless the reader has said otherwise.
    share : dict or None
        What the link to a frame, the QR code and file names need; see `ui.share.share_of`.
    before : callable or None
        Draws what has to stand above the stage, from what the browser plays.
    **options
        As `engine.trace_attention`: `causal`, `window`, `keep`, `block_q`, `order`, `storage` and so on.

    Returns
    -------
    dict
        What the browser plays. Not to be changed.

    Raises
    ------
    ValueError
        From the engine, for input that it refuses and for a trace above its caps.
    """
    # A reader's own file is nobody else's to fetch.
    private = bool(share and share["own_file"])
    asked = (q, k, v, tokens, budget_bytes, mistake, private, options)
    payload, left = _played(pickle.dumps(asked))
    if before is not None:
        before(payload)
    given = left.given() if left else payload
    _mount(key=key, data={**given, "step": step, "address": address, "ask": ask, "share": share})
    return payload
