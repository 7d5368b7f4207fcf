"""Quotations as plain text shows them."""

from dataclasses import replace

import pytest

from retrieval.printed import MARKDOWN, TERMINAL, as_markdown, printed
from retrieval.results import Citation
from tests.retrieval.answering_fakes import make_hit


def test_prose_code_and_lists_are_written_as_markdown():
    text = (
        "See :ref:`bring a bike back <returning>`; __init__ and *.csv stay, <b> too.\n\n.. note::\n   Lock it.\n\n"
        "1. Call.\n2. Wait::\n\n     wait ```now```\n\n* One\n* Two"
    )
    said = r"""See bring a bike back; \_\_init\_\_ and \*.csv stay, \<b> too.

Note: Lock it.

1. Call.
2. Wait:

````
wait ```now```
````

- One
- Two"""
    assert as_markdown(text) == said


def test_a_program_stays_as_it_is():
    hit = make_hit("a = b  # __c__")
    citation = Citation(1, hit.text, True, 1, 1, hit)
    assert printed(citation, "[1]", MARKDOWN) != printed(citation, "[1]", TERMINAL)


@pytest.mark.parametrize(
    ("style", "shown"),
    [
        (MARKDOWN, "Look:\n\n| Bike | For |\n| --- | --- |\n| Otter | 2 \\| 3 |\n\n[1]"),
        (TERMINAL, "Look:\n\nBike   For\n-----  -----\nOtter  2 | 3\n[1]"),
    ],
)
def test_the_mark_of_a_table_is_no_row_of_it(style, shown):
    hit = make_hit("Look:\n\n| Bike | For |\n|---|---|\n| Otter | 2 \\| 3 |")
    assert printed(Citation(1, hit.text, True, 1, 1, hit), "[1]", style) == shown


@pytest.mark.parametrize(
    ("style", "shown"),
    [
        (MARKDOWN, "|  |  |\n| --- | --- |\n| Job | Hours |\n| Hive repair | 8 |\n\n[1]"),
        (TERMINAL, "Job          Hours\nHive repair  8\n[1]"),
    ],
)
def test_a_table_without_a_head_is_printed_as_one(style, shown):
    hit = replace(make_hit("Job | Hours\nHive repair | 8"), source_file="hours.xlsx")
    assert printed(Citation(1, hit.text, True, 1, 2, hit), "[1]", style) == shown
