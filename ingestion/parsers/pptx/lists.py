"""The texts of a shape: code, and the lines of a list, where the file only says that a paragraph is numbered, and
PowerPoint counts.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ingestion.parsers.charts import A
from ingestion.parsers.docx.code import MONOSPACED
from ingestion.parsers.docx.numbering import formatted
from ingestion.parsers.writing import Writer, one_line

FORMATS = {
    "arabic": "decimal",
    "alphaLc": "lowerLetter",
    "alphaUc": "upperLetter",
    "romanLc": "lowerRoman",
    "romanUc": "upperRoman",
}  # as Word names them
AROUND = {"Period": "{}.", "ParenR": "{})", "ParenBoth": "({})", "Plain": "{}"}
SCHEME = re.compile(f"({'|'.join(FORMATS)})({'|'.join(AROUND)})")
BULLET = "-"
BREAK = "\v"  # within a paragraph
BOX = "{http://schemas.openxmlformats.org/presentationml/2006/main}txBody"
FONT = f"{A}rPr/{A}latin"
MARKED = f"{A}pPr/{A}buAutoNum", f"{A}pPr/{A}buChar"


def write_paragraphs(paragraphs: Iterable[Any], writer: Writer) -> None:
    """A list, or a paragraph that stands alone, between the stretches that are code."""
    stretches: list[tuple[bool, list[Any]]] = []
    for paragraph in paragraphs:
        before = bool(stretches) and stretches[-1][0]
        code = is_code(paragraph) if paragraph.text.strip() else before
        if not stretches or code != before:
            stretches.append((code, []))
        stretches[-1][1].append(paragraph)
    for code, inner in stretches:
        if code:
            writer.code("\n".join(map(line_of_code, inner)))
        else:
            write_items(inner, writer)


def is_code(paragraph: Any) -> bool:
    """Whether all of it is in a font whose letters are of one width, and it has no mark of a list of its own."""
    return is_monospaced(paragraph._p) and all(paragraph._p.find(mark) is None for mark in MARKED)


def is_monospaced(element: Any) -> bool:
    fonts = [run.find(FONT) for run in element.iter(f"{A}r") if run.findtext(f"{A}t", "").strip()]
    return bool(fonts) and all(font is not None and MONOSPACED.search(font.get("typeface", "")) for font in fonts)


def forget_usual_font(slides: Iterable[Any]) -> None:
    """In place: a font of code says nothing where most texts have it, titles among them."""
    boxes = [box for slide in slides for box in slide.element.iter(BOX) if box.findtext(f".//{A}r/{A}t")]
    if 2 * sum(map(is_monospaced, boxes)) > len(boxes):
        for font in [font for box in boxes for font in box.iterfind(f".//{FONT}")]:
            font.getparent().remove(font)


def line_of_code(paragraph: Any) -> str:
    """Each Tab before a line is a level."""
    return "    " * paragraph.level + paragraph.text.replace(BREAK, "\n")


def write_items(paragraphs: Iterable[Any], writer: Writer) -> None:
    items = list(list_lines(paragraphs))
    if len(items) == 1:
        writer.paragraph("\n".join(items[0][2]))
        return
    lines = list[str]()
    for level, marker, texts in items:
        indent = "  " * level
        lines += [f"{indent}{marker} {texts[0]}", *(f"{indent}  {text}" for text in texts[1:])]
    writer.items(lines)


def list_lines(paragraphs: Iterable[Any]) -> Iterator[tuple[int, str, list[str]]]:
    """Level, marker and lines of text of those that say something.

    A level is counted on below deeper ones, and anew behind what has no number, or numbers of another kind.
    """
    counts: dict[int, tuple[str, int]] = {}
    for paragraph in paragraphs:
        if not (texts := list(filter(None, map(one_line, paragraph.text.split(BREAK))))):
            continue
        level, told = paragraph.level, paragraph._p.find(f"{A}pPr/{A}buAutoNum")
        counts = {above: count for above, count in counts.items() if above <= level}
        kind = told.get("type", "") if told is not None else ""
        if scheme := SCHEME.fullmatch(kind):
            before, number = counts.get(level, ("", 0))
            number = number + 1 if before == kind else start_of(told)
            counts[level] = kind, number
            label = formatted(number, FORMATS[scheme[1]])
            yield level, AROUND[scheme[2]].format(label) if label else BULLET, texts
        else:
            counts.pop(level, None)
            yield level, BULLET, texts


def start_of(told: Any) -> int:
    start = told.get("startAt", "")
    return int(start) if re.fullmatch(r"[0-9]{1,5}", start) else 1
