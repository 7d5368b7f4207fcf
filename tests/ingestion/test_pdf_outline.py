"""Headings that bookmarks name, whatever the page's layout was taken for."""

import pytest

from ingestion.documents import BlockKind
from ingestion.parsers import parse
from ingestion.parsers.pdf.blocks import Found, with_bookmarks
from ingestion.parsers.pdf.outline import Bookmark, bookmarked, is_running_title, joined, key
from ingestion.parsers.pdf.paragraphs import Line
from ingestion.parsers.pdf.spoken import Page
from tests.ingestion.pdfs import make_pdf

LATHE = "Must I stop the lathe in order to clean it?"
SHAVINGS = "Do I have to keep all those shavings on my workbench?"
BODY = ["Sentence one says something of its own, which no other", "page says, and goes on for a line."]


def outline_of(*titles, level=2):
    return {key(title): Bookmark(level, title) for title in titles}


def line(top, *pieces):
    """A line of pieces with where they begin, in points."""
    placed = [(left, left + 5.0 * len(text), text) for left, text in pieces]
    letters = sum(character.isalnum() for _, text in pieces for character in text)
    return Line(placed[0][0], top, placed[-1][1], top + 10, letters, pieces[0][1][0].islower(), placed)


def table(rows, lines):
    text = "\n".join(" ".join(row) for row in rows)
    return Found("table", text, 0, "", tuple(map(tuple, rows)), 1, (57, 100, 500, 200), tuple(lines))


def told(found, outline, text=""):
    return [(block.kind, block.text) for block in with_bookmarks(found, Page(text, outline), 0.2)]


HANGING = table(
    [["9.2", LATHE], ["No. The", "bigger ones run on for a while."], ["Note 9.3 To", "Do I have to keep …"]],
    [
        line(100, (57, "9.2"), (91, LATHE)),
        line(120, (57, "No. The bigger ones run on for a while after they are swit-")),
        line(132, (57, "ched off.")),
        line(150, (57, "9.3"), (91, "Do I have to keep all those shavings on my work-")),
        line(162, (91, "bench?")),
        line(180, (57, "- the coarse ones")),
        line(192, (57, "- the fine ones")),
    ],
)


def test_a_hanging_number_makes_no_table_of_a_section():
    spoken = "No. The bigger ones run on for a while after they are switched off."
    assert told([HANGING], outline_of(LATHE, SHAVINGS), spoken) == [
        ("heading", f"9.2 {LATHE}"),
        ("paragraph", "No. The bigger ones run on for a while after they are switched\noff."),
        ("heading", f"9.3 {SHAVINGS}"),
        ("list_item", "- the coarse ones"),
        ("list_item", "- the fine ones"),
    ]


def test_a_table_stays_one_where_the_bookmark_is_a_heading_already():
    heading = Found("heading", f"9.2 {LATHE}", 4, "", (), 0, None)
    assert told([heading, HANGING], outline_of(LATHE)) == [("heading", heading.text), ("table", HANGING.text)]


def test_a_table_with_columns_stays_one_above_and_below_a_title_in_it():
    rows = [["Tool", "Days"], ["Saw", "3"], ["Heavy tools", ""], ["Lathe", "1"]]
    lines = [
        line(100 + 12 * at, *((57 + 100 * n, cell) for n, cell in enumerate(row) if cell))
        for at, row in enumerate(rows)
    ]
    found = with_bookmarks([table(rows, lines)], Page("", outline_of("Heavy Tools")), 0.2)

    assert [(block.kind, block.rows or block.text, block.header_rows) for block in found] == [
        ("table", (("Tool", "Days"), ("Saw", "3")), 1),
        ("heading", "Heavy tools", 0),
        ("table", (("Lathe", "1"),), 0),
    ]


def test_a_numbered_line_of_code_is_a_heading_where_a_bookmark_says_so():
    code = Found("code", "make clean\n5.3 rules.ex\nrules", 0, "", (), 0, None)
    assert told([code], outline_of("rules.ex", "rules")) == [
        ("code", "make clean"),
        ("heading", "5.3 rules.ex"),
        ("code", "rules"),
    ]


