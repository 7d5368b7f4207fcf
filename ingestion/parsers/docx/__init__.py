"""DOCX: mammoth makes HTML of it by its styles, and the HTML's walker writes that down."""

import io
import re
from collections.abc import Collection
from typing import Any
from xml.parsers.expat import ExpatError

import mammoth
from lxml import etree

from ingestion.documents import ParsedDocument, ParseError
from ingestion.parsers.archives import Archive, read_xml, relationships, resolve
from ingestion.parsers.docx.alternatives import mark_alternatives, write_around
from ingestion.parsers.docx.charts import drawn_parts, place_drawn
from ingestion.parsers.docx.code import CODE_RULE, mark_code
from ingestion.parsers.docx.fields import take_out_instructions
from ingestion.parsers.docx.numbering import read_lists, write_labels
from ingestion.parsers.docx.styles import (
    DEEP_LISTS,
    HIDDEN,
    NAMED_HEADINGS,
    NAMED_LISTS,
    Styles,
    W,
    heading_rules,
    hiding_styles,
    is_on,
    paragraph_styles,
    rename_unsafe,
    style_by_level,
    value,
)
from ingestion.parsers.docx.tables import straighten_tables
from ingestion.parsers.formulas import M, linear
from ingestion.parsers.html.nodes import TICKED, UNTICKED
from ingestion.parsers.writing import Writer
from ingestion.zips import DAMAGED

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
STYLES = """
r.MunimentLabel => var
p[style-name='Title'] => h1.msotitle:fresh
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
    b"http://purl.oclc.org/ooxml/drawingml/chart": b"http://schemas.openxmlformats.org/drawingml/2006/chart",
    b"http://purl.oclc.org/ooxml/drawingml/diagram": b"http://schemas.openxmlformats.org/drawingml/2006/diagram",
    b"http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing": (
        b"http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"
    ),
}
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
DUBLIN_CORE = "{http://purl.org/dc/elements/1.1/}"
LABEL = re.compile(r"(<li>)?<var>([^<]*)</var>")  # a list's number, in the item that it is of
BOX = re.compile(r'<input (checked="checked" )?type="checkbox" />')  # as mammoth writes controls and form fields
CHOSEN = re.compile(r"[0-9]{1,3}")
PARTS_BESIDE = ("styles", "numbering", "footnotes", "endnotes")
NO_PART = b"<none/>"
CONTENTS = re.compile(r"toc \d|toc heading|table of figures", re.I)  # the names of styles
WRAPPINGS = [f"{W}{name}" for name in ("fldSimple", "ruby", "rubyBase", "bdo", "dir")]
Parts = dict[str, etree._Element]
PARTS = re.compile(r"\[Content_Types\]\.xml|.*\.rels|.*\.xml")


def parse(data: bytes, path: str) -> ParsedDocument:
    archive = Archive(data, path, "a Word document")
    main = main_part(archive)
    archive.read(main)  # raises for one that is not there
    names = [name for name in archive.members if PARTS.fullmatch(name)]
    replaced = {name: transitional(archive.read(name)) for name in names}
    beside = {kind: related_part(archive, main, kind, replaced) for kind in PARTS_BESIDE}
    parts = {kind: read_xml(replaced.get(name, NO_PART), path, name) for kind, name in beside.items()}
    styles = paragraph_styles(parts["styles"])
    writer, root = Writer(path), read_xml(replaced[main], path, main)
    drawn = drawn_parts(root, archive, main, replaced)
    alternatives = mark_alternatives(root)
    replaced[main] = rewritten(root, parts, styles, drawn, writer)
    for name in names:
        archive.refuse_entities(replaced[name])
    kept = [name for name in names if name not in (beside["footnotes"], beside["endnotes"])]
    rules = "\n".join([STYLES, CODE_RULE, heading_rules(styles), NAMED_HEADINGS, NAMED_LISTS, DEEP_LISTS])
    html = to_html(archive.repacked(kept, replaced), path, rules)
    write_around(html, alternatives, related(archive, main, "aFChunk"), archive, writer)
    if not writer.blocks:
        raise ParseError(path, "it has no text")
    return writer.finish(MEDIA_TYPE, core_title(archive))


def to_html(data: bytes, path: str, styles: str) -> str:
    try:
        result = mammoth.convert_to_html(
            io.BytesIO(data), style_map=styles, convert_image=picture, external_file_access=False
        )
    except RecursionError as error:
        raise ParseError(path, "it is nested too deeply") from error
    except (*DAMAGED, ExpatError, AttributeError, TypeError, LookupError) as error:
        raise ParseError(path, "it is damaged, or no Word document") from error
    items = str(result.value).replace("<ol>", "<ul>").replace("</ol>", "</ul>")
    items = BOX.sub(lambda box: TICKED if box[1] else UNTICKED, items)
    return LABEL.sub(lambda label: f'<li data-marker="{label[2]}">' if label[1] else "", items)


def picture(image: Any) -> list[Any]:
    """Only what stands for it."""
    return [mammoth.html.element("img", {"alt": image.alt_text})] if image.alt_text else []


def main_part(archive: Archive) -> str:
    """The document's part, whatever its name: the package's relationships say."""
    for relationship in relationships(archive, ""):
        if relationship.get("Type", "").endswith("/officeDocument"):
            return resolve("", relationship.get("Target", ""))
    return "word/document.xml"


def transitional(part: bytes) -> bytes:
    """The strict dialect in the words of the usual one."""
    if STRICT in part:
        for strict, usual in TRANSITIONAL.items():
            part = part.replace(strict, usual)
    return part


def rewritten(root: etree._Element, parts: Parts, styles: Styles, drawn: Parts, writer: Writer) -> bytes:
    """The main part with what mammoth leaves out, and without what a reader of the document does not see.

    Charts become tables, formulas their text, simple fields their result, boxes without a fallback paragraphs, notes
    paragraphs after the one that refers to them, and outline levels styles; numbers of lists are written out, and code
    is marked; first letters over several lines are put to their words; hidden runs go, and so do what fields are told
    to do, tables of contents and of figures, and deleted cells.
    """
    hiding = hiding_styles(parts["styles"])
    for part in (root, *parts.values()):
        take_out_instructions(part)
        take_out_hidden(part, hiding)
        join_drop_caps(part)
    empty_contents(root, styles)
    writer.warnings += place_drawn(root, drawn)
    for kind in ("footnote", "endnote") * 2:  # a note may refer to another
        place_notes(root, parts[f"{kind}s"], kind)
    for reference in list(root.iter(f"{W}footnoteReference", f"{W}endnoteReference")):
        take_out(reference)
    for formula in list(root.iter(f"{M}oMath")):
        run = etree.Element(f"{W}r")
        etree.SubElement(run, f"{W}t").text = linear(formula)
        run.tail = formula.tail
        if (parent := formula.getparent()) is not None:
            parent.replace(formula, run)
    for group in list(root.iter(f"{M}oMathPara")):
        replace_by_children(group)
    for reading in list(root.iter(f"{W}rt")):
        take_out(reading)
    for wrapping in list(root.iter(*WRAPPINGS)):
        unwrap(wrapping)
    for line_end in root.iter(f"{W}cr", f"{W}br"):  # the ends of pages and columns among them
        line_end.tag = f"{W}br"
        line_end.attrib.clear()
    for choice in list(root.iter(f"{W}ddList")):
        write_choice(choice)
    for tab in root.iter(f"{W}ptab"):
        tab.tag = f"{W}tab"
    for strike in root.iter(f"{W}dstrike"):  # with two lines
        strike.tag = f"{W}strike"
    for box in list(root.iter(f"{W}txbxContent")):
        place_after_paragraph(box)
    straighten_tables(root)
    write_labels(root, read_lists(parts["numbering"], styles))
    mark_code(root, styles)
    for level in root.iterfind(f".//{W}p/{W}pPr/{W}outlineLvl"):
        style_by_level(level)
    rename_unsafe(root, styles)
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)


def take_out_hidden(root: etree._Element, hiding: Collection[str]) -> None:
    """Runs that are hidden by themselves, or else by their style or their paragraph's; by both, Word shows them."""
    for run in list(root.iterfind(f".//{W}r")):
        own, paragraph = run.find(HIDDEN), next(run.iterancestors(f"{W}p"), None)
        by_letters, by_paragraph = value(run, f"{W}rPr/{W}rStyle"), value(paragraph, f"{W}pPr/{W}pStyle")
        if is_on(own) or (own is None and (by_letters in hiding) != (by_paragraph in hiding)):
            take_out(run)


