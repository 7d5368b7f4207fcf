"""Tables of a PDF whose cells are bounded by drawn rules: the words of each cell by where it is drawn, whatever was
told from their places alone.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, takewhile
from typing import Any

from liteparse import AnnotationRect, LayoutBlock

from ingestion.documents import union
from ingestion.parsers.pdf.beyond import whole
from ingestion.parsers.pdf.blocks import Found
from ingestion.parsers.pdf.drawn_rules import Grid, Region
from ingestion.parsers.pdf.outline import key
from ingestion.parsers.pdf.paragraphs import Line, from_above, grouped, is_within, middle
from ingestion.parsers.pdf.placed import overlap
from ingestion.parsers.pdf.rows import Cell, are_mixed, has_hidden_columns, rows_of, with_rows_apart
from ingestion.parsers.pdf.spoken import Page, squeezed
from ingestion.parsers.tables import MOST_HEADER_ROWS, heads_of, is_told_by_rows
from knowledge.texts.tables.spans import laid_out

SLACK = 2.0  # points
ACROSS = 0.1  # of the words, at most, stand across a rule: more do where lines of a drawing cross a text
FILLED = 0.5  # of the rows and of the columns, at least, have words
LONGEST_CELL = 40  # words, of half of the cells at least: those of layouts have more, and those across a form
HYPHENATED = re.compile(r"(\w)-\n(\w)")
OPEN_END = re.compile(r"\d-\n[^\W\d_]{2}")  # such as that of “2022-”, below which another entry begins

Words = dict[Region, list[Any]]


@dataclass
class RuledTable(LayoutBlock):
    """A table by its drawn cells, row by row, each with the lines in it; how many of its rows are its head. It has the
    level of a heading that stands in its first cell, and no text, as no table of liteparse's has: it does not run.
    """

    cells: Sequence[Cell] = ()
    header_rows: int = 0

    @property
    def drawn_lines(self) -> list[Line]:
        return sorted((line for _, lines in self.cells for line in lines), key=lambda line: (line.top, line.left))

    def read(self, page: Page) -> Iterator[Found]:
        """What stands across all columns above their names, and the table."""
        rows = [
            [(in_one_line(lines, page), region.columns, region.rows) for region, lines in row]
            for row in rows_of(self.cells)
        ]
        header_rows = self.header_rows
        if len(rows[0]) == 1:
            [(title, *_)], *rows = rows
            header_rows = max(header_rows - 1, 0)
            kind, box = "heading" if self.level else "paragraph", union([line.box for line in self.cells[0][1]])
            yield Found(kind, title, self.level or 0, "", (), 0, box)
        said = "\n".join(" ".join(text for text, *_ in row) for row in rows)
        left, top, width, height = self.bbox.x, self.bbox.y, self.bbox.width, self.bbox.height
        box = round(left, 1), round(top, 1), round(left + width, 1), round(top + height, 1)
        laid = tuple(map(tuple, laid_out(rows)))
        yield Found("table", said, 0, "", laid, header_rows, box, tuple(self.drawn_lines), is_drawn=True)


def in_one_line(lines: Sequence[Line], page: Page) -> str:
    texts: list[str] = []
    for line in lines:
        if texts and is_compound(texts[-1], line.text):
            texts[-1] += line.text
        else:
            texts.append(line.text)
    return " ".join(page.lines(texts).split("\n"))


def is_compound(above: str, below: str) -> bool:
    """Whether a hyphen between two lines is part of a code or a name, such as of `AB-17` and `Anne-Marie`."""
    ends = HYPHENATED.search(f"{above}\n{below}")
    if not ends or OPEN_END.search(f"{above}\n{below}"):
        return False
    before, after = ends.groups()
    return before.isdigit() or after.isdigit() or before.isupper() != after.isupper()


def tables_in(grids: Sequence[Grid], items: Sequence[Any], blocks: Sequence[Any]) -> list[RuledTable]:
    """The tables of a page with these grids, from above; of those within a cell of another, none."""
    held = {id(item) for grid in grids for item in items_in(grid, items)}
    free = [item for item in items if id(item) not in held]
    tables: list[RuledTable] = []
    for grid in filter(None, (whole(grid, free) for grid in grids)):
        table = table_in(grid, items, blocks)
        if table and not any(overlap(table.bbox, outer.bbox) for outer in tables):
            tables.append(table)
    return tables


def items_in(grid: Grid, items: Sequence[Any]) -> list[Any]:
    """Those that stand in it; they come from above."""
    box = bounds(grid)
    first, last = bisect_left(items, box.y, key=middle), bisect_right(items, box.y + box.height, key=middle)
    return [item for item in items[first:last] if is_within(item, box)]


def bounds(grid: Grid) -> AnnotationRect:
    left, top = min(region.left for region in grid), grid[0].top
    right, bottom = max(region.right for region in grid), max(region.bottom for region in grid)
    return AnnotationRect(left, top, right - left, bottom - top)


def holds_words(grid: Grid, items: Sequence[Any]) -> bool:
    """Whether something stands in so many of its rows: in those of charts nothing does."""
    regions = [region for item in items_in(grid, items) if (region := region_of(item, middle(item), grid))]
    rows = {row for region in regions for row in range(region.row, region.row + region.rows)}
    return len(rows) >= FILLED * max(region.row + region.rows for region in grid)


def table_in(grid: Grid, items: Sequence[Any], blocks: Sequence[Any]) -> RuledTable | None:
    """None where the words are not such as stand in a table's cells, or the table lies on its side."""
    own = items_in(grid, items)
    if 2 * sum(item.rotation % 360 != 0 for item in own) > len(own):
        return None
    words = words_in(grid, own)
    across = [sticks_out(part, region) for region, parts in words.items() for part in parts]
    cells = with_rows_apart([(region, grouped(from_above(parts))) for region, parts in words.items()])
    is_bounded = sum(across) <= ACROSS * len(across) and not are_mixed(cells) and not has_hidden_columns(cells)
    if not is_bounded or not are_cells(cells):
        return None
    return RuledTable(
        "table",
        level=level_of(cells[0], blocks),
        bbox=bounds(grid),
        cells=cells,
        header_rows=heads_in(words, own) or heads_by(blocks, cells),
    )


