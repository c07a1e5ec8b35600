"""`python -m engine`: what it prints and writes, and how it says no."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import engine.__main__ as module
from engine import read_trace, reference_attention, tiled_bytes, trace_attention, trace_to_dict
from engine.__main__ import main
from tests.engine.oracle import assert_close

ROOT = Path(__file__).resolve().parents[2]


def drawn(seed: int, n_q: int, n_k: int, d: int, d_v: int) -> list[np.ndarray]:
    """The inputs that the command draws."""
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(s).astype(np.float32) for s in ((n_q, d), (n_k, d), (n_k, d_v))]


def saved(tmp_path: Path, **arrays: Any) -> str:
    """An .npz file of these arrays."""
    path = tmp_path / "in.npz"
    np.savez(path, **arrays)
    return str(path)


def test_the_module_runs_from_a_shell() -> None:
    """Usage without a command, a trace with one, an error on standard error with status 2."""

    def shell(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "engine", *arguments]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)

    usage = shell()
    assert usage.returncode == 0 and "usage: python -m engine" in usage.stdout
    trace = shell("trace", "--n-q", "3", "--d", "2", "--digits", "4")
    assert trace.returncode == 0 and trace.stderr == "" and json.loads(trace.stdout)["problem"]["n_q"] == 3
    wrong = shell("trace", "--n-q", "-3")
    assert wrong.returncode == 2 and wrong.stdout == ""
    assert wrong.stderr.startswith("engine trace: n_q must be") and wrong.stderr.count("\n") == 1


def test_trace_prints_the_trace(capsys: pytest.CaptureFixture[str]) -> None:
    """The same document as from Python."""
    arguments = (
        "trace --n-q 5 --n-k 7 --d 3 --d-v 2 --seed 4 --causal bottom_right --window 2 none --order kv_outer"
    )
    assert main([*arguments.split(), "--softcap", "3", "--storage", "bfloat16", "--block-q", "2"]) == 0
    t = trace_attention(
        *drawn(4, 5, 7, 3, 2), causal="bottom_right", window=(2, None), order="kv_outer", softcap=3, seed=4,
        storage="bfloat16", block_q=2, block_k=4,
    )  # fmt: skip
    assert json.loads(capsys.readouterr().out) == trace_to_dict(t)


@pytest.mark.parametrize("suffix", ["json", "npz"])
@pytest.mark.parametrize("more", [[], ["--direction", "backward"], ["--mistake", "no_rescale"]])
def test_trace_writes_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], suffix: str, more: list[str]
) -> None:
    """Readable again, with one line about what was written."""
    path = tmp_path / f"out.{suffix}"
    assert main(["trace", "--n-q", "4", "-o", str(path), *more]) == 0
    document = read_trace(path)
    said = capsys.readouterr().out
    assert said.startswith(f"{path}: {len(document['steps'])} steps") and said.count("\n") == 1
    assert document["problem"]["mistake"] == ("no_rescale" if "--mistake" in more else None)


def test_run_computes_and_compares(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Own arrays in, o and lse out, with the difference from the reference."""
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal(s) for s in ((4, 6, 4), (2, 5, 4), (2, 5, 3)))
    path = saved(tmp_path, q=q, k=k, v=v)
    out = tmp_path / "out.npz"
    assert main(["run", "--npz", path, "--storage", "float64", "--causal", "top_left", "-o", str(out)]) == 0
    said = capsys.readouterr().out
    assert "o (4, 6, 3) float64" in said and "(within)" in said and "BEYOND" not in said
    wanted_o, wanted_lse = reference_attention(q, k, v, causal="top_left")
    with np.load(out, allow_pickle=False) as file:
        assert_close(file["o"], wanted_o, (1e-12, 1e-12), "o")
        assert_close(file["lse"], wanted_lse, (1e-12, 1e-12), "lse")


