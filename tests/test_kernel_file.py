"""Kernel files and trace files that the check reads: what it takes, and what it refuses in one line."""

import copy
import io
import json
import re
import tomllib
import zipfile
from typing import Any

import numpy as np
import pytest

import engine.__main__ as command
from engine import FORMATS, kernel_file, read_trace, trace_to_dict, trace_to_json, trace_to_npz
from engine.__main__ import main
from engine.kernel_file import MAX_FILE_BYTES, MAX_MEMBERS, read_kernel_arrays, retrace
from engine.trace import MAX_STEPS
from engine.verdict import judge
from lesson.inputs import own
from lesson.kernel_verdict import report_on
from tests.conftest import ROOT
from tests.test_verdict import kernel, traced

GUIDE = ROOT / "docs" / "kernel-authors.md"


def packed(**arrays: Any) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def test_a_kernel_file_is_read_with_bfloat16_and_without_other_arrays() -> None:
    trace = traced(storage="bfloat16")
    arrays = kernel(trace, "bfloat16")
    read = read_kernel_arrays(packed(**arrays, notes=np.array("mine")))
    assert set(read) == set(arrays)
    assert read["o"].dtype == FORMATS["bfloat16"].dtype
    assert judge(trace, read).agrees


def huge_header(shape: tuple[int, ...]) -> bytes:
    """An .npz whose array promises more numbers than follow."""
    buffer, member = io.BytesIO(), io.BytesIO()
    np.lib.format.write_array_header_1_0(member, {"descr": "<f8", "fortran_order": False, "shape": shape})
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("o.npy", member.getvalue())
    return buffer.getvalue()


def bomb() -> bytes:
    """A few kilobytes that unpack to far more than any array here needs."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("acc.npy", bytes(50 << 20))
    return buffer.getvalue()


def test_the_page_takes_what_the_check_takes() -> None:
    """One limit: the page's upload, the check and the guide name the same."""
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert settings["server"]["maxUploadSize"] << 20 == MAX_FILE_BYTES
    guide = GUIDE.read_text(encoding="utf-8")
    assert f"at most {MAX_FILE_BYTES >> 20} MiB and {MAX_MEMBERS} arrays" in guide


def test_the_guide_names_every_limit() -> None:
    guide = GUIDE.read_text(encoding="utf-8")
    page, shell = own.LIMITS, command._LIMITS
    for limit in (
        f"at most {page.file_bytes >> 20} MiB and {page.arrays} arrays",
        f"at most {shell.file_bytes >> 30} GiB and {shell.arrays:,} arrays, {shell.array_bytes >> 20} MiB",
        f"1 to {own.MAX_N} rows, 1 to {own.MAX_D} features",
        f"at most {MAX_STEPS:,} steps",
    ):
        assert limit in guide, limit


