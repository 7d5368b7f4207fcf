"""The blocks of a PDF's pages and their boxes, as liteparse finds them, without the heads and feet that repeat."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from liteparse import LiteParse
from liteparse import ParseError as LayoutError

from ingestion.parsers.pdf_paragraphs import from_above, lines_within, usual_room
from ingestion.parsers.writing import Writer

MOST_PAGES = 5_000
EDGE = 0.09  # of a page's height, where heads and feet stand
FEWEST_RUNNING = 3  # pages that have the same line there
LONGEST_RUNNING = 200  # characters


@dataclass(frozen=True, slots=True)
class Layout:
    """A page as liteparse sees it: its height in points, its blocks, its runs of text from above, the white space that
    is usual between the document's lines, and what its heads and feet say, which went.
    """

    height: float
    blocks: Sequence[Any]
    items: Sequence[Any] = ()
    usual_room: float | None = None
    running: str = ""


BARE = Layout(0.0, ())


def read_layout(data: bytes, writer: Writer) -> dict[int, Layout]:
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
    items = {page.page_num: from_above(page.text_items or ()) for page in result.pages}
    usual = usual_room(
        [
            lines_within(items[page.page_num], block.bbox)
            for page in result.pages
            for block in page.blocks or ()
            if runs(block)
        ]
    )
    return {page.page_num: Layout(page.height, page.blocks or (), items[page.page_num], usual) for page in result.pages}


def runs(block: Any) -> bool:
    """Whether it is prose, which may run over several lines."""
    return block.kind in ("paragraph", "list_item") and block.bbox is not None and bool(block.text)


def without_running_lines(layout: dict[int, Layout]) -> dict[int, Layout]:
    """The pages but for the heads and feet that say the same on several, whatever their page number."""
    edges = {number: [edge_text(block, page.height) for block in page.blocks] for number, page in layout.items()}
    pages = Counter(text for texts in edges.values() for text in set(texts) if text)
    running = {text for text, count in pages.items() if count >= FEWEST_RUNNING}
    kept: dict[int, Layout] = {}
    for number, page in layout.items():
        marked = list(zip(page.blocks, edges[number], strict=True))
        left_out = " ".join(block.text for block, text in marked if text in running)
        blocks = [block for block, text in marked if text not in running]
        kept[number] = replace(page, blocks=blocks, running=left_out)
    return kept


def edge_text(block: Any, height: float) -> str:
    """What a short block says that stands at a page's head or foot, digits and order aside; "" for any other."""
    box = block.bbox
    if box is None or not block.text or len(block.text) > LONGEST_RUNNING:
        return ""
    if EDGE * height < box.y + box.height and box.y < (1 - EDGE) * height:
        return ""
    return "".join(sorted(letter for letter in squeezed(block.text) if letter.isalpha()))


def squeezed(text: str) -> str:
    return "".join(text.split())
