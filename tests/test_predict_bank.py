"""The words of the questions and of the broken runs: complete, with slots that the browser fills."""

import re
from pathlib import Path

import pytest

from engine import MISTAKES
from lesson.stage_breakit_text import load_breakit_text, parse_breakit_text
from lesson.stage_predict_text import QUESTION_SLOTS, REASONS, load_predict_text, parse_predict_text
from lesson.text import CONTENT

STAGE = Path(__file__).parents[1] / "ui" / "stage"
PREDICT = (CONTENT / "en" / "stage_predict.toml").read_text(encoding="utf-8")
BREAKIT = (CONTENT / "en" / "stage_breakit.toml").read_text(encoding="utf-8")
ROUGH = {"right", "too_large", "too_small"}


def wrong_formulas(table: str) -> set[str]:
    """The names of the wrong formulas in `predict_wrong.js`."""
    source = (STAGE / "predict_wrong.js").read_text(encoding="utf-8")
    body = source.split(f"export const {table} = {{")[1].split("\n};")[0]
    return set(re.findall(r"^  (\w+):", body, re.MULTILINE))


@pytest.mark.parametrize(("table", "kind"), [("WRONG_ALPHAS", "alpha"), ("WRONG_BYTES", "bytes")])
def test_every_wrong_formula_has_its_own_reason(table: str, kind: str) -> None:
    names = wrong_formulas(table)
    assert len(names) == 8
    assert names == REASONS[kind] - ROUGH
    reasons = load_predict_text()[kind]["reasons"]
    assert len({reasons[name] for name in names}) == len(names)


def test_every_reason_says_a_number_of_the_run() -> None:
    """A reason without a slot could not come from the run."""
    for kind in QUESTION_SLOTS:
        for name, template in load_predict_text()[kind]["reasons"].items():
            if (kind, name) != ("final", "not_divided"):
                assert "{" in template, (kind, name)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("upside_down =", "upside =", r"missing \['upside_down'\], not known \['upside'\]"),
        ("{tolerance}", "{leeway}", r"\[alpha\] counts has unknown slots \['leeway'\]"),
        ('skip = "Skip"\n', "", r"\[card\]: missing \['skip'\]"),
        ("[final.options]\nfinal =", "[final.options]\nfinale =", r"\[final.options\]: missing \['final'\]"),
        ('stays = "It stays {m_old}."', 'stays = "It stays {value}."', r"unknown slots \['value'\]"),
    ],
)
def test_incomplete_questions_are_refused(old: str, new: str, message: str) -> None:
    assert old in PREDICT
    with pytest.raises(ValueError, match=message):
        parse_predict_text(PREDICT.replace(old, new, 1))


def test_every_mistake_has_a_name() -> None:
    assert set(load_breakit_text()["names"]) == set(MISTAKES)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("no_max =", "no_maximum =", r"\[names\]: missing \['no_max'\], not known \['no_maximum'\]"),
        ('right = "Every', 'left = "Every', r"\[lines\]: missing \['right'\], not known \['left'\]"),
        ("{step}", "{frame}", r"\[view\] parts has unknown slots \['frame'\]"),
        ('nan = "NaN"\n', "", r"\[view\]: missing \['nan'\]"),
    ],
)
def test_incomplete_words_of_broken_runs_are_refused(old: str, new: str, message: str) -> None:
    assert old in BREAKIT
    with pytest.raises(ValueError, match=message):
        parse_breakit_text(BREAKIT.replace(old, new, 1))
