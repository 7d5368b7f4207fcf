"""Tables drawn with characters are read as rows and cells; what only looks like one stays as it stands."""

import pytest

from retrieval.pages import reader
from retrieval.pages.tables import rows

GRID = """\
+-------+----------+
| Class | Members  |
+=======+==========+
| bike  | € 12     |
|       | a day    |
+-------+----------+"""


COLUMNS = """\
=====  ======
Class  Members
=====  ======
bike   € 12
       a day

tram   € 2
=====  ======"""

LISTED = """\
   * - Class
     - Members
   * - bike
     - € 12
       a day"""


def numbered(text: str) -> list[tuple[int, str]]:
    return list(enumerate(text.split("\n"), 1))


def test_pipes_are_a_row_for_each_line_and_the_border_belongs_to_the_head():
    found = rows(numbered("| A | B \\| C |\n|---|:-:|\n| 1 | |"))
    assert [row.cells for row in found] == [("A", "B | C"), ("1", "")]
    assert [row.is_head for row in found] == [True, False]
    assert [row.lines for row in found] == [(1, 2), (3,)]


def test_a_row_of_pipes_that_ends_early_is_filled_up_and_the_outer_ones_may_be_away():
    found = rows(numbered("| A | B |\n|---|---|\n| 1 |\n| | |"))
    assert [row.cells for row in found] == [("A", "B"), ("1", ""), ("", "")]
    assert [row.cells for row in rows(numbered("A | B\n--- | ---\n1 | 2"))] == [("A", "B"), ("1", "2")]


@pytest.mark.parametrize(
    ("row", "cells"),
    [
        ("| `a \\| b` | c |", ("`a | b`", "c")),
        ("| `a | b` | c |", ("`a | b`", "c")),
        ("| ``a ` | b`` | c |", ("``a ` | b``", "c")),
        ("| c | `a || b`", ("c", "`a || b`")),
        ("| a ` | b ` |", ("a `", "b `")),
    ],
)
def test_a_bar_in_a_cell_of_markdown_is_escaped_or_within_code(row, cells):
    found = rows(numbered(f"| A | B |\n|---|---|\n{row}\n| 1 | 2 |"))
    assert [row.cells for row in found] == [("A", "B"), cells, ("1", "2")]


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("   :header-rows: 1\n\n   A,B\n   1,2", [("A", "B"), ("1", "2")]),
        ("   :delim: ;\n   :quote: '\n\n   1,5;'2;3'", [("1,5", "2;3")]),
        ('   :delim: tab\n   :escape: \\\n\n   a \\"\tb', [('a "', "b")]),
        ("\n   1, 2, 3\n   4", [("1", "2", "3"), ("4", "", "")]),
        ('   :header: A, "B\n    C"\n\n   1, 2', [("A", "B C"), ("1", "2")]),
    ],
)
def test_comma_separated_values_are_read_as_their_options_say(text, cells):
    found = rows(numbered(text))
    assert [row.cells for row in found] == cells and found[0].is_head is (":header" in text)
    assert [number for row in found for number in row.lines] == list(range(1, text.count("\n") + 2))


@pytest.mark.parametrize(
    "text",
    [
        '   :header: A, B\n\n   "1, 2',
        "\n   one\n   two",
        "   :delim: unheard-of\n\n   1, 2",
        '\n   "- a\n   - b", 2',
        "\n   " + "x" * 200_000 + ", 2",
    ],
)
def test_values_that_are_no_table_stand_as_they_are(text):
    assert rows(numbered(text)) == ()


def test_a_grid_is_cut_where_its_border_crosses_so_that_its_cells_may_hold_bars():
    text = "+-----+-------+\n| |a| | 日本  |\n|     | b|c   |\n+-----+-------+\n| 1   |       |\n+-----+-------+"
    assert [row.cells for row in rows(numbered(text))] == [("|a|", "日本 b|c"), ("1", "")]


