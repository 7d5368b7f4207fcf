"""Columns of prose beside each other, the lines of one a little higher than those of the other."""

from types import SimpleNamespace

import pytest
from liteparse import AnnotationRect, LayoutBlock

from ingestion.parsers.pdf.columns import in_columns
from ingestion.parsers.pdf.paragraphs import from_above
from ingestion.parsers.pdf.spoken import Page

LEFT = [
    "Seven crates of copper pipe came on Monday from Lisbon and they stand",
    "in bay four of the old hall at the gate until the customs papers",
    "have been signed.",
]
RIGHT = [
    "Two lorries with glass left for Porto on Tuesday morning while the",
    "drivers of both of them took the long road along the coast because",
    "the bridge was closed for all of it.",
]


def items(texts: list[str], left: float, top: float, height: float = 9.0) -> list[SimpleNamespace]:
    return [
        SimpleNamespace(x=left, y=top + 12 * at, width=240.0, height=height, text=text) for at, text in enumerate(texts)
    ]


def block(kind: str, own: list[SimpleNamespace]) -> LayoutBlock:
    """As liteparse makes it of them: a heading's box is that of its first line."""
    boxed = own[:1] if kind == "heading" else own
    left, top = min(item.x for item in boxed), min(item.y for item in boxed)
    right, bottom = max(item.x + item.width for item in boxed), max(item.y + item.height for item in boxed)
    box = AnnotationRect(left, top, right - left, bottom - top)
    return LayoutBlock(kind=kind, text=" ".join(item.text for item in own), bbox=box)


def page(said: list[str]) -> list[str]:
    """The texts of the blocks of a page with both columns, between a line across both and a heading below."""
    intro, closing = items(["An introduction across the page"], 34, 60), items(["Closing"], 34, 200)
    intro[0].width = 520.0
    titles = from_above(items(["Arrivals"], 34, 96) + items(["Departures"], 312, 90))
    prose = from_above(items(LEFT, 34, 120) + items(RIGHT, 312, 114))
    blocks = [block("paragraph", intro), block("heading", titles), block("paragraph", prose), block("heading", closing)]
    told = in_columns(blocks, from_above([*intro, *titles, *prose, *closing]), Page("\n".join(said), {}))
    return [str(each.text) for each in told]


def test_columns_that_the_page_says_one_after_the_other_are_read_so():
    assert page([*LEFT, *RIGHT]) == [
        *("An introduction across the page", "Arrivals", " ".join(LEFT), "Departures", " ".join(RIGHT), "Closing")
    ]


@pytest.mark.parametrize("at", [1, 2])
def test_rows_that_the_page_says_one_after_the_other_stay_together(at):
    said = [*LEFT[:at], *RIGHT[:at], *LEFT[at:], *RIGHT[at:]]
    assert len(page(said)) == 4
