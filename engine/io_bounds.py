"""The papers' own counts: the tile recipe, the order of growth with its domain, and passes over memory.

Kept apart from `engine.traffic`, whose forms equal a trace: these say what a published algorithm counts, in
units of one pass over N × d or N × N elements.
"""

from dataclasses import dataclass
from fractions import Fraction

from engine.memory import count_within
from engine.shapes import WIDEST_FORMAT
from engine.traffic import stat_bytes

FA1 = "FlashAttention, arXiv 2205.14135"
FA2 = "FlashAttention-2, arXiv 2307.08691"

__all__ = ["IoBound", "PublishedCount", "Recipe", "io_complexity", "paper_recipe", "published_counts"]


@dataclass(frozen=True)
class Recipe:
    """Tile sizes by FlashAttention's recipe, and what they would take on chip.

    Attributes
    ----------
    elements : int
        M, the on-chip memory in **elements**.
    block_q, block_k : int
        Br = min(ceil(M / 4d), d) and Bc = ceil(M / 4d).
    wrong_block_k : int
        What ceil(M / 4d) gives if M is taken in bytes: the common slip.
    tile_elements : int
        Elements of the tiles of Q, K, V and O.
    score_elements : int
        Elements of the score tile, which comes on top.
    """

    elements: int
    d: int
    block_q: int
    block_k: int
    wrong_block_k: int
    tile_elements: int
    score_elements: int

    @property
    def over_elements(self) -> int:
        """Elements by which tiles and scores together exceed M; 0 if they do not."""
        return max(0, self.tile_elements + self.score_elements - self.elements)

    @property
    def fits_literally(self) -> bool:
        """Whether all of it would lie in M at once. The recipe, an order of magnitude, does not ask."""
        return self.over_elements == 0


