import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.texts.directives import CODE, OBJECTS
from knowledge.texts.formats import Notation
from knowledge.texts.lines import placed
from retrieval.rendering.inline import inline
from retrieval.rendering.plain import LABELS, as_plain_text, listing, one_line, pieces, tables_apart

LENDING = """\
.. _returning:

Bringing a bike back
====================

Bring the bike back by **21:00** on the last day,
or ask the :ref:`desk <desk>`. Otherwise:

1. Open the yard gate.
2. Close *both*
   locks.

.. warning::

   The gate code stops working at 21:00. Then see ``late_charge``::

      charge = 1000 * days  # *not* marked

:Guests: 30 days
:Members: 60 days
"""


def test_a_passage_reads_as_one_would_read_it_aloud():
    assert as_plain_text(LENDING) == (
        "Bringing a bike back\n\n"
        "Bring the bike back by 21:00 on the last day, or ask the desk. Otherwise:\n\n"
        "1. Open the yard gate.\n"
        "2. Close both locks.\n\n"
        "Warning: The gate code stops working at 21:00. Then see late_charge:\n"
        "charge = 1000 * days  # *not* marked\n\n"
        "Guests: 30 days\n"
        "Members: 60 days"
    )


@pytest.mark.parametrize(
    ("marked", "read"),
    [
        (":ref:`bring a bike back <returning>`", "bring a bike back"),
        (":doc:`lending`", "lending"),
        (":py:meth:`~booking.pricing.late_charge`", "late_charge"),
        ("{ref}`the desk <desk>`", "the desk"),
        ("``*args`` and `x_`", "*args and x_"),
        ("`Django <https://example.org>`_ and `desk`_", "Django and desk"),
        ("**bold *and* slanted**, *both* words", "bold and slanted, both words"),
        ("__two words__ and _two words_", "two words and two words"),
        ("[the *guide*](guide.md#top) and [desk][1a]", "the guide and [desk][1a]"),
        ('[the guide](a_(b).md "Title"), [desk][desk]', "the guide, desk"),
        ("[the guide](<data/a b.md>), [desk][], [][]", "the guide, desk, [][]"),
        ("![a bike](bike.png) <https://example.org> <desk@example.org>", "a bike https://example.org desk@example.org"),
        ("said [1]_ and [#note]_ and [^2]", "said [1] and  and "),
        (r"\*not slanted\*", "*not slanted*"),
    ],
)
def test_inline_marks_go_and_their_words_stay(marked, read):
    assert inline(marked) == read


@pytest.mark.parametrize(
    "text",
    [
        "2 * 3 * 4",
        "*.py and *.rst",
        "__init__ and late_charge_",
        "f(*args, **kwargs)",
        "[1][2]",
        "a < b > c",
        "10:30:00",
    ],
)
def test_what_is_no_mark_stays(text):
    assert as_plain_text(text) == text


