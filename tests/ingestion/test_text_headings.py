"""Which lines of plain text are headings, and which are not."""

import pytest

from ingestion.documents import BlockKind
from ingestion.parsers import parse

BODY = "   The members lend tools to each other, and nobody\n   keeps one for longer than a week."


def titles(*paragraphs):
    document = parse("\n\n".join(paragraphs).encode(), "rules.txt")
    assert document.media_type == "text/plain"
    return [(block.level, block.title) for block in document.blocks if block.kind is BlockKind.HEADING]


OUTLINE = [
    "1. Introduction",
    BODY,
    "2. Bodies",
    "  2.1. General rules",
    BODY,
    "  2.2. Powers",
    BODY,
    "3. Members",
    BODY,
]


def test_numbers_that_ascend_as_sections_do_are_headings():
    appendix = ["A. Voting", BODY, "  A.0. Proposal", BODY, "B. Language", BODY]
    assert titles("Rules of the workshop", *OUTLINE, *appendix) == [
        (1, "1. Introduction"),
        (1, "2. Bodies"),
        (2, "2.1. General rules"),
        (2, "2.2. Powers"),
        (1, "3. Members"),
        (1, "A. Voting"),
        (2, "A.0. Proposal"),
        (1, "B. Language"),
    ]


def test_a_table_of_contents_is_not_the_outline():
    contents = [line for line in OUTLINE if line != BODY]
    found = titles("Contents", *contents, "Here it begins.", *OUTLINE)
    document = parse("\n\n".join(["Contents", *contents, "Here it begins.", *OUTLINE]).encode(), "rules.txt")
    first = next(block.line_start for block in document.blocks if block.kind is BlockKind.HEADING)

    assert len(found) == 5 and first > 2 * len(contents)


def test_a_list_in_a_section_stays_a_list():
    items = ["    1. Appoint a leader", "       Who leads is told.", "    2. Recall them", "       At any time."]
    listed = [*OUTLINE[:5], *items, *OUTLINE[5:]]
    assert titles(*listed) == titles(*OUTLINE)


@pytest.mark.parametrize(
    "paragraphs",
    [
        ["1. Saw", "2. Lathe", "3. Plane", "4. Brush"],  # items apart
        ["1. Saw", BODY, "2. Lathe", BODY, "3. Plane", BODY],  # items with what they say: no sections within sections
        ["1. Saw\n2. Lathe\n3. Plane"],
        ["1. Nobody keeps a tool.", BODY, "1.1. Nobody does.", BODY, "1.2. Never.", BODY, "2. Not even then.", BODY],
        ["1996 was good", BODY, "12.5 metres", BODY, "3.1 metres", BODY],
        ["1.  Saw    3 days", BODY, "1.1.  Lathe    1 day", BODY, "1.2.  Plane    1 day", BODY],
    ],
)
def test_what_may_be_a_list_or_a_table_has_no_headings(paragraphs):
    assert titles(*paragraphs) == []


def test_underlined_lines_of_equal_length_are_headings():
    margin = [" Rules\n =====", " To members.", " Days\n ----", " A week."]
    assert titles(*margin) == [(1, "Rules"), (2, "Days")]
    assert titles(" Tool   Days\n ===========", " Saw   3") == []
    assert titles(" Rules\n ====", " To members.") == []
    assert titles(" Like this:", "     Rules\n     =====", " and no other way.") == []


def test_lines_in_capitals_are_headings_where_each_has_a_text():
    assert titles("PREFACE", BODY, "HIGHLIGHTS", BODY, "COPYING", BODY) == [
        (1, "PREFACE"),
        (1, "HIGHLIGHTS"),
        (1, "COPYING"),
    ]


@pytest.mark.parametrize(
    "paragraphs",
    [
        ["PREFACE", BODY, "COPYING", BODY],  # too few
        ["PREFACE", "HIGHLIGHTS", "COPYING", BODY],
        ["PREFACE", "0041 0042", "HIGHLIGHTS", "0043", "COPYING", "0044"],
        ["PREFACE;0041", BODY, "HIGHLIGHTS;0042", BODY, "COPYING;0043", BODY],
    ],
)
def test_capitals_without_a_text_are_none(paragraphs):
    assert titles(*paragraphs) == []


def test_lines_at_the_margin_of_an_indented_text_are_headings():
    text = "\n".join([BODY] * 3)
    page = ["Closing reports", text, "Severity levels", text, "What tags say", text]
    assert titles(*page) == [(1, "Closing reports"), (1, "Severity levels"), (1, "What tags say")]
    assert titles(*[paragraph.strip() for paragraph in page]) == []


@pytest.mark.parametrize(("directive", "warnings"), [("", 0), (".. note:: Mind the saw.\n\n", 1)])
def test_only_a_text_with_explicit_markup_is_warned_about_as_rst(directive, warnings):
    banner = "*****\nRules\nof the workshop\n*****"
    document = parse(f"Lending\n=======\n\nTo members.\n\n{directive}{banner}\n".encode(), "rules.txt")

    assert document.media_type == "text/x-rst" and document.blocks[0].title == "Lending"
    assert len(document.warnings) == warnings


GUIDE = """ROUTER - QUICK GUIDE

1. LIGHTS

Power is green when it is on.

2. FIRST CONNECTION

Plug the cable in.

3. RESET

Press the pin hole."""


def test_numbers_without_parts_are_headings_where_all_are_in_capitals():
    assert titles(GUIDE) == [(1, "1. LIGHTS"), (1, "2. FIRST CONNECTION"), (1, "3. RESET")]
    assert not titles(GUIDE.replace("RESET", "Reset it"))


MANUAL = """DIFF(1)                User Commands                DIFF(1)

NAME
       diff - compare files line by line

SYNOPSIS
       diff [OPTION]... FILES

DESCRIPTION
       Compare FILES line by line.

       -q, --brief
              report only when files differ

diffutils 3.8              July 2021               DIFF(1)"""


def test_heads_above_what_stands_further_in_are_headings():
    assert titles(MANUAL) == [(1, "NAME"), (1, "SYNOPSIS"), (1, "DESCRIPTION")]
    blocks = parse(MANUAL.encode(), "diff.txt").blocks
    assert [(block.line_start, block.line_end) for block in blocks if block.kind is not BlockKind.HEADING][1:3] == [
        (4, 4),
        (7, 7),
    ]


@pytest.mark.parametrize("old", ["       Compare", "NAME", "SYNOPSIS"])
def test_other_first_lines_are_none(old):
    assert not titles(MANUAL.replace(old, old.strip().lower()))
