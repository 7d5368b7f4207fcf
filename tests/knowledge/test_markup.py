"""Texts without their markup, as models read them."""

from time import process_time

import pytest

from knowledge.texts.directives import BEGUN_BY_ARGUMENT, CODE
from knowledge.texts.formats import Notation
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


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            "Class | Guests | Deposit\ntrailer | €6 | €40\nother | | none",
            "trailer: Guests €6, Deposit €40.\nother: Deposit none.",
        ),
        ("Pedal | 35 Nm\nStem | 5 Nm", "Pedal: 35 Nm.\nStem: 5 Nm."),  # of two columns, none is a head
        ("Mon | 9-12 | 14-18\nTue | 9-12 | 15-18", "Mon: 9-12, 14-18.\nTue: 9-12, 15-18."),  # nor values
        (
            "Oslo 31 | Dan Wu Li | by phone | 131\nBerlin 32 | Anna Berg | open | 132",  # a number above its like
            "Oslo 31: Dan Wu Li, by phone, 131.\nBerlin 32: Anna Berg, open, 132.",
        ),
        ("Team | Place of work | 2024\nRed | Oslo | 1200", "Red: Place of work Oslo, 2024 1200."),  # but for years
        ("Zone | Up to 2 kg | Up to 9 kg\nEU | 11.50 | 19.90", "EU: Up to 2 kg 11.50, Up to 9 kg 19.90."),
        ("Fee | Dog | Dog\nFee | Small | Large\nSpay | £215 | £312", "Spay: Dog Small £215, Dog Large £312."),
        (
            "GET | /loans | lists\nGET | /loans/7 | shows\nPOST | /loans | lends",  # a name comes once
            "GET: /loans, lists.\nGET: /loans/7, shows.\nPOST: /loans, lends.",
        ),
        (
            "Name | Type | What\nId | integer | counts\nName | string | says",
            "Id: Type integer, What counts.\nName: Type string, What says.",
        ),
        ("[in] | shelf | where\n[out] | found | what", "[in]: shelf, where.\n[out]: found, what."),
        ("Way | Place | What\n--- | --- | ---\nWay | /loans | lists", "Way: Place /loans, What lists."),
        ("Part | Torque\n--- | ---\nPedal | 35 Nm", "Pedal: Torque 35 Nm."),  # Markdown's says which it is
        ("Call 1 | 2.", "Call 1 | 2."),
        ("Fee | Day | Week\n- child | €2 | €9", "- child: Day €2, Week €9."),
        ("- --mode <fast | slow>\n- --out <a | b>",) * 2,
    ],
)
def test_cells_with_bars_between_them_are_a_table(rows: str, said: str) -> None:
    assert without_markup(rows) == said


@pytest.mark.parametrize(
    ("rows", "context", "said"),
    [
        ("Weber | Sales | 214", "Name | Office | Extension", "Weber: Office Sales, Extension 214."),
        (
            "Weber | Sales | 214\nKirk | Tax | 377",
            "Name | Office | Extension",
            "Weber: Office Sales, Extension 214.\nKirk: Office Tax, Extension 377.",
        ),
        ("Weber | Sales\nKirk | Tax", "Name | Office", "Weber: Office Sales.\nKirk: Office Tax."),
        ("9-12 | 14-18 | 1", "8-11 | 13-17 | 2", "9-12: 13-17 14-18, 2 1."),
        ("| Weber | Sales |\n| Kirk | Tax |", "Name | Office", "Weber: Office Sales.\nKirk: Office Tax."),
        ("Weber | 2 | 3", "Name | 2024 | 2024 /  | first | second", "Weber: 2024 first 2, 2024 second 3."),
        ("Weber | 2 | 3", "What a day costs / Name | Guests | Deposit", "Weber: Guests 2, Deposit 3."),
        ("Weber | 2", "Name | Guests | Members | Deposit", "Weber | 2"),
        ("Weber | 80 | 7", "Name | km / h | Age", "Weber: km / h 80, Age 7."),
        ("Weber | a\xa0| b | 3", "Name | Kind\xa0| none | Age", "Weber: Kind | none a | b, Age 3."),
        ("Weber works here.", "Name | Office", "Weber works here."),
    ],
)
def test_rows_that_a_passage_goes_on_with_have_their_head_from_its_context(rows: str, context: str, said: str) -> None:
    assert without_markup(rows, context=context) == said


def test_a_sheet_of_very_many_columns_is_told_without_their_names() -> None:
    heads, row = " | ".join(f"The measured value {n}" for n in range(1_000)), " | ".join(["7"] * 1_000)
    said = without_markup("\n".join([heads, *[row] * 200]))
    assert "measured" not in said and len(said) < 200 * 3_100
    few = " | ".join(["Weber", *["7"] * 20, *[""] * 979])  # of a row with few values they are told
    assert without_markup(f"{heads}\n{few}").startswith("Weber: The measured value 1 7, The measured value 2 7")


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
        (r"| a \| b | c |", "a | b: c."),
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
        ("``Request``\\s of H\\ :sub:`2`\\ O, **bold**\\ er", "Requests of H2O, bolder"),
        (r"C:\temp, ``\s`` and \*.py, \*.js", r"C:\temp, \s and *.py, *.js"),
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


