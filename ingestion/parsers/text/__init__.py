"""Plain text: paragraphs at blank lines, and headings where they are safe to tell.

What is plainly RST (Django keeps its documentation so) is read as RST.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from ingestion.documents import Block, BlockKind, ParsedDocument, stem
from ingestion.parsers import rst
from ingestion.parsers.encoding import decode
from ingestion.parsers.text.headings import with_headings

DIRECTIVE = re.compile(r"^\.\. [\w:-]+::(?: |$)|^\.\. _[^:\n]+:$", re.M)
TITLE = re.compile(
    r"(?:\A|\n[ \t]*\n|:\n)(?:[=\-~^#*+\"'`]{4,}\n)?"  # above it: nothing, a blank line, a label; its overline
    r"(?P<title>\S[^\n]{0,119})\n(?P<line>([=\-~^#*+\"'`])\3{3,})[ \t]*\n[ \t]*\n"
)
HYPHENATED = re.compile(r"(?<=\w)\u2010\n([ \t]*)(\w\S*)[ \t]*")
HYPHEN = re.compile(r"\w\u2010\w")
MANUAL = re.compile(r"^(?:NAME|SYNOPSIS)[ \t]*$", re.M)
MANY_BREAKS = 5  # of words, which others than manual pages hardly have
SNIFFED = 8_000  # characters


def parse(data: bytes, path: str) -> ParsedDocument:
    text, warnings = decode(data, path)
    text = with_whole_words(text)
    if looks_like_rst(text):
        read = rst.parse_text(text, path, warnings)
        return read if DIRECTIVE.search(text) else replace(read, warnings=warnings)  # it never claimed to be RST
    lines = text.split("\n")
    blocks = with_headings(list(paragraphs(lines)), lines)
    return ParsedDocument(path, text, stem(path), "text/plain", tuple(blocks), warnings)


def with_whole_words(text: str) -> str:
    """Words that a manual page breaks are whole on their first line, so that lines keep their numbers. Where the same
    sign stands within lines it is that of a compound, and so may it be in any other text.
    """
    whole, breaks = HYPHENATED.subn(r"\2\n\1", text)
    is_broken = breaks >= MANY_BREAKS or MANUAL.search(text) is not None
    return whole if is_broken and not HYPHEN.search(text) else text


def looks_like_rst(text: str) -> bool:
    """Whether it has a title underlined in full, or explicit markup, near its beginning."""
    head = text[:SNIFFED]
    titled = any(len(match["line"]) >= len(match["title"].rstrip()) for match in TITLE.finditer(head))
    return titled or bool(DIRECTIVE.search(head))


def paragraphs(lines: list[str], first: int = 0) -> Iterator[Block]:
    """The runs of lines that are not blank, from the line at index `first` on."""
    start = None
    for index in range(first, len(lines) + 1):
        if index < len(lines) and lines[index].strip():
            start = index if start is None else start
        elif start is not None:
            yield Block(BlockKind.PARAGRAPH, start + 1, index)
            start = None
