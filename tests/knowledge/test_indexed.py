"""The words that a passage is found by."""

import pytest

from knowledge.texts.analysis import tokens
from knowledge.texts.indexed import indexed


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (r"Water is H\ :sub:`2`\ O", ["Water", "is", "H2O"]),
        (r"All ``Request``\s, **bold**\ er and re\ *do*", ["All", "Requests", "bolder", "and", "redo"]),
        (r"``a`` and ``\s`` in C:\temp", ["a", "and", "s", "in", "C", "temp"]),
    ],
)
def test_a_word_that_rst_has_marks_in_is_one(text: str, said: list[str]) -> None:
    assert tokens(indexed(text, "", "a.rst")) == said


def test_other_files_are_taken_as_they_stand() -> None:
    assert indexed("`a`\\ b", "Head", "a.md") == "Head\n`a`\\ b"
