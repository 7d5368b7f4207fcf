"""The tables of Markdown and RST, and of formats without markup, by what draws them. Pure.

A reader is given lines and the place where a table, or what a passage has of one, may begin. It reads it to its end.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import lru_cache
from itertools import pairwise

from ..fences import CODE_IN_LINE, code_lines
from ..formats import HOLDING_HTML, Notation
from ..items import BULLET
from ..lines import indent_of
from .csv_tables import csv_table
from .rst_spans import SIMPLE_RULE, spanning_columns, spanning_grid
from .table import Row, Table, headed, laid_table, names_of, row_of

GRID_RULE = re.compile(r"\+(?:[-=:]+\+)+")
OF_GRID = re.compile(r"^[ \t]*\+[-=:+]", re.M)
PIPES_RULE = re.compile(r"\|?(?: *:?-+:? *\|)+(?: *:?-+:?)?")
MARGIN = re.compile(r"[ \t]*+(?>(?:>[ \t]*+)*)(?=\|)")
BAR = re.compile(r"(?<!\\)\|")
CELLS = " | "  # between those of formats without markup
BETWEEN = re.compile(r" \|(?= |$)")
OWN_BAR = re.compile(r"(?:^| )\|(?= |$)")  # of a cell, which would part it
KEPT_BAR = "\xa0|"  # looks the same, and parts nothing: behind a space at which no line is broken
YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
DIGIT, LETTERS = re.compile(r"\d+"), re.compile(r"[^\W\d]+")
ROW_OF_LIST = re.compile(r"[ \t]*[*+-][ \t]+-(?:[ \t]+|$)")
CELL_OF_LIST = re.compile(r"[ \t]+-(?:[ \t]+|$)")
HEADED = re.compile(r"[ \t]*:header-rows:[ \t]*[1-9]")
ITEM = re.compile(rf"\s*{BULLET}\s+[^|\s]")
SUBSTITUTION = re.compile(r"\|\w[^|]*\|(?=[\s.,;:)]|$)")
HIDDEN = "\0"  # stands for what is put back later; no text of a file holds it
MOST_OPTIONS = 12  # lines between a list-table and its first row
MOST_HEADS = 3  # rows
WAY = re.compile(r"\[(?:in|out|in, ?out)\]")  # of a parameter, as Doxygen begins its row

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

    A passage that begins amid a table has that rule alone: it begins none.
    """
    return None if ends_columns(lines, at) else between_rules(lines, at)


def ends_columns(lines: Lines, at: int) -> bool:
    return SIMPLE_RULE.fullmatch(lines[at].strip()) is not None and not "".join(lines[at + 1 : at + 2]).strip()


def between_rules(lines: Lines, at: int) -> Table | None:
    """As `simple`, whatever stands below the first rule."""
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
    """Markdown's: a head, a rule, rows; rows alone, of this kind or of a grid, where the text begins amid them.

    In RST a line may begin with what stands for something else (`|version| is …`), in code with an operator.
    """
    line, rule = lines[at].strip(), "".join(lines[at + 1 : at + 2])
    width = len(cells(rule)) if is_rule(rule) else 0
    is_row = line.startswith("|") and (width or line.endswith("|")) and not is_without_first(lines[at])
    table = between_pipes(lines, at, lambda one: cells_of(one, width)) if is_row else None
    is_text = table and len(table.lines) == 1 and SUBSTITUTION.match(line)
    return None if is_text else table


def is_without_first(line: str) -> bool:
    """Whether it is a row of a format without markup whose first cell is empty."""
    return line.startswith(" | ") and not line.rstrip().endswith("|")


def cells_of(line: str, width: int = 0) -> list[str]:
    """The cells of a row, their bars no longer escaped, at least as many as the rule has. Where they are more, bars
    within code are meant, too.
    """
    found = cells(line)
    if 0 < width < len(found):
        found = [cell.replace(HIDDEN, "|") for cell in cells(CODE_IN_LINE.sub(without_bars, line))]
    return [cell.replace("\\|", "|") for cell in found] + [""] * (width - len(found))


def without_bars(code: re.Match[str]) -> str:
    return BAR.sub(HIDDEN, code[0])


def margin_of(line: str) -> str:
    """What stands before a row that begins with a bar: its indent, the marks of a quotation."""
    margin = MARGIN.match(line)
    return margin[0] if margin and not is_without_first(line) else ""


