"""Text recognition for pages that are images: tesseract's library, in the same confined process as every parser.

The library and its models are loaded by the zygote, before anything is read, and shared by the processes forked from
it; so recognition opens no file and starts no program. Switched on by OCR_LANGUAGES, as `tesseract -l` takes them.
"""

import ctypes
import ctypes.util
import math
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import groupby

import pypdfium2 as pdfium

from ingestion.documents import Box, ParsedDocument, union
from ingestion.parsers import pdf
from ingestion.parsers.natural_language import labelled

LIBRARIES = ("libtesseract.so.5", "libtesseract.so.4")
DOTS_PER_INCH = 300
POINTS_PER_INCH = 72
MOST_PIXELS = 40_000_000  # of one page: A3 at 300 dots per inch has 17 million
LEAST_CONFIDENCE = 40  # of 100, on average over a paragraph: what is below is a picture read as letters
SURE_OF_ORIENTATION = 2.0
WORD_LEVEL = "5"
BUDGET_SECONDS = 200  # of processor time: then the pages that are left are named in a warning


class Missing(Exception):
    """Tesseract, or one of its languages, is not installed; the message says which."""


@dataclass(frozen=True, slots=True)
class Word:
    paragraph: tuple[str, str]
    line: str
    box: Box  # in dots
    confidence: float
    text: str


class Tesseract:
    """One loaded model, or several. `read` may be called in processes forked after it was loaded."""

    def __init__(self, languages: str) -> None:
        self.library = load_library()
        self.handle = self.library.TessBaseAPICreate()
        if self.library.TessBaseAPIInit3(self.handle, None, languages.encode()) != 0:
            raise Missing(f"tesseract has no models for “{languages}” (Debian: tesseract-ocr-…)")

    def see(self, bitmap: pdfium.PdfBitmap) -> None:
        pixels = bytes(bitmap.buffer)
        self.library.TessBaseAPISetImage(self.handle, pixels, bitmap.width, bitmap.height, 1, bitmap.stride)
        self.library.TessBaseAPISetSourceResolution(self.handle, DOTS_PER_INCH)

    def read(self, bitmap: pdfium.PdfBitmap) -> list[Word]:
        """The words of a grey picture, in reading order."""
        self.see(bitmap)
        found = self.library.TessBaseAPIGetTsvText(self.handle, 0)
        if not found:
            return []
        try:
            table = ctypes.string_at(found).decode("utf-8", "replace")
        finally:
            self.library.TessDeleteText(found)
            self.library.TessBaseAPIClear(self.handle)
        return list(words_of(table))

    def turned(self, bitmap: pdfium.PdfBitmap) -> int:
        """By how many degrees, clockwise, the picture has to be turned to stand upright. For the model `osd`."""
        self.see(bitmap)
        degrees, sure, script, share = ctypes.c_int(), ctypes.c_float(), ctypes.c_char_p(), ctypes.c_float()
        found = self.library.TessBaseAPIDetectOrientationScript(
            self.handle, *(ctypes.byref(value) for value in (degrees, sure, script, share))
        )
        self.library.TessBaseAPIClear(self.handle)
        upright = not found or sure.value < SURE_OF_ORIENTATION
        return 0 if upright else (360 - degrees.value) % 360


def load_library() -> ctypes.CDLL:
    for name in (*LIBRARIES, ctypes.util.find_library("tesseract")):
        with suppress(OSError, TypeError):
            library = ctypes.CDLL(name)
            break
    else:
        raise Missing("tesseract is not installed (Debian: tesseract-ocr)")
    pointer, number, text = ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p
    for function, result, arguments in (
        ("TessBaseAPICreate", pointer, []),
        ("TessBaseAPIInit3", number, [pointer, text, text]),
        ("TessBaseAPISetImage", None, [pointer, text, number, number, number, number]),
        ("TessBaseAPISetSourceResolution", None, [pointer, number]),
        ("TessBaseAPIGetTsvText", pointer, [pointer, number]),
        ("TessBaseAPIDetectOrientationScript", number, [pointer, *[pointer] * 4]),
        ("TessBaseAPIClear", None, [pointer]),
        ("TessDeleteText", None, [pointer]),
    ):
        getattr(library, function).restype = result
        getattr(library, function).argtypes = arguments
    return library


def words_of(table: str) -> Iterator[Word]:
    """Of tesseract's table: level, page, block, paragraph, line, word, left, top, width, height, confidence, text."""
    for row in table.split("\n"):
        cells = row.split("\t")
        if len(cells) == 12 and cells[0] == WORD_LEVEL and cells[11].strip():
            left, top, width, height = map(float, cells[6:10])
            box = (left, top, left + width, top + height)
            yield Word((cells[2], cells[3]), cells[4], box, float(cells[10]), cells[11])


# --- in the zygote, and in the processes forked from it ---------------------------------------------


@cache
def reader() -> Tesseract:
    return Tesseract(os.environ["OCR_LANGUAGES"])


@cache
def orienter() -> Tesseract | None:
    try:
        return Tesseract("osd")
    except Missing:
        return None


def preload() -> None:
    reader()
    orienter()


def parse(data: bytes, path: str) -> ParsedDocument:
    return labelled(pdf.parse(data, path, recognise))


def recognise(page: pdfium.PdfPage) -> list[tuple[str, Box | None]] | None:
    """The paragraphs on a page, with their boxes in points; None when the time is used up."""
    if time.process_time() > BUDGET_SECONDS:
        return None
    picture, scale = rendered(page, 0)
    found = orienter()
    turned = found.turned(picture) if found else 0
    if turned:
        picture, scale = rendered(page, turned)
    return list(paragraphs(reader().read(picture), scale, placed=not turned))


def rendered(page: pdfium.PdfPage, rotation: int) -> tuple[pdfium.PdfBitmap, float]:
    """The page in grey, and how many dots a point became."""
    width, height = page.get_size()
    scale = min(DOTS_PER_INCH / POINTS_PER_INCH, math.sqrt(MOST_PIXELS / max(width * height, 1.0)))
    return page.render(scale=scale, rotation=rotation, grayscale=True), scale


def paragraphs(words: list[Word], scale: float, placed: bool) -> Iterator[tuple[str, Box | None]]:
    for _, group in groupby(words, key=lambda word: word.paragraph):
        own = list(group)
        if sum(word.confidence for word in own) < LEAST_CONFIDENCE * len(own):
            continue
        lines = [" ".join(word.text for word in line) for _, line in groupby(own, key=lambda word: word.line)]
        box = union([word.box for word in own])
        yield "\n".join(lines), scaled(box, scale) if box and placed else None


def scaled(box: Box, scale: float) -> Box:
    left, top, right, bottom = (round(side / scale, 1) for side in box)
    return left, top, right, bottom
