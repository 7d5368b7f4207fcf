"""Names of columns that liteparse reads as one, because they stand close: it is said of each of the columns."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

NEAR = 0.3  # of a line's height, of the left edge of a column


def with_names_apart(header: Sequence[Any], rows: Sequence[Sequence[Any]]) -> list[Any]:
    """The head, what is said of several columns cut where words of it begin above each of them."""
    columns = [[row[at] for row in rows if at < len(row)] for at in range(len(header))]
    lefts = [min((cell.bbox.x for cell in column if cell.bbox), default=0.0) for column in columns]
    found: list[Any] = []
    for _, group in groupby(header, key=lambda cell: (cell.text, cell.bbox and cell.bbox.x)):
        cells = list(group)
        names = names_above(cells[0], lefts[len(found) + 1 : len(found) + len(cells)])
        found += [replace(cell, text=name) for cell, name in zip(cells, names, strict=True)] if names else cells
    return found


def names_above(cell: Any, edges: Sequence[float]) -> list[str]:
    """[] where no word begins at one of the edges, about: all letters count as equally wide."""
    if not edges or not cell.bbox or not cell.text:
        return []
    width, starts = cell.bbox.width / len(cell.text), [0]
    for edge in edges:
        gaps = (at + 1 for at in range(starts[-1] + 1, len(cell.text)) if cell.text[at] == " ")
        begin = next((at for at in gaps if abs(cell.bbox.x + at * width - edge) < NEAR * cell.bbox.height), None)
        if begin is None:
            return []
        starts.append(begin)
    ends = [*starts[1:], len(cell.text)]
    return [cell.text[start:end].strip() for start, end in zip(starts, ends, strict=True)]
