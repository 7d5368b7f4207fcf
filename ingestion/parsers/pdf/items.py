"""Items of lists of a PDF whose number is set larger than their text, as ReportLab sets it: they look like headings."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import pypdfium2 as pdfium

from ingestion.documents import union
from ingestion.parsers.pdf.blocks import Found
from ingestion.parsers.pdf.outline import key
from ingestion.parsers.pdf.spoken import Page

NUMBERED = re.compile(r"^(\d{1,3})[ \t]+(\S)[^\r\n]*", re.M)
LARGER = 1.1  # times the size of the text


def lines_of_items(page: pdfium.PdfTextPage) -> frozenset[str]:
    """The letters and digits of the lines that begin with such a number."""
    text = page.get_text_range()
    return frozenset(key(line[0]) for line in NUMBERED.finditer(text) if is_larger(page, text, line))


def is_larger(page: pdfium.PdfTextPage, text: str, line: re.Match[str]) -> bool:
    raw = pdfium.raw
    places = line.start(1), line.start(2)
    number, letter = (raw.FPDFText_GetCharIndexFromTextIndex(page.raw, place) for place in places)
    said = [chr(raw.FPDFText_GetUnicode(page.raw, index)) for index in (number, letter)]
    sizes = [raw.FPDFText_GetFontSize(page.raw, index) for index in (number, letter)]
    return said == [text[place] for place in places] and sizes[0] > LARGER * sizes[1]


def with_items(found: Sequence[Found], page: Page) -> list[Found]:
    """The blocks, headings that are such lines as items of a list."""
    return [part for block in found for part in (items_of(block, page) if block.kind == "heading" else [block])]


def items_of(heading: Found, page: Page) -> Iterator[Found]:
    starts = [at for at, line in enumerate(heading.lines) if key(line.text) in page.items]
    if starts[:1] != [0]:
        yield heading
        return
    for start, end in pairwise([*starts, len(heading.lines)]):
        lines = heading.lines[start:end]
        text = " ".join(page.lines([line.text for line in lines]).split("\n"))
        yield replace(heading, kind="list_item", level=0, text=text, box=union([one.box for one in lines]), lines=lines)
