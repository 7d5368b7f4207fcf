"""The document as it is read: no database, no request."""

import re
from html import unescape
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.pages.reader import cited_lines, coloured, lexer_for, read, window


def part(**fields):
    defaults = {"ordinal": 0, "title": "", "level": 1, "anchor": "a", "aliases": [], "line_start": 1, "line_end": 99}
    return SimpleNamespace(**(defaults | {"page": None} | fields))


def text_of(html: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", html))


@given(st.text(), st.sampled_from(["a.py", "a.md", "a.rst", "a.txt", "a.html", "a.unknown", "a.js"]))
def test_colouring_changes_no_character_and_no_line(text, path):
    assert [text_of(line) for line in coloured(text, lexer_for(path))] == text.split("\n")


def test_code_is_coloured_and_escaped():
    (line,) = coloured('x = "<script>"  # <b>', lexer_for("a.py"))
    assert '<span class="s">' in line and '<span class="c"># &lt;b&gt;</span>' in line
    assert "<script" not in line


def kinds(text: str, path: str, **fields) -> list[str]:
    (section,) = read(text, path, [part(**fields)])
    return [line.kind for line in section.lines]


def test_the_heading_of_an_rst_section_is_its_title_and_the_rules_beside_it():
    assert kinds("=====\nTitle\n=====\n\nText", "a.rst", title="Title") == ["rule", "title", "rule", "prose", "prose"]


def test_literal_blocks_and_fences_are_set_as_they_stand():
    assert kinds("So::\n\n    x = 1\n\nText", "a.rst")[2:] == ["code", "code", "prose"]
    assert kinds("```py\nx\n```\nText", "a.md") == ["code", "code", "code", "prose"]


def test_an_rst_underline_of_tildes_opens_no_fence():
    assert kinds("Title\n~~~~~\n\nText", "a.rst", title="Title") == ["title", "rule", "prose", "prose"]


def test_a_directive_with_running_text_is_running_text():
    assert kinds(".. note::\n\n   Mind the gap.", "a.rst") == ["directive", "prose", "prose"]
    assert kinds(".. note:: Mind the gap.\n.. _gap:", "a.rst") == ["prose", "directive"]


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
    assert window(4000, range(0)) == range(1, 4001)
    assert window(10_000, range(0)) == range(1, 4001)
    assert window(10_000, range(5000, 5003)) == range(4800, 8800)
    assert window(10_000, range(0), 9_999) == range(9_999, 10_001)
    assert window(10_000, range(0), 10**8) == range(10_000, 10_001)


@pytest.mark.parametrize("path", ["page.html", "Report.PDF", "letter.docx", "book.ipynb"])
def test_what_was_written_out_by_a_parser_is_prose_and_not_code(path):
    assert lexer_for(path) is None and lexer_for("page.py") is not None
