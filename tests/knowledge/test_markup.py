"""Texts without their markup, as models read them."""

from time import process_time

import pytest

from knowledge.texts.markup import without_markup

GRID = """
+---------+----------+--------------+
| Class   | Guests   | Full deposit |
|         | per day  |              |
+=========+==========+==============+
| trailer | €6       | €40          |
+---------+----------+--------------+
| other   | ask the  |              |
|         | desk     |              |
+---------+----------+--------------+
"""
PIPES = """
| Class   | Guests per day | Full deposit |
|:--------|----------------|-------------:|
| trailer | €6             | €40          |
| other   | ask the desk   |              |
"""
SIMPLE = """
=======  ==============  ============
Class    Guests per day  Full deposit
=======  ==============  ============
trailer  €6              €40
other    ask the
         desk
=======  ==============  ============

Below.
"""
LIST = """
.. list-table:: What a day costs
   :header-rows: 1
   :widths: 10 20 20

   * - Class
     - Guests per day
     - Full deposit
   * - trailer
     - €6
     - €40
   * - other
     - ask the
       desk
     -
"""
CSV = """
.. csv-table:: What a day costs
   :header: "Class", "Guests per day", Full deposit
   :widths: 10, 20, 20

   "trailer", €6, "€40"
   other, "ask the
   desk"
"""
ROWS = "trailer: Guests per day €6, Full deposit €40.\nother: Guests per day ask the desk."


@pytest.mark.parametrize("table", [GRID, PIPES, SIMPLE, LIST, CSV])
def test_a_table_of_any_markup_is_said_row_by_row(table: str) -> None:
    assert ROWS in without_markup(table)
    assert not set("|+=*") & set(without_markup(table))


def test_what_stands_around_a_table_stays() -> None:
    assert without_markup(f"Before.\n{GRID}\nAfter.\n") == f"Before.\n\n{ROWS}\n\nAfter."
    assert without_markup(SIMPLE).endswith("\n\nBelow.")


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("| trailer | €6 |\n+---------+----+\n| other   |    |", "trailer: €6.\nother."),
        ("| trailer | €6 |", "trailer: €6."),
        ("| Class | Price |\n|---|---|", "Class: Price."),
        ("* - trailer\n  - €6", "trailer: €6."),
        (r"| a \| b | c |", r"a \| b: c."),
    ],
)
def test_a_passage_may_begin_amid_a_table_or_end_with_its_head(rows: str, said: str) -> None:
    assert without_markup(rows) == said


def test_values_apart_by_commas_are_said_below_their_title_wherever_their_head_is() -> None:
    assert without_markup(CSV).strip() == f"What a day costs.\n{ROWS}"
    inside = ".. csv-table::\n   :header-rows: 1\n   :delim: ;\n\n   Class; Price\n   bike; €5,50\n\nBelow."
    assert without_markup(inside) == "bike: Price €5,50.\nBelow."
    assert without_markup(".. csv-table:: Fees\n   :file: fees.csv\n\nBelow.") == "Fees\n\nBelow."


@pytest.mark.parametrize(
    ("marked", "said"),
    [
        ("See :ref:`the terms <terms>` and :doc:`/guide`.", "See the terms and /guide."),
        ("Set :setting:`DEBUG`, ``a_b`` or `this`.", "Set DEBUG, a_b or this."),
        ('`Django <https://example.org>`_ and [the *manual*](https://example.org "x")', "Django and the manual"),
        ("![A bike](bike.png) is **never** *lent*.", "A bike is never lent."),
        ("2 * 3 * 4, f(*args, **kwargs), a_b_c", "2 * 3 * 4, f(*args, **kwargs), a_b_c"),
        ("Prices\n======\n\nText", "Prices\n\nText"),
        ("## Prices\n> quoted\n>\n> more", "Prices\nquoted\n\nmore"),
        (".. note::\n\n   Mind the gap.", "Note:\n\n   Mind the gap."),
        (".. warning:: Hot", "Warning: Hot"),
        (".. _terms:\n\n.. figure:: a.png\n   :width: 3\n\n   A bike", "   A bike"),
        ("Run::\n\n    $ muniment -v", "Run::\n\n    $ muniment -v"),
        (".. code-block:: console\n   :caption: x\n\n   $ ls", "   $ ls"),
    ],
)
def test_marks_directives_and_options_are_left_out(marked: str, said: str) -> None:
    assert without_markup(marked) == said


@pytest.mark.parametrize("text", ["", "\n\n", "====", "+--+\n+--+", "Plain words, two lines\nof them."])
def test_nothing_is_added(text: str) -> None:
    assert without_markup(text) in text


@pytest.mark.parametrize(
    "text",
    [
        "= " * 100_000 + "=\n" + "a\n" * 100_000,
        "|a" * 100_000 + "|\n|-|\n" + "|b\n" * 100_000,
        "== ==\nab cd\n" + "   a\n" * 200_000,
        "[a](" * 200_000,
    ],
    ids=["columns", "head", "lines", "links"],
)
def test_a_hostile_table_does_not_hold_a_process_up(text: str) -> None:
    began = process_time()
    without_markup(text)
    assert process_time() - began < 8  # squared, it took minutes


def test_a_head_as_long_as_a_page_is_not_said_with_each_value_of_its_column() -> None:
    table = f"| Bike | {'x' * 2_000} |\n|---|---|\n" + "| tandem | €6 |\n" * 2_000
    assert len(without_markup(table)) < 500_000  # it took 4 MB, and 400 KB of such a file took gigabytes


@pytest.mark.parametrize(
    "piece", [" **a", "[a](", "`", " `a", ":a:`", "|\n", "== ==\na\n", "+--+\n", "* - a\n", "| - ", " <"]
)
def test_a_hostile_text_does_not_hold_a_process_up(piece: str) -> None:
    assert len(without_markup(piece * 20_000)) <= len(piece) * 20_000 + 20_000  # squared, it would take minutes
