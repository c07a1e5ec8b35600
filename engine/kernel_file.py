"""Another kernel's numbers from an `.npz` file that may be hostile, and the trace to hold them against.

Every size is checked before anything large is unpacked. Knows files and traces. Must not know pages.
"""

import io
import math
import zipfile
from collections.abc import Mapping
from typing import Any

import ml_dtypes
import numpy as np
from numpy.lib import format as npy

from engine.precision import Array
from engine.trace import Trace, trace_attention
from engine.trace_io import UNREADABLE
from engine.verdict import NAMES

# What the page's own upload takes as well (server.maxUploadSize), so that there is one limit.
# Every array of the largest run fits, even uncompressed.
MAX_FILE_BYTES = 5 << 20
MAX_MEMBERS = 16
# One array: the accumulator of 64 queries after each of 64 key tiles, head size 128, float64; and its header.
MAX_MEMBER_BYTES = 64 * 64 * 128 * 8 + 16_384

__all__ = ["MAX_FILE_BYTES", "MAX_MEMBERS", "MAX_MEMBER_BYTES", "read_kernel_arrays", "retrace"]


def read_kernel_arrays(data: bytes) -> dict[str, Array]:
    """Read the arrays m, l, acc, o and lse that an `.npz` file holds.

    Parameters
    ----------
    data : bytes
        The whole file, at most `MAX_FILE_BYTES`. Arrays of other names in it are never read.

    Returns
    -------
    dict of str to ndarray
        Those of the five that are there. bfloat16, which NumPy saves as raw pairs of bytes, is recognised.

    Raises
    ------
    ValueError
        Naming the value and the limit: a file or an array that is too large or broken, too many arrays,
        none of the five, or one that does not hold real numbers.
    """
    if len(data) > MAX_FILE_BYTES:
        raise ValueError(f"the file has {len(data):,} bytes, the limit is {MAX_FILE_BYTES:,}")
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except UNREADABLE as error:
        raise ValueError(f"the {len(data):,} bytes are not a whole .npz file") from error
    with archive:
        sizes = {member.filename: member.file_size for member in archive.infolist()}
        if len(archive.infolist()) > MAX_MEMBERS:
            raise ValueError(f"the file holds {len(archive.infolist())} arrays, the limit is {MAX_MEMBERS}")
        given = [name for name in NAMES if f"{name}.npy" in sizes]
        if not given:
            held = ", ".join(sorted(sizes)) or "nothing"
            raise ValueError(f"the file holds {held[:200]}; at least one of {', '.join(NAMES)} is needed")
        return {name: _array(archive, name, sizes[f"{name}.npy"]) for name in given}


def _array(archive: zipfile.ZipFile, name: str, unpacked_bytes: int) -> Array:
    """One array: its size in the directory first, then its header, and only then its numbers."""
    if unpacked_bytes > MAX_MEMBER_BYTES:
        raise ValueError(f"{name} unpacks to {unpacked_bytes:,} bytes, the limit is {MAX_MEMBER_BYTES:,}")
    try:
        # The directory may lie, so the read is bounded as well.
        with archive.open(f"{name}.npy") as member:
            raw = member.read(MAX_MEMBER_BYTES + 1)
        shape, dtype = _header(raw)
    except (*UNREADABLE, OSError, NotImplementedError) as error:
        raise ValueError(f"{name} is not a readable array: {error}") from error
    is_bfloat16 = dtype.kind == "V" and dtype.itemsize == 2 and dtype.names is None
    if dtype.kind not in "iuf" and not is_bfloat16:
        raise ValueError(f"{name} holds {dtype} values; real numbers are needed")
    # A header may promise more numbers than follow: NumPy would set the memory aside first.
    if math.prod(shape) * dtype.itemsize > len(raw):
        raise ValueError(f"{name} says shape {shape} but only {len(raw):,} bytes follow")
    try:
        array: Array = np.load(io.BytesIO(raw), allow_pickle=False)
    except (*UNREADABLE, OSError) as error:
        raise ValueError(f"{name} is not a readable array: {error}") from error
    return array.view(ml_dtypes.bfloat16) if is_bfloat16 else array


def _header(raw: bytes) -> tuple[tuple[int, ...], np.dtype[Any]]:
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


def retrace(document: Mapping[str, Any]) -> Trace:
    """Record again the run that a trace file holds, so that a kernel can be judged by it.

    Parameters
    ----------
    document : mapping
        What `engine.read_trace` returns, unrounded: inputs, tiles, masks and options are all in it.

    Returns
    -------
    Trace

    Raises
    ------
    ValueError
        If the file is rounded, or was made with a bias, which a trace file does not hold.
    """
    problem, arrays = document["problem"], document["arrays"]
    if document["digits"] is not None:
        raise ValueError(
            f"the trace was rounded to {document['digits']} digits; make it again without rounding"
        )
    if problem["has_bias"]:
        raise ValueError("the trace was made with a bias, which the file does not hold")
    window = problem["window"]
    n_k, d, d_v = problem["n_k"], problem["d"], problem["d_v"]
    return trace_attention(
        np.array(arrays["q"], np.float64).reshape(-1, d),
        np.array(arrays["k"], np.float64).reshape(n_k, d),
        np.array(arrays["v"], np.float64).reshape(n_k, d_v),
        direction=problem["direction"],
        tokens=(problem["tokens_q"], problem["tokens_k"]),
        mistake=problem["mistake"],
        seed=problem["seed"],
        block_q=problem["block_q"],
        block_k=problem["block_k"],
        causal=problem["causal"],
        window=None if window is None else (window[0], window[1]),
        # The pairs allowed, whatever allowed them.
        keep=np.array([[c == "1" for c in row] for row in problem["allowed"]], bool).reshape(-1, n_k),
        softcap=problem["softcap"],
        scale=problem["scale"],
        storage=problem["storage"],
        order=problem["order"],
    )
