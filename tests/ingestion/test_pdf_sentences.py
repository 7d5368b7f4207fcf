"""Lines in the type of code that are parts of sentences, beside lines that are code."""

import pytest

from ingestion.parsers.pdf.blocks import Found
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
