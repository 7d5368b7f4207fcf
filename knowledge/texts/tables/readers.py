"""The tables of Markdown and RST, and of formats without markup, by what draws them. Pure.

A reader is given lines and the place where a table, or what a passage has of one, may begin. It reads it to its end.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import lru_cache

from .csv_tables import csv_table
from .rst_spans import spanning_columns, spanning_grid
from .table import Row, Table, headed, laid_table, names_of, row_of

GRID_RULE = re.compile(r"\+(?:[-=:]+\+)+")
SIMPLE_RULE = re.compile(r"=+(?: +=+)+")
PIPES_RULE = re.compile(r"\|?(?: *:?-+:? *\|)+(?: *:?-+:?)?")
BAR = re.compile(r"(?<!\\)\|")
BETWEEN = re.compile(r" \|(?= |$)")  # the cells of formats without markup
DIGIT, LETTERS = re.compile(r"\d+"), re.compile(r"[^\W\d]+")
ROW_OF_LIST = re.compile(r"[ \t]*[*+-][ \t]+-(?:[ \t]+|$)")
CELL_OF_LIST = re.compile(r"[ \t]+-(?:[ \t]+|$)")
HEADED = re.compile(r"[ \t]*:header-rows:[ \t]*[1-9]")
MOST_OPTIONS = 8  # lines between a list-table and its first row

Lines = Sequence[str]
Reader = Callable[[Lines, int], Table | None]


def grid(lines: Lines, at: int) -> Table | None:
    """Between rules of + and -. The lines of a cell are put together."""
    if not GRID_RULE.fullmatch(lines[at].strip()):
        return None
    rows: list[Row] = []
    heads, drawn = 0, list[tuple[int, list[str]]]()

    def end_row() -> None:
        if any(any(cells) for _, cells in drawn):
            rows.append(row_of(drawn))
        drawn.clear()

    for end in range(at, len(lines)):
        line = lines[end].strip()
        if GRID_RULE.fullmatch(line):
            end_row()
            heads = len(rows) if "=" in line else heads
        elif line.startswith("|"):
            drawn.append((end, cells(line)))
        else:
            break
    else:
        end = len(lines)
    end_row()
    return headed(range(at, end), rows, heads)


def simple(lines: Lines, at: int) -> Table | None:
    """Between rules of =, whose columns are as wide as those; the last rule has a blank line below.

    A passage that begins amid a table has that rule alone.
    """
    is_last = not "".join(lines[at + 1 : at + 2]).strip()
    return None if is_last else simple_of_6(lines, at)


def simple_of_6(lines: Lines, at: int) -> Table | None:
    """As version 6 of the chunker had it: what stands below a last rule is cut into its columns."""
    if not SIMPLE_RULE.fullmatch(lines[at].strip()):
        return None
    starts = [match.start() for match in re.finditer("=+", lines[at])]
    drawn: list[list[tuple[int, list[str]]]] = []  # of each row its lines
    heads, end = 0, len(lines)
    for n in range(at + 1, len(lines)):
        line = lines[n]
        if SIMPLE_RULE.fullmatch(line.strip()):
            if not "".join(lines[n + 1 : n + 2]).strip():
                end = n + 1
                break
            heads = len(drawn)
        elif any(own := in_columns(line, starts)):
            if own[0] or len(drawn) <= heads:
                drawn.append([])
            drawn[-1].append((n, own))
    return headed(range(at, end), [*map(row_of, drawn)], heads)


def in_columns(line: str, starts: Sequence[int]) -> list[str]:
    """The cells of the columns that the line reaches, at least of the first."""
    reached = starts[: max(bisect_left(starts, len(line)), 1)]
    return [line[start:end].strip() for start, end in zip(reached, [*reached[1:], None], strict=True)]


def pipes(lines: Lines, at: int) -> Table | None:
    """Markdown's: a head, a rule, rows; rows alone, of this kind or of a grid, where the text begins amid them."""
    end = next((n for n in range(at, len(lines)) if not lines[n].strip().startswith("|")), len(lines))
    if end == at:
        return None
    ruled = [*map(is_rule, lines[at:end])]
    rows = [Row(cells(lines[n]), range(n, n + 1)) for n, rule in zip(range(at, end), ruled, strict=True) if not rule]
    return headed(range(at, end), rows, 1 if any(ruled[1:2]) else 0)


