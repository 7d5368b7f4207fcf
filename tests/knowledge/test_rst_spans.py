"""Cells of RST's tables that span others, held against docutils, and how models read them."""

from time import process_time

import pytest
from docutils.parsers.rst.tableparser import GridTableParser, SimpleTableParser
from docutils.statemachine import StringList
from hypothesis import given
from hypothesis import strategies as st

from knowledge.texts.markup import without_markup
from knowledge.texts.tables.rst_spans import spanning_columns, spanning_grid
from knowledge.texts.tables.spans import Cell

GRID = """\
+---------+-----------------+---------+
| Class   | Per day         | Deposit |
|         +--------+--------+         |
|         | Guests | Member |         |
+=========+========+========+=========+
| trailer | €6     | €4     | €40     |
|         +--------+--------+         |
|         | free            |         |
+---------+--------+--------+---------+
| Closed in winter, but for repairs   |
+---------+--------+--------+---------+
| 自転車  | €12    |        | €80     |
+---------+--------+--------+---------+"""
GRID_SAID = """\
trailer: Per day Guests €6, Per day Member €4, Deposit €40.
trailer: Per day Guests free, Per day Member free, Deposit €40.
Closed in winter, but for repairs.
自転車: Per day Guests €12, Deposit €80."""
COLUMNS = """\
=======  ======  ======  =======
Prices, from May on
--------------------------------
Bikes        Per day
-------  --------------  -------
Class    Guests  Member  Deposit
=======  ======  ======  =======
trailer  €6      €4      €40
         on Sun
tandem   free
-------  --------------  -------
kayak    €9      €8      €60
=======  ======  ======  ======="""
COLUMNS_SAID = """\
Prices, from May on.
trailer: Per day Guests €6 on Sun, Per day Member €4, Deposit €40.
tandem: Per day Guests free, Per day Member free.
kayak: Per day Guests €9, Per day Member €8, Deposit €60."""


@pytest.mark.parametrize(("table", "said"), [(GRID, GRID_SAID), (COLUMNS, COLUMNS_SAID)])
def test_every_value_is_said_with_its_head_and_its_rows_name(table, said):
    assert without_markup(table) == said
    assert without_markup(f"Before.\n\n   {table.replace(chr(10), chr(10) + '   ')}\n\nAfter.") == (
        f"Before.\n\n{said}\n\nAfter."
    )


@pytest.mark.parametrize("lines", [6, 8, 11])
def test_a_grid_may_be_cut_off(lines):
    cut = without_markup("\n".join(GRID.split("\n")[:lines]))
    assert cut.startswith("trailer: Per day Guests €6, Per day Member €4, Deposit €40.") and "+" not in cut


def told(rows: list[list[Cell]]) -> list[list[Cell]]:
    return [[(" ".join(text.split()), columns, rows) for text, columns, rows in row] for row in rows]


def by_docutils(parser: GridTableParser | SimpleTableParser, table: str) -> tuple[list[list[Cell]], int]:
    _, head, body = parser.parse(StringList(table.split("\n")))
    rows = [[(" ".join(cell[3]), cell[1] + 1, cell[0] + 1) for cell in row if cell] for row in head + body]
    return told(rows), len(head)


@st.composite
def grids(draw) -> str:
    """A grid of cells four characters wide, of which some are put together."""
    height, width = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    owner = {(row, column): (row, column) for row in range(height) for column in range(width)}
    for _ in range(draw(st.integers(0, 3))):
        top, left = draw(st.integers(0, height - 1)), draw(st.integers(0, width - 1))
        bottom, right = draw(st.integers(top, height - 1)), draw(st.integers(left, width - 1))
        places = [(row, column) for row in range(top, bottom + 1) for column in range(left, right + 1)]
        if all(owner[place] == place and list(owner.values()).count(place) == 1 for place in places):
            owner |= dict.fromkeys(places, (top, left))
    canvas = [[" "] * (5 * width + 1) for _ in range(2 * height + 1)]
    for (row, column), first in owner.items():
        if owner.get((row - 1, column)) != first:
            canvas[2 * row][5 * column + 1 : 5 * column + 5] = "----"
        if owner.get((row, column - 1)) != first:
            canvas[2 * row + 1][5 * column] = "|"
        if (row, column) == first:
            canvas[2 * row + 1][5 * column + 1 : 5 * column + 5] = draw(
                st.sampled_from([" ab ", " x| ", "a+b ", "    "])
            )
    canvas[-1] = list("-" * (5 * width + 1))
    for line in canvas[1::2]:
        line[-1] = "|"
    for row in range(height + 1):
        for column in range(width + 1):
            line, place = canvas[2 * row], 5 * column
            beside = "-" in line[max(place - 1, 0) : place + 2]
            above, below = canvas[max(2 * row - 1, 0)][place], canvas[min(2 * row + 1, 2 * height)][place]
            if "|" in (above, below):
                line[place] = "+" if beside else "|"
            elif beside and line[place] == " ":
                line[place] = "-"
    return "\n".join("".join(line) for line in canvas)


@given(grids())
def test_a_grid_is_read_as_docutils_reads_it(grid):
    rows, heads = by_docutils(GridTableParser(), grid)
    found = spanning_grid(grid.split("\n"), 0)
    spans = any(columns + rows > 2 for row in rows for _, columns, rows in row)
    assert found is None if not spans else found and (told(found.rows), found.heads) == (rows, heads)


def test_a_table_in_columns_is_read_as_docutils_reads_it():
    found = spanning_columns(COLUMNS.split("\n"), 0)
    assert found and (told(found.rows), found.heads) == by_docutils(SimpleTableParser(), COLUMNS)


@pytest.mark.parametrize(
    "table",
    [
        "+-" * 40_000 + "+\n" + "| a\n" * 20_000,
        ("+-" * 400 + "+\n" + "|a" * 400 + "|\n") * 400,
        "+-" * 100 + "+\n" + "+ a -+-+ \n" * 50_000,
        "==  " * 20_000 + "==\n" + "a\n-- --\n" * 20_000 + "==  ==",
        "==  ==\n" + "a   b\n------\n" * 50_000 + "==  ==",
    ],
    ids=["edges", "places", "crossings", "columns", "underlines"],
)
def test_a_hostile_drawing_does_not_hold_a_process_up(table):
    began = process_time()
    without_markup(table)
    assert process_time() - began < 8
