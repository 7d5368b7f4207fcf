"""What a page of a PDF says: its blocks where they hold what PDFium reads there, and PDFium's lines where not."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from ingestion.documents import Box, union
from ingestion.parsers.html.nodes import TICKED, UNTICKED
from ingestion.parsers.pdf.bidi import is_right_to_left
from ingestion.parsers.pdf.blocks import BULLET, Found, join_headings, with_bookmarks, written
from ingestion.parsers.pdf.drawn_tables import RuledTable
from ingestion.parsers.pdf.headings import cut_headings
from ingestion.parsers.pdf.heads import with_names_apart
from ingestion.parsers.pdf.items import with_items
from ingestion.parsers.pdf.layout import Layout
from ingestion.parsers.pdf.markup import plain
from ingestion.parsers.pdf.outline import Bookmark, headings_among, joined, key
from ingestion.parsers.pdf.paragraphs import Line, are_rows, indented, paragraphs
from ingestion.parsers.pdf.pieces import with_pieces
from ingestion.parsers.pdf.sentences import whole_sentences
from ingestion.parsers.pdf.shredded import is_mixed_up, is_shredded, is_swallowing, lines_of, unwoven
from ingestion.parsers.pdf.spoken import Page, squeezed
from ingestion.parsers.writing import Writer
from knowledge.texts.tables.readers import together

ENOUGH = 0.9  # of a page's characters: with fewer in its blocks, or with more than TOO_MUCH, PDFium's lines are taken
TOO_MUCH = 1.5
LOST = 0.02  # of a page's letters, which no block has: PDFium's lines are taken, with the blocks' headings
OUTER_LINES = 3  # of PDFium's, among which they are then
LONGEST_HEADING = 250  # characters
FEWEST_OF_TITLE, SHORTEST_TITLE = 3, 16  # words and characters
GARBLED = 0.35  # of a page's words in one letter or two, where PDFium finds a third fewer: words were torn


def write_page(page: Page, layout: Layout, writer: Writer, is_form: bool = False) -> None:
    """`is_form`: its labels and fields stand in rows, which are no columns."""
    layout = with_pieces(layout)
    blocks = zip(layout.blocks, layout.lines, strict=True)
    found = [part for block, lines in blocks for part in read_block(block, lines, page, layout.usual_room)]
    found = join_headings(with_items(whole_sentences(found, page, layout.usual_room), page))
    found = with_bookmarks(cut_headings(found, page), page, layout.usual_room)
    mixed = is_right_to_left(page.text)  # liteparse puts such lines into another order where Latin words stand in them
    swallowed = any(is_swallowing(block, lines, page) for block, lines in zip(layout.blocks, layout.lines, strict=True))
    torn_apart = swallowed or is_mixed_up(found, page)
    page = page if mixed else filled_in(page, layout.rows)
    letters = sum(len(squeezed(block.text)) for block in found)
    expected = len(page.letters) - len(squeezed(layout.running))
    garbled = letters < ENOUGH * expected or letters > TOO_MUCH * expected + 100 or torn(found, page)
    if mixed or garbled or torn_apart or is_form or lost(found, layout.running, page) > LOST * expected:
        lines = without_running(page, layout)
        write_lines(lines if garbled and not mixed else with_headings(lines, found), writer)
        return
    for is_list, group in groupby(found, key=lambda block: block.kind == "list_item"):
        if is_list:
            items = list(group)
            writer.box = union([item.box for item in items])
            writer.items("  " * min(max(item.level, 0), 8) + item.text for item in items)
            continue
        for block in group:
            writer.box = block.box
            write_block(block, writer)


def with_headings(page: Page, found: Sequence[Found]) -> Page:
    """The page with the lines as headings that liteparse, too, found to be headings, whatever their letters' order."""
    levels = {"".join(sorted(squeezed(block.text))): block.level or 1 for block in found if block.kind == "heading"}
    lines = map(squeezed, page.text.split("\n"))
    headings = {
        key(line): Bookmark(levels[letters], line) for line in lines if (letters := "".join(sorted(line))) in levels
    }
    return Page(page.text, headings | dict(page.outline))