def test_the_last_rule_of_a_table_alone_begins_none() -> None:
    rest = "tandem  €12\n======  ===\n\nA note stands below, and is wider than the columns of the table."
    assert without_markup(rest) == "tandem  €12\n\nA note stands below, and is wider than the columns of the table."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("=== ===\n\nTitle\n-----\n\nSome text.", "Title\n\nSome text."),
        (
            "   * - Part\n     - Torque\n   * - Pedal\n     - 35 Nm\n\n   Always wear gloves.",
            "Part: Torque.\nPedal: 35 Nm.\n   Always wear gloves.",
        ),
        (" | Guests | Members\nTrailer | 6 | 7", "Trailer: Guests 6, Members 7."),
        ("options\n | -v | say more\n | -q | say less", "options\n-v, say more.\n-q, say less."),
        ("  Item | Guests | Members\n  ---|---|---\n  Trailer | 6 | 7", "Trailer: Guests 6, Members 7."),
    ],
)
def test_tables_end_where_their_drawing_does_and_begin_with_an_empty_corner_above_names(text: str, said: str) -> None:
    assert without_markup(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("```\ncat a | sort | uniq\ncat b | sort | uniq\n```", "cat a | sort | uniq\ncat b | sort | uniq"),
        ("```js\nhandlers[name](event)\n# *a* `b`\n---\n```\n*so*", "handlers[name](event)\n# *a* `b`\n---\nso"),
        ("```py\n!!! note\n.. tip:: x\n```", "!!! note\n.. tip:: x"),
        ("{% highlight sh %}\n# *a*\n{% endhighlight %}\n*so*", "# *a*\nso"),
        ("Write `[text](url)` or ``*.py``, *.js*.", "Write [text](url) or *.py, .js."),
        ("[`a*b`](c) and **`d`** [![e](f)](g)", "a*b and d e"),
        ("- Type `str | None` or `int | None`\n- Default `a | b`", "- Type str | None or int | None\n- Default a | b"),
        ("P(A | B) is the probability of A\ngiven B, as P(B | A) is.",) * 2,
        ("See {ref}`the terms <terms>` and {doc}`guide`.", "See the terms and guide."),
        ("| Type | Said |\n|---|---|\n| `a || b` | *c* |", "a || b: Said c."),
        (
            "See [the *guide*][g], ![a bike][b] and [desk][], but a[i][j] and [1][2].",
            ("See the guide, a bike and desk, but a[i][j] and [1][2]."),
        ),
        (r"\# no \_mark\_ \[so\](it) \*is\*, `\_` not C:\temp", r"# no _mark_ [so](it) *is*, \_ not C:\temp"),
    ],
)
def test_code_of_markdown_stands_as_it_is(text: str, said: str) -> None:
    assert without_markup(text, notation=Notation.MARKDOWN) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            'Say::\n\n    @x(["*.py", "*.txt"])\n    # a\n    |> b\n\n*So* it is.',
            'Say::\n\n    @x(["*.py", "*.txt"])\n    # a\n    |> b\n\nSo it is.',
        ),
        (
            '.. code-block:: python\n   :caption: *C*\n\n   """\n   Doc *s*\n   """\n   ...\n\nSo.',
            '\n   """\n   Doc *s*\n   """\n   ...\n\nSo.'.strip("\n"),
        ),
        (">>> f(*a, *b)\n1\n\nSo.",) * 2,
        (
            "Use ``int | None`` for this,\nor ``str | None`` for that.",
            "Use int | None for this,\nor str | None for that.",
        ),
        (".. versionadded:: 4.2", "New in version 4.2"),
        (".. versionchanged:: 4.2\n\n   It may.", "Changed in version 4.2\n\n   It may."),
        ("|django-users| has a lot of subscribers.",) * 2,
        ("   | Q(pizza=p)\n   | Q(topping=t)",) * 2,
        (".. list-table:: What a day costs\n\n   * - Bike\n     - €12", "What a day costs\n\nBike: €12."),
        ("Article 4[a](2) holds.",) * 2,
    ],
)
def test_code_of_rst_stands_as_it_is_and_versions_are_said(text: str, said: str) -> None:
    assert without_markup(text) == said


@pytest.mark.parametrize("name", sorted(CODE))
def test_what_a_directive_of_code_holds_stands_as_it_is(name: str) -> None:
    told = "bash" if name in BEGUN_BY_ARGUMENT else ""  # a formula, say
    assert without_markup(f".. {name}:: bash\n\n   x = *1*\n   y = 2").lstrip("\n") == (
        f"{told}\n\n   x = *1*\n   y = 2".lstrip("\n")
    )
    assert without_markup(f"```{{{name}}}\nx = *1*\n```", notation=Notation.MARKDOWN) == "x = *1*"


def test_what_leads_elsewhere_says_nothing() -> None:
    assert without_markup(".. raw:: html\n\n.. literalinclude:: ../a.py\n\n.. toctree::\n\nSo.") == "So."


def test_what_a_name_stands_for_is_said_with_the_name() -> None:
    assert without_markup(".. |most| replace:: **50 MB**\n   per file") == "most: 50 MB\n   per file"


STARS = [
    'Set allowed_origins to "*" and allowed_headers to "*".',
    "It covers /api/*/users and /web/*/users.",
    "SELECT count(*), sum(*) FROM loans;",
    "GRANT ALL ON *.* TO desk;",
]


@pytest.mark.parametrize("said", STARS)
def test_a_star_that_stands_for_all_is_no_mark(said: str) -> None:
    assert without_markup(said) == said == without_markup(said, Notation.WRITTEN_OUT)


@pytest.mark.parametrize("said", [r"C:\_old\* is kept, and \*\.log", "*left* and `right`", "[a](b) **c**"])
def test_what_a_parser_wrote_out_has_no_marks_in_its_lines(said: str) -> None:
    assert without_markup(said, Notation.WRITTEN_OUT) == said
