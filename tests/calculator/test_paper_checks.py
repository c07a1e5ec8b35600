"""Figure 2: the printed bytes stand, the printed FLOPs are corrected."""

import pytest

from engine.hardware import DEVICES
from engine.paper_checks import check_figure_2


def test_corrected_flops_and_modelled_bytes():
    standard, flash = check_figure_2()
    assert [round(check.flops / 1e9, 2) for check in (standard, flash)] == [824.63, 962.07]
    assert [round(check.model_bytes / 1e9, 3) for check in (standard, flash)] == [25.233, 5.100]
    assert {round(check.least_bytes / 1e9, 3) for check in (standard, flash)} == {1.611}


def test_the_printed_flops_are_off_by_nearly_the_same_factor_in_both_columns():
    standard, flash = check_figure_2()
    assert standard.flops_factor == pytest.approx(12.38, abs=0.01)
    assert flash.flops_factor == pytest.approx(12.79, abs=0.01)
    assert flash.flops / standard.flops == pytest.approx(7 / 6)
    assert flash.printed.flops_printed / standard.printed.flops_printed == pytest.approx(1.129, abs=0.001)


def test_the_printed_bytes_go_with_the_printed_time():
    standard, flash = check_figure_2()
    assert standard.bytes_factor > 1 > flash.bytes_factor
    assert flash.printed.hbm_bytes > flash.least_bytes
    seconds = standard.printed.hbm_bytes / DEVICES["a100-40"].hbm_bytes_per_s
    assert seconds == pytest.approx(25.9e-3, abs=1e-4)
    assert seconds < standard.printed.seconds
