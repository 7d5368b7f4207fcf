"""HTML in Markdown: what of it a reader of the page sees."""

from itertools import pairwise
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.chunking import chunk
from ingestion.documents import BlockKind
from ingestion.parsers import parse
from ingestion.parsers.markdown.containers import containers
from ingestion.sections import build_sections

P = "paragraph"
LINES = ["", "", "Text.", "- one", "  two", "# T", ":::", ":::note", "::: tip A", "::::note B", "::::", "```", "    x"]
LINES += ["<table>", "<tr><td>a", "</table>", "[^1]: a", "> b", ":::details C", "| a | b |", "|---|---|", "```{note}"]


def blocks(text: str) -> list[tuple[BlockKind, int, int]]:
    return [(block.kind, block.line_start, block.line_end) for block in parse(text.encode(), "a.md").blocks]


@pytest.mark.parametrize(
    ("html", "title", "level", "lines"),
    [
        ('<h1 align="center">My <em>Project</em> &amp; more</h1>', "My Project & more", 1, (1, 1)),
        ('<div align="center">\n  <H2 id=x>Setup</H2>\n  <p>nice</p>\n</div>', "Setup", 2, (2, 2)),
        ('<h1 align="center">\n  <br>\n  Over lines\n</h1>', "Over lines", 1, (1, 4)),
    ],
)
def test_a_heading_written_as_html_is_a_heading(html, title, level, lines):
    document = parse(f"{html}\n\nText.\n".encode(), "a.md")
    [heading] = [block for block in document.blocks if block.kind is BlockKind.HEADING]
    assert (heading.title, heading.level, (heading.line_start, heading.line_end)) == (title, level, lines)
    assert document.title == title


def test_its_id_leads_to_a_heading_written_as_html():
    html = '<h2 id="setup"><a name="old"></a>Setting up</h2>\n\nText.\n'
    [section] = build_sections(parse(html.encode(), "a.md"))
    assert (section.anchor, section.aliases) == ("setting-up", ("setup", "old"))


@pytest.mark.parametrize(
    "html", ["<h1>Title</h1> and text", "<h1><img src='a.png'></h1>", "<h1>Open", "<p>x</p>", "<h1>a<h2>b</h2></h1>"]
)
def test_html_that_says_more_than_a_heading_stays_text(html):
    assert blocks(f"{html}\n\nText.\n") == [(BlockKind.PARAGRAPH, 1, 1), (BlockKind.PARAGRAPH, 3, 3)]


@pytest.mark.parametrize("comment", ["<!-- Licensed to\n\nnobody -->", "<!-- a --><!-- b -->", "<!---->"])
def test_a_comment_is_not_read(comment):
    last = comment.count("\n") + 3
    assert blocks(f"{comment}\n\nText.\n") == [(BlockKind.PARAGRAPH, last, last)]


def test_a_comment_of_mdx_is_not_read_however_many_paragraphs_it_has():
    assert blocks("{/* Shared. */}\n\nA.\n\n{/*\n* a\n\n* b\n*/}\n* c\n") == [(P, 3, 3), ("list", 10, 10)]
    assert blocks("A {/* so */}\n\n```jsx\n{/* so */}\n```") == [(P, 1, 1), ("code", 3, 5)]


@pytest.mark.parametrize("text", ["<!-- never closed", "<!-- a --> and text", "a --> b"])
def test_what_is_no_comment_is_read(text):
    assert blocks(text) == [(BlockKind.PARAGRAPH, 1, 1)]


@pytest.mark.parametrize(
    "picture", ["![a b]({})", "![]( <{}> )", '![]({} "title")', "<img alt=x src='{}'>", "- ![]({})"]
)
def test_a_picture_written_into_the_text_is_not_read(picture):
    picture = picture.format("data:image/png;base64," + "iVBORw0K" * 20)
    paragraphs = [(BlockKind.PARAGRAPH, 1, 1), (BlockKind.PARAGRAPH, 5, 5)]
    assert blocks(f"Before.\n\n{picture}\n\nAfter.\n") == paragraphs
    assert blocks(f"1. One\n   {picture}\n\n   more\n2. Two\n") == [(BlockKind.LIST, 1, 1), (BlockKind.LIST, 4, 5)]


@pytest.mark.parametrize("line", ["![a](data.png)", "See ![a](data:image/png;base64,AA==) here.", "`![a](data:x)`"])
def test_a_line_that_says_something_beside_a_picture_is_read(line):
    assert blocks(line) == [(BlockKind.PARAGRAPH, 1, 1)]


@pytest.mark.parametrize(
    "line",
    [
        "data:" + "![" * 200_000,
        "<img src=data:" * 100_000,
        "<img " + "src=data:" * 100_000,
        "<img " * 100_000 + "data:",
    ],
)
def test_pictures_made_to_be_slow_are_read_without_trouble(line):
    assert len(blocks(line)) == 1