def filled_in(page: Page, rows: Sequence[Line]) -> Page:
    """The page by its rows, where these have more to say: PDFium leaves out the values of fields and ticked boxes."""
    text = "\n".join(row.text for row in rows)
    if not alphanumerics(text) - alphanumerics(page.text) and not {TICKED, UNTICKED} & set(text):
        return page
    return Page("\n".join(page.verbatim(row.text) for row in rows), page.outline)


def without_running(page: Page, layout: Layout) -> Page:
    """The page without those of its first and last lines that are parts of its heads and feet."""
    lines, left = page.text.split("\n"), alphanumerics(layout.running)
    inner = range(OUTER_LINES, len(lines) - OUTER_LINES)
    gone: set[int] = set()
    for at in sorted({*range(len(lines))} - {*inner}, key=lambda at: -len(lines[at])):
        if (letters := alphanumerics(lines[at])) <= left:
            left -= letters
            gone.add(at)
    return Page("\n".join(line for at, line in enumerate(lines) if at not in gone), page.outline)


def write_lines(page: Page, writer: Writer) -> None:
    """PDFium's lines, with the bookmarks' headings between them."""
    writer.box = None
    lines = page.text.split("\n")
    for bookmark, span in headings_among(lines, page.outline):
        between = lines[span.start : span.stop]
        if bookmark:
            writer.heading(bookmark.level, joined(between, bookmark.title))
            continue
        for is_text, paragraph in groupby(between, key=lambda line: bool(line.strip())):
            if is_text:
                writer.paragraph("\n".join(paragraph))


def write_block(block: Found, writer: Writer) -> None:
    if block.kind == "heading" and len(block.text) <= LONGEST_HEADING:
        writer.heading(block.level or 1, block.text)
    elif block.kind == "table":
        writer.table(block.rows, block.header_rows)
    elif block.kind == "code":
        writer.code(block.text, block.language)
    else:
        writer.paragraph(block.text)


def read_block(block: Any, lines: Sequence[Line], page: Page, usual_room: float | None) -> Iterator[Found]:
    """Nothing where it says nothing; several where it holds several paragraphs."""
    if isinstance(block, RuledTable):
        return block.read(page)
    rows = [with_names_apart(block.header, block.rows or [])] if block.header else []
    rows += block.rows or []
    torn = [is_shredded(row, lines, page) for row in rows]
    if any(torn):
        return read_torn(block, rows, torn, lines, page, usual_room)
    if rows:
        return read_rows(block, rows, lines, page)
    text_lines, box_lines = unwoven(lines, page) if block.kind == "paragraph" else (lines, [])
    if box_lines:
        return read_woven([text_lines, box_lines], page, usual_room)
    return read_text(block, lines, page, usual_room)


def read_rows(block: Any, rows: Sequence[Any], lines: Sequence[Line], page: Page) -> Iterator[Found]:
    """What stands across its columns above their names, and the table."""
    cells = cells_of(rows, page)
    box = box_of(block.bbox)
    if block.header and (title := title_across(cells[0])):
        cells = (tuple(cell.removeprefix(title).strip() for cell in cells[0]), *cells[1:])
        yield Found("paragraph", title, 0, "", (), 0, box)
    if (text := text_of(cells)).strip():
        yield Found(block.kind, text, 0, "", cells, 1 if block.header else 0, box, tuple(lines))


def cells_of(rows: Sequence[Any], page: Page) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(page.verbatim(cell.text) for cell in row) for row in rows)


def text_of(cells: Sequence[Sequence[str]]) -> str:
    return "\n".join(" ".join(row) for row in cells)


def read_woven(sides: Sequence[Sequence[Line]], page: Page, usual_room: float | None) -> Iterator[Found]:
    """A text, and the box that it runs around."""
    for lines in sides:
        for part in written(None, lines, page, usual_room):
            yield replace(part, text=" ".join(part.text.split("\n")))


