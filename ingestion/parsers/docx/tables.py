"""Tables of a DOCX as mammoth can lay them: it counts cells, and gives up on merged ones amid bookmarks."""

import re

from lxml import etree

from ingestion.parsers.docx.styles import W, value

SKIPPED = re.compile("[1-9]|[1-5][0-9]|6[0-3]")  # columns; Word has 63


def straighten_tables(root: etree._Element) -> None:
    """In place: without bookmarks between rows and cells, without deleted cells, and with an empty cell where a row
    begins further in.
    """
    for mark in list(root.iterfind(f".//{W}tc/{W}tcPr/{W}cellDel")):
        cell = next(mark.iterancestors(f"{W}tc"))
        if (row := cell.getparent()) is not None:
            row.remove(cell)
    for mark in [*root.iterfind(f".//{W}tbl/{W}bookmarkStart"), *root.iterfind(f".//{W}tr/{W}bookmarkStart")]:
        if (parent := mark.getparent()) is not None:
            parent.remove(mark)
    for properties in root.iterfind(f".//{W}tr/{W}trPr"):
        columns = value(properties, f"{W}gridBefore")
        if SKIPPED.fullmatch(columns):
            cell = etree.Element(f"{W}tc")
            etree.SubElement(etree.SubElement(cell, f"{W}tcPr"), f"{W}gridSpan").set(f"{W}val", columns)
            etree.SubElement(cell, f"{W}p")
            properties.addnext(cell)
