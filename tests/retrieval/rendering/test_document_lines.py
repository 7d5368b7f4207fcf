"""The document as it is read: no database, no request."""

import re
from html import unescape
from textwrap import indent
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pygments.lexers import get_lexer_by_name
from pygments.token import Token

from retrieval.notations import is_document, lexer_for
from retrieval.rendering import colours
from retrieval.rendering.colours import coloured, coloured_piece
from retrieval.rendering.document_lines import cited_lines, read, window
from retrieval.rendering.inline import escaped, marked_up, named_in


def part(**fields):
    defaults = {"ordinal": 0, "title": "", "level": 1, "anchor": "a", "aliases": [], "line_start": 1, "line_end": 99}
    return SimpleNamespace(**(defaults | {"page": None} | fields))


def text_of(html: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", html))


@given(st.text(), st.sampled_from(["a.py", "a.md", "a.rst", "a.txt", "a.html", "a.unknown", "a.js"]))
def test_colouring_changes_no_character_and_no_line(text, path):
    assert [text_of(line) for line in coloured(text, lexer_for(path))] == text.split("\n")


@pytest.mark.parametrize("path", ["a.py", "a.md", "a.rst", "a.txt"])
def test_the_lines_of_a_window_look_as_they_do_in_the_whole_and_no_other_is_made(path):
    text = '"""One\ntwo"""\n\n```python\nx = "a"\ny = 1\n```\n\n.. code:: python\n\n    z = "b"\n' * 40
    parts = [part(line_end=200), part(line_start=201, line_end=440)]
    whole = [line for section in read(text, path, parts) for line in section.lines]
    for shown in (range(1, 41), range(150, 260), range(401, 441)):
        seen = [line for section in read(text, path, parts, shown=shown) for line in section.lines]
        assert seen == [line for line in whole if line.number in shown]
    lines = coloured(text, lexer_for("a.py"), range(10, 20))
    assert len(lines) == 441 and [bool(line) for line in lines].index(True) == 10 and not any(lines[20:])


def test_an_excerpt_of_a_console_keeps_its_last_line():
    text = "$ ls\na  b\n$ make install"
    html = coloured_piece(text, "setup.sh-session", [(text.index("install"), len(text))])
    assert text_of(html) == text and "<mark>install</mark>" in html


def test_code_is_coloured_and_escaped():
    (line,) = coloured('x = "<script>"  # <b>', lexer_for("a.py"))
    assert '<span class="s">' in line and '<span class="c"># &lt;b&gt;</span>' in line
    assert "<script" not in line


def kinds(text: str, path: str, **fields) -> list[str]:
    (section,) = read(text, path, [part(**fields)])
    return [line.kind for line in section.lines]


@pytest.mark.parametrize("mark", ["=", "$", "%", "!", "_"])
def test_the_heading_of_an_rst_section_is_its_title_and_the_rules_beside_it(mark):
    text = f"{mark * 5}\nTitle\n{mark * 5}\n\nText"
    assert kinds(text, "a.rst", title="Title") == ["rule", "title", "rule", "prose", "prose"]


def test_a_rule_above_a_heading_of_markdown_is_none_of_its_own():
    text = "---\nname: T\n---\n# Title\n---\n\nText"
    assert kinds(text, "a.md", title="Title") == [*["directive"] * 3, "title", "prose", "prose", "prose"]
    assert kinds("---\nTitle\n---\n\nText", "a.md", title="Title") == ["prose", "title", "rule", "prose", "prose"]


def test_literal_blocks_and_fences_are_set_as_they_stand():
    assert kinds("So::\n\n    x = 1\n\nText", "a.rst")[2:] == ["code", "prose", "prose"]
    assert kinds("- So::\n\n      x = 1\n\n  and on", "a.rst") == ["prose", "code", "code", "prose", "prose"]
    assert kinds(".. code:: c\n   :number-lines:\n\n   x = 1", "a.rst") == ["directive", "directive", "code", "code"]
    for opening, closing in [("```py", "```"), ("{{< highlight py >}}", "{{< /highlight >}}")]:
        assert kinds(f"{opening}\nx\n{closing}\nText", "a.md") == ["code", "code", "code", "prose"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("````\n```py\nx\n```\n````\nText", "code code code code code prose"),
        ("```\n```python\nx\n```\nText", "code code code code prose"),
        ("Notes\n~~~~~\nText", "prose prose prose"),
        ("```npm install``` installs it.\nText", "prose prose"),
    ],
)
@pytest.mark.parametrize("path", ["a.md", "a.txt", "a.html"])
def test_a_fence_is_closed_by_one_that_is_as_long_and_has_nothing_behind_it(path, text, found):
    assert kinds(text, path) == found.split()


