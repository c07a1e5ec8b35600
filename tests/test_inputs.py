"""The lesson's inputs: real heads differ as their labels say, made-up ones teach what they claim."""

import json

import numpy as np
import pytest

import engine
from lesson import inputs
from lesson.inputs import made_up, real
from lesson.inputs.patterns import causal_weights, measures, on_copy, on_match

ALL_KEYS = [entry.key for entry in inputs.entries()]
REAL_KEYS = [entry.key for entry in inputs.heads()]


def scores(item):
    """Scaled scores with −∞ where the input's own masks forbid the pair, in float64."""
    q, k = item.q.astype(np.float64), item.k.astype(np.float64)
    s = q @ k.T / np.sqrt(q.shape[1])
    if item.causal == "bottom_right":
        s = np.where(np.tri(*s.shape, k=len(k) - len(q), dtype=bool), s, -np.inf)
    if item.keep is not None:
        s = np.where(item.keep, s, -np.inf)
    return s


def tile_maxima(item):
    """Row maxima tile by tile, shape (n_q, tiles_k)."""
    s = scores(item)
    return np.stack(
        [s[:, at : at + item.block_k].max(axis=1) for at in range(0, s.shape[1], item.block_k)], axis=1
    )


def rises(item):
    """Where a later tile beats a finite running maximum, shape (n_q, tiles_k - 1)."""
    running = np.maximum.accumulate(tile_maxima(item), axis=1)
    return (running[:, 1:] > running[:, :-1]) & np.isfinite(running[:, :-1])


def weights(item):
    """Attention weights; 0 for a row that sees nothing."""
    s = scores(item)
    top = s.max(axis=1, keepdims=True)
    p = np.exp(s - np.where(np.isfinite(top), top, 0.0))
    total = p.sum(axis=1, keepdims=True)
    return np.divide(p, total, out=np.zeros_like(p), where=total > 0)


def words(key):
    return [token.strip() for token in inputs.load(key).tokens_k]


# --- every input ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ALL_KEYS)
def test_every_input_is_whole(key):
    item = inputs.load(key)
    assert item.key == key
    for array in (item.q, item.k, item.v):
        assert array.dtype == np.float32
        assert array.ndim == 2
        assert np.isfinite(array).all()
        assert not array.flags.writeable
    assert item.q.shape[1] == item.k.shape[1]
    assert len(item.k) == len(item.v)
    assert (len(item.tokens_q), len(item.tokens_k)) == (len(item.q), len(item.k))
    assert item.keep is None or item.keep.shape == (len(item.q), len(item.k))
    assert item.description.endswith(".")
    assert item.title
    assert item.source
    assert len(item.k) / item.block_k > 2, "at least three key tiles"


