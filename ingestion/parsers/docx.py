"""DOCX: mammoth makes HTML of it by its styles, and the HTML's walker writes that down."""

import io
import re
from typing import Any
from xml.parsers.expat import ExpatError

import mammoth
from lxml import etree

from ingestion.documents import ParsedDocument, ParseError
from ingestion.parsers.archives import DAMAGED, Archive, read_xml, resolve
from ingestion.parsers.encoding import decode
from ingestion.parsers.html import declared, write_html
from ingestion.parsers.writing import Writer

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
STYLES = r"""
p[style-name='Title'] => h1:fresh
p[style-name='Source Code'] => pre:separator('\n')
p[style-name='HTML Preformatted'] => pre:separator('\n')
p[style-name='Preformatted Text'] => pre:separator('\n')
p[style-name='Code'] => pre:separator('\n')
p[style-name='macro'] => pre:separator('\n')
p[style-name='heading 7'] => h6:fresh
p[style-name='heading 8'] => h6:fresh
p[style-name='heading 9'] => h6:fresh
"""
STRICT = b"http://purl.oclc.org/ooxml/"
TRANSITIONAL = {
    b"http://purl.oclc.org/ooxml/officeDocument/relationships": (
        b"http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    ),
    b"http://purl.oclc.org/ooxml/wordprocessingml/main": (
        b"http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    ),
    b"http://purl.oclc.org/ooxml/officeDocument/math": b"http://schemas.openxmlformats.org/officeDocument/2006/math",
    b"http://purl.oclc.org/ooxml/drawingml/main": b"http://schemas.openxmlformats.org/drawingml/2006/main",
    b"http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing": (
        b"http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"
    ),
}
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
RELATIONSHIP = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
DUBLIN_CORE = "{http://purl.org/dc/elements/1.1/}"
NOTE_MARKS = re.compile(  # in the text a note's number is noise: the notes themselves follow at the end
    r'<sup><a href="#(?:foot|end)note-[^"]*" id="[^"]*">\[\d+\]</a></sup>|<a href="#(?:foot|end)note-ref-[^"]*">↑</a>'
)
PARTS = re.compile(r"\[Content_Types\]\.xml|.*\.rels|.*\.xml")


def parse(data: bytes, path: str) -> ParsedDocument:
    archive = Archive(data, path, "a Word document")
    main = main_part(archive)
    names = [name for name in archive.members if PARTS.fullmatch(name)]
    replaced = {name: transitional(archive.read(name)) for name in names}
    replaced[main] = rewritten(archive, main, replaced[main])
    for name in names:
        archive.refuse_entities(replaced[name])
    writer = Writer(path)
    write_html(to_html(archive.repacked(names, replaced), path), writer)
    for name in alternative_parts(archive, main):
        write_alternative(archive, name, writer)
    if not writer.blocks:
        raise ParseError(path, "it has no text")
    return writer.finish(MEDIA_TYPE, core_title(archive))


def to_html(data: bytes, path: str) -> str:
    try:
        result = mammoth.convert_to_html(
            io.BytesIO(data), style_map=STYLES, convert_image=no_image, external_file_access=False
        )
    except (*DAMAGED, ExpatError, AttributeError, TypeError, IndexError) as error:
        raise ParseError(path, f"it is damaged, or no Word document ({type(error).__name__}: {error})") from error
    return NOTE_MARKS.sub("", str(result.value))


def no_image(image: Any) -> list[Any]:
    return []


def main_part(archive: Archive) -> str:
    """The document's part, whatever its name: the package's relationships say."""
    if "_rels/.rels" in archive:
        for relationship in archive.xml("_rels/.rels").iter(RELATIONSHIP):
            if relationship.get("Type", "").endswith("/officeDocument"):
                return resolve("", relationship.get("Target", ""))
    return "word/document.xml"


def transitional(part: bytes) -> bytes:
    """The strict dialect in the words of the usual one."""
    if STRICT in part:
        for strict, usual in TRANSITIONAL.items():
            part = part.replace(strict, usual)
    return part


def rewritten(archive: Archive, name: str, part: bytes) -> bytes:
    """The main part with formulas as their text, which mammoth leaves out."""
    if b"oMath" not in part:
        return part
    root = read_xml(part, archive.path, name)
    for formula in list(root.iter(f"{M}oMath")):
        text = "".join(formula.itertext())
        run = etree.Element(f"{W}r")
        etree.SubElement(run, f"{W}t").text = text
        run.tail = formula.tail
        parent = formula.getparent()
        if parent is not None:
            parent.replace(formula, run)
    for group in list(root.iter(f"{M}oMathPara")):
        replace_by_children(group)
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)


def replace_by_children(element: etree._Element) -> None:
    parent = element.getparent()
    if parent is None:
        return
    at = parent.index(element)
    runs = list(element)
    if parent.tag != f"{W}p":  # a formula of its own: a paragraph of its own
        paragraph = etree.Element(f"{W}p")
        paragraph.extend(runs)
        runs = [paragraph]
    parent[at : at + 1] = runs


def alternative_parts(archive: Archive, main: str) -> list[str]:
    """Parts that stand in for text of the document in another format."""
    folder, _, file = main.rpartition("/")
    rels = f"{folder}/_rels/{file}.rels"
    if rels not in archive:
        return []
    targets = [
        resolve(main, relationship.get("Target", ""))
        for relationship in archive.xml(rels).iter(RELATIONSHIP)
        if relationship.get("Type", "").endswith("/aFChunk") and relationship.get("TargetMode") != "External"
    ]
    return [target for target in targets if target in archive]


def write_alternative(archive: Archive, name: str, writer: Writer) -> None:
    if name.lower().endswith((".html", ".htm", ".xhtml", ".mht")):
        content = archive.read(name)
        write_html(decode(content, archive.path, declared(content))[0], writer)
    elif name.lower().endswith(".txt"):
        writer.paragraph(decode(archive.read(name), archive.path)[0])


def core_title(archive: Archive) -> str:
    if "docProps/core.xml" not in archive:
        return ""
    return archive.xml("docProps/core.xml").findtext(f"{DUBLIN_CORE}title") or ""
