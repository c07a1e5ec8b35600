"""Record one head's run: `trace_attention` and the `Trace` it returns.

A recorder listens to the readable loop; the steps are worked out from what it heard when they are first
asked for. Format: docs/trace-format.md. Must not know files; see engine/trace_io.py.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.api import blocks_of
from engine.backward import tiled_backward
from engine.bookkeeping import Sizes
from engine.masks import Causal, Window
from engine.memory import whole_number
from engine.mistakes import softmax_named
from engine.options import ORDERS, Order, like_output, prepare
from engine.plan import GRADIENTS, Plan, Tokens
from engine.precision import Array
from engine.pseudocode import LISTINGS, Listing
from engine.steps import Event, Recorder, Step, build_steps
from engine.tiled import tiled_attention
from engine.traffic import Direction, Ledger, standard_bytes

MAX_STEPS = 2_000
MAX_CELLS = 1_000_000

__all__ = ["MAX_CELLS", "MAX_STEPS", "Step", "Trace", "trace_attention"]


@dataclass(frozen=True, eq=False)
class Trace:
    """One recorded run of one head.

    What the recording itself does not need (labels, the reference, the steps) is worked out when first asked
    for, so that recording costs little more than running.

    Attributes
    ----------
    problem : dict
        What was computed: sizes, tiles, options, labels.
    arrays : dict of ndarray
        Inputs as stored and the float64 reference.
    result : dict of ndarray
        What the run returned.
    standard : Ledger
        Bytes of the standard algorithm for the whole call.
    steps : tuple of Step
    """

    plan: Plan
    result: dict[str, Array]
    saved: dict[str, Array]
    events: list[Event]

    @property
    def sizes(self) -> Sizes:
        """Sizes of the run."""
        return self.plan.sizes

    @property
    def listing(self) -> Listing:
        """The pseudo-code that steps point into."""
        return LISTINGS[self.sizes.loop]

    @cached_property
    def problem(self) -> dict[str, Any]:
        """What was computed; see docs/trace-format.md."""
        return self.plan.problem()

    @cached_property
    def arrays(self) -> dict[str, Array]:
        """Inputs and float64 reference; see docs/trace-format.md."""
        return self.plan.inputs() | self.saved | self.plan.references(self.saved.get("d_o"))

    @cached_property
    def standard(self) -> Ledger:
        """Bytes of the standard algorithm, whole call."""
        z, direction = self.sizes, self.plan.direction
        return standard_bytes(
            z.n_q, z.n_k, z.d, d_v=z.d_v, bytes_per_element=z.fmt.bytes_per_element, direction=direction
        )

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The frames, in order."""
        return tuple(build_steps(self.plan, self.events))

    def first_rescale(self) -> int | None:
        """Index of the first step at which something really had to shrink, or None."""
        return next((i for i, s in enumerate(self.steps) if any(s.work.get("rescaled", ()))), None)


def trace_attention(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    v: npt.ArrayLike,
    *,
    direction: Direction = "forward",
    tokens: Tokens = None,
    mistake: str | None = None,
    d_o: npt.ArrayLike | None = None,
    seed: int | None = None,
    block_q: int | None = None,
    block_k: int | None = None,
    causal: Causal | None = None,
    window: Window | None = None,
    keep: npt.ArrayLike | None = None,
    bias: npt.ArrayLike | None = None,
    softcap: float | None = None,
    scale: float | None = None,
    storage: str | None = None,
    order: Order = "q_outer",
    threads: int | None = None,
    allow_nonfinite: bool = False,
    max_steps: int = MAX_STEPS,
    max_cells: int = MAX_CELLS,
) -> Trace:
    """Run attention of one head through the readable loop and record every step.

    Parameters
    ----------
    q, k, v : array_like of shape (n_q, d), (n_k, d), (n_k, d_v)
        One head; leading axes of length 1 are allowed.
    direction : {"forward", "backward"}
        A backward trace runs the forward first and keeps only o and lse of it.
    tokens : sequence of str, or a pair of them (queries, keys), or None
        Labels. One sequence labels the keys, and the queries with its last n_q entries.
    mistake : str or None
        A name from `engine.MISTAKES`: run this wrong algorithm instead (forward only).
    d_o : array_like of shape (n_q, d_v) or None
        Gradient at the output, for a backward; None is all ones: the loss is the sum of o.
    seed : int or None
        Kept in ``problem``, for inputs that were drawn.
    max_steps, max_cells : int
        Refuse a larger trace.
    **the other options
        As `engine.attention`; ``threads`` changes nothing here. Tiles default to the engine's fastest.

    Returns
    -------
    Trace

    Raises
    ------
    ValueError
        As `engine.attention`; for more than one head; for labels that do not fit; for an unknown mistake;
        and when the trace would be larger than the caps, with both numbers.
    """
    call = prepare(
        q, k, v, causal=causal, window=window, keep=keep, bias=bias, softcap=softcap, scale=scale,
        storage=storage, allow_nonfinite=allow_nonfinite,
    )  # fmt: skip
    if call.q.shape[:2] != (1, 1):
        raise ValueError(f"a trace shows one head; q has leading axes {call.lead}: pick one")
    _check_run(direction, order, mistake, threads)
    block_q, block_k = blocks_of(call, block_q, block_k)
    ((_, head),) = call.heads()
    plan = Plan(call, head, direction, order, block_q, block_k, mistake, seed, tokens)
    plan.labels()  # refuse labels that do not fit at the door, not at the first look
    plan.check_caps(max_steps, max_cells)
    if direction == "backward":
        return _backward_trace(plan, d_o)
    recorder = Recorder()
    # A wrong algorithm may overflow: that is its lesson, not a fault of this program.
    with np.errstate(all="ignore" if mistake or allow_nonfinite else "warn", under="ignore"):
        o, lse = tiled_attention(head, block_q, block_k, order, softmax_named(mistake), recorder)
    return Trace(plan, {"o": o.astype(call.fmt.compute), "lse": lse}, {}, recorder.events)


def _check_run(direction: Direction, order: Order, mistake: str | None, threads: int | None) -> None:
    """Refuse what no run can be recorded with."""
    if order not in ORDERS:
        raise ValueError(f"order must be 'q_outer' or 'kv_outer', not {order!r}")
    if direction not in ("forward", "backward"):
        raise ValueError(f"direction must be 'forward' or 'backward', not {direction!r}")
    if direction == "backward" and mistake is not None:
        raise ValueError(f"a backward trace has no mistakes; mistake is {mistake!r}")
    if threads is not None:
        whole_number("threads", threads, 1)


def _backward_trace(plan: Plan, d_o: npt.ArrayLike | None) -> Trace:
    """Run the forward for its o and lse alone, then the backward from them, recorded."""
    call, head = plan.call, plan.head
    o, lse = tiled_attention(head, plan.block_q, plan.block_k)
    gradient = np.ones(o.shape) if d_o is None else np.asarray(d_o)
    if gradient.shape == o.shape:
        gradient = gradient.reshape(*call.lead, *o.shape)  # leading axes, if any, are of length 1
    saved = {
        "o": o.astype(call.fmt.compute), "lse": lse, "d_o": like_output("d_o", gradient, call)[0, 0],
    }  # fmt: skip
    recorder = Recorder()
    grads = tiled_backward(head, saved["o"], lse, saved["d_o"], plan.block_q, plan.block_k, recorder)
    return Trace(plan, dict(zip(GRADIENTS, grads, strict=True)), saved, recorder.events)
