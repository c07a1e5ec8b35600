"""Real models: shapes from their configurations, weights by one sum."""

import pytest

from engine.models import MODELS, model_named

KNOWN_COUNTS = {
    "smollm2-135m": 134_515_008,
    "gpt2-medium": 354_823_168,
    "llama-2-7b": 6_738_415_616,
    "llama-3-8b": 8_030_261_248,
}


@pytest.mark.parametrize("model", MODELS.values(), ids=lambda m: m.key)
def test_every_row_is_possible_and_has_a_source(model):
    assert model.source
    assert model.date
    assert model.heads % model.kv_heads == 0
    assert min(model.layers, model.heads, model.kv_heads, model.d, model.hidden, model.n_max) > 0


@pytest.mark.parametrize(("key", "count"), KNOWN_COUNTS.items())
def test_weights_add_up_to_the_published_number(key, count):
    assert MODELS[key].parameters == count


def test_the_table_shows_what_it_should():
    assert len(MODELS) >= 6
    assert any(m.heads * m.d != m.hidden for m in MODELS.values())
    assert any(m.heads == m.kv_heads for m in MODELS.values())
    assert any(m.d == 256 for m in MODELS.values())


def test_an_unknown_model_is_named():
    with pytest.raises(ValueError, match="not 'gpt-9'"):
        model_named("gpt-9")
