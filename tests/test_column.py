"""A page as one text and one part: where slots stand, how controls are read, how few elements it is."""

import pytest

from lesson.text import load_text, parse_text
from tests.column_page import slot
from tests.parts import part_data, parts_of
from tests.test_pages import visit, words
from ui.calculator.sheet import Sheet, kept_sheet
from ui.column.component import Column, refusal
from ui.column.prose import prose_of
from ui.evidence.page import EVIDENCE
from ui.exactness.lab import LAB
from ui.fields.component import LONGEST, Field
from ui.reference.page import REFERENCE

PAGES = {"exactness": LAB, "evidence": EVIDENCE, "reference": REFERENCE}


def column(**changed: object) -> Column:
    """A column of which nothing is drawn."""
    given = {"text": "exactness", "values": LAB.values, "prefix": "x_", "fields": {}, "fill": lambda held: {}}
    return Column(**(given | changed))  # type: ignore[arg-type]


def test_a_place_is_the_number_of_blocks_above_it() -> None:
    prose = prose_of(
        parse_text("[[a]]\n## One\n\nTwo\nlines.\n[[b]]\n[[c]]\n- a list\n- of two\n\nLast.\n[[d]]\n")
    )
    assert prose.markdown == "## One\n\nTwo\nlines.\n\n- a list\n- of two\n\nLast."
    assert (prose.blocks, dict(prose.places)) == (4, {"a": 0, "b": 2, "c": 2, "d": 4})


@pytest.mark.parametrize(
    "block",
    ["## Heading\ntext", "```\ncode", "    indented", "> said", "| a | b |", "<div>", "$$", "Title\n==="],
)
def test_a_block_that_may_not_be_one_element_is_refused(block: str) -> None:
    with pytest.raises(ValueError, match="may not be one element"):
        prose_of(parse_text(f"Text.\n\n{block}\n"))


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_three_elements_with_its_whole_prose_in_one(name: str) -> None:
    """One is the frame; the rest is one text and one part."""
    at = visit(f"pages/{name}.py")
    kinds = [node.type for node in at._tree]
    assert kinds.count("html") == 0 and kinds.count("markdown") == 1 and kinds.count("bidi_component") == 2
    assert len(parts_of(at, "column")) == 1
    text = load_text(name)
    said = words(at)
    assert said == PAGES[name].prose.markdown and "{{" not in said and "[[" not in said
    assert [each["name"] for each in part_data(at, "column")["slots"]] == [
        part.name for part in text.parts if not isinstance(part, str)
    ]


@pytest.mark.parametrize("name", PAGES)
def test_no_slot_stays_empty(name: str) -> None:
    at = visit(f"pages/{name}.py")
    for each in part_data(at, "column")["slots"]:
        assert each["pieces"] or each["fields"], each["name"]


def test_a_choice_is_named_by_its_key_or_by_its_words() -> None:
    field = Field("x", "choice", "X", options=("a", "b"), words=("one", "two"))
    assert [field.option(each) for each in ("a", "two", "three")] == ["a", "b", None]
    assert Field("x", "choice", "X", options=("a", "b")).option("b") == "b"
    with pytest.raises(ValueError, match="2 options but words for 1"):
        Field("x", "choice", "X", options=("a", "b"), words=("one",))


def test_a_text_is_cut_where_its_field_ends() -> None:
    assert part_data(visit("pages/evidence.py", ev_n="1" * 90), "column")["values"]["n"] == "1" * 60
    assert part_data(visit("pages/reference.py", ref_find="z" * 90), "column")["values"]["find"] == "z" * 40
    with pytest.raises(ValueError, match="x takes 81 characters, of which 80 are looked at"):
        Field("x", "text", "X", longest=LONGEST + 1)


def test_a_slot_that_the_text_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="not all of \\['nowhere'\\]"):
        _ = column(fields={"nowhere": ()}).prose
    with pytest.raises(ValueError, match="but not \\['nowhere'\\]"):
        column(fill=lambda held: {"nowhere": Sheet()}).composed(())


def test_a_sheet_is_composed_once_for_each_argument() -> None:
    made = []

    @kept_sheet
    def probe(sheet: Sheet, number: int) -> None:
        made.append(number)
        sheet.add(str(number))

    assert probe(1) is probe(1) is not probe(2)
    assert made == [1, 2] and probe(2).data()["pieces"] == ["2"]


def test_a_message_is_escaped() -> None:
    (piece,) = refusal(["<script> is no number"], "Correct it.").data()["pieces"]
    assert "&lt;script&gt;" in piece and "<script" not in piece and 'role="alert"' in piece


def test_what_a_page_shows_is_fetched_under_the_same_name_for_the_same_choices() -> None:
    one, other = visit("pages/evidence.py"), visit("pages/evidence.py", ev_calls="forward_backward")
    assert part_data(one, "column") == part_data(visit("pages/evidence.py", ev_n="4096"), "column")
    assert slot(one, "gpu_time") != slot(other, "gpu_time")
    assert slot(one, "memory") == slot(other, "memory")
