"""What attention keeps in memory: the score matrix, and what tiling cannot remove.

Knows sizes only; must not know traffic, devices or time.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import isqrt

from engine.memory import MAX_COUNT, count_within, score_matrix_bytes
from engine.paper_tables import TABLE_21, MemoryRow
from engine.shapes import WIDEST_FORMAT, AttentionShape, Pairs
from engine.traffic import stat_bytes

MIB = 2**20
# A model's weights may outnumber every other count here.
MAX_PARAMETERS = 10**15

__all__ = [
    "MIB",
    "CellCheck",
    "Growth",
    "ScoreStorage",
    "TensorStorage",
    "check_table_21",
    "growth",
    "kv_cache_bytes",
    "longest_square",
    "score_storage",
    "table_21_flash_bytes",
    "table_21_standard_bytes",
    "tensor_storage",
    "weight_bytes",
]


@dataclass(frozen=True)
class ScoreStorage:
    """The dense score matrix: its size, and how much of it a mask would let go unused.

    Attributes
    ----------
    pairs : Pairs
        Of one head of one request.
    one_head_bytes : int
        One head, one request: M_score.
    all_bytes : int
        Every query head and request.
    used_bytes : int
        The part of ``all_bytes`` that holds allowed pairs. A dense allocation takes ``all_bytes`` anyway.
    """

    pairs: Pairs
    one_head_bytes: int
    all_bytes: int
    used_bytes: int


def score_storage(shape: AttentionShape, bytes_per_score: int | None = None) -> ScoreStorage:
    """Bytes of the dense score matrix if it is stored; None takes the shape's own bytes per element.

    Raises
    ------
    ValueError
        If ``bytes_per_score`` is not a positive whole number.
    """
    size = shape.bytes_per_element if bytes_per_score is None else count_within("s", bytes_per_score)
    pairs = shape.pairs
    one = score_matrix_bytes(shape.n_q, shape.n_k, size)
    return ScoreStorage(pairs, one, one * shape.copies, pairs.allowed * size * shape.copies)


@dataclass(frozen=True)
class TensorStorage:
    """Bytes that attention needs whatever the algorithm, and the one statistic that tiling adds.

    Attributes
    ----------
    q, k, v, o : int
        All heads and requests; k and v count key/value heads.
    lse : int
        One float32 (float64 for float64) a query and head, kept for the backward.
    """

    q: int
    k: int
    v: int
    o: int
    lse: int

    @property
    def inputs_and_output(self) -> int:
        """Bytes of q, k, v and o."""
        return self.q + self.k + self.v + self.o


def tensor_storage(shape: AttentionShape) -> TensorStorage:
    """Bytes of Q, K, V and O, which still need storage when the score matrix is gone."""
    rows_q = shape.copies * shape.n_q
    rows_k = shape.group_heads * shape.batch * shape.n_k
    size = shape.bytes_per_element
    return TensorStorage(
        q=rows_q * shape.d * size,
        k=rows_k * shape.d * size,
        v=rows_k * shape.value_size * size,
        o=rows_q * shape.value_size * size,
        lse=rows_q * stat_bytes(size),
    )


def kv_cache_bytes(
    layers: int, kv_heads: int, d: int, n_k: int, *, batch: int = 1, bytes_per_element: int = 2
) -> int:
    """Bytes of the key/value cache: 2 · layers · kv_heads · d · n_k · batch · bytes. Tiling moves none.

    Parameters
    ----------
    layers, kv_heads, d : int
        Layers, **key/value** heads of a layer, and head size. The head size is an input of its own: in many
        models it is not the hidden size divided by the heads.
    n_k : int
        Positions kept.
    batch, bytes_per_element : int

    Returns
    -------
    int
        Bytes, exact; 2 stands for a key and a value.

    Raises
    ------
    ValueError
        If a count is zero, negative, or above `MAX_COUNT`.
    """
    total = 2 * count_within("bytes_per_element", bytes_per_element, 1, WIDEST_FORMAT)
    counts = {"layers": layers, "kv_heads": kv_heads, "d": d, "n_k": n_k, "batch": batch}
    for name, value in counts.items():
        total *= count_within(name, value)
    return total


def weight_bytes(parameters: int, bytes_per_weight: int) -> int:
    """Bytes of a model's weights, which no attention algorithm changes."""
    size = count_within("bytes_per_weight", bytes_per_weight, 1, WIDEST_FORMAT)
    return count_within("parameters", parameters, 1, MAX_PARAMETERS) * size


