"""The learner's own input: an ``.npz`` file with q, k and v, checked before anything large is unpacked.

The readers of the zip and array formats raise a dozen unrelated errors on a damaged file. Whatever they
raise, the learner gets one kind of error; that is why this module catches them all.
"""

import io
import os
import zipfile
from pathlib import Path
from typing import IO

import numpy as np
from numpy.lib import format as npy

from lesson.inputs.input import FloatArray, Input, InputError

__all__ = ["MAX_D", "MAX_FILE_BYTES", "MAX_MEMBERS", "MAX_MEMBER_BYTES", "MAX_N", "load_npz"]

MAX_N = 64
MAX_D = 128
MAX_FILE_BYTES = 1 << 20
MAX_MEMBERS = 16
# The largest array allowed, in the widest number format (16 bytes), with room for its header.
MAX_MEMBER_BYTES = MAX_N * MAX_D * 16 + 16_384


def load_npz(file: bytes | str | os.PathLike[str] | IO[bytes], *, title: str = "Your own") -> Input:
    """Read q, k and v from an ``.npz`` file that may be wrong or hostile.

    Parameters
    ----------
    file : bytes, path or binary file
        At most `MAX_FILE_BYTES`. Holds ``q (n_q, d)``, ``k (n_k, d)`` and ``v (n_k, d_v)``, integers or
        floats. Other arrays in it are never read.
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
    arrays = _read(_bytes(file))
    q, k, v = arrays["q"], arrays["k"], arrays["v"]
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


def _bytes(file: bytes | str | os.PathLike[str] | IO[bytes]) -> bytes:
    """The whole file, but never more than one byte above the limit."""
    if isinstance(file, bytes):
        data = file
    elif isinstance(file, str | os.PathLike):
        with Path(file).open("rb") as opened:
            data = opened.read(MAX_FILE_BYTES + 1)
    else:
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise InputError(f"the file has more than {MAX_FILE_BYTES:,} bytes, which is the limit")
    return data


def _read(data: bytes) -> dict[str, FloatArray]:
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except Exception as error:
        raise InputError(f"the {len(data):,} bytes are not a whole .npz file: {error}") from error
    with archive:
        members = archive.infolist()
        if len(members) > MAX_MEMBERS:
            raise InputError(f"the file holds {len(members)} arrays, the limit is {MAX_MEMBERS}")
        sizes = {member.filename: member.file_size for member in members}
        for name in "qkv":
            if f"{name}.npy" not in sizes:
                held = ", ".join(sorted(sizes)) or "nothing"
                raise InputError(f"the file has no array named {name}; it holds {held[:200]}")
        return {name: _array(archive, name, sizes[f"{name}.npy"]) for name in "qkv"}


def _array(archive: zipfile.ZipFile, name: str, unpacked_bytes: int) -> FloatArray:
    """One array: its size in the directory first, then its header, and only then its numbers."""
    if unpacked_bytes > MAX_MEMBER_BYTES:
        raise InputError(f"{name} unpacks to {unpacked_bytes:,} bytes, the limit is {MAX_MEMBER_BYTES:,}")
    try:
        # The directory may lie, so the read is bounded as well.
        with archive.open(f"{name}.npy") as member:
            raw = member.read(MAX_MEMBER_BYTES + 1)
        shape, dtype = _header(raw)
    except Exception as error:
        raise InputError(f"{name} is not a readable array: {error}") from error
    if dtype.kind not in "iuf":
        raise InputError(f"{name} holds {dtype.name}; it must hold integers or floats")
    if len(shape) != 2:
        raise InputError(f"{name} has {len(shape)} axes (shape {shape}); it must have 2: tokens and features")
    for size, limit, what in ((shape[0], MAX_N, "rows"), (shape[1], MAX_D, "features")):
        if not 1 <= size <= limit:
            raise InputError(f"{name} has {size} {what}; it must have 1 to {limit}")
    try:
        array = np.load(io.BytesIO(raw), allow_pickle=False)
    except Exception as error:
        raise InputError(f"{name} is not a readable array: {error}") from error
    with np.errstate(over="ignore"):
        numbers: FloatArray = np.ascontiguousarray(array, dtype=np.float32)
    bad = np.argwhere(~np.isfinite(numbers))
    if len(bad):
        i, j = (int(index) for index in bad[0])
        raise InputError(f"{name}[{i}, {j}] is {array[i, j]}; every number must be finite in float32")
    return numbers


def _header(raw: bytes) -> tuple[tuple[int, ...], np.dtype[np.generic]]:
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
