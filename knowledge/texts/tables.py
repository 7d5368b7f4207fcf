"""Tables as models read them: row by row, each value with the head of its column. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from .spans import LONGEST_REPEATED, Cell, laid_out

Row = list[list[str]]  # of each cell what its lines say
LONGEST_NAMES = 1_000  # characters of a row: with them it is to fit a chunk, and a sheet of 1,000 columns the memory


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells. The head, if there is one, is not among them."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]

    def lines(self) -> Iterator[str]:
        """`Trailer: Guests €6, Full deposit €40.` Where names would be most of a long row it goes without them."""
        names = [name[:LONGEST_REPEATED] for name in self.head]
        for row in self.rows:
            first, *others = row or ("",)
            own = list(zip_longest(names[1 : len(row)], others, fillvalue=""))
            if sum(len(name) for name, cell in own if cell) > LONGEST_NAMES:
                own = [("", cell) for cell in others]
            named = (f"{name} {cell}".strip() for name, cell in own if cell)
            if told := ": ".join(filter(None, (first, ", ".join(named)))):
                yield f"{told}."


def laid_table(rows: Sequence[Sequence[Cell]], heads: int) -> Table:
    """The first so many rows are the head, but for a title across the table, which is said before the rows."""
    laid = laid_out(rows)
    titles = [row for row in laid[:heads] if sum(map(bool, row)) == 1 and row[0]]
    head = [row for row in laid[:heads] if row not in titles]
    for number in reversed(range(1, len(head))):  # what spans rows of the head is said once
        head[number] = [
            "" if text in head[number - 1][place : place + 1] else text for place, text in enumerate(head[number])
        ]
    table = headed([[[text] for text in row] for row in (*head, *laid[heads:]) if row], len(head))
    return replace(table, rows=[*titles, *table.rows])


def headed(rows: Sequence[Row], heads: int) -> Table:
    """The first so many rows are the head; of a table that has no others they are its rows."""
    if not 0 < heads < len(rows):
        return Table((), [*map(joined, rows)])
    head = Row()
    for row in rows[:heads]:
        put(joined(row), head)
    return Table(joined(head), [*map(joined, rows[heads:])])


def put(cells: Iterable[str], row: Row) -> None:
    """What a further line has of a row, cell by cell."""
    for index, cell in enumerate(cells):
        if index == len(row):
            row.append([])
        row[index].append(cell)


def is_filled(row: Row) -> bool:
    return any(map(any, row))


def joined(row: Row) -> list[str]:
    return [" ".join(filter(None, said)) for said in row]