def test_the_arrays_of_the_largest_run_fit_into_a_file() -> None:
    """float64, uncompressed: 64 queries, 64 key tiles of one key, head size 128."""
    n, d = 64, 128
    arrays = {"m": (n, n), "l": (n, n), "acc": (n, n, d), "o": (n, d), "lse": (n,)}
    data = packed(**{name: np.zeros(shape) for name, shape in arrays.items()})
    assert len(data) <= MAX_FILE_BYTES
    assert set(read_kernel_arrays(data)) == set(arrays)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "0 bytes are not a whole .npz file"),
        (b"PK\x03\x04 cut short", "14 bytes are not a whole .npz file"),
        (bytes(MAX_FILE_BYTES + 1), f"{MAX_FILE_BYTES + 1:,} bytes, the limit is {MAX_FILE_BYTES:,}"),
        (packed(scores=np.zeros(3)), "holds scores; at least one of m, l, acc, o, lse is needed"),
        (
            packed(**{f"a{i}": np.zeros(1) for i in range(MAX_MEMBERS + 1)}),
            f"17 arrays, the limit is {MAX_MEMBERS}",
        ),
        (packed(o=np.array([{"a": 1}], object)), "o holds object values"),
        (packed(o=np.array(["1.0"])), "o holds <U3 values"),
        (packed(lse=np.zeros(3, complex)), "lse holds complex128 values"),
        (huge_header((1 << 40,)), "but only 128 bytes follow"),
        (bomb(), "acc unpacks to 52,428,800 bytes, the limit is"),
    ],
)
def test_a_hostile_file_is_refused_with_value_and_limit(data: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        read_kernel_arrays(data)


@pytest.mark.parametrize("storage", ["float32", "bfloat16"])
def test_a_trace_file_is_recorded_again_exactly(tmp_path: Any, storage: str) -> None:
    trace = traced(storage=storage, causal="top_left", window=(5, None), order="kv_outer", softcap=2.0)
    path = tmp_path / "trace.npz"
    path.write_bytes(trace_to_npz(trace))
    again = retrace(read_trace(path))
    assert len(again.steps) == len(trace.steps)
    for name, array in trace.result.items():
        np.testing.assert_array_equal(again.result[name], array)
    np.testing.assert_array_equal(again.arrays["reference_o"], trace.arrays["reference_o"])


def test_a_rounded_or_biased_trace_cannot_judge(tmp_path: Any) -> None:
    rounded = tmp_path / "rounded.json"
    rounded.write_text(trace_to_json(traced(), 5), encoding="utf-8")
    with pytest.raises(ValueError, match="rounded to 5 digits"):
        retrace(read_trace(rounded))
    biased = tmp_path / "biased.npz"
    biased.write_bytes(trace_to_npz(traced(bias=np.ones((10, 14), np.float32))))
    with pytest.raises(ValueError, match="bias"):
        retrace(read_trace(biased))


ODD: tuple[Any, ...] = (None, True, -1, 3, 2.5, 10**400, "word", [], [1], [[1, 2], [3]], {}, {"a": 1})


@pytest.mark.parametrize("part", ["", "arrays", "problem"])
def test_a_damaged_trace_is_a_file_that_cannot_be_used(
    part: str, tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each field lacking, and each with values of other kinds: one line and status 2, or a check as ever.

    A traceback would end with status 1, which says that the kernel departs.
    """
    trace = traced(causal=None)
    reference, mine = tmp_path / "trace.json", tmp_path / "mine.npz"
    mine.write_bytes(packed(**kernel(trace)))
    document = trace_to_dict(trace)
    names = {
        "": ["digits", "problem", "arrays"],
        "arrays": ["q", "k", "v"],
        "problem": list(kernel_file._FIELDS),
    }[part]
    missing = object()
    for name in names:
        for odd in (missing, *ODD):
            damaged = copy.deepcopy(document)
            held = damaged[part] if part else damaged
            if odd is missing:
                del held[name]
            else:
                held[name] = odd
            reference.write_text(json.dumps(damaged), encoding="utf-8")
            status = main(["check", str(reference), str(mine)])
            said = capsys.readouterr().err
            if odd is missing:
                assert (status, said) == (
                    2,
                    f"engine check: the trace has no {part}{'.' * bool(part)}{name}\n",
                )
            elif status == 2:
                assert said.startswith("engine check: ") and said.count("\n") == 1 and len(said) < 1000, said
            else:
                assert (part, odd) == ("", None) or (part == "problem" and said == ""), (name, odd)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"problem": None}, "the trace's problem is None; it must be an object"),
        ({"window": [1]}, r"window must be a pair .*, not \(1,\)"),
        ({"tokens_q": 3}, "the trace's problem.tokens_q is 3; it must be a list"),
        ({"n_k": 13}, r"the trace's arrays.k is \[\[.*…; it must be 13 rows of 8 numbers, as problem says"),
        ({"allowed": ["1"]}, r"the trace's problem.allowed is \['1'\]; it must be 10 strings of 14 signs"),
    ],
)
def test_a_damaged_field_is_named_with_what_belongs_there(change: dict[str, Any], message: str) -> None:
    document = trace_to_dict(traced())
    if "problem" in change:
        document |= change
    else:
        document["problem"] |= change
    with pytest.raises(ValueError, match=message):
        retrace(document)


def test_the_command_checks_a_kernel(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Status 0 and the share used when it agrees; 1 and the first place when it departs; 2 for a bad file."""
    trace = traced()
    reference, mine = tmp_path / "trace.npz", tmp_path / "mine.npz"
    reference.write_bytes(trace_to_npz(trace))
    arrays = kernel(trace)
    mine.write_bytes(packed(**arrays))
    assert main(["check", str(reference), str(mine)]) == 0
    assert capsys.readouterr().out.startswith("m, l, acc, o, lse agree in float32; ")
    arrays["acc"][1, 3, 2] += 1
    mine.write_bytes(packed(**arrays))
    assert main(["check", str(reference), str(mine), "--storage", "float16"]) == 1
    said = capsys.readouterr().out
    assert "acc first departs after key tile 1, query 3, dimension 2" in said and "float16" in said
    mine.write_bytes(packed(o=arrays["o"]))
    assert main(["check", str(reference), str(mine)]) == 0
    assert capsys.readouterr().out.startswith("o agrees in ")
    mine.write_bytes(packed(acc=arrays["acc"].transpose()))
    assert main(["check", str(reference), str(mine)]) == 2
    assert "this trace has (4, 10, 6); did you transpose it?" in capsys.readouterr().err
    assert main(["check", str(mine), str(mine)]) == 2
    assert "is not a trace: it has no 'meta' entry; make one with `trace`" in capsys.readouterr().err
    mine.write_bytes(b"no")
    assert main(["check", str(reference), str(mine)]) == 2
    assert capsys.readouterr().err == f"engine check: {mine}: the 2 bytes are not a whole .npz file\n"


def test_a_result_that_departs_alone_points_at_the_state_too(
    tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without m the accumulator has more room, and its rounding may show only in o: its share is named."""
    trace = traced(storage="float16")
    arrays = {name: a for name, a in kernel(trace, "float16").items() if name in ("acc", "o")}
    arrays["o"] = arrays["o"].astype(np.float32) + np.float32(0.01)
    verdict = judge(trace, arrays)
    assert verdict.first is not None and verdict.first.name == "o"
    assert set(verdict.state_used) == {"acc"}
    used = f"{verdict.largest['acc']:.1%}"
    assert f"`acc` used {used} of what is allowed." in report_on(trace, verdict).sentences[2]
    reference, mine = tmp_path / "trace.npz", tmp_path / "mine.npz"
    reference.write_bytes(trace_to_npz(trace))
    mine.write_bytes(packed(**arrays))
    assert main(["check", str(reference), str(mine)]) == 1
    assert f"what the tiles carry agrees (acc used {used} of what is allowed)" in capsys.readouterr().out
    assert not judge(trace, {"o": arrays["o"]}).state_used
