"""Small files for the tests of their formats, and what is said of one that is refused."""

import io
import zipfile
from pathlib import Path

import pytest

from ingestion.documents import ParsedDocument, ParseError
from ingestion.parsers import parse
from ingestion.parsers.odt import NAMESPACES

GOLDEN = Path(__file__).parent / "golden"


def reason(data: bytes, name: str) -> str:
    with pytest.raises(ParseError) as caught:
        parse(data, name)
    return caught.value.reason


def html(body: str) -> ParsedDocument:
    return parse(f"<!DOCTYPE html><body>{body}".encode(), "page.html")


def odt(body: str, styles: str = "") -> str:
    return odt_document(body, styles).text


def odt_document(body: str, styles: str = "") -> ParsedDocument:
    return parse(flat_odt(body, styles), "a.odt")


def flat_odt(body: str, styles: str = "") -> bytes:
    spaces = " ".join(f'xmlns:{prefix}="{address}"' for prefix, address in NAMESPACES.items())
    flat = (
        f"<?xml version='1.0'?><office:document {spaces}>{styles}"
        f"<office:body><office:text>{body}</office:text></office:body>"
    )
    return f"{flat}</office:document>".encode()


def repacked(path: Path | io.BytesIO, change, *added: str) -> bytes:
    """The archive with `change(name, content)` in place of every member, and of those that are added, empty."""
    target = io.BytesIO()
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in source.namelist():
            packed.writestr(name, change(name, source.read(name)))
        for name in added:
            packed.writestr(name, change(name, b""))
    return target.getvalue()
