"""HTML in Markdown: headings that authors write as HTML, to centre them say, comments, and pictures within the text."""

import html
import re
from bisect import bisect_right
from collections.abc import Iterator

from ingestion.documents import Block, BlockKind, line_starts

HEADING = re.compile(
    r"<h(?P<level>[1-6])(?P<attributes>\s[^<>]*)?>(?P<title>(?:[^<]|<(?!/?h[1-6]\b))*+)</h(?P=level)\s*>", re.I
)
TAG = re.compile(r"<[^<>]*>")
LABEL = re.compile(r"\s(?:id|name)\s*=\s*[\"']?([^\"'\s<>]+)", re.I)
PICTURE = re.compile(  # nothing but one
    r"\s*(?:(?:[-+*>]|\d{1,9}[.)])\s+){0,9}(?:!\[[^\]]*\]\(\s*<?data:[^)]*\)|<img\s[^<>]*>)\s*", re.I
)
LONGEST_TITLE = 1_000  # characters


def is_comment(text: str) -> bool:
    """Whether it is nothing but comments that are closed."""
    *comments, rest = text.split("-->")
    opened = all("<!--" in each and not each.partition("<!--")[0].strip() for each in comments)
    return bool(comments) and opened and not rest.strip()


def is_picture(line: str) -> bool:
    """Whether it is nothing but a picture that is not referred to but written out (`data:image/png;base64,…`)."""
    return "data:" in line and PICTURE.fullmatch(line) is not None


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
