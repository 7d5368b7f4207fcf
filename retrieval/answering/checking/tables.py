"""Which row and column of a table a number stands in: the guests' price is not said of members. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from knowledge.texts.tables.readers import tables_in
from knowledge.texts.words import stem, tells, words
from retrieval.answering.checking.numerals import numbers_of
from retrieval.answering.checking.opposites import tokens
from retrieval.answering.checking.pairings import clauses
from retrieval.answering.checking.quantities import YEAR, known_quantities
from retrieval.answering.checking.roles import LETTERED

LETTER = re.compile(r"\b[A-Z]\b")
HEAD_WORD = re.compile(r"[^\W\d_]+|[%$€£¥]")

VERBS_OF = {"load": "carry carries", "capacity": "hold holds", "weight": "weigh weighs"}  # what a column's name is of
VERB = re.compile(rf"\b(?:{'|'.join(' '.join(VERBS_OF.values()).split())})\b")


@dataclass(frozen=True, slots=True)
class Cell:
    """The numbers of a cell that has any, the names in the rest of its row, and those in its column's head."""

    numbers: frozenset[str]
    row: frozenset[str]
    column: frozenset[str]


def named_as(head: str, sentence: str) -> str:
    """The sentence with “weight” for “weighs” where the head of a table has a column of that name."""
    columns = frozenset(words(head))
    nouns = {verb: noun for noun, verbs in VERBS_OF.items() if noun in columns for verb in verbs.split()}
    return VERB.sub(lambda said: nouns.get(said[0], said[0]), sentence) if nouns else sentence


def misplaced(sentence: str, passage: str) -> str:
    """A number of a passage's table that stands in none of the cells where the sentence says that it stands.

    Or a word that stands in other rows alone than the one that is named. Rows that are quoted whole say what they say.
    """
    if set(lines_of(sentence)) <= set(lines_of(passage)):
        return ""
    return _number_misplaced(sentence, passage) or _word_misplaced(sentence, passage)


def _word_misplaced(sentence: str, passage: str) -> str:
    rows, outside = rows_of(passage)
    said = with_letters(sentence)
    own = [row for row in rows[1:] if row[0] and row[0] <= said]
    if not own:
        return ""
    foreign = said & frozenset().union(*(cell for row in rows for cell in row[1:]))
    names = (row[0] for row in rows)
    return min(foreign.difference(outside, *(cell for row in own for cell in row), *rows[0], *names), default="")


def of_another_row(sentence: str, passage: str, table: str) -> str:
    """A word that the passage lacks, and other rows of its table have, or the name of one of those; empty if none."""
    rows, outside = rows_of(table)
    said, there = with_letters(sentence), with_letters(passage)
    others = [row[0] for row in rows[1:] if row[0] and row[0] <= said and not row[0] <= there]
    if others:
        return min(others[0])
    foreign = said & frozenset().union(*(cell for row in rows[1:] for cell in row[1:]))
    return min(foreign.difference(there, outside, *rows[:1], *(row[0] for row in rows)), default="")


def _number_misplaced(sentence: str, passage: str) -> str:
    cells, elsewhere = cells_of(passage)
    if not cells:
        return ""
    parts, whole = clauses(sentence), named(sentence)
    for part in parts:
        rows = _said(part, parts, whole, [cell.row for cell in cells])
        columns = _said(part, parts, whole, [cell.column for cell in cells])
        row, column = max(len(rows & cell.row) for cell in cells), max(len(columns & cell.column) for cell in cells)
        for number in numbers_of(part) - elsewhere:
            there = [cell for cell in cells if number in cell.numbers]
            fits = any(len(rows & cell.row) == row and len(columns & cell.column) == column for cell in there)
            if there and not fits:
                return number
    return ""


def _said(part: str, parts: Sequence[str], whole: frozenset[str], heads: Sequence[frozenset[str]]) -> frozenset[str]:
    """The names of a clause; of the sentence where the clause names none, or names and numbers stand apart."""
    known = frozenset().union(*heads)
    paired = all(numbers_of(one) for one in parts if named(one) & known)
    return own if paired and (own := named(part) & known) else whole & known


@lru_cache(maxsize=2048)
def cells_of(passage: str) -> tuple[tuple[Cell, ...], frozenset[str]]:
    """The cells with numbers, and the numbers that stand outside them, too."""
    rows, others = split(passage)
    if len(rows) < 2:
        return (), frozenset()
    # A head may have years, and no other numbers.
    head = rows[0] if all(YEAR.fullmatch(number) for cell in rows[0] for number in numbers_of(cell)) else []
    found = [
        Cell(numbers, _others(row, at), named(head[at]) if at < len(head) else frozenset())
        for row in rows[bool(head) :]
        for at, text in enumerate(row)
        if at and (numbers := numbers_of(text))
    ]
    return tuple(found), numbers_of("\n".join([*others, *head, *(row[0] for row in rows)]))


@lru_cache(maxsize=2048)
def quantities_in_columns(passage: str) -> frozenset[str]:
    """What its cells say with a word of their column's head: 20 below “Storage (GB)” is “20 GB”."""
    told = {
        f"{cell} {word}"
        for table in tables_in(passage.splitlines())
        for row in table.rows
        for name, cell in zip(table.names, row.cells, strict=False)
        if numbers_of(cell)
        for word in HEAD_WORD.findall(name)
    }
    return frozenset().union(*map(known_quantities, told))


@lru_cache(maxsize=2048)
def rows_of(passage: str) -> tuple[tuple[tuple[frozenset[str], ...], ...], frozenset[str]]:
    """The names in the cells of each row, the head first; and those that stand outside of the table."""
    rows, others = split(passage)
    return tuple(tuple(map(with_letters, row)) for row in rows), named("\n".join(others))


def lines_of(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def split(passage: str) -> tuple[list[Sequence[str]], list[str]]:
    """The cells of each row of a passage's tables, names of columns first, and its other lines."""
    lines = passage.splitlines()
    rows, others, start = list[Sequence[str]](), list[str](), 0
    for table in tables_in(lines):
        rows += [*([table.names] if table.names else []), *(row.cells for row in table.rows)]
        others += [*lines[start : table.lines.start], table.title]
        start = table.lines.stop
    return rows, [*others, *lines[start:]]


def _others(row: Sequence[str], at: int) -> frozenset[str]:
    """What stands in the other cells of a row, but for their numbers: those belong to other columns."""
    return named(row[0]).union(*(named(cell) for place, cell in enumerate(row) if place != at and not numbers_of(cell)))


def with_letters(text: str) -> frozenset[str]:
    """What tells things apart, with the capitals that stand alone: a row may be named `E`."""
    return named(text) | frozenset(LETTER.findall(text))


def named(text: str) -> frozenset[str]:
    """What tells things of a kind apart: the stems of content words; “Plan A” is one."""
    spoken = tokens(LETTERED.sub(r"\1-\2", text))
    return frozenset(word if "-" in word else stem(word) for word in spoken if tells(word))