@pytest.mark.parametrize("tab", ['=== "Linux"', '===+ "Linux"', '===! "Linux and others"'])
def test_what_a_tab_holds_is_read_as_what_it_is(tab):
    text = f"Install it:\n\n{tab}\n\n    Ask your distribution.\n\n    ```sh\n    apt install it\n    ```\n\nDone.\n"
    assert blocks(text) == [
        (BlockKind.PARAGRAPH, 1, 1),
        (BlockKind.NOTE, 3, 5),
        (BlockKind.CODE, 7, 9),
        (BlockKind.PARAGRAPH, 11, 11),
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (":::note\nOne.\n\n- two\n:::\n\nText.", [("note", 1, 4), ("paragraph", 7, 7)]),
        ("::: tip A title\n```\nx\n```\n:::", [("note", 1, 1), ("code", 2, 4)]),
        ("::: details A title\nText.\n:::", [("paragraph", 1, 2)]),
        ("::: tabs\nText.\n:::", [("paragraph", 2, 2)]),
        ("::: note\n# Title\n\nText.\n:::", [("heading", 2, 2), ("note", 4, 4)]),
        ("::::note A\n:::tip B\nOne.\n:::\nTwo.\n::::", [("note", 1, 1), ("note", 2, 3), ("note", 5, 5)]),
        ("::::note\n:::tip B\nOne.\n:::\nTwo.\n::::", [("note", 2, 3), ("note", 5, 5)]),
        (":::note never closed\n\nText.", [("paragraph", 1, 1), ("paragraph", 3, 3)]),
        (':::image alt-text="A bike":::\n\nText.', [("paragraph", 1, 1), ("paragraph", 3, 3)]),
        ("```\n:::note\n:::\n```", [("code", 1, 4)]),
        ("```sh\n```sh\n:::note A\n:::\n```\n\nText.", [("code", 1, 5), (P, 7, 7)]),
        ("```{note}\n```{note}\n::: tip A\n::::\nText.", [("note", 1, 5)]),
        ("[^1]: a\n::: tip A\n::::\n    x", [(P, 1, 4)]),
        (":::note\n:::details C\n:::\nText.\n:::", [(P, 2, 2), ("note", 4, 4)]),
        ("```{table} Fees\n| a | b |\n|---|---|\n```", [("table", 1, 4)]),
        ("```{toctree}\na\n```\n\n```{math}\nx\n```", [("code", 5, 7)]),
        ("Text[^1]\n\n[^1]: A note.\n\n    Goes on.\n\nText.", [(P, 1, 1), (P, 3, 5), (P, 7, 7)]),
        ("import Tabs from '@theme/Tabs';\n\nimport it from here", [(P, 3, 3)]),
        ("import A from 'a';\nimport {\n  B,\n  C,\n} from \"b\";\nimport './c.css'\n\nText.", [(P, 8, 8)]),
        ('import {\n  B,\n} from here, says "b"', [(P, 1, 3)]),
    ],
)
def test_the_dialects_of_markdown_are_read_as_what_they_are(text, found):
    assert blocks(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("    Run the **installer**.", [(P, 1, 1)]),
        ("<Tabs>\n\n    ## Linux\n\n    1. one\n\n</Tabs>", [("heading", 3, 3), ("list", 5, 5)]),
        ("<Tabs>\n\n    ```sh\n    make\n    ```\n</Tabs>", [("code", 3, 5)]),
        ("- one\n\n        two", [("list", 1, 3)]),
    ],
)
def test_what_is_indented_in_mdx_is_no_code(text, found):
    read = parse(text.encode(), "a.mdx").blocks
    assert [(block.kind, block.line_start, block.line_end) for block in read] == found
    assert "code" in [kind for kind, *_ in blocks(text)]


RULE, COLUMNS = "-" * 20, "----- ----- --------"
ROWS = "One   row   12", "", "Two   row   5"


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ([RULE, "Pump  Kind  Price", COLUMNS, *ROWS, RULE, "", "T."], [("table", 1, 7)]),
        ([COLUMNS, *ROWS, COLUMNS, "", "T."], [("table", 1, 5)]),
        ([RULE, "One", "", "Two   row", RULE, "", "T."], [(P, 2, 2), ("heading", 4, 5)]),  # a rule and a title
        ([RULE, "One", COLUMNS, "Two", "", RULE, "Three", "", "T."], [(P, 2, 2), (P, 4, 4), (P, 7, 7)]),
    ],
)
def test_a_table_whose_rows_have_several_lines_is_one_block(lines, found):
    assert blocks("\n".join(lines))[:-1] == found


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("% The *guide*\n  to it\n% A; B\n% 2020\n\n# One\n\n# Two\n", "The guide to it"),
        ("% run 1\n## NAME\n", "run 1"),
        ("% run 1\n", "run 1"),
        ("% A comment of MyST\n\n# One\n\n## Two\n", "One"),
        ("% One\nof many\n\n# One\n\n# Two\n", "One"),
        ("% One\n% Two\n% Three\n% Four\n\n# One\n\n# Two\n", "One"),
        ("%\n% A\n\n# One\n\n# Two\n", "One"),
    ],
)
def test_a_line_behind_a_percent_sign_at_the_top_is_the_title(text, title):
    assert parse(text.encode(), "a.md").title == title


