"""Pieces of a PDF's tables and code that liteparse took for blocks of their own, put back to where they stand; and
headings that it took for the head of the table below.
"""

from collections.abc import Sequence
from dataclasses import replace
from statistics import median
from typing import Any

from ingestion.parsers.pdf.layout import Layout
from ingestion.parsers.pdf.paragraphs import LONGEST_CELL, Line, room
from ingestion.parsers.pdf.shredded import lines_of, runs_across
from knowledge.texts.tables.readers import names_columns

SLACK = 2.0  # points
CLOSE = 0.5  # of a line's height: more room is left between no lines of a cell
LARGER = 1.2  # times the height of the table's lines
FEWEST_ROWS = 3  # of a table to which a column is put

Piece = tuple[Any, Sequence[Line]]  # a block, and its lines


def with_pieces(page: Layout) -> Layout:
    """The page with lines of code in the code around them, with the rest of a cell in it, and with columns of tables in
    these.
    """
    kept: list[Piece] = []
    for piece in zip(page.blocks, page.lines, strict=True):
        wholes = ((at, together(whole, piece)) for at, whole in enumerate(kept))
        at, whole = next(((at, whole) for at, whole in wholes if whole), (len(kept), piece))
        kept[at : at + 1] = [whole]
    parts = [part for piece in kept for part in with_heading_apart(piece, kept)]
    return replace(page, blocks=[block for block, _ in parts], lines=[lines for _, lines in parts])


def with_heading_apart(piece: Piece, every: Sequence[Piece]) -> list[Piece]:
    """A table whose head is one large line across its columns as a heading and the table below it."""
    block, lines = piece
    title = lines_of(block.header, lines) if block.header and block.rows else []
    rest = [line for line in lines if line not in title]
    edges = [cell.bbox.x for cell in block.header or () if cell.bbox][1:]
    if len(title) != 1 or not rest or not edges or not all(runs_across(title[0], edge) for edge in edges):
        return [piece]
    if title[0].height < LARGER * median(line.height for line in rest):
        return [piece]
    heading = replace(
        block, kind="heading", text=title[0].text, level=level_of(title[0], every), header=None, rows=None
    )
    first, *rows = block.rows
    is_head = bool(rows) and names_columns([cell.text for cell in first], [cell.text for cell in rows[0]])
    table = replace(block, header=first if is_head else None, rows=rows if is_head else block.rows)
    return [(heading, title), (table, rest)]


def level_of(title: Line, every: Sequence[Piece]) -> int:
    """That of the page's heading that is nearest to it in size."""
    headings = [(block.level, lines[0].height) for block, lines in every if block.kind == "heading" and lines]
    return min(headings, key=lambda heading: abs(heading[1] - title.height), default=(2, 0.0))[0] or 2


def together(whole: Piece, piece: Piece) -> Piece | None:
    """Both as one; None where the piece is none of it."""
    (block, lines), (other, others) = whole, piece
    if not others or block.bbox is None or other.bbox is None:
        return None
    if block.kind == other.kind == "code" and is_within(other.bbox, block.bbox):
        return with_code(whole, piece)
    if not block.rows or other.kind not in ("paragraph", "code"):
        return None
    rows = with_text(block, lines, other, others) or with_column(block, others)
    if rows is None:
        return None
    header, *body = rows if block.header else [None, *rows]
    told = replace(block, header=header, rows=body, bbox=around(block.bbox, other.bbox))
    return told, sorted([*lines, *others], key=lambda line: line.top)


def with_code(whole: Piece, piece: Piece) -> Piece | None:
    (block, lines), (other, others) = whole, piece
    if len(block.lines or ()) != len(lines) or len(other.lines or ()) != len(others):
        return None
    both = [*zip(block.lines, lines, strict=True), *zip(other.lines, others, strict=True)]
    both.sort(key=lambda pair: pair[1].top)
    return replace(block, lines=[text for text, _ in both]), [line for _, line in both]


def with_text(table: Any, own: Sequence[Line], text: Any, lines: Sequence[Line]) -> list[list[Any]] | None:
    """The rows, with the text in the cell around it, with which it goes on; None where it does with none."""
    above = [line for line in own if line.bottom <= lines[0].top + SLACK]
    if not above or not goes_on(above[-1], lines[0]):
        return None
    rows = rows_of(table)
    said = " ".join(line.text for line in lines)
    for at, row in enumerate(rows):
        for column, cell in enumerate(row):
            if cell.bbox and cell.bbox.y <= above[-1].top and is_within(text.bbox, cell.bbox):
                longer = replace(cell, text=f"{cell.text} {said}".strip())
                return [*rows[:at], [*row[:column], longer, *row[column + 1 :]], *rows[at + 1 :]]
    return None


def goes_on(above: Line, below: Line) -> bool:
    """Whether it stands right below, as far to the left as a piece of the other one."""
    return room(above, below) < CLOSE and any(abs(left - below.left) < SLACK for left, _, _ in above.pieces)


def with_column(table: Any, lines: Sequence[Line]) -> list[list[Any]] | None:
    """The rows, each with a line of short ones beside the table, if there is one at the height of each."""
    rows = rows_of(table)
    is_column = len(rows) == len(lines) >= FEWEST_ROWS and all(len(line.text.split()) <= LONGEST_CELL for line in lines)
    left, right = table.bbox.x, table.bbox.x + table.bbox.width
    is_right = min(line.left for line in lines) >= right
    if not is_column or not (is_right or max(line.right for line in lines) <= left):
        return None
    if not all(is_beside(line, row) for line, row in zip(lines, rows, strict=True)):
        return None
    added = [[cell_of(line, row[0])] for line, row in zip(lines, rows, strict=True)]
    return [[*row, *cell] if is_right else [*cell, *row] for cell, row in zip(added, rows, strict=True)]


def is_beside(line: Line, row: Sequence[Any]) -> bool:
    boxes = [cell.bbox for cell in row if cell.bbox]
    top, bottom = min((box.y for box in boxes), default=0.0), max((box.y + box.height for box in boxes), default=0.0)
    return top <= (line.top + line.bottom) / 2 <= bottom


def cell_of(line: Line, like: Any) -> Any:
    box = like.bbox and replace(
        like.bbox, x=line.left, y=line.top, width=line.right - line.left, height=line.bottom - line.top
    )
    return replace(like, text=line.text, bbox=box)


def rows_of(table: Any) -> list[list[Any]]:
    return [*([table.header] if table.header else []), *table.rows]


def is_within(inner: Any, outer: Any) -> bool:
    return bool(
        inner.x >= outer.x - SLACK
        and inner.y >= outer.y - SLACK
        and inner.x + inner.width <= outer.x + outer.width + SLACK
        and inner.y + inner.height <= outer.y + outer.height + SLACK
    )


def around(one: Any, two: Any) -> Any:
    left, top = min(one.x, two.x), min(one.y, two.y)
    right, bottom = max(one.x + one.width, two.x + two.width), max(one.y + one.height, two.y + two.height)
    return replace(one, x=left, y=top, width=right - left, height=bottom - top)