def join_drop_caps(root: etree._Element) -> None:
    """In place: first letters over several lines, which are paragraphs of their own, begin the paragraph below."""
    for frame in list(root.iterfind(f".//{W}p/{W}pPr/{W}framePr")):
        letter = next(frame.iterancestors(f"{W}p"))
        below = letter.getnext()
        if frame.get(f"{W}dropCap") in ("drop", "margin") and below is not None and below.tag == f"{W}p":
            at = 1 if below.find(f"{W}pPr") is not None else 0
            below[at:at] = [part for part in letter if part.tag != f"{W}pPr"]
            take_out(letter)


def write_choice(choice: etree._Element) -> None:
    """In place: what is chosen of a field's list, before the field, which has no other result."""
    field = next(choice.iterancestors(f"{W}r"), None)
    chosen = value(choice, f"{W}result") or value(choice, f"{W}default")
    entries = [entry.get(f"{W}val", "") for entry in choice.iterfind(f"{W}listEntry")]
    index = int(chosen) if CHOSEN.fullmatch(chosen) else 0  # the first one, where nothing is said
    if field is not None and index < len(entries):
        run = etree.Element(f"{W}r")
        etree.SubElement(run, f"{W}t").text = entries[index]
        field.addprevious(run)


def empty_contents(root: etree._Element, styles: Styles) -> None:
    """Of paragraphs that list the document's headings or figures only the marks of fields stay, which are pairs."""
    listing = {identity for identity, style in styles.items() if CONTENTS.fullmatch(value(style, f"{W}name"))}
    galleries = root.iterfind(f".//{W}sdt/{W}sdtPr/{W}docPartObj/{W}docPartGallery")
    made = [one.getparent().getparent().getparent() for one in galleries if one.get(f"{W}val") == "Table of Contents"]
    named = [one for one in root.iter(f"{W}p") if value(one, f"{W}pPr/{W}pStyle") in listing]
    for holder in (*made, *named):
        for run in list(holder.iter(f"{W}r")):
            if run.find(f"{W}fldChar") is None:
                take_out(run)


