"""Load the words of "Take it with you" and of the check for kernel authors, and check their slots."""

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from lesson.stage_text import slots_of

__all__ = ["SHARE_SLOTS", "ShareText", "load_share_text"]

ShareText = dict[str, dict[str, str]]


def _without(*names: str) -> dict[str, set[str]]:
    """Entries without slots."""
    return {name: set() for name in names}


_PLACE = {"name", "row", "token"}

SHARE_SLOTS: Mapping[str, Mapping[str, set[str]]] = {
    "panel": {
        "copied": {"step"},
        "qr_alt": {"link"},
        "qr_caption": {"step", "steps"},
        "saved": {"file"},
        "failed": {"reason"},
        **_without(
            "title",
            "link",
            "link_label",
            "not_copied",
            "own_file",
            "qr",
            "qr_failed",
            "svg",
            "png",
            "theme",
            "theme_shown",
            "theme_light",
            "theme_dark",
            "ledger_steps",
            "ledger_totals",
        ),
    },
    "picture": {
        "sizes": {"n_q", "n_k", "d", "d_v", "block_q", "block_k", "order", "storage"},
        "softcap": {"softcap"},
        "window": {"left", "right"},
        "mistake": {"mistake"},
        "block": {"name"},
        **_without(
            "name",
            "backward",
            "unlimited",
            "causal_bottom_right",
            "causal_top_left",
            "masked",
            "scores",
            "stats",
        ),
    },
    "files": _without("heading", "intro", "html", "html_help", "json", "json_help", "npz", "npz_help"),
    "file": {"noscript": set(), "about": {"title", "version"}},
    "check": {
        "intro": {"stats_shape", "acc_shape", "o_shape", "lse_shape"},
        "upload_help": {"bytes"},
        "refused": {"reason"},
        "agrees": {"names", "storage"},
        "share": {"name", "share"},
        "departs_tile": _PLACE | {"tile", "tiles"},
        "departs_tile_column": _PLACE | {"tile", "tiles", "column"},
        "departs_result": _PLACE,
        "departs_result_column": _PLACE | {"column"},
        "state_agrees": {"used"},
        "numbers": {"found", "expected", "allowed", "storage"},
        "open": {"step"},
        "step": {"step"},
        **_without("heading", "inputs", "inputs_help", "upload", "storage", "storage_help", "against_right"),
    },
    "hints": _without("base_2", "unscaled", "plus_infinity", "already_divided", "not_divided"),
}
"""Table, entry, and exactly the slots that are filled there."""

_CONTENT = Path(__file__).parent / "content"


@lru_cache(maxsize=4)
def load_share_text(language: str = "en") -> ShareText:
    """Read `content/<language>/stage_share.toml`.

    Raises
    ------
    ValueError
        If a table or an entry is missing or unknown, or a text has other slots than those that are filled.
    """
    path = _CONTENT / language / "stage_share.toml"
    text: ShareText = tomllib.loads(path.read_text(encoding="utf-8"))
    if set(text) != set(SHARE_SLOTS):
        raise ValueError(f"{path.name} has tables {sorted(text)}, expected {sorted(SHARE_SLOTS)}")
    for table, entries in SHARE_SLOTS.items():
        if set(text[table]) != set(entries):
            odd = sorted(set(text[table]) ^ set(entries))
            raise ValueError(f"{path.name}: [{table}] has missing or unknown entries: {odd}")
        for name, slots in entries.items():
            if slots_of(text[table][name]) != slots:
                raise ValueError(f"{path.name}: {table}.{name} must have the slots {sorted(slots)}")
    return text
