"""Tables that go on below the end of a page, or of a part of them, without their head."""

import pytest

from ingestion.parsers import pdf
from ingestion.parsers.writing import Writer
from tests.ingestion.pdfs import make_pdf

HEAD = ("Branch", "Head", "Status", "Ext.")
ROWS = [("Oslo 31", "Dan Wu Li", "by phone", "131"), ("Berlin 32", "Anna Berg", "open", "132")]
OTHERS = [("Graz 33", "Ben Ito", "open", "133"), ("Lyon 34", "Cara Diaz", "closed", "134")]
BOX = (72.0, 80.0, 500.0, 200.0)
LOWER = (72.0, 205.0, 498.0, 300.0)


def heads(monkeypatch, *tables, between=""):
    """The heads of tables that are read so: page, box, rows, how many of them are known to be the head."""
    pages = max(page for page, *_ in tables)

    def write(page, layout, writer: Writer, is_form: bool) -> None:
        for number, box, rows, header_rows in tables:
            if number == writer.page:
                writer.box = box
                writer.table(rows, header_rows)
                if between:
                    writer.paragraph(between)

    monkeypatch.setattr(pdf, "write_page", write)
    return [
        block.header
        for block in pdf.parse(make_pdf([[(72, 100, 11, "x")]] * pages), "a.pdf").blocks
        if block.kind.name == "TABLE"
    ]


FIRST = (1, BOX, [HEAD, *ROWS], 1)
TOLD = " | ".join(HEAD)


def test_a_table_that_goes_on_on_the_next_pages_has_the_head_of_its_first(monkeypatch):
    assert heads(monkeypatch, FIRST, (2, BOX, OTHERS, 0), (3, BOX, OTHERS, 0)) == [TOLD] * 3
    assert heads(monkeypatch, (1, BOX, [HEAD, *ROWS], 0), (2, BOX, OTHERS, 0)) == ["", TOLD]


def test_a_part_of_a_table_right_below_another_has_its_head(monkeypatch):
    assert heads(monkeypatch, FIRST, (1, LOWER, OTHERS, 0)) == [TOLD, TOLD]
    assert heads(monkeypatch, FIRST, (1, LOWER, [("Item", "Price", "Stock", "Place"), *OTHERS], 0)) == [TOLD, ""]


@pytest.mark.parametrize(
    "other",
    [
        (3, BOX, OTHERS, 0),
        (2, (200.0, 80.0, 500.0, 200.0), OTHERS, 0),
        (2, (72.0, 80.0, 300.0, 200.0), OTHERS, 0),
        (2, BOX, [row[:3] for row in OTHERS], 0),
        (1, (72.0, 400.0, 500.0, 500.0), OTHERS, 0),
    ],
)
def test_another_table_has_none(monkeypatch, other):
    assert heads(monkeypatch, FIRST, other) == [TOLD, ""]


def test_a_table_below_text_has_none(monkeypatch):
    assert heads(monkeypatch, FIRST, (2, BOX, OTHERS, 0), between="Prices are valid for a year.") == [TOLD, ""]
