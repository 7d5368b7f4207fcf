"""The blocks of a PDF's page, with the headings that its bookmarks name, out of whatever they were taken for."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ingestion.documents import Box, union
from ingestion.parsers.pdf.outline import (
    CHAPTER_LINE,
    MOST_LINES,
    NUMBER,
    Bookmark,
    Outline,
    bookmarked,
    heading_at,
    headings_among,
    joined,
    without,
)
from ingestion.parsers.pdf.paragraphs import Line, is_apart
from ingestion.parsers.pdf.spoken import Page

BULLET = re.compile(r"(?:[•◦▪‣●○■□·–*-]|\(?(?:\d{1,3}|[a-z])[.)])\s")
TITLED = ("heading", "paragraph", "code")
MOST_CHAPTER_LINES = 2  # "Chapter" and "One"


@dataclass(frozen=True, slots=True)
class Found:
    """One of liteparse's blocks: its kind, and its text with emphasis taken off and the page's own characters."""

    kind: str
    text: str
    level: int
    language: str
    rows: tuple[tuple[str, ...], ...]
    header_rows: int
    box: Box | None
    lines: tuple[Line, ...] = ()  # of all that liteparse has as one block
    is_drawn: bool = False  # a table by the rules around its cells


def join_headings(found: Sequence[Found]) -> list[Found]:
    """A heading that runs over two lines comes as two: close below each other, of one level and one height."""
    joined: list[Found] = []
    for block in found:
        last = joined[-1] if joined else None
        if last and last.kind == block.kind == "heading" and last.level == block.level and follows(last.box, block.box):
            lines = (*last.lines, *block.lines) if last.lines and block.lines else ()
            text, box = f"{last.text} {block.text}", union([last.box, block.box])
            joined[-1] = replace(last, text=text, box=box, lines=lines)
        else:
            joined.append(block)
    return joined


def follows(above: Box | None, below: Box | None) -> bool:
    if not above or not below:
        return False
    height = below[3] - below[1]
    return -0.5 * height < below[1] - above[3] < 0.6 * height and abs(above[0] - below[0]) < 3 * height


def with_bookmarks(found: Sequence[Found], page: Page, usual: float | None) -> list[Found]:
    """The blocks, those as headings that are titles of bookmarks; titles that none of them is are sought in tables."""
    if not page.outline:
        return list(found)
    named, taken = with_titles(found, page.outline)
    left = without(page.outline, taken)
    parts = [part for block in named for part in (out_of(block, left, page, usual) if left else [block])]
    return with_chapters(parts, page.outline)


def with_titles(found: Sequence[Found], outline: Outline) -> tuple[list[Found], list[Bookmark]]:
    """Blocks, or up to four that follow each other, which are a bookmark's title; and the bookmarks that were found.

    A paragraph of the same words as a heading is a paragraph.
    """
    by_headings = [bookmarked(block.text, outline) for block in found if block.kind == "heading"]
    others = without(outline, filter(None, by_headings))
    named: list[Found] = []
    taken: list[Bookmark] = []
    at = 0
    while at < len(found):
        run = titled_run(found, at)
        heading = heading_at([block.text for block in run], 0, outline if found[at].kind == "heading" else others)
        if heading is None:
            named.append(found[at])
            at += 1
            continue
        count, bookmark = heading
        text = joined([block.text for block in run[:count]], bookmark.title)
        named.append(as_heading(bookmark, text, union([block.box for block in run[:count]])))
        taken.append(bookmark)
        at += count
    return named, taken


def titled_run(found: Sequence[Found], start: int) -> list[Found]:
    run: list[Found] = []
    for block in found[start : start + MOST_LINES]:
        numbered = block.kind == "list_item" and NUMBER.match(block.text) is not None
        if block.kind not in TITLED and not numbered:
            break
        run.append(block)
    return run


def as_heading(bookmark: Bookmark, text: str, box: Box | None) -> Found:
    return Found("heading", text, bookmark.level, "", (), 0, box)


def out_of(block: Found, outline: Outline, page: Page, usual: float | None) -> Iterator[Found]:
    """A table or code that holds a bookmark's title in its parts.

    A table whose columns are none, for a section's number and the text below were taken for them, is read as lines;
    one that has columns all the same as its rows before and after the title.
    """
    if block.kind == "code":
        yield from out_of_code(block, outline)
        return
    texts = [line.text for line in block.lines] if block.kind == "table" else []
    spans = list(headings_among(texts, outline))
    if not any(bookmark for bookmark, _ in spans):
        yield block
    elif has_columns(block, [block.lines[at] for bookmark, span in spans if not bookmark for at in span]):
        yield from rows_and_headings(block, outline)
    else:
        for bookmark, span in spans:
            yield from written(bookmark, block.lines[span.start : span.stop], page, usual)


def out_of_code(block: Found, outline: Outline) -> Iterator[Found]:
    """Headings in the type of code were taken for its lines; those that have a number."""
    texts = block.text.split("\n")
    numbered = [text if NUMBER.match(text) else "" for text in map(str.strip, texts)]
    for bookmark, span in headings_among(numbered, outline):
        lines = texts[span.start : span.stop]
        if bookmark:
            yield as_heading(bookmark, joined(lines, bookmark.title), block.box)
        elif any(line.strip() for line in lines):
            yield replace(block, text="\n".join(lines))


def has_columns(table: Found, lines: Sequence[Line]) -> bool:
    """Whether its cells are drawn, or as many of its lines leave room between two pieces as half of its rows have
    several cells.
    """
    filled = sum(len([cell for cell in row if cell.strip()]) > 1 for row in table.rows)
    apart = sum(line.has_gap and not BULLET.match(line.text) for line in lines)
    return table.is_drawn or (apart > 0 and 2 * apart >= filled)


def rows_and_headings(table: Found, outline: Outline) -> Iterator[Found]:
    rows: list[tuple[str, ...]] = []
    header_rows = table.header_rows
    for row in table.rows:
        bookmark = bookmarked(" ".join(filter(None, row)), outline)
        if bookmark is None:
            rows.append(row)
            continue
        yield from as_table(table, rows, header_rows)
        yield as_heading(bookmark, " ".join(filter(None, row)), table.box)
        rows, header_rows = [], 0
    yield from as_table(table, rows, header_rows)


def as_table(table: Found, rows: Sequence[tuple[str, ...]], header_rows: int) -> Iterator[Found]:
    if rows:
        text = "\n".join(" ".join(row) for row in rows)
        yield replace(table, text=text, rows=tuple(rows), header_rows=header_rows)


def written(bookmark: Bookmark | None, lines: Sequence[Line], page: Page, usual: float | None) -> Iterator[Found]:
    if bookmark:
        text = page.verbatim(joined([line.text for line in lines], bookmark.title))
        yield as_heading(bookmark, text, union([line.box for line in lines]))
        return
    starts = [
        at
        for at, (above, below) in enumerate(pairwise(lines), 1)
        if is_apart(above, below, usual) or BULLET.match(below.text)
    ]
    for start, end in pairwise([0, *starts, len(lines)]):
        if start < end:
            text = page.lines([line.text for line in lines[start:end]])
            kind = "list_item" if BULLET.match(text) else "paragraph"
            yield Found(kind, text, 0, "", (), 0, union([line.box for line in lines[start:end]]))


def with_chapters(found: Sequence[Found], outline: Outline) -> list[Found]:
    """ "Chapter" and "One", which stand as headings above a chapter's title, become its beginning."""
    kept: list[Found] = []
    for block in found:
        above = chapter_lines(kept) if block.kind == "heading" and bookmarked(block.text, outline) else ()
        del kept[len(kept) - len(above) :]
        parts = [*above, block]
        text, box = " ".join(part.text for part in parts), union([part.box for part in parts])
        kept.append(replace(block, text=text, box=box) if above else block)
    return kept


def chapter_lines(found: Sequence[Found]) -> Sequence[Found]:
    for count in range(MOST_CHAPTER_LINES, 0, -1):
        last = found[-count:]
        text = " ".join(block.text for block in last)
        if len(last) == count and all(block.kind == "heading" for block in last) and CHAPTER_LINE.fullmatch(text):
            return last
    return ()
