"""Scans: rejected as scans, or read by tesseract inside of the sandbox where an operator switched that on."""

import io
from pathlib import Path

import pypdfium2 as pdfium
import pytest
from PIL import Image, ImageDraw, ImageFont

from ingestion import recognition
from ingestion.documents import ParsedDocument, ParseError
from ingestion.parsers import pdf
from ingestion.parsers.ocr import words_of
from ingestion.profile import profile_settings
from ingestion.sandbox import parse, parse_each
from knowledge.models import EmbeddingSpace, IndexProfile, Library
from tests.ingestion.pdfs import make_pdf

RULES = Path(__file__).parent / "golden" / "pdf" / "in" / "rules.pdf"
SENTENCE = "Borrowed bicycles come back on Friday"

needs_tesseract = pytest.mark.skipif(bool(recognition.missing("eng")), reason="tesseract is not installed")


def scan(turned: int = 0) -> bytes:
    page = Image.new("L", (1654, 2339), 255)
    ImageDraw.Draw(page).text((150, 200), SENTENCE, fill=0, font=ImageFont.load_default(64))
    target = io.BytesIO()
    page.rotate(turned, expand=True).save(target, "PDF", resolution=200)
    return target.getvalue()


def rules_and_scan() -> bytes:
    both, target = pdfium.PdfDocument.new(), io.BytesIO()
    both.import_pages(pdfium.PdfDocument(RULES.read_bytes()))
    both.import_pages(pdfium.PdfDocument(scan()))
    both.save(target)
    return target.getvalue()


def test_a_scan_is_rejected_as_a_scan():
    with pytest.raises(ParseError, match="no text layer") as raised:
        parse(scan(), "scan.pdf")
    assert raised.value.scanned


def test_pages_that_are_images_are_named():
    document = parse(rules_and_scan(), "both.pdf")
    assert document.scanned and any("images or drawings" in warning for warning in document.warnings)


STAMP = "Case 1:20-cv-01234 Document 7 Page {} of 4"


def stamped(pages: int, share: float = 1.0) -> bytes:
    """Pages with a stamp, on an image that covers `share` of each."""
    lines = [[(200, 20, 9, STAMP.format(number))] for number in range(1, pages + 1)]
    document, target = pdfium.PdfDocument(make_pdf(lines)), io.BytesIO()
    for page in document:
        image = pdfium.PdfImage.new(document)
        image.set_bitmap(pdfium.PdfBitmap.from_pil(Image.new("L", (60, 80), 255)))
        width, height = page.get_size()
        image.set_matrix(pdfium.PdfMatrix().scale(width, height * share))
        page.insert_obj(image)
        page.gen_content()
    document.save(target)
    return target.getvalue()


def test_a_scan_with_stamps_is_a_scan():
    with pytest.raises(ParseError, match="no text layer") as raised:
        pdf.parse(stamped(4), "filed.pdf")
    assert raised.value.scanned
    single = pdf.parse(stamped(1), "filed.pdf")
    assert single.scanned and single.text == f"{STAMP.format(1)}\n"
    assert single.warnings == ("hardly any text on 1 of 1 pages, which are images: 1",)


def test_a_scan_with_stamps_is_read_once():
    read = [(f"{STAMP.format(1)}\n{SENTENCE}, and their keys with them.", None)]
    for pages in (1, 4):
        document = pdf.parse(stamped(pages), "filed.pdf", lambda page: read)
        assert document.text == "\n\n".join([read[0][0]] * pages) + "\n" and not document.scanned


def test_a_slide_before_a_picture_is_read_from_its_own_text():
    document = pdf.parse(stamped(1), "slide.pdf", lambda page: [("Cose 1:2O-cv-O1234", None)])
    assert document.text == f"{STAMP.format(1)}\n" and document.warnings == ()


def test_a_page_with_a_smaller_image_is_no_scan():
    assert not pdf.parse(stamped(1, 0.6), "letter.pdf").scanned


@needs_tesseract
def test_a_scan_is_read_where_recognition_is_on():
    document = parse(scan(), "scan.pdf", "eng")

    assert document.text == SENTENCE + "\n" and not document.scanned
    [block] = document.blocks
    left, top, right, bottom = block.box
    assert block.page == 1 and 40 < left < 65 and 60 < top < bottom < 110 and 300 < right < 595


@needs_tesseract
def test_only_the_pages_that_are_images_are_recognised():
    plain, both = (o for o in parse_each([(RULES.read_bytes(), "rules.pdf"), (rules_and_scan(), "both.pdf")], "eng"))

    assert isinstance(plain, ParsedDocument) and isinstance(both, ParsedDocument)
    assert both.text == plain.text + "\n" + SENTENCE + "\n"
    assert both.blocks[-1].page == 4  # the third is empty
    assert not any("recognised" in warning for warning in plain.warnings)
    assert "text recognised on 1 of 4 pages: 4" in both.warnings


@needs_tesseract
def test_an_image_without_text_is_said_to_have_none():
    target = io.BytesIO()
    Image.new("L", (600, 800), 255).save(target, "PDF")
    with pytest.raises(ParseError, match="no text was recognised"):
        parse(target.getvalue(), "white.pdf", "eng")


def test_tesseracts_table_is_read_word_by_word():
    table = "1\t1\t0\t0\t0\t0\t0\t0\t9\t9\t-1\t\n5\t1\t2\t1\t3\t1\t10\t20\t30\t40\t91.5\tWord\n5\tbroken"
    [word] = words_of(table)
    assert (word.text, word.paragraph, word.line, word.box) == ("Word", ("2", "1"), "3", (10, 20, 40, 60))


def test_what_is_not_installed_is_said_by_a_check(monkeypatch, settings):
    monkeypatch.setattr(recognition, "installed", lambda: frozenset({"eng"}))
    settings.OCR_LANGUAGES = "eng+deu"
    [warning] = recognition.check_recognition()

    assert "deu" in warning.msg and "tesseract-ocr-deu" in warning.hint and recognition.recognised_languages() == ""
    settings.OCR_LANGUAGES = ""
    assert recognition.check_recognition() == []


def test_recognition_is_part_of_the_profile_only_where_it_is_on(db, monkeypatch, settings):
    library = Library(slug="scans")
    space = EmbeddingSpace(model="m", dimension=3, max_tokens=512)
    before = IndexProfile.objects.for_settings(profile_settings(library, space))
    monkeypatch.setattr(recognition, "installed", lambda: frozenset({"eng"}))
    settings.OCR_LANGUAGES = "eng"
    after = IndexProfile.objects.for_settings(profile_settings(library, space))

    assert "ocr" not in before.settings and after.settings["ocr"] == "eng"
    assert before.structure_hash != after.structure_hash
