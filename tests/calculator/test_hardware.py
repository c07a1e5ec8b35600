"""The device table: dense rates, computed ridges, per-block limits in bytes, a source in each row."""

import pytest

from engine.hardware import DEVICES, KIB, custom_device, device_named
from lesson.evidence import load_provenance

RIDGES = {
    "v100": 139, "a100-40": 201, "a100-80": 153, "h100": 295, "h200": 206, "b200": 281, "mi300x": 247,
    "rtx4090": 164, "l4": 403, "t4": 203, "tpu-v5e": 241,
}  # fmt: skip
BLOCK_LIMITS = {
    "v100": 98_304, "a100-40": 166_912, "a100-80": 166_912, "h100": 232_448, "h200": 232_448, "b200": 232_448,
    "rtx4090": 101_376, "l4": 101_376, "t4": 65_536, "mi300x": 65_536, "tpu-v5e": None,
}  # fmt: skip


def test_ridges():
    assert set(RIDGES) == set(DEVICES)
    assert {key: int(device.ridge + 0.5) for key, device in DEVICES.items()} == RIDGES


def test_a_published_cache_that_the_measured_chip_contradicts_says_so():
    """Every device that we measured on: the table holds what is published, and the note what was found."""
    measured = load_provenance()
    row = next(device for device in DEVICES.values() if device.name.split()[0] in measured.device)
    assert row.key == "h200"
    if row.l2_bytes != measured.l2_bytes:
        assert f"reports {measured.l2_bytes // KIB**2} MiB" in row.note


def test_limits_of_one_block():
    assert {key: device.shared_bytes_per_block for key, device in DEVICES.items()} == BLOCK_LIMITS


@pytest.mark.parametrize("device", DEVICES.values(), ids=lambda d: d.key)
def test_every_row_says_where_from_and_that_it_is_dense(device):
    assert device.source
    assert device.date
    assert device.tag in ("primary", "quoted")
    assert device.rate_note.startswith("Dense")
    for figure in (device.memory_bytes, device.hbm_bytes_per_s, device.flops_per_s):
        assert isinstance(figure, int)
        assert figure > 0
    if device.sparse_flops_per_s is not None:
        assert device.sparse_flops_per_s == pytest.approx(2 * device.flops_per_s, rel=1e-3)
    if device.shared_bytes_per_block is not None:
        room = device.shared_bytes_per_unit - device.reserved_bytes_per_block
        assert device.shared_bytes_per_block == room


def test_sparse_peaks_are_not_taken_for_dense():
    assert DEVICES["h200"].flops_per_s == 989 * 10**12
    assert DEVICES["mi300x"].flops_per_s == 1_307_400 * 10**9
    assert DEVICES["rtx4090"].flops_per_s == 165_200 * 10**9


def test_on_chip_memory_of_the_whole_chip_is_no_budget():
    a100 = DEVICES["a100-80"]
    assert a100.units * a100.combined_bytes_per_unit == 108 * 192 * KIB
    assert a100.shared_bytes_per_block < a100.units * a100.combined_bytes_per_unit // 100


def test_a_custom_device():
    own = custom_device(48 * KIB, shared_bytes_per_unit=96 * KIB, hbm_bytes_per_s=10**11, flops_per_s=10**13)
    assert own.ridge == 100
    assert custom_device(1).shared_bytes_per_unit == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"shared_bytes_per_block": 0}, "shared_bytes_per_block must be at least 1, not 0"),
        ({"shared_bytes_per_block": -4}, "not -4"),
        ({"shared_bytes_per_block": 10**13}, "at most 1,000,000,000,000, not 10,000,000,000,000"),
        ({"shared_bytes_per_block": 200, "shared_bytes_per_unit": 100}, "has 100 bytes, less than the 200"),
        ({"shared_bytes_per_block": 200, "flops_per_s": 0}, "flops_per_s must be at least 1, not 0"),
        (
            {"shared_bytes_per_block": 200, "hbm_bytes_per_s": -1},
            "hbm_bytes_per_s must be at least 1, not -1",
        ),
    ],
)
def test_an_impossible_device_is_refused(options, words):
    with pytest.raises(ValueError, match=words):
        custom_device(**options)


def test_an_unknown_device_is_named():
    with pytest.raises(ValueError, match="not 'a100'"):
        device_named("a100")