def test_an_rst_underline_of_tildes_opens_no_fence():
    assert kinds("Title\n~~~~~\n\nText", "a.rst", title="Title") == ["title", "rule", "prose", "prose"]


def test_what_a_markdown_file_says_of_itself_is_no_text():
    assert kinds("---\ntitle: T\n---\n\ntext", "a.md") == [*["directive"] * 3, "prose", "prose"]
    assert kinds("+++\ntitle = 'T'\n+++\n\ntext", "a.md") == [*["directive"] * 3, "prose", "prose"]
    assert kinds("---\ntext", "a.md") == ["prose", "prose"]
    assert {*kinds("---\n\nNote: closed on Monday.\n\n---\n\ntext", "a.md")} == {"prose"}


def test_a_comment_on_lines_of_its_own_is_no_running_text():
    of_mdx = kinds("{/* a */}\n\nb {/* c */}\n<!--\nd\n-->", "a.mdx")
    assert of_mdx == ["directive", "prose", "prose", *["directive"] * 3]
    of_rst = kinds(".. a\n   b\n\nc <!-- d -->\n\n.. e", "a.rst")
    assert of_rst == ["directive", "directive", "prose", "prose", "prose", "directive"]
    assert kinds("<!-- a -->", "a.txt") == ["prose"]


def test_a_directive_with_running_text_is_running_text():
    assert kinds(".. note::\n\n   Mind the gap.", "a.rst") == ["directive", "prose", "prose"]
    assert kinds(".. note:: Mind the gap.\n.. _gap:", "a.rst") == ["prose", "directive"]


def test_options_belong_to_their_directive_and_fields_elsewhere_are_text():
    text = ".. figure:: map.png\n   :alt: A map\n   :width: 80%\n\n   The way.\n\n:Author: Ada"
    assert kinds(text, "a.rst") == ["directive", "directive", "directive", "prose", "prose", "prose", "prose"]


def test_tables_of_rst_are_found_and_a_list_of_lists_says_whether_it_has_a_head():
    listed = ".. list-table:: Fees\n   :header-rows: 1\n\n   * - A\n     - B\n   * - ``1``\n     - 2\n\nText"
    (section,) = read(listed, "a.rst", [part()])
    (table,) = [block for block in section.blocks if block.rows]
    assert [row.is_head for row, _ in table.rows] == [True, False]
    assert "<code>1</code>" in table.rows[1][0].cells[0]
    assert kinds("==  ==\nA   B\n==  ==\n1   2\n\n3   4\n==  ==\n\nText", "a.rst") == [*["table"] * 7, "prose", "prose"]
    assert kinds("==  ==\nno table", "a.rst") == ["table", "prose"]
    spanning = "+---+---+\n| a | b |\n+---+ c |\n| d | e |\n+---+---+"
    assert kinds(f"{spanning}\n\n| line block", "a.rst") == [*["table"] * 5, "prose", "prose"]


def test_a_table_of_markdown_needs_no_pipes_around_it_but_a_border():
    assert kinds("A | B\n--- | ---\n1 | 2\n\nA | B", "a.md") == [*["table"] * 3, "prose", "prose"]
    assert kinds("A | B\n---\n\nA\n--- | ---", "a.md") == ["prose"] * 5


@pytest.mark.parametrize("path", ["a.md", "book.ipynb"])
@pytest.mark.parametrize("info", ["python", " python", " {code-block} python", "{.python}", "python title='x'"])
def test_what_a_fence_holds_has_the_colours_of_its_language_and_the_rest_none(path, info):
    text = f"```{info}\nx = '**'\n```\n\nText\n\n``` unheard-of\ny = '**'\n```\n\n```\n1"
    (section,) = read(text, path, [part()])
    assert [text_of(line.html) for line in section.lines] == text.split("\n")
    assert [line.number for line in section.lines if "<span" in line.html] == [2]
    assert '<span class="s">**</span>' in section.lines[1].html


