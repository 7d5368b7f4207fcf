"""PDF: liteparse finds the blocks of a page and their boxes; PDFium's own text is the judge of what a page says."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import pypdfium2 as pdfium
from liteparse import LiteParse
from liteparse import ParseError as LayoutError

from ingestion.documents import Block, BlockKind, Box, ParsedDocument, ParseError, union
from ingestion.parsers.pdf_bidi import in_reading_order, is_right_to_left
from ingestion.parsers.pdf_turned import upright
from ingestion.parsers.writing import Writer, clean, one_line

MOST_PAGES = 5_000
ENOUGH = 0.9  # of a page's characters: with fewer in its blocks, or with more than TOO_MUCH, PDFium's lines are taken
TOO_MUCH = 1.5
LOST = 0.02  # of a page's letters, which no block has: PDFium's lines are taken, with the blocks' headings
EDGE = 0.09  # of a page's height, where heads and feet stand
OUTER_LINES = 3  # of PDFium's, among which they are then
FEWEST_RUNNING = 3  # pages that have the same line there
LONGEST_RUNNING = 200  # characters
LONGEST_HEADING = 250  # characters
MOST_ON_COVER = 4  # lines
GARBLED = 0.35  # of a page's words in one letter or two, where PDFium finds a third fewer: words were torn
SCANNED = "it has no text layer: its pages are images (a scan?), which need text recognition first"
NOT_RECOGNISED = "it has no text layer, and no text was recognised on its pages, which are images"
NO_TEXT = "it has no text: its pages are empty, or it is damaged"
EMPHASIS = re.compile(r"(\*{1,3})(?=\S)(.+?)(?<=\S)\1", re.S)
STRAIGHTENED = str.maketrans(
    {"‘": "'", "’": "'", "‚": "'", "‛": "'", "′": "'", "“": '"', "”": '"', "„": '"', "″": '"', "‐": "-", "‑": "-",
     "‒": "-", "–": "-", "—": "-", "―": "-", "−": "-", "…": "...", "ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi",
     "ﬄ": "ffl"}
)  # fmt: skip
Paragraphs = Sequence[tuple[str, Box | None]]
Recogniser = Callable[[pdfium.PdfPage], Paragraphs | None]
PASSWORD = pdfium.raw.FPDF_ERR_PASSWORD


@dataclass(frozen=True, slots=True)
class Layout:
    """A page as liteparse sees it: its height in points, its blocks, and what its heads and feet say, which went."""

    height: float
    blocks: Sequence[Any]
    running: str = ""


BARE = Layout(0.0, ())


def parse(data: bytes, path: str, recognise: Recogniser | None = None) -> ParsedDocument:
    """`recognise` reads pages that are images. Without it a warning names them, or the file is rejected as a scan."""
    document = opened(data, path)
    if turned := upright(document):
        data, document = turned, opened(turned, path)
    title = metadata_title(document)
    spoken = [page_text(document, number) for number in range(len(document))]
    outline = read_outline(document)
    pictures = [number for number, text in enumerate(spoken, 1) if not text.strip() and has_images(document, number)]
    writer = Writer(path)
    recognised = read_pictures(document, pictures, recognise, writer) if recognise else {}
    document.close()
    layout = without_running_lines(read_layout(data, writer)) if len(pictures) < len(spoken) else {}
    for number, text in enumerate(spoken, start=1):
        page = Page(text, outline.get(number, {}))
        writer.page, writer.box = number, None
        if number in recognised:
            write_recognised(recognised[number], writer)
        else:
            write_page(page, layout.get(number, BARE), writer)
    empty = sorted({*range(1, len(spoken) + 1)} - {block.page for block in writer.blocks if block.page})
    unread = recognise is None and bool(pictures)
    if not writer.blocks:
        reason = NOT_RECOGNISED if recognise and pictures else SCANNED if pictures else NO_TEXT
        raise ParseError(path, reason, scanned=unread)
    if empty:
        writer.warnings.append(f"no text on {len(empty)} of {len(spoken)} pages (images?): {shown_pages(empty)}")
    read = writer.finish("application/pdf", (title if is_title(title) else "") or cover_title(writer.blocks))
    return replace(read, scanned=unread)


def read_pictures(
    document: pdfium.PdfDocument, pictures: Sequence[int], recognise: Recogniser, writer: Writer
) -> dict[int, Paragraphs]:
    """page → what was recognised on it, as far as the time goes."""
    found: dict[int, Paragraphs] = {}
    for number in pictures:
        paragraphs = recognise(document[number - 1])
        if paragraphs is None:
            left = [page for page in pictures if page not in found]
            writer.warnings.append(f"no time to recognise the text of {len(left)} pages: {shown_pages(left)}")
            break
        found[number] = paragraphs
    if found:
        writer.warnings.append(f"text recognised on {len(found)} of {len(document)} pages: {shown_pages([*found])}")
    return found


def write_recognised(paragraphs: Paragraphs, writer: Writer) -> None:
    for text, box in paragraphs:
        writer.box = box
        writer.paragraph(text)


def opened(data: bytes, path: str) -> pdfium.PdfDocument:
    """Raises ParseError for what PDFium cannot open."""
    if b"%PDF" not in data[:4096] and b"startxref" not in data and b" obj" not in data:
        raise ParseError(path, "this is not a PDF")
    try:
        document = pdfium.PdfDocument(data)
        pages = len(document)
    except pdfium.PdfiumError as error:
        if getattr(error, "err_code", None) == PASSWORD or "password" in str(error).lower():
            raise ParseError(path, "it is encrypted: it needs a password") from error
        raise ParseError(path, "the PDF is damaged and cannot be opened") from error
    if pages == 0:
        raise ParseError(path, "the PDF is damaged: it has no pages")
    if pages > MOST_PAGES:
        raise ParseError(path, f"the PDF has {pages:,} pages; at most {MOST_PAGES:,} are read")
    return document


def metadata_title(document: pdfium.PdfDocument) -> str:
    try:
        return one_line(document.get_metadata_value("Title"))
    except UnicodeDecodeError:
        return ""


def page_text(document: pdfium.PdfDocument, number: int) -> str:
    try:
        page = document[number]
        spoken = page.get_textpage()
        text = in_reading_order(clean(spoken.get_text_range().replace("\ufffe", "").replace("\x02", "")), spoken)
        page.close()
    except pdfium.PdfiumError:
        return ""
    return text


def has_images(document: pdfium.PdfDocument, number: int) -> bool:
    try:
        return any(True for _ in document[number - 1].get_objects(filter=[pdfium.raw.FPDF_PAGEOBJ_IMAGE]))
    except pdfium.PdfiumError:
        return False


def read_outline(document: pdfium.PdfDocument) -> dict[int, dict[str, int]]:
    """page → title without white space → level, of the bookmarks."""
    found: dict[int, dict[str, int]] = {}
    try:
        for bookmark in document.get_toc(max_depth=6):
            target = bookmark.get_dest()
            page = target.get_index() if target else None
            title = squeezed(clean(bookmark.get_title()))
            if page is not None and len(title) > 1:
                found.setdefault(page + 1, {}).setdefault(title, bookmark.level + 1)
    except (pdfium.PdfiumError, ValueError, RecursionError):
        return found
    return found


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
        kept[number] = Layout(page.height, blocks, left_out)
    return kept


def edge_text(block: Any, height: float) -> str:
    """What a short block says that stands at a page's head or foot, digits and order aside; "" for any other."""
    box = block.bbox
    if box is None or not block.text or len(block.text) > LONGEST_RUNNING:
        return ""
    if EDGE * height < box.y + box.height and box.y < (1 - EDGE) * height:
        return ""
    return "".join(sorted(letter for letter in squeezed(block.text) if letter.isalpha()))


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
    return {page.page_num: Layout(page.height, page.blocks or ()) for page in result.pages}