def test_containers_stand_in_no_more_than_fifty_others_and_what_is_never_closed_counts_for_nothing():
    count = 5_000
    lines = [*[":::note", "x"] * count, *[":::"] * count, ":::tip", "y", ":::"]
    found = containers(lines)
    assert [each.first for each in found] == [*range(2 * count - 100, 2 * count, 2), 3 * count]
    assert [each.last for each in found] == [*range(2 * count + 49, 2 * count - 1, -1), 3 * count + 2]
    text = "\n".join(lines)
    assert blocks(text)[-1] == (BlockKind.NOTE, 3 * count + 1, 3 * count + 2)


@given(st.lists(st.sampled_from(LINES), max_size=25))
def test_blocks_come_in_order_and_never_overlap_whatever_is_announced(lines):
    found = blocks("\n".join(lines))
    assert all(first <= last for _, first, last in found)
    assert all(last < first for (_, _, last), (_, first, _) in pairwise(found))


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("<table>\n<tr><td>a</td></tr>\n\n    <tr><td>b</td></tr>\n\n</table>\n\nText.", [("table", 1, 6), (P, 8, 8)]),
        ("<table>\n<tr><td>never closed\n\nText.", [("table", 1, 2), (P, 4, 4)]),
        ("<table><tr><td>\n\n# Title\n\n</td></tr></table>", [("heading", 3, 3)]),
        ('<div align="center">\n\nText.\n\n</div>', [(P, 3, 3)]),
        ("<script>\nx = 1\n</script>\n\n<img src=a.png>\n\n<img alt='A bike'>", [(P, 7, 7)]),
    ],
)
def test_a_table_of_html_is_a_table_and_tags_alone_are_not_read(html, found):
    assert blocks(html) == found


def test_an_over_long_table_of_html_is_torn_between_its_rows_and_keeps_its_header():
    rows = "".join(f"  <tr>\n    <td>bike {n}</td>\n    <td>€{n}</td>\n  </tr>\n" for n in range(40))
    table = f"<table>\n  <tr><th>Class</th><th>Price</th></tr>\n{rows}</table>\n"
    document = parse(table.encode(), "a.md")
    first, *others = chunk(document, build_sections(document), lambda texts: [len(text.split()) for text in texts], 40)
    assert first.told.startswith("bike 0: Price €0.\nbike 1: Price €1.") and len(others) > 2
    assert {one.context for one in others} == {"Class | Price"}
    assert all(one.told.startswith("bike ") and "<" not in one.told for one in others)


@pytest.mark.parametrize(
    ("info", "language"),
    [
        ("python", "python"),
        ("{.python .numberLines}", "python"),
        ("{ .yaml title=x }", "yaml"),
        ("{code-block} php", "php"),
        ("{r setup, echo=FALSE}", "r"),
        ("{python}", "python"),
        ('c++ title="a"', "c++"),
    ],
)
def test_code_has_the_language_that_any_dialect_names(info, language):
    [block] = parse(f"```{info}\nx\n```\n".encode(), "a.md").blocks
    assert (block.kind, block.language) == (BlockKind.CODE, language)


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("{% highlight bash %}", "{% endhighlight %}"),
        ("{%- highlight bash linenos -%}", "{%- endhighlight -%}"),
        ("{{< highlight bash >}}", "{{< /highlight >}}"),
        ('{{< highlight "bash" "linenos=table" >}}', "{{</ highlight >}}"),
        ("{{% highlight bash %}}", "{{% /highlight %}}"),
    ],
)
def test_what_generators_of_pages_highlight_is_code(opening, closing):
    code = f"{opening}\n# Install the package\n~~~~\n\n::: note\n{closing}\n"
    document = parse(f"# Setup\n\nRun:\n{code}\nText.\n".encode(), "a.md")
    assert [(each.kind, each.line_start, each.line_end, each.language) for each in document.blocks] == [
        (BlockKind.HEADING, 1, 1, ""),
        (P, 3, 3, ""),
        (BlockKind.CODE, 4, 9, "bash"),
        (P, 11, 11, ""),
    ]
    assert blocks(f"```\n{code}```\n") == [(BlockKind.CODE, 1, 8)]
    assert blocks(f"{opening}\n\n# Title\n") == [(P, 1, 1), (BlockKind.HEADING, 3, 3)]
    assert blocks(f"- a\n\n  {opening}\n  # b\n  {closing}\n") == [(BlockKind.LIST, 1, 1), ("code", 3, 5)]


