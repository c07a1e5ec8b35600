"""A checked problem with its tiles: what will be traced, before and apart from its run.

Knows sizes, options and labels. Must not know events or files.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from engine.bookkeeping import Sizes
from engine.masks import tile_ranges
from engine.options import Call, Head, Order
from engine.precision import Array
from engine.reference import reference_attention, reference_backward
from engine.traffic import Direction

GRADIENTS = ("d_q", "d_k", "d_v")
Tokens = Sequence[str] | tuple[Sequence[str], Sequence[str]] | None

__all__ = ["GRADIENTS", "Plan", "Tokens"]


@dataclass(frozen=True, eq=False)
class Plan:
    """A checked problem: what will be traced, before and apart from its run."""

    call: Call
    head: Head
    direction: Direction
    order: Order
    block_q: int
    block_k: int
    mistake: str | None
    seed: int | None
    tokens: Tokens

    @cached_property
    def sizes(self) -> Sizes:
        """Sizes of the run."""
        h = self.head
        loop = "backward" if self.direction == "backward" else self.order
        return Sizes(len(h.q), len(h.k), h.q.shape[1], h.v.shape[1], h.fmt, loop)

    @cached_property
    def q_tiles(self) -> list[tuple[int, int]]:
        """Query tiles as (start, stop)."""
        return tile_ranges(self.sizes.n_q, self.block_q)

    @cached_property
    def k_tiles(self) -> list[tuple[int, int]]:
        """Key tiles as (start, stop)."""
        return tile_ranges(self.sizes.n_k, self.block_k)

    @cached_property
    def visits(self) -> list[str]:
        """One string a query tile: ``v`` for a key tile that it visits, ``s`` for one that it skips."""
        visits = self.head.rule.visits
        return ["".join("v" if visits(r, c) else "s" for c in self.k_tiles) for r in self.q_tiles]

    def check_caps(self, max_steps: int, max_cells: int) -> None:
        """Refuse a trace that would be too large, before running it.

        Raises
        ------
        ValueError
            With the number it would take and the limit.
        """
        z, pairs = self.sizes, len(self.q_tiles) * len(self.k_tiles)
        # The visits of a huge grid of tiles are not worth counting: it is refused whatever they are.
        visited = sum(row.count("v") for row in self.visits) if pairs <= max_steps else pairs
        per_visit, per_row = {"q_outer": (7, 3), "kv_outer": (9, 0), "backward": (10, 1)}[z.loop]
        steps = 1 + visited * per_visit + (pairs - visited)
        steps += len(self.q_tiles) * per_row + 2 * len(self.k_tiles)
        if steps > max_steps:
            raise ValueError(
                f"this trace could take {steps:,} steps; the limit is {max_steps:,}: "
                "take larger tiles or fewer positions"
            )
        cells = self._most_cells(visited, pairs - visited)
        if cells > max_cells:
            raise ValueError(
                f"this trace could hold {cells:,} numbers; the limit is {max_cells:,}: "
                "take fewer positions or a smaller head size"
            )

    def _most_cells(self, visited: int, skipped: int) -> int:
        """Numbers that a trace with so many visits and skips holds at most, as a document."""
        z, r, c = self.sizes, self.block_q, self.block_k
        tiles_q, tiles_k, wide = len(self.q_tiles), len(self.k_tiles), z.d + z.d_v
        if z.loop == "backward":
            # In a visit s stands in 2 steps, p in 6, dP in 2, dS in 3; dQ is made 3 times, dK and dV once.
            cells = visited * (13 * r * c + 3 * r * z.d + c * wide + 3 * r)
            cells += tiles_q * r + 2 * tiles_k * c * wide
            return cells + 3 * (z.n_q * wide + z.n_k * wide) + 2 * z.n_q
        # In a visit s stands in 5 steps and p in 1; the rest are rows (m, l, alpha, …) and accumulators.
        accumulators, rows = (2, 24) if z.loop == "q_outer" else (6, 30)
        cells = visited * r * (6 * c + accumulators * z.d_v + rows) + skipped * 2 * r
        if z.loop == "q_outer":
            cells += tiles_q * r * (3 * z.d_v + 8)
        return cells + z.n_q * (wide + z.d_v + 2) + z.n_k * wide

    def inputs(self) -> dict[str, Array]:
        """q, k and v as stored, in the compute format."""
        return {"q": self.head.q, "k": self.head.k, "v": self.head.v}

    def references(self, d_o: Array | None) -> dict[str, Array]:
        """float64 results from the same rounded inputs; the gradients too where ``d_o`` is given."""
        c, h = self.call, self.head
        options: dict[str, Any] = {
            "causal": c.causal, "window": c.window, "softcap": c.softcap, "scale": c.scale,
            "keep": h.rule.keep, "bias": h.bias, "allow_nonfinite": True,
        }  # fmt: skip
        o, lse = reference_attention(h.q, h.k, h.v, **options)
        found = {"reference_o": o, "reference_lse": lse}
        if d_o is not None:
            grads = reference_backward(h.q, h.k, h.v, d_o, **options)
            found |= {f"reference_{name}": g for name, g in zip(GRADIENTS, grads, strict=True)}
        return found

    def problem(self) -> dict[str, Any]:
        """What is computed, in builtins; see docs/trace-format.md."""
        z, c = self.sizes, self.call
        tokens_q, tokens_k = self.labels()
        allowed = self.head.rule.allowed((0, z.n_q), (0, z.n_k))
        return {
            "direction": self.direction, "n_q": z.n_q, "n_k": z.n_k, "d": z.d, "d_v": z.d_v,
            "block_q": self.block_q, "block_k": self.block_k,
            "tiles_q": len(self.q_tiles), "tiles_k": len(self.k_tiles),
            "order": "kv_outer" if self.direction == "backward" else self.order,
            "causal": c.causal, "window": None if c.window is None else list(c.window), "softcap": c.softcap,
            "scale": c.scale, "storage": c.fmt.name, "has_keep": c.keep is not None,
            "has_bias": c.bias is not None, "bytes_per_element": c.fmt.bytes_per_element,
            "mistake": self.mistake, "seed": self.seed, "tokens_q": tokens_q, "tokens_k": tokens_k,
            "allowed": ["".join("01"[int(x)] for x in row) for row in allowed], "visits": self.visits,
        }  # fmt: skip

    def labels(self) -> tuple[list[str], list[str]]:
        """Query labels and key labels.

        Raises
        ------
        ValueError
            If there are not as many as positions.
        """
        n_q, n_k, tokens = self.sizes.n_q, self.sizes.n_k, self.tokens
        if tokens is None:
            return [f"q{i}" for i in range(n_q)], [f"k{j}" for j in range(n_k)]
        if isinstance(tokens, tuple) and len(tokens) == 2 and not all(isinstance(t, str) for t in tokens):
            of_q, of_k = [str(t) for t in tokens[0]], [str(t) for t in tokens[1]]
        else:
            of_k = [str(t) for t in tokens]
            of_q = of_k[len(of_k) - n_q :] if n_q <= len(of_k) else [f"q{i}" for i in range(n_q)]
        if len(of_q) != n_q or len(of_k) != n_k:
            raise ValueError(
                f"{len(of_q)} query labels and {len(of_k)} key labels do not fit {n_q} queries and {n_k} keys"
            )
        return of_q, of_k
