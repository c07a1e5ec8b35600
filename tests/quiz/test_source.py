"""A file that is not sound is refused when it is loaded; the message names file, question, key and value."""

import pytest

from lesson.quiz.misconceptions import load_misconceptions, parse_misconceptions
from lesson.quiz.source import parse_topic

WRITTEN = """
[[question]]
id = "sample"
title = "A sample"
kind = "single"
prompt = "Which?"
why = "Because."
show = { page = "exactness" }
[[question.option]]
text = "This"
right = true
reason = "It is."
[[question.option]]
text = "That"
reason = "It is not."
misconception = "M1"
[[question.option]]
text = "Neither"
reason = "One of them is."
"""
GENERATED = """
[[question]]
id = "pairs"
title = "Pairs"
kind = "number"
make = "allowed_pairs"
prompt = "How many of {n}?"
counts = "No cache helps."
[question.because.right]
reason = "So many."
[question.because.all_cells]
reason = "All."
misconception = "M10"
[question.because.half]
reason = "Half."
[question.because.without_diagonal]
reason = "Less."
"""


def test_sound_questions_are_read() -> None:
    (written,) = parse_topic("sample", WRITTEN)
    assert [option.right for option in written.options] == [True, False, False]
    assert written.misconceptions == ("M1",)
    (generated,) = parse_topic("sample", GENERATED)
    assert generated.make == "allowed_pairs"
    assert generated.why == "So many."
    assert generated.misconceptions == ("M10",)


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("[[question]\n", r"sample\.toml: "),
        ("x = 1\n" + WRITTEN, r"sample\.toml has \['question', 'x'\]"),
        (WRITTEN + WRITTEN, "the id 'sample' comes twice"),
        (WRITTEN.replace('id = "sample"', 'id = "Sample one"'), "id is 'Sample one'"),
        (WRITTEN.replace('"single"', '"pair"'), "kind is 'pair'; it can be single, several"),
        (WRITTEN.replace('"single"', '"number"'), "a number is always generated"),
        (WRITTEN.replace('prompt = "Which?"', ""), "prompt is None"),
        (WRITTEN.replace('title = "A sample"', "title = 3"), "title is 3"),
        (WRITTEN.replace('why = "Because."', ""), "why is None"),
        (WRITTEN.replace('show = { page = "exactness" }', ""), "show is None"),
        (WRITTEN.replace('"exactness" }', '"exactness", step = 3 }'), "show has step = 3"),
        (WRITTEN.replace("right = true", ""), "0 right options; exactly 1"),
        (WRITTEN.replace('"That"', '"That"\nright = true'), "2 right options; exactly 1"),
        (WRITTEN.replace("right = true", "right = 1"), "option 1: right is 1"),
        (WRITTEN.replace('reason = "It is."', ""), "option 1: reason is None"),
        (WRITTEN.replace('"That"', '"This"'), "the same text 'This'"),
        (WRITTEN.replace('"It is not."', '"It is."'), "the same reason 'It is.'"),
        (WRITTEN.replace('"M1"', '"M99"'), "option 2: misconception is 'M99'; it can be M1,"),
        (WRITTEN + 'hint = "x"\n', "option 3: unknown field 'hint'"),
        (WRITTEN.replace('why = "', 'colour = "red"\nwhy = "'), "unknown field 'colour'"),
        (WRITTEN.split("[[question.option]]\ntext = \"Neither\"")[0], "2 options; at least 3"),
        (WRITTEN.replace('"single"', '"several"').replace("right = true", ""), "0 of 3 options are right"),
        (WRITTEN.replace('"single"', '"order"').replace('"That"', '"That"\nright = false'), "2 of 3 steps"),
        (WRITTEN.replace("show =", 'about = "M1"\nshow ='), "about is 'M1'; it is a list"),
        (GENERATED.replace('"allowed_pairs"', '"no_maker"'), "make is 'no_maker'; it can be allowed_pairs"),
        (GENERATED.replace("because.half", "because.third"), r"lacks \['half'\] and has unasked \['third'\]"),
        (GENERATED.replace('reason = "Half."', ""), "because 'half': reason is None"),
        (GENERATED.replace('counts = "No cache helps."', "counts = 7"), "counts is 7"),
        (GENERATED.replace("[question.because.right]", 'why = "x"\n[question.because.right]'), "field 'why'"),
    ],
)  # fmt: skip
def test_a_bad_file_is_refused(toml: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as refused:
        parse_topic("sample", toml)
    assert str(refused.value).startswith("sample.toml")


BELIEF = """
[[misconception]]
key = "M1"
belief = "It is."
truth = "It is not."
page = "exactness"
query = ""
"""


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        (BELIEF + BELIEF, "misconception 2 .'M1'.: its key comes twice"),
        (BELIEF.replace('truth = "It is not."', ""), "lacks, or has unasked: truth"),
        (BELIEF.replace('"It is."', '" "'), "belief = ' '"),
        (BELIEF.replace('"exactness"', '"nowhere"'), "the page 'nowhere'; it can be home,"),
        ("", "there is no"),
    ],
)
def test_bad_misconceptions_are_refused(toml: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_misconceptions(toml)


def test_every_misconception_says_belief_and_truth() -> None:
    texts = [text for each in load_misconceptions().values() for text in (each.belief, each.truth)]
    assert len(set(texts)) == len(texts)
