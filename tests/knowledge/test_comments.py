"""Comments of RST and Markdown: what no page shows."""

from time import process_time

import pytest

from knowledge.texts.comments import without_comments
from knowledge.texts.formats import Notation
from knowledge.texts.markup import without_markup


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("A.\n\n.. TODO it was 10 MB.\n   More.\n\n   Even more.\n\nB.", "A.\n\nB."),
        ("A.\n\n..\n   it was 10 MB\n\nB.", "A.\n\nB."),
        ("A.\n\n..\n\n   A quotation.", "A.\n\n   A quotation."),
        ("- One\n\n  .. it was 10 MB\n\n- Two\n\n.. it was 10 MB\n.. and 5 MB\n", "- One\n\n- Two"),
        (".. note::\n\n   .. it was 10 MB::\n\n       so\n\n   Now 50.", ".. note::\n\n   Now 50."),
    ],
)
def test_comments_of_rst_are_not_seen(text: str, seen: str) -> None:
    assert without_comments(text, "a.rst") == without_comments(text, "a.rst.inc") == seen
    assert without_markup(text).split() == without_markup(seen).split()


@pytest.mark.parametrize(
    "text",
    [
        "Wait\n.. and see\nwhat comes.",
        "So::\n\n   .. no comment\n\nAfter.",
        ".. code-block:: rst\n\n   .. no comment\n\nAfter.",
        "   .. the rest of a listing\n",
        ".. [1] A note\n.. _target: a\n.. __: b\n.. |c| replace:: d\n.. py:function:: e\n.. figure:: f.png\n\n   Said.",
        "...\n\n... and so on",
    ],
)
def test_what_is_no_comment_of_rst_is_seen(text: str) -> None:
    assert without_comments(text, "a.rst") == text


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("A.\n\n<!-- it was\n\n    10 MB -->\n\nB.", "A.\n\nB."),
        ("A.\n<!-- it was 10 MB -->\nB.", "A.\nB."),
        ("A <!-- it was -->B `<!-- so -->`.", "A B `<!-- so -->`."),
        (f"A.\n\n<!-- {'long ' * 500}-->", "A."),
        ("<!-- `a --> b <!-- c` --> d", " b  d"),
        ("A.\n\n<!--\n```\nit was\n```\n-->\n\nB.", "A.\n\nB."),
        ("A.\n\n{/* it was 10 MB */}\n\nB.\n{/*\n * <!-- so\n\n * it was\n */}\nC.", "A.\n\nB.\nC."),
    ],
)
def test_comments_of_markdown_are_not_seen(text: str, seen: str) -> None:
    assert without_comments(text, "a.md") == without_comments(text, "a.ipynb") == seen
    assert (
        without_markup(text, notation=Notation.MARKDOWN).split()
        == without_markup(seen, notation=Notation.MARKDOWN).split()
    )


@pytest.mark.parametrize(
    "text",
    [
        "```html\n<!-- so -->\n```\nB.",
        "A:\n\n    <!-- so -->\n\nB.",
        "A `<!--` and `-->`.",
        "A <!-- open",
        "```jsx\n{/* so */}\n```\nB.",
        "A {/* so */}\n{/* so */} B.",
        "{/* open",
    ],
)
def test_what_is_no_comment_of_markdown_is_seen(text: str) -> None:
    assert without_comments(text, "a.md") == text


@pytest.mark.parametrize("path", ["a.txt", "a.py", "a.pdf"])
def test_other_files_have_no_comments(path: str) -> None:
    text = "A <!-- b -->\n\n.. c"
    assert without_comments(text, path) == text


@pytest.mark.parametrize(
    "text",
    [
        "<!--" * 50_000,
        "{/*\n" * 50_000,
        "{/* */} a\n" * 20_000,
        "<!-- a -->`" * 20_000,
        ".. a\n\n" * 20_000,
        "..\n" * 50_000,
    ],
)
def test_texts_made_to_be_slow_take_no_time(text: str) -> None:
    began = process_time()
    for path in ("a.md", "a.rst"):
        without_comments(text, path)
    assert process_time() - began < 5