@pytest.mark.parametrize(
    "text",
    [
        "+---+---+\n| a | b |\n+---+ c |\n| d | e |\n+---+---+",
        "+---+---+\n| a | b |\n+---+---+\n| c     |\n+---+---+",
        "+---+---+\n| a | b |\n+---+---+\n| c     |\n+-------+",
        "=====  =====  ======\n   Inputs     Output\n------------  ------\n  A      B    A or B\n=====  =====  ======",
        "=====  =====\nInput  Other\n------------\nThis spans both\n=====  =====",
    ],
)
def test_a_table_whose_cells_span_others_stands_as_it_is(text):
    assert rows(numbered(text)) == ()


def test_what_underlines_a_row_in_columns_is_no_row():
    found = rows(numbered("=====  =====\nA      B\n-----  -----\n1      2\n=====  ====="))
    assert [row.cells for row in found] == [("A", "B"), ("1", "2")] and found[0].lines == (1, 2, 3)


def test_a_grid_is_a_row_between_two_borders_whatever_its_lines():
    found = rows(numbered(GRID))
    assert [row.cells for row in found] == [("Class", "Members"), ("bike", "€ 12 a day")]
    assert [number for row in found for number in row.lines] == [1, 2, 3, 4, 5, 6]
    assert [row.is_head for row in found] == [True, False]


def test_a_table_in_columns_is_cut_where_its_border_says():
    found = rows(numbered(COLUMNS))
    assert [row.cells for row in found] == [("Class", "Members"), ("bike", "€ 12 a day"), ("tram", "€ 2")]
    assert [row.lines for row in found] == [(1, 2, 3), (4, 5, 6), (7, 8)]
    assert [row.is_head for row in found] == [True, False, False]


@pytest.mark.parametrize("is_headed", [True, False])
def test_a_list_of_lists_is_a_row_for_each_star(is_headed):
    found = rows(numbered(LISTED), is_headed)
    assert [row.cells for row in found] == [("Class", "Members"), ("bike", "€ 12 a day")]
    assert [row.lines for row in found] == [(1, 2), (3, 4, 5)] and found[0].is_head is is_headed


def test_the_target_of_a_link_in_a_list_of_lists_is_no_cell():
    found = rows(numbered("* - A\n  - `b`_\n\n    .. _b: https://example.org\n* - 1\n  - 2"))
    assert [row.cells for row in found] == [("A", "`b`_"), ("1", "2")] and found[0].lines == (1, 2, 3, 4)


@pytest.mark.parametrize(
    "text", ["* - A\n  - B\n* - 1", "* - A\n  - B::\n\n      x", "* - A\n  - .. note:: B", "* - A\n - B", "* - A\n* B"]
)
def test_lists_that_are_no_table_stay_lists(text):
    assert rows(numbered(text)) == ()


def test_rows_of_different_width_and_lone_borders_are_no_table():
    assert rows(numbered("| A | B |\n|---|---|\n| 1 | 2 | 3 |")) == ()
    assert rows(numbered("| A | B |\n|---|\n| 1 |")) == ()
    assert rows(numbered("=====  =====")) == () and rows(numbered("|---|---|")) == ()
    assert rows(numbered("+---+\n| A |\n+---+")) == ()


def test_every_line_stands_in_one_block_and_a_fenced_table_is_code():
    text = "# T\n\n| A | B |\n|---|---|\n| 1 | 2 |\n\n```\n| A | B |\n| 1 | 2 |\n```\n"

    class Whole:
        ordinal, title, level, anchor, aliases, line_start, line_end, page = 0, "T", 1, "t", [], 1, 10, None

    (section,) = reader.read(text, "t.md", [Whole()], cited=range(5, 6))
    assert [line.number for block in section.blocks for line in block.lines] == list(range(1, 11))
    (table,) = [block for block in section.blocks if block.rows]
    assert [(row.cells, is_cited) for row, is_cited in table.rows] == [(("A", "B"), False), (("1", "2"), True)]
