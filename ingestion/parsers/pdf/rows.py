"""Rows that no rule parts in a table whose other cells are drawn: told by the lines that stand beside each other."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, combinations, groupby, pairwise

from ingestion.parsers.pdf.drawn_rules import Region
from ingestion.parsers.pdf.paragraphs import Line

SLACK = 2.0  # points
SPACE = 0.25  # of a line's height, between two words
MOST = 0.5  # of a cell's lines end before they have to
FEWEST_OF_FIRST = 4  # lines of the first row: names of columns stand in up to three, with the unit below, say
FEWEST_OF_WORDS = 4  # lines of a row with more words than numbers: a name and an address stand in up to three
FEWEST_BESIDE = 3  # lines, from which is told that there are rows
NUMBER = re.compile(r"[\W\d]*\d[\W\d]*|\S*\d\S*")  # or a code, such as A-10

Cell = tuple[Region, Sequence[Line]]


def with_rows_apart(cells: Sequence[Cell]) -> list[Cell]:
    """The cells, which come row by row, those of a row that holds several in as many rows."""
    rows = rows_of(cells)
    tops = [tops_of(row) for row in rows]
    starts = [*accumulate((max(len(each), 1) for each in tops), initial=0)]
    parts = [
        part for row, each in zip(rows, tops, strict=True) for cell in row for part in parts_of(cell, each, starts)
    ]
    return sorted(parts, key=lambda part: (part[0].row, part[0].column))


def are_mixed(cells: Sequence[Cell]) -> bool:
    """Whether a row holds several all the same, and it cannot be told which lines are whose."""
    return any(
        len(one) != len(other) and beside(one, other) >= FEWEST_BESIDE
        for row in rows_of(cells)
        for one, other in combinations([lines for region, lines in row if ended_early(region, lines) > MOST], 2)
    )


def has_hidden_columns(cells: Sequence[Cell]) -> bool:
    """Whether most cells of a column have lines in pieces that stand apart, as far as those of columns do."""
    gaps: dict[int, list[bool]] = {}
    for region, lines in cells:
        if lines and region.columns == 1:
            gaps.setdefault(region.column, []).append(any(line.has_gap for line in lines))
    return any(sum(each) > max(MOST * len(each), 1) for each in gaps.values())


def rows_of(cells: Sequence[Cell]) -> list[list[Cell]]:
    return [list(row) for _, row in groupby(cells, key=lambda cell: cell[0].row)]


def tops_of(row: Sequence[Cell]) -> list[float]:
    """Where the rows begin that it holds: where two cells have as many lines, each beside one of the other's, that
    ended before they had to, if half of the cells hold numbers, or the first one has as many. None where it is one row.
    """
    fewest = FEWEST_OF_FIRST if row[0][0].row == 0 else 2
    listed = [(lines, ended_early(*cell)) for cell in row if len(lines := cell[1]) >= fewest and cell[0].rows == 1]
    has_numbers = 2 * sum(are_numbers(lines) for lines, _ in listed) >= len(listed)
    for (one, share), (other, share_of_other) in combinations([each for each in listed if each[1]], 2):
        is_list = has_numbers or len(row[0][1]) == len(one) >= FEWEST_OF_WORDS
        if is_list and max(share, share_of_other) > MOST and len(one) == len(other) == beside(one, other):
            return [min(above.top, below.top) for above, below in zip(one, other, strict=True)]
    return []


def are_numbers(lines: Sequence[Line]) -> bool:
    return all(NUMBER.fullmatch(line.text) for line in lines)


def beside(one: Sequence[Line], other: Sequence[Line]) -> int:
    return sum(any(abs(line.top - each.top) < SLACK for each in other) for line in one)


def ended_early(region: Region, lines: Sequence[Line]) -> float:
    """How many of its lines leave room for the word that begins the next; numbers do, and a list of single words, in a
    column as wide as these.
    """
    if len(lines) < 2:
        return 0.0
    if are_numbers(lines) or (len(lines) >= FEWEST_OF_WORDS and all(len(line.text.split()) == 1 for line in lines)):
        return 1.0
    margin = min(min(line.left - region.left, region.right - line.right) for line in lines)
    room = region.right - region.left - 2 * max(margin, 0.0)
    early = [
        above.right - above.left + SPACE * above.height + first_word(below) < room and not goes_on(below, lines[0])
        for above, below in pairwise(lines)
    ]
    return sum(early) / len(early)


def goes_on(line: Line, first: Line) -> bool:
    """Whether it begins with a small letter, unlike the cell."""
    return line.goes_on and not first.goes_on


def first_word(line: Line) -> float:
    """Its width, about."""
    left, right, text = min(line.pieces)
    return (right - left) * len(text.split()[0]) / len(text)


def parts_of(cell: Cell, tops: Sequence[float], starts: Sequence[int]) -> Iterator[Cell]:
    """What it is of the rows that begin there, or reaches over, as what begins between them; `starts` tell the new
    number of each row.
    """
    region, lines = cell
    start, end = starts[region.row], starts[region.row + region.rows]
    is_between = bool(lines) and not any(abs(lines[0].top - top) < SLACK for top in tops)
    if not tops or region.rows > 1 or is_between:
        yield replace(region, row=start, rows=end - start), lines
        return
    own = [bisect_right(tops, line.top + SLACK) - 1 for line in lines]
    for at in range(len(tops)):
        yield (
            replace(region, row=start + at, rows=1),
            [line for line, place in zip(lines, own, strict=True) if max(place, 0) == at],
        )
