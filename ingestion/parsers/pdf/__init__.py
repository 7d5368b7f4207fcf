"""PDF: opened and read by PDFium, its blocks found by liteparse; what each page says is told in `page`."""

import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import islice

import pypdfium2 as pdfium

from ingestion.documents import Block, BlockKind, Box, ParsedDocument, ParseError
from ingestion.parsers.pdf.bidi import in_reading_order
from ingestion.parsers.pdf.contents import lists_of_pages, without_lists
from ingestion.parsers.pdf.continued import with_heads
from ingestion.parsers.pdf.forms import Field, is_form, read_forms
from ingestion.parsers.pdf.items import NUMBERED, lines_of_items
from ingestion.parsers.pdf.layout import (
    BARE,
    MOST_PAGES,
    Layout,
    read_layout,
    without_false_headings,
)
from ingestion.parsers.pdf.outline import Bookmark, key
from ingestion.parsers.pdf.page import Page, write_page
from ingestion.parsers.pdf.powers import with_powers
from ingestion.parsers.pdf.running import LONGEST_RUNNING, without_running_lines
from ingestion.parsers.pdf.spoken import squeezed
from ingestion.parsers.pdf.turned import upright
from ingestion.parsers.writing import Writer, clean, one_line

MOST_ON_COVER = 4  # lines
LITTLE = 500  # characters of a page that may have nothing but heads and feet
MOST_RULES = 4  # of such a page
FILLED = 0.8  # of a page, by an image
FAR_MORE = 2  # times the letters of the page's own text: slides before a picture say themselves what is seen on them
SCANNED = "it has no text layer: its pages are images (a scan?), which need text recognition first"
NOT_RECOGNISED = "it has no text layer, and no text was recognised on its pages, which are images"
NO_TEXT = "it has no text: its pages are empty, or it is damaged"
PROGRAMS_TITLE = re.compile(  # the last but one: PowerPoint's in any language, the last: ReportLab's
    r"\.\w{2,5}$|^(?:untitled|microsoft|document\d*$|slide \d|titel$|powerpoint.pr\w+$|\((?:anonymous|unspecified)\)$"
    r"|about:\S|https?://|file:/|data:\S)",
    re.I,
)
Paragraphs = Sequence[tuple[str, Box | None]]
Recogniser = Callable[[pdfium.PdfPage], Paragraphs | None]
SHAPES = (pdfium.raw.FPDF_PAGEOBJ_PATH, pdfium.raw.FPDF_PAGEOBJ_SHADING)
PASSWORD = pdfium.raw.FPDF_ERR_PASSWORD


@dataclass(frozen=True, slots=True)
class Spoken:
    """What PDFium tells of a document: its title, what each page says, in order, and by a page's number the lines that
    are items of lists, the bookmarks and the fields; the pages' own names, those that are images, and those with little
    text that are drawn on.
    """

    title: str
    texts: Sequence[str]
    items: Mapping[int, frozenset[str]]
    outline: Mapping[int, Mapping[str, Bookmark]]
    labels: Sequence[str]
    forms: Mapping[int, Sequence[Field]]
    pictures: Sequence[int]
    drawn: Set[int]

    @property
    def blank(self) -> set[int]:
        """The images without a letter of text."""
        return {number for number in self.pictures if not self.texts[number - 1].strip()}

    @property
    def titles(self) -> frozenset[str]:
        """The keys of all bookmarks."""
        return frozenset(name for bookmarks in self.outline.values() for name in bookmarks)


def parse(data: bytes, path: str, recognise: Recogniser | None = None) -> ParsedDocument:
    """`recognise` reads pages that are images. Without it a warning names them, or the file is rejected as a scan."""
    document = opened(data, path)
    if turned := upright(document):
        data, document = turned, opened(turned, path)
    spoken = read_spoken(document)
    writer = Writer(path)
    recognised = read_pictures(document, spoken, recognise, writer) if recognise else {}
    document.close()
    listed = lists_of_pages(spoken.texts)
    layout = laid_out(data, spoken, writer) if len(spoken.blank | recognised.keys()) < len(spoken.texts) else {}
    layout = without_false_headings(without_lists(layout, spoken.texts, listed), spoken.titles)
    for number, text in enumerate(spoken.texts, start=1):
        said = without(text, listed.get(number, frozenset()))
        page = Page(said, spoken.outline.get(number, {}), spoken.items.get(number, frozenset()))
        writer.page, writer.box = number, None
        if number in recognised:
            write_recognised(recognised[number], writer)
        else:
            write_page(page, layout.get(number, BARE), writer, is_form(spoken.forms.get(number, ())))
    writer.blocks = with_heads(writer.blocks, writer.lines)
    unread = spoken.pictures if recognise is None else ()
    if not writer.blocks:
        reason = NOT_RECOGNISED if recognise and spoken.pictures else SCANNED if spoken.pictures else NO_TEXT
        raise ParseError(path, reason, scanned=bool(unread))
    warn_of_unread(spoken, unread, listed.keys(), writer)
    title = spoken.title if is_title(spoken.title) else ""
    read = writer.finish("application/pdf", title or cover_title(writer.blocks))
    return replace(read, scanned=bool(unread))


def read_spoken(document: pdfium.PdfDocument) -> Spoken:
    texts = [page_text(document, number) for number in range(len(document))]
    numbered = list(enumerate(texts, start=1))
    return Spoken(
        metadata_title(document),
        texts,
        {number: page_items(document, number - 1) for number, text in numbered if NUMBERED.search(text)},
        read_outline(document),
        read_labels(document),
        read_forms(document),
        [number for number, text in numbered if is_picture(document, number, text)],
        {number for number, text in numbered if len(text) <= LITTLE and is_drawn_on(document, number)},
    )


