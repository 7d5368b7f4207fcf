"""Tables in text (Markdown's pipes; RST's grids, columns, lists of lists, values apart by commas) as rows. Pure."""

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest

from knowledge.texts.tables.csv_tables import OPTION, options_of, values
from knowledge.texts.tables.rst_spans import WIDE, as_wide
from retrieval.pages.html_tables import OPENS, html_rows

BORDER = re.compile(r"(?:\+[-=+]+\+|\|?(?:\s*:?-+:?\s*\|)+\s*(?::?-+:?)?)$")  # without the blanks around it
PIPE = re.compile(r"(?<!\\)\|")
CODE = re.compile(r"(?<!`)(`+)(?!`).{1,500}?(?<!`)\1(?!`)")
COLUMNS = re.compile(r"={2,}(?:\s+={2,})+$")  # the border of a table in columns
COLUMN = re.compile("=+")
UNDERLINE = re.compile(r"\s*-[- ]*$")  # below a row in columns, as docutils has it
CROSSING = re.compile(r"\+")
BAR = "\0"  # stands for what is put back later; no text of a file holds it
GRID_BORDER = re.compile(r"\s*\+(?:[-=]+\+)+\s*$")
LISTED_ROW = re.compile(r"\s*\* - ")
TARGET = re.compile(r"\s*(?:\.\. _.+:|__ )")  # of a link: nothing that is read
LONGEST_CELL = 10_000  # characters
FURTHER_IN = re.compile(r"\s*(?:\.\. |[-*+] |\d+\. )|.*::\s*$")  # a cell that is more than running text


@dataclass(frozen=True, slots=True)
class Row:
    """`lines` are the numbers of its lines and of the borders that follow it; the first may be a border before it."""

    lines: tuple[int, ...]
    cells: tuple[str, ...]
    is_head: bool


def rows(lines: Sequence[tuple[int, str]], is_headed: bool = False) -> tuple[Row, ...]:
    """Of numbered lines that are one table; () when they are none, or its rows differ in width.

    `is_headed` is said of a list of lists, which does not show whether its first row is the head.
    """
    first = lines[0][1]
    if COLUMNS.match(first.strip()):
        return in_columns(lines)
    if LISTED_ROW.match(first):
        return listed(lines, is_headed)
    if OPTION.match(first) or not first.strip():
        return comma_separated(lines)
    if first.lstrip().lower().startswith(OPENS):
        marked = [Row(tuple(numbers), tuple(cells), is_head) for numbers, cells, is_head in html_rows(lines)]
        return tuple(marked) if even(marked, False) else ()
    is_grid = first.lstrip().startswith("+")
    groups, borders = grid(lines) if is_grid else pipes(lines)
    at = [match.start() for match in CROSSING.finditer(first)]
    found = []
    for group in groups:
        texts = [text for _, text in group if not is_border(text)]
        cells = boxed([text for _, text in group], at) if is_grid else piped(texts[0])
        found.append(Row(tuple(number for number, _ in group), cells, False))
    return even(found if is_grid else filled(found, groups), borders)


def even(found: list[Row], is_headed: bool) -> tuple[Row, ...]:
    """The rows, the first of them as the head; () if there are not the same cells in all."""
    if not found or len({len(row.cells) for row in found}) > 1 or len(found[0].cells) < 2:
        return ()
    if is_headed and len(found) > 1:
        found[0] = replace(found[0], is_head=True)
    return tuple(found)


def end_of_columns(lines: Sequence[str], start: int) -> int:
    """Behind the last border of the table in columns whose first is at `start`; `start` if there is none."""
    for at in range(start + 1, len(lines)):
        if COLUMNS.match(lines[at].strip()) and not "".join(lines[at + 1 : at + 2]).strip():
            return at + 1
    return start


def end_of_grid(lines: Sequence[str], start: int) -> int:
    """Behind the last border of the grid whose first is at `start`, whatever its cells span; `start` without one."""
    end = start
    for at in range(start + 1, len(lines)):
        if not lines[at].lstrip().startswith(("+", "|")):
            break
        end = at + 1 if GRID_BORDER.match(lines[at]) else end
    return end


def end_of_pipes(lines: Sequence[str], start: int) -> int:
    """Behind the table of Markdown whose head is at `start`, with or without pipes around it; `start` if none is."""
    head, border = lines[start], "".join(lines[start + 1 : start + 2])
    if "|" not in head or "|" not in border or not is_border(border) or len(piped(head)) != len(piped(border)):
        return start
    return next((at for at in range(start + 2, len(lines)) if "|" not in lines[at]), len(lines))


def in_columns(lines: Sequence[tuple[int, str]]) -> tuple[Row, ...]:
    """A row for each line whose first column has something; a second border but the last makes the first the head.

    () when something stands between two columns: a cell that spans them.
    """
    spans = [match.span() for match in COLUMN.finditer(lines[0][1])]
    starts = [start for start, _ in spans]
    gaps = [(end, start) for (_, end), (start, _) in pairwise(spans)]
    found: list[Row] = []
    borders = 0
    opening: tuple[int, ...] = ()
    for number, text in lines:
        if COLUMNS.match(text.strip()):
            borders += 1
        elif any(text[start:end].strip() for start, end in gaps):
            return ()
        elif text.strip() and not UNDERLINE.match(text):
            cells = tuple(text[start:end].strip() for start, end in zip_longest(starts, starts[1:]))
            if cells[0] or not found:
                found.append(Row((*opening, number), cells, False))
                opening = ()
                continue
            joined = tuple(f"{one} {more}".strip() for one, more in zip(found[-1].cells, cells, strict=True))
            found[-1] = replace(found[-1], cells=joined)
        if found:
            found[-1] = replace(found[-1], lines=(*found[-1].lines, number))
        else:
            opening = (*opening, number)
    return even(found, borders > 2)


