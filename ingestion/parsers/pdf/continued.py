"""Tables of a PDF that go on below a page's end, where their head is not drawn again."""

from collections.abc import Sequence
from dataclasses import replace

from ingestion.documents import Block, BlockKind
from knowledge.texts.tables.readers import CELLS, names_columns

SAME_EDGE = 12.0  # points
SAME_WIDTH = 0.25  # of the wider one, by which two parts of a table may differ
CLOSE = 20.0  # points between two parts on one page

Rows = Sequence[Sequence[str]]


def with_heads(blocks: Sequence[Block], lines: Sequence[str]) -> list[Block]:
    """The blocks of a document with these lines, a table that goes on with another one's rows with its head."""
    kept: list[Block] = []
    for block in blocks:
        above = kept[-1] if kept else None
        head = head_for(block, above, lines) if above and not block.header else ""
        kept.append(replace(block, header=head) if head else block)
    return kept


def head_for(block: Block, above: Block, lines: Sequence[str]) -> str:
    """The head of the table above, if the block is a part of it; "" where it is none, or has one of its own."""
    if not block.kind is above.kind is BlockKind.TABLE or not is_below(block, above):
        return ""
    rows, rows_above = rows_of(block, lines), rows_of(above, lines)
    if max(map(len, rows)) != max(map(len, rows_above)):
        return ""
    head = above.header or (CELLS.join(rows_above[0]) if are_headed(rows_above) else "")
    is_other = block.page == above.page and are_headed(rows) and CELLS.join(rows[0]) != head
    return "" if is_other else head


def is_below(block: Block, above: Block) -> bool:
    """Whether it stands at the same place across, right below the other, or on the next page."""
    if not block.box or not above.box or block.page is None or above.page is None:
        return False
    (left, top, right, _), (left_above, _, right_above, bottom) = block.box, above.box
    widths = right - left, right_above - left_above
    is_as_wide = abs(left - left_above) < SAME_EDGE and abs(widths[0] - widths[1]) < SAME_WIDTH * max(widths)
    is_next = block.page == above.page + 1 or (block.page == above.page and 0 <= top - bottom < CLOSE)
    return is_as_wide and is_next


def rows_of(table: Block, lines: Sequence[str]) -> Rows:
    return [line.split(CELLS) for line in lines[table.line_start - 1 : table.line_end]]


def are_headed(rows: Rows) -> bool:
    return len(rows) > 1 and names_columns(rows[0], rows[1])