def read_text(block: Any, lines: Sequence[Line], page: Page, usual_room: float | None) -> Iterator[Found]:
    texts = [(text, box) for text, box in texts_of(block, lines, page, usual_room) if text.strip()]
    for at, (text, box) in enumerate(texts):
        kind, said = as_part(block, at, text)
        language = (block.lang or "").lower()
        yield Found(kind, said, block.level or 0, language, (), 0, box or box_of(block.bbox), tuple(lines))


def texts_of(
    block: Any, lines: Sequence[Line], page: Page, usual_room: float | None
) -> Iterable[tuple[str, Box | None]]:
    """Its texts; each with its box where that is told."""
    if block.lines:
        return [("\n".join(indented([page.verbatim(line) for line in block.lines], lines)), None)]
    if block.kind == "heading":
        return [(page.verbatim(block.text or ""), None)]
    if block.kind == "paragraph" and are_rows(block.text or "", lines):
        return [("\n".join(page.verbatim(together(line.cells)) for line in lines), None)]
    marker = (block.marker or "") if block.kind == "list_item" else ""
    text = plain(block.text or "", page)
    if key(marker) and lines and lines[0].text.startswith(marker) and not text.startswith(marker):
        text = f"{marker} {text}"  # with the letters of its lines
    return [(page.verbatim(part), box) for part, box in paragraphs(text, lines, usual_room, marker)]


def as_part(block: Any, at: int, text: str) -> tuple[str, str]:
    """The kind of one of its texts, and the text with the marker of an item."""
    if block.kind != "list_item":
        return block.kind, text
    if at > 0:
        return "list_item" if BULLET.match(text) else "paragraph", text
    is_unmarked = block.marker and not text.startswith(block.marker)
    return block.kind, f"{block.marker} {text}" if is_unmarked else text


def read_torn(
    block: Any, rows: Sequence[Any], torn: Sequence[bool], lines: Sequence[Line], page: Page, usual_room: float | None
) -> Iterator[Found]:
    """A table in its rows, and prose that was taken for rows of it in its lines."""
    header_rows = 1 if block.header else 0
    for is_torn, group in groupby(zip(rows, torn, strict=True), key=lambda pair: pair[1]):
        own = [row for row, _ in group]
        held = [line for row in own for line in lines_of(row, lines)]
        if is_torn:
            yield from written(None, held, page, usual_room)
        else:
            cells, box = cells_of(own, page), union([line.box for line in held])
            yield Found("table", text_of(cells), 0, "", cells, header_rows, box, tuple(held))
        header_rows = 0


def title_across(heads: Sequence[str]) -> str:
    """What stands above columns and liteparse has put before the names of the first ones; "" where nothing does."""
    first, second = [*(head.split() for head in heads), [], []][:2]
    shared = next((n for n, (one, other) in enumerate(zip(first, second, strict=False)) if one != other), 0)
    title = " ".join(first[:shared])
    return title if shared >= FEWEST_OF_TITLE and len(title) >= SHORTEST_TITLE else ""


def lost(found: Sequence[Found], running: str, page: Page) -> int:
    """How many letters and digits of the page no block has, wherever they stand."""
    return (alphanumerics(page.text) - alphanumerics("".join([running, *(block.text for block in found)]))).total()


def alphanumerics(text: str) -> Counter[str]:
    return Counter(key(text))


def torn(found: Sequence[Found], page: Page) -> bool:
    """Whether words came out in pieces, as they do of rotated pages."""
    words = [word for block in found for word in block.text.split()]
    return len(words) > 20 and len(words) > (1 + GARBLED) * len(page.text.split())


def box_of(rectangle: Any) -> Box | None:
    if rectangle is None:
        return None
    left, top = rectangle.x, rectangle.y
    right, bottom = left + rectangle.width, top + rectangle.height
    return round(left, 1), round(top, 1), round(right, 1), round(bottom, 1)
