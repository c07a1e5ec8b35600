"""A trace as a whole: what its problem says, its labels, its first rescale, and the caps on its size."""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import trace_attention, trace_to_dict
from tests.engine.strategies import Problem, examples, problems


def test_the_first_rescale() -> None:
    """The first step at which something really shrinks; None where the maximum never rises twice."""
    one, v = np.ones((1, 1)), np.ones((4, 1))
    rising = trace_attention(one, np.arange(4.0)[:, None], v, block_k=2)
    at = rising.first_rescale()
    assert at is not None and rising.steps[at].kind == "rescale" and rising.steps[at].tile == (0, 1)
    assert trace_attention(one, np.arange(4.0)[::-1, None], v, block_k=2).first_rescale() is None
    assert trace_attention(one, np.arange(4.0)[:, None], v, block_k=4).first_rescale() is None


def test_the_problem_says_what_was_asked() -> None:
    """Options as used, labels, seed."""
    x = np.ones((4, 2), np.float16)
    t = trace_attention(
        x[:3], x, x, causal="top_left", window=(2, None), softcap=3, seed=7, tokens=["a", "b", "c", "d"],
        keep=np.ones((3, 4), bool), order="kv_outer", block_q=2, block_k=64,
    )  # fmt: skip
    wanted = {
        "direction": "forward", "n_q": 3, "n_k": 4, "d": 2, "d_v": 2, "block_q": 2, "block_k": 4,
        "tiles_q": 2, "tiles_k": 1, "order": "kv_outer", "causal": "top_left", "window": [2, None],
        "softcap": 3.0, "storage": "float16", "has_keep": True, "has_bias": False, "bytes_per_element": 2,
        "mistake": None, "seed": 7, "tokens_q": ["b", "c", "d"], "tokens_k": ["a", "b", "c", "d"],
    }  # fmt: skip
    assert wanted.items() <= t.problem.items()
    assert t.problem["scale"] == pytest.approx(2**-0.5)
    pair = trace_attention(x[:3], x, x, tokens=(["x", "y", "z"], ["a", "b", "c", "d"])).problem
    assert (pair["tokens_q"], pair["tokens_k"]) == (["x", "y", "z"], ["a", "b", "c", "d"])
    plain = trace_attention(x, x[:2], x[:2]).problem
    assert (plain["tokens_q"], plain["tokens_k"]) == (["q0", "q1", "q2", "q3"], ["k0", "k1"])
    numbers = trace_attention(x[:1], x[:2], x[:2], tokens=(np.arange(1), range(2))).problem
    assert (numbers["tokens_q"], numbers["tokens_k"]) == (["0"], ["0", "1"])


@pytest.mark.parametrize("tokens", [["a"], (["a"], ["b", "c", "d", "e"]), ["a"] * 5, []])
def test_labels_that_do_not_fit_are_refused(tokens: Any) -> None:
    """With both numbers."""
    x = np.ones((4, 2))
    with pytest.raises(
        ValueError, match=r"\d query labels and \d key labels do not fit 4 queries and 4 keys"
    ):
        trace_attention(x, x, x, tokens=tokens)


def test_a_trace_shows_one_head() -> None:
    """Leading axes of length 1 are allowed, more heads are not."""
    x = np.ones((1, 1, 3, 2))
    assert trace_attention(x, x, x).result["o"].shape == (3, 2)
    assert trace_attention(x, x, x, direction="backward", d_o=np.ones((3, 2))).result["d_q"].shape == (3, 2)
    with pytest.raises(ValueError, match=r"one head; q has leading axes \(2,\)"):
        trace_attention(np.ones((2, 3, 2)), np.ones((2, 3, 2)), np.ones((2, 3, 2)))
    with pytest.raises(ValueError, match="direction must be 'forward' or 'backward', not 'up'"):
        trace_attention(x, x, x, direction="up")


def numbers_in(node: Any, inside_a_list: bool = False) -> int:
    """Numbers in the lists of a document."""
    if isinstance(node, dict):
        return sum(numbers_in(v, inside_a_list) for v in node.values())
    if isinstance(node, list):
        return sum(numbers_in(v, True) for v in node)
    return int(inside_a_list and not isinstance(node, bool | str))


def claimed(text: str) -> tuple[int, int]:
    """The two numbers of a refusal."""
    found = re.search(r"could (?:take|hold) ([\d,]+) (?:steps|numbers); the limit is ([\d,]+)", text)
    assert found is not None, text
    return int(found[1].replace(",", "")), int(found[2].replace(",", ""))


@examples(100)
@given(problems(heads=False, least=1), st.sampled_from(["forward", "backward"]))
def test_the_caps_hold(p: Problem, direction: Any) -> None:
    """No trace has more steps or numbers than the size that the caps compare, which a refusal names."""
    options = {**p.options, **p.tiles, "direction": direction}
    t = trace_attention(p.q, p.k, p.v, **options)
    document = trace_to_dict(t)
    held = numbers_in([document[name] for name in ("blocks", "arrays", "result")])
    held += sum(numbers_in(step[part]) for step in document["steps"] for part in ("state", "work"))
    with pytest.raises(ValueError, match="numbers; the limit is 0") as refused:
        trace_attention(p.q, p.k, p.v, **options, max_cells=0)
    cells, _ = claimed(str(refused.value))
    assert held <= cells
    with pytest.raises(ValueError, match="steps; the limit is 0") as refused:
        trace_attention(p.q, p.k, p.v, **options, max_steps=0)
    steps, _ = claimed(str(refused.value))
    assert len(t.steps) <= steps


def test_a_trace_too_large_is_refused_before_it_runs() -> None:
    """Both numbers, at once, even where the arrays would take minutes to attend over."""
    x = np.ones((4096, 64), np.float32)
    with pytest.raises(ValueError, match="the limit is 2,000: take larger tiles or fewer positions"):
        trace_attention(x, x, x, block_q=1, block_k=1)
    with pytest.raises(
        ValueError, match="the limit is 1,000,000: take fewer positions or a smaller head size"
    ):
        trace_attention(x, x, x, block_q=1024, block_k=1024)
