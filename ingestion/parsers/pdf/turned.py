"""Pages whose text stands sideways or on its head as they are shown: turned, so that lines are found."""

import io
import math
from collections import Counter

import pypdfium2 as pdfium

SAMPLE = 50  # letters of a page
MOST = 0.8  # of them stand the same way


def upright(document: pdfium.PdfDocument) -> bytes | None:
    """The document with such pages turned; None where there are none."""
    turned = [turn(document, number) for number in range(len(document))]
    if not any(turned):
        return None
    target = io.BytesIO()
    document.save(target)
    return target.getvalue()


def turn(document: pdfium.PdfDocument, number: int) -> bool:
    """Whether the page had to be turned."""
    try:
        page = document[number]
    except pdfium.PdfiumError:
        return False
    wanted = direction(page.get_textpage())
    if wanted is None or wanted == page.get_rotation():
        return False
    page.set_rotation(wanted)
    return True


def direction(text: pdfium.PdfTextPage) -> int | None:
    """The rotation of the page, in degrees, at which most of its letters stand upright; None where they differ."""
    count = text.count_chars()
    radians = (pdfium.raw.FPDFText_GetCharAngle(text.raw, index) for index in range(0, count, max(1, count // SAMPLE)))
    angles = Counter(round(math.degrees(angle) / 90) % 4 * 90 for angle in radians if angle >= 0)
    [(angle, letters)] = angles.most_common(1) or [(0, 0)]
    return (360 - angle) % 360 if letters > MOST * max(angles.total(), 1) else None
