"""FLOPs against brute force and the paper's corrected figure; dots on the right side of the ridge."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.hardware import DEVICES, custom_device
from engine.masks import PairRule
from engine.paper_tables import FIGURE_2
from engine.roofline import attention_flops, roofline
from engine.shapes import AttentionShape

GPT2 = AttentionShape(1024, 1024, 64, heads=16, batch=64)


def test_figure_2_corrected():
    forward = attention_flops(GPT2)
    standard = forward + attention_flops(GPT2, "backward", recompute=False)
    flash = forward + attention_flops(GPT2, "backward")
    assert [round(f / 1e9, 2) for f in (forward, standard, flash)] == [274.88, 824.63, 962.07]
    assert (standard, flash * 2) == (3 * forward, 7 * forward)


def test_figure_2_as_printed_is_not_reproduced():
    printed = {run.method: run for run in FIGURE_2}
    assert (printed["standard"].hbm_bytes, printed["flash"].hbm_bytes) == (40.3e9, 4.4e9)
    assert (printed["standard"].flops_printed, printed["flash"].flops_printed) == (66.6e9, 75.2e9)
    assert all("#741" in run.note for run in FIGURE_2)
    ours = attention_flops(GPT2) + attention_flops(GPT2, "backward")
    assert ours > 12 * printed["flash"].flops_printed


@given(
    n_q=st.integers(1, 9), n_k=st.integers(1, 9), d=st.integers(1, 5), d_v=st.integers(1, 5),
    heads=st.integers(1, 3), causal=st.sampled_from([None, "bottom_right", "top_left"]),
)  # fmt: skip
def test_flops_equal_a_count_of_products(n_q, n_k, d, d_v, heads, causal):
    """Every allowed pair multiplies and adds along d or d_v, product by product."""
    shape = AttentionShape(n_q, n_k, d, d_v, heads=heads, causal=causal)
    pairs = int(PairRule(n_q, n_k, causal).allowed((0, n_q), (0, n_k)).sum()) * heads
    products = {"s": d, "o": d_v, "d_v": d_v, "d_p": d_v, "d_q": d, "d_k": d}
    cost = {name: 2 * width * pairs for name, width in products.items()}
    assert attention_flops(shape) == cost["s"] + cost["o"]
    backward = cost["d_v"] + cost["d_p"] + cost["d_q"] + cost["d_k"]
    assert attention_flops(shape, "backward", recompute=False) == backward
    assert attention_flops(shape, "backward") == backward + cost["s"]


def test_one_head_size_gives_the_familiar_factors():
    shape = AttentionShape(4096, 2048, 128)
    assert attention_flops(shape) == 4 * 4096 * 2048 * 128
    assert 2 * attention_flops(shape, "backward") == 5 * attention_flops(shape)


def test_causal_flops_are_exact_not_half():
    n = 4096
    assert attention_flops(AttentionShape(n, n, 64, causal="bottom_right")) == 4 * 64 * n * (n + 1) // 2


def test_an_unknown_direction_is_refused():
    with pytest.raises(ValueError, match="not 'sideways'"):
        attention_flops(GPT2, "sideways")


@pytest.mark.parametrize("device", DEVICES.values(), ids=lambda d: d.key)
def test_tiling_moves_the_dot_right_and_keeps_the_flops(device):
    shape = AttentionShape(4096, 4096, 64, heads=16)
    chart = roofline(shape, device, 128, 128)
    standard, tiled, least = (chart.dot(name) for name in ("standard", "tiled", "compulsory"))
    assert standard.flops == tiled.flops == least.flops
    assert standard.intensity < tiled.intensity < least.intensity
    for dot in chart.dots:
        assert dot.intensity == dot.flops / dot.n_bytes
        assert dot.bound_flops_per_s == min(device.flops_per_s, dot.intensity * device.hbm_bytes_per_s)
        assert (dot.side == "compute") == (dot.bound_flops_per_s == device.flops_per_s)


def test_the_standard_algorithm_is_memory_bound_and_a_good_tile_is_not():
    chart = roofline(AttentionShape(8192, 8192, 128), DEVICES["a100-80"], 256, 64)
    assert chart.dot("standard").side == "memory"
    assert chart.dot("tiled").side == "compute"


def test_decoding_stays_memory_bound_whatever_the_algorithm():
    chart = roofline(AttentionShape(1, 8192, 128, heads=32), DEVICES["h100"], 64, 128)
    assert {dot.side for dot in chart.dots} == {"memory"}
    assert chart.dot("tiled").intensity < 2


def test_the_backward_makes_scores_again():
    chart = roofline(AttentionShape(1024, 1024, 64), DEVICES["h100"], 128, 128, direction="backward")
    assert 4 * chart.dot("tiled").flops == 5 * chart.dot("standard").flops


def test_a_dot_on_the_ridge_counts_as_compute_bound():
    probe = roofline(AttentionShape(64, 64, 16), DEVICES["h100"], 16, 16).dot("tiled")
    own = custom_device(10**5, hbm_bytes_per_s=probe.n_bytes, flops_per_s=probe.flops)
    assert roofline(AttentionShape(64, 64, 16), own, 16, 16).dot("tiled").side == "compute"
