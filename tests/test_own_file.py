"""The learner's own file: what is read, and what is refused with its value and the limit."""

import io
import tracemalloc
import zipfile

import ml_dtypes
import numpy as np
import pytest

from lesson import inputs
from lesson.inputs import own


def packed(**arrays):
    out = io.BytesIO()
    np.savez_compressed(out, **arrays)
    return out.getvalue()


def zipped(members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, raw in members.items():
            archive.writestr(name, raw)
    return out.getvalue()


def raw_array(array):
    out = io.BytesIO()
    np.lib.format.write_array(out, array, allow_pickle=True)
    return out.getvalue()


def good(**changes):
    ones = {"q": np.ones((3, 4)), "k": np.ones((5, 4)), "v": np.ones((5, 2))}
    return {**ones, **changes}


def test_a_good_file_is_read():
    arrays = good(q=np.arange(12).reshape(4, 3).T, extra=np.zeros(1))
    item = inputs.load_npz(packed(**arrays))
    np.testing.assert_array_equal(item.q, arrays["q"])
    assert item.q.dtype == np.float32
    assert item.q.flags.c_contiguous
    assert (len(item.tokens_q), len(item.tokens_k)) == (3, 5)


@pytest.mark.parametrize(
    "dtype", [np.uint8, np.int64, np.float16, np.float64, ml_dtypes.bfloat16, ">f4", ">i2"]
)
def test_integers_and_floats_are_accepted(dtype):
    """NumPy saves bfloat16 as pairs of bytes without a name; they are taken for what they are."""
    item = inputs.load_npz(packed(**good(k=np.full((5, 4), 3, dtype))))
    np.testing.assert_array_equal(item.k, np.full((5, 4), 3, np.float32))


@pytest.mark.parametrize(
    ("k", "message"),
    [
        (np.ones((5, 4), bool), "k holds bool values; real numbers are needed"),
        (np.ones((5, 4), complex), "k holds complex128"),
        (np.full((5, 4), "a"), "k holds <U1 values"),
        (np.ones(5), r"k has 1 axis \(shape \(5,\)\); it must have 2"),
        (np.ones((1, 5, 4)), "k has 3 axes"),
        (np.ones((inputs.MAX_N + 1, 4)), "k has 65 rows; it must have 1 to 64"),
        (np.ones((5, inputs.MAX_D + 1)), "k has 129 features; it must have 1 to 128"),
        (np.ones((0, 4)), "k has 0 rows"),
        (np.ones((5, 0)), "k has 0 features"),
        (np.ones((5, 3)), "k has d=3 but q has d=4"),
        (np.ones((6, 4)), "v has 5 rows but k has 6"),
        (np.eye(5, 4) * np.nan, r"k\[0, 0\] is nan; every number must be finite"),
        (np.where(np.eye(5, 4, k=2) > 0, -np.inf, 1), r"k\[0, 2\] is -inf"),
        (np.full((5, 4), 1e39), r"k\[0, 0\] is 1e\+39; every number must be finite in float32"),
    ],
)
def test_a_wrong_array_is_refused_with_value_and_limit(k, message):
    with pytest.raises(inputs.InputError, match=message):
        inputs.load_npz(packed(**good(k=k)))


def test_the_largest_allowed_arrays_pass():
    largest = np.ones((inputs.MAX_N, inputs.MAX_D), np.longdouble)
    assert inputs.load_npz(packed(q=largest, k=largest, v=largest)).q.shape == (64, 128)


def test_a_missing_array_is_named():
    arrays = good()
    del arrays["v"]
    with pytest.raises(inputs.InputError, match=r"the file has no v; it holds k, q"):
        inputs.load_npz(packed(**arrays))


class Bomb:
    """Unpickling this would end the test run: SystemExit is no Exception, so nothing catches it."""

    def __reduce__(self):
        return exec, ("raise SystemExit('a pickle was opened')",)


def test_a_pickle_is_never_opened():
    objects = np.full((5, 4), None, object)
    objects[0, 0] = Bomb()
    with pytest.raises(inputs.InputError, match="k holds object"):
        inputs.load_npz(zipped({f"{name}.npy": raw_array(array) for name, array in good(k=objects).items()}))


def test_a_header_that_claims_a_huge_array_is_refused_unread():
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f4", "fortran_order": False, "shape": (10**9, 4)}
    )
    members = {f"{name}.npy": raw_array(array) for name, array in good().items()}
    with pytest.raises(inputs.InputError, match="k has 1000000000 rows; it must have 1 to 64"):
        inputs.load_npz(zipped({**members, "k.npy": header.getvalue() + b"\0" * 16}))


def test_a_zip_bomb_is_refused_by_its_unpacked_size():
    bomb = packed(**good(k=np.zeros((2000, 4000))))
    assert len(bomb) < inputs.MAX_FILE_BYTES
    with pytest.raises(inputs.InputError, match=f"64,000,128 bytes, the limit is {own.LIMITS.array_bytes:,}"):
        inputs.load_npz(bomb)


def test_a_zip_bomb_that_lies_about_its_size_is_never_unpacked():
    honest = packed(**good(k=np.zeros((2000, 4000))))
    lying = honest.replace((64_000_128).to_bytes(4, "little"), (1000).to_bytes(4, "little"))
    assert lying != honest
    tracemalloc.start()
    try:
        with pytest.raises(inputs.InputError, match="k is not a readable array: Bad CRC-32"):
            inputs.load_npz(lying)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak_bytes < 4_000_000, "64 million bytes would be there to unpack"


def test_too_large_a_file_and_too_many_arrays():
    noise = np.random.default_rng(0).bytes(inputs.MAX_FILE_BYTES + 1)
    with pytest.raises(inputs.InputError, match="has 1,048,577 bytes, the limit is 1,048,576"):
        inputs.load_npz(noise)
    many = {f"a{i}": np.zeros(1) for i in range(own.LIMITS.arrays + 1)}
    with pytest.raises(inputs.InputError, match="holds 17 arrays, the limit is 16"):
        inputs.load_npz(packed(**many))


@pytest.mark.parametrize("data", [b"", b"not a zip", raw_array(np.ones((5, 4))), packed(**good())[:-30]])
def test_a_file_that_is_no_whole_npz(data):
    with pytest.raises(inputs.InputError, match=rf"the {len(data)} bytes are not a whole \.npz file"):
        inputs.load_npz(data)


def test_damaged_files_only_ever_raise_the_one_error():
    rng = np.random.default_rng(7)
    plain = zipped({f"{name}.npy": raw_array(array) for name, array in good().items()})
    refused = 0
    for start in (plain, packed(**good())):
        for _ in range(400):
            damaged = bytearray(start)
            for at in rng.integers(0, len(damaged), size=rng.integers(1, 5)):
                damaged[at] = rng.integers(256)
            try:
                item = inputs.load_npz(bytes(damaged))
            except inputs.InputError:
                refused += 1
            else:
                assert np.isfinite(item.q).all()
    assert refused > 400


def test_damaged_headers_only_ever_raise_the_one_error():
    rng = np.random.default_rng(11)
    members = {f"{name}.npy": raw_array(array) for name, array in good().items()}
    refused = 0
    for _ in range(400):
        header = bytearray(members["k.npy"])
        for at in rng.integers(0, 128, size=rng.integers(1, 4)):
            header[at] = rng.choice(bytearray(b"({[,'\":0 9\\\n"))
        try:
            inputs.load_npz(zipped({**members, "k.npy": bytes(header)}))
        except inputs.InputError:
            refused += 1
    assert refused > 200
