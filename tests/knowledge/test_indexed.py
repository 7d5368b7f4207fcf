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
    assert tokens(indexed(text, "", ["Head"], "a.rst")[0]) == said


def test_other_files_are_taken_as_they_stand() -> None:
    assert indexed("`a`\\ b", "Head", ["A"], "a.md") == ("Head\n`a`\\ b", "A")


@pytest.mark.parametrize(
    ("text", "path", "head"),
    [
        ("Late fees", "a.docx", "Lending"),
        ("## Late fees", "a.md", "Lending"),
        ("=========\nLate fees\n=========", "a.rst", "Lending"),
        ("Fees", "a.docx", "Lending\nLate fees"),  # who looks for “late” finds it by its title
        ("Late fees are 2 euro.", "a.docx", "Lending\nLate fees"),
        ("…", "a.docx", "Lending\nLate fees"),
    ],
)
def test_the_words_of_a_passage_that_is_its_title_are_counted_once(text: str, path: str, head: str) -> None:
    body, titles = indexed(text, "", ["Lending", "Late fees"], path)
    assert titles == head and tokens(body) == tokens(text)