def laid_out(data: bytes, spoken: Spoken, writer: Writer) -> dict[int, Layout]:
    layout = read_layout(data, writer, spoken.forms, spoken.texts)
    return without_running_lines(layout, spoken.outline, spoken.labels)


def warn_of_unread(spoken: Spoken, unread: Sequence[int], listed: Set[int], writer: Writer) -> None:
    """Of pages that say nothing but that are drawn on, and of images with a stamp."""
    total = len(spoken.texts)
    if empty := sorted(spoken.drawn - listed - {block.page for block in writer.blocks}):
        writer.warnings.append(f"no text on {len(empty)} of {total} pages (images or drawings): {shown_pages(empty)}")
    if stamped := sorted({*unread} - spoken.blank):
        writer.warnings.append(
            f"hardly any text on {len(stamped)} of {total} pages, which are images: {shown_pages(stamped)}"
        )


def read_pictures(
    document: pdfium.PdfDocument, spoken: Spoken, recognise: Recogniser, writer: Writer
) -> dict[int, Paragraphs]:
    """page → what was recognised on it, as far as the time goes, and where it is far more than what the page says."""
    found: dict[int, Paragraphs] = {}
    for place, number in enumerate(spoken.pictures):
        paragraphs = recognise(document[number - 1])
        if paragraphs is None:
            left = spoken.pictures[place:]
            writer.warnings.append(f"no time to recognise the text of {len(left)} pages: {shown_pages(left)}")
            break
        seen = squeezed("".join(text for text, _ in paragraphs))
        if len(seen) >= FAR_MORE * len(squeezed(spoken.texts[number - 1])):
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
        text = with_powers(spoken.get_text_range(), spoken).replace("\ufffe", "").replace("\x02", "")
        text = in_reading_order(clean(text), spoken)
        page.close()
    except pdfium.PdfiumError:
        return ""
    return text


def page_items(document: pdfium.PdfDocument, number: int) -> frozenset[str]:
    try:
        return lines_of_items(document[number].get_textpage())
    except pdfium.PdfiumError:
        return frozenset()


def without(text: str, lines: Set[int]) -> str:
    return "\n".join(line for at, line in enumerate(text.split("\n")) if at not in lines)


def is_picture(document: pdfium.PdfDocument, number: int, text: str) -> bool:
    """Whether it is an image; one that fills the page may have a stamp on it, such as the number of a case."""
    stamp = text.strip()
    if stamp:
        return len(stamp) <= LONGEST_RUNNING and is_filled(document, number)
    return has_images(document, number)


def is_filled(document: pdfium.PdfDocument, number: int) -> bool:
    """Whether one image covers the page, or nearly so."""
    try:
        page = document[number - 1]
        left, bottom, right, top = page.get_cropbox()
        images = [image.get_bounds() for image in page.get_objects(filter=[pdfium.raw.FPDF_PAGEOBJ_IMAGE])]
    except pdfium.PdfiumError:
        return False
    shares = (
        max(min(right, east) - max(left, west), 0) * max(min(top, north) - max(bottom, south), 0)
        for west, south, east, north in images
    )
    return max(shares, default=0) >= FILLED * (right - left) * (top - bottom)


def has_images(document: pdfium.PdfDocument, number: int) -> bool:
    try:
        return any(True for _ in document[number - 1].get_objects(filter=[pdfium.raw.FPDF_PAGEOBJ_IMAGE]))
    except pdfium.PdfiumError:
        return False


def is_drawn_on(document: pdfium.PdfDocument, number: int) -> bool:
    """Whether it has an image, or more lines and areas than rule off its head and foot."""
    try:
        shapes = islice(
            document[number - 1].get_objects(filter=[*SHAPES, pdfium.raw.FPDF_PAGEOBJ_IMAGE]), MOST_RULES + 1
        )
        kinds = [shape.type for shape in shapes]
    except pdfium.PdfiumError:
        return False
    return len(kinds) > MOST_RULES or pdfium.raw.FPDF_PAGEOBJ_IMAGE in kinds


def read_outline(document: pdfium.PdfDocument) -> dict[int, dict[str, Bookmark]]:
    """page → its bookmarks."""
    found: dict[int, dict[str, Bookmark]] = {}
    try:
        for bookmark in document.get_toc(max_depth=6):
            target = bookmark.get_dest()
            page = target.get_index() if target else None
            title = one_line(bookmark.get_title())
            if page is not None and len(key(title)) > 1:
                found.setdefault(page + 1, {}).setdefault(key(title), Bookmark(bookmark.level + 1, title))
    except (pdfium.PdfiumError, ValueError, RecursionError):
        return found
    return found


def read_labels(document: pdfium.PdfDocument) -> list[str]:
    """The pages' own names, as far as the document gives them: the numbers that are printed on them."""
    try:
        return [document.get_page_label(place) for place in range(len(document))]
    except (pdfium.PdfiumError, UnicodeDecodeError):
        return []


def is_title(title: str) -> bool:
    """Whether the metadata's title was given by a person, and not by a program or a template."""
    return bool(title) and not PROGRAMS_TITLE.search(title)


def cover_title(blocks: Sequence[Block]) -> str:
    """What a first page says that has nothing but headings: the organisation and the document, say. "" without one."""
    cover = [block for block in blocks if block.page == blocks[0].page]
    is_cover = 1 < len(cover) <= MOST_ON_COVER and all(block.kind is BlockKind.HEADING for block in cover)
    return " – ".join(block.title for block in cover) if is_cover else ""


def shown_pages(pages: Sequence[int]) -> str:
    return ", ".join(map(str, pages[:20])) + (" …" if len(pages) > 20 else "")
