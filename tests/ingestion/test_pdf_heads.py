"""Names of columns that stand close in a PDF."""

from liteparse import AnnotationRect, LayoutCell

from ingestion.parsers.pdf.heads import with_names_apart


def cell(text: str, left: float, right: float, top: float) -> LayoutCell:
    return LayoutCell(text=text, bbox=AnnotationRect(left, top, right - left, 13))


ROWS = [[cell(text, at, at + 16, 264) for text, at in (("Wash", 96), ("no", 228), ("yes", 285.3), ("yes", 345.3))]]


def test_names_that_begin_above_their_columns_are_told_apart():
    close = cell("Standard Premium", 285.3, 393, 240)
    head = [LayoutCell(text="", bbox=None), cell("Basic", 228, 264, 240), close, close]
    assert [each.text for each in with_names_apart(head, ROWS)] == ["", "Basic", "Standard", "Premium"]


def test_a_name_across_columns_stays_whole():
    across = cell("Per day and boat", 285.3, 393, 240)
    head = [cell("Job", 96, 120, 240), cell("Basic", 228, 264, 240), across, across]
    assert with_names_apart(head, ROWS) == head
