"""The blocks of a PDF's pages and their boxes, as liteparse finds them, without the heads and feet that repeat."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from liteparse import LiteParse
from liteparse import ParseError as LayoutError

from ingestion.parsers.pdf.forms import Field, rows_of
from ingestion.parsers.pdf.outline import is_running_title
from ingestion.parsers.pdf.paragraphs import Line, from_above, lines_saying, lines_within, usual_room
from ingestion.parsers.pdf.spoken import squeezed
from ingestion.parsers.writing import Writer

MOST_PAGES = 5_000
EDGE = 0.09  # of a page's height, where heads and feet stand
FEWEST_RUNNING = 3  # pages that have the same line there
LONGEST_RUNNING = 200  # characters


@dataclass(frozen=True, slots=True)
class Layout:
    """A page as liteparse sees it: its height in points, its blocks, the lines of each that is prose, a heading, a
    table or code, the white space that is usual between the document's lines, what its heads and feet say, which went,
    and the rows of one that has fields to fill in.
    """

    height: float
    blocks: Sequence[Any]
    lines: Sequence[Sequence[Line]] = ()
    usual_room: float | None = None
    running: str = ""
    rows: Sequence[Line] = ()


BARE = Layout(0.0, ())


def read_layout(data: bytes, writer: Writer, forms: Mapping[int, Sequence[Field]]) -> dict[int, Layout]:
    """page → liteparse's blocks; none where it fails, and the lines will do."""
    reader = LiteParse(
        ocr_enabled=False,
        quiet=True,
        extract_blocks=True,
        keep_headers_footers=True,
        image_mode="off",
        continue_on_page_error=True,
        max_pages=MOST_PAGES,
        num_workers=1,
    )
    try:
        result = reader.parse(data)
    except LayoutError as error:
        writer.warnings.append(f"its layout cannot be told, so it is read line by line ({error})")
        return {}
    lines = {page.page_num: lines_of(page) for page in result.pages}
    prose = [
        each
        for page in result.pages
        for block, each in zip(page.blocks or (), lines[page.page_num], strict=True)
        if runs(block)
    ]
    usual = usual_room(prose)
    rows = {page.page_num: rows_of(page, forms[page.page_num]) for page in result.pages if page.page_num in forms}
    return {
        page.page_num: Layout(
            page.height, page.blocks or (), lines[page.page_num], usual, rows=rows.get(page.page_num, ())
        )
        for page in result.pages
    }


def lines_of(page: Any) -> list[list[Line]]:
    """Of each of a page's blocks; none of what is neither prose nor a heading nor a table nor code."""
    items = from_above(page.text_items or ())
    blocks = page.blocks or ()
    return [own_lines(block, items, blocks) for block in blocks]


def own_lines(block: Any, items: Sequence[Any], blocks: Sequence[Any]) -> list[Line]:
    if block.kind == "heading" and block.bbox is not None and block.text:
        return lines_saying(items, block)
    return lines_within(items, block.bbox, smaller(block, blocks)) if has_lines(block) else []


def smaller(table: Any, blocks: Sequence[Any]) -> list[Any]:
    """The boxes of the other blocks in a table: tables that are none reach over what is not theirs."""
    if runs(table):
        return []
    size = area(table.bbox)
    return [block.bbox for block in blocks if block is not table and block.bbox is not None and area(block.bbox) < size]


def area(box: Any) -> float:
    return float(box.width * box.height)


def has_lines(block: Any) -> bool:
    return runs(block) or (block.bbox is not None and bool(block.rows or block.lines))


def runs(block: Any) -> bool:
    """Whether it is prose, which may run over several lines."""
    return block.kind in ("paragraph", "list_item") and block.bbox is not None and bool(block.text)


def without_running_lines(layout: dict[int, Layout], titles: frozenset[str] = frozenset()) -> dict[int, Layout]:
    """The pages but for the heads and feet that say the same on several, whatever their page number, or that repeat
    the title of a section. `titles` are keys of the bookmarks.
    """
    edges = {number: [edge_text(block, page.height) for block in page.blocks] for number, page in layout.items()}
    pages = Counter(text for texts in edges.values() for text in set(texts) if text)
    running = {text for text, count in pages.items() if count >= FEWEST_RUNNING}
    kept: dict[int, Layout] = {}
    for number, page in layout.items():
        marked = list(zip(page.blocks, page.lines, edges[number], strict=True))
        gone = [text in running or (text != "" and is_running_title(block.text, titles)) for block, _, text in marked]
        left_out = " ".join(block.text for (block, _, _), goes in zip(marked, gone, strict=True) if goes)
        inner = [(block, lines) for (block, lines, _), goes in zip(marked, gone, strict=True) if not goes]
        blocks, lines = [block for block, _ in inner], [own for _, own in inner]
        kept[number] = replace(page, blocks=blocks, lines=lines, running=left_out)
    return kept


def edge_text(block: Any, height: float) -> str:
    """What a short block says that stands at a page's head or foot, digits and order aside; "" for any other."""
    box = block.bbox
    if box is None or not block.text or len(block.text) > LONGEST_RUNNING:
        return ""
    if EDGE * height < box.y + box.height and box.y < (1 - EDGE) * height:
        return ""
    return "".join(sorted(letter for letter in squeezed(block.text) if letter.isalpha()))
