"""Number formats: what a value becomes when it is stored, and how far apart two results may be.

Knows formats only. Must not know attention.
"""

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

__all__ = ["FORMATS", "Array", "Format", "format_named", "format_of", "running_sum", "tolerance"]


@dataclass(frozen=True)
class Format:
    """A storage format and the format that arithmetic on it runs in.

    Attributes
    ----------
    name : str
        ``float64``, ``float32``, ``float16`` or ``bfloat16``.
    dtype : numpy.dtype
        What Q, K, V, P and O are rounded to.
    compute : numpy.dtype
        What scores, m, l and the accumulator are kept in: float32, or float64 for float64.
    """

    name: str
    dtype: np.dtype[Any]
    compute: np.dtype[Any]

    @property
    def bytes_per_element(self) -> int:
        """Bytes that one stored element takes."""
        return int(self.dtype.itemsize)

    @property
    def bytes_per_stat(self) -> int:
        """Bytes that one m, l or lse takes: it is kept in the compute format."""
        return int(self.compute.itemsize)

    def store(self, x: Array) -> Array:
        """Round to this format and return it there."""
        return x.astype(self.dtype)

    def round(self, x: Array) -> Array:
        """Round to this format, then carry on in the compute format."""
        if self.dtype == self.compute:
            return x.astype(self.compute, copy=False)
        return x.astype(self.dtype).astype(self.compute)


FORMATS = {
    name: Format(name, np.dtype(dtype), np.dtype(compute))
    for name, dtype, compute in (
        ("float64", np.float64, np.float64),
        ("float32", np.float32, np.float32),
        ("float16", np.float16, np.float32),
        ("bfloat16", ml_dtypes.bfloat16, np.float32),
    )
}


def format_named(name: str) -> Format:
    """Look a storage format up by its name.

    Raises
    ------
    ValueError
        If there is no such format; the message lists those there are.
    """
    if not isinstance(name, str) or name not in FORMATS:
        raise ValueError(f"storage must be one of {', '.join(FORMATS)} or None, not {name!r}")
    return FORMATS[name]


def format_of(*arrays: Array) -> Format:
    """Format that holds all the arrays without loss: their own, or a wider one where they differ.

    Integers become float64.
    """
    found = {FORMATS[name] for a in arrays for name in (_name(a.dtype),)}
    if len(found) == 1:
        return found.pop()
    # float16 and bfloat16 have no common half format: float32 holds both.
    return FORMATS["float64"] if FORMATS["float64"] in found else FORMATS["float32"]


def _name(dtype: np.dtype[Any]) -> str:
    if dtype.kind in "iu":
        return "float64"
    for name, fmt in FORMATS.items():
        if dtype == fmt.dtype:
            return name
    raise ValueError(f"cannot attend over {dtype} numbers: use integers or one of {', '.join(FORMATS)}")


def running_sum(x: Array, fmt: Format) -> float:
    """Sum one by one, rounding to ``fmt`` after every addition.

    This is what a kernel with a low-precision accumulator does. NumPy's own ``sum`` is no stand-in: along a
    contiguous axis it sums float16 in float32, pairwise.

    Parameters
    ----------
    x : ndarray of shape (n,)
    fmt : Format

    Returns
    -------
    float
        4,096 ones give 2048.0 in float16 and 256.0 in bfloat16: there the sum is so large that one more
        unit rounds away.
    """
    total = fmt.dtype.type(0)
    for value in fmt.store(np.asarray(x)):
        total = fmt.dtype.type(float(total) + float(value))
    return float(total)


def tolerance(fmt: Format, largest_score: float = 1.0, largest_value: float = 1.0) -> tuple[float, float]:
    """How far a tiled result may lie from the float64 reference on the same rounded inputs.

    Parameters
    ----------
    fmt : Format
        Storage format of the run.
    largest_score : float
        max |S|, after scaling. A logit rounded by eps·|S| is a relative error of that size in P.
    largest_value : float
        max |V|.

    Returns
    -------
    atol, rtol : float
        For float64 1e-12 (and the same growth with |S|). For float32 1e-6 + 4·eps·max|S|·max|V|.
        For float16 2e-3 and bfloat16 1.6e-2, which hold for unit-normal inputs.

    Notes
    -----
    Rules of this project, set from measured errors of NumPy emulations and in line with the tests of
    flash-attention (twice the error of a low-precision standard run) and PyTorch.
    """
    growth = 4 * float(np.finfo(fmt.compute).eps) * largest_score * largest_value
    if fmt.name == "float64":
        return 1e-12 + growth, 1e-12
    if fmt.name == "float32":
        return 1e-6 + growth, 0.0
    base = 2e-3 if fmt.name == "float16" else 1.6e-2
    return base * max(1.0, largest_value / 4) + growth, base