def bars(lines: Lines, at: int) -> Table | None:
    """Of formats without markup (DOCX, HTML, sheets), and Markdown's without bars around it."""
    if lines[at][:1].isspace():
        return None
    end = next((n for n in range(at, len(lines)) if not (BETWEEN.search(lines[n]) or is_rule(lines[n]))), len(lines))
    rows = [Row(apart(lines[n]), range(n, n + 1)) for n in range(at, end) if not is_rule(lines[n])]
    if len(rows) < 2:
        return None
    heads = 0
    if is_rule(lines[at + 1]) or names_columns(rows[0].cells, rows[1].cells):
        first = rows[0].cells[0]  # what spans rows names them all
        heads = next((n for n in range(1, len(rows)) if rows[n].cells[0] != first), 1)
    return Table(range(at, end), rows[heads:], rows[:heads], names_of(rows[:heads]))


def apart(line: str) -> list[str]:
    return [cell.strip() for cell in BETWEEN.split(line)]


def cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|")
    closed = inner.endswith("|") and not inner.endswith("\\|")
    return [cell.strip() for cell in BAR.split(inner[:-1] if closed else inner)]


def is_rule(line: str) -> bool:
    return PIPES_RULE.fullmatch(line.strip()) is not None


def ends_head(line: str) -> bool:
    """Whether it is a rule below the names of columns."""
    return is_rule(line) or (GRID_RULE.fullmatch(line.strip()) is not None and "=" in line)


def names_columns(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether a first row that nothing marks as the head is taken for it: filled, and not of the form of the next one.

    Of two columns none is: `Pedal | 35 Nm` above `Stem | 5 Nm` is as good a row as any.
    """
    alike = [*map(form, first[1:])] == [*map(form, second[1:])] and any(map(DIGIT.search, first[1:]))
    return len(first) > 2 and all(first) and not alike


def form(cell: str) -> str:
    """`9-12 Uhr` as `0-0 a`."""
    return LETTERS.sub("a", DIGIT.sub("0", cell))


def list_table(lines: Lines, at: int) -> Table | None:
    """A list of lists: `* -` begins a row, `-` further in a cell."""
    if not ROW_OF_LIST.match(lines[at]):
        return None
    heads = 1 if any(map(HEADED.match, lines[max(at - MOST_OPTIONS, 0) : at])) else 0
    rows: list[tuple[int, list[list[str]]]] = []  # where each begins, and what the lines of its cells say
    for end in range(at, len(lines)):
        line = lines[end]
        if begun := ROW_OF_LIST.match(line) or CELL_OF_LIST.match(line):
            rows += [(end, [])] if begun.re is ROW_OF_LIST else []
            rows[-1][1].append([line[begun.end() :].strip()])
        elif line[:1].isspace() or not line:
            rows[-1][1][-1].append(line.strip())
        else:
            break
    else:
        end = len(lines)
    ends = [*(start for start, _ in rows[1:]), end]
    said = [
        Row([" ".join(filter(None, cell)) for cell in own], range(start, last))
        for (start, own), last in zip(rows, ends, strict=True)
    ]
    return headed(range(at, end), said, heads)


def spanning(lines: Lines, at: int) -> Table | None:
    """A grid or columns with cells that span others: what one says stands at every place of it."""
    drawn = spanning_grid(lines, at) or spanning_columns(lines, at)
    return laid_table(drawn) if drawn else None


OF_4: tuple[Reader, ...] = (grid, simple_of_6, pipes, list_table)  # those that version 4 of the chunker knew
OF_5: tuple[Reader, ...] = (spanning, csv_table, *OF_4)
OF_6: tuple[Reader, ...] = (*OF_5, bars)
READERS: tuple[Reader, ...] = (spanning, csv_table, grid, simple, pipes, list_table, bars)


def table_at(lines: Lines, at: int, readers: Sequence[Reader] = READERS) -> Table | None:
    """The table, or what a passage has of one, whose first line is at this place."""
    return next(filter(None, (read(lines, at) for read in readers)), None)


@lru_cache(maxsize=512)
def head_of(text: str, context: str) -> str:
    """A chunk's context as the head of the rows that the text begins with, written as they are; empty where it begins
    with none that a head can be put above.
    """
    first = text.lstrip("\n").split("\n", 1)[0]
    if not context or not (first.startswith("|") or BETWEEN.search(first)):
        return ""
    width = len(cells(first) if first.startswith("|") else apart(first))
    whole = apart(context)
    rows = [row for row in map(apart, context.split(" / ")) if len(row) == width]  # a title across has fewer
    if not rows and len(whole) > width:
        return ""
    rows = rows or [whole]  # strokes within cells part no rows
    names = names_of([Row(row, range(0)) for row in rows])
    head = " | ".join(names), " | ".join(["---"] * len(names))
    if first.startswith("|"):
        return "" if "\n+" in text else "".join(f"| {line} |\n" for line in head)
    return "".join(f"{line}\n" for line in head)
