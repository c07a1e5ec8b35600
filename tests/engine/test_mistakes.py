"""The named wrong algorithms: what each gives, where each is right by luck, and that it is one step away."""

import json
import math
from typing import Any

import numpy as np
import pytest

from engine import MISTAKES, attention, reference_attention, trace_attention, trace_to_json
from engine.online import OnlineSoftmax
from tests.engine.oracle import assert_close
from tests.engine.strategies import ORDERS, STORAGES

RISING, FALLING, LEVEL = (0.0, 1.0, 2.0, 3.0), (3.0, 2.0, 1.0, 0.0), (1.0, 1.0, 1.0, 1.0)
VALUES = (1.0, 2.0, 3.0, 4.0)
RIGHT_BY_LUCK = 1e-9


def run(mistake: str | None, keys: Any, order: Any = "q_outer", block_k: int = 2, **options: Any) -> float:
    """Output of one query q = 1 over keys of head size 1 with values 1, 2, 3, 4."""
    k = np.array(keys)[:, None]
    v = np.array(VALUES)[:, None]
    options = {"scale": 1, "block_k": block_k, "order": order} | options
    trace = trace_attention(np.ones((1, 1)), k, v, mistake=mistake, **options)
    return float(trace.result["o"][0, 0])


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    ("mistake", "value"),
    [
        (None, 3.49265),
        ("accumulator_not_rescaled", 4.81102),
        ("sum_not_rescaled", 1.98267),
        ("alpha_upside_down", math.nan),
    ],
)
def test_known_values(order: Any, mistake: str | None, value: float) -> None:
    """K = 0, 1, 2, 3, V = 1, 2, 3, 4, q = 1, two keys a tile: the values that people report."""
    assert run(mistake, RISING, order) == pytest.approx(value, abs=5e-6, nan_ok=True)


def by_hand(mistake: str, keys: tuple[float, ...], block_k: int) -> float:
    """What the description of a mistake gives for one row, written without the engine."""
    tiles = [(keys[i : i + block_k], VALUES[i : i + block_k]) for i in range(0, len(keys), block_k)]
    if mistake == "softmax_each_tile_then_average":
        means = []
        for s, v in tiles:
            w = [math.exp(x - max(s)) for x in s]
            means.append(sum(a * b for a, b in zip(w, v, strict=True)) / sum(w))
        return sum(means) / len(means)
    m, l, acc = -math.inf, 0.0, 0.0
    for s, v in tiles:
        m_new = max(m, *s)
        alpha = math.exp(m - m_new)
        reference = max(s) if mistake == "tile_max_instead_of_running_max" else m_new
        w = [math.exp(x - reference) for x in s]
        l = l * (1 if mistake in ("no_rescale", "sum_not_rescaled") else alpha) + sum(w)
        acc = acc * (1 if mistake in ("no_rescale", "accumulator_not_rescaled") else alpha)
        acc += sum(a * b for a, b in zip(w, v, strict=True))
        if mistake == "divide_every_tile":
            acc /= l
        m = m_new
    return acc if mistake == "divide_every_tile" else acc / l


COMPUTABLE = sorted(set(MISTAKES) - {"alpha_upside_down", "no_max"})


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("mistake", COMPUTABLE)
@pytest.mark.parametrize("keys", [RISING, FALLING, LEVEL, (1.0, 5.0, 2.0, 4.0), (-2.0, 0.5, 3.0, -1.0)])
@pytest.mark.parametrize("block_k", [1, 2, 3, 4])
def test_a_mistake_computes_what_it_says(order: Any, mistake: str, keys: Any, block_k: int) -> None:
    """Both orders, against a plain loop that makes the described slip."""
    assert run(mistake, keys, order, block_k) == pytest.approx(by_hand(mistake, keys, block_k), rel=1e-12)


# Where each claims to be right by luck (keys, keys a tile), and where it is not.
LUCK: dict[str, tuple[list[tuple[Any, int]], list[tuple[Any, int]]]] = {
    "no_rescale": ([(FALLING, 2), (RISING, 4), (LEVEL, 1)], [(RISING, 2), (RISING, 1)]),
    "sum_not_rescaled": ([(FALLING, 2), (RISING, 4), (LEVEL, 1)], [(RISING, 2), (RISING, 1)]),
    "accumulator_not_rescaled": ([(FALLING, 2), (RISING, 4), (LEVEL, 1)], [(RISING, 2), (RISING, 1)]),
    "softmax_each_tile_then_average": (
        [(RISING, 4), (LEVEL, 2), ((0.0, 1.0, 1.0, 0.0), 2)],
        [(RISING, 2), (FALLING, 2), (LEVEL, 3)],
    ),
    "no_max": ([(RISING, 2), (FALLING, 1), ((-50.0, 50.0, 0.0, 20.0), 2)], [((0.0, 800.0, 1.0, 2.0), 2)]),
    "divide_every_tile": ([(RISING, 4), (FALLING, 4)], [(RISING, 2), (FALLING, 2), (LEVEL, 2)]),
    "tile_max_instead_of_running_max": (
        [(RISING, 2), (RISING, 1), (RISING, 4), (LEVEL, 2)],
        [(FALLING, 2), (FALLING, 1)],
    ),
    "alpha_upside_down": ([], [(RISING, 2), (FALLING, 2), (RISING, 4), (LEVEL, 1)]),
}