def listed(lines: Sequence[tuple[int, str]], is_headed: bool) -> tuple[Row, ...]:
    """A row for each `* - `, a cell for each `- ` as far in; () where a cell is more than running text."""
    inner = lines[0][1].index("-")
    found: list[tuple[list[int], list[str]]] = []
    for number, text in lines:
        opens, said = text[:inner].strip() == "*", text[inner:]
        if opens:
            found.append(([], []))
        elif text[:inner].strip():
            return ()
        is_cell = said.startswith("-")
        said = said[1:] if is_cell else said
        if TARGET.match(said) and found:
            found[-1][0].append(number)
            continue
        if FURTHER_IN.match(said):
            return ()
        if is_cell:
            found[-1][1].append(said.strip())
        elif said.strip():
            if not found[-1][1]:
                return ()
            found[-1][1][-1] = f"{found[-1][1][-1]} {said.strip()}".strip()
        found[-1][0].append(number)
    return even([Row(tuple(numbers), tuple(cells), False) for numbers, cells in found], is_headed)


def comma_separated(lines: Sequence[tuple[int, str]]) -> tuple[Row, ...]:
    """Of a csv-table's options, a blank line and its values, as docutils reads them; () where it would refuse them."""
    start = next((at for at, (_, text) in enumerate(lines) if not text.strip()), len(lines))
    options = options_of([text for _, text in lines[:start]])
    head = options.get("header", "")
    try:
        found = [(cells, 0) for cells, _ in values(head.split("\n"), options)]
        found += [(cells, start + end) for cells, end in values([text.strip() for _, text in lines[start:]], options)]
    except (csv.Error, TypeError):
        return ()
    if any(map(more_than_text, (cell for cells, _ in found for cell in cells))):
        return ()
    width = max((len(cells) for cells, _ in found), default=0)
    result, at = [], 0
    for cells, read in found:
        end = next((n for n in range(max(read, start), len(lines)) if lines[n][1].strip()), len(lines))
        texts = [" ".join(cell.split()) for cell in cells] + [""] * (width - len(cells))
        result.append(Row(tuple(number for number, _ in lines[at:end]), tuple(texts), False))
        at = end
    return even(result, bool(head) or "header-rows" in options)


def more_than_text(cell: str) -> bool:
    return len(cell) > LONGEST_CELL or ("\n" in cell and any(map(FURTHER_IN.match, cell.split("\n"))))


Group = list[tuple[int, str]]


def pipes(lines: Iterable[tuple[int, str]]) -> tuple[list[Group], bool]:
    """A row for each line; the border below the head belongs to it."""
    groups: list[Group] = []
    headed = False
    for number, text in lines:
        if is_border(text):
            if not groups:
                return [], False
            headed |= len(groups) == 1
            groups[-1].append((number, text))
        else:
            groups.append([(number, text)])
    return groups, headed


def grid(lines: Iterable[tuple[int, str]]) -> tuple[list[Group], bool]:
    """A row for what stands between two borders; `=` below the first makes it the head."""
    groups: list[Group] = []
    headed, opening = False, Group()
    for number, text in lines:
        if not is_border(text):
            if not groups or (is_border(groups[-1][-1][1]) and groups[-1][-1] not in opening):
                groups.append([])
            groups[-1] += [*opening, (number, text)]
            opening = []
        elif groups:
            headed |= "=" in text and len(groups) == 1
            groups[-1].append((number, text))
        else:
            opening = [(number, text)]
    return groups, headed


def is_border(text: str) -> bool:
    return BORDER.match(text.strip()) is not None


def piped(text: str) -> tuple[str, ...]:
    """The cells between the pipes of a line, which may have one at its beginning and at its end."""
    pieces = [cell.strip().replace("\\|", "|") for cell in PIPE.split(text.strip())]
    return tuple(pieces[not pieces[0] : len(pieces) - (len(pieces) > 1 and not pieces[-1])])


def filled(found: Sequence[Row], groups: Sequence[Group]) -> list[Row]:
    """Below a head with its border, rows that end early are filled up with empty cells, as Markdown has it.

    A row of too many cells is one that has bars within code: they should be escaped, but are meant.
    """
    if not found or len(groups[0]) < 2 or len(piped(groups[0][1][1])) != len(found[0].cells):
        return list(found)
    width = len(found[0].cells)
    texts = [group[0][1] for group in groups]
    fitting = [
        row.cells if len(row.cells) <= width else piped(CODE.sub(without_bars, text))
        for row, text in zip(found, texts, strict=True)
    ]
    return [
        replace(row, cells=tuple(cell.replace(BAR, "|") for cell in cells) + ("",) * (width - len(cells)))
        for row, cells in zip(found, fitting, strict=True)
    ]


def without_bars(code: re.Match[str]) -> str:
    return code[0].replace("|", BAR)


def boxed(texts: Sequence[str], at: Sequence[int]) -> tuple[str, ...]:
    """The cells of a grid's row, cut where its first border has crossings; () where a cell spans several."""
    split: list[list[str]] = []
    for text in map(as_wide, texts):
        edges = {text[edge : edge + 1] for edge in at}
        if is_border(text) and edges == {"+"}:
            continue
        if edges != {"|"}:
            return ()
        split.append([text[start + 1 : end].replace(WIDE, "").strip() for start, end in pairwise(at)])
    return tuple(" ".join(filter(None, pieces)) for pieces in zip(*split, strict=True))
