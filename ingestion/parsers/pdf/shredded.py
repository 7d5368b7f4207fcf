"""Prose below a table of a PDF that liteparse took for rows of it, each line cut up into the columns."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ingestion.parsers.pdf.paragraphs import Line
from ingestion.parsers.pdf.spoken import Page

FEWEST_WORDS = 6  # of a cell, from which is told whether they stand side by side
TOGETHER = 0.65  # of its words and their next ones, at least, in the cells of real tables
CUT = 0.5  # of a row's lines
WITH_GAPS = 0.2  # of them, as lines of several columns have
SLACK = 2.0  # points


def is_shredded(row: Sequence[Any], lines: Sequence[Line], page: Page) -> bool:
    """Whether the words of a cell stand apart on the page, and the row's lines run on across the columns' edges."""
    own = lines_of(row, lines)
    edges = [cell.bbox.x for cell in row if cell.bbox and cell.text.strip()][1:]
    cut = sum(any(runs_across(line, edge) for edge in edges) for line in own)
    if cut <= CUT * len(own) or sum(line.has_gap for line in own) > WITH_GAPS * len(own):
        return False
    return not all(is_together(cell.text, page) for cell in row)


def lines_of(row: Sequence[Any], lines: Sequence[Line]) -> list[Line]:
    boxes = [cell.bbox for cell in row if cell.bbox]
    top = min((box.y for box in boxes), default=0.0)
    bottom = max((box.y + box.height for box in boxes), default=0.0)
    return [line for line in lines if top <= (line.top + line.bottom) / 2 < bottom]


def is_together(text: str, page: Page) -> bool:
    words = text.split()
    if len(words) < FEWEST_WORDS:
        return True
    pairs = [page.says(one + two) or page.says(one.removesuffix("-") + two) for one, two in pairwise(words)]
    return sum(pairs) >= TOGETHER * len(pairs)


def runs_across(line: Line, edge: float) -> bool:
    return any(left + SLACK < edge < right - SLACK for left, right, _ in line.pieces)
