"""A table of HTML in Markdown, its rows with the lines that they stand on. Pure."""

import re
from collections.abc import Sequence
from itertools import pairwise

from knowledge.texts.fences import marks_of
from knowledge.texts.html_markup import BREAK, CLOSING, NOTHING, Reading
from knowledge.texts.tables.spans import Cell, laid_out
from knowledge.texts.tables.table import Row, Table, widened

OPENS, CLOSES = "<table", "</table>"
MOST_LINES = 2_000
PRE = re.compile(r"<pre\b", re.I)
BEHIND = 10**9  # where each element is closed: somewhere behind any line


def of_html(lines: Sequence[str], at: int) -> tuple[range, Table | None] | None:
    """The lines that are a table, and the table if it can be drawn; None where none begins, or it does not end soon."""
    if not lines[at].lstrip().lower().startswith(OPENS):
        return None
    ends = (n + 1 for n in range(at, min(at + MOST_LINES, len(lines))) if CLOSES in lines[n].lower())
    end = next(ends, at)
    return (range(at, end), html_table(lines, range(at, end))) if end > at else None


def html_table(lines: Sequence[str], own: range) -> Table | None:
    """None where something stands beside its rows, several rows on a line, or lines of code in a cell."""
    if any(PRE.search(lines[n]) or marks_of(lines[n]) for n in own):
        return None
    reading = Reading({match[1].lower(): BEHIND for n in own for match in CLOSING.finditer(lines[n])})
    rows: list[list[Cell]] = []
    begins: list[int] = []
    are_heads: list[bool] = []
    for n in own:
        reading.read(f"{lines[n]}\n", 0)
        is_over = reading.rows is None
        rows, are_heads = reading.rows or rows, reading.are_heads or are_heads
        if len(rows) > len(begins) + 1 or (is_over and n < own[-1] and rows):
            return None
        if not is_over and "".join(reading.said).replace(BREAK, "").replace(NOTHING, "").strip():
            return None
        begins += [n] if len(rows) > len(begins) else []
    if not begins or lines[own[-1]].lower().rpartition(CLOSES)[2].strip():
        return None
    places = [range(*place) for place in pairwise([*begins, own.stop])]
    found = [Row(cells, place) for cells, place in zip(laid_out(rows), places, strict=True)]
    heads = next((n for n, is_head in enumerate(are_heads) if not is_head), len(rows))
    heads = heads if heads < len(found) else 0
    return widened(Table(own, found[heads:], found[:heads]))