@pytest.mark.parametrize("storage", ["float64", "float32", "float16", "bfloat16"])
@pytest.mark.parametrize("order", ["q_outer", "kv_outer"])
def test_run_is_within_its_tolerance(capsys: pytest.CaptureFixture[str], storage: str, order: str) -> None:
    """In every format and order."""
    assert main(["run", "--n-q", "64", "--d", "16", "--storage", storage, "--order", order]) == 0
    assert "(within)" in capsys.readouterr().out


def test_bytes_prints_the_ledgers(capsys: pytest.CaptureFixture[str]) -> None:
    """Every byte of every tensor, and the score matrix of the lesson."""
    arguments = "bytes --n-q 4096 --d 64 --block-q 64 --block-k 128 --causal bottom_right"
    assert main(arguments.split()) == 0
    said = capsys.readouterr().out
    ledger = tiled_bytes(4096, 4096, 64, block_q=64, block_k=128, causal="bottom_right")
    assert "33,554,432 bytes (32 MiB" in said
    for moved in ledger.by_tensor.values():
        assert f"{moved.read:,}" in said and f"{moved.written:,}" in said
    assert f"tiled: {ledger.total:,} bytes" in said


def test_bytes_at_any_size(capsys: pytest.CaptureFixture[str]) -> None:
    """10^12 positions are counted to the byte."""
    arguments = "bytes --n-q 1000000000000 --d 128 --heads 8 --kv-heads 2 --direction backward"
    assert main(arguments.split()) == 0
    assert f"{2 * 10**24 * 8:,} bytes" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("trace --block-q 0", "block_q must be at least 1, not 0"),
        ("trace --n-q 20000", "n_q must be from 0 to 16,384, not 20,000"),
        ("trace --n-q 512 --block-q 1 --block-k 1", "steps; the limit is 2,000"),
        ("trace --digits 0", "digits must be .* not 0"),
        ("trace --digits 18", "digits must be .* not 18"),
        ("trace --output x.txt", r"must end in .json or .npz, not .*\.txt"),
        ("trace --window 1 two", "window sides must be whole numbers or 'none', not '1 two'"),
        ("trace --window -1 0", "at least 0, not -1"),
        ("trace --softcap -1", "softcap must be above 0"),
        ("trace --softcap nan", "softcap must be a finite number"),
        ("trace --direction backward --mistake no_max", "a backward trace has no mistakes"),
        ("trace --npz nothere.npz", "nothere.npz does not exist$"),
        ("trace --npz /nowhere/at/all.npz", "/nowhere/at does not exist$"),
        ("trace --output /nowhere/at/all.npz", "/nowhere/at does not exist$"),
        ("run --npz /", "/ cannot be used: Is a directory$"),
        ("run --output x.json", "output must end in .npz"),
        ("trace --seed -1", "seed must be at least 0, not -1$"),
        ("bytes --bytes-per-element 0", "bytes_per_element must be at least 1, not 0$"),
        ("bytes --n-q -1", "n_q must be at least 0, not -1"),
        ("bytes --heads 7 --kv-heads 3", "7 query heads is not a multiple of 3"),
    ],
)
def test_errors_are_one_clear_line(capsys: pytest.CaptureFixture[str], arguments: str, message: str) -> None:
    """With value and limit, on standard error, status 2, and nothing on standard output."""
    words = arguments.split()
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and err.startswith(f"engine {words[0]}: ")
    assert re.search(message, err), err


