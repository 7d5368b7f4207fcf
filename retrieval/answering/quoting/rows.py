"""The rows of a passage's tables: which of them a question asks for, and that as models read it. Pure."""

import re
from collections.abc import Sequence, Set

from knowledge.texts.words import terms
from retrieval.answering.quoting.held import Held
from retrieval.answering.quoting.relevance import relevance
from retrieval.answering.quoting.tables import PlacedRow, head_above, is_table, rows_in, tables_in
from retrieval.answering.sentences import Span
from retrieval.results import Hit

CELLS = re.compile(r"\s*\|\s*|\s{2,}")
NO_HEADS_END = tuple(".!?:;,")
FEW_WORDS = 8  # of a cell that is no sentence
SHOWN_WHOLE = 8  # rows of a table; of a longer one, that which is asked for


def has_digit(word: str) -> bool:
    return any(sign.isdigit() for sign in word)


def asked_head(text: str, asked: set[str]) -> frozenset[str]:
    """The content words at the head of a row, of a table or of columns in a listing, if the question has them all.

    "E07  motor too hot" answers for E07, "| Pedal | 35 Nm |" for the pedal; a reader of sentences makes little of them.
    """
    rows = (CELLS.split(line.strip(" |\t")) for line in text.split("\n") if "|" in line or is_row(line))
    return next((words for words in map(head_words, rows) if words and words <= asked), frozenset())


def is_row(line: str) -> bool:
    """Of columns that spaces part: a code before anything, a word before few others. Justified prose is none."""
    head, _, rest = line.strip().partition("  ")
    return has_digit(head) or "_" in head or len(rest.split()) <= FEW_WORDS


def asked_for(rows: Sequence[PlacedRow], asked: Set[str]) -> Span | None:
    """The one row that is named: its first cell, or else another of several words, has no words but the question's."""
    by_head = [row for row in rows if (head := head_words(row.cells)) and head <= asked]
    by_cell = [row for row in rows if any(len(said) > 1 and said <= asked for said in map(terms, row.cells))]
    named = by_head or by_cell
    return named[0].span if len(named) == 1 else None


def head_words(cells: Sequence[str]) -> frozenset[str]:
    """The content words in the first cell of a row."""
    return frozenset(terms(cells[0])) if len(cells) > 1 and cells[0][-1:] not in NO_HEADS_END else frozenset()


def shown_alone(hit: Hit, quoted: Span, asked: Set[str], held: Held | None) -> Span | None:
    """Of a long table the row that the question asks for, if that is one."""
    rows = rows_in(hit.text, quoted, hit.context)
    return (held.row.span if held else asked_for(rows, asked)) if len(rows) > SHOWN_WHOLE else None


def telling_row(hit: Hit, quoted: Span, weights: dict[str, float], alone: Span | None, held: Held | None) -> str:
    """Of a table the row that has most of the question's words, each of its values with the head of its column.

    That in whose range a number of the question lies, with the number, or that which is shown alone, if one is; of two
    that have as many, the one that is named so.
    """
    if held:
        return f"{held.asked}: {hit.plain(below_its_head(hit, held.row.span))}"
    if not is_table(hit.text, quoted):
        return ""
    ends = (table.span.end for table in tables_in(hit.text, hit.context) if table.span.end > quoted.start)
    rows = hit.plain(below_its_head(hit, Span(quoted.start, min(next(ends, quoted.end), quoted.end)))).split("\n")
    shown = terms(hit.plain(hit.text[alone.start : alone.end])) if alone else set()
    return max(
        rows,
        key=lambda row: (
            shown <= terms(row),
            relevance(terms(row), weights, set()),
            terms(row.partition(":")[0]) <= {*weights},
        ),
    )


def below_its_head(hit: Hit, quoted: Span) -> str:
    """A span of the hit; rows of a table below the head of their columns, as far in as they stand."""
    head = head_above(hit.text, quoted, hit.context)
    line = hit.text.rfind("\n", 0, quoted.start) + 1
    start = line if head and not hit.text[line : quoted.start].strip() else quoted.start
    return head + hit.text[start : quoted.end]
