"""Traces as documents and files: JSON for the browser, `.npz` for kernel authors.

Format: docs/trace-format.md. Knows the trace's fields, not how they came about.
"""

import io
import json
import math
from collections.abc import Callable, Iterator
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from engine.memory import count_within
from engine.npz_file import open_npz
from engine.precision import Array
from engine.trace import Step, Trace

FORMAT = "tilewise-trace"
VERSION = 1

__all__ = [
    "FORMAT",
    "VERSION",
    "read_trace",
    "trace_to_dict",
    "trace_to_json",
    "trace_to_npz",
]

# Matrices as wide as a head are held once and pointed to; those as narrow as a tile of scores stand in place.
_IN_PLACE = frozenset({"s", "p", "d_p", "d_s"})


def trace_to_dict(trace: Trace, digits: int | None = None) -> dict[str, Any]:
    """The whole trace as finite builtins.

    Parameters
    ----------
    trace : Trace
    digits : int or None
        Significant digits to keep, 1 to 17; None keeps every bit.

    Returns
    -------
    dict
        Encodes with ``json.dumps(..., allow_nan=False)``. −∞ is None; +∞ and NaN are "inf" and "nan".

    Raises
    ------
    ValueError
        If ``digits`` is not from 1 to 17.
    """
    if digits is not None:
        digits = count_within("digits", digits, 1, 17)
    document = _document(trace, digits)
    plain: dict[str, Any] = _map_arrays(document, lambda a: _plain(a, digits))
    return plain


def trace_to_json(trace: Trace, digits: int | None = None) -> str:
    """`trace_to_dict` as compact JSON text."""
    return json.dumps(
        trace_to_dict(trace, digits), allow_nan=False, ensure_ascii=False, separators=(",", ":")
    )


def trace_to_npz(trace: Trace) -> bytes:
    """The trace as an `.npz` file's bytes: a JSON ``meta`` and one array a matrix, unrounded, no pickles."""
    arrays: dict[str, Array] = {}

    def take(a: Array, path: str) -> dict[str, str]:
        arrays[path] = a
        return {"array": path}

    meta = _map_arrays_with_paths(_document(trace, None), take, "")
    buffer = io.BytesIO()
    text = np.array(json.dumps(meta, allow_nan=False, ensure_ascii=False))
    np.savez_compressed(buffer, allow_pickle=False, meta=text, **arrays)
    return buffer.getvalue()


def read_trace(path: str | PathLike[str]) -> dict[str, Any]:
    """Read a trace file back as the document that `trace_to_dict` makes.

    Parameters
    ----------
    path : path of a ``.json`` or ``.npz`` file

    Returns
    -------
    dict

    Raises
    ------
    ValueError
        If it is not a trace, or of a version that this program does not know.
    """
    raw = Path(path).read_bytes()
    try:
        document = _read_npz(raw) if raw[:2] == b"PK" else _read_json(raw)
    # What `json`, `numpy` and `zipfile` raise on a broken file, or one of another kind, has no bounds.
    except Exception as error:
        raise ValueError(f"{path} is not a trace: {error}") from error
    found = (document.get("format"), document.get("version")) if isinstance(document, dict) else (None, None)
    if found != (FORMAT, VERSION) or isinstance(found[1], bool):
        raise ValueError(
            f"{path} says format {found[0]!r}, version {found[1]!r}; known: {FORMAT!r}, {VERSION}"
        )
    known: dict[str, Any] = document
    return known


def _read_json(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"its {len(raw):,} bytes are neither an .npz file nor JSON") from error


def _read_npz(raw: bytes) -> Any:
    open_npz(raw).close()  # what is none, NumPy would take for a pickle and say so
    with np.load(io.BytesIO(raw), allow_pickle=False) as file:
        if "meta" not in file.files:
            raise ValueError("it has no 'meta' entry; make one with `trace`")
        meta = json.loads(str(file["meta"]))

        def put_back(node: Any) -> Any:
            if isinstance(node, dict):
                if set(node) == {"array"}:
                    return _plain(file[node["array"]], None)
                return {key: put_back(value) for key, value in node.items()}
            return [put_back(value) for value in node] if isinstance(node, list) else node

        return put_back(meta)


