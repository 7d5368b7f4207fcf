"""Pieces of a PDF's tables and code that liteparse took for blocks of their own, put back to where they stand; and
headings that it took for the head of the table below.
"""

from collections.abc import Sequence
from dataclasses import replace
from statistics import median
from typing import Any

from ingestion.parsers.pdf.drawn_tables import RuledTable
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
    for piece in with_names(list(zip(page.blocks, page.lines, strict=True))):
        wholes = ((at, together(whole, piece)) for at, whole in enumerate(kept))
        at, whole = next(((at, whole) for at, whole in wholes if whole), (len(kept), piece))
        kept[at : at + 1] = [whole]
    parts = [part for piece in kept for part in with_heading_apart(piece, kept)]
    return replace(page, blocks=[block for block, _ in parts], lines=[lines for _, lines in parts])


def with_heading_apart(piece: Piece, every: Sequence[Piece]) -> list[Piece]:
    """A table whose head is one large line across its columns as a heading and the table below it."""
    block, lines = piece
    if isinstance(block, RuledTable):
        return [(with_level(block, every), lines)]
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


def with_level(table: Any, every: Sequence[Piece]) -> Any:
    """The table, that of a heading with it where its first row is one large line."""
    (_, title), *others = table.cells
    rest = [line.height for _, lines in others for line in lines]
    is_across = len(title) == 1 and others[0][0].row > 0
    if table.level or not is_across or title[0].height < LARGER * median(rest):
        return table
    return replace(table, level=level_of(title[0], every))


def level_of(title: Line, every: Sequence[Piece]) -> int:
    """That of the page's heading that is nearest to it in size."""
    headings = [(block.level, lines[0].height) for block, lines in every if block.kind == "heading" and lines]
    return min(headings, key=lambda heading: abs(heading[1] - title.height), default=(2, 0.0))[0] or 2


def with_names(pieces: Sequence[Piece]) -> Sequence[Piece]:
    """The pieces with names of rows, each of which came as a paragraph of its own, in the table on their right: a row
    without one above them is its head.
    """
    for at, (table, own) in enumerate(pieces):
        names = [place for place, piece in enumerate(pieces) if is_name(piece, table)] if table.rows else []
        lines = sorted((pieces[place][1][0] for place in names), key=lambda line: line.top)
        rows = with_column(table, lines) if lines else None
        if rows is not None:
            head, *body = rows
            is_headed = not table.header and not head[0].text
            told = replace(table, header=head, rows=body) if is_headed else with_rows(table, rows)
            named = told, sorted([*own, *lines], key=lambda line: line.top)
            others = [named if place == at else piece for place, piece in enumerate(pieces) if place not in names]
            return with_names(others)
    return pieces


def is_name(piece: Piece, table: Any) -> bool:
    """Whether it is one line on the left of all cells, at the height of a row."""
    block, lines = piece
    if block.kind not in ("paragraph", "heading") or len(lines) != 1:
        return False
    return lines[0].right <= left_of(table) and any(is_beside(lines[0], row) for row in rows_of(table))


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
    told = with_rows(replace(block, bbox=around(block.bbox, other.bbox)), rows)
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
    """The rows, each with a line of short ones beside the table, if there is one at the height of each; names of rows
    may have none at the height of the head.
    """
    rows = rows_of(table)
    is_right = min(line.left for line in lines) >= table.bbox.x + table.bbox.width
    if not is_right and max(line.right for line in lines) > left_of(table):
        return None
    beside: list[Line | None] = [*lines]
    if not is_right and len(lines) == len(rows) - 1 and not is_beside(lines[0], rows[0]):
        beside = [None, *lines]
    is_column = len(rows) == len(beside) >= FEWEST_ROWS and median(map(words_of, lines)) <= LONGEST_CELL
    if not is_column or not all(line is None or is_beside(line, row) for line, row in zip(beside, rows, strict=True)):
        return None
    added = [[cell_of(line, row[0])] for line, row in zip(beside, rows, strict=True)]
    return [[*row, *cell] if is_right else [*cell, *row] for cell, row in zip(added, rows, strict=True)]


def words_of(line: Line) -> int:
    return len(line.text.split())


def left_of(table: Any) -> float:
    """Where its cells begin: liteparse's box may reach to names of rows that are none of them."""
    return min((float(cell.bbox.x) for row in rows_of(table) for cell in row if cell.bbox), default=float(table.bbox.x))


def is_beside(line: Line, row: Sequence[Any]) -> bool:
    boxes = [cell.bbox for cell in row if cell.bbox]
    top, bottom = min((box.y for box in boxes), default=0.0), max((box.y + box.height for box in boxes), default=0.0)
    return top <= (line.top + line.bottom) / 2 <= bottom


def cell_of(line: Line | None, like: Any) -> Any:
    if line is None:
        return replace(like, text="", bbox=None)
    box = like.bbox and replace(
        like.bbox, x=line.left, y=line.top, width=line.right - line.left, height=line.bottom - line.top
    )
    return replace(like, text=line.text, bbox=box)


def with_rows(table: Any, rows: Sequence[Any]) -> Any:
    header, *body = rows if table.header else [None, *rows]
    return replace(table, header=header, rows=body)


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