@pytest.mark.parametrize(
    "arguments", ["fly", "trace --order sideways", "trace --n-q many", "trace --mistake none"]
)
def test_words_that_it_does_not_know(capsys: pytest.CaptureFixture[str], arguments: str) -> None:
    """Usage and status 2."""
    with pytest.raises(SystemExit) as stopped:
        main(arguments.split())
    assert stopped.value.code == 2 and "usage: python -m engine" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"q": np.ones((2, 2))}, "the file has no k, v; it holds q"),
        ({"q": np.ones((2, 4)), "k": np.ones((2, 8)), "v": np.ones((2, 4))}, "k has d=8 but q has d=4"),
        ({n: np.full((2, 2), np.nan) for n in "qkv"}, r"q\[0, 0\] is nan; every number must be finite$"),
        (
            {n: np.array([[{}]], dtype=object) for n in "qkv"},
            "q holds object values; real numbers are needed$",
        ),
        ({n: np.ones((2, 2), complex) for n in "qkv"}, "q holds complex128 values"),
    ],
)
@pytest.mark.parametrize("command", ["trace", "run"])
def test_files_that_do_not_fit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, arrays: dict[str, Any], message: str
) -> None:
    """Nothing is unpickled, and the message says what is wrong."""
    assert main([command, "--npz", saved(tmp_path, **arrays)]) == 2
    assert re.search(message, capsys.readouterr().err)


@pytest.mark.parametrize("raw", [b"", b"PK\x03\x04 broken", b"PK rubbish", b"words", b"\x93NUMPY"])
@pytest.mark.parametrize("command", ["trace", "run"])
def test_files_that_are_no_archives(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, raw: bytes
) -> None:
    """One line and status 2, not a traceback."""
    path = tmp_path / "in.npz"
    path.write_bytes(raw)
    assert main([command, "--npz", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    assert err == f"engine {command}: {path}: the {len(raw)} bytes are not a whole .npz file\n"


@pytest.mark.parametrize("command", ["trace", "run"])
def test_sizes_that_a_file_sets_itself_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    """An option that changes nothing would be taken for one that did."""
    path = saved(tmp_path, **{name: np.ones((2, 2)) for name in "qkv"})
    assert main([command, "--npz", path, "--n-q", "5", "--d-v", "2", "--seed", "0"]) == 2
    assert capsys.readouterr().err.endswith("sizes of their own; leave out --n-q, --d-v, --seed\n")


def test_a_bfloat16_input_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """NumPy saves it as pairs of bytes without a name."""
    arrays = {name: np.full((2, 2), 1.5, ml_dtypes.bfloat16) for name in "qkv"}
    assert main(["trace", "--npz", saved(tmp_path, **arrays), "--storage", "bfloat16"]) == 0
    assert json.loads(capsys.readouterr().out)["arrays"]["q"] == [[1.5, 1.5], [1.5, 1.5]]


def test_a_file_that_would_fill_the_memory_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its own size, by what an array unpacks to, and by the pairs that the float64 check would hold."""
    heads = saved(tmp_path, q=np.ones((16, 8192, 1)), k=np.ones((16, 8192, 1)), v=np.ones((16, 8192, 1)))
    assert main(["run", "--npz", heads]) == 2
    assert "q and k make 1,073,741,824 pairs, the limit is 268,435,456" in capsys.readouterr().err
    limits = module._LIMITS
    monkeypatch.setattr(module, "_LIMITS", limits._replace(array_bytes=100))
    assert main(["run", "--npz", heads]) == 2
    assert "q unpacks to 1,048,704 bytes, the limit is 100" in capsys.readouterr().err
    monkeypatch.setattr(module, "_LIMITS", limits._replace(file_bytes=100))
    assert main(["run", "--npz", heads]) == 2
    size = Path(heads).stat().st_size
    assert f"{heads}: the file has {size:,} bytes, the limit is 100" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["bytes"], ["trace", "--n-q", "64"]])
def test_a_reader_that_stops_early_ends_it_quietly(arguments: list[str]) -> None:
    """As in `... | head -1`, for output that fits into one write and for output that does not."""
    process = subprocess.Popen(
        [sys.executable, "-m", "engine", *arguments],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    with process.stderr:
        assert process.stderr.read() == b""
    assert process.wait(60) == 141


def test_a_single_array_is_no_archive(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`numpy.save` instead of `numpy.savez`."""
    path = tmp_path / "in.npy"
    np.save(path, np.ones((2, 2)))
    assert main(["run", "--npz", str(path)]) == 2
    assert str(path) in capsys.readouterr().err
