"""Tables drawn with characters are read as rows and cells; what only looks like one stays as it stands."""

from time import process_time

import pytest

from knowledge.texts.directives import CODE
from retrieval.notations import MARKDOWN, RST
from retrieval.rendering import document_lines
from retrieval.rendering.kinds import stretches
from retrieval.rendering.tables import DrawnRow

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


def rows(text: str, notation: str = RST) -> tuple[DrawnRow, ...]:
    """Those of all tables that can be drawn; a table's lines are all in its rows."""
    tables = [found for found in stretches(text.split("\n"), notation) if found.rows]
    for found in tables:
        assert [n for row in found.rows for n in row.lines] == [*found.lines]
    return tuple(row for found in tables for row in found.rows)


def test_pipes_are_a_row_for_each_line_and_the_border_belongs_to_the_head():
    found = rows("| A | B \\| C |\n|---|:-:|\n| 1 | |", MARKDOWN)
    assert [row.cells for row in found] == [("A", "B | C"), ("1", "")]
    assert [row.is_head for row in found] == [True, False]
    assert [row.lines for row in found] == [range(2), range(2, 3)]


def test_a_row_of_pipes_that_ends_early_is_filled_up_and_the_outer_ones_may_be_away():
    found = rows("| A | B |\n|---|---|\n| 1 |\n| | |", MARKDOWN)
    assert [row.cells for row in found] == [("A", "B"), ("1", ""), ("", "")]
    assert [row.cells for row in rows("A | B\n--- | ---\n1 | 2", MARKDOWN)] == [("A", "B"), ("1", "2")]


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
    found = rows(f"| A | B |\n|---|---|\n{row}\n| 1 | 2 |", MARKDOWN)
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
    found = rows(f".. csv-table::\n{text}\n\nBelow it.")
    assert [row.cells for row in found] == cells and found[0].is_head is (":header" in text)
    assert found[0].lines.start == 1


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
    assert rows(f".. csv-table::\n{text}") == ()


def test_a_grid_is_cut_where_its_border_crosses_so_that_its_cells_may_hold_bars():
    text = "+-----+-------+\n| |a| | 日本  |\n|     | b|c   |\n+-----+-------+\n| 1   |       |\n+-----+-------+"
    assert [row.cells for row in rows(text)] == [("|a|", "日本 b|c"), ("1", "")]


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("+---+---+\n| a | b |\n+---+ c |\n| d | e |\n+---+---+", [("a", "b c e"), ("d", "b c e")]),
        (
            "+---+---+\n| a | b |\n+---+---+\n| c | d |\n|   +---+\n|   | e |\n+---+---+",
            [("a", "b"), ("c", "d"), ("c", "e")],
        ),
        ("+---+---+\n| a | b |\n+---+---+\n| c     |\n+---+---+", [("a", "b"), ("c", "")]),
        (
            "=====  =====  ======\n   Inputs     Output\n------------  ------\n  A      B    A or B\n"
            "=====  =====  ======\nFalse  False  False\n=====  =====  ======",
            [("Inputs", "Inputs", "Output"), ("A", "B", "A or B"), ("False", "False", "False")],
        ),
        (
            "=====  =====\nInput  Other\n------------\nThis spans both\n------------\nA      B\n=====  =====",
            [("Input  Other", ""), ("This spans both", ""), ("A", "B")],
        ),
    ],
)
def test_what_spans_others_stands_at_every_place_and_a_title_once(text, cells):
    assert [row.cells for row in rows(text)] == cells


def test_what_underlines_a_row_in_columns_is_no_row():
    found = rows("=====  =====\nA      B\n-----  -----\n1      2\n=====  =====")
    assert [row.cells for row in found] == [("A", "B"), ("1", "2")] and found[0].lines == range(3)


def test_a_grid_is_a_row_between_two_borders_whatever_its_lines():
    found = rows(GRID)
    assert [row.cells for row in found] == [("Class", "Members"), ("bike", "€ 12 a day")]
    assert [row.is_head for row in found] == [True, False]


def test_a_table_in_columns_is_cut_where_its_border_says():
    found = rows(COLUMNS)
    assert [row.cells for row in found] == [("Class", "Members"), ("bike", "€ 12 a day"), ("tram", "€ 2")]
    assert [row.lines for row in found] == [range(3), range(3, 6), range(6, 8)]
    assert [row.is_head for row in found] == [True, False, False]


@pytest.mark.parametrize("is_headed", [True, False])
def test_a_list_of_lists_is_a_row_for_each_star(is_headed):
    found = rows(f".. list-table::\n   :header-rows: {int(is_headed)}\n\n{LISTED}")
    assert [row.cells for row in found] == [("Class", "Members"), ("bike", "€ 12 a day")]
    assert [row.lines for row in found] == [range(3, 5), range(5, 8)] and found[0].is_head is is_headed


def test_the_target_of_a_link_in_a_list_of_lists_is_no_cell():
    found = rows("* - A\n  - `b`_\n\n    .. _b: https://example.org\n* - 1\n  - 2")
    assert [row.cells for row in found] == [("A", "`b`_"), ("1", "2")] and found[0].lines == range(4)


@pytest.mark.parametrize(
    "text", ["* - A\n  - B\n* - 1", "* - A\n  - B::\n\n      x", "* - A\n  - .. note:: B", "* - A\n - B", "* - A\n* B"]
)
def test_lists_that_are_no_table_stay_lists(text):
    assert rows(text) == ()