@pytest.mark.parametrize(
    ("table", "read"),
    [
        ("+---+---+\n| a | b |\n+===+===+\n| c | d |\n|   | e |\n+---+---+", "c: b d e."),
        ("| a | b |\n|:--|--:|\n| `c` | d \\| e |", "c: b d | e."),
        ("====  ====\na     b\n====  ====\nc     d e\n====  ====", "c: b d e."),
        (".. list-table:: What we lend\n   :widths: 1 2\n\n   * - a\n     - b\n       more\n   * - c\n     -", (
            "What we lend:\n\na: b more.\nc."
        )),
    ],
)  # fmt: skip
def test_a_table_is_said_row_by_row_with_the_heads_of_its_columns(table, read):
    assert as_plain_text(table) == read


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Title\n=====\ntext", "Title\ntext"),
        (".. |most| replace:: **50 MB**\n   per file\n.. |logo| image:: a.png", "most: 50 MB per file"),
        ("Title\n~~~~~\n*text*", "Title\ntext"),
        ("~~~~~\nTitle\n~~~~~\n*text*", "Title\ntext"),
        ("## Title ##\ntext", "Title\ntext"),
        ("```py\nx = *y*\n```\nafter", "x = *y*\n\nafter"),
        ("```npm install``` installs *it*.\nMore.", "`npm install` installs it. More."),
        ("````\n```py\nx = *y*\n```\n````\n*after*", "```py\nx = *y*\n```\n\nafter"),
        (".. code-block:: python\n   :linenos:\n\n   x = 1\n\n   y = 2\n\nafter", "x = 1\n\ny = 2\n\nafter"),
        ("- So::\n\n      x = 1\n\n  and *on*.", "• So:\n\nx = 1\n\nand on."),
        (".. note:: Short.", "Note: Short."),
        (".. versionadded:: 2.1\n\n   The waiver.", "Since 2.1: The waiver."),
        (".. toctree::\n   :maxdepth: 2\n\n   lending\n\nafter", "after"),
        (".. a comment\n   goes on\n\nafter", "after"),
        ('!!! warning "After a fall"\n    Do not charge it.', "After a fall: Do not charge it."),
        ("> [!TIP]\n> Oil it.", "Tip: Oil it."),
        (":::warning After a fall\n\nDo not *charge* it.\n\n:::\nafter", "After a fall: Do not charge it.\n\nafter"),
        ("::: tip\nOil it.\n:::", "Tip: Oil it."),
        ("```{note}\n:class: x\n\nMind the gap.\n```\n\n```py\nx = *y*\n```", "Note: Mind the gap.\n\nx = *y*"),
        ("````{tip}\n```py\nx\n```\n````\nafter", "Tip: x\n\nafter"),
        ("```{toctree}\n:maxdepth: 2\n\n```\nafter", "after"),
        ("<details>\n<summary>How to oil it</summary>\n\n<b>Daily</b>.\n</details>", "How to oil it\n\nDaily."),
        ("<table>\n<tr><th>A<th>B</tr>\n<tr><td>c<td>d</tr>\n<tr><td>e<td>f</tr>\n</table>", "c: B d.\ne: B f."),
        ("Press <kbd>C</kbd>&nbsp;twice<br>or `<kbd>`", "Press C twice or <kbd>"),
        ("> **Warning**\n> Hot.", "Warning: Hot."),
        ("Theft\n   Covered.\n\nDamage\n   Not.", "Theft: Covered.\n\nDamage: Not."),
        ("* one\n  more\n* two\n\n- three", "• one more\n• two\n\n• three"),
        ("<!-- unseen -->\ntext", "text"),
    ],
)
def test_what_frames_the_text_goes(text, read):
    assert as_plain_text(text, notation=Notation.MARKDOWN) == read


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (".. only:: html\n\n   Ask *the desk*.", "Ask the desk."),
        ("```{only} html\nAsk *the desk*.\n```", "Ask the desk."),
        (".. centered:: Fees", "Fees"),
        (".. math:: E = mc^2", "E = mc^2"),
        (".. math:: a = b\n   :label: x\n\n   c = d", "a = b\n\nc = d"),
        ("[Optional]: yes", "[Optional]: yes"),
        ("[ERROR]: timeout.", "[ERROR]: timeout."),
        ("[Sum]: 3.5", "[Sum]: 3.5"),
        ("[^1]: https://example.org/fees", "https://example.org/fees"),
        ("The fee[^1].\n\n[^1]:  A note.", "The fee.\n\nA note."),
    ],
)
def test_what_a_document_says_is_not_taken_for_what_directs(text, read):
    assert as_plain_text(text) == read


@pytest.mark.parametrize(
    "target",
    ["https://example.org", "<a b.md>", "fees.md", "/fees", "#fees", "../a", 'fees.md "Our fees"', "a.md (Fees)"],
)
def test_link_definitions_are_not_shown(target):
    assert as_plain_text(f"Text.\n\n[fees]: {target}") == "Text."


def test_a_quotation_may_begin_and_end_anywhere():
    assert as_plain_text("30 days\n:Members: 60") == "30 days\nMembers: 60"
    assert as_plain_text("```\nunclosed *code*") == "unclosed *code*"
    assert as_plain_text("ask ``the desk") == "ask ``the desk"
    assert as_plain_text("") == as_plain_text("\n====\n") == ""


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (".. versionadded:: 3.2", "Since 3.2"),
        (".. versionadded:: 3.2\n.. note:: Slow.", "Since 3.2\nNote: Slow."),
        (
            ".. versionadded:: 3.2\n\n.. deprecated:: 4.0\n\n   Use the other.",
            "Since 3.2\nDeprecated since 4.0: Use the other.",
        ),
        (".. versionadded:: 3.2\n\n.. _fees:\n\nFees\n====", "Since 3.2\n\nFees"),
        ("> [!TIP]", "Tip"),
    ],
)
def test_a_label_without_a_text_stands_by_itself(text, read):
    assert as_plain_text(text) == read
    assert one_line(text).startswith(read.split("\n")[0])


def test_an_excerpt_is_one_line_without_the_title_above_it():
    assert one_line("Prices\n======\n\n| a | b |\n|---|---|\n| c | d |\n\nThen *more*.", "Prices") == (
        "c: b d. Then more."
    )
    assert one_line("* one\n* two\n\n:Guests: 30\n:Members: 60") == "• one • two Guests: 30; Members: 60"
    assert one_line("Prices\n======", "Prices") == ""


def test_a_listing_is_the_lines_with_most_matches():
    text = "import bike\n\ndef f():\n    bike = 1\n    charge = late(bike)\n    return charge\n"
    assert listing(text, {"late", "charge"}.__contains__, height=2) == "charge = late(bike)\nreturn charge"
    assert listing("", bool) == ""


