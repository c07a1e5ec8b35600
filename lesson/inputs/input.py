"""What every input of the lesson is: one attention call, ready to run, and the words that go with it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.masks import BoolArray, Causal
from engine.options import Order

FloatArray = npt.NDArray[np.float32]

__all__ = ["BoolArray", "Causal", "FloatArray", "Input", "InputError", "Order"]


class InputError(ValueError):
    """An input that cannot be used; the message names the value and the limit."""


@dataclass(frozen=True, eq=False)
class Input:
    """One head's attention call. The arrays are read-only, because sessions share them.

    Parameters
    ----------
    key : str
        Short stable name, used in addresses.
    title : str
        A few words for a menu.
    q : ndarray of float32, shape (n_q, d)
    k : ndarray of float32, shape (n_k, d)
    v : ndarray of float32, shape (n_k, d_v)
    tokens_q, tokens_k : tuple of str
        A label for each query and for each key.
    description : str
        What runs, and one sentence on what to look for.
    source : str
        Where the numbers come from.
    causal : {"bottom_right", "top_left"} or None
        The mask by position that suits this input.
    keep : ndarray of bool, shape (n_q, n_k), or None
        True where a pair may attend.
    block_q, block_k : int
        The tile sizes that show the point best.
    order : {"q_outer", "kv_outer"}
    """

    key: str
    title: str
    q: FloatArray
    k: FloatArray
    v: FloatArray
    tokens_q: tuple[str, ...]
    tokens_k: tuple[str, ...]
    description: str
    source: str
    causal: Causal | None = None
    keep: BoolArray | None = None
    block_q: int = 4
    block_k: int = 4
    order: Order = "q_outer"

    def __post_init__(self) -> None:
        for array in (self.q, self.k, self.v, self.keep):
            if array is not None:
                array.setflags(write=False)

    @property
    def tokens(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Both lists of labels, as ``engine.trace_attention`` takes them."""
        return self.tokens_q, self.tokens_k

    def options(self) -> dict[str, Any]:
        """Keyword arguments for ``engine.attention`` and ``engine.trace_attention``."""
        return {
            "causal": self.causal,
            "keep": self.keep,
            "block_q": self.block_q,
            "block_k": self.block_k,
            "order": self.order,
        }
