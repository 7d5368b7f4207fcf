"""Fields of a DOCX: between its marks, what one is told to do and, behind `separate`, what came of it."""

from lxml import etree

from ingestion.parsers.docx.styles import W

KEPT = tuple(f"{W}{name}" for name in ("rPr", "fldChar", "instrText"))  # of a run in an instruction: what mammoth reads


def take_out_instructions(root: etree._Element) -> None:
    """In place: what a field that ends is told to do, as far as it is written as text or by fields in it."""
    begins, ends = instructions(root)
    depth = 0
    told: list[etree._Element] = []
    for element in root.iter(etree.Element):
        depth += (element in begins) - (element in ends)
        parent = element.getparent()
        if depth > 0 and element.tag not in KEPT and parent is not None and parent.tag == f"{W}r":
            told.append(element)
    for element in told:
        if (run := element.getparent()) is not None:
            run.remove(element)


def instructions(root: etree._Element) -> tuple[set[etree._Element], set[etree._Element]]:
    """The marks at which one begins, and those at which one ends, be it with a result or without."""
    begins, ends = set(), set()
    opened: list[list[etree._Element]] = []  # the marks of each field around
    for mark in root.iter(f"{W}fldChar"):
        kind = mark.get(f"{W}fldCharType")
        if kind == "begin":
            opened.append([mark])
        elif opened and kind == "separate":
            opened[-1].append(mark)
        elif opened and kind == "end":
            begin, end, *_ = [*opened.pop(), mark]
            begins.add(begin)
            ends.add(end)
    return begins, ends
