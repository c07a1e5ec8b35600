"""The lesson: every section of the published one in order, each ending in something to do."""

import json
import re
from typing import Any

import pytest

from engine import score_matrix_bytes, standard_bytes, tiled_bytes
from lesson.frames import default_trace, frame_values, place, place_names
from lesson.outline import load_outline
from lesson.plan import Section, load_sections, parse_sections
from lesson.quiz import make
from lesson.sliders import BLOCKS, LENGTHS, slider
from lesson.text import load_text
from lesson.values import BLOCK, BYTES_PER_SCORE, D, N, section_values
from tests.parts import part_data, send
from tests.test_pages import visit, words
from ui.lesson.column import lesson_column
from ui.lesson.component import act_data, contents_data, lesson_data
from ui.progress.component import LAB_PAGES, sidebar_data

SECTIONS = load_sections()
# The published lesson's headings, in its order; what it nests under another stands behind it.
PUBLISHED = (
    "IO-aware attention and online softmax",
    "The mechanism",
    "Score storage",
    "Engineering example",
    "Distinctions and tradeoffs",
    "Specifications and interfaces",
    "Check your understanding",
    "Evidence and scope",
    "Sources",
    "Continue exploring",
)
SECTION = """
[[section]]
key = "one"
title = "One"
mirrors = ""
do = "Do it."
places = ["load"]
"""


def text_of(section: Section) -> str:
    name = f"lesson_{section.key}"
    return "\n".join(
        part
        for part in load_text(name).filled(section_values(section.key, name)).parts
        if isinstance(part, str)
    )


def test_every_published_section_is_there_in_order() -> None:
    mirrored = list(dict.fromkeys(section.mirrors for section in SECTIONS if section.mirrors))
    assert tuple(mirrored) == PUBLISHED
    added = [section.key for section in SECTIONS if not section.mirrors]
    assert added == ["online", "traffic", "backward", "limits", "history"]


def test_the_page_shows_every_section_with_what_it_ends_in() -> None:
    at = visit("home.py")
    # The browser asks for the sentences when the stage stands.
    assert SECTIONS[0].title not in words(at) and not part_data(at, "lesson")["open"]
    text = words(send(at, "lesson", open=True))
    shown = re.findall(r"^#{2,3} (.*)$", text, re.MULTILINE)
    titles = [[section.part, section.title] if section.part else [section.title] for section in SECTIONS]
    assert shown == [title for pair in titles for title in pair]
    assert "{{" not in text and "[src:" not in text
    data = part_data(at, "lesson")
    assert [act["section"] for act in data["acts"]] == [section.key for section in SECTIONS]
    assert data == {**json.loads(json.dumps(lesson_data())), "open": True}


def test_every_act_stands_between_its_own_section_and_the_next() -> None:
    """Found by the headings alone, as the browser does it."""
    column = lesson_column()
    found = [
        re.findall(r"^#{2,3} (.*)$", "" if each.html else each.text, re.MULTILINE)
        for each in column.stretches
    ]
    for at, (section, where) in enumerate(zip(SECTIONS, column.places, strict=True)):
        assert found[where["starts"]][where["heading"]] == section.title
        after = SECTIONS[at + 1] if at + 1 < len(SECTIONS) else None
        if where["before"] is None:
            assert after is None or column.places[at + 1]["starts"] == where["ends"] + 1
        else:
            assert after is not None
            assert found[where["ends"]][where["before"]] == (after.part or after.title)


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.key)
def test_sections_are_short_and_their_data_are_finite_builtins(section: Section) -> None:
    prose = re.sub(r"\$\$.*?\$\$", "", text_of(section), flags=re.DOTALL)
    assert len(prose.split()) < 360
    data = act_data(section)
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert any((data["places"], data["predict"], data["slider"], data["run"]))


def test_sentences_are_short_enough_for_a_second_year_student() -> None:
    """Words a sentence without its links: no longer than 34, and 15 at most on average."""
    lengths = []
    for section in SECTIONS:
        text = re.sub(r"\[[^\]]*\]\([^)]*\)", "", text_of(section))
        for line in text.splitlines():
            if line.strip() and not line.lstrip().startswith(("|", "$")):
                lengths.append((len(line.split()), line))
    assert max(lengths)[0] <= 34, max(lengths)
    assert sum(length for length, _ in lengths) / len(lengths) < 15


def test_the_lessons_own_numbers() -> None:
    assert (N, BYTES_PER_SCORE) == (4096, 2)
    assert score_matrix_bytes(N, N, BYTES_PER_SCORE) == 33_554_432
    by_key = {section.key: text_of(section) for section in SECTIONS}
    assert "33,554,432 bytes, or 32 MiB" in by_key["example"] and "64 MiB" in by_key["example"]
    assert "3.94 times less" in by_key["traffic"] and "fewer than 32 queries" in by_key["traffic"]
    assert "2.5 times" in by_key["backward"]
    assert "read 3 times instead of 2" in by_key["online"]


@pytest.mark.parametrize("name", place_names())
def test_every_place_leads_to_a_page_and_its_step_exists(name: str) -> None:
    where = place(name)
    assert where.page in {page.key for page in load_outline().pages}
    if where.step is not None:
        assert 0 <= where.step < len(default_trace().steps)
        assert dict(where.query) == {"step": str(where.step)}


