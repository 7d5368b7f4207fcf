"""What belongs to a table with drawn cells and stands outside its rules."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from ingestion.parsers.pdf.drawn_rules import Grid, Region
from ingestion.parsers.pdf.paragraphs import Line, grouped, middle

SLACK = 2.0  # points
NEAR = 2.0  # heights of a line, within which it goes on with the rows
GAP = 0.5  # of its height, between the words of two columns
LONGEST_NAME = 3  # words, where the first row has one, too, as it has of prose beside the table
CLOSE = 3.0  # heights of the longest name of a row, within which it stands beside this


def whole(grid: Grid, free: Sequence[Any]) -> Grid | None:
    """The grid with names of its rows, with the line right above and the one right below that stand in its columns,
    such as names of these and totals; None where several do: the rules bound a part of a table.

    `free` is what stands in no grid, from above.
    """
    grid = with_names(grid, free)
    lefts, right = sorted({region.left for region in grid}), max(region.right for region in grid)
    top, bottom = grid[0].top, max(region.bottom for region in grid)
    words = [word for item in free for word in item.words or [item]]
    lines = grouped([word for word in words if lefts[0] <= word.x and word.x + word.width <= right])
    above = going_on([line for line in reversed(lines) if line.bottom < top + SLACK], lefts, top)
    below = going_on([line for line in lines if line.top > bottom - SLACK], lefts, bottom)
    if max(len(above), len(below)) > 1:
        return None
    moved = [replace(region, row=region.row + len(above)) for region in grid]
    last = max(region.row + region.rows for region in moved)
    edges = list(zip(lefts, [*lefts[1:], right], strict=True))
    heads = [Region(*edge, line.top - SLACK, top, at, 0) for line in above for at, edge in enumerate(edges)]
    feet = [Region(*edge, bottom, line.bottom + SLACK, at, last) for line in below for at, edge in enumerate(edges)]
    return [*heads, *moved, *feet]


def with_names(grid: Grid, free: Sequence[Any]) -> Grid:
    """The grid with a column for what stands left of each of its rows but the first, the one with their names."""
    left, bottom = min(region.left for region in grid), max(region.bottom for region in grid)
    rows = list(pairwise([*sorted({region.top for region in grid}), bottom]))
    beside = [item for item in free if item.x + item.width <= left]
    names = [[item for item in beside if top <= middle(item) < end and is_between(item, top, end)] for top, end in rows]
    if not all(names[1:]) or not any(is_close(item, left) for own in names for item in own):
        return grid
    if names[0] and max(sum(len(item.text.split()) for item in own) for own in names) > LONGEST_NAME:
        return grid
    start = min(item.x for own in names for item in own)
    column = [Region(start, left, top, end, 0, row) for row, (top, end) in enumerate(rows)]
    moved = [replace(region, column=region.column + 1) for region in grid]
    return sorted([*column, *moved], key=lambda region: (region.row, region.column))


def is_between(item: Any, top: float, bottom: float) -> bool:
    """Not at a rule, as the numbers of a chart's axis are."""
    return bool(top - SLACK <= item.y and item.y + item.height <= bottom + SLACK)


def is_close(item: Any, left: float) -> bool:
    return bool(left - item.x - item.width < CLOSE * item.height)


def going_on(lines: Sequence[Line], lefts: Sequence[float], edge: float) -> list[Line]:
    """Those that go on from this edge in the columns that begin there."""
    found = []
    for line in lines:
        is_near = min(abs(line.top - edge), abs(line.bottom - edge)) < NEAR * line.height
        if not is_near or not is_row(line, lefts):
            break
        found.append(line)
        edge = (line.top + line.bottom) / 2
    return found


def is_row(line: Line, lefts: Sequence[float]) -> bool:
    """Whether its words stand in several of the columns, with more room between these than in a sentence."""
    words = [(left, right, bisect_right(lefts, left + SLACK)) for left, right, _ in sorted(line.pieces)]
    between = [below[0] - above[1] for above, below in pairwise(words) if above[2] != below[2]]
    is_across = any(bisect_right(lefts, right - SLACK) > column for _, right, column in words)
    return bool(between) and min(between) > GAP * line.height and not is_across
