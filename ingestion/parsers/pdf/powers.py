"""Powers on a page of a PDF, where only size and place tell 10⁶ from 106."""

import re

import pypdfium2 as pdfium

from ingestion.parsers.pdf.bidi import origin

POWER = "\ufdd0"  # stands before an exponent: a character that no text has
NUMBERS = re.compile(r"(?<=\d)(?=[-+−–]?\d)")
SMALLER = 0.9  # of a height, at most
RAISED = 0.15  # of a height, at least
MARKED = re.compile(rf"(\d+){POWER}([-+−–]?\d+)")


def with_powers(text: str, page: pdfium.PdfTextPage) -> str:
    """PDFium's text of a page, marked before each small and raised number that stands right behind a digit."""
    starts = [match.start() for match in NUMBERS.finditer(text)]
    raised = [start for start in starts if is_raised(page, text, start)]
    pieces = [text[begin:end] for begin, end in zip([0, *raised], [*raised, len(text)], strict=True)]
    return POWER.join(pieces)


def is_raised(page: pdfium.PdfTextPage, text: str, at: int) -> bool:
    raw = pdfium.raw
    base, power = (raw.FPDFText_GetCharIndexFromTextIndex(page.raw, place) for place in (at - 1, at))
    up = origin(page, power)[1] - origin(page, base)[1]
    said = "".join(chr(raw.FPDFText_GetUnicode(page.raw, index)) for index in (base, power))
    if up <= 0 or said != text[at - 1 : at + 1]:
        return False
    return up > RAISED * height(page, base) and height(page, power) < SMALLER * height(page, base)


def height(page: pdfium.PdfTextPage, index: int) -> float:
    """Of the letter's type, not of its shape."""
    box = pdfium.raw.FS_RECTF()
    pdfium.raw.FPDFText_GetLooseCharBox(page.raw, index, box)
    return float(box.top - box.bottom)


def powers(text: str) -> dict[str, str]:
    """106 → 10^6, of such a marked text, but for numbers that the page has as such, too."""
    found = {f"{base}{power}": f"{base}^{power}" for base, power in MARKED.findall(text)}
    return {number: power for number, power in found.items() if not number_of(number).search(text)}


def number_of(*numbers: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\d)(?:{'|'.join(map(re.escape, numbers))})(?!\d)")
