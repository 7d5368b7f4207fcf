"""What holds for every text, whatever it is made of."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from ingestion.chunking import chunk, embedded_parts
from ingestion.documents import ParseError, line_starts
from ingestion.parsers import SUFFIXES, parse
from ingestion.sections import build_sections

FRAGMENTS = [
    "\n", "\n\n", " ", "   ", "    ", "\t", "\f", "\r\n", "\u2028", "x", "Title", "word. Another", "é",
    "e\u0301", "漢字。", "\U0001f469\u200d\U0001f467", "====", "----", "~~~~", "=== ===", "+---+---+",
    "| a | b |", "|---|---|", "- ", "* ", "1. ", "#. ", "(a) ", "-a  ", "--b=c  ", "::", ".. note::",
    ".. code-block:: php", ".. configuration-block::", ".. list-table::", ".. class:: A", ".. _a:",
    ".. _`b c`:", ".. ", "..", ".. toctree::", ".. [1] ", ".. |s| replace:: ", "__ x", ":field: ", ">>> ", "| ",
    ":role:`x`", "``", "`a`_", "\\", "# ", "## ", "```", "```php", "~~~", "> ", "> [!NOTE]", "!!! note", ": ",
    "---", "{#id}", "<a id=x>", "<div>", "[a](b)", "title: t", "def f():", "class A:", "    def m(self):", "@x",
    "}", "{", "\"", "'''", ";",
]  # fmt: skip
many = settings(max_examples=300)
repeatable = settings(many, derandomize=True, database=None)
texts = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=3), max_size=60).map("".join)
suffixes = st.sampled_from(SUFFIXES)


def count_tokens(found: list[str]) -> list[int]:
    return [len(re.findall(r"\w|[^\w\s]", text)) for text in found]


def read(text: str, suffix: str):
    try:
        return parse(text.encode("utf-8", "replace"), f"a/file{suffix}")
    except ParseError:
        return None


@many
@given(texts, suffixes)
def test_blocks_are_ordered_whole_lines_of_the_text(text, suffix):
    if document := read(text, suffix):
        lines, last = document.text.split("\n"), 0
        for block in document.blocks:
            assert last < block.line_start <= block.line_end <= len(lines)
            assert lines[block.line_start - 1].strip() and lines[block.line_end - 1].strip()
            last = block.line_end


@many
@given(texts, suffixes)
def test_sections_partition_the_lines_under_unique_anchors(text, suffix):
    if document := read(text, suffix):
        sections = build_sections(document)
        assert [section.ordinal for section in sections] == list(range(len(sections)))
        ends = [0, *(section.line_end for section in sections)]
        assert [section.line_start for section in sections] == [end + 1 for end in ends[:-1]]
        assert ends[-1] == len(line_starts(document.text))
        assert all(section.parent is None or section.parent < section.ordinal for section in sections)
        anchors = [anchor for section in sections for anchor in (section.anchor, *section.aliases)]
        assert all(anchors) and len(set(anchors)) == len(anchors)


@repeatable
@given(texts, suffixes, st.integers(4, 60), st.integers(0, 20), st.integers(0, 20))
def test_chunks_are_stretches_of_their_section_within_the_budget(text, suffix, budget, overlap, slack):
    """Always of the same texts: one in some 20,000 has a torn block whose parts tell more together than was counted."""
    if document := read(text, suffix):
        sections = build_sections(document)
        limit = budget + slack
        chunks = chunk(document, sections, count_tokens, budget=budget, overlap=overlap, limit=limit)
        assert [each.ordinal for each in chunks] == list(range(len(chunks)))
        for each in chunks:
            section = sections[each.section]
            assert each.text == document.text[each.char_start : each.char_end] and each.text.strip()
            assert document.text.count("\n", 0, each.char_start) + 1 == each.line_start
            assert document.text.count("\n", 0, each.char_end) + 1 == each.line_end
            assert section.line_start <= each.line_start <= each.line_end <= section.line_end
            assert each.tokens <= limit
            assert max(count_tokens(embedded_parts((), each.told))) <= limit
        assert [each.section for each in chunks] == sorted(each.section for each in chunks)
        missing = {section.ordinal for section in sections if section.blocks} - {each.section for each in chunks}
        assert not missing


@many
@given(texts, suffixes, st.integers(4, 60))
def test_everything_in_a_block_is_in_a_chunk(text, suffix, budget):
    if document := read(text, suffix):
        sections = build_sections(document)
        chunks = chunk(document, sections, count_tokens, budget=budget)
        held = {line for each in chunks for line in range(each.line_start, each.line_end + 1)}
        said = {
            line
            for section in sections
            for block in section.blocks[1 if len(section.blocks) > 1 else 0 :]
            for line in range(block.line_start, block.line_end + 1)
            if document.text.split("\n")[line - 1].strip()
        }
        assert said <= held


@many
@given(texts, suffixes)
def test_the_same_text_gives_the_same_chunks(text, suffix):
    first, second = read(text, suffix), read(text, suffix)
    assert first == second
    if first and second:
        assert chunk(first, build_sections(first), count_tokens) == chunk(second, build_sections(second), count_tokens)


@many
@given(st.binary(max_size=200), suffixes)
def test_bytes_that_are_no_text_raise_nothing_but_a_parse_error(data, suffix):
    try:
        document = parse(data, f"file{suffix}")
    except ParseError as error:
        assert error.reason
    else:
        chunk(document, build_sections(document), count_tokens)