def between_pipes(lines: Lines, at: int, split: Callable[[str], list[str]]) -> Table | None:
    """Lines that begin with a bar, but for rules, whatever they end with."""
    end = next((n for n in range(at, len(lines)) if not lines[n].strip().startswith("|")), len(lines))
    if end == at:
        return None
    ruled = [*map(is_rule, lines[at:end])]
    rows = [Row(split(lines[n]), range(n, n + 1)) for n, rule in zip(range(at, end), ruled, strict=True) if not rule]
    return headed(range(at, end), rows, 1 if any(ruled[1:2]) else 0)


def bars(lines: Lines, at: int) -> Table | None:
    """Of formats without markup (DOCX, HTML, sheets), and Markdown's without bars around it, which may be indented.

    None begins with an item of a list.
    """
    line = lines[at]
    is_ruled = is_rule("".join(lines[at + 1 : at + 2])) and BETWEEN.search(line) is not None
    is_text = ITEM.match(line) or (line[:1] in " \t" and not is_without_first(line))
    if is_rule(line) or not (is_ruled or (has_cells(line) and not is_text)):
        return None
    return barred(lines, at, BETWEEN.search if is_ruled else has_cells, is_ruled)


def ruled_bars(lines: Lines, at: int) -> Table | None:
    """Markdown's without bars around it: there is none without a rule."""
    return bars(lines, at) if is_rule("".join(lines[at + 1 : at + 2])) else None


def has_cells(line: str) -> bool:
    """Whether bars stand in it outside of code."""
    return BETWEEN.search(line) is not None and BETWEEN.search(CODE_IN_LINE.sub("", line)) is not None


def barred(lines: Lines, at: int, belongs: Callable[[str], object], is_ruled: bool) -> Table | None:
    """The lines that belong, and rules between them; `is_ruled`: whether one is below the first row."""
    end = next((n for n in range(at, len(lines)) if not (belongs(lines[n]) or is_rule(lines[n]))), len(lines))
    rows = [Row(apart(lines[n]), range(n, n + 1)) for n in range(at, end) if not is_rule(lines[n])]
    if len(rows) < 2:
        return None
    heads = 1 if is_ruled else heads_among([row.cells for row in rows])
    return Table(range(at, end), rows[heads:], rows[:heads], names_of(rows[:heads]))


def heads_among(rows: Sequence[Sequence[str]]) -> int:
    """How many of the first rows are the head, where nothing marks it: a row of which the corner alone is empty is one,
    unless the first cell of each is.

    What spans rows names them all, where something spans columns, too.
    """
    first = rows[0]
    has_corner = not first[0] and len(first) > 2 and all(first[1:]) and any(row[0] for row in rows[1:])
    if not (has_corner or names_columns(first, rows[1])):
        return 0
    if has_corner or any(one == two for one, two in pairwise(first)):
        alike = next((n for n, row in enumerate(rows) if row[0] != first[0]), 1)
        return alike if alike <= MOST_HEADS else 1
    return 0 if begins_with_value(rows) else 1


