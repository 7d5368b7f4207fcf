"""Text from right to left, as PDFium gives it: in reading order, but for ligatures, and close to Latin words."""

import ctypes
import re
from itertools import pairwise

import pypdfium2 as pdfium

LETTER = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
BESIDE_LATIN = re.compile(f"(?<={LETTER.pattern})(?=[A-Za-z])|(?<=[A-Za-z])(?={LETTER.pattern})")
ALEFS = "\u0627\u0622\u0623\u0625"
LAM = "\u0644"
ALEF_LAM = re.compile(f"([{ALEFS}]){LAM}")
MOST = 0.4  # of a page's letters: with more, its lines run from right to left


def is_right_to_left(text: str) -> bool:
    letters = sum(character.isalpha() for character in text)
    return letters > 0 and len(LETTER.findall(text)) > MOST * letters


def in_reading_order(text: str, page: pdfium.PdfTextPage) -> str:
    """The text with lam-alef ligatures in their order, and a space between Arabic or Hebrew and Latin letters.

    One glyph that stands for two letters comes with these the wrong way round. Where the letters stand tells it from an
    alef with a lam behind it, as in the article.
    """
    if not LETTER.search(text):
        return text
    ligatures = [one_glyph(page, index) for index in alefs_before_lam(page)]
    if len(ligatures) == len(ALEF_LAM.findall(text)):
        known = iter(ligatures)
        text = ALEF_LAM.sub(lambda match: LAM + match[1] if next(known) else match[0], text)
    return BESIDE_LATIN.sub(" ", text)


def alefs_before_lam(page: pdfium.PdfTextPage) -> list[int]:
    raw = pdfium.raw
    letters = [chr(raw.FPDFText_GetUnicode(page.raw, index)) for index in range(page.count_chars())]
    return [index for index, (first, second) in enumerate(pairwise(letters)) if first in ALEFS and second == LAM]


def one_glyph(page: pdfium.PdfTextPage, index: int) -> bool:
    return origin(page, index) == origin(page, index + 1)


def origin(page: pdfium.PdfTextPage, index: int) -> tuple[float, float]:
    x, y = ctypes.c_double(), ctypes.c_double()
    pdfium.raw.FPDFText_GetCharOrigin(page.raw, index, x, y)
    return round(x.value, 2), round(y.value, 2)
