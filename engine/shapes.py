"""One attention call as sizes: what every part of the calculator is asked about.

Knows sizes, masks by position and number formats. Must not know bytes moved, devices or time.
"""

from dataclasses import dataclass

from engine.floor_sums import cover
from engine.masks import Causal, PairRule, Window
from engine.memory import count_within
from engine.options import CAUSAL, check_window
from engine.precision import FORMATS

# Bytes of one stored number. The engine's own formats, and the 8-bit floats that it does not compute in.
BYTES_OF_FORMAT = {name: fmt.bytes_per_element for name, fmt in FORMATS.items()} | {"float8": 1}
WIDEST_FORMAT = max(BYTES_OF_FORMAT.values())

__all__ = ["BYTES_OF_FORMAT", "AttentionShape", "Pairs", "pair_counts"]


@dataclass(frozen=True)
class Pairs:
    """Pairs of a query and a key, for one head of one request.

    Attributes
    ----------
    allowed : int
        Pairs that the mask lets attend. Only these need arithmetic.
    stored : int
        Cells of the dense matrix, which holds the forbidden pairs too.
    """

    allowed: int
    stored: int


def pair_counts(n_q: int, n_k: int, *, causal: Causal | None = None, window: Window | None = None) -> Pairs:
    """Count the pairs that may attend, apart from the cells that a dense matrix stores.

    Parameters
    ----------
    n_q, n_k : int
        Query and key positions, 0 or more.
    causal : {None, "bottom_right", "top_left"}
        The alignments differ where n_q ≠ n_k.
    window : (left, right) or None
        As `engine.attention`.

    Returns
    -------
    Pairs
        Exact at any size: a square causal mask leaves N(N + 1)/2.

    Raises
    ------
    ValueError
        If a count or a mask is impossible.
    """
    n_q, n_k = count_within("n_q", n_q, 0), count_within("n_k", n_k, 0)
    if causal is not None and causal not in CAUSAL:
        raise ValueError(f"causal must be None, 'bottom_right' or 'top_left', not {causal!r}")
    rule = PairRule(n_q, n_k, causal, check_window(window))
    # Tiles of one position each: a visited tile is an allowed pair.
    return Pairs(cover(n_q, n_k, 1, 1, rule.offset, rule.left, rule.right).visits, n_q * n_k)


@dataclass(frozen=True)
class AttentionShape:
    """Sizes of one attention call.

    Attributes
    ----------
    n_q, n_k : int
        Query and key positions; n_q = 1 is one step of decoding.
    d : int
        Head size of q and k.
    d_v : int or None
        Head size of v and o; None becomes d.
    heads, batch : int
        Query heads and requests.
    kv_heads : int or None
        Key/value heads; None becomes heads.
    bytes_per_element : int
        Of q, k, v and o, and of a stored score.
    causal, window
        As `engine.attention`.

    Raises
    ------
    ValueError
        If a count is not a whole number, is zero or negative, or exceeds `MAX_COUNT`; if the query heads are
        no multiple of the key/value heads; or if a mask is impossible. The message holds value and limit.
    """

    n_q: int
    n_k: int
    d: int
    d_v: int | None = None
    heads: int = 1
    kv_heads: int | None = None
    batch: int = 1
    bytes_per_element: int = 2
    causal: Causal | None = None
    window: Window | None = None

    def __post_init__(self) -> None:
        for name in ("n_q", "n_k", "d", "heads", "batch"):
            object.__setattr__(self, name, count_within(name, getattr(self, name)))
        size = count_within("bytes_per_element", self.bytes_per_element, 1, WIDEST_FORMAT)
        object.__setattr__(self, "bytes_per_element", size)
        for name, fallback in (("d_v", self.d), ("kv_heads", self.heads)):
            value = getattr(self, name)
            object.__setattr__(self, name, fallback if value is None else count_within(name, value))
        if self.heads % self.group_heads:
            raise ValueError(
                f"{self.heads:,} query heads is not a multiple of {self.group_heads:,} key/value heads"
            )
        object.__setattr__(self, "window", check_window(self.window))
        pair_counts(1, 1, causal=self.causal)

    @property
    def value_size(self) -> int:
        """Head size of v and o."""
        return self.d if self.d_v is None else self.d_v

    @property
    def group_heads(self) -> int:
        """Key/value heads."""
        return self.heads if self.kv_heads is None else self.kv_heads

    @property
    def copies(self) -> int:
        """Query heads times requests."""
        return self.heads * self.batch

    @property
    def pairs(self) -> Pairs:
        """Pairs of one head of one request."""
        return pair_counts(self.n_q, self.n_k, causal=self.causal, window=self.window)
