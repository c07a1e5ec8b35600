"""Counts are checked at the door, with the value and the limit in the message."""

import pytest

from engine.memory import MAX_COUNT, count_within


def test_the_limit_is_ten_to_the_twelve_and_allowed():
    assert MAX_COUNT == 10**12
    assert count_within("n", MAX_COUNT) == 10**12


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0, ["n", "at least 1", "0"]),
        (-5, ["n", "at least 1", "-5"]),
        (10**12 + 1, ["n", "at most 1,000,000,000,000", "1,000,000,000,001"]),
        (2.5, ["n", "whole number", "2.5"]),
        (True, ["n", "whole number", "True"]),
    ],
)
def test_an_impossible_count_is_named_with_its_limit(value, words):
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the message is checked word by word below
        count_within("n", value)
    for word in words:
        assert word in str(error.value)