class Page:
    """What PDFium reads on a page, and which headings the bookmarks put there."""

    def __init__(self, text: str, outline: dict[str, int]) -> None:
        self.text, self.outline = text, outline
        self.letters = squeezed(text)
        places = [(plain, at) for at, letter in enumerate(self.letters) for plain in letter.translate(STRAIGHTENED)]
        self.plain = "".join(plain for plain, _ in places)
        self.origin = [at for _, at in places]

    def verbatim(self, text: str) -> str:
        """The text with the quotation marks and dashes of the page, which liteparse makes plain."""
        sought = squeezed(text)
        start = self.plain.find(sought)
        if start < 0 or not sought or not set(self.letters) & STRAIGHT_KEYS:
            return text
        written: list[str] = []
        at, last = start, -1
        for letter in text:
            if letter.isspace():
                written.append(letter)
                continue
            if self.origin[at] != last:
                last = self.origin[at]
                written.append(self.letters[last])
            at += 1
        return "".join(written)


STRAIGHT_KEYS = frozenset(map(chr, STRAIGHTENED))


def squeezed(text: str) -> str:
    return "".join(text.split())


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


def write_page(page: Page, layout: Layout, writer: Writer) -> None:
    found = join_headings([block for block in (read_block(block, page) for block in layout.blocks) if block])
    letters = sum(len(squeezed(block.text)) for block in found)
    expected = len(page.letters) - len(squeezed(layout.running))
    mixed = is_right_to_left(page.text)  # liteparse puts such lines into another order where Latin words stand in them
    garbled = letters < ENOUGH * expected or letters > TOO_MUCH * expected + 100 or torn(found, page)
    if mixed or garbled or lost(found, layout.running, page) > LOST * expected:
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
            write_block(block, page, writer)


