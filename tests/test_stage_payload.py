"""The stage's Python side: what is sent, how modules are joined, and that its words are complete."""

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import trace_attention, trace_to_dict
from lesson.inputs import DEFAULT_KEY, entries, load
from lesson.stage_text import SENTENCE_SLOTS, load_stage_text, slots_of
from ui.joiner import JoinError, join_modules
from ui.stage.payload import COUNTS, WIDEST_PRINTED, Payload, budget_for, encode, packed

MOST_BYTES = 130_000
STAGE = Path(__file__).parents[1] / "ui" / "stage"


def traced(key: str = DEFAULT_KEY, **changes: Any) -> Any:
    given = load(key)
    options = given.options() | changes
    return trace_attention(given.q, given.k, given.v, tokens=(given.tokens_q, given.tokens_k), **options)


def test_default_payload_is_small_as_streamlit_sends_it() -> None:
    sent = json.dumps({**encode(traced()), "step": 0, "address": True}, allow_nan=False)
    assert len(sent.encode()) <= MOST_BYTES


def test_default_shows_a_rescale_a_row_without_one_and_three_key_tiles() -> None:
    trace = traced()
    shrunk = [step.work["rescaled"] for step in trace.steps if step.kind == "rescale" and step.tile[1] > 0]
    assert trace.problem["tiles_k"] >= 3
    assert any(any(rows) and not all(rows) for rows in shrunk)


@pytest.mark.parametrize("key", [entry.key for entry in entries()])
@pytest.mark.parametrize("order", ["q_outer", "kv_outer"])
def test_payload_is_the_trace(key: str, order: str) -> None:
    trace = traced(key, order=order)
    payload = encode(trace)
    json.dumps(payload, allow_nan=False)
    exact = trace_to_dict(trace)
    assert len(payload["trace"]["steps"]) == len(exact["steps"])
    for sent, kept in zip(payload["trace"]["steps"], exact["steps"], strict=True):
        assert [payload["counts"][place] for place in sent["counts"]] == [kept[name] for name in COUNTS]
        assert (sent["kind"], sent["tile"]) == (kept["kind"], kept["tile"])
    blocks = [opened(block) for block in payload["trace"]["blocks"]]
    assert [np.shape(block) for block in blocks] == [np.shape(block) for block in exact["blocks"]]
    np.testing.assert_allclose(flat(blocks), flat(exact["blocks"]), rtol=1e-5)
    for name, sent_array in payload["trace"]["arrays"].items():
        np.testing.assert_allclose(opened(sent_array), exact["arrays"][name], rtol=1e-5)


def flat(blocks: list[Any]) -> Any:
    return np.concatenate([np.ravel(block) for block in blocks])


def opened(sent: list[list[float]] | Payload) -> Any:
    """Read a matrix back as `unpack.js` does."""
    if isinstance(sent, list):
        return sent
    return np.frombuffer(base64.b64decode(sent["f32"]), dtype="<f4").reshape(-1, sent["columns"])


def test_only_wide_matrices_are_packed_and_only_what_a_float32_holds() -> None:
    narrow = [[0.5] * WIDEST_PRINTED]
    wide = [[0.5, -1.25, 3e-5] * WIDEST_PRINTED]
    assert packed(narrow) is narrow
    assert packed([]) == []
    np.testing.assert_array_equal(opened(packed(wide)), np.array(wide, dtype=np.float32))
    special = [[None, "inf", "nan", 0.0, *wide[0]]]
    np.testing.assert_array_equal(opened(packed(special))[0][:4], [-np.inf, np.inf, np.nan, 0.0])
    for beyond in (1e39, -1e39, 1e-40):
        matrix = [[beyond, *wide[0]]]
        assert packed(matrix) is matrix


def test_same_run_has_the_same_id_and_another_run_another() -> None:
    same = encode(traced())["id"]
    assert encode(traced())["id"] == same
    assert encode(traced(block_k=2))["id"] != same
    assert encode(traced(), budget_bytes=4096)["id"] != same


@pytest.mark.parametrize(("peak", "budget"), [(0, 1), (1, 1), (256, 256), (257, 512), (4224, 8192)])
def test_budget_is_the_smallest_power_of_two_that_holds_the_run(peak: int, budget: int) -> None:
    assert budget_for(peak) == budget


def test_words_describe_every_kind_with_known_slots() -> None:
    text = load_stage_text()
    for kind, variants in SENTENCE_SLOTS.items():
        sentences = text["sentences"][kind]
        assert isinstance(sentences, dict)
        for variant, slots in variants.items():
            assert slots_of(sentences[variant]) <= slots
    with pytest.raises(ValueError, match="without a name"):
        slots_of("an empty {} slot")


def write(folder: Path, **modules: str) -> Path:
    for name, source in modules.items():
        (folder / f"{name}.js").write_text(source, encoding="utf-8")
    return folder


def test_joiner_puts_modules_in_order_and_keeps_one_default_export(tmp_path: Path) -> None:
    write(
        tmp_path,
        a='import { two } from "./b.js";\n\nexport default function main() {\n  return two();\n}\n',
        b="export function two() {\n  return 2;\n}\n",
    )
    text = join_modules(tmp_path, "a.js")
    assert text.index("function two") < text.index("function main")
    assert "import" not in text
    assert text.count("export") == 1
    assert text.rstrip().endswith("export default main;")


IMPORT_X = 'import { x } from "./b.js";\n'
IMPORT_Y = 'import { y } from "./b.js";\n'
EXPORT_Y = "export const y = 1;\n"


@pytest.mark.parametrize(
    ("modules", "message"),
    [
        ({"a": IMPORT_X + "export default function a() {}\n"}, "b.js, which does not exist"),
        ({"a": IMPORT_X, "b": EXPORT_Y}, "imports 'x' from b.js"),
        ({"a": IMPORT_Y + "const z = 1;\n", "b": EXPORT_Y + "const z = 2;\n"}, "both declare 'z'"),
        ({"a": 'import * as lib from "https://example.org/lib.js";\n'}, "cannot join"),
        ({"a": IMPORT_Y, "b": 'import { x } from "./a.js";\n'}, "in a circle"),
        ({"a": "export const a = 1;\n"}, "no default export"),
    ],
)
def test_joiner_refuses_what_it_cannot_join(tmp_path: Path, modules: dict[str, str], message: str) -> None:
    write(tmp_path, **modules)
    with pytest.raises(JoinError, match=message.replace("(", r"\(")):
        join_modules(tmp_path, "a.js")


def test_modules_reach_for_nothing_outside() -> None:
    for file in STAGE.glob("*.js"):
        source = file.read_text(encoding="utf-8")
        assert "http://" not in source.replace("http://www.w3.org/2000/svg", ""), file.name
        assert "https://" not in source, file.name