def test_a_listing_holds_different_words_rather_than_one_of_them_often():
    text = "loan = 1\nloan += 2\nLoans.append(loan)\n\ndef short_loan():\n    return 3\n"
    assert listing(text, {"short", "loan", "Loans"}.__contains__, height=3) == (
        "Loans.append(loan)\n\ndef short_loan():"
    )
    assert listing(text, {"loan", "Loans"}.__contains__, height=3) == "loan = 1\nloan += 2\nLoans.append(loan)"


@given(st.text(alphabet="ab *_`:|+-=.#>[]()<!\\\n{~", max_size=200))
def test_every_word_that_is_shown_stands_in_the_text(text):
    labels = {word for label in LABELS.values() for word in re.findall(r"\w+", label)}
    letters = re.sub(r"[\W_]", "", text)
    shown = f"{as_plain_text(text)} {as_plain_text(text, notation=Notation.MARKDOWN)}"
    assert all(re.sub(r"_", "", word) in letters for word in re.findall(r"\w+", shown) if word not in labels)
    assert "\n" not in one_line(text) + one_line(text, notation=Notation.MARKDOWN)


@pytest.mark.parametrize(
    "piece", ["*a ", "`", "``a", "[", "[a](", "_a ", "**a*", ":a:`", "| a ", "<!--", "\\", "* - ", "[a]: //"]
)
def test_no_text_takes_long(piece):
    started = time.process_time()
    as_plain_text(piece * (20_000 // len(piece)))
    as_plain_text((piece + "\n") * (20_000 // len(piece)))
    assert time.process_time() - started < 2


def test_a_quotation_that_begins_within_an_indented_line_is_no_term_of_a_list():
    cut = "If you are late, bring it at 07:00. Never\n   leave it outside the gate."
    assert as_plain_text(cut) == one_line(cut) == "If you are late, bring it at 07:00. Never leave it outside the gate."
    assert as_plain_text("Guests\n   30 days") == "Guests: 30 days"


@pytest.mark.parametrize("name", sorted(CODE))
def test_what_a_directive_of_code_holds_keeps_its_lines(name):
    assert (
        as_plain_text(f"So:\n\n.. {name}::\n\n   x = *1*\n   y = 2\n\nIt\nruns.") == "So:\n\nx = *1*\ny = 2\n\nIt runs."
    )


@pytest.mark.parametrize("name", sorted(OBJECTS - {"module", "role"}))  # these point at what is told elsewhere
def test_what_a_directive_describes_is_named_above_it(name):
    assert as_plain_text(f".. {name}:: make(x)\n\n   It makes\n   one.") == "make(x):\n\nIt makes one."
    assert as_plain_text(f".. py:{name}:: make(x)\n\n   It makes one.") == "make(x):\n\nIt makes one."


def test_versions_are_told():
    told = {
        name: as_plain_text(f".. {name}:: 4.2\n   It is so.")
        for name in ("versionadded", "versionremoved", "deprecated")
    }
    assert told == {
        "versionadded": "Since 4.2: It is so.",
        "versionremoved": "Removed in 4.2: It is so.",
        "deprecated": "Deprecated since 4.2: It is so.",
    }


@pytest.mark.parametrize(
    "code",
    [
        "def reset(pump):\n    pump.stop()\n    if pump.stuck:\n        return False\n\n    pump.start()",
        "server {\n    listen 80;\n}",
        "if (a) {\n    b();\n} else {\n    c();\n}",
        "web:\n    image: x\n    ports:\n        - 80",
    ],
)
def test_code_at_the_margin_keeps_its_lines(code):
    assert as_plain_text(code) == code
    assert as_plain_text(f"They\nshow:\n\n{code}\n\nIt\nruns.") == f"They show:\n\n{code}\n\nIt runs."


def test_tables_stand_apart_from_the_text_around_them_but_not_in_listings():
    table = "| Bike | Load |\n|---|---|\n| Otter | *100* kg |"
    (before, no), (said, drawn), (after, none) = tables_apart(f"We lend:\n\n{table}\n\nNothing else.")
    assert (before, said, after) == ("We lend:", table, "Nothing else.") and (no, none) == (None, None)
    assert drawn and drawn.names == ["Bike", "Load"] and [row.cells for row in drawn.rows] == [["Otter", "100 kg"]]

    assert [found for _, found in tables_apart(f"```\n{table}\n```")] == [None]
    assert [found for _, found in tables_apart("Otter | 100 kg\nHeron | 120 kg")] == [None]
    ((_, table),) = tables_apart("Otter | 100 kg\nHeron | 120 kg", Notation.WRITTEN_OUT)
    assert [*map(list, (row.cells for row in table.rows))] == [["Otter", "100 kg"], ["Heron", "120 kg"]]
    assert [found for _, found in tables_apart("Otter | 100 kg", Notation.WRITTEN_OUT)] == [None]
    assert [*tables_apart("")] == []


@given(st.text(alphabet="|-+=* `~\nab.:<>", max_size=200))
def test_nothing_is_lost_between_tables(text):
    said = "".join("".join(piece.split()) for piece, _ in tables_apart(text))
    assert said == "".join(text.split())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The bolt is\\\ntightened.", "The bolt is tightened."),
        (".. envvar:: HOME_DIR\n\n   Where files are kept.", "HOME_DIR:\n\nWhere files are kept."),
        (".. py:function:: open(path)\n\n   Opens it.", "open(path):\n\nOpens it."),
        ("## A heading ##  ", "A heading"),
        ("# C#", "C#"),
        ("article 4[a](2) of the act", "article 4[a](2) of the act"),
        ("| Type |\n|---|\n| `a \\| b` |", "a | b."),
    ],
)
def test_no_word_is_lost_or_glued_to_another(text, said):
    assert as_plain_text(text, notation=Notation.MARKDOWN) == said


def test_text_without_a_rule_is_no_table_of_markdown():
    text = "- Type `str | None` or `int | None`\n- Default `a | b`"
    assert (
        as_plain_text(text, notation=Notation.MARKDOWN)
        == "• Type str | None or int | None\n• Default a | b"
        == as_plain_text(text)
    )


@pytest.mark.parametrize("said", ['"*" or "*"', "/api/*/users, /web/*/users", "count(*), sum(*)", "ON *.* TO"])
def test_a_star_that_stands_for_all_is_no_mark(said):
    assert as_plain_text(said) == said == one_line(said)


def test_what_a_parser_wrote_out_has_no_marks_in_its_lines():
    said = r"C:\_old\*, \*\.log, *left*, `right` and [a](b)"
    assert as_plain_text(said, Notation.WRITTEN_OUT) == said == one_line(said, notation=Notation.WRITTEN_OUT)
    ((_, table),) = tables_apart("a | b | c\n*1* | *2* | \\*", Notation.WRITTEN_OUT)
    assert table.rows[0].cells == ["*1*", "*2*", "\\*"]


def test_a_script_that_a_page_shows_is_a_listing():
    script = "## It goes\n$ apt purge saw\n  --yes"
    said = f"Then run:\n\n{script}\n\nDone."
    assert as_plain_text(said, Notation.WRITTEN_OUT) == said
    assert [*pieces(said, Notation.WRITTEN_OUT)] == [("Then run:", False), (script, True), ("Done.", False)]


@pytest.mark.parametrize("notation", [Notation.MARKDOWN, Notation.WRITTEN_OUT])
def test_code_four_columns_in_is_a_listing_and_the_rest_of_an_item_none(notation):
    text = (
        "Install it:\n\n    pip install x\n    quarry init\n\n    quarry worker\n\nGo on.\n\n* item\n\n    its rest\n"
    )
    told = [("Install it:", False), ("pip install x\nquarry init\n\nquarry worker", True), ("Go on.", False)]
    assert [*pieces(text, notation)] == [*told, ("• item", False), ("its rest", False)]


def test_code_of_an_item_stands_four_columns_further_in_than_its_text():
    text = "1. Make it:\n\n       mkdir gantry\n       cd gantry\n\n2. Go\n\n   on.\n"
    assert [*pieces(text, Notation.MARKDOWN)][:2] == [("1. Make it:", False), ("mkdir gantry\ncd gantry", True)]
    assert not any(is_code for _, is_code in pieces("!!! note\n\n    A note that\n    goes on.\n", Notation.MARKDOWN))


@pytest.mark.parametrize("colon", [": ", ":   "])
def test_a_definition_stands_behind_its_term(colon: str) -> None:
    text = f"Guest room\n{colon}Twelve euros\n    a night.\n\nLaundry\n{colon}Open until nine."
    assert as_plain_text(text) == "Guest room: Twelve euros a night.\n\nLaundry: Open until nine."


@pytest.mark.parametrize("notation", [Notation.WRITTEN_OUT, Notation.MARKDOWN])
@pytest.mark.parametrize(
    ("line", "inner"), [("It is shut. ", ""), ("- It is shut. ", "  "), ("    It is shut. ", "    ")]
)
def test_a_quotation_that_begins_in_the_middle_of_a_line_is_no_listing(notation, line, inner):
    quote = f"To have it opened, ring\n{inner}the bell twice.\n\n{inner}Then wait."
    said = placed(quote, len(line), line + quote)
    assert as_plain_text(said, notation) == "To have it opened, ring the bell twice.\n\nThen wait."
    assert placed("code = 1\n    more = 2", 4, "    code = 1\n    more = 2") == "    code = 1\n    more = 2"
