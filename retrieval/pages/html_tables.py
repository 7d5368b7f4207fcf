"""A table of HTML in Markdown, its rows with the lines that they stand on. Pure."""

from collections.abc import Sequence

from knowledge.texts.html_markup import BREAK, CLOSING, NOTHING, Reading
from knowledge.texts.tables.spans import Cell, laid_out

OPENS, CLOSES = "<table", "</table>"
MOST_LINES = 2_000
BEHIND = 10**9  # where each element is closed: somewhere behind any line

Placed = tuple[list[int], list[str], bool]  # the numbers of its lines, its cells, whether it is of the head


def end_of_html(lines: Sequence[str], at: int) -> int:
    """Behind the table of HTML that begins at `at`; `at` if none does, or it does not end soon."""
    if not lines[at].lstrip().lower().startswith(OPENS):
        return at
    ends = (n + 1 for n in range(at, min(at + MOST_LINES, len(lines))) if CLOSES in lines[n].lower())
    return next(ends, at)


def html_rows(lines: Sequence[tuple[int, str]]) -> list[Placed]:
    """All lines, each in one row; [] where something stands beside the rows, or several rows on a line."""
    reading = Reading({match[1].lower(): BEHIND for _, line in lines for match in CLOSING.finditer(line)})
    rows: list[list[Cell]] = []
    begins: list[int] = []
    are_heads: list[bool] = []
    for place, (_, line) in enumerate(lines):
        reading.read(f"{line}\n", 0)
        is_over = reading.rows is None
        rows, are_heads = reading.rows or rows, reading.are_heads or are_heads
        if len(rows) > len(begins) + 1 or (is_over and place < len(lines) - 1 and rows):
            return []
        if not is_over and "".join(reading.said).replace(BREAK, "").replace(NOTHING, "").strip():
            return []
        begins += [place] if len(rows) > len(begins) else []
    if not begins or lines[-1][1].lower().rpartition(CLOSES)[2].strip():
        return []
    laid = laid_out(rows)
    width = max(map(len, laid))
    ends = [*begins[1:], len(lines)]
    numbers = [[number for number, _ in lines[start:end]] for start, end in zip([0, *begins[1:]], ends, strict=True)]
    cells = [row + [""] * (width - len(row)) for row in laid]
    heads = next((n for n, is_head in enumerate(are_heads) if not is_head), len(rows))
    return [(own, row, n < heads < len(rows)) for n, (own, row) in enumerate(zip(numbers, cells, strict=True))]