def test_what_stands_between_two_rules_at_the_top_is_text():
    assert blocks("---\n\nNote: closed on Monday.\n\n---\n\nText.") == [(P, 3, 3), (P, 7, 7)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("## Two\n{: #custom .no_toc }\n\nText.", [("heading", 1, 1), (P, 4, 4)]),
        ("Two\n---\n{:#custom}\nText.\n{: .note }", [("heading", 1, 2), (P, 4, 4)]),
        ("# Two <a id='custom'></a>\n\n{: #other }\nText.", [("heading", 1, 1), (P, 4, 4)]),
        ("# Two {#custom}\n\n- a\n- b\n{:toc}", [("heading", 1, 1), ("list", 3, 4)]),
        ("# Two {#custom}\n\n| a | b |\n|---|---|\n{: .wide}", [("heading", 1, 1), ("table", 3, 4)]),
        ("# Two {#custom}\n```\n{: .x}\n```\n{: x} is text", [("heading", 1, 1), ("code", 2, 4), (P, 5, 5)]),
    ],
)
def test_attributes_on_a_line_of_their_own_are_no_text_and_their_id_leads_to_the_heading_above(text, found):
    document = parse(text.encode(), "a.md")
    assert blocks(text) == found and document.blocks[0].labels == ("custom",)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("$$\na\n=\nb\n$$\n", [("code", 1, 5)]),
        ("So:\n$$ a\n# no heading\n- y\n$$ (one)\nwith a.", [(P, 1, 1), ("code", 2, 5), (P, 6, 6)]),
        ("- a\n\n  $$\n  b\n  ---\n  $$\n- c", [("list", 1, 1), ("code", 3, 6), ("list", 7, 7)]),
        ("> $$\n> a\n> ===\n> $$", [("code", 1, 4)]),
        ("Where $$a$$ is\n$$b$$ and more.", [(P, 1, 2)]),
        ("$$ is cheap\n$$$ is dear", [(P, 1, 2)]),
        ("$$ is cheap\n\n# T\n\n$$ is cheap", [(P, 1, 1), ("heading", 3, 3), (P, 5, 5)]),
        ("> $$\na\n$$", [("paragraph", 1, 3)]),
    ],
)
def test_a_formula_over_several_lines_is_code_whatever_its_lines_look_like(text, found):
    assert blocks(text) == found


def test_prose_about_two_dollars_is_no_formula():
    assert blocks("$$ is the number of the process, so that\nkill $$ ends the shell.\n") == [(P, 1, 2)]
    assert blocks("$$\na = b\n$$ (eq:one)\n") == [("code", 1, 3)]


@pytest.mark.parametrize(
    ("text", "found", "labels"),
    [
        ("(setup)=\n# Setting up\n", [("heading", 2, 2)], ("setup",)),
        ("Text.\n(a.b:c-d)=\n(e)=\n\nTwo\n---\n", [(P, 1, 1), ("heading", 5, 6)], ("a.b:c-d", "e")),
        ("(setup)=\nText.\n\n# Two {#own}\n", [(P, 2, 2), ("heading", 4, 4)], ("own",)),
        ("(see below)=\n\n    (a)=\n\n# Two\n", [(P, 1, 1), ("code", 3, 3), ("heading", 5, 5)], ()),
    ],
)
def test_a_target_of_myst_is_no_text_and_leads_to_the_heading_below(text, found, labels):
    document = parse(text.encode(), "a.md")
    assert blocks(text) == found and document.blocks[-1].labels == labels


def test_a_link_to_a_target_of_myst_finds_its_section():
    [section] = build_sections(parse(b"(install-target)=\n# Install\n\nText.\n", "a.md"))
    assert (section.title, section.aliases) == ("Install", ("install-target",))


@pytest.mark.parametrize("html", ["<!---->" * 100_000 + "x", "<h1>" * 100_000, "<h1 " * 100_000, "<h1>x" * 100_000])
def test_html_made_to_be_slow_is_read_without_trouble(html):
    assert blocks(html) == [(BlockKind.PARAGRAPH, 1, 1)]


def test_a_file_of_many_blocks_takes_time_in_proportion_to_them():
    began = process_time()
    assert len(blocks("a\n\n" * 40_000)) == 40_000
    assert process_time() - began < 15  # when each block looked at all the tokens behind it, 40 s


def test_rules_of_several_dashes_around_sections_are_no_table():
    document = parse(b"--- ---\n\n# Oil\n\nChange it.\n\n## Fat\n\n--- ---\n\nDone.\n", "a.md")
    assert [block.title for block in document.blocks if block.title] == ["Oil", "Fat"]
