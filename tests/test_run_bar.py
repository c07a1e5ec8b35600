"""The bar of "Watch it run": what it is given, what it sends, and which run follows."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import pytest
from streamlit.testing.v1 import AppTest

from engine import MISTAKES, Trace, attention, trace_attention
from lesson.inputs import DEFAULT_KEY, entries, load
from lesson.share_text import load_share_text
from tests.parts import part_data, parts_of, send
from tests.test_pages import visit
from ui.fields.component import LONGEST
from ui.run_settings import DEFAULTS, FIELDS, query_of_run
from ui.stage.payload import encode

SCRIPT = "pages/step_through.py"
MADE_UP = [entry.key for entry in entries() if entry.kind == "made_up"]
# Another choice than the default for each setting, and what it is in the engine's options.
ASKED: list[tuple[str, str, dict[str, Any]]] = [
    ("direction", "backward", {"direction": "backward"}),
    ("mask", "none", {"causal": None}),
    ("mask", "top_left", {"causal": "top_left"}),
    ("order", "kv_outer", {"order": "kv_outer"}),
    ("storage", "bfloat16", {"storage": "bfloat16"}),
    ("bq", "2", {"block_q": 2}),
    ("bk", "8", {"block_k": 8}),
    ("window", "2", {"window": (2, None)}),
]


def traced(key: str = DEFAULT_KEY, **changes: Any) -> Trace:
    given = load(key)
    options = given.options() | changes
    if options.get("direction") == "backward":
        options["d_o"] = attention(given.q, given.k, given.v, **given.options())[0]
    return trace_attention(given.q, given.k, given.v, tokens=given.tokens, **options)


def plays(at: AppTest, trace: Trace) -> bool:
    """Whether the stage has this run."""
    return bool(part_data(at, "stage")["id"] == encode(trace)["id"])


def choose(at: AppTest, **values: str) -> AppTest:
    """Choose as a reader does: the browser sends every value that it holds."""
    assert set(values) <= set(FIELDS)
    return send(at, "run_bar", values={**held(at), **values})


def held(at: AppTest) -> Mapping[str, str]:
    values: Mapping[str, str] = part_data(at, "run_bar")["values"]
    return values


def shown_fields(at: AppTest) -> list[str]:
    return [field["name"] for row in part_data(at, "run_bar")["rows"] for field in row["fields"]]


@pytest.fixture(scope="module")
def opened() -> AppTest:
    """The page, open since some test before."""
    return visit(SCRIPT)


def test_it_opens_with_the_default_run_and_says_what_runs() -> None:
    at = visit(SCRIPT)
    bar = part_data(at, "run_bar")
    assert held(at) == DEFAULTS
    assert plays(at, traced())
    given = load(DEFAULT_KEY)
    assert bar["about"].startswith("SmolLM2-135M-Instruct's head “previous token” reads “The keys to")
    assert bar["about"].endswith(given.description.split("” ")[-1])
    assert bar["source"] == given.source
    assert not at.warning and not at.error


@pytest.mark.parametrize(("name", "choice", "changes"), ASKED, ids=lambda x: x if isinstance(x, str) else "")
def test_a_choice_and_a_link_by_key_or_word_give_the_same_run(
    opened: AppTest, name: str, choice: str, changes: dict[str, Any]
) -> None:
    trace = traced(**changes)
    field = FIELDS[name]
    word = field.words[field.options.index(choice)]
    for at in (
        choose(opened, **DEFAULTS | {name: choice}),
        visit(SCRIPT, **{f"run_{name}": choice}),
        visit(SCRIPT, **{f"run_{name}": word}),
    ):
        assert held(at) == DEFAULTS | {name: choice}
        assert plays(at, trace)
        assert part_data(at, "stage")["share"]["query"] == {f"run_{name}": choice}
        assert not at.warning and not at.error


@pytest.mark.parametrize("asked", ["red-fox", load("red-fox.copy").description.split("“")[2].split("”")[0]])
def test_a_sentence_is_found_by_its_key_and_by_its_words(asked: str) -> None:
    at = visit(SCRIPT, run_input=asked, run_head="copy")
    assert plays(at, traced("red-fox.copy"))
    assert not at.warning


def test_no_word_is_longer_than_what_is_looked_at() -> None:
    assert max(len(word) for field in FIELDS.values() for word in (*field.options, *field.words)) <= LONGEST


@pytest.mark.parametrize("key", MADE_UP)
def test_a_made_up_input_is_named_and_has_no_heads(opened: AppTest, key: str) -> None:
    at = choose(opened, **DEFAULTS)
    assert "head" in shown_fields(at)
    choose(at, input=key, head="subject")
    assert plays(at, traced(key))
    assert "head" not in shown_fields(at)
    assert part_data(at, "run_bar")["about"] == f"{load(key).title}: {load(key).description}"
    # The head is kept for the next sentence, but says nothing about this run.
    assert part_data(at, "stage")["share"]["query"] == {"run_input": key}
    assert plays(choose(at, input="capitals"), traced("capitals.subject"))


def test_mistakes_are_a_list_with_a_line_each_and_run_at_once(opened: AppTest) -> None:
    at = choose(opened, **DEFAULTS)
    mistake = part_data(at, "run_bar")["mistake"]
    keys, names, lines = zip(*mistake["options"], strict=True)
    assert keys == ("right", *MISTAKES)
    assert names[0] == "none: the right algorithm"
    assert all(line.endswith(".") for line in lines) and len(set(lines)) == len(lines)
    assert "comparison" not in part_data(at, "stage")
    for name in MISTAKES:
        choose(at, mistake=name)
        assert part_data(at, "stage")["comparison"]["mistake"] == name
    choose(at, mistake="right")
    assert "comparison" not in part_data(at, "stage")


def test_a_backward_is_not_broken() -> None:
    at = visit(SCRIPT, run_mistake="no_rescale", run_direction="backward")
    assert not part_data(at, "run_bar")["breakable"]
    assert plays(at, traced(direction="backward"))
    choose(at, direction="forward")
    assert part_data(at, "run_bar")["breakable"]
    assert part_data(at, "stage")["comparison"]["mistake"] == "no_rescale"


@pytest.mark.parametrize(
    ("address", "named"),
    [
        ({"run_bq": "999"}, ["run_bq=999", "`64`", "`own` is shown"]),
        ({"run_head": "nonsense"}, ["run_head=nonsense", "`match`", "`prev` is shown"]),
        ({"run_mistake": "no_idea"}, ["run_mistake=no_idea", "no_rescale"]),
        ({"run_colour": "red"}, ["run_colour", "`run_order`"]),
    ],
    ids=lambda x: next(iter(x)) if isinstance(x, dict) else "",
)
def test_what_an_address_asks_for_in_vain_is_named(address: dict[str, str], named: list[str]) -> None:
    at = visit(SCRIPT, **address)
    (message,) = [warning.value for warning in at.warning]
    assert [each for each in named if each not in message] == []
    assert held(at) == DEFAULTS
    assert plays(at, traced())


def test_what_a_browser_sends_is_not_trusted() -> None:
    at = visit(SCRIPT)
    for odd in ({"bq": "x" * 10**5}, {"bq": ["2"]}, {"input": None, "colour": "red"}, {}):
        send(at, "run_bar", values=odd)
        assert not at.exception
        assert held(at) == DEFAULTS
    send(at, "run_bar", values="nothing")
    assert not at.exception and held(at) == DEFAULTS


def test_the_field_for_a_file_of_ones_own_is_there_only_when_asked_for() -> None:
    at = visit(SCRIPT)
    assert not at.get("file_uploader")
    choose(at, input="file")
    assert len(at.get("file_uploader")) == 1
    assert "until then" in at.info[0].value
    # Until a file is there the default input plays, and a link leads to what plays.
    assert plays(at, traced()) and part_data(at, "stage")["share"]["query"] == {}
    choose(at, input="rising")
    assert not at.get("file_uploader") and not at.info


def test_a_link_names_every_setting_that_is_not_the_default() -> None:
    asked = {name: choice for name, choice, _ in ASKED} | {"input": "capitals", "head": "first"}
    query = query_of_run(load("capitals.first"), DEFAULTS | asked)
    assert query == {f"run_{name}": choice for name, choice in asked.items()}
    at = visit(SCRIPT, **query)
    assert urlencode(part_data(at, "stage")["share"]["query"]) == urlencode(
        {f"run_{name}": asked[name] for name in FIELDS if name in asked}
    )


def test_files_and_the_check_are_made_only_when_opened() -> None:
    at = visit(SCRIPT)
    assert [section.label for section in at.expander] == [
        "Files of the whole run", "For kernel authors: check your kernel",
    ]  # fmt: skip
    assert [section.children for section in at.expander] == [{}, {}]
    assert not at.get("download_button") and not at.get("file_uploader")
    assert len(parts_of(at, "stage")) == 1


@pytest.mark.parametrize(("mistake", "said"), [("no_rescale", 1), ("right", 0)])
def test_beside_a_wrong_algorithm_the_check_says_what_it_checks_against(mistake: str, said: int) -> None:
    at = visit(SCRIPT, run_mistake=mistake)
    at.session_state["check"] = True
    at.run()
    assert len(at.get("file_uploader")) == 1
    against = load_share_text()["check"]["against_right"]
    assert sum(info.value == against for info in at.info) == said


def test_a_wrong_step_is_named_once() -> None:
    """Streamlit goes on naming the step that the page was opened with, wherever the reader went."""
    at = visit(SCRIPT, step="9999")
    assert "9999" in at.warning[0].value
    assert not choose(at, mask="none").warning