@pytest.mark.parametrize(
    ("text", "path"),
    [
        pytest.param("word " * 8_000, "a.java", id="a long line"),
        pytest.param("word\n" * 10 + "\n" * 20_000, "a.java", id="many blank lines"),
        pytest.param("word word = word;\n" * 20, "a.java", id="a grammar that takes too long"),
    ],
)
def test_what_a_grammar_takes_too_long_for_costs_its_colours_only(text, path, monkeypatch):
    if "=" in text:
        assert any("<span" in line for line in coloured("String x = null;", lexer_for(path)))
        monkeypatch.setattr(colours, "MAY_TAKE", -1.0)
    lexer = lexer_for(path)
    read_by = []
    monkeypatch.setattr(lexer, "get_tokens_unprocessed", lambda text: read_by.append(text) or iter([(0, Token, "w")]))
    assert coloured(text, lexer) == [escaped(line) for line in text.split("\n")]
    assert bool(read_by) is ("=" in text)


@pytest.mark.parametrize("body", ["$ ls", "$ ls\n\n", "", "no prompt"])
def test_a_grammar_that_leaves_something_out_costs_its_colours_only(body):
    text = f"```console\n{body}\n```"
    (section,) = read(text, "a.md", [part()])
    assert [text_of(line.html) for line in section.lines] == text.split("\n")
    assert [text_of(line) for line in coloured(body, get_lexer_by_name("console"))] == body.split("\n")


def test_targets_of_links_are_no_running_text():
    assert kinds("[rST]: https://example.org/x 'A title'\n\n[^1]: A note.", "a.md") == ["directive", "prose", "prose"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Run\n\n    x = 1\n\n    y = 2\n\nText", "prose prose code code code prose prose"),
        ("Run\n\n\tx = 1", "prose prose code"),
        ("Run\n    x = 1", "prose prose"),
        ("- Run\n\n    x = 1\n\nText\n\n    y = 2", "prose prose prose prose prose prose code"),
        ("1. Run\n\n   So:\n\n    x = 1", "prose prose prose prose prose"),
        ("1. Run\n\n       x = 1\n\nText", "prose prose code prose prose"),
        ('=== "Linux"\n\n    Run it.', "prose prose prose"),
        ("!!! note\n\n    Mind.\n\n[^1]: A\n\n    note.", "prose " * 7),
        ("- Run\n\n    ```\n    x\n    ```", "prose prose code code code"),
        ("\n    ```\n    x\n    ```\n\nText", "prose code code code prose prose"),
        ("\n    | A | B |\n    |---|---|", "prose code code"),
    ],
)
def test_lines_of_markdown_that_stand_in_by_four_are_code_unless_they_belong_to_an_item(text, expected):
    assert kinds(text, "a.md") == expected.split()


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a/Dockerfile.dev", "Docker"),
        ("Containerfile", "Docker"),
        ("Jenkinsfile", "Groovy"),
        ("A.pm", "Perl"),
        ("a.R", "S"),
        ("a.mts", "TypeScript"),
        ("a.inl", "C++"),
    ],
)
def test_a_program_is_known_by_its_name(path, language):
    assert lexer_for(path).name == language and not is_document(path)


def test_a_suffix_in_capitals_is_as_good_and_mdx_is_markdown():
    text = "# Fees\n\n    x = 1\n\n```py\ny\n```"
    assert kinds(text, "a.md") == kinds(text, "A.MD") == kinds(text, "a.mdx") == kinds(text, "A.MDX")
    assert kinds("So::\n\n    x", "Guide.RST")[-1] == "code"
    assert not is_document("MAIN.PY") and "<span" in coloured_piece("x = 'a'", "MAIN.PY", [])
    assert lexer_for("a.S").name != lexer_for("a.s").name and lexer_for("a.unheard") is lexer_for("README") is None


def test_what_stands_in_is_code_in_markdown_alone():
    assert {*kinds("a\n\n    b", "a.txt"), *kinds("a\n\n    b", "a.pdf"), *kinds("a\n\n    b", "a.rst")} == {"prose"}


HTML = """\
<table>
  <thead>
    <tr><th rowspan="2">Class</th><th colspan="2">Per day</th></tr>
    <tr><th>Guests</th><th>Members</th></tr>
  </thead>
  <tr>
    <td>trailer</td>
    <td>€6 &amp; **more**</td> <td><script>alert(1)</script>€4 <b onclick=x>x</b></td>
  </tr>
</table>

Text"""