def test_rows_of_different_width_and_lone_borders_are_no_table():
    assert rows("| A | B |\n|---|---|\n| 1 | 2 | 3 |", MARKDOWN) == ()
    assert rows("| A | B |\n|---|\n| 1 |", MARKDOWN) == rows("|---|---|", MARKDOWN) == ()
    assert rows("=====  =====") == rows("=====  =====\nA      B") == ()
    assert rows("+---+\n| A |\n+---+") == ()


def test_cells_of_office_files_are_drawn_and_in_files_with_markup_bars_are_text():
    text = "Fees:\n\nTool | Days | Fee\nSaw | 3\nKiln | 1 | €40\n\nAs agreed."
    assert [(row.cells, row.is_head) for row in rows(text, "")] == [
        (("Tool", "Days", "Fee"), True),
        (("Saw", "3", ""), False),
        (("Kiln", "1", "€40"), False),
    ]
    assert rows(text, MARKDOWN) == rows(text) == rows("one | two, and nothing below", "") == ()


def test_a_bar_within_a_cell_of_office_files_is_shown_as_it_was():
    found = rows("Tool | Call | Port\nA | ps\xa0| grep x | 80\n\xa0| | y | 81", "")
    assert [row.cells for row in found[1:]] == [("A", "ps | grep x", "80"), ("|", "y", "81")]


@pytest.mark.parametrize("name", sorted(CODE))
def test_what_a_directive_of_code_holds_is_no_prose(name):
    lines = f".. {name}::\n\n   x = 1\n   y = 2\n\nSo.".split("\n")
    kinds = {at: found.kind for found in stretches(lines, RST) for at in found.lines}
    assert kinds[2] == kinds[3] == "code" and kinds[5] == "prose"


def test_every_line_stands_in_one_block_and_a_fenced_table_is_code():
    text = "# T\n\n| A | B |\n|---|---|\n| 1 | 2 |\n\n```\n| A | B |\n| 1 | 2 |\n```\n"

    class Whole:
        ordinal, title, level, anchor, aliases, line_start, line_end, page = 0, "T", 1, "t", [], 1, 10, None

    (section,) = document_lines.read(text, "t.md", [Whole()], cited=range(5, 6))
    assert [line.number for block in section.blocks for line in block.lines] == list(range(1, 11))
    (table,) = [block for block in section.blocks if block.rows]
    assert [(row.cells, is_cited) for row, is_cited in table.rows] == [(("A", "B"), False), (("1", "2"), True)]


@pytest.mark.parametrize(
    "text",
    [
        "===  ===\na    b\n\n" * 5_000,
        "===  ===\n\n" * 8_000,
        "* - a\n  - b\n* - c\n  - d\n\n" * 2_500,
        "+---+---+\n| a | b |\n+---+---+\n\n" * 2_500,
        '.. csv-table::\n\n   a,b\n   "c,d\n\n' * 2_500,
        "<table><tr><td>a\n" * 1_250,
    ],
    ids=["open columns", "rules", "lists", "grids", "values", "html"],
)
@pytest.mark.parametrize("notation", [RST, MARKDOWN, ""])
def test_many_tables_do_not_hold_a_process_up(text, notation):
    began = process_time()
    assert sum(1 for _ in stretches(text.split("\n"), notation))
    assert process_time() - began < 2


@pytest.mark.parametrize(
    ("text", "notation"),
    [
        ("|---|---|\n|---|---|", MARKDOWN),
        ("=== ===\n=== ===\n\nx", RST),
        ("+--+\n| a\n+--+", MARKDOWN),
        ("+---+---+\n| a | b |\n+===+===+\n| c | dddd |\n+---+---+", RST),
        ("+---+---+\n| a | b |\n+===+===+\n | c | d |\n+---+---+", RST),
    ],
    ids=["two rules of pipes", "two rules of columns", "no column", "a cell that sticks out", "a row further in"],
)
def test_a_drawing_that_would_lose_words_stands_as_it_is(text, notation):
    assert rows(text, notation) == ()


def test_pandoc_says_in_rules_how_columns_are_set():
    found = rows("+---+---+\n| a | b |\n+:==+==:+\n| 1 | 2 |\n+---+---+", MARKDOWN)
    assert [(row.cells, row.is_head) for row in found] == [(("a", "b"), True), (("1", "2"), False)]


def test_a_corner_without_a_word_stands_above_the_names_of_rows():
    found = rows(" | Guests | Members\nTrailer | 6 | 7\nBike | 8 | 9", "")
    assert [row.cells for row in found] == [("", "Guests", "Members"), ("Trailer", "6", "7"), ("Bike", "8", "9")]
    assert [row.is_head for row in found] == [True, False, False]


def test_rows_that_begin_alike_are_no_head():
    found = rows("A | red | one\nA | blue two | 5\nA | x | 6\nA | y | 6\nB | green | 6", "")
    assert [row.is_head for row in found] == [False, False, False, False, False]


@pytest.mark.parametrize("shown", [range(1, 5), range(5, 10), range(6, 7), range(1, 11)])
def test_a_window_that_cuts_a_row_has_each_of_its_lines_once(shown):
    text = "+---+---+\n| a | b |\n+===+===+\n| c | d |\n| e | f |\n| e | f |\n+---+---+\n| g | h |\n+---+---+\n"

    class Whole:
        ordinal, title, level, anchor, aliases, line_start, line_end, page = 0, "T", 1, "t", [], 1, 10, None

    (section,) = document_lines.read(text, "t.rst", [Whole()], shown=shown)
    numbers = [
        number
        for block in section.blocks
        for lines in ([row.lines for row, _ in block.rows] or [[line.number for line in block.lines]])
        for number in lines
    ]
    assert numbers == [*shown]