def test_the_code_above_a_title_is_none_of_it():
    code = Found("code", "make clean\nmake\n5.3 rules.ex\nrules", 0, "", (), 0, None)
    assert told([code], outline_of("5.3 rules.ex")) == [
        ("code", "make clean\nmake"),
        ("heading", "5.3 rules.ex"),
        ("code", "rules"),
    ]


def test_chapter_and_its_number_begin_the_title_below():
    above = [Found("heading", text, 1, "", (), 0, None) for text in ("CHAPTER", "ONE", "SCOPE OF THE RULES", "Foo")]
    assert told(above, outline_of("Scope of the Rules")) == [
        ("heading", "CHAPTER ONE SCOPE OF THE RULES"),
        ("heading", "Foo"),
    ]


@pytest.mark.parametrize("text", ["Docs", "5.7 Docs", "5.7. docs", "A.1 Docs", "IV Docs", "Chapter 2. Docs", "(Docs)"])
def test_a_title_is_known_with_its_number_and_without(text):
    assert bookmarked(text, outline_of("Docs"))


@pytest.mark.parametrize("text", ["Docs of ours", "5.7 Docs 3", "Figure 2. Docs", "5.7", ""])
def test_what_says_more_is_no_title(text):
    assert bookmarked(text, outline_of("Docs")) is None


def test_the_bookmark_tells_a_hyphen_that_belongs_to_the_word():
    lines = ["I know that Mint is Debian-", "based, so why does it com-", "pile nothing?"]
    title = "I know that Mint is Debian-based, so why does it compile nothing?"
    assert joined(lines, title) == title


@pytest.mark.parametrize(
    ("text", "running"),
    [
        ("2.3. Registering a tool 7", True),
        ("6 Chapter 2. Registering a tool", True),
        ("CHAPTER 2. REGISTERING A… 2.4. WHO MAY LEND…", True),
        ("CHAPTER 2. REGISTERING A… 2.4. WHO MAY…", False),  # too short to be known by
        ("2.3. Registering a tool", False),
        ("2 Registering a tool", False),  # a chapter's title at the top of its page
        ("Rules of 2012", False),
        ("We see … in it", False),
    ],
)
def test_a_title_beside_the_page_number_is_a_running_head(text, running):
    titles = frozenset(map(key, ["Registering a tool", "Who may lend tools", "Rules of 2012"]))
    assert is_running_title(text, titles) is running


def bookmarks(titles, page=1):
    """An outline in the catalog, each entry in the one before it."""
    written = ""
    for title in reversed(titles):
        written = f"<< /Title ({title}) /Dest [{2 + 2 * page} 0 R /Fit] {written and '/Next ' + written} >>"
    return f"/Outlines << /First {written} >>"


def test_headings_of_a_pdf_are_those_of_its_bookmarks_and_running_titles_go():
    page = [
        *[(72, 130, 11, "3.1 The stable tools really are old. Just look at"), (110, 143, 11, "the saw. Why is it so?")],
        *[(72, 180 + 14 * at, 11, text) for at, text in enumerate(BODY)],
        *[(72, 240, 14, "3.2 Which tools?"), *[(72, 270 + 14 * at, 11, text) for at, text in enumerate(BODY)]],
        (72, 820, 11, "3.2. Which tools? 7"),
    ]
    titles = ["The stable tools really are old. Just look at the saw. Why is it so?", "Which tools?"]
    document = parse(make_pdf([page], catalog=bookmarks(titles)), "rules.pdf")

    assert [(block.level, block.title) for block in document.blocks if block.kind is BlockKind.HEADING] == [
        (1, f"3.1 {titles[0]}"),
        (1, "3.2 Which tools?"),
    ]
    assert "tools? 7" not in document.text


def test_labels_of_notes_and_sentences_are_no_headings_beside_bookmarks():
    large = ["Lending", "Note", "Saws", "as told in the guide of the house."]
    body = [[(72, 140 + 120 * at + 14 * n, 11, text) for n, text in enumerate(BODY)] for at in range(4)]
    page = [part for at, title in enumerate(large) for part in ((72, 100 + 120 * at, 20, title), *body[at])]
    document = parse(make_pdf([page], catalog=bookmarks(["Lending"])), "rules.pdf")

    assert [block.title for block in document.blocks if block.kind is BlockKind.HEADING] == ["Lending", "Saws"]
    assert all(title in document.text for title in large)
