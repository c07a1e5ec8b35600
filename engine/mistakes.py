"""Wrong algorithms worth making: each differs from the right one in one step and runs like it.

Knows only which step is wrong. Why it fails is told once, here, for every page that shows it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.online import OnlineSoftmax, State, subtracted
from engine.precision import Array, Format

__all__ = ["MISTAKES", "Mistake", "softmax_named"]


class NoRescale(OnlineSoftmax):
    """Keeps l and acc as they were when the maximum rises."""

    def rescale(self, state: State, m_new: Array, alpha: Array) -> State:
        return State(m_new, state.l, state.acc)


class SumNotRescaled(OnlineSoftmax):
    """Rescales acc but forgets l."""

    def rescale(self, state: State, m_new: Array, alpha: Array) -> State:
        return State(m_new, state.l, alpha[:, None] * state.acc)


class AccumulatorNotRescaled(OnlineSoftmax):
    """Rescales l but forgets acc."""

    def rescale(self, state: State, m_new: Array, alpha: Array) -> State:
        return State(m_new, alpha * state.l, state.acc)


class AlphaUpsideDown(OnlineSoftmax):
    """Multiplies by the inverse of alpha, as printed in FlashAttention-2's Algorithm 1."""

    def alpha(self, m: Array, m_new: Array) -> Array:
        inverse: Array = 1 / super().alpha(m, m_new)
        return inverse


class SoftmaxEachTileThenAverage(OnlineSoftmax):
    """Normalises every block on its own and averages the results; l counts the blocks."""

    def new_max(self, m: Array, row_max: Array) -> Array:
        return row_max

    def alpha(self, m: Array, m_new: Array) -> Array:
        return np.ones_like(m)

    def weights(self, s: Array, m_new: Array, row_max: Array) -> Array:
        p: Array = np.exp(s - subtracted(row_max)[:, None])
        total = p.sum(axis=1, keepdims=True)
        share: Array = p / np.where(total == 0, total.dtype.type(1), total)
        return share


class NoMax(OnlineSoftmax):
    """Never subtracts a maximum."""

    def start(self, rows: int, d_v: int, dtype: np.dtype[Any]) -> State:
        return super().start(rows, d_v, dtype)._replace(m=np.zeros(rows, dtype))

    def new_max(self, m: Array, row_max: Array) -> Array:
        return m


class DivideEveryTile(OnlineSoftmax):
    """Divides acc by l after every block and carries on from the quotient."""

    def accumulate(self, state: State, p: Array, v: Array, fmt: Format, finite: bool) -> State:
        m, total, acc = super().accumulate(state, p, v, fmt, finite)
        return State(m, total, acc / np.where(total == 0, total.dtype.type(1), total)[:, None])

    def finish(self, state: State) -> tuple[Array, Array]:
        return state.acc, super().finish(state)[1]

    def resume(self, o: Array, m: Array, l: Array) -> State:
        return State(m, l, o)


class TileMax(OnlineSoftmax):
    """Subtracts the block's own maximum from its scores instead of the running one."""

    def weights(self, s: Array, m_new: Array, row_max: Array) -> Array:
        p: Array = np.exp(s - subtracted(row_max)[:, None])
        return p


@dataclass(frozen=True)
class Mistake:
    """A wrong algorithm: its name, the step it gets wrong, why it fails, and when it is right by luck."""

    name: str
    softmax: OnlineSoftmax
    step: str
    why: str
    lucky: str


MISTAKES = {
    m.name: m
    for m in (
        Mistake(
            "no_rescale",
            NoRescale(),
            "rescale",
            "Terms summed before the maximum rose still count relative to the old one: they weigh too much.",
            "The maximum never rises after the first block, or there is only one block.",
        ),
        Mistake(
            "softmax_each_tile_then_average",
            SoftmaxEachTileThenAverage(),
            "accumulate",
            "Every block gets the same say, however small its scores are beside those of the other blocks.",
            "There is only one block, or every block has the same sum of exponentials.",
        ),
        Mistake(
            "no_max",
            NoMax(),
            "update_max",
            "exp of a large score overflows to infinity, and infinity over infinity is not a number.",
            "All scores are small enough for exp: below about 88 in float32.",
        ),
        Mistake(
            "divide_every_tile",
            DivideEveryTile(),
            "accumulate",
            "The quotient is added to terms that are not divided yet: earlier blocks fade at each division.",
            "There is only one block, or one block outweighs all the others.",
        ),
        Mistake(
            "tile_max_instead_of_running_max",
            TileMax(),
            "accumulate",
            "A block whose own maximum is below the running one is scaled up as if it were level with it.",
            "The maximum rises, or stays level, at every block.",
        ),
        Mistake(
            "sum_not_rescaled",
            SumNotRescaled(),
            "rescale",
            "The accumulator shrinks to the new maximum but its divisor does not: the output is too small.",
            "The maximum never rises after the first block, or there is only one block.",
        ),
        Mistake(
            "accumulator_not_rescaled",
            AccumulatorNotRescaled(),
            "rescale",
            "The divisor shrinks to the new maximum but the accumulator does not: the output is too large.",
            "The maximum never rises after the first block, or there is only one block.",
        ),
        Mistake(
            "alpha_upside_down",
            AlphaUpsideDown(),
            "rescale",
            "One over alpha swells earlier terms instead of shrinking them; at first it is one over zero.",
            "Never: the first block already divides by zero.",
        ),
    )
}


def softmax_named(mistake: str | None) -> OnlineSoftmax:
    """The update to run: the right one for None, else the named wrong one.

    Raises
    ------
    ValueError
        If there is no mistake of that name; the message lists those there are.
    """
    if mistake is None:
        return OnlineSoftmax()
    if mistake not in MISTAKES:
        raise ValueError(f"mistake must be None or one of {', '.join(MISTAKES)}, not {mistake!r}")
    return MISTAKES[mistake].softmax
