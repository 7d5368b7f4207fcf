"""The charts and the SmartArt of a DOCX, as paragraphs and tables behind the paragraph that shows them."""

from collections.abc import Iterable, Iterator, Sequence

from lxml import etree

from ingestion.parsers.archives import Archive, read_xml, relationships, resolve
from ingestion.parsers.charts import CUT, DIAGRAM, C, part_named_by, read_chart, read_diagram
from ingestion.parsers.docx.styles import W

UNSEEN = (f"{W}del", f"{W}moveFrom")


def drawn_parts(
    root: etree._Element, archive: Archive, main: str, parts: dict[str, bytes]
) -> dict[str, etree._Element]:
    """Relationship → the root of the chart or the diagram that it leads to, of those that the document shows."""
    shown = {part_named_by(reference) for reference in references(root)}
    if not shown:
        return {}
    found = ((one.get("Id", ""), resolve(main, one.get("Target", ""))) for one in relationships(archive, main))
    return {
        identity: read_xml(parts[name], archive.path, name)
        for identity, name in found
        if identity in shown and name in parts
    }


def references(root: etree._Element) -> Iterator[etree._Element]:
    return root.iter(f"{C}chart", f"{DIAGRAM}relIds")


def place_drawn(root: etree._Element, drawn: dict[str, etree._Element]) -> list[str]:
    """In place, each once. Returns warnings."""
    left, warnings = dict(drawn), list[str]()
    for reference in reversed(list(references(root))):
        paragraph = next(reference.iterancestors(f"{W}p"), None)
        if paragraph is None or next(reference.iterancestors(*UNSEEN), None) is not None:
            continue
        part = left.pop(part_named_by(reference), None)
        if part is None:
            continue
        is_chart = reference.tag == f"{C}chart"
        for element in reversed(list(as_chart(part, warnings) if is_chart else map(as_paragraph, read_diagram(part)))):
            paragraph.addnext(element)
    return warnings


def as_chart(part: etree._Element, warnings: list[str]) -> Iterator[etree._Element]:
    chart = read_chart(part)
    warnings += [CUT] if chart.is_cut else []
    yield from map(as_paragraph, chart.titles)
    yield from map(as_table, chart.tables)


def as_paragraph(text: str) -> etree._Element:
    paragraph = etree.Element(f"{W}p")
    etree.SubElement(etree.SubElement(paragraph, f"{W}r"), f"{W}t").text = text
    return paragraph


def as_table(rows: Iterable[Sequence[str]]) -> etree._Element:
    """Its first row is the header."""
    table = etree.Element(f"{W}tbl")
    for number, cells in enumerate(rows):
        row = etree.SubElement(table, f"{W}tr")
        if number == 0:
            etree.SubElement(etree.SubElement(row, f"{W}trPr"), f"{W}tblHeader")
        for cell in cells:
            etree.SubElement(row, f"{W}tc").append(as_paragraph(cell))
    return table
