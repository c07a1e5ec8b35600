"""The learner's own input: an ``.npz`` file with q, k and v, checked before anything large is unpacked."""

import numpy as np

from engine.npz_file import HEADER_BYTES, Limits, Shape, check_finite, read_arrays
from engine.precision import Array
from lesson.inputs.input import FloatArray, Input, InputError

__all__ = ["LIMITS", "MAX_D", "MAX_FILE_BYTES", "MAX_N", "load_npz"]

MAX_N = 64
MAX_D = 128
MAX_FILE_BYTES = 1 << 20
# An array may be in the widest number format, of 16 bytes.
LIMITS = Limits(MAX_FILE_BYTES, arrays=16, array_bytes=MAX_N * MAX_D * 16 + HEADER_BYTES)


def load_npz(data: bytes, *, title: str = "Your own") -> Input:
    """Read q, k and v from an ``.npz`` file that may be wrong or hostile.

    Parameters
    ----------
    data : bytes
        The whole file, within `LIMITS`. Holds ``q (n_q, d)``, ``k (n_k, d)`` and ``v (n_k, d_v)``, integers
        or floats, bfloat16 too. Other arrays in it are never read.
    title : str
        Shown in menus.

    Returns
    -------
    Input
        With float32 copies of the arrays.

    Raises
    ------
    InputError
        Naming the value and the limit, if the file is too large or broken, an array is missing or is not a
        finite matrix of real numbers, sizes are above `MAX_N` or `MAX_D`, or the shapes do not fit.
    """
    try:
        arrays = read_arrays(data, "qkv", LIMITS, check=_check_shape)
        q, k, v = (_float32(name, arrays[name]) for name in "qkv")
    except ValueError as error:
        raise InputError(str(error)) from error
    if q.shape[1] != k.shape[1]:
        raise InputError(f"k has d={k.shape[1]} but q has d={q.shape[1]}")
    if k.shape[0] != v.shape[0]:
        raise InputError(f"v has {v.shape[0]} rows but k has {k.shape[0]}")
    return Input(
        key="own",
        title=title,
        q=q,
        k=k,
        v=v,
        tokens_q=tuple(f"q{i}" for i in range(len(q))),
        tokens_k=tuple(f"k{j}" for j in range(len(k))),
        description="Your own numbers: look for the tiles in which a row's maximum rises.",
        source="a file of your own",
    )


def _check_shape(name: str, shape: Shape) -> None:
    if len(shape) != 2:
        axes = "1 axis" if len(shape) == 1 else f"{len(shape)} axes"
        raise ValueError(f"{name} has {axes} (shape {shape}); it must have 2: tokens and features")
    for size, limit, what in ((shape[0], MAX_N, "rows"), (shape[1], MAX_D, "features")):
        if not 1 <= size <= limit:
            raise ValueError(f"{name} has {size} {what}; it must have 1 to {limit}")


def _float32(name: str, array: Array) -> FloatArray:
    with np.errstate(over="ignore"):
        numbers: FloatArray = np.ascontiguousarray(array, dtype=np.float32)
    check_finite(name, array, numbers, "float32")
    return numbers