def test_every_mistake_has_its_luck_tested() -> None:
    """And says in words what it gets wrong."""
    assert LUCK.keys() == MISTAKES.keys()
    for name, mistake in MISTAKES.items():
        assert mistake.name == name
        assert all(text.endswith(".") and len(text) > 20 for text in (mistake.why, mistake.lucky))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("mistake", sorted(LUCK))
def test_right_by_luck_and_wrong_without_it(order: Any, mistake: str) -> None:
    """Where a mistake is right by luck it is right, elsewhere it is visibly wrong."""
    lucky, unlucky = LUCK[mistake]
    for keys, block_k in lucky:
        error = abs(run(mistake, keys, order, block_k) - run(None, keys, order, block_k))
        assert error < RIGHT_BY_LUCK, f"{keys}, block_k={block_k}: off by {error}"
    for keys, block_k in unlucky:
        error = abs(run(mistake, keys, order, block_k) - run(None, keys, order, block_k))
        assert not error < 0.01, f"{keys}, block_k={block_k}: off by only {error}"


@pytest.mark.parametrize("order", ORDERS)
def test_no_max_overflows_in_float32_at_89(order: Any) -> None:
    """Below about 88 exp fits float32, above it does not."""
    below = run("no_max", (0.0, 80.0, 1.0, 2.0), order, storage="float32")
    assert below == pytest.approx(2.0, abs=1e-6)
    assert math.isnan(run("no_max", (0.0, 90.0, 1.0, 2.0), order, storage="float32"))
    assert run("no_max", (0.0, 90.0, 1.0, 2.0), order, storage="float64") == pytest.approx(2.0)


@pytest.mark.parametrize("mistake", sorted(MISTAKES))
def test_a_mistake_overrides_and_adds_no_step(mistake: str) -> None:
    """It is a subclass of the right one that overrides some of its steps."""
    softmax = MISTAKES[mistake].softmax
    assert isinstance(softmax, OnlineSoftmax) and type(softmax) is not OnlineSoftmax
    steps = {n for n in vars(OnlineSoftmax) if not n.startswith("__")}
    own = {n for n in vars(type(softmax)) if not n.startswith("__")}
    assert own and own <= steps


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("mistake", sorted(MISTAKES))
def test_a_mistake_is_traced_like_the_right_one(storage: str, order: Any, mistake: str) -> None:
    """Same steps, same bytes, same reference; only numbers differ. NaN and inf still encode."""
    rng = np.random.default_rng(3)
    q, k, v = rng.standard_normal((5, 4)), rng.standard_normal((7, 4)), rng.standard_normal((7, 3))
    options: dict[str, Any] = {
        "block_q": 2, "block_k": 3, "order": order, "causal": "bottom_right", "storage": storage, "scale": 2,
    }  # fmt: skip
    right, wrong = (trace_attention(q, k, v, mistake=m, **options) for m in (None, mistake))
    for a, b in zip(right.steps, wrong.steps, strict=True):
        assert (a.kind, a.tile, a.hbm_read, a.hbm_write, a.resident) == (
            b.kind,
            b.tile,
            b.hbm_read,
            b.hbm_write,
            b.resident,
        )
        assert a.work.keys() == b.work.keys() and a.state.keys() == b.state.keys()
    assert np.array_equal(right.arrays["reference_o"], wrong.arrays["reference_o"])
    assert wrong.problem["mistake"] == mistake and right.problem["mistake"] is None
    text = trace_to_json(wrong, 6)
    assert "NaN" not in text and "Infinity" not in text
    assert json.loads(text)["problem"]["mistake"] == mistake


@pytest.mark.parametrize("mistake", sorted(MISTAKES))
def test_a_mistake_shows_on_an_ordinary_input(mistake: str) -> None:
    """Scores that rise and fall over four tiles make each wrong, except that no_max needs a large score."""
    rng = np.random.default_rng(5)
    q, k, v = (3 * rng.standard_normal((6, 8)) for _ in range(3))
    if mistake == "no_max":
        q *= 100
    wanted, _ = reference_attention(q, k, v)
    for order in ORDERS:
        o = trace_attention(q, k, v, mistake=mistake, order=order, block_q=3, block_k=2).result["o"]
        assert not np.abs(o - wanted).max() < 1e-2
        assert_close(attention(q, k, v, order=order, block_q=3, block_k=2)[0], wanted, (1e-11, 1e-11), order)


def test_unknown_mistakes_are_refused() -> None:
    """With the names that exist; and a backward has none."""
    x = np.ones((2, 2))
    with pytest.raises(ValueError, match=r"one of no_rescale, .*not 'forget_everything'"):
        trace_attention(x, x, x, mistake="forget_everything")
    with pytest.raises(ValueError, match="a backward trace has no mistakes; mistake is 'no_rescale'"):
        trace_attention(x, x, x, mistake="no_rescale", direction="backward")
