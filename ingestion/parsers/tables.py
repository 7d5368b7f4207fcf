"""From cells that may span rows and columns to rows of texts."""

from collections.abc import Sequence
from dataclasses import dataclass

Cell = tuple[str, int, int]  # text, columns, rows
MOST_COLUMNS = 1_000


@dataclass(frozen=True, slots=True)
class Grid:
    rows: Sequence[Sequence[Cell]]
    header_rows: int = 0


def table_rows(grid: Grid) -> tuple[list[list[str]], int]:
    """The rows with an empty cell where a cell from the left or from above reaches; and how many are the header.

    A table that marks no header is read as if its first row were one, when that row is filled throughout.
    """
    rows: list[list[str]] = []
    reaching: dict[int, int] = {}  # column → rows that a cell from above still covers
    for cells in grid.rows:
        row: list[str] = []
        for text, columns, height in cells:
            skip_covered(row, reaching)
            for column in range(len(row), min(len(row) + columns, MOST_COLUMNS)):
                if height > 1:
                    reaching[column] = height
            row += [text, *[""] * (min(columns, MOST_COLUMNS) - 1)]
        reaching = {column: left - 1 for column, left in reaching.items() if left > 1}
        rows.append(row[:MOST_COLUMNS])
    header_rows = grid.header_rows
    if not header_rows and len(rows) > 1 and len(rows[0]) > 1 and all(text.strip() for text in rows[0]):
        header_rows = 1
    return rows, min(header_rows, 3)


def skip_covered(row: list[str], reaching: dict[int, int]) -> None:
    while reaching.get(len(row), 0) and len(row) < MOST_COLUMNS:
        row.append("")
