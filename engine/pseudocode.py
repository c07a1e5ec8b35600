"""The listings that a trace points into: one a loop, and which line each kind of step runs.

Knows words only. The same listing is shown on every page.
"""

from dataclasses import dataclass

__all__ = ["LISTINGS", "Listing"]


@dataclass(frozen=True)
class Listing:
    """Pseudo-code as lines, and the 0-based line that each kind of step runs."""

    lines: tuple[str, ...]
    line_of: dict[str, int]


def _listing(*lines: tuple[str, str]) -> Listing:
    """Build from (text, kinds) pairs; kinds are separated by spaces."""
    return Listing(
        tuple(text for text, _ in lines),
        {kind: number for number, (_, kinds) in enumerate(lines) for kind in kinds.split()},
    )


LISTINGS = {
    "q_outer": _listing(
        ("split q, k, v into tiles", "partition"),
        ("for each query tile:", ""),
        ("  load q;  m, l, acc ← −∞, 0, 0", "load_q"),
        ("  for each key tile:", ""),
        ("    if no pair may attend: skip it", "skip"),
        ("    load k, v", "load_kv"),
        ("    s ← scale · q kᵀ", "score"),
        ("    s ← −∞ where masked", "mask"),
        ("    m_new ← max(m, rowmax s)", "update_max"),
        ("    alpha ← e^(m − m_new);  l, acc ← alpha·l, alpha·acc", "rescale"),
        ("    p ← e^(s − m_new);  l, acc ← l + rowsum p, acc + p v", "accumulate"),
        ("    discard s, p, k, v", "discard"),
        ("  o ← acc / l;  lse ← m + ln l", "normalise"),
        ("  store o, lse", "store"),
    ),
    "kv_outer": _listing(
        ("split q, k, v into tiles;  O, m, l ← 0, −∞, 0", "partition"),
        ("for each key tile:", ""),
        ("  load k, v", "load_kv"),
        ("  for each query tile:", ""),
        ("    if no pair may attend: skip it", "skip"),
        ("    load q, o, m, l;  acc ← l · o", "load_q"),
        ("    s ← scale · q kᵀ", "score"),
        ("    s ← −∞ where masked", "mask"),
        ("    m_new ← max(m, rowmax s)", "update_max"),
        ("    alpha ← e^(m − m_new);  l, acc ← alpha·l, alpha·acc", "rescale"),
        ("    p ← e^(s − m_new);  l, acc ← l + rowsum p, acc + p v", "accumulate"),
        ("    discard s, p", "discard"),
        ("    o ← acc / l", "normalise"),
        ("    store o, m, l", "store"),
    ),
    "backward": _listing(
        ("split q, k, v, dO into tiles;  dQ ← 0", "partition"),
        ("for each query tile:  D ← rowsum(dO ∘ O)", "delta"),
        ("for each key tile:", ""),
        ("  load k, v;  dK, dV ← 0", "load_kv"),
        ("  for each query tile:", ""),
        ("    if no pair may attend: skip it", "skip"),
        ("    load q, dO, lse, D, dQ", "load_q"),
        ("    s ← scale · q kᵀ, masked", "recompute_score"),
        ("    p ← e^(s − lse)", "recompute_p"),
        ("    dV ← dV + pᵀ dO", "d_v"),
        ("    dP ← dO vᵀ", "d_p"),
        ("    dS ← p ∘ (dP − D)", "d_s"),
        ("    dQ ← dQ + scale · dS k", "d_q"),
        ("    dK ← dK + scale · dSᵀ q", "d_k"),
        ("    discard s, p, dP, dS", "discard"),
        ("    store dQ;  after the last query tile store dK, dV", "store"),
    ),
}
