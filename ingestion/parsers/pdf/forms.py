"""Forms of a PDF: what was filled in, and the boxes that were ticked, in the rows in which they stand."""

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pypdfium2 as pdfium

from ingestion.parsers.html.nodes import TICKED, UNTICKED
from ingestion.parsers.pdf.paragraphs import Line, from_above, grouped

FEWEST = 10  # fields of a page that is a form, unless one of them is a box to tick
FINE = 100  # parts of a point, for PDFium tells places in whole numbers
OFF, BUTTON = "Off", "Btn"


@dataclass(frozen=True, slots=True)
class Field:
    """Its place in points from the page's top left, and what is not drawn as text there: the sign of a box to tick, and
    a value without an appearance of its own.
    """

    x: float
    y: float
    width: float
    height: float
    text: str


def is_form(fields: Sequence[Field]) -> bool:
    return len(fields) >= FEWEST or any(field.text for field in fields)


def rows_of(page: Any, fields: Sequence[Field]) -> list[Line]:
    """What liteparse reads on a page, values of fields included, with the boxes to tick, from above."""
    return grouped(from_above([*(page.text_items or ()), *fields]))


def read_forms(document: pdfium.PdfDocument) -> dict[int, list[Field]]:
    """page → its fields to fill in, of those that have any."""
    if document.get_formtype() == pdfium.raw.FORMTYPE_NONE:
        return {}
    found = {number: read_fields(document, number) for number in range(1, len(document) + 1)}
    return {number: fields for number, fields in found.items() if fields}


def read_fields(document: pdfium.PdfDocument, number: int) -> list[Field]:
    try:
        page = document[number - 1]
    except pdfium.PdfiumError:
        return []
    fields = [read_field(page, place) for place in range(pdfium.raw.FPDFPage_GetAnnotCount(page))]
    page.close()
    return [field for field in fields if field]


def read_field(page: pdfium.PdfPage, place: int) -> Field | None:
    raw = pdfium.raw
    annotation = raw.FPDFPage_GetAnnot(page, place)
    rectangle = raw.FS_RECTF()
    is_field = raw.FPDFAnnot_GetSubtype(annotation) == raw.FPDF_ANNOT_WIDGET
    raw.FPDFAnnot_GetRect(annotation, rectangle)
    state, entered = value(annotation, "AS"), undrawn(annotation)
    raw.FPDFPage_CloseAnnot(annotation)
    if not is_field:
        return None
    left, top = on_page(page, rectangle.left, rectangle.top)
    right, bottom = on_page(page, rectangle.right, rectangle.bottom)
    sign = (UNTICKED if state == OFF else TICKED) if state else entered
    return Field(min(left, right), min(top, bottom), abs(right - left), abs(bottom - top), sign)


def undrawn(annotation: Any) -> str:
    """What was entered into a field that leaves it to the reader to draw it; nothing of one that is hidden."""
    raw = pdfium.raw
    is_hidden = raw.FPDFAnnot_GetFlags(annotation) & raw.FPDF_ANNOT_FLAG_HIDDEN
    if is_hidden or raw.FPDFAnnot_HasKey(annotation, b"AP") or value(annotation, "FT") == BUTTON:
        return ""
    return " ".join(value(annotation, "V").split())


def value(annotation: Any, key: str) -> str:
    name = key.encode()
    size = pdfium.raw.FPDFAnnot_GetStringValue(annotation, name, None, 0)
    buffer = (ctypes.c_ushort * (size // 2))()
    pdfium.raw.FPDFAnnot_GetStringValue(annotation, name, buffer, size)
    return bytes(buffer).decode("utf-16-le", "replace").rstrip("\0")


def on_page(page: pdfium.PdfPage, x: float, y: float) -> tuple[float, float]:
    """A place as it is seen, with the page's own rotation and edges."""
    across, down = ctypes.c_int(), ctypes.c_int()
    width, height = (round(FINE * side) for side in page.get_size())
    pdfium.raw.FPDF_PageToDevice(page, 0, 0, width, height, 0, x, y, across, down)
    return across.value / FINE, down.value / FINE
