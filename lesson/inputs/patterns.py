"""Numbers that tell one attention pattern from another, so that a head's label is a measurement.

Each measure works on the weights of one causal head over one sentence and lies between 0 and 1.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Weights = npt.NDArray[np.float64]

__all__ = ["breadth", "causal_weights", "measures", "on_copy", "on_first", "on_match", "on_previous"]


def causal_weights(q: npt.ArrayLike, k: npt.ArrayLike) -> Weights:
    """Attention weights of a causal head, in float64.

    Parameters
    ----------
    q, k : array_like of shape (n, d)

    Returns
    -------
    ndarray of shape (n, n)
        Row i sums to 1 over keys 0 to i.
    """
    q64, k64 = np.asarray(q, np.float64), np.asarray(k, np.float64)
    s = q64 @ k64.T / np.sqrt(q64.shape[-1])
    s = np.where(np.tri(len(s), dtype=bool), s, -np.inf)
    p: Weights = np.exp(s - s.max(axis=-1, keepdims=True))
    p /= p.sum(axis=-1, keepdims=True)
    return p


def on_previous(p: Weights) -> float:
    """Mean weight on the token just before, over queries 2 on (query 1's is the first token as well)."""
    return float(np.diagonal(p, offset=-1)[1:].mean())


def on_first(p: Weights) -> float:
    """Mean weight on the first token, over queries 2 on."""
    return float(p[2:, 0].mean())


def breadth(p: Weights) -> float:
    """Entropy of the weights as a share of the most that is possible; 1 spreads evenly over all keys."""
    entropy = -np.sum(p * np.log(np.where(p > 0, p, 1.0)), axis=-1)
    most = np.log(np.arange(1, len(p) + 1))
    return float(entropy.sum() / most.sum())


def on_match(p: Weights, words: Sequence[str]) -> float:
    """Mean weight on the latest earlier use of the same word; 0 if no word repeats.

    The first token does not count as a use, because many heads rest on it anyway.
    """
    pairs = _repeats(words)
    return float(np.mean([p[i, j] for i, j in pairs])) if pairs else 0.0


def on_copy(p: Weights, words: Sequence[str]) -> float:
    """Mean weight on the word that came after the latest earlier use of the same word; 0 if none repeats."""
    pairs = [(i, j + 1) for i, j in _repeats(words) if j + 1 < i]
    return float(np.mean([p[i, j] for i, j in pairs])) if pairs else 0.0


def measures(p: Weights, words: Sequence[str]) -> dict[str, float]:
    """All measures by name."""
    return {
        "previous": on_previous(p),
        "first": on_first(p),
        "breadth": breadth(p),
        "match": on_match(p, words),
        "copy": on_copy(p, words),
    }


def _repeats(words: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs (query, latest earlier position of the same word), without position 0."""
    latest: dict[str, int] = {}
    pairs = []
    for i, word in enumerate(words):
        if word in latest:
            pairs.append((i, latest[word]))
        if i > 0:
            latest[word] = i
    return pairs
