"""Arrays from an `.npz` file that may be wrong or hostile: each size is checked before anything is unpacked.

The readers of the zip and array formats raise a dozen unrelated errors on a damaged file. Whatever they
raise, the caller gets a ValueError; that is why this module catches them all. Knows files, not attention.
"""

import io
import math
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
from numpy.lib import format as npy

from engine.precision import Array

Shape = tuple[int, ...]

__all__ = ["HEADER_BYTES", "Limits", "Shape", "check_finite", "open_npz", "read_arrays", "read_within"]

HEADER_BYTES = 16_384  # an array's header is a few dozen bytes; this is room for any


class Limits(NamedTuple):
    """What a file may hold: its own bytes, how many arrays, and the bytes of one array once unpacked."""

    file_bytes: int
    arrays: int
    array_bytes: int


def read_within(path: Path, limit: int) -> bytes:
    """Return a whole file, of which no more than ``limit`` bytes are ever read.

    Raises
    ------
    OSError
        If it cannot be read.
    ValueError
        If it is larger, with its size and the limit.
    """
    with path.open("rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        size = max(len(data), path.stat().st_size)
        raise ValueError(f"the file has {size:,} bytes, the limit is {limit:,}")
    return data


def open_npz(data: bytes) -> zipfile.ZipFile:
    """Open the bytes of an `.npz` file, or raise ValueError with their number."""
    try:
        return zipfile.ZipFile(io.BytesIO(data))
    except Exception as error:
        raise ValueError(f"the {len(data):,} bytes are not a whole .npz file") from error


def read_arrays(
    data: bytes,
    names: Sequence[str],
    limits: Limits,
    *,
    all_needed: bool = True,
    check: Callable[[str, Shape], None] | None = None,
) -> dict[str, Array]:
    """Read arrays of real numbers by their names. Others in the file are never read.

    Parameters
    ----------
    data : bytes
        The whole file.
    names : sequence of str
    limits : Limits
    all_needed : bool
        Whether each name must be there; else one is enough.
    check : callable or None
        Called with an array's name and shape before its numbers are unpacked; raises ValueError.

    Returns
    -------
    dict of str to ndarray
        bfloat16, which NumPy saves as raw pairs of bytes, is recognised.

    Raises
    ------
    ValueError
        Naming the value and the limit: a file or an array that is too large or broken, too many arrays, a
        name that is missing, or an array that does not hold real numbers.
    """
    if len(data) > limits.file_bytes:
        raise ValueError(f"the file has {len(data):,} bytes, the limit is {limits.file_bytes:,}")
    with open_npz(data) as archive:
        members = archive.infolist()
        if len(members) > limits.arrays:
            raise ValueError(f"the file holds {len(members):,} arrays, the limit is {limits.arrays:,}")
        sizes = {member.filename.removesuffix(".npy"): member.file_size for member in members}
        given = [name for name in names if name in sizes]
        missing = ", ".join(name for name in names if name not in sizes)
        held = (", ".join(sorted(sizes)) or "nothing")[:200]
        if missing and all_needed:
            raise ValueError(f"the file has no {missing}; it holds {held}")
        if not given:
            raise ValueError(f"the file holds {held}; at least one of {missing} is needed")
        return {name: _array(archive, name, sizes[name], limits.array_bytes, check) for name in given}


def _array(
    archive: zipfile.ZipFile,
    name: str,
    unpacked_bytes: int,
    limit: int,
    check: Callable[[str, Shape], None] | None,
) -> Array:
    """One array: its size in the directory first, then its header, and only then its numbers."""
    if unpacked_bytes > limit:
        raise ValueError(f"{name} unpacks to {unpacked_bytes:,} bytes, the limit is {limit:,}")
    try:
        # The directory may lie, so the read is bounded as well.
        with archive.open(f"{name}.npy") as member:
            raw = member.read(limit + 1)
        shape, dtype = _header(raw)
    except Exception as error:
        raise ValueError(f"{name} is not a readable array: {error}") from error
    is_bfloat16 = dtype.kind == "V" and dtype.itemsize == 2 and dtype.names is None
    if dtype.kind not in "iuf" and not is_bfloat16:
        raise ValueError(f"{name} holds {dtype} values; real numbers are needed")
    if check is not None:
        check(name, shape)
    # A header may promise more numbers than follow: NumPy would set the memory aside first.
    if math.prod(shape) * dtype.itemsize > len(raw):
        raise ValueError(f"{name} says shape {shape} but only {len(raw):,} bytes follow")
    try:
        array: Array = np.load(io.BytesIO(raw), allow_pickle=False)
    except Exception as error:
        raise ValueError(f"{name} is not a readable array: {error}") from error
    return array.view(ml_dtypes.bfloat16) if is_bfloat16 else array


def _header(raw: bytes) -> tuple[Shape, np.dtype[Any]]:
    """Shape and number format from an array's header, without touching its numbers."""
    stream = io.BytesIO(raw)
    version = npy.read_magic(stream)
    if version == (1, 0):
        shape, _, dtype = npy.read_array_header_1_0(stream)
    elif version == (2, 0):
        shape, _, dtype = npy.read_array_header_2_0(stream)
    else:
        raise ValueError(f"version {version} of the .npy format; only (1, 0) and (2, 0) are read")
    return shape, dtype


def check_finite(name: str, given: Array, rounded: Array | None = None, format_name: str = "") -> None:
    """Raise ValueError, with the first place and its value, unless every number is finite.

    ``rounded`` is ``given`` in the format ``format_name``, where a number may have become infinite.
    """
    bad = np.argwhere(~np.isfinite(given if rounded is None else rounded))
    if len(bad):
        at = tuple(int(index) for index in bad[0])
        where = f" in {format_name}" if format_name else ""
        raise ValueError(
            f"{name}[{', '.join(map(str, at))}] is {given[at]}; every number must be finite{where}"
        )
