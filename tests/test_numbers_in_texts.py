"""No number in the lesson's texts without a source: the rule, and that the check can fail."""

from pathlib import Path

import pytest

from lesson.citations import check_source, cited
from lesson.links import load_links
from lesson.place import CONTENT
from tests.numbers_in_texts import in_file, in_markdown, in_toml

# links.toml is the table of the sources.
FILES = [path for path in sorted(CONTENT.rglob("*.*")) if path.name != "links.toml"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CONTENT)))
def test_every_number_has_a_source_that_exists(path: Path) -> None:
    unsourced = [f"{path.name}:{found.line}: {found.text}" for found in in_file(path) if not found.sources]
    assert unsourced == []
    for found in in_file(path):
        for name in found.sources:
            check_source(name)


@pytest.mark.parametrize(
    "line",
    [
        "It takes 32 MiB.",
        "About 4,096 of them.",
        "Twice 2.",
        "A saving of 3.94 times in float32.",
        "One million pairs.",
        "Ten per cent of it.",
        "See `calc_n_q=8192`.",
        "$N = 64$",
        "So-4096 is no name.",
        "1. It takes 7 steps.",
    ],
)
def test_a_bare_number_is_found(line: str) -> None:
    (found,) = in_markdown(line)
    assert found.sources == ()
    assert [each.sources for each in in_toml(f'text = "{line}"')] == [()]


@pytest.mark.parametrize(
    "line",
    [
        "It takes {{size}} in float32.",
        "1. FlashAttention-2 on an A100 or its L2.",
        "Two of N² pairs, m_1 and m₁.",
        "[[stage]]",
        "Apache License 2.0, Apache-2.0.",
    ],
)
def test_names_slots_and_list_markers_are_no_numbers(line: str) -> None:
    assert list(in_markdown(line)) == []


def test_sources_are_read() -> None:
    (marked,) = in_markdown("Three reads, so 4. [src: online_softmax, definition]")
    assert marked.sources == ("online_softmax", "definition")
    (linked,) = in_markdown("As in figure 2 of {{link_fa_one}}.")
    assert linked.sources == ("fa_one",)
    (toml,) = in_toml('text = "# 2 is no comment"  # src: fa_two')
    assert toml.sources == ("fa_two",)
    assert list(in_toml('[table_2]\nkey = "none"  # 7')) == []


def test_marks_become_links_or_vanish() -> None:
    link = load_links()["online_softmax"]
    shown = cited(
        "Four. [src: online_softmax] One. [src: definition] Two. [src: engine.roofline.attention_flops]"
    )
    assert shown == f"Four. :small[[{link.title}]({link.url})] One. Two."


@pytest.mark.parametrize("name", ["nothing", "engine.nothing", "engine.units.nothing", "os.path", "engine"])
def test_an_unknown_source_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        check_source(name)
    with pytest.raises(ValueError, match=name):
        cited(f"Four. [src: {name}]")
