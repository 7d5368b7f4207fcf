"""Tables of RST whose cells span rows or columns, drawn as a grid or in columns: which cell is where. Pure."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise

from .spans import Cell
from .table import Drawn

RULE = re.compile(r"\+(?:[-=]+\+)+")
SIMPLE_RULE = re.compile(r"=+(?: +=+)+")
UNDERLINE = re.compile(r"-[- ]*")
WIDE = "\0"  # behind what takes two columns; no text of a file holds it
MOST_PLACES = 100_000  # lines by edges: a drawing may be hostile
MOST_COLUMNS = 100

Band = range  # of lines between two rules


def spanning_grid(lines: Sequence[str], at: int) -> Drawn | None:
    """None for a grid whose cells span nothing, or where no grid begins; a passage may begin amid one."""
    drawn = drawn_grid(lines, at)
    spans = drawn and any(columns + rows > 2 for row in drawn.rows for _, columns, rows in row)
    return drawn if spans else None


def drawn_grid(lines: Sequence[str], at: int) -> Drawn | None:
    """None where no grid begins, or its cells overlap."""
    first = lines[at].strip()
    if not (RULE.fullmatch(first) or (at == 0 and first.startswith("|"))):
        return None
    margin = lines[at].index(first[0])
    end = next((n for n in range(at, len(lines)) if lines[n][margin : margin + 1] not in ("+", "|")), len(lines))
    drawing = [as_wide(line[margin:].rstrip()) for line in lines[at:end]]
    edges = edges_of(drawing)
    if len(edges) < 2 or len(edges) * len(drawing) > MOST_PLACES:
        return None
    floors = {n: found for n, line in enumerate(drawing) if any(found := floor_of(line, edges))}
    bands = [range(above + 1, below) for above, below in pairwise([-1, *floors, len(drawing)]) if below > above + 1]
    cells = cells_of(drawing, edges, bands, floors)
    if not cells:
        return None
    head = next((n for n in floors if n and RULE.fullmatch(drawing[n]) and "=" in drawing[n]), 0)
    places = [range(at + band.start, at + band.stop) for band in bands]
    return Drawn(range(at, end), cells, places, sum(band.start < head for band in bands))


def edges_of(drawing: Sequence[str]) -> list[int]:
    """Where columns begin and end: at the crossings of rules with bars, or with other rules."""
    crossings = set()
    for above, line, below in zip(["", *drawing], drawing, [*drawing[1:], ""], strict=False):
        for rule in RULE.finditer(line):
            crosses = (n for n in range(rule.start(), rule.end()) if line[n] == "+")
            crossings |= {n for n in crosses if above[n : n + 1] in ("|", "+") or below[n : n + 1] in ("|", "+")}
    return sorted(crossings)


def floor_of(line: str, edges: Sequence[int]) -> list[bool]:
    """For each column, whether the line is a rule there."""
    return [
        line[start : start + 1] in ("+", "-", "=")
        and line[end : end + 1] in ("+", "-", "=")
        and line[start + 1 : end].strip("-") in ("", "=" * (end - start - 1))
        for start, end in pairwise(edges)
    ]


def cells_of(
    drawing: Sequence[str], edges: Sequence[int], bands: Sequence[Band], floors: dict[int, list[bool]]
) -> list[list[Cell]]:
    """Of each band the cells that begin in it, from left to right; [] where cells overlap."""
    walls = [[all(drawing[n][edge : edge + 1] in ("|", "+") for n in band) for edge in edges] for band in bands]
    taken: set[tuple[int, int]] = set()
    rows: list[list[Cell]] = []
    for top, band in enumerate(bands):
        row: list[Cell] = []
        for first in range(len(edges) - 1):
            if (top, first) in taken:
                continue
            last = next((edge for edge in range(first + 1, len(edges)) if walls[top][edge]), len(edges) - 1)
            bottom = top
            while is_open(bands, bottom, floors, first):
                bottom += 1
            places = {(deep, column) for deep in range(top, bottom + 1) for column in range(first, last)}
            if taken & places:
                return []
            taken |= places
            said = drawing[band.start : bands[bottom].stop]
            row.append((text_in(said, edges[first] + 1, edges[last]), last - first, bottom - top + 1))
        rows.append(row)
    return rows


def is_open(bands: Sequence[Band], at: int, floors: dict[int, list[bool]], column: int) -> bool:
    """Whether what stands in this band and column goes on in the next band."""
    floor = bands[at].stop
    return at + 1 < len(bands) and bands[at + 1].start == floor + 1 and not floors[floor][column]


def text_in(lines: Sequence[str], start: int, end: int | None) -> str:
    return " ".join(filter(None, (line[start:end].replace(WIDE, "").strip() for line in lines)))


def as_wide(text: str) -> str:
    """With something behind each character that takes two columns."""
    if text.isascii():
        return text
    return "".join(one + WIDE if unicodedata.east_asian_width(one) in "WF" else one for one in text)


def spanning_columns(lines: Sequence[str], at: int) -> Drawn | None:
    """None for a table in columns without a line of - below a row, which shows what its cells span."""
    if not SIMPLE_RULE.fullmatch(lines[at].strip()):
        return None
    starts = [match.start() for match in re.finditer("=+", lines[at])]
    if len(starts) > MOST_COLUMNS:
        return None
    rows: list[list[Cell]] = []
    places: list[range] = []  # the lines of each row
    waiting: list[int] = []  # those of a row whose cells may yet turn out to span columns
    heads = spanning = 0

    def end_row(drawn: Sequence[int]) -> None:
        if waiting:
            rows.append(in_columns([lines[n] for n in waiting], starts, drawn))
            places.append(range(waiting[0], waiting[-1] + 1))
            waiting.clear()

    for n in range(at + 1, len(lines)):
        line = lines[n]
        is_rule = SIMPLE_RULE.fullmatch(line.strip()) is not None
        if is_rule or (UNDERLINE.fullmatch(line[starts[0] :].rstrip()) and waiting):
            end_row(starts if is_rule else [match.start() for match in re.finditer("-+", line)])
            spanning += not is_rule
            if is_rule and not "".join(lines[n + 1 : n + 2]).strip():
                return Drawn(range(at, n + 1), rows, places, heads) if spanning else None
            heads = len(rows) if is_rule else heads
        elif line.strip():
            if line[: starts[1]].strip():
                end_row(starts)
            waiting.append(n)
    if not (spanning and waiting):
        return None
    end_row(starts)
    return Drawn(range(at, len(lines)), rows, places, heads)


def in_columns(lines: Sequence[str], starts: Sequence[int], drawn: Sequence[int]) -> list[Cell]:
    """The cells of a row that are drawn from these places on."""
    lines = [as_wide(line) for line in lines]
    return list(cells_between(lines, starts, [place for place in drawn if place in starts] or [starts[0]]))


def cells_between(lines: Sequence[str], starts: Sequence[int], drawn: Sequence[int]) -> Iterator[Cell]:
    for start, end in zip(drawn, [*drawn[1:], None], strict=True):
        columns = (len(starts) if end is None else bisect_left(starts, end)) - bisect_left(starts, start)
        yield text_in(lines, start, end), columns, 1