def _document(trace: Trace, digits: int | None) -> dict[str, Any]:
    """The document with its matrices still as arrays."""
    blocks = _Blocks()
    steps = [_step(step, blocks) for step in trace.steps]
    return {
        "format": FORMAT,
        "version": VERSION,
        "digits": digits,
        "problem": trace.problem,
        "pseudocode": list(trace.listing.lines),
        "arrays": trace.arrays,
        "blocks": blocks.held,
        "steps": steps,
        "result": trace.result,
        "standard": {
            "read": {t: x.read for t, x in trace.standard.by_tensor.items() if x.read},
            "written": {t: x.written for t, x in trace.standard.by_tensor.items() if x.written},
        },
    }


class _Blocks:
    """Wide matrices, each once. Arrays are never changed after a step, so identity is enough."""

    def __init__(self) -> None:
        self.held: list[Array] = []
        self._index: dict[int, int] = {}

    def index(self, a: Array) -> int:
        """Where ``a`` is kept; keeps it if it is new."""
        if id(a) not in self._index:
            self._index[id(a)] = len(self.held)
            self.held.append(a)
        return self._index[id(a)]


def _step(step: Step, blocks: _Blocks) -> dict[str, Any]:
    def place(name: str, value: Any) -> Any:
        wide = isinstance(value, np.ndarray) and value.ndim == 2 and name not in _IN_PLACE
        return blocks.index(value) if wide else value

    return {
        "kind": step.kind,
        "code": step.code,
        "tile": list(step.tile),
        "rows": None if step.rows is None else list(step.rows),
        "cols": None if step.cols is None else list(step.cols),
        "state": {name: place(name, value) for name, value in step.state.items()},
        "work": {name: place(name, value) for name, value in step.work.items()},
        "hbm_read": step.hbm_read,
        "hbm_write": step.hbm_write,
        "hbm_read_total": step.hbm_read_total,
        "hbm_write_total": step.hbm_write_total,
        "standard_read_total": step.standard_read_total,
        "standard_write_total": step.standard_write_total,
        "resident": step.resident,
    }


def _map_arrays(node: Any, change: Callable[[Array], Any]) -> Any:
    return _map_arrays_with_paths(node, lambda a, _: change(a), "")


def _map_arrays_with_paths(node: Any, change: Callable[[Array, str], Any], path: str) -> Any:
    if isinstance(node, np.ndarray):
        return change(node, path)
    if isinstance(node, dict):
        return {key: _map_arrays_with_paths(value, change, _join(path, key)) for key, value in node.items()}
    if isinstance(node, list):
        return [_map_arrays_with_paths(value, change, _join(path, i)) for i, value in enumerate(node)]
    return node


def _join(path: str, key: str | int) -> str:
    return f"{path}/{key}" if path else str(key)


def _plain(a: Array, digits: int | None) -> Any:
    values: list[float] = a.astype(np.float64).ravel().tolist()
    if digits is not None:
        form = f"%.{digits}g"
        values = [float(form % x) for x in values]
    flat = [_number(x) for x in values]
    if a.ndim == 1:
        return flat
    rows: Iterator[Any] = (flat[i : i + a.shape[1]] for i in range(0, a.size, max(1, a.shape[1])))
    return list(rows) if a.size else [[] for _ in range(a.shape[0])]


def _number(x: float) -> float | int | str | None:
    # Hundreds of thousands of numbers pass here, so the usual cases come first. −0.0 stays a float.
    if x.is_integer() and -1e15 < x < 1e15 and (x or math.copysign(1, x) > 0):
        return int(x)
    if math.isfinite(x):
        return x
    return "nan" if math.isnan(x) else ("inf" if x > 0 else None)
