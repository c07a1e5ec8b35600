"""How many bytes the dense score matrix takes.

Knows sizes only; must not know how attention is computed.
"""

import operator

# A calculator's largest count. Beyond it no machine and no text is meant, only a slip of the keyboard.
MAX_COUNT = 10**12

__all__ = ["MAX_COUNT", "count_within", "score_matrix_bytes", "whole_number"]


def whole_number(name: str, value: object, least: int) -> int:
    """Check that a count is a whole number of at least ``least`` and return it as a Python int.

    Python ints cannot overflow and never lose bytes, so every count goes through here.

    Raises
    ------
    ValueError
        If it is not a whole number, or too small; the message holds the value and the limit.
    """
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)  # type: ignore[arg-type]  # what has no index is caught below
    except TypeError:
        raise ValueError(f"{name} must be a whole number of at least {least}, not {value!r}") from None
    if number < least:
        raise ValueError(f"{name} must be at least {least}, not {number}")
    return number


def count_within(name: str, value: object, least: int = 1, most: int = MAX_COUNT) -> int:
    """Check as `whole_number` does, and that the count is no larger than ``most``.

    Raises
    ------
    ValueError
        If it is not a whole number or lies outside the limits; the message holds the value and the limit.
    """
    number = whole_number(name, value, least)
    if number > most:
        raise ValueError(f"{name} must be at most {most:,}, not {number:,}")
    return number


def score_matrix_bytes(n_q: int, n_k: int, bytes_per_score: int, *, heads: int = 1, batch: int = 1) -> int:
    """Bytes of the dense score matrix, M_score = T_query · T_key · s, when it is materialised.

    Parameters
    ----------
    n_q, n_k : int
        Query and key positions.
    bytes_per_score : int
        Stored bytes of one score, s.
    heads, batch : int
        Query heads and requests that are materialised together; 1 and 1 in the formula's own terms.

    Returns
    -------
    int
        Bytes, exact. No padding; a causal matrix stored dense takes the same.

    Raises
    ------
    ValueError
        If a count is not a whole number, negative, or (s, heads, batch) zero.

    Notes
    -----
    Source: "IO-aware attention and online softmax", Atlas lesson 1.3.0, section "Score storage".
    """
    return (
        whole_number("n_q", n_q, 0)
        * whole_number("n_k", n_k, 0)
        * whole_number("bytes_per_score", bytes_per_score, 1)
        * whole_number("heads", heads, 1)
        * whole_number("batch", batch, 1)
    )
