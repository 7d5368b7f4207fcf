"""Items of lists of a PDF whose mark is set larger than their text, as ReportLab sets it: they look like headings."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import pypdfium2 as pdfium

from ingestion.documents import union
from ingestion.parsers.pdf.blocks import Found
from ingestion.parsers.pdf.outline import key
from ingestion.parsers.pdf.paragraphs import ENDED, Line
from ingestion.parsers.pdf.spoken import Page

MARK = r"(?:\d{1,3}|[a-z])[.)]?[ \t]+"  # the first item of a list in another may stand beside that one's mark
NUMBERED = re.compile(rf"^(?=(\w))(?:{MARK}){{1,2}}(\S)[^\r\n]*", re.M)
LARGER = 1.1  # times the size of the text


def lines_of_items(page: pdfium.PdfTextPage) -> frozenset[str]:
    """The letters and digits of the lines that begin with such a mark."""
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
    """The blocks, headings and paragraphs that are such lines as items of a list, with the rest of the last sentence,
    which comes as a paragraph: its letters are smaller.
    """
    kept: list[Found] = []
    was_items = False
    for block in found:
        if was_items and is_rest(kept[-1], block):
            kept[-1] = written([*kept[-1].lines, *block.lines], kept[-1], page)
            continue
        items = list(items_of(block, page)) if block.kind in ("heading", "paragraph") and has_own_lines(block) else []
        kept += items or [block]
        was_items = bool(items)
    return kept


def items_of(block: Found, page: Page) -> Iterator[Found]:
    starts = [at for at, line in enumerate(block.lines) if key(line.text) in page.items]
    if starts[:1] == [0]:
        for start, end in pairwise([*starts, len(block.lines)]):
            yield written(block.lines[start:end], block, page)


def has_own_lines(block: Found) -> bool:
    """Paragraphs that liteparse ran together have those of all of them."""
    return bool(block.lines) and key(block.text) == key("".join(line.text for line in block.lines))


def is_rest(item: Found, below: Found) -> bool:
    """Whether it goes on with the item's sentence, right of its mark."""
    if below.kind != "paragraph" or not has_own_lines(below) or ENDED.search(item.text):
        return False
    last, first = item.lines[-1], below.lines[0]
    return first.goes_on and first.left > item.lines[0].left and first.top < last.bottom + last.height


def written(lines: Sequence[Line], block: Found, page: Page) -> Found:
    text = " ".join(page.lines([line.text for line in lines]).split("\n"))
    return replace(
        block, kind="list_item", level=0, text=text, box=union([one.box for one in lines]), lines=tuple(lines)
    )
