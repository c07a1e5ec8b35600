"""What each event of a run moves and what is on chip after it, in bytes.

The loops say what happened; this module says what it cost. It must not compute attention.
Rules: docs/decisions/byte-counting.md.
"""

from dataclasses import dataclass, field

from engine.precision import Format
from engine.traffic import standard_bytes

Bytes = dict[str, int]
Moved = tuple[Bytes, Bytes]  # read, written

__all__ = ["Books", "Sizes"]


@dataclass(frozen=True)
class Sizes:
    """Sizes of one head's run: positions, head sizes, format, loop."""

    n_q: int
    n_k: int
    d: int
    d_v: int
    fmt: Format
    loop: str  # "q_outer", "kv_outer" or "backward"

    def stored(self, rows: int, width: int) -> int:
        """Bytes of ``rows`` rows in the storage format."""
        return rows * width * self.fmt.bytes_per_element

    def working(self, rows: int, width: int) -> int:
        """Bytes of ``rows`` rows in the compute format."""
        return rows * width * self.fmt.bytes_per_stat


@dataclass
class Books:
    """Running totals of one run, and of the standard algorithm over the same pairs.

    The standard algorithm is charged with a pair of tiles once the tiled run has handled or skipped it, and
    with a strip of Q, K, V or O once; so both lanes are comparable at every step, and the standard lane ends
    at its whole call.
    """

    sizes: Sizes
    last_k: int  # index of the last key tile: with keys outside, a strip of O or dQ is done there
    read: Bytes = field(default_factory=dict)
    written: Bytes = field(default_factory=dict)
    standard_read: Bytes = field(default_factory=dict)
    standard_written: Bytes = field(default_factory=dict)
    _seen: set[tuple[str, int]] = field(default_factory=set)

    def moved(self, kind: str, tile: tuple[int | None, int | None], rows: int, cols: int) -> Moved:
        """Bytes (read, written) by tensor of one event; adds them to the running totals."""
        read, written = self._moved(kind, tile, rows, cols)
        _add(self.read, read)
        _add(self.written, written)
        return read, written

    def _moved(self, kind: str, tile: tuple[int | None, int | None], rows: int, cols: int) -> Moved:
        z = self.sizes
        q, o, stat = z.stored(rows, z.d), z.stored(rows, z.d_v), z.working(rows, 1)
        k, v = z.stored(cols, z.d), z.stored(cols, z.d_v)
        if kind == "load_kv":
            return {"k": k, "v": v}, {}
        if kind == "delta":
            return {"o": o, "d_o": o}, {"delta": stat}
        if kind == "load_q":
            if z.loop == "q_outer":
                return {"q": q}, {}
            if z.loop == "kv_outer":
                return {"q": q, "o": o, "m": stat, "l": stat}, {}
            return {"q": q, "d_o": o, "lse": stat, "delta": stat, "d_q": q}, {}
        if kind == "store":
            if z.loop == "q_outer":
                return {}, {"o": o, "lse": stat}
            if z.loop == "kv_outer":
                return {}, {"o": o, "m": stat, "l": stat}
            return {}, {"d_q": q} if tile[0] is not None else {"d_k": k, "d_v": v}
        return {}, {}

    def standard(self, kind: str, tile: tuple[int | None, int | None], rows: int, cols: int) -> None:
        """Charge the standard algorithm for what this event stands for."""
        z = self.sizes
        if not z.n_q or not z.n_k:
            # Without pairs no event stands for the strips that it moves all the same.
            if kind == "partition":
                self._standard_at_once()
            return
        if z.loop == "backward":
            self._standard_backward(kind, tile, rows, cols)
        else:
            self._standard_forward(kind, tile, rows, cols)

    def _standard_at_once(self) -> None:
        z = self.sizes
        whole = standard_bytes(
            z.n_q, z.n_k, z.d, d_v=z.d_v, bytes_per_element=z.fmt.bytes_per_element,
            direction="backward" if z.loop == "backward" else "forward",
        )  # fmt: skip
        self.standard_read = {t: x.read for t, x in whole.by_tensor.items() if x.read}
        self.standard_written = {t: x.written for t, x in whole.by_tensor.items() if x.written}

    def _standard_forward(self, kind: str, tile: tuple[int | None, int | None], rows: int, cols: int) -> None:
        z, pairs = self.sizes, self.sizes.stored(rows, cols)
        skipped = kind == "skip"
        if kind == "load_q" or skipped:
            self._once("q", tile[0], z.stored(rows, z.d), self.standard_read)
        if kind == "load_kv" or skipped:
            self._once("k", tile[1], z.stored(cols, z.d), self.standard_read)
            self._once("v", tile[1], z.stored(cols, z.d_v), self.standard_read)
        if kind == "score" or skipped:
            _add(self.standard_written, {"s": pairs})
        if kind == "update_max" or skipped:
            _add(self.standard_read, {"s": pairs})
        if kind == "accumulate" or skipped:
            _add(self.standard_written, {"p": pairs})
            _add(self.standard_read, {"p": pairs})
        if kind in ("store", "skip") and (z.loop == "kv_outer" and tile[1] == self.last_k):
            self._once("o", tile[0], z.stored(rows, z.d_v), self.standard_written)
        if kind == "store" and z.loop == "q_outer":
            self._once("o", tile[0], z.stored(rows, z.d_v), self.standard_written)

    def _standard_backward(
        self, kind: str, tile: tuple[int | None, int | None], rows: int, cols: int
    ) -> None:
        z, pairs = self.sizes, self.sizes.stored(rows, cols)
        skipped = kind == "skip"
        if kind == "load_q" or skipped:
            self._once("q", tile[0], z.stored(rows, z.d), self.standard_read)
            self._once("d_o", tile[0], 2 * z.stored(rows, z.d_v), self.standard_read)
        if kind == "load_kv" or skipped:
            self._once("k", tile[1], z.stored(cols, z.d), self.standard_read)
            self._once("v", tile[1], z.stored(cols, z.d_v), self.standard_read)
        if kind == "recompute_p" or skipped:
            _add(self.standard_read, {"p": pairs})
        if kind == "d_p" or skipped:
            _add(self.standard_written, {"d_p": pairs})
        if kind == "d_s" or skipped:
            _add(self.standard_read, {"p": pairs, "d_p": pairs})
            _add(self.standard_written, {"d_s": pairs})
        for product in ("d_q", "d_k"):
            if kind == product or skipped:
                _add(self.standard_read, {"d_s": pairs})
        if (kind == "store" or skipped) and tile[0] is not None and tile[1] == self.last_k:
            self._once("d_q", tile[0], z.stored(rows, z.d), self.standard_written)
        if kind == "store" and tile[0] is None:
            self._once("d_k", tile[1], z.stored(cols, z.d), self.standard_written)
            self._once("d_v", tile[1], z.stored(cols, z.d_v), self.standard_written)

    def _once(self, tensor: str, strip: int | None, count: int, to: Bytes) -> None:
        if (tensor, strip or 0) not in self._seen:
            self._seen.add((tensor, strip or 0))
            _add(to, {tensor: count})

    def resident(self, kind: str, rows: int, cols: int, keys_on_chip: int) -> Bytes:
        """Bytes on chip after an event.

        Parameters
        ----------
        kind : str
        rows, cols : int
            Queries and keys of the tile at hand.
        keys_on_chip : int
            Keys of the tile that the outer loop holds (keys outside), else 0.
        """
        z = self.sizes
        if kind == "partition":
            return {}
        if z.loop == "backward":
            return self._resident_backward(kind, rows, cols, keys_on_chip)
        held = keys_on_chip if z.loop == "kv_outer" else 0
        if kind in ("load_kv", "score", "mask", "update_max", "rescale", "accumulate"):
            held = cols
        chip = {"k": z.stored(held, z.d), "v": z.stored(held, z.d_v)} if held else {}
        gone = kind == "store" or (z.loop == "kv_outer" and kind in ("load_kv", "skip"))
        if not gone:
            last = "o" if kind == "normalise" else "acc"
            chip |= {"q": z.stored(rows, z.d), last: z.working(rows, z.d_v), "stats": z.working(rows, 4)}
        if kind in ("score", "mask", "update_max", "rescale"):
            chip["s"] = z.working(rows, cols)
        if kind == "accumulate":
            chip["p"] = z.working(rows, cols)  # p overwrites s
        return chip

    def _resident_backward(self, kind: str, rows: int, cols: int, keys_on_chip: int) -> Bytes:
        z = self.sizes
        if kind == "delta":
            return {"o": z.stored(rows, z.d_v), "d_o": z.stored(rows, z.d_v), "delta": z.working(rows, 1)}
        if not keys_on_chip:
            return {}
        chip = {
            "k": z.stored(keys_on_chip, z.d), "v": z.stored(keys_on_chip, z.d_v),
            "d_k": z.working(keys_on_chip, z.d), "d_v": z.working(keys_on_chip, z.d_v),
        }  # fmt: skip
        if kind in ("load_kv", "skip", "store"):
            return chip
        chip |= {
            "q": z.stored(rows, z.d), "d_o": z.stored(rows, z.d_v),
            "d_q": z.working(rows, z.d), "stats": z.working(rows, 2),
        }  # fmt: skip
        block = z.working(rows, cols)
        if kind == "recompute_score":
            chip["s"] = block
        elif kind != "load_q" and kind != "discard":
            chip["p"] = block  # p overwrites s
        if kind == "d_p":
            chip["d_p"] = block
        elif kind in ("d_s", "d_q", "d_k"):
            chip["d_s"] = block  # dS overwrites dP
        return chip


def _add(total: Bytes, moved: Bytes) -> None:
    for tensor, count in moved.items():
        total[tensor] = total.get(tensor, 0) + count
