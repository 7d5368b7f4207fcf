"""OpenDocument text: the body of content.xml, walked once."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from lxml import etree

from ingestion.documents import ParsedDocument, ParseError
from ingestion.parsers.archives import Archive, read_xml
from ingestion.parsers.formulas import is_exponent
from ingestion.parsers.odt.lists import Numbers, list_styles
from ingestion.parsers.odt.objects import write_formulas
from ingestion.parsers.odt.styles import NAMES, code_styles, raising_styles, sign_styles, striking_styles
from ingestion.parsers.pictures import alternative
from ingestion.parsers.symbols import signs_of
from ingestion.parsers.tables import Cell, Grid, in_one_line, is_told_by_rows, table_rows
from ingestion.parsers.writing import STRUCK, Writer, is_value, words

MEDIA_TYPE = "application/vnd.oasis.opendocument.text"
NAMESPACES = {
    "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
    "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
    "table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
    "style": "urn:oasis:names:tc:opendocument:xmlns:style:1.0",
    "draw": "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0",
    "svg": "urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0",
    "dc": "http://purl.org/dc/elements/1.1/",
    "manifest": "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0",
}
PREFIXES = {f"{{{address}}}": f"{prefix}:" for prefix, address in NAMESPACES.items()}
SILENT = words(
    """text:tracked-changes office:annotation office:annotation-end office:forms text:sequence-decls
    text:variable-decls text:user-field-decls text:index-title-template office:event-listeners text:note-citation
    draw:object draw:object-ole draw:image office:binary-data text:alphabetical-index-auto-mark-file
    text:table-of-content text:illustration-index text:table-index text:object-index text:bibliography-source
    text:alphabetical-index-source text:user-index-source text:ruby-text svg:title svg:desc"""
)  # what only lists the headings, figures, tables or objects of the document among it
ROW_HOLDERS = ("table:table-header-rows", "table:table-rows", "table:table-row-group")
APART = "\ue000"  # a space where none stands
SPACE = re.compile(f" *{APART}[ {APART}]*")
HIDDEN_BY_FIELD = ".//text:hidden-paragraph[@text:is-hidden='true']"
DEEPEST = 200
MOST_REPEATS = 50  # of a cell or a run of spaces, as `number-…-repeated` says


def parse(data: bytes, path: str) -> ParsedDocument:
    root, named, title, archive = read_content(data, path, "an OpenDocument text")
    body = root.find("office:body/office:text", NAMESPACES)
    if body is None:
        body = root.find("office:body", NAMESPACES)
    if body is None:
        raise ParseError(path, "it is damaged: it has no body")
    writer = Writer(path, warnings=write_formulas(root, archive))
    styles, hiding = parent_styles(root), hiding_styles((root, named))
    code, raising, striking = (told(root, named) for told in (code_styles, raising_styles, striking_styles))
    numbers, signs = Numbers(list_styles((named, root))), sign_styles(root, named)
    Walk(writer, styles, hiding, code, raising, striking, numbers, signs).flow(body, 0)
    if not writer.blocks and hiding:  # better than no document
        writer.warnings.append("all of its text is hidden by its style")
        Walk(writer, styles).flow(body, 0)
    if not writer.blocks:
        raise ParseError(path, "it has no text")
    return writer.finish(MEDIA_TYPE, title)


def read_content(data: bytes, path: str, what: str) -> tuple[etree._Element, etree._Element, str, Archive | None]:
    """The roots of the content and of the named styles, the title of the metadata, and the archive they are in, if any.

    Raises ParseError, also for what is encrypted.
    """
    if data.lstrip()[:5] == b"<?xml":  # all in one file
        root = read_xml(data, path)
        return root, root, root.findtext(".//dc:title", namespaces=NAMESPACES) or "", None
    archive = Archive(data, path, what)
    if "META-INF/manifest.xml" in archive:
        manifest = archive.read("META-INF/manifest.xml")
        if b"encryption-data" in manifest:
            raise ParseError(path, "it is encrypted: it needs a password")
    title = ""
    if "meta.xml" in archive:
        title = archive.xml("meta.xml").findtext(".//dc:title", namespaces=NAMESPACES) or ""
    content = archive.xml("content.xml")
    return content, archive.xml("styles.xml") if "styles.xml" in archive else content, title, archive


def hiding_styles(roots: Iterable[etree._Element]) -> frozenset[str]:
    """The names of the styles whose text is not shown, by themselves or by the style that they vary."""
    styles = [style for root in roots for style in root.iterfind("./*/style:style", NAMESPACES)]
    shown = {attribute(style, "style:name"): display(style) for style in styles}
    parents = {attribute(style, "style:name"): attribute(style, "style:parent-style-name") for style in styles}
    return frozenset(name for name, own in shown.items() if (own or shown.get(parents[name])) == "none")


def display(style: etree._Element) -> str:
    properties = style.find("style:text-properties", NAMESPACES)
    return attribute(properties, "text:display") if properties is not None else ""


def parent_styles(root: etree._Element) -> dict[str, str]:
    """Automatic style → the named style that it varies."""
    styles = root.iterfind("office:automatic-styles/style:style", NAMESPACES)
    return {attribute(style, "style:name"): attribute(style, "style:parent-style-name") for style in styles}


def attribute(element: etree._Element, name: str) -> str:
    prefix, _, local = name.partition(":")
    return element.get(f"{{{NAMESPACES[prefix]}}}{local}") or ""


def tag_of(element: etree._Element) -> str:
    """prefix:name; "" for comments and processing instructions."""
    if not isinstance(element.tag, str):
        return ""
    address, brace, local = element.tag.rpartition("}")
    return PREFIXES.get(f"{address}{brace}", "") + local


def number(element: etree._Element, name: str, otherwise: int, most: int) -> int:
    value = attribute(element, name)
    return min(int(value), most) if value.isdecimal() and len(value) < 7 else otherwise


@dataclass(slots=True)
class Walk:
    writer: Writer
    styles: dict[str, str]
    hiding: frozenset[str] = frozenset()  # the styles of what is not shown
    code: frozenset[str] = frozenset()  # those of code
    raising: frozenset[str] = frozenset()
    striking: frozenset[str] = frozenset()
    numbers: Numbers = field(default_factory=lambda: Numbers({}))
    signs: Mapping[str, str] = field(default_factory=dict)  # the styles of what is shown by signs, and their fonts
    notes: list[str] = field(default_factory=list)  # footnotes of the paragraph that was just read
    apart: list[etree._Element] = field(default_factory=list)  # text boxes, shapes and tables anchored in it

    def flow(self, element: etree._Element, depth: int) -> None:
        code: list[str] = []
        for child in self.shown(element):
            tag = tag_of(child)
            if tag == "text:p" and self.is_code(child):
                code.append(self.line_of_code(child, depth))
                continue
            self.end_code(code)
            if tag not in SILENT and depth < DEEPEST:
                self.take(child, tag, depth)
        self.end_code(code)

    def end_code(self, lines: list[str]) -> None:
        if lines:
            self.writer.code("\n".join(lines))
            lines.clear()
            self.finish_paragraph(0)

    def take(self, element: etree._Element, tag: str, depth: int) -> None:
        if tag == "text:h":
            labels = [attribute(mark, "text:name") for mark in element.iterfind(".//text:bookmark-start", NAMESPACES)]
            level = number(element, "text:outline-level", 1, 10)
            self.writer.heading(level, self.inline(element, depth), labels)
        elif tag == "text:p":
            if self.style(element) == "Title":
                self.writer.title(self.inline(element, depth))
            else:
                self.writer.paragraph(self.inline(element, depth))
        elif tag == "text:list":
            self.write_list(element, depth)
        elif tag == "table:table":
            self.table(element, depth)
        else:
            self.flow(element, depth + 1)
        self.finish_paragraph(depth)

    def finish_paragraph(self, depth: int) -> None:
        """What was anchored in a paragraph, after it."""
        notes, self.notes = self.notes, []
        apart, self.apart = self.apart, []
        for note in notes:
            self.writer.paragraph(note)
        for element in apart:
            self.flow(element, depth + 1)

    def style(self, element: etree._Element) -> str:
        name = attribute(element, "text:style-name")
        return self.styles.get(name) or name

    def is_code(self, element: etree._Element) -> bool:
        return attribute(element, "text:style-name") in self.code or self.style(element).startswith(NAMES)

    def is_hidden(self, element: etree._Element) -> bool:
        return attribute(element, "text:style-name") in self.hiding or is_hidden(element)

    def shown(self, element: etree._Element) -> list[etree._Element]:
        return [child for child in element if not self.is_hidden(child)]

    def inline(self, element: etree._Element, depth: int) -> str:
        """The text of a paragraph. Its footnotes and text boxes are kept for after it."""
        parts: list[str] = []
        self.gather(element, parts, depth)
        return SPACE.sub(" ", "".join(parts)).strip()

    def line_of_code(self, element: etree._Element, depth: int) -> str:
        """The same with its indentation: spaces and tabs that ODF writes as elements, unlike those around the XML."""
        parts: list[str] = []
        self.gather(element, parts, depth)
        return SPACE.sub(" ", "".join([parts[0].lstrip(), *parts[1:]])).rstrip()

    def gather(self, element: etree._Element, parts: list[str], depth: int) -> None:
        parts.append(single_spaced(element.text))
        for child in element:
            tag = tag_of(child)
            if tag == "text:s":
                parts.append(" " * number(child, "text:c", 1, MOST_REPEATS))
            elif tag == "text:tab":
                parts.append("\t")
            elif tag == "text:line-break":
                parts.append("\n")
            elif tag == "text:note":
                self.note(child, depth)
            elif is_box(child, tag):
                parts.append(alternatives(child))
                self.apart.append(child)
            elif tag in ("table:table", "text:list"):
                self.apart.append(wrapped(child))
            elif tag == "text:span" and self.is_exponent(child, parts):
                parts.append(f"^{child.text}")
            elif tag and tag not in SILENT and depth < DEEPEST and not self.is_hidden(child):
                self.gather_part(child, parts, depth + 1)
            parts.append(single_spaced(child.tail))

    def gather_part(self, element: etree._Element, parts: list[str], depth: int) -> None:
        """As `gather`, with what only its style says, or what stands for it."""
        parts.append(alternatives(element))
        within: list[str] = []
        self.gather(element, within, depth)
        if font := self.signs.get(attribute(element, "text:style-name")):
            within = [signs_of(text, font, but_own=True) for text in within]
        is_struck = attribute(element, "text:style-name") in self.striking and is_value("".join(within))
        parts += [STRUCK, *within, STRUCK] if is_struck else within

    def is_exponent(self, span: etree._Element, before: list[str]) -> bool:
        if len(span) or self.is_hidden(span) or attribute(span, "text:style-name") not in self.raising:
            return False
        return is_exponent(span.text or "", "".join(before[-2:]))

    def note(self, element: etree._Element, depth: int) -> None:
        body = element.find("text:note-body", NAMESPACES)
        citation = element.findtext("text:note-citation", "", NAMESPACES).strip()
        if body is not None and depth < DEEPEST:
            text = " ".join(self.inline(paragraph, depth + 1) for paragraph in paragraphs(body))
            self.notes.append(f"[{citation}] {text}" if citation else text)

    def write_list(self, element: etree._Element, depth: int) -> None:
        if any(True for _ in element.iterfind(".//table:table", NAMESPACES)) or has_headings(element):
            self.flow(element, depth + 1)
            return
        self.writer.items(self.list_lines(element, 0))

    def list_lines(self, element: etree._Element, depth: int, style: str = "") -> Iterator[str]:
        """`style` is that of the list around it, which it has where it names none."""
        style = attribute(element, "text:style-name") or style
        self.numbers.begin(element, style, depth + 1)
        for item in element:
            shown = self.shown(item)
            is_told = any(tag_of(child) in ("text:p", "text:h") for child in shown)
            is_marked = is_told and tag_of(item) != "text:list-header"
            marker = f"{self.numbers.label(item, style, depth + 1)} " if is_marked else ""
            for child in shown:
                if tag_of(child) == "text:list" and depth < DEEPEST:
                    yield from self.list_lines(child, depth + 1, style)
                elif tag_of(child) in ("text:p", "text:h"):
                    read = self.line_of_code if self.is_code(child) else self.inline
                    for line in read(child, depth).split("\n"):
                        yield "  " * min(depth, 20) + (marker or "  ") + line
                        marker = ""

    def table(self, element: etree._Element, depth: int) -> None:
        alone = [cell for row in rows_of(element) for cell in row if tag_of(cell) == "table:table-cell"]
        if len(alone) == 1:  # a box around text or code
            self.flow(alone[0], depth + 1)
            return
        header = element.find("table:table-header-rows", NAMESPACES)
        rows = [self.row(row, depth) for row in rows_of(element)]
        count = len(header) if header is not None else 0
        self.writer.table(*table_rows(Grid(rows, count)))

    def row(self, element: etree._Element, depth: int) -> list[Cell]:
        cells: list[Cell] = []
        for cell in element:
            if tag_of(cell) != "table:table-cell":
                continue  # a covered one: table_rows fills its place
            text = "\n".join(self.cell_lines(cell, depth + 1))
            columns = number(cell, "table:number-columns-spanned", 1, 100)
            height = number(cell, "table:number-rows-spanned", 1, 1000)
            repeated = number(cell, "table:number-columns-repeated", 1, MOST_REPEATS)
            if not text and cell.getnext() is None:
                repeated = 1  # to the edge of the sheet, say
            cells += [(text, columns, height)] * repeated
        return cells

    def cell_lines(self, element: etree._Element, depth: int) -> Iterator[str]:
        for child in self.shown(element):
            tag = tag_of(child)
            if tag in ("text:p", "text:h"):
                yield self.inline(child, depth)
                yield from self.notes
                self.notes.clear()
            elif tag == "text:list":
                yield from self.list_lines(child, 0)
            elif tag == "table:table" and is_told_by_rows(rows_of(child)) and depth < DEEPEST:
                yield in_one_line([text for text, *_ in self.row(row, depth)] for row in rows_of(child))
            elif tag not in SILENT and depth < DEEPEST:
                yield from self.cell_lines(child, depth + 1)


def single_spaced(text: str | None) -> str:
    """White space as ODF counts it: any run is one space."""
    if not text:
        return ""
    start, end = " " if text[0].isspace() else "", " " if text[-1].isspace() else ""
    return f"{start}{' '.join(text.split())}{end}" if text.strip() else " "


def alternatives(picture: etree._Element) -> str:
    """What stands for it, apart from the words around it: its title and its description, each once."""
    found = dict.fromkeys(alternative(picture.findtext(name, "", NAMESPACES)) for name in ("svg:title", "svg:desc"))
    texts = list(filter(None, found))
    return f"{APART}{' '.join(texts)}{APART}" if texts else ""


def is_box(element: etree._Element, tag: str) -> bool:
    """Whether it is a box of text: any shape is that has paragraphs."""
    holds = any(tag_of(child) in ("text:p", "text:list") for child in element)
    return tag == "draw:text-box" or (tag.startswith("draw:") and holds)


def wrapped(element: etree._Element) -> etree._Element:
    holder = etree.Element("holder")
    holder.append(element)
    return holder


def paragraphs(element: etree._Element) -> Iterator[etree._Element]:
    for child in element.iter():
        if tag_of(child) in ("text:p", "text:h"):
            yield child


def is_hidden(element: etree._Element) -> bool:
    """Whether it is a section, a paragraph or a text that is not shown: of one with a condition the file says it."""
    if tag_of(element) in ("text:p", "text:h"):
        return element.find(HIDDEN_BY_FIELD, NAMESPACES) is not None
    display = "condition" if tag_of(element) == "text:hidden-text" else attribute(element, "text:display")
    return display == "none" or (display == "condition" and attribute(element, "text:is-hidden") == "true")


def has_headings(element: etree._Element) -> bool:
    return element.find(".//text:h", NAMESPACES) is not None


def rows_of(table: etree._Element, depth: int = 0) -> Iterator[etree._Element]:
    for child in table:
        tag = tag_of(child)
        if tag == "table:table-row":
            yield child
        elif tag in ROW_HOLDERS and depth < 20:
            yield from rows_of(child, depth + 1)
