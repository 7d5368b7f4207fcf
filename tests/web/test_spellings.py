"""A name with accents is found as most type it, where its source has letter and accent apart, as a Mac does."""

import json
from unicodedata import normalize

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from ingestion.jobs import run_build
from ingestion.plan import is_below
from knowledge.models import AuditEvent, DocumentFile, Job, Library
from knowledge.spellings import below, of_path
from tests.conftest import printed

TYPED = {"Übergabe.md": "# Übergabe\n\nSie beginnt um sechs Uhr.\n", "Pläne/Dienst.md": "# Dienst\n\nAcht Stunden.\n"}
KEPT = {normalize("NFD", path): text for path, text in TYPED.items()}


@pytest.fixture
def ward(indexed) -> Library:
    return indexed("ward", {**KEPT, "plain.md": "# Plain\n"})


@pytest.mark.parametrize("page", ["read", "original"])
def test_its_pages_open(client, ward, page):
    assert client.get(f"/{page}/ward/Übergabe.md").status_code == 200
    assert client.get(f"/{page}/ward/Ubergabe.md").status_code == 404


def test_it_is_listed_and_governed(as_superuser, ward, capsys):
    assert "Dienst.md" in as_superuser.get("/libraries/ward/?path=Plä").content.decode()
    assert as_superuser.get("/libraries/ward/document/Übergabe.md").status_code == 200
    listed = printed(capsys, "list_documents", "--library", "ward", "--path", "Plä")
    assert [row["path"] for row in listed] == [normalize("NFD", "Pläne/Dienst.md")]
    assert as_superuser.get("/api/v1/libraries/ward/documents?path=Plä").json()["count"] == 1
    sent = json.dumps({"path": "Übergabe.md", "reason": "wrong"})
    assert as_superuser.post("/api/v1/libraries/ward/withdraw", sent, "application/json").status_code == 200
    assert DocumentFile.objects.withdrawn().get().path == normalize("NFD", "Übergabe.md")
    assert "document.withdraw" in as_superuser.get("/audit/?path=Überg").content.decode()
    call_command("erase", "ward", "Übergabe.md", "--reason", "asked for", "--yes")
    assert AuditEvent.objects.filter(action="document.erase").count() == 1


def test_it_is_taken_out_and_let_in_again(ward, capsys):
    (told,) = printed(capsys, "unindex", "^Überg", "--library", "ward", "--yes")
    assert told["removed"] == [normalize("NFD", "Übergabe.md")]
    call_command("unindex", "^Überg", "--library", "ward", "--restore", "--yes")
    ward.refresh_from_db()
    assert ward.unindexed == [] and is_below(normalize("NFD", "Pläne/Dienst.md"), ["Pläne"])
    job = Job.objects.create(library=ward, options={"paths": ["Übergabe.md"]})
    run_build(job)
    assert job.__class__.objects.get(pk=job.pk).state == Job.State.SUCCEEDED


def test_of_two_that_look_the_same_it_is_the_one_that_was_typed(ward):
    for form in ("NFC", "NFD"):
        path = normalize(form, "é.md")
        DocumentFile.objects.create(library=ward, path=path)
    for form in ("NFC", "NFD"):
        path = normalize(form, "é.md")
        assert of_path(ward.document_files.all(), path).get().path == path
        assert ward.document_files.filter(below(path)).count() == 2


def test_an_account_is_found_as_well(as_superuser, ward):
    User.objects.create_user("björn")
    sent = {"do": "set", "user": normalize("NFD", "björn"), "role": "editor"}
    as_superuser.post("/libraries/ward/members", sent)
    assert ward.memberships.get().user.username == "björn"
    owned = {"do": "keep", "owner": normalize("NFD", "björn"), "tags": "", "review_by": ""}
    as_superuser.post("/libraries/ward/document/plain.md", owned)
    assert ward.document_files.get(path="plain.md").owner.username == "björn"
