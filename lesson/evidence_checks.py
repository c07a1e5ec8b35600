"""The byte model beside our GPU measurements: ratio, what is known to differ, and why.

A correction has a number of bytes that follows from what the library is known to do. A reason without bytes
says where to look but is not counted.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from engine.traffic import Ledger, compulsory_bytes, standard_bytes, tiled_bytes
from lesson.evidence import Calls, Measurement, load_measurements, load_provenance

Topic = Literal["standard_dram", "fused_sm", "fused_dram"]
TOPICS: tuple[Topic, ...] = ("standard_dram", "fused_sm", "fused_dram")

__all__ = ["TOPICS", "Check", "Correction", "Pair", "Topic", "check_row", "checks", "pairs"]


@dataclass(frozen=True)
class Correction:
    """Bytes that the model leaves out (or, below zero, counts too many), and the key of the reason."""

    reason: str
    n_bytes: int


@dataclass(frozen=True)
class Check:
    """One measured number beside the model.

    Attributes
    ----------
    row : Measurement
    measured_bytes, model_bytes : int
    corrections : tuple of Correction
        What is known to differ, with its bytes.
    reasons : tuple of str
        What is known to differ, without a number.
    """

    row: Measurement
    measured_bytes: int
    model_bytes: int
    corrections: tuple[Correction, ...]
    reasons: tuple[str, ...]

    @property
    def corrected_bytes(self) -> int:
        """The model with its corrections."""
        return self.model_bytes + sum(each.n_bytes for each in self.corrections)

    @property
    def ratio(self) -> float:
        """Measured over the plain model."""
        return self.measured_bytes / self.model_bytes

    @property
    def corrected_ratio(self) -> float:
        """Measured over the corrected model."""
        return self.measured_bytes / self.corrected_bytes

    @property
    def all_reasons(self) -> tuple[str, ...]:
        """Keys of all reasons, those with bytes first."""
        return (*dict.fromkeys(each.reason for each in self.corrections), *self.reasons)


def checks(topic: Topic, direction: Calls) -> tuple[Check, ...]:
    """Every measured shape for one question.

    Parameters
    ----------
    topic : {"standard_dram", "fused_sm", "fused_dram"}
        Standard attention's DRAM bytes against the standard model; what the multiprocessors asked for under
        the fused kernel against the tiled model; the fused kernel's DRAM bytes against each tensor once.
    direction : {"forward", "forward_backward"}
    """
    algorithm = "standard" if topic == "standard_dram" else "fused"
    rows = [r for r in load_measurements() if (r.algorithm, r.direction) == (algorithm, direction)]
    return tuple(check_row(topic, row, load_provenance().l2_bytes) for row in rows)


def check_row(topic: Topic, row: Measurement, l2_bytes: int) -> Check:
    """Compare one row with the model that its topic asks for.

    Parameters
    ----------
    topic : str
    row : Measurement
    l2_bytes : int
        The device's second-level cache.
    """
    if topic == "standard_dram":
        return _standard(row, l2_bytes)
    return _asked(row) if topic == "fused_sm" else _each_tensor_once(row, l2_bytes)


def _standard(row: Measurement, l2_bytes: int) -> Check:
    model = _sum(row, standard_bytes)
    corrections = []
    if row.with_backward:
        # The softmax backward multiplies dP by P in a kernel of its own: two reads and a write.
        corrections.append(Correction("softmax_product", 3 * row.score_bytes))
    if row.causal:
        # S read and written, and the boolean mask, one byte a pair, read. Backward: dS copied, then the same.
        corrections.append(Correction("mask_pass", row.score_bytes * 5 // 2))
        if row.with_backward:
            corrections.append(Correction("mask_backward", row.score_bytes * 9 // 2))
    reasons = []
    if row.score_bytes < l2_bytes:
        reasons.append("l2_holds_scores")
    if row.causal:
        reasons.append("l2_serves_mask")
    return Check(row, row.dram_bytes, model, tuple(corrections), tuple(reasons))


def _asked(row: Measurement) -> Check:
    forward = _tiled(row, "forward")
    model, corrections = forward.total, []
    if row.with_backward:
        backward = _tiled(row, "backward")
        model += backward.total
        d_q = backward.by_tensor["d_q"]
        # Added up in float32: twice the bytes of each write, no read. Cleared before, converted after.
        adjusted = 2 * d_q.written + 2 * row.tensor_bytes * 2 + row.tensor_bytes
        corrections.append(Correction("float32_dq", adjusted - d_q.read - d_q.written))
    if row.local_stored_bytes:
        corrections.append(Correction("spills", row.local_stored_bytes))
    reasons = ("split_keys",) if row.splits_keys else ()
    return Check(row, row.sm_bytes, model, tuple(corrections), reasons)


def _each_tensor_once(row: Measurement, l2_bytes: int) -> Check:
    reasons = []
    if row.splits_keys:
        reasons.append("split_keys")
    if row.with_backward:
        reasons.append("kernels_read_again")
    if 4 * row.tensor_bytes > l2_bytes:
        reasons.append("leaves_l2")
    if row.local_stored_bytes:
        reasons.append("spills_flushed")
    return Check(row, row.dram_bytes, _sum(row, compulsory_bytes), (), tuple(reasons))


def _sum(row: Measurement, count: Callable[..., Ledger]) -> int:
    """The forward's bytes of a closed form, with the backward's where the row has one."""
    total = count(row.n, row.n, row.d, heads=row.heads).total
    if row.with_backward:
        total += count(row.n, row.n, row.d, heads=row.heads, direction="backward").total
    return total


def _tiled(row: Measurement, direction: Literal["forward", "backward"]) -> Ledger:
    block_q = row.forward_block_q if direction == "forward" else row.backward_block_q
    block_k = row.forward_block_k if direction == "forward" else row.backward_block_k
    if block_q is None or block_k is None:
        raise ValueError(f"the {direction} kernel of n={row.n}, d={row.d} does not tell its tiles")
    return tiled_bytes(
        row.n, row.n, row.d, block_q=block_q, block_k=block_k, heads=row.heads, direction=direction,
        causal="bottom_right" if row.causal else None,
    )  # fmt: skip


@dataclass(frozen=True)
class Pair:
    """The two algorithms at one shape, as measured."""

    standard: Measurement
    fused: Measurement

    @property
    def faster(self) -> float:
        """How many times faster the fused run was."""
        return self.standard.time_median_s / self.fused.time_median_s

    @property
    def fewer_bytes(self) -> float:
        """How many times fewer DRAM bytes it moved."""
        return self.standard.dram_bytes / self.fused.dram_bytes


def pairs(direction: Calls) -> tuple[Pair, ...]:
    """Standard and fused, shape by shape, in the table's order."""
    rows = [row for row in load_measurements() if row.direction == direction]
    fused = {row.shape: row for row in rows if row.algorithm == "fused"}
    return tuple(Pair(row, fused[row.shape]) for row in rows if row.algorithm == "standard")
