"""From the events of a run to the steps of its trace: bytes, ranges and derived rows are added here.

Nothing numeric is computed twice. Must not know files.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.bookkeeping import Books, Bytes
from engine.online import State
from engine.plan import Plan
from engine.precision import Array
from engine.pseudocode import LISTINGS

Tile = tuple[int | None, int | None]
Event = tuple[str, Tile, State | None, dict[str, Any]]

__all__ = ["Event", "Recorder", "Step", "Tile", "build_steps"]


class Recorder:
    """Keeps what a loop tells it. The loops make new arrays at every event, so references are enough."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def __call__(self, kind: str, tile: Tile, state: State | None = None, **work: Any) -> None:
        """Note one event."""
        self.events.append((kind, tile, state, work))


@dataclass(frozen=True)
class Step:
    """One frame: the state after its event, and everything the event made. Fields: docs/trace-format.md."""

    kind: str
    code: int
    tile: Tile
    rows: tuple[int, int] | None
    cols: tuple[int, int] | None
    state: dict[str, Array]
    work: dict[str, Any]
    hbm_read: Bytes
    hbm_write: Bytes
    hbm_read_total: Bytes
    hbm_write_total: Bytes
    standard_read_total: Bytes
    standard_write_total: Bytes
    resident: Bytes


def build_steps(plan: Plan, events: list[Event]) -> list[Step]:
    """Steps of a run, in order."""
    builder = _Builder(plan)
    return [builder.step(*event) for event in events]


class _Builder:
    """Turns events into steps: adds bytes, ranges and derived rows. Nothing numeric is computed twice."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.books = Books(plan.sizes, len(plan.k_tiles) - 1)
        self.line_of = LISTINGS[plan.sizes.loop].line_of
        self.outer_keys = 0  # keys that the outer loop holds on chip

    def step(self, kind: str, tile: Tile, state: State | None, work: dict[str, Any]) -> Step:
        rows = None if tile[0] is None else self.plan.q_tiles[tile[0]]
        cols = None if tile[1] is None else self.plan.k_tiles[tile[1]]
        n_rows, n_cols = (0 if r is None else r[1] - r[0] for r in (rows, cols))
        if kind == "load_kv" and tile[0] is None:
            self.outer_keys = n_cols
        elif tile[1] is not None and kind == "skip" and not self._loaded(tile[1]):
            self.outer_keys = 0
        read, written = self.books.moved(kind, tile, n_rows, n_cols)
        self.books.standard(kind, tile, n_rows, n_cols)
        resident = self.books.resident(kind, n_rows, n_cols, self.outer_keys)
        if kind == "store" and tile[0] is None:
            self.outer_keys, resident = 0, {}
        carried, made = self._split(kind, state, work, n_rows * n_cols)
        return Step(
            kind, self.line_of[kind], tile, rows, cols, carried, made, read, written,
            dict(self.books.read), dict(self.books.written),
            dict(self.books.standard_read), dict(self.books.standard_written), resident,
        )  # fmt: skip

    def _loaded(self, k_tile: int) -> bool:
        return any(row[k_tile] == "v" for row in self.plan.visits)

    def _split(
        self, kind: str, state: State | None, work: dict[str, Any], pairs: int
    ) -> tuple[dict[str, Array], dict[str, Any]]:
        """What is carried on, and what the event made."""
        if kind == "discard":
            made = {"block_bytes": int(work["block"].size) * self.plan.sizes.fmt.bytes_per_stat}
            work = {name: a for name, a in work.items() if name != "block"}
        else:
            made = {"pairs": pairs} if kind == "skip" else {}
        if self.plan.sizes.loop == "backward":
            gradients = ("d_q", "d_k", "d_v")
            carried = {name: work[name] for name in gradients if name in work}
            return carried, made | {name: a for name, a in work.items() if name not in gradients}
        carried = {} if state is None else {"m": state.m, "l": state.l, "acc": state.acc}
        if kind == "update_max" and state is not None:
            return carried, work | {"m_old": state.m, "rises": _list(work["m_new"] > state.m)}
        if kind == "rescale" and state is not None:
            before = work["before"]
            rescaled = np.isfinite(before.m) & (state.m > before.m)
            return carried, {
                "s": work["s"], "m_old": before.m, "m_new": state.m, "alpha": work["alpha"],
                "l_before": before.l, "l_after": state.l, "acc_before": before.acc,
                "rescaled": _list(rescaled),
            }  # fmt: skip
        if kind == "accumulate":
            before = work["before"]
            return carried, {
                "s": work["s"], "p": work["p"], "row_sum": work["p"].sum(axis=1),
                "l_before": before.l, "acc_before": before.acc,
            }  # fmt: skip
        if kind == "normalise" and state is not None:
            return carried, work | {"acc_before": state.acc}
        if kind == "store":
            # Outer memory holds o in the storage format; the trace shows that value in the compute format.
            return carried, work | {"o": work["o"].astype(self.plan.sizes.fmt.compute)}
        return carried, work | made


def _list(rows: Array) -> list[bool]:
    return [bool(x) for x in rows]