def place_notes(root: etree._Element, notes: etree._Element, kind: str) -> None:
    """Each note once, behind the paragraph that refers to it. Its links and images are of another part, and go."""
    bodies = {note.get(f"{W}id", ""): note for note in notes.iterfind(f"{W}{kind}")}
    for reference in reversed(list(root.iter(f"{W}{kind}Reference"))):
        paragraph = next(reference.iterancestors(f"{W}p"), None)
        is_deleted = next(reference.iterancestors(f"{W}del", f"{W}moveFrom"), None) is not None
        note = None if is_deleted else bodies.pop(reference.get(f"{W}id", ""), None)
        if paragraph is not None and note is not None:
            etree.strip_attributes(note, f"{R}*")
            for element in reversed(note):
                paragraph.addnext(element)
        take_out(reference)


def take_out(element: etree._Element) -> None:
    parent, before = element.getparent(), element.getprevious()
    if parent is not None:
        if element.tail and before is not None:
            before.tail = (before.tail or "") + element.tail
        parent.remove(element)


def unwrap(element: etree._Element) -> None:
    if element.getparent() is not None:
        for child in list(element):
            element.addprevious(child)
        take_out(element)


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


def related(archive: Archive, main: str, kind: str) -> dict[str, str]:
    """The parts that the main part names as its `kind`, the last word of a relationship's type, by their ids."""
    targets = {
        relationship.get("Id", ""): resolve(main, relationship.get("Target", ""))
        for relationship in relationships(archive, main)
        if relationship.get("Type", "").endswith(f"/{kind}") and relationship.get("TargetMode") != "External"
    }
    return {identity: target for identity, target in targets.items() if target in archive}


def related_part(archive: Archive, main: str, kind: str, parts: Collection[str]) -> str:
    """The name of the part of that kind; "" without one."""
    names = [*related(archive, main, kind).values(), f"{main.rpartition('/')[0]}/{kind}.xml"]
    return next((name for name in names if name in parts), "")


def core_title(archive: Archive) -> str:
    if "docProps/core.xml" not in archive:
        return ""
    return archive.xml("docProps/core.xml").findtext(f"{DUBLIN_CORE}title") or ""
