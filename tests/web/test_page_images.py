"""The pages of a PDF as they look, beside what they say, for whoever may read it."""

import re
import struct
import zlib

import pytest
from django.contrib.auth.models import Group
from django.test import Client

from ingestion import page_images
from ingestion.collecting import collect
from ingestion.erasing import erase
from ingestion.page_images import png
from knowledge.governance.withdrawal import restore, withdraw
from knowledge.models import FileVersion, Library
from knowledge.storage import originals
from tests.conftest import reindex
from tests.ingestion.pdfs import make_pdf

LINES = [(72, 100, 24, "Tides"), (72, 140, 11, "The spring tide floods the lower meadow for six hours.")]
PDF = make_pdf([LINES, [(72, 100, 11, "On the second page the mill is sold to the miller.")]])
PAGE = "/pages/plans/1/tides.pdf"


@pytest.fixture(autouse=True)
def forgotten():
    page_images._failed.clear()


@pytest.fixture
def plans(make_library, documents) -> Library:
    library = make_library("plans", {"a.md": "# A\n\nText.\n"}, access="public")
    (documents / "plans/tides.pdf").write_bytes(PDF)
    reindex(library)
    return library


def test_a_page_is_drawn_once_and_kept_with_its_original(client, plans, monkeypatch):
    first = client.get(PAGE)
    width, height = struct.unpack("!II", first.content[16:24])
    assert first["Content-Type"] == "image/png" and (width, height) == (1000, 1416)
    rows = zlib.decompress(first.content.split(b"IDAT")[1][: -4 - 12])
    assert len(rows) == height * (1 + 3 * width) and 0 < rows.count(0) < len(rows) / 10 < rows.count(255)
    monkeypatch.setattr("ingestion.page_images.rendered", None)
    assert client.get(PAGE).content == first.content
    sha256 = FileVersion.objects.get(media_type="application/pdf").sha256
    assert len(list(originals.images_of(sha256).iterdir())) == 1
    erase(plans.document_files.get(path="tides.pdf"), None, "they asked for it")
    assert not originals.images_of(sha256).exists() and client.get(PAGE).status_code == 404


def test_the_document_shows_each_page_where_its_text_begins(client, plans):
    page = client.get("/read/plans/tides.pdf").content.decode()
    assert [page.count(f'src="/pages/plans/{number}/tides.pdf') for number in (1, 2, 3)] == [1, 1, 0]
    assert "/pages/plans/" not in client.get("/read/plans/a.md").content.decode()


IMAGE = "q 400 0 0 500 90 200 cm BI /W 1 /H 1 /CS /G /BPC 8 ID x EI Q"


def test_pages_without_text_are_shown_behind_the_page_before_them(client, plans, documents):
    """Also the last ones, of which no passage tells."""
    gap = [(72, 100, 11, 100 * " ")]
    drawn = make_pdf([LINES, gap, [(72, 100, 11, "On the third page the mill is sold to the miller.")], gap])
    blank = f"BT /F 11 Tf 72 742 Td ({100 * ' '}) Tj ET"
    (documents / "plans/mixed.pdf").write_bytes(drawn.replace(blank.encode(), IMAGE.ljust(len(blank)).encode()))
    reindex(plans)

    page = client.get("/read/plans/mixed.pdf").content.decode()
    places = [page.index(f'src="/pages/plans/{number}/mixed.pdf') for number in (1, 2, 3, 4)]
    assert places == sorted(places) and page.count("No text was read on this page.") == 2
    statuses = [client.get(f"/pages/plans/{number}/mixed.pdf").status_code for number in (1, 2, 3, 4, 5)]
    assert statuses == [200, 200, 200, 200, 404]


def test_of_many_pages_without_text_each_says_so(client, plans, documents):
    """The parser's warning names only the first twenty."""
    gap, text = [(72, 100, 11, 100 * " ")], [(72, 100, 11, "The mill is sold to the miller on this page.")]
    drawn = make_pdf([LINES, *[gap] * 22, text, *[gap] * 3])
    blank = f"BT /F 11 Tf 72 742 Td ({100 * ' '}) Tj ET"
    (documents / "plans/scans.pdf").write_bytes(drawn.replace(blank.encode(), IMAGE.ljust(len(blank)).encode()))
    reindex(plans)

    page = client.get("/read/plans/scans.pdf").content.decode()
    noted = re.findall(r'alt="Page (\d+) as it looks">(<small>)?', page)
    assert [number for number, note in noted if not note] == ["1", "24"] and len(noted) == 27


def test_it_is_only_for_who_may_read_it_and_not_when_it_is_withdrawn(client, reader, plans):
    withdraw(plans.document_files.get(path="tides.pdf"), None, "outdated")
    assert client.get(PAGE).status_code == 404
    restore(plans.document_files.get(path="tides.pdf"), None)
    plans.access = Library.Access.GROUPS
    plans.save()
    plans.groups.add(Group.objects.create(name="planners"))
    member = Client()
    member.force_login(reader)
    assert client.get(PAGE).status_code == member.get(PAGE).status_code == 404
    reader.groups.add(Group.objects.get(name="planners"))
    assert member.get(PAGE).status_code == 200


@pytest.mark.parametrize(
    "address", ["/pages/plans/0/tides.pdf", "/pages/plans/3/tides.pdf", "/pages/plans/1/a.md", f"{PAGE}?snapshot=9"]
)
def test_what_is_no_page_is_not_found(client, plans, address):
    assert client.get(address).status_code == 404


def test_a_page_that_cannot_be_drawn_is_not_found(client, plans, monkeypatch):
    path = originals.path_of(FileVersion.objects.get(media_type="application/pdf").sha256)
    path.write_bytes(b"%PDF-1.4 and then nothing")
    assert client.get(PAGE).status_code == 404
    monkeypatch.setattr("ingestion.page_images.rendered", None)  # it is not tried again with every request
    assert client.get(PAGE).status_code == 404


def test_pages_that_nobody_can_know_of_start_no_process(client, plans, monkeypatch):
    monkeypatch.setattr("ingestion.page_images.rendered", None)
    assert client.get("/pages/plans/999999/tides.pdf").status_code == 404


def test_a_page_is_not_waited_for_without_end(client, plans, monkeypatch):
    monkeypatch.setattr(page_images, "PATIENCE_SECONDS", 0)
    with page_images._one_at_a_time:
        assert client.get(PAGE).status_code == 404
    assert client.get(PAGE).status_code == 200


def test_gc_takes_away_pictures_whose_original_is_gone(client, plans):
    """As a process leaves them that is killed while it erases."""
    client.get(PAGE)
    sha256 = FileVersion.objects.get(media_type="application/pdf").sha256
    originals.path_of(sha256).unlink()
    collect()
    assert not originals.images_of(sha256).exists()


def test_a_png_is_what_the_standard_says():
    assert (
        png(1, 1, b"\xff\0\0")
        == bytes.fromhex("89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de")
        + png(1, 1, b"\xff\0\0")[33:]
    )
