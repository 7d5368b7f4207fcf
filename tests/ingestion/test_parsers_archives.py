"""Documents that are zips: what is refused of them, whatever their format."""

import io
import zipfile
from pathlib import Path

import pytest

from ingestion.parsers import archives
from ingestion.zips import RATIO_MATTERS
from tests.ingestion.small_files import GOLDEN, reason, repacked

DOCX = GOLDEN / "docx/in/policy.docx"
ARCHIVES = [DOCX, GOLDEN / "odt/in/minutes.odt", GOLDEN / "epub/in/book.epub", GOLDEN / "sheets/in/prices.xlsx"]
ARCHIVES += [GOLDEN / "sheets/in/rooms.ods", GOLDEN / "pptx/in/plan.pptx"]
each_archive = pytest.mark.parametrize("path", ARCHIVES, ids=lambda path: path.suffix)


def with_member(path: Path, name: str, content: bytes) -> bytes:
    target = io.BytesIO(path.read_bytes())
    with zipfile.ZipFile(target, "a", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(name, content)
    return target.getvalue()


@each_archive
def test_an_archive_that_unpacks_without_end_is_refused(path):
    data = with_member(path, "word/more.xml", b"<a>" + b" " * RATIO_MATTERS * 2 + b"</a>")
    assert "looks like a bomb" in reason(data, path.name)


@each_archive
@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "a/../../b.xml", "C:\\x.xml"])
def test_an_archive_with_a_path_that_leads_out_is_refused(path, name):
    assert "points outside" in reason(with_member(path, name, b"x"), path.name)


@each_archive
def test_an_archive_with_too_many_members_is_refused(path, monkeypatch):
    monkeypatch.setattr(archives, "MOST_MEMBERS", 2)
    assert "members" in reason(path.read_bytes(), path.name)


@each_archive
def test_xml_that_defines_entities_is_refused(path):
    entity = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>'

    def poison(name: str, content: bytes) -> bytes:
        head, mark, rest = content.partition(b"?>")
        return head + mark + entity + rest if name.endswith((".xml", ".opf", ".rels")) and mark else content

    assert "entities" in reason(repacked(path, poison), path.name)


@each_archive
def test_a_truncated_archive_is_refused(path):
    data = path.read_bytes()
    assert "cannot be read" in reason(data[: len(data) // 2], path.name)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
def test_a_part_that_cannot_be_unpacked_is_named_however_it_is_packed(method):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        archive.writestr("content.xml", bytes(range(256)) * 9)
    data = bytearray(packed.getvalue())
    data[60:80] = b"\xff" * 20
    assert reason(bytes(data), "a.odt") == "it is damaged: its part content.xml cannot be unpacked"


@each_archive
def test_an_office_file_with_a_password_says_so(path):
    container = archives.COMPOUND + b"\0" * 600 + "EncryptedPackage".encode("utf-16-le") + b"\0" * 600
    assert "needs a password" in reason(container, path.name)
    assert "old Office" in reason(archives.COMPOUND + b"\0" * 600, path.name)
