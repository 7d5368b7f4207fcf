"""Powers on a page of a PDF, where only size and place tell 10⁶ from 106."""

import re

import pypdfium2 as pdfium

from ingestion.parsers.pdf.bidi import origin

POWER = "\ufdd0"  # stands before an exponent: a character that no text has
# PDFium may end a line before raised type, and after it. A fraction behind a number is no power of it.
NUMBERS = re.compile(r"(?<=\d)(?: |\r\n)?(?=[-+−–]?\d)(?!\d+\s*⁄)")
SMALLER = 0.9  # of a height, at most
RAISED, TOO_HIGH = 0.15, 1.0  # of a height, from least to most: what is higher begins another column
MARKED = re.compile(rf"(\d+){POWER}([-+−–]?\d+)")


def with_powers(text: str, page: pdfium.PdfTextPage) -> str:
    """PDFium's text of a page, marked before each small and raised number that stands right behind a digit."""
    raised = [match for match in NUMBERS.finditer(text) if is_raised(page, text, match.start() - 1, match.end())]
    starts, ends = [match.start() for match in raised], [match.end() for match in raised]
    return POWER.join(text[begin:end] for begin, end in zip([0, *ends], [*starts, len(text)], strict=True))


def is_raised(page: pdfium.PdfTextPage, text: str, at: int, then: int) -> bool:
    """Whether the second of these characters is a small one that stands right behind the first, and higher."""
    raw = pdfium.raw
    base, power = (raw.FPDFText_GetCharIndexFromTextIndex(page.raw, place) for place in (at, then))
    said = "".join(chr(raw.FPDFText_GetUnicode(page.raw, index)) for index in (base, power))
    across, up = (b - a for a, b in zip(origin(page, base), origin(page, power), strict=True))
    if up <= 0 or said != text[at] + text[then]:
        return False
    size = height(page, base)
    return RAISED * size < up < TOO_HIGH * size and 0 < across < size and height(page, power) < SMALLER * size


def height(page: pdfium.PdfTextPage, index: int) -> float:
    """Of the letter's type, not of its shape."""
    box = pdfium.raw.FS_RECTF()
    pdfium.raw.FPDFText_GetLooseCharBox(page.raw, index, box)
    return float(box.top - box.bottom)


def powers(text: str) -> dict[str, str]:
    """106 and `10 6` → 10^6, of such a marked text, but for what the page says as such, too."""
    found = {f"{base}{room}{power}": f"{base}^{power}" for base, power in MARKED.findall(text) for room in ("", " ")}
    return {number: power for number, power in found.items() if not number_of(number).search(text)}


def number_of(*numbers: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\d)(?:{'|'.join(map(re.escape, numbers))})(?!\d)")