@pytest.mark.parametrize("key", ALL_KEYS)
def test_the_engine_runs_every_input_and_rescales_where_the_scores_say(key):
    item = inputs.load(key)
    trace = engine.trace_attention(item.q, item.k, item.v, tokens=item.tokens, **item.options())
    options = {name: item.options()[name] for name in ("causal", "keep")}
    o, _ = engine.reference_attention(item.q, item.k, item.v, **options)
    np.testing.assert_allclose(weights(item) @ item.v, o, rtol=1e-12, atol=1e-12)
    # The trace rescales where the scores, worked out here on their own, say that a maximum rises.
    rescaled = np.zeros((len(item.q), -(-len(item.k) // item.block_k)), bool)
    for step in trace.steps:
        if step.kind == "rescale":
            rescaled[slice(*step.rows), step.tile[1]] = step.work["rescaled"]
    assert not rescaled[:, 0].any()
    np.testing.assert_array_equal(rescaled[:, 1:], rises(item))


def test_the_skipped_tile_of_the_masked_first_input_is_skipped():
    item = inputs.load("masked-first")
    trace = engine.trace_attention(item.q, item.k, item.v, **item.options())
    assert [tuple(step.tile) for step in trace.steps if step.kind == "skip"] == [(1, 0)]


def test_keys_are_unique_and_stable():
    assert len(set(ALL_KEYS)) == len(ALL_KEYS)
    assert inputs.DEFAULT_KEY == "keys-lock.prev"
    sentences, heads = (
        ("keys-lock", "red-fox", "capitals"),
        ("subject", "prev", "first", "broad", "copy", "match"),
    )
    assert [f"{sentence}.{head}" for sentence in sentences for head in heads] == REAL_KEYS
    assert ALL_KEYS[len(REAL_KEYS) :] == [
        "rising", "falling", "equal", "dominant", "huge", "empty-row", "masked-first", "ragged"
    ]  # fmt: skip


def test_an_unknown_key_names_itself_and_the_choices():
    with pytest.raises(inputs.InputError, match=r"'no-such'.*keys-lock\.subject.*ragged"):
        inputs.load("no-such")


# --- real heads ----------------------------------------------------------------------------------------


def test_the_data_file_is_small_and_needs_no_pickle():
    assert real.DATA.stat().st_size < 1_000_000
    with np.load(real.DATA, allow_pickle=False) as file:
        assert not any(file[name].dtype.hasobject for name in file.files)
        numbers = [name for name in file.files if name != "meta"]
        assert {file[name].dtype for name in numbers} == {np.dtype(np.float16)}
        assert len(numbers) == 3 * len(REAL_KEYS)
        meta = json.loads(str(file["meta"]))
    assert meta["provenance"]["licence"] == "Apache-2.0"
    page = real.DATA.with_suffix(".md").read_text(encoding="utf-8")
    for fact in ("Apache-2.0", meta["provenance"]["file_sha256"], meta["provenance"]["package"], "Q4_1"):
        assert fact in page


def test_sentences_and_tokens():
    sentences = {entry.sentence for entry in inputs.heads()}
    assert len(sentences) >= 3
    for entry in inputs.heads():
        item = inputs.load(entry.key)
        assert item.q.shape[1] == item.k.shape[1] == item.v.shape[1] == 64
        assert 12 <= len(item.tokens_q) <= 24
        assert "".join(item.tokens_q) == entry.sentence
        assert item.causal == "bottom_right"
        assert f"layer {entry.layer}, head {entry.head}" in item.source


@pytest.mark.parametrize("sentence", ["keys-lock", "red-fox", "capitals"])
def test_heads_show_visibly_different_patterns(sentence):
    found = {}
    for head in ("prev", "first", "broad", "match", "copy"):
        item = inputs.load(f"{sentence}.{head}")
        found[head] = measures(causal_weights(item.q, item.k), words(item.key))
    assert found["prev"]["previous"] > 0.7
    assert all(found[other]["previous"] < 0.2 for other in found if other != "prev")
    assert found["first"]["first"] > 0.9
    assert all(found[other]["first"] < 0.2 for other in ("prev", "broad"))
    assert found["broad"]["breadth"] > 0.85
    assert all(found[other]["breadth"] < 0.4 for other in found if other != "broad")


@pytest.mark.parametrize("sentence", ["keys-lock", "red-fox", "capitals"])
def test_patterns_rescale_as_their_descriptions_say(sentence):
    first, prev, broad = (inputs.load(f"{sentence}.{head}") for head in ("first", "prev", "broad"))
    assert not rises(first).any(), "nothing is rescaled"
    assert rises(prev).any(axis=1)[prev.block_k :].mean() > 0.9, (
        "nearly every row with several tiles rescales"
    )
    p = weights(broad)
    for row in range(broad.block_k, len(p)):
        shares = [p[row, at : at + broad.block_k].sum() for at in range(0, row + 1, broad.block_k)]
        assert min(shares) > 0.04, "every tile adds a real share"


@pytest.mark.parametrize("sentence", ["red-fox", "capitals"])
def test_content_heads_find_repeated_words(sentence):
    match, copy = inputs.load(f"{sentence}.match"), inputs.load(f"{sentence}.copy")
    p_match, p_copy = causal_weights(match.q, match.k), causal_weights(copy.q, copy.k)
    assert on_match(p_match, words(match.key)) > 0.4 > 10 * on_match(p_copy, words(match.key))
    assert on_copy(p_copy, words(copy.key)) > 0.4 > 10 * on_copy(p_match, words(copy.key))


@pytest.mark.parametrize(
    ("key", "verb", "subject"),
    [
        ("keys-lock.subject", "were", "keys"),
        ("keys-lock.subject", "was", "door"),
        ("red-fox.subject", "met", "fox"),
        ("red-fox.subject", "ran", "fox"),
        ("capitals.subject", "is", "capital"),
    ],
)
def test_the_subject_head_finds_the_subject(key, verb, subject):
    item = inputs.load(key)
    p = causal_weights(item.q, item.k)
    rows = [i for i, word in enumerate(words(key)) if word == verb]
    assert rows
    for row in rows:
        nearest = max(j for j, word in enumerate(words(key)[:row]) if word == subject)
        assert p[row].argmax() == nearest
        assert p[row, nearest] > 0.45


def test_the_default_has_rows_that_rescale_and_rows_that_do_not():
    item = inputs.load(inputs.DEFAULT_KEY)
    assert (item.block_q, item.block_k) == (4, 4)
    assert len(item.k) == 16, "four key tiles"
    risen = rises(item)
    word = dict(zip(words(item.key), risen.sum(axis=1), strict=True))
    assert word["lock"] == 1, "the word before it stands in a later tile than the first"
    assert word["old"] == 0, "it sees two tiles, and the first holds its largest score: the word before it"
    visits = [risen[row : row + 4, :].any(axis=0).sum() for row in range(0, 16, 4)]
    assert visits == [0, 1, 2, 2], "five visits rescale, the first of them early in the run"


# --- made-up inputs ------------------------------------------------------------------------------------


def test_rising_maxima_rise_in_every_tile_of_every_row():
    assert rises(inputs.load("rising")).all()


def test_falling_maxima_never_rise_and_give_the_same_result():
    falling, rising = inputs.load("falling"), inputs.load("rising")
    assert not rises(falling).any()
    assert (np.diff(tile_maxima(falling), axis=1) < 0).all()
    np.testing.assert_array_equal(falling.k[::-1], rising.k)
    np.testing.assert_allclose(
        weights(falling) @ falling.v, weights(rising) @ rising.v, rtol=1e-12, atol=1e-12
    )


def test_equal_scores_give_the_plain_mean():
    item = inputs.load("equal")
    s = scores(item)
    assert (s == s[:, :1]).all()
    assert len(np.unique(s[:, 0])) == len(s), "the rows differ, only their keys do not"
    np.testing.assert_allclose(weights(item) @ item.v, np.tile(item.v.mean(axis=0), (4, 1)), rtol=1e-6)


def test_one_key_dominates_from_the_middle_tile():
    p = weights(inputs.load("dominant"))
    assert (p.argmax(axis=1) == 6).all()
    assert (p[:, 6] > 0.999).all()
    assert rises(inputs.load("dominant"))[:, 0].all(), "it comes after the first tile"


def test_huge_scores_overflow_without_the_maximum():
    item = inputs.load("huge")
    s = scores(item)
    with np.errstate(over="ignore"):
        assert np.isinf(np.exp(s)).all(), "even in float64"
        assert np.isinf(np.exp(s.astype(np.float32))).all()
    assert 0.3 < weights(item).max() < 0.95, "and yet the answer is an ordinary mixture"
    assert np.abs(np.concatenate([item.q, item.k])).max() < 65504, "the inputs themselves fit float16"


def test_the_empty_row_is_the_third():
    item = inputs.load("empty-row")
    np.testing.assert_array_equal(np.isneginf(scores(item)).all(axis=1), [False, False, True, False])


def test_the_first_visited_tile_is_masked_for_the_second_query_only():
    item = inputs.load("masked-first")
    top = tile_maxima(item)
    assert np.isfinite(top[0, 0]), "the tile is visited for query 0's sake"
    assert np.isneginf(top[1, 0]), "and query 1 sees nothing in it"
    assert np.isneginf(top[2:, 0]).all(), "and skipped for the second query tile"
    assert np.isfinite(top[:, 1:]).all()


def test_ragged_sizes_do_not_fill_their_tiles():
    item = inputs.load("ragged")
    assert len(item.q) % item.block_q
    assert len(item.k) % item.block_k
    assert len(item.q) != len(item.k)
    assert np.isfinite(scores(item)[-1]).all(), "the last query sees every key"
    assert np.isneginf(scores(item)[0]).sum() == len(item.q) - 1
    assert rises(item).any()
    assert not rises(item).all()


@pytest.mark.parametrize("key", [key for key in made_up.names() if key != "empty-row"])
def test_the_constant_value_checks_the_row_sum(key):
    item = inputs.load(key)
    np.testing.assert_array_equal(item.v[:, 2], 1)
    np.testing.assert_allclose((weights(item) @ item.v)[:, 2], 1, rtol=1e-12)


def test_made_up_inputs_are_tiny_and_the_same_each_time():
    for key in made_up.names():
        item, again = made_up.load(key), made_up.load(key)
        assert max(item.q.size, item.k.size, item.v.size) <= 48
        np.testing.assert_array_equal(item.q, again.q)
        np.testing.assert_array_equal(item.k, again.k)
        # Short binary fractions: nothing is lost in float16.
        np.testing.assert_array_equal(item.k.astype(np.float16), item.k)
