"""What the lines of running text are: prose, code, tables, or what only directs; told in one walk. Pure but
for Django's `SafeString`."""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import count

from knowledge.texts.fences import end_of_code, info_of, opens_code
from knowledge.texts.front_matter import end_of_front_matter
from knowledge.texts.indented import indented_code
from knowledge.texts.lines import after, indent_of, inside
from knowledge.texts.literals import OPTION, literal_lines
from knowledge.texts.tables.table import Table
from retrieval.notations import MARKDOWN, RST
from retrieval.rendering.html_tables import of_html
from retrieval.rendering.plain import unfenced
from retrieval.rendering.tables import DrawnRow, drawn, grid, last_rules, of_cells, of_values
from retrieval.rendering.tables import of_markdown as markdown_table
from retrieval.rendering.tables import of_rst as rst_table

TABLE = re.compile(r"\s*(?:\+[-=+]+\+|=+(?: +=+)+|\|.*\|)\s*$")
DIRECTIVE = re.compile(r"\s*\.\. (?:_.*:.*|[\w:+.-]+::(?: +\S+)?)\s*$")  # or a target; nothing that is read
COLONS = re.compile(r"\s*:{3,}\s*(?:\{[^{}]*\}|[\w-]+)?\s*$")  # of Docusaurus and others, without a title
LINK_TARGET = re.compile(r" {0,3}\[(?!\^)[^\]]+\]:\s+\S+(?:\s+[\"'(].*)?$")  # of Markdown
DIRECTIVE_HEAD = re.compile(r"\s*\.\. (?:\|[^|]+\| )?[\w:+.-]+::")
CSV_TABLE = re.compile(r"\s*\.\. csv-table::")


@dataclass(frozen=True, slots=True)
class Stretch:
    """Lines of one kind (prose, code, table or directive) by their indexes; `info` is said of what a fence holds.

    A table that can be drawn has rows.
    """

    kind: str
    lines: range
    info: str | None = None
    rows: tuple[DrawnRow, ...] = ()


def stretches(lines: Sequence[str], notation: str) -> Iterator[Stretch]:
    """All lines in order. `notation` is the name of a lexer; what is neither RST nor Markdown may hold Markdown's
    fences, and tables of Markdown and between rules; what has none, cells between bars."""
    lines = [*unfenced(lines)] if notation == MARKDOWN else lines
    at = 0
    code = {block.start: block for block in indented_code(lines)} if notation == MARKDOWN else {}
    last, literal = (last_rules(lines), literal_lines(lines)) if notation == RST else ([], set[int]())
    if notation != RST and (end := end_of_front_matter(lines)):
        yield Stretch("directive", range(end))
        at = end
    while at < len(lines):
        for found in of_rst(lines, at, last, literal) if notation == RST else of_markdown(lines, at, notation, code):
            yield found
            at = found.lines.stop


def of_markdown(lines: Sequence[str], at: int, notation: str, code: Mapping[int, range]) -> Iterator[Stretch]:
    """What begins at `at`; `code` is what is told by its indent, by where it begins. In Markdown tags are no example of
    HTML.
    """
    line = lines[at]
    if at in code:
        yield Stretch("code", code[at])
    elif (found := (of_html(lines, at) if notation == MARKDOWN else None) or grid(lines, at)) and found[0]:
        yield tabular(*found)
    elif opens_code(lines, at):
        end = end_of_code(lines, at)
        yield Stretch("code", range(at, at + 1))
        yield Stretch("code", range(at + 1, end), info_of(line))
        yield Stretch("code", range(end, min(end + 1, len(lines))))
    elif table := markdown_table(lines, at) or (None if notation else of_cells(lines, at)):
        yield tabular(table.lines, table)
    else:
        yield Stretch("directive" if COLONS.match(line) else kind_of(line, LINK_TARGET), range(at, at + 1))


def of_rst(lines: Sequence[str], at: int, last: Sequence[int], literal: Set[int]) -> Iterator[Stretch]:
    """What begins at `at`; `last` are the places of the rules that end tables in columns, `literal` those of lines that
    stand as they are.
    """
    line = lines[at]
    if at in literal:
        yield Stretch("code", range(at, next(n for n in count(at) if n not in literal)))
    elif (found := rst_table(lines, at, last)) and found[0]:
        yield tabular(*found)
    else:
        yield Stretch(kind_of(line, DIRECTIVE), range(at, at + 1))
        if CSV_TABLE.match(line) and (end := end_of_csv(lines, at)) > at:
            yield tabular(range(at + 1, end), of_values(lines, at))
        elif DIRECTIVE_HEAD.match(line):
            options = range(at + 1, len(lines))
            yield Stretch(
                "directive", range(at + 1, next((n for n in options if not OPTION.match(lines[n])), len(lines)))
            )


def tabular(lines: range, table: Table | None) -> Stretch:
    return Stretch("table", lines, rows=drawn(table, lines))


def kind_of(line: str, directive: re.Pattern[str]) -> str:
    return "table" if TABLE.match(line) else "directive" if directive.match(line) else "prose"


def end_of_csv(lines: Sequence[str], at: int) -> int:
    """Behind the comma-separated values of the directive at `at`; `at` if it has none, but names a file of them."""
    end = inside(lines, at + 1, indent_of(lines[at]))
    blank = after(lines, at + 1, bool)
    return end if blank < end else at
