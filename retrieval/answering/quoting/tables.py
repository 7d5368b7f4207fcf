"""The tables of a passage: where they stand in its text, their heads and rows. Pure."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain, combinations

from knowledge.texts.fences import code_lines
from knowledge.texts.languages.little_words import AND, OR, of_every
from knowledge.texts.tables import readers
from knowledge.texts.tables.readers import CELL_OF_LIST, MOST_OPTIONS, ROW_OF_LIST, head_of
from knowledge.texts.words import stem, tells, words
from retrieval.answering.sentences import LONGEST, Span, windows

LIST_TABLE = re.compile(r"[ \t]*\.\. list-table::")
LETTER = re.compile(r"\b[A-Z]\b")
JOINING = of_every(AND, OR)
FEW = 3  # names of rows that may share a word which tells them from the others of their table
MOST_PAIRED = 6  # rows that a sentence names: each pair is a quotation to be checked


@dataclass(frozen=True, slots=True)
class PlacedRow:
    """Where it stands, without the white space around it, and its cells from left to right."""

    span: Span
    cells: Sequence[str]


@dataclass(frozen=True, slots=True)
class PlacedTable:
    """Its head, with the rules below it, as it is written; empty where nothing names the columns. The span may begin
    before the text, where a passage that goes on with a table has its head in its context. Its rows have several cells:
    what is drawn beside a single bar belongs together, and says nothing row by row.
    """

    span: Span
    head: str
    head_end: int
    rows: Sequence[PlacedRow]
    names: Sequence[str] = ()  # of the columns


@lru_cache(maxsize=512)
def tables_in(text: str, context: str = "") -> tuple[PlacedTable, ...]:
    """`context` is that of a chunk: the head of the table whose rows it may begin with."""
    above = head_of(text, context)
    return tuple(placed(above + text, len(above)))


def placed(text: str, above: int) -> Iterator[PlacedTable]:
    """`above`: how many characters of the text stand before that which places are told of."""
    lines = text.split("\n")
    starts = [*accumulate((len(line) + 1 for line in lines), initial=0)]
    before = 0
    for table in readers.tables_in(lines, code=code_lines(lines)):
        at = table.lines.start
        if any(len(row.cells) > 1 for row in table.rows) or lines[at].lstrip().startswith("|"):
            start, end = starts[first_line(lines, at, before)], min(starts[table.lines.stop], len(text))
            head_end = starts[table.first_below_head] if table.heads else start
            rows = [
                PlacedRow(Span(begin - above, begin - above + len(said)), row.cells)
                for row in table.rows
                for begin, said in [row_in(text, starts[row.lines.start], starts[row.lines.stop])]
                if begin >= above and len(row.cells) > 1
            ]
            yield PlacedTable(
                Span(start - above, end - above), text[start:head_end], head_end - above, rows, table.names
            )
            before = table.lines.stop


def row_in(text: str, start: int, end: int) -> tuple[int, str]:
    """Where its text begins, and the text, without the white space around it."""
    said = text[start:end].strip()
    return text.index(said, start), said


def first_line(lines: Sequence[str], at: int, before: int) -> int:
    """That of the directive which a list of lists belongs to; other tables begin where they begin.

    `before` is where the table before it ends.
    """
    above = range(at, max(at - MOST_OPTIONS - 2, before - 1), -1) if ROW_OF_LIST.match(lines[at]) else ()
    return next((n for n in above if LIST_TABLE.match(lines[n])), at)


def head_above(text: str, span: Span, context: str = "") -> str:
    """The head of the table that a span begins in, with its rules; empty where it begins with it, or in none."""
    return next((table.head for table in tables_in(text, context) if table.head_end <= span.start < table.span.end), "")


def rows_in(text: str, span: Span, context: str) -> list[PlacedRow]:
    """The rows of tables within a span, without their heads."""
    return [row for table in tables_in(text, context) for row in table.rows if row.span in span]


def quotable(text: str, context: str, sentence: str) -> tuple[Span, ...]:
    """The windows of a chunk, but of its tables whole rows: one, or what reaches from one that the sentence names to
    another. Else what one row says at its end would be read with the name that the next begins with.
    """
    tables, spans = in_rows(text, context)
    pairs = (pair for rows in tables for pair in paired(named_in(sentence, rows)))
    wide = (Span(first.span.start, last.span.end) for first, last in pairs)
    return (*spans, *(span for span in wide if span.end - span.start <= LONGEST))


def paired(rows: Sequence[PlacedRow]) -> Iterator[tuple[PlacedRow, PlacedRow]]:
    """Each row with each behind it; of many rows the first with the last alone."""
    return combinations(rows if len(rows) <= MOST_PAIRED else (rows[0], rows[-1]), 2)


@lru_cache(maxsize=512)
def in_rows(text: str, context: str) -> tuple[list[list[PlacedRow]], tuple[Span, ...]]:
    """The rows of each table, none too long to be quoted; each row as a span, and the windows that cut none of them."""
    tables = [
        [row for row in table.rows if row.span.end - row.span.start <= LONGEST] for table in tables_in(text, context)
    ]
    rows = [row.span for own in tables for row in own]
    whole = (span for span in windows(text) if not rows or cuts_none(text, span, rows))
    return tables, tuple(dict.fromkeys([*whole, *rows]))


def cuts_none(text: str, span: Span, rows: Sequence[Span]) -> bool:
    """Whether it touches no row, or has one whole and no cell of one that the text does not begin."""
    touched = [row for row in rows if row.start < span.end and span.start < row.end]
    if not touched:
        return True
    begun = CELL_OF_LIST.match(text, text.rfind("\n", 0, span.start) + 1)
    return len(touched) == 1 and span.start <= touched[0].start and touched[0].end <= span.end and not begun


def named_in(sentence: str, rows: Sequence[PlacedRow]) -> list[PlacedRow]:
    """The rows of a table of which a sentence has a word of the first cell, and each letter that tells it from others:
    Plan A. A word that many names share tells nothing beside others: of Bike 17 the number is looked for.
    """
    names = [name_of(row) for row in rows]
    shared = {word for word, n in Counter(chain.from_iterable({*names})).items() if n > FEW}
    spoken, capitals = spoken_in(sentence, shared), {*LETTER.findall(sentence)}
    return [
        row for row, name in zip(rows, names, strict=True) if is_named(row, name - shared or name, spoken, capitals)
    ]


def spoken_in(sentence: str, shared: Set[str]) -> set[str]:
    """Its words. Where names share some, its numbers only behind those: of “bikes 7 and 9 cost 12” the 7 and the 9."""
    said, names = set[str](), not shared
    for word in words(sentence):
        if not word.isdigit():
            names = not shared or stem(word) in shared or (names and word in JOINING)
        if names or not word.isdigit():
            said.add(stem(word))
    return said


def name_of(row: PlacedRow) -> frozenset[str]:
    return frozenset(stem(word) for word in words(row.cells[0]) if tells(word))


def is_named(row: PlacedRow, name: Set[str], spoken: Set[str], capitals: Set[str]) -> bool:
    letters = {*LETTER.findall(row.cells[0])}
    return letters <= capitals and bool(name & spoken if name else letters)


def with_its_table(text: str, span: Span, context: str) -> str:
    """The text, with the head of the rows that it begins with, where the span begins in a table; empty elsewhere."""
    begins = any(table.span.start <= span.start < table.span.end for table in tables_in(text, context))
    return head_of(text, context) + text if begins else ""


def is_table(text: str, span: Span) -> bool:
    """Whether a table begins on the line on which the span begins, or goes on."""
    line = text.rfind("\n", 0, span.start) + 1
    return any(table.span.start <= line < table.span.end for table in tables_in(text))
