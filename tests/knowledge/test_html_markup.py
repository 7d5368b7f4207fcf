"""HTML and announcements within Markdown, as models read them."""

from time import process_time

import pytest

from knowledge.texts.announcements import announced
from knowledge.texts.formats import Notation
from knowledge.texts.html_markup import without_html
from knowledge.texts.markup import without_markup

TABLE = """\
<table>
  <caption>What a day costs</caption>
  <thead>
    <tr><th rowspan="2">Class</th><th colspan="2">Per day</th></tr>
    <tr><th>Guests</th><th>Members</th></tr>
  </thead>
  <tr>
    <td rowspan='2'>trailer</td>
    <td>€6<br>on <b>Sun</b></td> <td>€4 &amp; more</td>
  </tr>
  <tr><td colspan=2>free</td></tr>
</table>
"""


def told(text: str) -> str:
    return without_markup(text, notation=Notation.MARKDOWN)


def test_a_table_is_said_row_by_row() -> None:
    assert told(f"Before.\n\n{TABLE}\nAfter.") == (
        "Before.\n\nWhat a day costs\n"
        "trailer: Per day Guests €6 on Sun, Per day Members €4 & more.\n"
        "trailer: Per day Guests free, Per day Members free.\n\nAfter."
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<hgroup><h2>Oil</h2><p>Each week</p></hgroup>", "## Oil\nEach week"),
        ("It is <ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby> here.", "It is 漢 here."),
        ("See <noscript>the picture</noscript><map name='m'><area alt='x'></map> here.", "See the picture here."),
        ("<noframes>No frames.</noframes>", "No frames."),
        ("<dir> is a folder, and <rt> is none.", "<dir> is a folder, and <rt> is none."),
    ],
)
def test_elements_that_pages_have_are_none_of_the_text(text: str, said: str) -> None:
    assert without_html(text).strip() == said


def test_a_passage_may_begin_amid_a_table() -> None:
    assert told("<tr><td>trailer</td>\n<td>€6</td></tr>\n</table>\n\nAfter.") == "trailer: €6.\n\nAfter."
    assert told("    <tr>\n      <td>trailer</td>\n      <td>€6</td>\n    </tr>") == "trailer: €6."
    assert told("€6</td></tr>\n<tr><td>kayak</td><td>€9") == "€6\nkayak: €9."


@pytest.mark.parametrize(
    ("marked", "said"),
    [
        ("<details>\n<summary>How to <b>oil</b> it</summary>\n\nDaily.\n\n</details>", "How to oil it\n\nDaily."),
        ("<details><summary>Short</summary><p>Inner</p></details>", "Short\nInner"),
        ('<p align="center">\n<img src="a.png" alt="A bike">\n</p>\n\nText', "A bike\n\nText"),
        ("Press <kbd>Ctrl</kbd>+<kbd>C</kbd>, H<sub>2</sub>O", "Press Ctrl+C, H2O"),
        ('One<br/>two <a name="x"></a>three &mdash; four<!-- not this -->', "One two three — four"),
        ("| a<br>b | <ul><li>c</li></ul> |\n|---|---|\n| d | e |", "d: - c e."),
        ("<ul>\n  <li>one</li>\n  <li>two</li>\n</ul>", "- one\n- two"),
        ("<dl><dt>Bike</dt><dd>€6</dd></dl>", "Bike\n    €6"),
        ("<style>\nb { color: red }\n</style>\nText", "Text"),
        ('<Tabs>\n<TabItem value="l" label="Linux">\n\nText\n\n</TabItem>\n</Tabs>', "Linux\n\nText"),
        ("> <b>Hot</b>", "Hot"),
    ],
)
def test_tags_are_left_out(marked: str, said: str) -> None:
    assert told(marked) == said


@pytest.mark.parametrize(
    "text",
    [
        "Use the <form> element, a List<String> and <your name>.",
        "`<div>` and ``<b>` ``",
        "```html\n<b>bold</b> &amp;\n```",
        "Like this:\n\n    <b>bold</b>\n\n    <i>x</i>",
        "a < b, c > d, <https://example.org>, <anna@example.org>, AT&T; R&D",
        ".. code-block:: html\n\n   <b>bold</b>",
        "See :ref:`this <x>`: <b>bold</b>",
        "Like this::\n\n   <b>bold</b>",
    ],
)
def test_what_is_no_html_of_markdown_stays(text: str) -> None:
    assert without_html(text) == text


def test_html_in_an_item_of_a_list_is_no_code() -> None:
    assert without_html("- one\n\n    <b>two</b>\n\n```\n<b>\n```\n<b>x</b>") == "- one\n\n    two\n\n```\n<b>\n```\nx"


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (":::note Read this", ("note", "Read this")),
        (":::tip[Read this]", ("tip", "Read this")),
        ("::: details Read this {open}", ("details", "Read this")),
        ('::: {.callout-warning title="Read this"}', ("warning", "Read this")),
        (":::{admonition} Read this", ("admonition", "Read this")),
        ("```{note}", ("note", "")),
        ("> [!WARNING]", ("warning", "")),
        ("> [!tip]- Read this", ("tip", "Read this")),
        ('!!! note inline "Read this"', ("note", "Read this")),
        ('=== "Linux"', ("", "Linux")),
        (":::", ("", "")),
        ("```{code-block} python", None),
        ("```python", None),
        ("```{r}", None),
        ("```{.python}", None),
        ("[!link](a.md)", None),
        ("::", None),
        ("a ::: b", None),
    ],
)
def test_what_dialects_of_markdown_announce(line: str, found: tuple[str, str] | None) -> None:
    assert announced(line) == found


@pytest.mark.parametrize(
    ("marked", "said"),
    [
        (":::warning Hot\n\nMind the *gap*.\n\n:::", "Warning: Hot\n\nMind the gap."),
        ("```{note}\n:class: x\n\nMind the gap.\n```", "Note:\n\nMind the gap."),
        ("```{note}\nMind the <b>gap</b><!-- wide -->.\n```", "Note:\nMind the gap."),
        ("> [!TIP]\n> Oil it.", "Tip:\nOil it."),
        ('!!! danger "Hot"\n    Do not touch.', "Danger: Hot\n    Do not touch."),
        ("```{list-table} Fees\n:header-rows: 1\n\n* - A\n  - B\n* - 1\n  - 2\n```", "Fees\n\n1: B 2."),
        ("```{figure} map.png\nThe way.\n```", "The way."),
    ],
)
def test_announcements_are_said(marked: str, said: str) -> None:
    assert told(marked) == said


def test_ticks_that_are_closed_on_their_line_begin_no_code() -> None:
    assert without_html("```npm install``` installs it.\n\nPress <kbd>C</kbd>.") == (
        "```npm install``` installs it.\n\nPress C."
    )


@pytest.mark.parametrize(
    "piece",
    [
        *("<a ", '<a "', "<a x='\"", "<!--", "<!-- -", "<table>", "<td>", "<tr><td colspan=99 rowspan=99>x", "</"),
        *("<th colspan=99>abc", "` ", "`a``b", "&a", "<A>\n", "::: {", "!!! a ", "> [!", "<script>", "    <b>\n\n"),
    ],
)
def test_a_hostile_page_does_not_hold_a_process_up(piece: str) -> None:
    began = process_time()
    assert len(told(piece * (200_000 // len(piece)))) < 2_000_000
    assert process_time() - began < 8