def paper_recipe(sram_bytes: int, bytes_per_element: int, d: int) -> Recipe:
    """Tile sizes of FlashAttention, Algorithm 1, line 1.

    Parameters
    ----------
    sram_bytes : int
        On-chip memory in bytes; the recipe itself takes it in elements, rounded down.
    bytes_per_element, d : int

    Raises
    ------
    ValueError
        If a count is impossible, or the memory does not hold one element.
    """
    size = count_within("bytes_per_element", bytes_per_element, 1, WIDEST_FORMAT)
    sram, d = count_within("sram_bytes", sram_bytes, size), count_within("d", d)
    elements = sram // size
    block_k = -(-elements // (4 * d))
    # The min keeps the score tile Br × Bc at M / 4 elements, up to rounding.
    block_q = min(block_k, d)
    return Recipe(
        elements=elements,
        d=d,
        block_q=block_q,
        block_k=block_k,
        wrong_block_k=-(-sram // (4 * d)),
        tile_elements=2 * (block_q + block_k) * d,
        score_elements=block_q * block_k,
    )


@dataclass(frozen=True)
class IoBound:
    """Orders of growth of outer-memory accesses, in elements and without their constant factors.

    Attributes
    ----------
    n, d, elements : int
        Length, head size, and on-chip memory M in elements.
    standard : int
        N·d + N².
    raw_tiled : Fraction
        N²d²/M as the formula gives it, even where it means nothing.
    least : int
        N·d: nothing can read the inputs with fewer.
    in_domain : bool
        Whether d ≤ M ≤ N·d, where the theorem speaks.
    """

    n: int
    d: int
    elements: int
    standard: int
    raw_tiled: Fraction
    least: int
    in_domain: bool

    @property
    def domain(self) -> tuple[int, int]:
        """Smallest and largest M that the theorem speaks of."""
        return self.d, self.least

    @property
    def tiled(self) -> Fraction:
        """N²d²/M, never less than N·d."""
        return max(self.raw_tiled, Fraction(self.least))

    @property
    def clamped(self) -> bool:
        """Whether the formula alone would promise less than reading the inputs once."""
        return self.raw_tiled < self.least


def io_complexity(n: int, d: int, elements: int) -> IoBound:
    """FlashAttention's theorem 2: standard Θ(N·d + N²), tiled Θ(N²d²/M), for d ≤ M ≤ N·d.

    Raises
    ------
    ValueError
        If a count is zero, negative or absurd.

    Notes
    -----
    No exact algorithm does better than N²d²/M for **every** M of the domain (proposition 3); for a single M
    one might.
    """
    n, d, elements = count_within("n", n), count_within("d", d), count_within("M in elements", elements)
    least = n * d
    return IoBound(
        n, d, elements, least + n * n, Fraction(least * least, elements), least, d <= elements <= least
    )


@dataclass(frozen=True)
class PublishedCount:
    """One published algorithm's traffic, as passes.

    Attributes
    ----------
    key, name : str
    square_passes, linear_passes : int
        Passes over N × N and over N × d elements, all heads and requests.
    stat_bytes : int
        Bytes of m and l on top, where the count includes them.
    n_bytes : int
        Bytes in all, exact.
    formula, source, note : str
    """

    key: str
    name: str
    square_passes: int
    linear_passes: int
    stat_bytes: int
    n_bytes: int
    formula: str
    source: str
    note: str


def published_counts(
    n: int,
    d: int,
    block_q: int,
    block_k: int,
    *,
    heads: int = 1,
    batch: int = 1,
    bytes_per_element: int = 2,
) -> dict[str, PublishedCount]:
    """Traffic of the published algorithms for a square call without a mask, by key.

    Parameters
    ----------
    n, d : int
    block_q, block_k : int
        Br and Bc; larger than n counts as n.
    heads, batch, bytes_per_element : int

    Raises
    ------
    ValueError
        If a count is zero, negative or absurd.
    """
    n, d = count_within("n", n), count_within("d", d)
    copies = count_within("heads", heads) * count_within("batch", batch)
    size = count_within("bytes_per_element", bytes_per_element, 1, WIDEST_FORMAT)
    tiles_q = -(-n // count_within("block_q", block_q))
    tiles_k = -(-n // count_within("block_k", block_k))
    square, linear, stats = copies * n * n * size, copies * n * d * size, copies * n * stat_bytes(size)
    rows = (
        ("standard_forward", "standard, forward", 4, 4, 0, "4·N² + 4·N·d", f"{FA1}, algorithm 0",
         "S and P written and read once each."),
        ("standard_backward", "standard, backward", 7, 8, 0, "7·N² + 8·N·d", f"{FA1}, algorithm 3", ""),
        ("compulsory_forward", "each tensor once, forward", 0, 4, 0, "4·N·d", "own arithmetic",
         "Lower bound of any exact method; lse apart."),
        ("compulsory_backward", "each tensor once, backward", 0, 8, 0, "8·N·d", "own arithmetic",
         "Lower bound where O is an input; lse apart. With O made again, seven tensors are enough."),
        ("fa1_forward", "FlashAttention, forward", 0, 2 + 3 * tiles_k, 0, "(2 + 3·Tc)·N·d",
         f"{FA1}, algorithm 1", "Read literally; m and l apart. Caches serve some of it."),
        ("fa1_statistics", "FlashAttention, m and l", 0, 0, 4 * tiles_k * stats, "4·Tc·N statistics",
         f"{FA1}, algorithm 1", "m and l in and out at each visit."),
        ("fa1_backward", "FlashAttention, backward", 0, 4 + 5 * tiles_k, 0, "(4 + 5·Tc)·N·d",
         f"{FA1}, algorithm 4", "Read literally: O comes in at each visit. Caches serve some of it."),
        ("fa2_forward", "FlashAttention-2, forward", 0, 2 + 2 * tiles_q, 0, "(2 + 2·Tr)·N·d",
         f"{FA2}, section 3.1", "No reuse through a cache; lse apart."),
    )  # fmt: skip
    return {
        key: PublishedCount(
            key,
            name,
            squares,
            linears,
            stat,
            squares * square + linears * linear + stat,
            formula,
            source,
            note,
        )
        for key, name, squares, linears, stat, formula, source, note in rows
    }
