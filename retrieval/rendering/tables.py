"""Tables as the reading page draws them: what `knowledge.texts.tables` finds, where it can be drawn as it is. Pure."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from knowledge.texts.items import NUMBER
from knowledge.texts.lines import indent_of, inside
from knowledge.texts.tables.csv_tables import csv_table
from knowledge.texts.tables.readers import (
    GRID_RULE,
    MOST_OPTIONS,
    SIMPLE_RULE,
    bars,
    cells,
    cells_of,
    ends_columns,
    is_rule,
    list_table,
    simple,
)
from knowledge.texts.tables.rst_spans import as_wide, drawn_grid, spanning_columns
from knowledge.texts.tables.table import Row, Table, laid_table, widened

COLUMN = re.compile("=+")
LISTED_ROW = re.compile(r"\s*\* - ")
TARGET = re.compile(r"\s*(?:\.\. _.+:|__ )")  # of a link: nothing that is read
LONGEST_CELL = 10_000  # characters
FURTHER_IN = re.compile(rf"\s*(?:\.\.|[-*+•‣⁃]|{NUMBER}) |.*::\s*$")  # a cell that is more than running text


@dataclass(frozen=True, slots=True)
class DrawnRow:
    """`lines` are the indexes of all lines that it takes, with the rules that follow it, of the first those before."""

    lines: range
    cells: tuple[str, ...]
    is_head: bool


def drawn(table: Table | None, lines: range) -> tuple[DrawnRow, ...]:
    """All rows of the table, which takes these lines; () for none, and for one that is no table on a page: of a
    single column, with rows of different widths or with cells that are too long.
    """
    rows = sorted((*table.heads, *table.rows), key=lambda row: row.lines.start) if table else []
    widths = {len(row.cells) for row in rows}
    if not table or len(widths) != 1 or min(widths) < 2:
        return ()
    if any(len(cell) > LONGEST_CELL for row in rows for cell in row.cells):
        return ()
    heads = {row.lines.start for row in table.heads}
    starts = [lines.start, *(row.lines.start for row in rows[1:]), lines.stop]
    return tuple(
        DrawnRow(range(*place), tuple(row.cells), row.lines.start in heads)
        for row, place in zip(rows, pairwise(starts), strict=True)
    )


def last_rules(lines: Sequence[str]) -> list[int]:
    """Where rules of = stand above a blank line: what ends a table in columns."""
    return [n for n in range(len(lines)) if ends_columns(lines, n)]


def of_rst(lines: Sequence[str], at: int, last: Sequence[int]) -> tuple[range, Table | None] | None:
    """The lines that are a table of RST, and the table if it is one that can be drawn; None where none begins.

    `last` are the places of last rules.
    """
    if SIMPLE_RULE.fullmatch(lines[at].strip()):
        return in_columns(lines, at, last)
    if LISTED_ROW.match(lines[at]):
        return in_a_list(lines, at)
    return grid(lines, at)


def grid(lines: Sequence[str], at: int) -> tuple[range, Table | None] | None:
    """As `of_rst`, of a grid alone. Its range is empty where it has no second rule."""
    if not GRID_RULE.fullmatch(lines[at].strip()):
        return None
    own = [ruled(line) for line in lines[at : end_of_grid(lines, at)]]
    found = drawn_grid(own, 0) if own and is_even(own) else None
    return range(at, at + len(own)), widened(laid_table(found).moved(at)) if found else None


def ruled(line: str) -> str:
    """A rule of Pandoc's without the colons that say how a column is set."""
    said = line.strip()
    return line.replace(":", "=" if "=" in said else "-") if GRID_RULE.fullmatch(said) else line


def is_even(lines: Sequence[str]) -> bool:
    """Whether all lines begin at one margin and end at another, with a bar or a crossing."""
    sides = {(indent_of(line), len(as_wide(line.rstrip()))) for line in lines}
    return len(sides) == 1 and all(line.rstrip()[-1] in "|+" for line in lines)


def in_columns(lines: Sequence[str], at: int, last: Sequence[int]) -> tuple[range, Table | None] | None:
    """None without a last rule; no table where something stands between two columns."""
    following = bisect_right(last, at)
    if following == len(last):
        return None
    own = lines[at : last[following] + 1]
    found = spanning_columns(own, 0)
    table = laid_table(found) if found else simple(own, 0)
    gaps = [(one.end(), two.start()) for one, two in pairwise(COLUMN.finditer(own[0]))]
    rows = [own[n] for row in (*table.heads, *table.rows) for n in row.lines] if table else []
    is_torn = not found and any(row[start:end].strip() for row in rows for start, end in gaps)
    return range(at, at + len(own)), None if is_torn or not table else widened(table.moved(at))


def end_of_grid(lines: Sequence[str], start: int) -> int:
    """Behind the last rule of the grid whose first is at `start`, whatever its cells span; `start` without one."""
    end = start
    for at in range(start + 1, len(lines)):
        if not lines[at].lstrip().startswith(("+", "|")):
            break
        end = at + 1 if GRID_RULE.fullmatch(lines[at].strip()) else end
    return end


def in_a_list(lines: Sequence[str], at: int) -> tuple[range, Table | None]:
    """A list of lists; no table where a cell is more than running text."""
    inner = lines[at].index("-")
    end = inside(lines, at, inner - len("* ") - 1)
    own = ["" if TARGET.match(line[inner:].removeprefix("-")) else line for line in lines[at:end]]
    said = [(line[:inner].strip(), line[inner:].removeprefix("-")) for line in own if line.strip()]
    is_text = all(before in ("", "*") and not FURTHER_IN.match(rest) for before, rest in said)
    above = lines[max(at - MOST_OPTIONS, 0) : at]
    table = list_table([*above, *own], len(above)) if is_text else None
    return range(at, end), table.moved(at - len(above)) if table else None


def of_values(lines: Sequence[str], at: int) -> Table | None:
    """That of a csv-table, as docutils reads it; None where it would refuse it, or a cell is more than running text."""
    table = csv_table(lines, at)
    texts = (lines[n] for row in table.rows for n in row.lines[1:]) if table else ()
    return None if any(map(FURTHER_IN.match, texts)) else table and widened(table)


def of_cells(lines: Sequence[str], at: int) -> Table | None:
    """That of a format without markup. Two lines without a head may be anything: commands, say, that are piped."""
    table = bars(lines, at) if not lines[at].startswith("|") else None
    return widened(table) if table and (table.heads or len(table.rows) > 2) else None


def of_markdown(lines: Sequence[str], at: int) -> Table | None:
    """A head, its rule, and rows up to the first line without a bar. Those that end early are filled up."""
    rule = "".join(lines[at + 1 : at + 2]).expandtabs(1)
    if (
        "|" not in lines[at]
        or is_rule(lines[at])
        or "|" not in rule
        or not is_rule(rule)
        or len(cells(lines[at])) != len(cells(rule))
    ):
        return None
    end = next((n for n in range(at + 2, len(lines)) if "|" not in lines[n]), len(lines))
    width = len(cells(rule))
    head, *rows = [
        Row(cells_of(lines[n], width), range(n, n + 1)) for n in (at, *range(at + 2, end)) if not is_rule(lines[n])
    ]
    return Table(range(at, end), rows, [head])
