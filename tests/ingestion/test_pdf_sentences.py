"""Lines in the type of code, first lines of paragraphs and items, that are parts of sentences."""

from dataclasses import replace

import pytest

from ingestion.parsers.pdf.blocks import Found
from ingestion.parsers.pdf.outline import Bookmark, key
from ingestion.parsers.pdf.sentences import whole_sentences
from ingestion.parsers.pdf.spoken import Page
from tests.ingestion.test_pdf_outline import line

USUAL = 0.3  # heights between two lines of a sentence
FULL = "The most important of the files are control,"  # 44 letters, of 5 points each
ABOVE = [
    (0, "There are a number of files that you should"),
    (13, "edit, of which some are made by the program."),
    (26, FULL),
]


def block(kind: str, lines: list[tuple[float, str]]) -> Found:
    text = ("\n" if kind == "code" else " ").join(text for _, text in lines)
    return Found(kind, text, 0, "", (), 0, None, tuple(line(top, (72, text)) for top, text in lines))


def told(*given: tuple[str, list[tuple[float, str]]], usual: float | None = USUAL) -> list[tuple[str, str]]:
    whole = whole_sentences([block(*each) for each in given], Page("", {}), usual)
    return [(found.kind, found.text) for found in whole]


@pytest.mark.parametrize("kind", ["paragraph", "list_item"])
def test_a_line_of_code_that_goes_on_with_a_sentence_is_part_of_it(kind):
    code, after = [(39, "copyright, and rules, which all packages are")], [(52, "required to have.")]
    [(joined, text)] = told((kind, ABOVE), ("code", code), ("paragraph", after))

    assert joined == kind
    assert text.endswith(f"{FULL} copyright, and rules, which all packages are required to have.")


def test_a_line_of_code_that_a_sentence_goes_on_with_begins_it():
    code, after = "control and rules are to be there, and those", "of you who have more files need copyright."
    given = ("paragraph", ABOVE), ("code", [(60, code)]), ("paragraph", [(73, after)])
    assert told(*given)[1:] == [("paragraph", f"{code} {after}")]


@pytest.mark.parametrize(
    ("above", "code"),
    [
        (FULL, [(46, "copyright, and rules, which all packages are")]),  # farther below
        (f"{FULL[:-1]}。", [(39, "copyright, and rules, which all packages are")]),
        (f"{FULL[:-1]}:", [(39, "copyright, and rules, which all packages are")]),
        ("Call this:", [(39, "make install")]),
        ("Then call", [(39, "make install")]),  # not full
        (FULL, [(39, "$ make install")]),
        (FULL, [(39, "make"), (52, "make install")]),
    ],
)
def test_code_below_a_sentence_stays_code(above, code):
    kinds = [kind for kind, _ in told(("paragraph", [*ABOVE[:2], (26, above)]), ("code", code))]
    assert kinds == ["paragraph", "code"]


def test_nothing_is_joined_where_the_usual_room_is_not_known():
    given = ("paragraph", ABOVE), ("code", [(39, "copyright, and rules")])
    assert len(told(*given, usual=None)) == 2


FIRST = "In this part of the book it is said what all"
REST = [(73, "of the files are for, and which of them are to"), (86, "be there in each of the packages.")]


@pytest.mark.parametrize(("kind", "whole"), [("heading", "paragraph"), ("paragraph", "paragraph"), ("list_item",) * 2])
def test_a_first_line_that_was_taken_for_a_heading_or_a_paragraph_of_its_own_begins_the_sentence(kind, whole):
    given = ("paragraph", ABOVE), (kind, [(60, FIRST)]), ("paragraph", REST)
    assert told(*given)[1:] == [(whole, " ".join([FIRST, *(text for _, text in REST)]))]


@pytest.mark.parametrize(
    ("heading", "rest"),
    [
        ([(60, "What all of the files are for")], REST),  # not full
        ([(60, f"{FIRST[:-1]}:")], REST),
        ([(60, FIRST)], [(73, REST[0][1].title()), REST[1]]),  # begins with a capital
        ([(60, FIRST)], [(80, REST[0][1]), (93, REST[1][1])]),  # farther below
        ([(47, "1.2 Packages"), (60, FIRST)], REST),
    ],
)
def test_a_heading_above_what_begins_with_a_small_letter_stays_one(heading, rest):
    assert [kind for kind, _ in told(("paragraph", ABOVE), ("heading", heading), ("paragraph", rest))][1] == "heading"


def test_a_heading_that_is_larger_or_a_line_of_pieces_or_named_by_a_bookmark_stays_one():
    first, rest = line(60, (72, FIRST)), block("paragraph", REST)
    above, outline = block("paragraph", ABOVE), {key(FIRST): Bookmark(1, FIRST)}
    heading = Found("heading", FIRST, 1, "", (), 0, None, (first,))
    pieces = replace(heading, lines=(line(60, (72, "In this part of"), (180, FIRST[16:])),))
    larger = replace(heading, lines=(replace(first, top=55.0),))

    assert kinds_of(above, heading, rest) == ["paragraph", "paragraph"]
    assert kinds_of(above, pieces, rest) == kinds_of(above, larger, rest) == ["paragraph", "heading", "paragraph"]
    assert kinds_of(above, heading, rest, outline=outline) == ["paragraph", "heading", "paragraph"]


def kinds_of(*found: Found, outline: dict[str, Bookmark] | None = None) -> list[str]:
    return [each.kind for each in whole_sentences(found, Page("", outline or {}), USUAL)]
