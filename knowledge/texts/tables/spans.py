"""Cells that span rows and columns, laid on a grid: each has its text at every place that it covers. Pure.

So each value stands below its head and beside its row's name. What stands alone in its row, a title across the table,
stands once, and so does what is too long to name anything.
"""

from collections.abc import Iterable, Sequence

Cell = tuple[str, int, int]  # text, columns, rows
LONGEST_REPEATED = 200  # characters
MOST_COLUMNS = 1_000
MOST_REPEATED = 2_000_000  # characters of a table: a few tags may span a thousand columns; the rest of it spans nothing
PLACE = 20  # characters that a place counts as, whatever stands there: its head may be said with it


def laid_out(rows: Iterable[Sequence[Cell]]) -> list[list[str]]:
    """A text for each place; "" where nothing stands. A row of which all cells begin above is empty."""
    laid: list[list[str]] = []
    above: dict[int, tuple[str, int]] = {}  # column → what reaches down into it, and into how many rows from here on
    left = MOST_REPEATED
    for cells in rows:
        below = {column: (text, height - 1) for column, (text, height) in above.items() if height > 1}
        row: list[str] = []
        for text, *spans in cells:
            reach(row, above)
            columns, height = spans if left > 0 else (1, 1)
            is_title = len(cells) == 1 and columns > 1 and not above
            again = "" if is_title or len(text) > LONGEST_REPEATED else text
            places = range(len(row), min(len(row) + columns, MOST_COLUMNS))
            row += [text, *[again] * (0 if is_title else len(places) - 1)][: len(places)]
            left -= (len(again) + PLACE) * (columns * height - 1)
            if height > 1:
                below |= dict.fromkeys(places, (again, height - 1))
        if cells:
            reach(row, above, to=max(above, default=-1))
        laid.append(row)
        above = below
    return laid


def reach(row: list[str], above: dict[int, tuple[str, int]], to: int = -1) -> None:
    """Fill the places that come next with what reaches down into them, and those up to the column `to`."""
    while len(row) in above or len(row) <= to:
        row.append(above.get(len(row), ("", 0))[0])