def level_of(cell: Cell, blocks: Sequence[Any]) -> int | None:
    """Of the heading that says the same, if any does."""
    said = key("".join(line.text for line in cell[1]))
    return next((block.level for block in blocks if block.kind == "heading" and key(block.text or "") == said), None)


def words_in(grid: Grid, items: Sequence[Any]) -> Words:
    words: Words = {region: [] for region in grid}
    for item in items:
        region = region_of(item, middle(item), grid)
        parts = [(region, item)] if region and not sticks_out(item, region) else parts_of(item, grid)
        for place, part in parts:
            words[place].append(part)
    return words


def parts_of(item: Any, grid: Grid) -> Iterator[tuple[Region, Any]]:
    """What an item across rules says in each cell; all of it in the one where it begins if its words, as those of some
    formulas, say something else.
    """
    places, end = [], 0
    for word in item.words:
        start = item.text.find(word.text, end)
        end = start + len(word.text)
        region = region_of(word, middle(item), grid) or nearest(word.x + word.width / 2, middle(item), grid)
        places.append((region, word, start, end))
    parts = []
    for region, group in groupby(places, key=lambda place: place[0]):
        own = list(group)
        (_, first, start, _), (_, last, _, end) = own[0], own[-1]
        width = last.x + last.width - first.x
        parts.append((region, replace(item, text=item.text[start:end], x=first.x, width=width)))
    is_whole = squeezed("".join(part.text for _, part in parts)) == squeezed(item.text)
    yield from parts if is_whole else [(nearest(item.x + SLACK, middle(item), grid), item)]


def nearest(across: float, height: float, grid: Grid) -> Region:
    """The one that holds the place, or which it is beside."""
    return min(
        grid,
        key=lambda region: (
            max(region.left - across, across - region.right, 0.0)
            + max(region.top - height, height - region.bottom, 0.0)
        ),
    )


def region_of(word: Any, height: float, grid: Grid) -> Region | None:
    begun = grid[: bisect_right(grid, height, key=lambda region: region.top)]
    return next((region for region in reversed(begun) if region.holds(word.x + word.width / 2, height)), None)


def sticks_out(item: Any, region: Region) -> bool:
    return bool(item.x < region.left - SLACK or item.x + item.width > region.right + SLACK)


def are_cells(cells: Sequence[Cell]) -> bool:
    """Whether so many of them have words, and some beside each other, as in a table; not as in a chart, a frame, or
    boxes of prose.
    """
    filled = [region for region, lines in cells if lines]
    rows = {row for region in filled for row in range(region.row, region.row + region.rows)}
    columns = {column for region in filled for column in range(region.column, region.column + region.columns)}
    counts = [(region, sum(len(line.text.split()) for line in lines)) for region, lines in cells]
    long = [(region, count) for region, count in counts if count > LONGEST_CELL]
    across = sum(count for region, count in long if set(range(region.columns)) >= columns)
    return (
        2 * len(long) <= len(filled)
        and 2 * across <= sum(count for _, count in counts)
        and is_told_by_rows([region for region in filled if region.row == row] for row in rows)
        and len(rows) >= FILLED * max(region.row + region.rows for region, _ in cells)
        and len(columns) >= FILLED * max(region.column + region.columns for region, _ in cells)
    )


def heads_in(words: Words, items: Sequence[Any]) -> int:
    """How many rows of a table have letters of their own, by type or colour, first column aside; a title across it
    goes with the next row. What stands across rules has those of its first word, such as of a label: it makes one.
    """
    whole = set(map(id, items))
    styles = [Counter[Any]() for _ in range(max(region.row for region in words) + 1)]
    told: set[int] = set()
    for region, parts in words.items():
        if region.column:
            styles[region.row].update((part.font_name, part.fill_color) for part in parts)
            told |= {region.row for part in parts if id(part) in whole}
    usual = {style for style, _ in sum(styles[1:], Counter[Any]()).most_common(1)}
    begin = 0 if styles[0] else 1
    own = [bool(style) and not style.keys() & usual and at in {begin, *told} for at, style in enumerate(styles)]
    heads = sum(takewhile(bool, own[begin:]))
    return begin + heads if 0 < heads <= MOST_HEADER_ROWS - begin else 0


def heads_by(blocks: Sequence[Any], cells: Sequence[Cell]) -> int:
    """Of how many rows the head is where liteparse's table has one in its first row."""
    first, *_ = rows_of(cells)
    row = first[0][0]
    tops = [cell.bbox.y for block in blocks for cell in block.header or () if cell.bbox]
    is_headed = any(row.top - SLACK <= top < row.bottom for top in tops)
    return heads_of([("", region.columns, region.rows) for region, _ in first]) if is_headed else 0
