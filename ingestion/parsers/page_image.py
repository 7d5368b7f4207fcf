"""One page of a PDF as a picture, made in the sandbox: its pixels travel as text, and are made a PNG outside of it."""

import base64

import pypdfium2 as pdfium

from ingestion.documents import ParsedDocument, ParseError
from ingestion.parsers.pdf import opened

WIDTH, HEIGHT = 1000, 2000  # pixels at most
MEDIA_TYPE = "image/x-pixels"  # three bytes each: red, green, blue


def parse(data: bytes, path: str) -> ParsedDocument:
    """`path` is the page's number, from 1. The title is the picture's width and height. Raises ParseError."""
    document = opened(data, path)
    if not 1 <= int(path) <= len(document):
        raise ParseError(path, f"the PDF has {len(document):,} pages")
    try:
        page = document[int(path) - 1]
        width, height = page.get_size()
        scale = min(WIDTH / max(width, 1), HEIGHT / max(height, 1))
        picture = page.render(scale=scale, rev_byteorder=True, prefer_bgrx=False, fill_color=(255, 255, 255, 255))
    except pdfium.PdfiumError as error:
        raise ParseError(path, "the page is damaged") from error
    row, pixels = picture.width * 3, memoryview(picture.buffer).cast("B")
    rows = (pixels[line * picture.stride :][:row] for line in range(picture.height))
    text = base64.b64encode(b"".join(rows)).decode()
    return ParsedDocument(path, text, f"{picture.width} {picture.height}", MEDIA_TYPE, ())