@dataclass(frozen=True)
class Growth:
    """Bytes at one length n_q = n_k = n: quadratic scores beside linear tensors."""

    n: int
    scores: int
    tensors: int
    lse: int


def growth(shape: AttentionShape, lengths: Iterable[int]) -> tuple[Growth, ...]:
    """Bytes over a series of square lengths, everything else as in ``shape``."""
    return tuple(
        _growth(
            count_within("length", n), shape.d, shape.d_v, shape.heads, shape.kv_heads, shape.batch,
            shape.bytes_per_element,
        )
        for n in lengths
    )  # fmt: skip


# A page asks for the same lengths again whenever any of its other numbers changes.
@lru_cache(maxsize=1024)
def _growth(n: int, *sizes: int | None) -> Growth:
    at = AttentionShape(n, n, *sizes)  # type: ignore[arg-type]
    tensors = tensor_storage(at)
    return Growth(n, score_storage(at).all_bytes, tensors.inputs_and_output, tensors.lse)


def longest_square(memory_bytes: int, shape: AttentionShape) -> int:
    """Largest n for which an n × n score matrix of every head and request still fits the memory, alone.

    Raises
    ------
    ValueError
        If ``memory_bytes`` is zero, negative or absurd.
    """
    room = count_within("memory_bytes", memory_bytes, 1, MAX_COUNT**2)
    return isqrt(room // (shape.bytes_per_element * shape.copies))


def table_21_standard_bytes(n: int, *, heads: int, batch: int, d: int) -> int:
    """Training memory of PyTorch attention in FlashAttention's Table 21, as a closed form.

    Four N × N matrices and ten N × d tensors of fp16. The split into tensors is our reading; the total equals
    the printed table.
    """
    cells = count_within("heads", heads) * count_within("batch", batch) * count_within("n", n)
    return 4 * cells * n * 2 + 10 * cells * count_within("d", d) * 2


# From this length on, FlashAttention's printed memory holds two more tensors and its statistics.
TABLE_21_LONG = 512


def table_21_flash_bytes(n: int, *, heads: int, batch: int, d: int) -> int:
    """Training memory of FlashAttention in the same table: linear in n.

    Thirteen N × d tensors of fp16 and two float32 statistics a row from N = 512 on; eleven tensors below.
    """
    rows = count_within("heads", heads) * count_within("batch", batch) * count_within("n", n)
    tensor = rows * count_within("d", d) * 2
    return 13 * tensor + 2 * rows * 4 if n >= TABLE_21_LONG else 11 * tensor


@dataclass(frozen=True)
class CellCheck:
    """One cell of Table 21: what the closed form gives, and what the paper prints.

    Attributes
    ----------
    n : int
    method : str
        ``"standard"`` or ``"flash"``.
    computed_bytes : int
    printed_mib : int or None
        As printed, under the heading "MB"; None where the run was out of memory.
    """

    n: int
    method: str
    computed_bytes: int
    printed_mib: int | None

    @property
    def shown_mib(self) -> int:
        """Whole MiB of the closed form. The paper cuts fractions off: 104.5 is printed as 104."""
        return self.computed_bytes // MIB

    @property
    def equal(self) -> bool:
        """Whether the closed form gives the printed cell."""
        return self.shown_mib == self.printed_mib


def check_table_21(table: MemoryRow = TABLE_21) -> tuple[CellCheck, ...]:
    """Every cell of Table 21 that has a closed form, beside its printed value."""
    sizes = {"heads": table.heads, "batch": table.batch, "d": table.d}
    forms = {
        "standard": (table_21_standard_bytes, table.standard_mib),
        "flash": (table_21_flash_bytes, table.flash_mib),
    }
    return tuple(
        CellCheck(n, method, form(n, **sizes), printed)
        for method, (form, cells) in forms.items()
        for n, printed in zip(table.lengths, cells, strict=True)
    )
