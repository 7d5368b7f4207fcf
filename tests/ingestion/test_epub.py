"""What books may lack."""

import re

from ingestion.parsers import parse
from tests.ingestion.small_files import GOLDEN, repacked


def test_a_chapter_without_a_title_is_read():
    def untitle(name: str, content: bytes) -> bytes:
        return re.sub(rb"<title>.*?</title>", b"<title/>", content) if name.endswith("html") else content

    book = GOLDEN / "epub/in/book.epub"
    untitled = repacked(book, untitle)
    assert untitled != book.read_bytes() and parse(untitled, "a.epub").text == parse(book.read_bytes(), "a.epub").text


def test_a_chapter_that_the_book_lacks_is_told():
    def renamed(name: str, content: bytes) -> bytes:
        if not name.endswith(".opf"):
            return content
        return content.replace(b'"one.xhtml"', b'"gone.xhtml"').replace(
            b"second%20one.xhtml", b"second%20one.xhtml#top"
        )

    book = parse(repacked(GOLDEN / "epub/in/book.epub", renamed), "a.epub")
    assert book.blocks and book.warnings == ("1 of its 2 chapters is not in it",)
