"""From cells that may span rows and columns to rows of texts."""

from collections.abc import Iterable, Sequence, Sized
from dataclasses import dataclass

from ingestion.parsers.writing import one_line
from knowledge.texts.tables.readers import begins_with_value
from knowledge.texts.tables.spans import LONGEST_REPEATED, MOST_REPEATED, Cell, laid_out

__all__ = ["LONGEST_REPEATED", "MOST_REPEATED", "Cell", "Grid", "in_one_line", "is_told_by_rows", "table_rows"]
MOST_HEADER_ROWS = 3


@dataclass(frozen=True, slots=True)
class Grid:
    rows: Sequence[Sequence[Cell]]
    header_rows: int = 0


def table_rows(grid: Grid) -> tuple[list[list[str]], int]:
    """The rows, what spans several places in each of them; and how many are the header.

    A table that marks no header is read as if its first row were one, when that row is filled throughout and does not
    begin with a value.
    """
    rows = laid_out(grid.rows)
    header_rows = grid.header_rows
    if not header_rows and len(rows) > 1 and len(rows[0]) > 1 and all(text.strip() for text in rows[0]):
        header_rows = heads_of(grid.rows[0])
        header_rows = 0 if header_rows == 1 and begins_with_value(rows) else header_rows
    return rows, min(header_rows, MOST_HEADER_ROWS)


def heads_of(first: Sequence[Cell]) -> int:
    """Of how many rows the header is whose first row this is: none where a cell of it only spans columns, as in a form;
    several where others reach down beside the names of those columns.
    """
    if all(columns == 1 for _, columns, _ in first):
        return 1
    tallest = max(height for _, _, height in first)
    return tallest if tallest > 1 else 0


def in_one_line(rows: Iterable[Iterable[str]]) -> str:
    """A table within a cell of another, between whose cells stands what only ends cells."""
    return "; ".join(", ".join(one_line(cell) for cell in row) for row in rows)


def is_told_by_rows(rows: Iterable[Sized]) -> bool:
    """Whether two rows have several cells, which would be a heap of words without their places."""
    return sum(len(row) > 1 for row in rows) > 1
