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
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
OUTLINE = tuple("012345678")
OUTLINE_STYLE = "MunimentOutline"
SAFE_STYLE = re.compile(r"[A-Za-z0-9_]{1,60}")
LONGEST_CHAIN = 20  # of styles based on styles
RELATIONSHIP = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
DUBLIN_CORE = "{http://purl.org/dc/elements/1.1/}"
NOTE_MARKS = re.compile(  # in the text a note's number is noise: the notes themselves follow at the end
    r'<sup><a href="#(?:foot|end)note-[^"]*" id="[^"]*">\[\d+\]</a></sup>|<a href="#(?:foot|end)note-ref-[^"]*">↑</a>'
)
PARTS = re.compile(r"\[Content_Types\]\.xml|.*\.rels|.*\.xml")


def parse(data: bytes, path: str) -> ParsedDocument:
    archive = Archive(data, path, "a Word document")
    main = main_part(archive)
    archive.read(main)  # raises for one that is not there
    names = [name for name in archive.members if PARTS.fullmatch(name)]
    replaced = {name: transitional(archive.read(name)) for name in names}
    replaced[main] = rewritten(archive, main, replaced[main])
    for name in names:
        archive.refuse_entities(replaced[name])
    writer = Writer(path)
    write_html(to_html(archive.repacked(names, replaced), path, STYLES + heading_styles(archive, main)), writer)
    for name in alternative_parts(archive, main):
        write_alternative(archive, name, writer)
    if not writer.blocks:
        raise ParseError(path, "it has no text")
    return writer.finish(MEDIA_TYPE, core_title(archive))


def to_html(data: bytes, path: str, styles: str) -> str:
    try:
        result = mammoth.convert_to_html(
            io.BytesIO(data), style_map=styles, convert_image=no_image, external_file_access=False
        )
    except RecursionError as error:
        raise ParseError(path, "it is nested too deeply") from error
    except (*DAMAGED, ExpatError, AttributeError, TypeError, LookupError) as error:
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
    """The main part with what mammoth leaves out, and without what a reader of the document does not see.

    Formulas become their text, simple fields their result, boxes without a fallback paragraphs, and outline levels
    styles; hidden runs go.
    """
    root = read_xml(part, archive.path, name)
    for run in list(root.iterfind(f".//{W}r")):
        hidden = run.find(f"{W}rPr/{W}vanish")
        if hidden is not None and hidden.get(f"{W}val") not in ("0", "false"):
            take_out(run)
    for formula in list(root.iter(f"{M}oMath")):
        run = etree.Element(f"{W}r")
        etree.SubElement(run, f"{W}t").text = "".join(formula.itertext())
        run.tail = formula.tail
        if (parent := formula.getparent()) is not None:
            parent.replace(formula, run)
    for group in list(root.iter(f"{M}oMathPara")):
        replace_by_children(group)
    for simple in list(root.iter(f"{W}fldSimple")):
        unwrap(simple)
    for box in list(root.iter(f"{W}txbxContent")):
        place_after_paragraph(box)
    for level in root.iterfind(f".//{W}p/{W}pPr/{W}outlineLvl"):
        style_by_level(level)
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)


def take_out(element: etree._Element) -> None:
    parent, before = element.getparent(), element.getprevious()
    if parent is not None:
        if element.tail and before is not None:
            before.tail = (before.tail or "") + element.tail
        parent.remove(element)


def unwrap(element: etree._Element) -> None:
    parent = element.getparent()
    if parent is not None:
        at = parent.index(element)
        parent[at : at + 1] = list(element)


def place_after_paragraph(box: etree._Element) -> None:
    """The text of a box that only new versions of Word draw; where there is a fallback, mammoth reads that."""
    choice = next(box.iterancestors(f"{MC}AlternateContent"), None)
    if next(box.iterancestors(f"{W}pict"), None) is not None:
        return
    if choice is not None and choice.find(f"{MC}Fallback") is not None:
        return
    paragraph = next(box.iterancestors(f"{W}p"), None)
    if paragraph is not None and (parent := paragraph.getparent()) is not None:
        at = parent.index(paragraph) + 1
        parent[at:at] = list(box)


def style_by_level(level: etree._Element) -> None:
    """A paragraph's own outline level, 0 to 8, as a style; 9 is body text."""
    properties, number = level.getparent(), level.get(f"{W}val", "")
    if properties is None or number not in OUTLINE or properties.find(f"{W}pStyle") is not None:
        return
    style = etree.Element(f"{W}pStyle")
    style.set(f"{W}val", f"{OUTLINE_STYLE}{number}")
    properties.insert(0, style)


def heading_styles(archive: Archive, main: str) -> str:
    """mammoth's map for the styles that a document's author based on headings, or gave an outline level."""
    name = f"{main.rpartition('/')[0]}/styles.xml"
    rules = [f"p.{OUTLINE_STYLE}{number} => h{min(int(number) + 1, 6)}:fresh" for number in OUTLINE]
    if name in archive:
        root = read_xml(transitional(archive.read(name)), archive.path, name)
        styles = {style.get(f"{W}styleId", ""): style for style in root.iterfind(f"{W}style[@{W}type='paragraph']")}
        levels = ((identity, outline_level(identity, styles)) for identity in styles if SAFE_STYLE.fullmatch(identity))
        rules += [f"p.{identity} => h{min(level + 1, 6)}:fresh" for identity, level in levels if level is not None]
    return "\n".join(rules)


def outline_level(identity: str, styles: dict[str, etree._Element]) -> int | None:
    """A style's own level, or that of the style it is based on."""
    for _ in range(LONGEST_CHAIN):
        style = styles.get(identity)
        if style is None:
            return None
        level = style.find(f"{W}pPr/{W}outlineLvl")
        if level is not None:
            number = level.get(f"{W}val", "")
            return int(number) if number in OUTLINE else None
        parent = style.find(f"{W}basedOn")
        identity = parent.get(f"{W}val", "") if parent is not None else ""
    return None


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
