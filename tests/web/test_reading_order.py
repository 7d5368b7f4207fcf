"""In which order a library's page lists its documents, and how fragments lead to the pages that take them in."""

from django.db import connection, transaction
from django.db.models import TextField
from django.db.models.functions import Cast

from knowledge.inclusions import included_by, includes
from knowledge.models import FileVersion, SnapshotFile
from retrieval.search import search
from tests.conftest import reindex

INDEX = "Handbook\n========\n\n.. toctree::\n\n   second\n   first\n"


def test_documents_stand_in_reading_order_one_below_the_other(make_library, client):
    titled = "{0}\n======\n\nText.\n"
    reindex(make_library("handbook", {"first.rst": titled, "second.rst": titled, "index.rst": INDEX}))
    page = client.get("/libraries/handbook/").content.decode()

    assert page.index("index.rst") < page.index("second.rst") < page.index("first.rst")
    assert page.count('class="below1"') == 2


def test_a_page_and_the_fragment_that_it_takes_in_lead_to_each_other(make_library, client):
    page = "Page\n====\n\n.. include:: /parts/_note.rst.inc\n\n.. include:: missing.rst\n"
    reindex(make_library("parted", {"docs/page.rst": page, "docs/parts/_note.rst.inc": "A note.\n"}))
    members = {member.document_file.path: member for member in SnapshotFile.objects.all()}

    assert includes(members["docs/page.rst"]) == [(4, "docs/parts/_note.rst.inc")]
    assert included_by(members["docs/parts/_note.rst.inc"]) == ["docs/page.rst"]
    assert "docs/page.rst" in client.get("/read/parted/docs/parts/_note.rst.inc").content.decode()


def test_a_page_and_the_file_of_its_table_lead_to_each_other(make_library, reader, client):
    page = "Fees\n====\n\n.. csv-table:: Fees\n   :file: fees.csv\n"
    reindex(make_library("tabled", {"docs/page.rst": page, "docs/fees.csv": "Bike,Euros\nUnicycle,12\n"}))
    members = {member.document_file.path: member for member in SnapshotFile.objects.all()}

    assert includes(members["docs/page.rst"]) == [(5, "docs/fees.csv")]
    assert included_by(members["docs/fees.csv"]) == ["docs/page.rst"]
    assert search(reader, "unicycle").hits[0].source_file == "docs/fees.csv"
    assert "/read/tabled/docs/fees.csv?" in client.get("/read/tabled/docs/page.rst").content.decode()


def test_who_takes_a_fragment_in_is_found_by_an_index(db):
    written = Cast("links", TextField())
    naming = FileVersion.objects.filter(links__contains=[["include"]]).annotate(written=written)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_indexscan = off")
        assert "file_version_includes" in naming.filter(written__contains="_note.rst.inc").explain()
