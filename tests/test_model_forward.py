"""The model's file is what the calculator says, the forward pass is right, and it makes the committed heads.

Needs the model package (requirements-model.txt).
"""

import functools

import gguf
import numpy as np
import pytest

from engine.models import MODELS
from lesson.inputs import llama, make_real_heads, real

SENTENCE = (
    "The sun rises in the east and sets in the west. "
    "Every morning people wake up, eat breakfast and go to work."
)


right_rotate = llama.rotate


class CachedLlama(llama.Llama):
    """The model, with every weight dequantised only once: about 540 MB while these tests run."""

    def __init__(self, path):
        super().__init__(path)
        self.weight = functools.cache(super().weight)


@pytest.fixture(scope="module")
def reader():
    """The model's file, taken apart once, and in a plain array: slices of a mapped one cost more."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(np, "memmap", lambda path, mode: np.fromfile(path, np.uint8))
        return gguf.GGUFReader(llama.find_model())


@pytest.fixture(scope="module")
def model(reader):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gguf, "GGUFReader", lambda path: reader)
        return CachedLlama(llama.find_model())


@pytest.fixture(scope="module")
def numbers(model):
    found = model.encoder.encode(SENTENCE)
    assert len(found) == 25
    return found


@pytest.fixture(scope="module")
def right_loss(model, numbers):
    return model.loss(numbers)


def test_the_calculators_smollm2_equals_the_file(reader):
    row = MODELS["smollm2-135m"]
    told = {
        "llama.block_count": row.layers,
        "llama.attention.head_count": row.heads,
        "llama.attention.head_count_kv": row.kv_heads,
        "llama.rope.dimension_count": row.d,
        "llama.embedding_length": row.hidden,
        "llama.feed_forward_length": row.feed_forward,
        "llama.vocab_size": row.vocabulary,
        "llama.context_length": row.n_max,
    }
    assert {name: int(reader.fields[name].contents()) for name in told} == told
    assert sum(int(tensor.n_elements) for tensor in reader.tensors) == row.parameters


def test_the_loss_on_plain_english_is_sane(right_loss):
    # Guessing among 49,152 tokens would cost ln 49152 = 10.8 nats.
    assert 1.5 < right_loss < 3.0


def halves(x, base):
    """The wrong pairing: feature i with feature i + d/2, for weights stored the other way."""
    pairs = np.stack(np.split(x, 2, axis=-1), axis=-1).reshape(x.shape)
    return right_rotate(pairs, base)


@pytest.mark.parametrize(
    "wrong",
    [halves, lambda x, base: x, lambda x, base: right_rotate(x, 100.0)],
    ids=["halves", "none", "base"],
)
def test_a_wrong_rotation_costs_much(model, numbers, right_loss, monkeypatch, wrong):
    monkeypatch.setattr(llama, "rotate", wrong)
    assert model.loss(numbers) > right_loss + 0.5


def test_wrongly_shared_key_value_heads_cost_much(model, numbers, right_loss, monkeypatch):
    def tiled(heads):
        order = [0, 3, 6, 1, 4, 7, 2, 5, 8]  # pairs query head h with key/value head h % 3
        out = right_attend(llama.Heads(heads.q[order], heads.k, heads.v))
        parts = np.split(out, len(order), axis=-1)
        return np.concatenate([parts[order.index(h)] for h in range(len(order))], axis=-1)

    right_attend = llama._attend
    monkeypatch.setattr(llama, "_attend", tiled)
    assert model.loss(numbers) > right_loss + 0.5


def test_no_query_sees_a_later_token(model, numbers):
    changed = [*numbers[:-1], numbers[0]]
    (x, heads), (y, other) = model.run(numbers, layers=3), model.run(changed, layers=3)
    np.testing.assert_allclose(x[:-1], y[:-1], rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(heads[-1].k[:, :-1], other[-1].k[:, :-1], rtol=1e-4, atol=1e-4)
    assert np.abs(x[-1] - y[-1]).max() > 0.1


def test_rotated_scores_depend_on_distance_only():
    rng = np.random.default_rng(3)
    q, k = np.repeat(rng.normal(size=(2, 1, 1, 64)).astype(np.float32), 20, axis=2)
    s = llama.rotate(q, 1e5)[0] @ llama.rotate(k, 1e5)[0].T
    for distance in (0, 3, 11):
        np.testing.assert_allclose(np.diagonal(s, -distance), s[distance, 0], rtol=1e-4, atol=1e-4)
    assert np.ptp(s[:, 0]) > 1


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("I've 23 ideas!", ["I", "'ve", " ", "2", "3", " ideas", "!"]),
        ("Two  spaces, naïve", ["Two", " ", " spaces", ",", " na", "ïve"]),
        ("", []),
    ],
)
def test_the_tokenizer_splits_as_the_model_expects(model, text, pieces):
    assert [model.encoder.text(number) for number in model.encoder.encode(text)] == pieces


def test_every_text_comes_back_from_its_tokens(model):
    text = "Snake_case, a tab\t, two\n\nlines and 3.14 – plus snow: 雪."
    spelt = b"".join(
        bytes(model.encoder._byte[letter] for letter in model.encoder._spelling[number])
        for number in model.encoder.encode(text)
    )
    assert spelt.decode() == text


def test_making_the_default_sentence_again_gives_the_committed_arrays(model):
    sentence = {"keys-lock": make_real_heads.SENTENCES["keys-lock"]}
    arrays, tokens = make_real_heads.make(model, sentence, make_real_heads.HEADS)
    assert tokens["keys-lock"] == real.meta()["tokens"]["keys-lock"]
    assert real.meta()["sentences"] == make_real_heads.SENTENCES
    assert {head: list(at) for head, at in make_real_heads.HEADS.items()} == real.meta()["heads"]
    assert len(arrays) == 3 * len(make_real_heads.HEADS)
    for name, array in arrays.items():
        key, letter = name.rsplit(".", 1)
        committed = getattr(real.load(key), letter)
        # Float32 sums differ a little from machine to machine, which may turn the last bit of a float16.
        np.testing.assert_allclose(array.astype(np.float32), committed, rtol=2e-3, atol=2e-3, err_msg=name)