@pytest.mark.parametrize("name", [name for name in place_names() if place(name).step is None])
def test_every_address_elsewhere_is_taken_without_a_complaint(name: str) -> None:
    where = place(name)
    at = visit(load_outline().page(where.page).script, **where.query)
    assert not at.error
    assert not at.warning


def test_places_show_what_they_promise() -> None:
    """Worked out from the trace again, by another way."""
    steps = default_trace().steps

    def at(name: str) -> Any:
        return steps[place(name).step or 0]

    assert at("first_rescale").kind == "rescale" and any(
        0 < alpha < 1 for alpha in at("first_rescale").work["alpha"]
    )
    before = steps[: place("first_rescale").step]
    assert not any(0 < a < 1 for step in before if step.kind == "rescale" for a in step.work["alpha"])
    still = at("nothing_to_fix")
    assert still.tile[1] > 0 and list(still.work["alpha"]) == [1.0] * len(still.work["alpha"])
    assert at("again").kind == "load_kv"
    assert at("again").tile[1] in {s.tile[1] for s in steps[: place("again").step] if s.kind == "load_kv"}
    assert [at(name).kind for name in ("load", "score", "discard", "divide", "store", "skip")] == [
        "load_kv",
        "score",
        "discard",
        "normalise",
        "store",
        "skip",
    ]
    back = default_trace("backward").steps
    assert back[int(place("recompute").query["step"])].kind == "recompute_p"
    assert back[int(place("d_s").query["step"])].kind == "d_s"


def test_links_in_texts_name_places() -> None:
    found = frame_values(["frame_first_rescale", "n"])
    assert list(found) == ["frame_first_rescale"]
    step = default_trace().first_rescale()
    assert found["frame_first_rescale"] == f"[Show me the first rescale](./step_through?step={step})"
    with pytest.raises(KeyError):
        frame_values(["frame_nowhere"])


def test_the_traffic_slider_is_the_engines() -> None:
    stops = slider("traffic")["stops"]
    standard = standard_bytes(N, N, D, bytes_per_element=BYTES_PER_SCORE).total
    assert [stop["label"] for stop in stops] == [str(block) for block in BLOCKS]
    for stop, block in zip(stops, BLOCKS, strict=True):
        tiled = tiled_bytes(N, N, D, block_q=block, block_k=BLOCK, bytes_per_element=BYTES_PER_SCORE).total
        shares = [bar["share"] for bar in stop["bars"]]
        assert shares[1] / shares[0] == pytest.approx(tiled / standard)
        assert max(shares) <= 1
        assert ("times as much as standard" in stop["says"]) == (tiled > standard)
        # The width of the key tile changes nothing, as the section says.
        assert (
            tiled
            == tiled_bytes(N, N, D, block_q=block, block_k=2 * BLOCK, bytes_per_element=BYTES_PER_SCORE).total
        )


def test_the_storage_slider_grows_with_the_square() -> None:
    stops = slider("storage")["stops"]
    assert len(stops) == len(LENGTHS)
    assert "33,554,432 bytes: 16 times" in stops[LENGTHS.index(N)]["says"]
    assert slider("storage")["start"] == LENGTHS.index(N)
    with pytest.raises(ValueError, match="no slider 'x'"):
        slider("x")


def test_the_published_question_is_asked_with_its_key() -> None:
    (section,) = [section for section in SECTIONS if section.question]
    asked, question = act_data(section)["predict"], make("avoided_object")
    assert section.mirrors == "Check your understanding"
    assert asked["question"] == question.prompt
    assert [option["text"] for option in asked["options"] if option["right"]] == [question.key()["text"]]
    assert asked["quiz"] == {"id": "avoided_object", "seed": 0}


def test_contents_and_panel_know_every_section_and_page() -> None:
    keys = [section.key for section in SECTIONS]
    assert [entry["key"] for entry in contents_data()["sections"]] == keys
    data = sidebar_data()
    assert data["plan"]["sections"] == keys
    assert [entry["key"] for entry in data["plan"]["pages"]] == [page.key for page in load_outline().pages]
    assert data["labs"] == list(LAB_PAGES) and "quiz" not in data["labs"]
    assert set(LAB_PAGES) <= {page.key for page in load_outline().pages}


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("", "there is no"),
        (SECTION.replace('do = "Do it."\n', ""), "'one'.*needs key"),
        (SECTION + 'colour = "red"\n', "colour"),
        (SECTION.replace('["load"]', '["nowhere"]'), "nowhere"),
        (SECTION.replace('["load"]', "[]"), "nothing to do"),
        (SECTION + 'slider = "speed"\n', "'speed'"),
        (SECTION + 'question = "nothing"\n', "'nothing'"),
        (SECTION + SECTION, "'one'"),
        (SECTION + '[section.predict]\nquestion = "Q"\n', "two options"),
        (
            SECTION
            + '[section.predict]\nquestion = "Q"\n'
            + '[[section.predict.option]]\ntext = "a"\nreason = "b"\n' * 2,
            "exactly one",
        ),
        (
            SECTION + '[section.predict]\nquestion = "Q"\n[[section.predict.option]]\ntext = "a"\n',
            "text and reason",
        ),
    ],
)
def test_a_bad_section_is_refused(toml: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_sections(toml)
