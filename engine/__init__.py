"""Tiled attention in NumPy: computed, recorded step by step, and counted in bytes.

Stands alone: it needs NumPy, ml_dtypes and threadpoolctl, and knows nothing of the app around it.
"""

from engine.api import attention, attention_backward
from engine.memory import score_matrix_bytes
from engine.mistakes import MISTAKES, Mistake
from engine.precision import FORMATS, running_sum, tolerance
from engine.reference import merge, reference_attention, reference_backward
from engine.trace import MAX_CELLS, MAX_STEPS, Step, Trace, trace_attention
from engine.trace_io import read_trace, trace_to_dict, trace_to_json, trace_to_npz
from engine.traffic import Ledger, compulsory_bytes, standard_bytes, tiled_bytes

__all__ = [
    "FORMATS",
    "MAX_CELLS",
    "MAX_STEPS",
    "MISTAKES",
    "Ledger",
    "Mistake",
    "Step",
    "Trace",
    "attention",
    "attention_backward",
    "compulsory_bytes",
    "merge",
    "read_trace",
    "reference_attention",
    "reference_backward",
    "running_sum",
    "score_matrix_bytes",
    "standard_bytes",
    "tiled_bytes",
    "tolerance",
    "trace_attention",
    "trace_to_dict",
    "trace_to_json",
    "trace_to_npz",
]