def begins_with_value(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first cell is a value, no column's name: the row below begins with it, too, or two others do. One of
    a table of fields may be of a field called “Name”, and a head is repeated as it stands.
    """
    alike = [at for at, row in enumerate(rows[1:]) if row[:1] == rows[0][:1]]
    is_repeated = any(rows[at + 1] == rows[0] for at in alike)
    return not is_repeated and bool(alike[1:] or 0 in alike or WAY.fullmatch(rows[0][0]))


def together(cells: Iterable[str]) -> str:
    """A row as formats without markup are written down; `apart` gives its cells back."""
    return CELLS.join(OWN_BAR.sub(KEPT_BAR, cell) for cell in cells)


def apart(line: str) -> list[str]:
    return [cell.replace(KEPT_BAR, " |").strip() for cell in BETWEEN.split(line)]


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

    Of two columns none is: `Pedal | 35 Nm` above `Stem | 5 Nm` is as good a row as any. Nor is one with a number above
    another of its form, whatever else differs, unless it is a year.
    """
    alike = [*map(form, first[1:])] == [*map(form, second[1:])] and any(map(DIGIT.search, first[1:]))
    counts = any(form(one) == form(two) and counts_on(one, two) for one, two in zip(first, second, strict=False))
    return len(first) > 2 and all(first) and not alike and not counts


def counts_on(one: str, two: str) -> bool:
    """Whether one has a number as the other may have it: a year names a column of other numbers."""
    return DIGIT.search(one) is not None and (YEAR.search(one) is None or YEAR.search(two) is not None)


def form(cell: str) -> str:
    """`9-12 Uhr` as `0-0 a`."""
    return LETTERS.sub("a", DIGIT.sub("0", cell))


def list_table(lines: Lines, at: int) -> Table | None:
    """A list of lists: `* -` begins a row, `-` further in a cell. It ends with a line no further in than those."""
    if not ROW_OF_LIST.match(lines[at]):
        return None
    indent = indent_of(lines[at])
    inner = (n for n in range(at + 1, len(lines)) if lines[n].strip() and indent_of(lines[n]) <= indent)
    outside = (n for n in inner if indent_of(lines[n]) < indent or not ROW_OF_LIST.match(lines[n]))
    return listed(lines, at, next(outside, len(lines)), MOST_OPTIONS)


def listed(lines: Lines, at: int, end: int, most_options: int) -> Table:
    """Up to this line."""
    heads = 1 if any(map(HEADED.match, lines[max(at - most_options, 0) : at])) else 0
    rows: list[tuple[int, list[list[str]]]] = []  # where each begins, and what the lines of its cells say
    for n in range(at, end):
        if begun := ROW_OF_LIST.match(lines[n]) or CELL_OF_LIST.match(lines[n]):
            rows += [(n, [])] if begun.re is ROW_OF_LIST else []
            rows[-1][1].append([lines[n][begun.end() :].strip()])
        else:
            rows[-1][1][-1].append(lines[n].strip())
    ends = [*(start for start, _ in rows[1:]), end]
    said = [
        Row([" ".join(filter(None, cell)) for cell in own], range(start, last))
        for (start, own), last in zip(rows, ends, strict=True)
    ]
    return headed(range(at, end), said, heads)


def spanning(lines: Lines, at: int) -> Table | None:
    """A grid or columns with cells that span others: what one says stands at every place of it."""
    return None if ends_columns(lines, at) else spanned(lines, at)


def spanned(lines: Lines, at: int) -> Table | None:
    drawn = spanning_grid(lines, at) or spanning_columns(lines, at)
    return laid_table(drawn) if drawn else None


READERS: tuple[Reader, ...] = (spanning, csv_table, grid, simple, pipes, list_table, bars)
OF_MARKDOWN: tuple[Reader, ...] = (*READERS[:-1], ruled_bars)


def readers_of(notation: Notation | None) -> tuple[Reader, ...]:
    return OF_MARKDOWN if notation in HOLDING_HTML else READERS


def table_at(lines: Lines, at: int, readers: Sequence[Reader] = READERS) -> Table | None:
    """The table, or what a passage has of one, whose first line is at this place."""
    return next(filter(None, (read(lines, at) for read in readers)), None)


def tables_in(lines: Lines, readers: Sequence[Reader] = READERS, code: Set[int] = frozenset()) -> Iterator[Table]:
    """All of them, in order; `code` are indexes of lines that hold none."""
    at = 0
    while at < len(lines):
        table = table_at(lines, at, readers) if at not in code else None
        if table:
            yield table
        at = table.lines.stop if table else at + 1


def lines_of_tables(lines: Lines) -> set[int]:
    """The indexes of the lines that tables take, none of those in code."""
    return {n for table in tables_in(lines, code=code_lines(lines)) for n in table.lines}


@lru_cache(maxsize=512)
def head_of(text: str, context: str) -> str:
    """A chunk's context as the head of the rows that the text begins with, written as they are; empty where it begins
    with none that a head can be put above. It stands as far in as they do.
    """
    first = text.lstrip("\n").split("\n", 1)[0]
    margin = margin_of(first)
    first = first[len(margin) :]
    if not context or not (first.startswith("|") or BETWEEN.search(first)):
        return ""
    width = len(cells(first) if first.startswith("|") else apart(first))
    whole = apart(context)
    rows = [row for row in map(apart, context.split(" / ")) if len(row) == width]  # a title across has fewer
    if not rows and len(whole) > width:
        return ""
    rows = rows or [whole]  # strokes within cells part no rows
    names = names_of([Row(row, range(0)) for row in rows])
    rule = CELLS.join(["---"] * len(names))
    if first.startswith("|"):
        head = CELLS.join(BAR.sub(r"\\|", name) for name in names)
        return "" if OF_GRID.search(text) else "".join(f"{margin}| {line} |\n" for line in (head, rule))
    return f"{together(names)}\n{rule}\n"
