"""PPTX: a section a slide, its text in reading order, its tables, charts and notes."""

import io
import re
import struct
from collections.abc import Iterable, Iterator
from typing import Any

from lxml.etree import LxmlError, SubElement
from pptx import Presentation
from pptx.enum.shapes import PP_PLACEHOLDER
from pptx.exc import PythonPptxError
from pptx.shapes.graphfrm import GraphicFrame
from pptx.shapes.group import GroupShape

from ingestion.documents import BlockKind, ParsedDocument, ParseError, stem
from ingestion.parsers.archives import Archive
from ingestion.parsers.charts import A
from ingestion.parsers.formulas import is_exponent, linear
from ingestion.parsers.pptx.charts import write_frame
from ingestion.parsers.pptx.lists import forget_usual_font, write_paragraphs
from ingestion.parsers.tables import Cell, Grid, table_rows
from ingestion.parsers.writing import Writer, one_line
from ingestion.zips import DAMAGED

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
FURNITURE = (PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.SLIDE_NUMBER)
A14 = "{http://schemas.microsoft.com/office/drawing/2010/main}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
RAISED = re.compile(r"[1-9]")  # a baseline, in thousandths of a per cent; a negative one is below the line
DEEPEST = 20  # groups within groups


def parse(data: bytes, path: str) -> ParsedDocument:
    archive = Archive(data, path, "a PowerPoint presentation")
    for name in archive.members:
        if name.endswith((".xml", ".rels")):
            archive.refuse_entities(archive.read(name))
    writer, hidden = Writer(path), 0
    try:
        presentation = Presentation(io.BytesIO(data))
        forget_usual_font(presentation.slides)
        for number, slide in enumerate(presentation.slides, start=1):
            if slide.element.get("show") in ("0", "false"):
                hidden += 1
                continue
            writer.page = number
            write_slide(slide, number, writer)
        title = presentation.core_properties.title or ""
    except (*DAMAGED, PythonPptxError, LxmlError, AttributeError, TypeError, IndexError, struct.error) as error:
        raise ParseError(path, "it is damaged, or no presentation") from error
    if all(block.title == untitled(block.page) for block in writer.blocks):
        raise ParseError(path, f"it has no text{' but on hidden slides' if hidden else ''}")
    if hidden:
        writer.warnings.append(f"{hidden} hidden {'slide was' if hidden == 1 else 'slides were'} left out")
    if title in ("", "PowerPoint Presentation"):
        first = writer.blocks[0]
        title = stem(path) if first.title == untitled(first.page) else first.title
    return writer.finish(MEDIA_TYPE, title)


def untitled(number: int | None) -> str:
    return f"Slide {number}"


def write_slide(slide: Any, number: int, writer: Writer) -> None:
    unwrap_new(slide.element)
    title = slide.shapes.title
    named = one_line(title.text_frame.text) if title is not None and title.has_text_frame else ""
    if named and title.placeholder_format.type == PP_PLACEHOLDER.CENTER_TITLE:
        writer.title(named, [f"slide-{number}"])
    else:
        writer.heading(1, named or untitled(number), [f"slide-{number}"])
    for shape in shapes_of(slide.shapes):
        if title is None or shape.element is not title.element:  # identities may be given twice
            write_shape(shape, writer)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        writer.paragraph(slide.notes_slide.notes_text_frame.text, BlockKind.NOTE)


def unwrap_new(root: Any) -> None:
    """In place: what only newer versions draw, such as a shape with a formula, stands where it is wrapped.

    python-pptx sees nothing within such a wrapping, and no formulas: these become a line of text.
    """
    for wrapping in list(root.iter(f"{MC}AlternateContent")):
        for element in wrapping.findall(f"{MC}Choice[1]/*"):
            wrapping.addprevious(element)
    for formula in list(root.iter(f"{A14}m")):
        run = formula.makeelement(f"{A}r")
        SubElement(run, f"{A}t").text = linear(formula)
        formula.getparent().replace(formula, run)
    for run in root.iterfind(f".//{A}r"):
        mark_exponent(run)


def mark_exponent(run: Any) -> None:
    """In place: a number raised right behind a digit, of which it would become one, has a sign before it: 10^6."""
    properties, text, before = run.find(f"{A}rPr"), run.find(f"{A}t"), run.getprevious()
    if properties is None or text is None or before is None or not RAISED.match(properties.get("baseline", "")):
        return
    if is_exponent(text.text or "", before.findtext(f"{A}t", "")):
        text.text = f"^{text.text}"


def shapes_of(shapes: Iterable[Any], depth: int = 0) -> Iterator[Any]:
    """In the order of the file, which screen readers follow; groups opened."""
    for shape in shapes:
        if isinstance(shape, GroupShape) and depth < DEEPEST:
            yield from shapes_of(shape.shapes, depth + 1)
        elif not (shape.is_placeholder and shape.placeholder_format.type in FURNITURE):
            yield shape


def write_shape(shape: Any, writer: Writer) -> None:
    if getattr(shape, "has_table", False):
        rows = [[cell_of(cell) for cell in row.cells if not cell.is_spanned] for row in shape.table.rows]
        writer.table(*table_rows(Grid(rows, 1 if shape.table.first_row else 0)))
    elif isinstance(shape, GraphicFrame):
        write_frame(shape, writer)
    elif shape.has_text_frame:
        write_paragraphs(shape.text_frame.paragraphs, writer)


def cell_of(cell: Any) -> Cell:
    text = one_line(cell.text_frame.text)
    return (text, cell.span_width, cell.span_height) if cell.is_merge_origin else (text, 1, 1)