def test_a_table_of_html_in_markdown_is_drawn_as_one_and_never_as_html():
    (section,) = read(HTML, "a.md", [part()], cited=range(7, 8))
    assert [line.kind for line in section.lines] == [*["table"] * 10, "prose", "prose"]
    (table,) = [block for block in section.blocks if block.rows]
    first, second, third = (row for row, _ in table.rows)
    assert (first.cells, first.is_head, first.lines) == (("Class", "Per day", "Per day"), True, range(1, 4))
    assert (second.cells, second.is_head, second.lines) == (("Class", "Guests", "Members"), True, range(4, 6))
    assert third.lines == range(6, 11) and not third.is_head and third.cells[2] == "€4 x"
    assert text_of(third.cells[1]) == "€6 & **more**" and "<strong>more</strong>" in third.cells[1]
    assert [is_cited for _, is_cited in table.rows] == [False, False, True]
    assert kinds(HTML, "a.rst")[:2] == ["prose", "prose"]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        *((HTML, path) for path in ("a.html", "a.txt", "a.pdf", "a.docx")),
        (f"- Write\n\n{indent(HTML, ' ' * 6)}", "a.md"),
    ],
)
def test_an_example_of_html_shows_every_character(text, path):
    (section,) = read(text, path, [part(line_end=text.count("\n") + 1)])
    assert not any(block.rows for block in section.blocks)
    assert [text_of(line.html) for line in section.lines] == text.split("\n")


@pytest.mark.parametrize(
    "table",
    [
        "<table>\n<tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr>\n</table>",
        "<table>\n<caption>Fees</caption>\n<tr><td>a</td><td>b</td></tr>\n</table>",
        "<table>\n<tr><td>a</td><td>b</td></tr>\n</table> and text",
        "<table>\n<tr><td>a</td></tr>\n</table>",
        "<table>\n</table>",
        "<table>\n<tr><td>a</td><td><pre>b\nc</pre></td></tr>\n</table>",
        "<table>\n<tr><td>a</td><td>\n\n```py\nb\nc\n```\n\n</td></tr>\n</table>",
    ],
)
def test_a_table_of_html_that_says_more_than_its_rows_stands_as_it_is(table):
    (section,) = read(f"{table}\n\nText", "a.md", [part()])
    assert not any(block.rows for block in section.blocks)
    assert [text_of(line.html) for line in section.lines] == f"{table}\n\nText".split("\n")


def test_tags_and_colons_of_markdown_are_marks_and_never_html():
    text = "<a name='x' onclick=\"f()\"></a>## Fees<br>`<b>` & <script>x</script> <form>\n:::note\n:::tip A title"
    (section,) = read(text, "a.md", [part()])
    assert [text_of(line.html) for line in section.lines] == text.split("\n")
    assert (
        not re.search("<(?!/?(?:span|code)[ >])", section.lines[0].html)
        and "<code>&lt;b&gt;</code>" in section.lines[0].html
    )
    assert section.lines[0].html.startswith('<span class="mk">&lt;a name=')
    assert [line.kind for line in section.lines] == ["prose", "directive", "prose"]
    assert section.lines[2].html == '<span class="mk">:::tip </span>A title'
    assert kinds("```{note}\nText.\n\n```py\nx\n```\n```\nText", "a.md") == (
        ["directive", "prose", "prose", "code", "code", "code", "directive", "prose"]
    )
    (section,) = read("a <b>b</b>", "a.rst", [part()])
    assert section.lines[0].html == "a &lt;b&gt;b&lt;/b&gt;"


CSV = """\
.. csv-table:: Fees
   :widths: 1, 2
   :header: "Class", "Fee"

   "bike, folded", "€ 12
   a day"

   tram, "``""2""``"

Text"""


def test_a_table_of_comma_separated_values_is_a_table_with_its_options_in_its_head():
    (section,) = read(CSV, "a.rst", [part()], cited=range(6, 7))
    assert [line.kind for line in section.lines] == ["directive", *["table"] * 7, "prose", "prose"]
    (table,) = [block for block in section.blocks if block.rows]
    head, first, second = (row for row, _ in table.rows)
    assert (head.cells, head.is_head, head.lines) == (("Class", "Fee"), True, range(2, 5))
    assert (first.cells, first.lines) == (("bike, folded", "€ 12 a day"), range(5, 8))
    assert "<code>&quot;2&quot;</code>" in second.cells[1] and not second.is_head
    assert [is_cited for _, is_cited in table.rows] == [False, True, False]