def join_headings(found: Sequence[Found]) -> list[Found]:
    """A heading that runs over two lines comes as two: close below each other, of one level and one height."""
    joined: list[Found] = []
    for block in found:
        last = joined[-1] if joined else None
        if last and last.kind == block.kind == "heading" and last.level == block.level and follows(last.box, block.box):
            joined[-1] = replace(last, text=f"{last.text} {block.text}", box=union([last.box, block.box]))
        else:
            joined.append(block)
    return joined


def follows(above: Box | None, below: Box | None) -> bool:
    if not above or not below:
        return False
    height = below[3] - below[1]
    return -0.5 * height < below[1] - above[3] < 0.6 * height and abs(above[0] - below[0]) < 3 * height


def with_headings(page: Page, found: Sequence[Found]) -> Page:
    """The page with the lines as headings that liteparse, too, found to be headings, whatever their letters' order."""
    levels = {"".join(sorted(squeezed(block.text))): block.level or 1 for block in found if block.kind == "heading"}
    lines = map(squeezed, page.text.split("\n"))
    headings = {line: levels[letters] for line in lines if (letters := "".join(sorted(line))) in levels}
    return Page(page.text, headings | page.outline)


def without_running(page: Page, layout: Layout) -> Page:
    """The page without those of its first and last lines that are parts of its heads and feet."""
    lines, running = page.text.split("\n"), alphanumerics(layout.running)
    inner = range(OUTER_LINES, len(lines) - OUTER_LINES)
    kept = [line for at, line in enumerate(lines) if at in inner or not alphanumerics(line) <= running]
    return Page("\n".join(kept), page.outline)


def write_lines(page: Page, writer: Writer) -> None:
    """PDFium's lines, with the bookmarks' headings between them."""
    writer.box = None
    paragraph: list[str] = []
    for line in [*page.text.split("\n"), ""]:
        level = page.outline.get(squeezed(line))
        if (level or not line.strip()) and paragraph:
            writer.paragraph("\n".join(paragraph))
            paragraph.clear()
        if level:
            writer.heading(level, line)
        elif line.strip():
            paragraph.append(line)


def write_block(block: Found, page: Page, writer: Writer) -> None:
    level = page.outline.get(squeezed(block.text))
    is_heading = block.kind == "heading" and len(block.text) <= LONGEST_HEADING
    if is_heading or (level and block.kind == "paragraph"):
        writer.heading(level or block.level or 1, block.text)
    elif block.kind == "table":
        writer.table(block.rows, block.header_rows)
    elif block.kind == "code":
        writer.code(block.text, block.language)
    else:
        writer.paragraph(block.text)


def read_block(block: Any, page: Page) -> Found | None:
    rows = [block.header] if block.header else []
    rows += block.rows or []
    cells = tuple(tuple(page.verbatim(without_emphasis(cell.text)) for cell in row) for row in rows)
    if cells:
        text = "\n".join(" ".join(row) for row in cells)
    elif block.lines:
        text = "\n".join(page.verbatim(line) for line in block.lines)
    else:
        text = page.verbatim(without_emphasis(block.text or ""))
    if not text.strip():
        return None
    if block.kind == "list_item" and block.marker and not text.startswith(block.marker):
        text = f"{block.marker} {text}"
    header_rows = 1 if block.header else 0
    language = (block.lang or "").lower()
    return Found(block.kind, text, block.level or 0, language, cells, header_rows, box_of(block.bbox))


def without_emphasis(text: str) -> str:
    """liteparse marks bold and italics as Markdown does."""
    return EMPHASIS.sub(r"\2", text)


def lost(found: Sequence[Found], running: str, page: Page) -> int:
    """How many letters and digits of the page no block has, wherever they stand."""
    return (alphanumerics(page.text) - alphanumerics("".join([running, *(block.text for block in found)]))).total()


def alphanumerics(text: str) -> Counter[str]:
    return Counter(letter for letter in unicodedata.normalize("NFKC", text).casefold() if letter.isalnum())


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


def is_title(title: str) -> bool:
    """Whether the metadata's title was given by a person, and not by a program or a template."""
    return bool(title) and not re.search(
        r"\.\w{2,5}$|^(?:untitled|microsoft|document\d*$|slide \d|titel$)", title, re.I
    )


def cover_title(blocks: Sequence[Block]) -> str:
    """What a first page says that has nothing but headings: the organisation and the document, say. "" without one."""
    cover = [block for block in blocks if block.page == blocks[0].page]
    is_cover = 1 < len(cover) <= MOST_ON_COVER and all(block.kind is BlockKind.HEADING for block in cover)
    return " – ".join(block.title for block in cover) if is_cover else ""


def shown_pages(pages: Sequence[int]) -> str:
    return ", ".join(map(str, pages[:20])) + (" …" if len(pages) > 20 else "")
