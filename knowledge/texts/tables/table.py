"""What a table in text is: rows of cells, each on lines of its own, and as models read it, row by row. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from .spans import LONGEST_REPEATED, Cell, laid_out

LONGEST_NAMES = 1_000  # characters of a row: with them it is to fit a chunk, and a sheet of 1,000 columns the memory


@dataclass(frozen=True, slots=True)
class Row:
    """Its cells from left to right, and the lines that say them, without what only draws the table."""

    cells: Sequence[str]
    lines: range


@dataclass(frozen=True, slots=True)
class Table:
    """`lines` are all that it takes, by their numbers in the text. The rows of its head name the columns."""

    lines: range
    rows: Sequence[Row]
    heads: Sequence[Row] = ()
    names: Sequence[str] = ()
    title: str = ""

    @property
    def first_below_head(self) -> int:
        """The line of the first row below the head; a title across the table stands above it."""
        end = max((row.lines.stop for row in self.heads), default=self.lines.start)
        return next((row.lines.start for row in self.rows if row.lines.start >= end), self.lines.stop)

    def moved(self, by: int) -> "Table":
        """On lines that stand so much further down: it was read from a part of the text."""

        def below(lines: range) -> range:
            return range(lines.start + by, lines.stop + by)

        heads, rows = ([replace(row, lines=below(row.lines)) for row in part] for part in (self.heads, self.rows))
        return replace(self, lines=below(self.lines), heads=heads, rows=rows)

    def told(self) -> Iterator[str]:
        """`Trailer: Guests €6, Full deposit €40.` Where names would be most of a long row it goes without them."""
        names = [name[:LONGEST_REPEATED] for name in self.names]
        yield from [f"{self.title}."] if self.title else []
        for row in self.rows:
            first, *others = row.cells or ("",)
            own = list(zip_longest(names[1 : len(row.cells)], others, fillvalue=""))
            if sum(len(name) for name, cell in own if cell) > LONGEST_NAMES:
                own = [("", cell) for cell in others]
            named = (f"{name} {cell}".strip() for name, cell in own if cell)
            if said := ": ".join(filter(None, (first, ", ".join(named)))):
                yield f"{said}."


def row_of(drawn: Sequence[tuple[int, Sequence[str]]]) -> Row:
    """Of the numbers of its lines, and what each says of its cells."""
    cells = zip_longest(*(cells for _, cells in drawn), fillvalue="")
    return Row([" ".join(filter(None, said)) for said in cells], range(drawn[0][0], drawn[-1][0] + 1))


def headed(lines: range, rows: Sequence[Row], heads: int, title: str = "") -> Table:
    """The first so many rows are the head; of a table that has no others they are its rows."""
    if not 0 < heads < len(rows):
        return Table(lines, rows, title=title)
    names = [" ".join(filter(None, column)) for column in columns(rows[:heads])]
    return Table(lines, rows[heads:], rows[:heads], names, title)


def columns(rows: Sequence[Row]) -> Iterator[tuple[str, ...]]:
    return zip_longest(*(row.cells for row in rows), fillvalue="")


def names_of(heads: Sequence[Row]) -> list[str]:
    """Of rows of names one; what spans several of them is said once."""
    return [" ".join(dict.fromkeys(filter(None, column))) for column in columns(heads)]


def widened(table: Table) -> Table:
    """With empty cells where a row ends early."""
    width = max((len(row.cells) for row in (*table.heads, *table.rows)), default=0)

    def filled(rows: Sequence[Row]) -> list[Row]:
        return [replace(row, cells=[*row.cells, *[""] * (width - len(row.cells))]) for row in rows]

    return replace(table, heads=filled(table.heads), rows=filled(table.rows))


@dataclass(frozen=True, slots=True)
class Drawn:
    """A table with cells that may span others: its rows, the lines of each, and how many are the head."""

    lines: range
    rows: Sequence[Sequence[Cell]]
    places: Sequence[range]
    heads: int


def laid_table(drawn: Drawn) -> Table:
    """Each cell at every place that it spans, but for a title across the table, which is said before the rows."""
    laid = [Row(cells, place) for cells, place in zip(laid_out(drawn.rows), drawn.places, strict=True)]
    titles = [row for row in laid[: drawn.heads] if sum(map(bool, row.cells)) == 1 and row.cells[0]]
    head = [row for row in laid[: drawn.heads] if row.cells and row not in titles]
    below = [row for row in laid[drawn.heads :] if row.cells]
    if not head or not below:
        return Table(drawn.lines, [*titles, *head, *below])
    return Table(drawn.lines, [*titles, *below], head, names_of(head))
