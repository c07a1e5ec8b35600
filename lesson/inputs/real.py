"""The bundled heads of a real model: Q, K and V as SmolLM2-135M-Instruct made them.

The data and where it comes from lie beside this file: ``real_heads.npz`` and ``real_heads.md``.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from lesson.inputs.input import FloatArray, Input
from lesson.inputs.text import text

__all__ = ["DATA", "load", "meta", "names"]

DATA = Path(__file__).with_name("real_heads.npz")


@cache
def _arrays() -> dict[str, FloatArray]:
    with np.load(DATA, allow_pickle=False) as file:
        return {name: file[name].astype(np.float32) for name in file.files if name != "meta"}


@cache
def meta() -> dict[str, Any]:
    """Provenance, sentences, tokens and (layer, head) pairs, as the script wrote them."""
    with np.load(DATA, allow_pickle=False) as file:
        found: dict[str, Any] = json.loads(str(file["meta"]))
    return found


def names() -> list[str]:
    """Every ``"sentence.head"``, sentence by sentence."""
    return [f"{sentence}.{head}" for sentence in meta()["sentences"] for head in meta()["heads"]]


@cache
def load(key: str) -> Input:
    """One head on one sentence.

    Parameters
    ----------
    key : str
        One of `names`.

    Raises
    ------
    KeyError
        If there is no such head.
    """
    if key not in names():
        raise KeyError(key)
    sentence, head = key.split(".")
    layer, query_head = meta()["heads"][head]
    tokens = tuple(meta()["tokens"][sentence])
    words = text("heads", head)
    arrays = _arrays()
    return Input(
        key=key,
        title=words["label"].capitalize(),
        q=arrays[f"{key}.q"],
        k=arrays[f"{key}.k"],
        v=arrays[f"{key}.v"],
        tokens_q=tokens,
        tokens_k=tokens,
        description=text("said", "real")["run"].format(
            model=meta()["provenance"]["model"], sentence=meta()["sentences"][sentence], **words
        ),
        source=f"{meta()['provenance']['model']}, layer {layer}, head {query_head}, counted from 0",
        causal="bottom_right",
    )
