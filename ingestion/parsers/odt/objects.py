"""What is embedded in an ODT: formulas in MathML become text where they stand, of other objects it is told."""

from lxml import etree
from selectolax.lexbor import LexborHTMLParser

from ingestion.documents import ParseError
from ingestion.parsers.archives import Archive, resolve
from ingestion.parsers.html.nodes import visible_text

DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
PARAGRAPHS = f"{TEXT}p", f"{TEXT}h"
HREF = "{http://www.w3.org/1999/xlink}href"
MATHML = "{http://www.w3.org/1998/Math/MathML}"


def write_formulas(root: etree._Element, archive: Archive | None) -> list[str]:
    """In place: a formula is text instead of its frame. Returns a warning, where other objects are left out.

    A document in one file, which has no archive, holds its objects itself.
    """
    left_out = 0
    for embedded in list(root.iter(f"{DRAW}object", f"{DRAW}object-ole")):
        frame = embedded.getparent()
        formula = formula_of(embedded, archive)
        if frame is None or frame.tag != f"{DRAW}frame":
            continue
        if formula is None:
            left_out += 1
        elif (around := frame.getparent()) is not None:
            text = frame.makeelement(f"{TEXT}span" if is_in_a_paragraph(frame) else f"{TEXT}p")
            text.text, text.tail = linear(formula), frame.tail
            around.replace(frame, text)
    if not left_out:
        return []
    told = "1 embedded object was" if left_out == 1 else f"{left_out} embedded objects were"
    return [f"{told} left out (charts, sheets, …)"]


def is_in_a_paragraph(frame: etree._Element) -> bool:
    """Whether it is in one's text, and not anchored to a page, or to a box of text, which holds paragraphs itself."""
    holder = next(frame.iterancestors(*PARAGRAPHS, f"{DRAW}text-box"), None)
    return holder is not None and holder.tag in PARAGRAPHS


def formula_of(embedded: etree._Element, archive: Archive | None) -> etree._Element | None:
    """The root of its MathML; None for another object."""
    within, name = embedded.find(f"{MATHML}math"), resolve("", f"{embedded.get(HREF, '').rstrip('/')}/content.xml")
    if within is not None or archive is None or name not in archive:
        return within
    try:
        root = archive.xml(name)
    except ParseError:
        return None
    return root if root.tag == f"{MATHML}math" else None


def linear(formula: etree._Element) -> str:
    """As formulas in HTML are read, where elements have no prefix; white space between them is none of the formula."""
    for element in formula.iter(etree.Element):
        element.tag = etree.QName(element).localname
        if len(element):
            element.text = None
        element.tail = None
    body = LexborHTMLParser(etree.tostring(formula, encoding="unicode")).body
    return visible_text(body) if body is not None else ""
