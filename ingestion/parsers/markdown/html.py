"""HTML in Markdown: headings that authors write as HTML, to centre them say, comments, and pictures within the text."""

import html
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from markdown_it.token import Token
from selectolax.lexbor import LexborHTMLParser

from ingestion.documents import LONGEST_TITLE, Block, BlockKind, line_starts
from ingestion.parsers.html.nodes import grid_of
from ingestion.parsers.tables import table_rows
from ingestion.parsers.writing import one_line
from knowledge.texts.html_markup import without_html
from knowledge.texts.tables.readers import CELLS, together

HEADING = re.compile(
    r"<h(?P<level>[1-6])(?P<attributes>\s[^<>]*)?>(?P<title>(?>(?:[^<]++|<(?!/?h[1-6]\b))*))</h(?P=level)\s*>", re.I
)
TAG = re.compile(r"<[^<>]*>")
LABEL = re.compile(r"\s(?:id|name)\s*=\s*[\"']?([^\"'\s<>]+)", re.I)
PICTURE = re.compile(  # nothing but one
    r"\s*(?:(?:[-+*>]|\d{1,9}[.)])\s+){0,9}(?:!\[[^\]]*\]\(\s*<?data:[^)]*\)|<img\s[^<>]*>)\s*", re.I
)
TABLE = re.compile(r"\s*<table\b", re.I)
MOST_BLOCKS = 200  # that blank lines cut a table into


def is_comment(text: str) -> bool:
    """Whether it is nothing but comments that are closed."""
    *comments, rest = text.split("-->")
    opened = all("<!--" in each and not each.partition("<!--")[0].strip() for each in comments)
    return bool(comments) and opened and not rest.strip()


def is_picture(line: str) -> bool:
    """Whether it is nothing but a picture that is not referred to but written out (`data:image/png;base64,…`)."""
    return "data:" in line and PICTURE.fullmatch(line) is not None


def is_silent(text: str) -> bool:
    """Whether it is nothing but tags."""
    return not without_html(text).strip()


def table_end(tokens: Sequence[Token], index: int, lines: Sequence[str]) -> int:
    """Behind the block of HTML there, and behind those that blank lines cut from a table that begins in it."""
    start, end = tokens[index].map or (0, 0)
    is_open = TABLE.match(lines[start]) is not None
    for token in tokens[index : index + MOST_BLOCKS]:
        if token.level or not token.map:
            continue
        if not is_open or token.type in ("heading_open", "fence"):
            break
        if "</table" in "".join(lines[slice(*token.map)]).lower():
            end, is_open = token.map[1], False
    while end > start and not lines[end - 1].strip():
        end -= 1
    return end


def table_header(text: str) -> str | None:
    """The cells of its header, "" without one; None for what is no table."""
    table = LexborHTMLParser(text).css_first("table") if TABLE.match(text) else None
    if table is None:
        return None
    rows, header_rows = table_rows(grid_of(table))
    return " / ".join(filter(None, (together(map(one_line, row)).rstrip(CELLS) for row in rows[:header_rows])))


def headings(text: str, start: int) -> Iterator[Block]:
    """Those that have lines of their own in a block of HTML; `start` is the index of its first line in the file."""
    starts = line_starts(text)
    for match in HEADING.finditer(text):
        first, last = bisect_right(starts, match.start()) - 1, bisect_right(starts, match.end() - 1) - 1
        end = starts[last + 1] if last + 1 < len(starts) else len(text)
        beside = text[starts[first] : match.start()] + text[match.end() : end]
        title = " ".join(html.unescape(TAG.sub("", match["title"])).split())[:LONGEST_TITLE]
        if title and not TAG.sub("", beside).strip():
            labels = tuple(LABEL.findall(f"{match['attributes'] or ''} {match['title']}"))
            level = int(match["level"])
            yield Block(BlockKind.HEADING, start + first + 1, start + last + 1, level=level, title=title, labels=labels)
