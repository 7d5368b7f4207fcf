"""The blocks of a PDF's pages and their boxes, as liteparse finds them, without the heads and feet that repeat."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from liteparse import LiteParse
from liteparse import ParseError as LayoutError

from ingestion.parsers.pdf.columns import in_columns
from ingestion.parsers.pdf.drawn_rules import Grid, grids_of
from ingestion.parsers.pdf.drawn_tables import RuledTable, holds_words, tables_in
from ingestion.parsers.pdf.forms import Field, rows_of
from ingestion.parsers.pdf.outline import key, unnumbered
from ingestion.parsers.pdf.paragraphs import (
    Line,
    from_above,
    grouped,
    is_across,
    lines_saying,
    lines_within,
    runs,
    smaller,
    usual_room,
)
from ingestion.parsers.pdf.placed import put_in
from ingestion.parsers.pdf.spoken import Page
from ingestion.parsers.writing import Writer

LABEL = re.compile(
    r"[\W_]*(?:note|tip|hint|warning|caution|important|danger|hinweis|anmerkung|achtung|wichtig|warnung|vorsicht|"
    r"remarque|attention|avertissement|nota|advertencia|importante)[\W_]*",
    re.I,
)
SENTENCE = re.compile(r"[a-z]{2}\.\W*$")
MOST_PAGES = 5_000
OPTIONS: dict[str, Any] = {
    "ocr_enabled": False,
    "quiet": True,
    "keep_headers_footers": True,
    "image_mode": "off",
    "continue_on_page_error": True,
    "max_pages": MOST_PAGES,
    "num_workers": 1,
}


@dataclass(frozen=True, slots=True)
class Layout:
    """A page as liteparse sees it: its height in points, its blocks, the lines of each that is prose, a heading, a
    table or code, the white space that is usual between the document's lines, what its heads and feet say, which went,
    all of its lines, and the rows of one that has fields to fill in.
    """

    height: float
    blocks: Sequence[Any]
    lines: Sequence[Sequence[Line]] = ()
    usual_room: float | None = None
    running: str = ""
    all_lines: Sequence[Line] = ()
    rows: Sequence[Line] = ()


BARE = Layout(0.0, ())


def read_layout(
    data: bytes, writer: Writer, forms: Mapping[int, Sequence[Field]], texts: Sequence[str]
) -> dict[int, Layout]:
    """page → liteparse's blocks; none where it fails, and the lines will do. `texts` are what PDFium reads on each."""
    try:
        pages = LiteParse(extract_blocks=True, extract_vector_graphics=True, **OPTIONS).parse(data).pages
        grids = {page.page_num: grids for page in pages if (grids := grids_with_words(page))}
        words = read_words(data, grids) if grids else {}
    except LayoutError as error:
        writer.warnings.append(f"its layout cannot be told, so it is read line by line ({error})")
        return {}
    for page in pages:
        page.blocks = titles_first(page.blocks or (), page.width / 2)
        if page.page_num in words:
            tables = tables_in(grids[page.page_num], words[page.page_num], page.blocks)
            page.blocks = put_in(tables, page.blocks, words[page.page_num], page.width / 2)
        if page.page_num <= len(texts):
            said = Page(texts[page.page_num - 1], {})
            page.blocks = in_columns(page.blocks, from_above(page.text_items or ()), said)
    lines = {page.page_num: lines_of(page) for page in pages}
    prose = [
        each for page in pages for block, each in zip(page.blocks, lines[page.page_num], strict=True) if runs(block)
    ]
    usual = usual_room(prose)
    rows = {page.page_num: rows_of(page, forms[page.page_num]) for page in pages if page.page_num in forms}
    return {
        page.page_num: Layout(
            page.height,
            page.blocks,
            lines[page.page_num],
            usual,
            all_lines=grouped(from_above(page.text_items or ())),
            rows=rows.get(page.page_num, ()),
        )
        for page in pages
    }


def grids_with_words(page: Any) -> list[Grid]:
    items = from_above(page.text_items or ())
    return [grid for grid in grids_of(page.vector_graphics) if holds_words(grid, items)]


def read_words(data: bytes, numbers: Iterable[int]) -> dict[int, Sequence[Any]]:
    """What stands on these pages, from above, with the place of each word: a second reading, for words cost as much."""
    reader = LiteParse(emit_word_boxes=True, target_pages=",".join(map(str, numbers)), **OPTIONS)
    return {page.page_num: from_above(page.text_items or ()) for page in reader.parse(data).pages}


def titles_first(blocks: Sequence[Any], middle: float) -> Sequence[Any]:
    """The blocks, those before the columns that come between the left and the right one, though they stand across the
    page's middle and above both.
    """
    beside = [at for at, block in enumerate(blocks) if block.bbox is not None and not is_across(block.bbox, middle)]
    right = next((at for at in beside if blocks[at].bbox.x >= middle), 0)
    top = min((blocks[at].bbox.y for at in beside), default=0.0)
    start = right
    while start > 0 and start - 1 not in beside and is_above(blocks[start - 1].bbox, top):
        start -= 1
    left = min(beside[0], start) if beside else 0
    return [*blocks[:left], *blocks[start:right], *blocks[left:start], *blocks[right:]]


def is_above(box: Any, top: float) -> bool:
    return box is not None and bool(box.y + box.height <= top)


def lines_of(page: Any) -> list[list[Line]]:
    """Of each of a page's blocks; none of what is neither prose nor a heading nor a table nor code."""
    items = from_above(page.text_items or ())
    return [own_lines(block, items, page.blocks) for block in page.blocks]


def own_lines(block: Any, items: Sequence[Any], blocks: Sequence[Any]) -> list[Line]:
    if isinstance(block, RuledTable):
        return block.drawn_lines
    if block.kind == "heading" and block.bbox is not None and block.text:
        return lines_saying(items, block)
    return lines_within(items, block.bbox, smaller(block, blocks)) if has_lines(block) else []


def has_lines(block: Any) -> bool:
    return runs(block) or (block.bbox is not None and bool(block.rows or block.lines))


def without_false_headings(layout: dict[int, Layout], titles: frozenset[str]) -> dict[int, Layout]:
    """The pages, where there are bookmarks, with what none of them names as paragraphs if it is the label of a note, or
    ends as sentences do: large letters, the last line of a cell. `titles` are keys of the bookmarks.
    """
    if not titles:
        return layout
    return {
        number: replace(page, blocks=[as_text(block) if is_false(block, titles) else block for block in page.blocks])
        for number, page in layout.items()
    }


def is_false(block: Any, titles: frozenset[str]) -> bool:
    text = block.text or ""
    is_named = not titles.isdisjoint((key(text), key(unnumbered(text))))
    return block.kind == "heading" and not is_named and bool(LABEL.fullmatch(text) or SENTENCE.search(text))


def as_text(heading: Any) -> Any:
    return replace(heading, kind="paragraph", level=None)
