"""Words that stand apart on the page of a PDF and that liteparse has put side by side: prose below a table that it took
for rows, each line cut up into the columns; lines of columns beside each other, or of a box beside the text; heads of
tables that swallow a page.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from ingestion.parsers.pdf.blocks import Found
from ingestion.parsers.pdf.outline import key
from ingestion.parsers.pdf.paragraphs import LONGEST_CELL, Line, starts_small
from ingestion.parsers.pdf.spoken import Page, straight

FEWEST_WORDS = 6  # of a cell, from which is told whether they stand side by side
TOGETHER = 0.65  # of its words and their next ones, at least, in the cells of real tables
CUT = 0.5  # of a row's lines
WITH_GAPS = 0.2  # of them, as lines of several columns have
SLACK = 2.0  # points
# Neither formulas, which liteparse writes in TeX, nor what stands around them.
WORD = re.compile(r"[^\w\s|$\\^{}]*(?:[^\W\d_]{2,}(?:['-][^\W\d_]+)*|\d+)[^\w\s|$\\^{}]*")
FEWEST_PAIRS = {"table": 5, "paragraph": 12, "list_item": 12}  # names of points in drawings stand in any order
MIXED = 0.1  # of them, at most, stand apart in what is read in order: formulas and notes come between words
FEWEST_APART = 3  # pairs of a page
MOST_LETTERS = 50_000  # of a page that is looked through for each pair
TALLEST_HEAD = 4  # lines
SHORTEST_TITLE = 8  # letters and digits


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
    pairs = [are_neighbours(one, two, page) for one, two in pairwise(words)]
    return sum(pairs) >= TOGETHER * len(pairs)


def runs_across(line: Line, edge: float) -> bool:
    return any(left + SLACK < edge < right - SLACK for left, right, _ in line.pieces)


def is_mixed_up(found: Sequence[Found], page: Page) -> bool:
    """Whether blocks or cells put words side by side that stand apart on the page."""
    if len(page.plain) > MOST_LETTERS:
        return False
    return sum(apart(text, FEWEST_PAIRS[block.kind], page) for block, text in prose_of(found)) >= FEWEST_APART


def prose_of(found: Sequence[Found]) -> Iterator[tuple[Found, str]]:
    for block in found:
        if block.kind in FEWEST_PAIRS and not block.is_drawn:
            yield from ((block, cell) for row in block.rows or ((block.text,),) for cell in row)


def apart(text: str, fewest: int, page: Page) -> int:
    """How many neighbouring words stand apart on the page, if there are so many pairs and it is more than a few."""
    words = straight(text).split()
    pairs = [(one, two) for one, two in pairwise(words) if WORD.fullmatch(one) and WORD.fullmatch(two)]
    told = len(pairs) if len(pairs) >= fewest else 0
    torn = sum(not are_neighbours(one, two, page) for one, two in pairs) if told else 0
    return torn if torn > MIXED * told else 0


def are_neighbours(one: str, two: str, page: Page) -> bool:
    """With the hyphens at a line's end, or without."""
    return any(page.says(f"{a}{b}") for a in {one, one.removesuffix("-")} for b in {two, two.removesuffix("-")})


def unwoven(lines: Sequence[Line], page: Page) -> tuple[list[Line], list[Line]]:
    """The lines of a text, and those of a box that it runs around, which stand beside some of them: they begin in one
    place, and the page says either side by itself. None of a box in most texts.
    """
    sides = [sides_of(line) for line in lines]
    woven: dict[int, tuple[Line, Line]] = {}
    for at, (one, two) in enumerate(pairwise(sides)):
        if one and two and are_beside(one, two, page):
            woven |= {at: one, at + 1: two}
    place = min((box.left for _, box in woven.values()), default=0.0)
    if not any(runs_across(line, place) for at, line in enumerate(lines) if at not in woven):
        return list(lines), []
    text = [woven[at][0] if at in woven else line for at, line in enumerate(lines)]
    return text, [box for _, box in woven.values()]


def sides_of(line: Line) -> tuple[Line, Line] | None:
    if len(line.pieces) != 2:
        return None
    left, right = (
        replace(
            line,
            left=left,
            right=right,
            letters=sum(map(str.isalnum, text)),
            goes_on=starts_small(text),
            pieces=[(left, right, text)],
        )
        for left, right, text in sorted(line.pieces)
    )
    return left, right


def are_beside(one: tuple[Line, Line], two: tuple[Line, Line], page: Page) -> bool:
    is_prose = all(len(text.text.split()) > LONGEST_CELL for text, _ in (one, two))
    sides = zip(one, two, strict=True)
    return (
        is_prose
        and abs(one[1].left - two[1].left) < SLACK
        and all(are_neighbours(straight(above.text), straight(below.text), page) for above, below in sides)
    )


def is_swallowing(table: Any, lines: Sequence[Line], page: Page) -> bool:
    """Whether its head is none: taller than any, or with the title of a section in it."""
    if not table.header:
        return False
    heads = [key(cell.text) for cell in table.header]
    titles = (title for title in page.outline if len(title) >= SHORTEST_TITLE)
    return len(lines_of(table.header, lines)) > TALLEST_HEAD or any(
        title in head and title != head for title in titles for head in heads
    )