def test_what_a_csv_table_takes_from_a_file_is_no_table():
    assert kinds(".. csv-table:: Fees\n   :file: fees.csv\n\nText", "a.rst")[:2] == ["directive", "directive"]


def test_a_session_of_an_interpreter_in_rst_is_code_until_a_blank_line():
    assert kinds("Try::\n\n>>> 2*3*4\n24\n\nText", "a.rst") == ["prose", "prose", "code", "code", "prose", "prose"]
    assert kinds(">>> quoted\n\nText", "a.md") == ["prose"] * 3


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("a ``b`` c", 'a <span class="mk">``</span><code>b</code><span class="mk">``</span> c'),
        (":ref:`Hours <h>`", '<span class="mk">:ref:`</span>Hours<span class="mk"> &lt;h&gt;`</span>'),
        ("**a *b***", None),
        ("Like this::", 'Like this:<span class="mk">:</span>'),
        (".. note:: Mind <b>", '<span class="mk">.. note:: </span>Mind &lt;b&gt;'),
        (
            "[the `way`](map.md)",
            '<span class="mk">[</span>the <span class="mk">`</span><code>way</code><span class="mk">`</span>'
            '<span class="mk">]</span><span class="mk to">(map.md)</span>',
        ),
        ("## Fees", '<span class="mk">## </span>Fees'),
    ],
)
def test_marks_are_set_apart_from_running_text_and_no_character_is_lost(line, shown):
    (section,) = read(line, "a.rst", [part()])
    assert text_of(section.lines[0].html) == line
    assert shown is None or section.lines[0].html == shown


@given(st.text(alphabet="ab `*_<>[]():~!\\.|&\"'", max_size=60))
def test_marking_changes_no_character(text):
    assert text_of(marked_up(text)) == text


@given(st.text(alphabet="ab `*_<>[]():~!\\.|&\"'#", max_size=60))
def test_links_change_no_character_and_stand_in_no_other(text):
    html = marked_up(text, dict.fromkeys(named_in(text), '/a?b&c="'))
    assert text_of(html) == text
    assert not re.search("<a [^>]*>(?:(?!</a>).)*<a ", html) and html.count("<a ") == html.count("</a>")


def test_text_without_a_markup_is_shown_as_it_is():
    (section,) = read("2 **3** `4`", "a.txt", [part()])
    assert section.lines[0].html == "2 **3** `4`"


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("3-5", [3, 4, 5]),
        ("7", [7]),
        ("", []),
        ("x", []),
        ("3-", []),
        ("-3", []),
        ("9" * 20, []),
        ("٣", []),
        ("5-3", []),
    ],
)
def test_lines_are_asked_for_as_a_span_or_not_at_all(asked, expected):
    assert list(cited_lines(asked)) == expected


def test_only_the_asked_lines_are_cited():
    (section,) = read("a\nb\nc", "a.txt", [part()], range(2, 4))
    assert [line.cited for line in section.lines] == [False, True, True]


def test_of_a_long_document_a_window_is_shown_around_what_is_cited():
    assert window(2000, range(0)) == range(1, 2001)
    assert window(10_000, range(0)) == range(1, 2001)
    assert window(10_000, range(5000, 5003)) == range(4800, 6800)
    assert window(10_000, range(0), 9_999) == range(9_999, 10_001)
    assert window(10_000, range(0), 10**8) == range(10_000, 10_001)


@pytest.mark.parametrize("path", ["page.html", "Report.PDF", "letter.docx"])
def test_what_was_written_out_by_a_parser_is_prose_and_not_code(path):
    assert lexer_for(path) is None and lexer_for("page.py") is not None


@pytest.mark.parametrize(
    ("cell", "to"),
    [
        ("[Download](https://example.org)", ["(https://example.org)"]),
        ("`Download <https://example.org>`_", [" &lt;https://example.org&gt;"]),
        ("40 €[^1] or 50 [#]_", ["[^1]", "[#]_"]),
        (":ref:`Hours <h>`, ![A map](map.png), *now*<!-- x -->", []),
    ],
)
def test_addresses_of_links_and_marks_of_footnotes_are_told_from_other_marks(cell, to):
    assert re.findall('<span class="mk to">(.*?)</span>', marked_up(cell)) == to and text_of(marked_up(cell)) == cell
