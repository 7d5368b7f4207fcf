"""Bringing files over HTTP: with and without JavaScript, by those who manage the library and nobody else."""

import errno
import html
import io
import os
import zipfile
from pathlib import Path
from unittest.mock import Mock

import pytest
from django.contrib.auth.models import Group, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from ingestion.jobs import run
from ingestion.unindexing import unindex
from ingestion.uploads import accept, brought_below
from ingestion.uploads.outcomes import rejected
from knowledge.governance.activation import rollback
from knowledge.governance.review import decide, publish
from knowledge.governance.withdrawal import withdraw
from knowledge.models import ApiToken, Job, Library, Upload
from knowledge.storage import originals
from tests.conftest import all_checks_hold, reindex

A = "# A\n\nAbout apples.\n"
PAGE, FORM, REST = "/libraries/shelf/files", "/libraries/shelf/files/upload", "/api/v1/libraries/shelf/files"
BOUNDARY = "x0boundary0x"


@pytest.fixture
def shelf(db) -> Library:
    return Library.objects.create(slug="shelf", name="The shelf", kind="uploads", access="public")


def keeping() -> User:
    user = User.objects.create_user("keeper", password="x")
    user.groups.add(Group.objects.get(name="editor"))
    return user


@pytest.fixture
def keeper(db) -> Client:
    client = Client()
    client.force_login(keeping())
    return client


@pytest.fixture
def unread(shelf, tmp_path: Path) -> None:
    """a.md was kept by a process that died before it asked for a build."""
    (tmp_path / "a.md").write_text(A)
    accept(shelf, brought_below([tmp_path / "a.md"]), None)


def form(parts: dict[str, str | bytes], field: str = "files") -> dict[str, object]:
    """A multipart body as a browser sends it: with folders in the file names."""
    body = b""
    for name, content in parts.items():
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{field}"; filename="{name}"\r\n\r\n'
        body += head.encode() + (content.encode() if isinstance(content, str) else content) + b"\r\n"
    return {"data": body + f"--{BOUNDARY}--\r\n".encode(), "content_type": f"multipart/form-data; boundary={BOUNDARY}"}


def zipped(files: dict[str, str]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target.getvalue()


def test_files_folders_and_zips_come_with_their_paths_in_one_form(shelf, keeper, settings):
    parts = {"docs/sub/a.md": A, "b.md": A, "c.zip": zipped({"in/zip.md": A}), "": ""}
    page = keeper.post(FORM, **form(parts), follow=True)

    assert page.redirect_chain == [(PAGE, 302)] and "3 added" in page.content.decode()
    assert set(Upload.objects.values_list("path", flat=True)) == {"docs/sub/a.md", "b.md", "in/zip.md"}
    job = Job.objects.get()
    assert job.requested_by.username == "keeper" and f"Job {job.pk} reads" in page.content.decode()
    assert not list(Path(settings.HOME).glob(".passing-*"))


def test_a_file_that_lies_there_unread_is_read_when_it_is_brought_again(shelf, keeper, unread):
    page = keeper.post(FORM, **form({"a.md": A}), follow=True).content.decode()
    assert f"Files: 1 unchanged. Job {Job.objects.get().pk} reads them in" in page
    run(Job.objects.get().pk)
    page = keeper.post(FORM, **form({"a.md": A}), follow=True).content.decode()
    assert "There is nothing new to read in" in page and Job.objects.count() == 1


def test_what_was_withdrawn_and_comes_by_another_name_is_said_so(shelf, keeper):
    keeper.post(FORM, **form({"a.md": A}))
    reindex(shelf)
    withdraw(shelf.document_files.get(), None, "wrong days")
    page = keeper.post(FORM, **form({"b.md": A, "c.md": "# C\n"}), follow=True).content.decode()
    assert "b.md: the same bytes as a.md, withdrawn: wrong days" in page and "c.md:" not in page
    told = keeper.post(REST, **form({"d.md": A})).json()
    assert told["withheld"] == [{"path": "d.md", "reason": "the same bytes as a.md, withdrawn: wrong days"}]


def test_a_folder_chosen_without_javascript_comes_in_its_own_field(shelf, keeper):
    keeper.post(FORM, **form({"docs/a.md": A}, field="folder"))
    assert Upload.objects.get().path == "docs/a.md"


def test_a_name_is_taken_as_it_was_sent(shelf, keeper):
    keeper.post(FORM, **form({"rules&notes.md": A, "a&amp;b.md": A}))
    assert set(Upload.objects.values_list("path", flat=True)) == {"rules&notes.md", "a&amp;b.md"}


def test_what_the_script_escaped_is_read_as_it_was(shelf, keeper):
    """Browsers write `"` as %22, and say nothing of it."""
    parts = {"escaped": "1", "files": SimpleUploadedFile("a%22b%2522.md", A.encode())}
    keeper.post(FORM, parts)
    keeper.post(FORM, parts | {"files": SimpleUploadedFile("c%22.md", A.encode())})
    keeper.post(FORM, {"files": SimpleUploadedFile("d%22.md", A.encode())})
    assert set(Upload.objects.values_list("path", flat=True)) == {'a"b%22.md', 'c".md', "d%22.md"}


def test_the_page_says_what_became_of_each_file(shelf, keeper):
    keeper.post(FORM, **form({"good.md": A, "bad.pdf": "no"}))
    assert keeper.get(PAGE).content.decode().count(">waiting<") == 2
    reindex(shelf)
    page = keeper.get(PAGE).content.decode()

    assert ">ready<" in page and ">rejected<" in page and "/read/shelf/good.md" in page
    withdraw(shelf.document_files.get(path="good.md"), None, "wrong")
    page = keeper.get(PAGE).content.decode()
    assert "and withdrawn" in page and "/read/shelf/good.md" not in page and "/document/good.md" in page


def test_a_file_without_text_is_said_to_have_none(shelf, keeper):
    keeper.post(FORM, **form({"good.md": A, "blanks.md": " \n\n", "empty.txt": ""}))
    reindex(shelf)
    page = keeper.get(PAGE).content.decode()
    assert page.count('state ready">ready<') == 1 and page.count("but it has no text that a search could find") == 2
    told = "This file has no text that a search could find."
    pages = [keeper.get(f"/read/shelf/{name}").content.decode() for name in ("good.md", "blanks.md", "empty.txt")]
    assert [told in page for page in pages] == [False, True, True]


def test_what_was_rejected_is_counted_and_shown_by_itself(shelf, keeper, client, superuser):
    Library.objects.filter(pk=shelf.pk).update(requires_review=True)
    keeper.post(FORM, **form({"good.md": A, "in/bad.pdf": "no", "in/wrong.md": b"# Wrong\n\nMoney for all.\n"}))
    reindex(shelf)
    decide(shelf.snapshots.get(), "rejected", superuser, "no money", ["in/wrong.md"])
    address = f"{PAGE}?state=rejected"

    assert '3 files, <a href="?state=rejected">2 rejected</a>' in keeper.get(PAGE).content.decode()
    assert f'<a href="{address}">2 rejected</a>' in keeper.get("/libraries/shelf/").content.decode()
    page = keeper.get(address).content.decode()
    assert '2 rejected, of <a href="?">all files</a>' in page
    assert "in/bad.pdf" in page and "in/wrong.md" in page and "good.md" not in page
    page = keeper.get(f"{address}&path=good").content.decode()
    assert "Nothing is rejected whose path begins like this." in page and "0 rejected, of" in page
    documents = "/api/v1/libraries/shelf/documents?state=rejected"
    told = keeper.get(f"{documents}&limit=1").json()
    assert (told["count"], told["results"][0]["path"]) == (2, "in/bad.pdf")
    assert keeper.get(f"{documents}&path=in/w").json()["results"] == [
        {"path": "in/wrong.md", "reason": "in review: no money"}
    ]
    assert [row["path"] for row in keeper.get(f"{documents}&snapshot=1").json()["results"]] == ["in/bad.pdf"]
    assert client.get(documents).status_code == 401
    refused = keeper.get("/api/v1/libraries/shelf/documents?state=lost")
    assert (refused.status_code, refused.json()["detail"]) == (400, "state: There are: visible, rejected.")
    job = shelf.jobs.latest("pk")
    client.force_login(superuser)
    assert f'<a href="/jobs/{job.pk}/">1 file rejected</a>' in client.get("/libraries/shelf/").content.decode()


def test_many_rejected_files_are_counted_by_few_short_queries(shelf, keeper):
    Library.objects.filter(pk=shelf.pk).update(include=["good.md"])
    keeper.post(FORM, **form({"good.md": A}))
    left_out = (Upload(library=shelf, path=f"left/{n:04}.md", sha256=f"{n:064x}", size=1) for n in range(2000))
    Upload.objects.bulk_create(left_out)
    reindex(shelf)

    for address, told in (
        (PAGE, '2,001 files, <a href="?state=rejected">2,000 rejected</a>'),
        (f"{PAGE}?state=rejected&path=left/00", "100 rejected, of"),
        ("/libraries/shelf/", ">2,000 rejected</a>"),
    ):
        with CaptureQueriesContext(connection) as asked:
            assert told in keeper.get(address).content.decode()
        assert len(asked) < 30 and sum(len(query["sql"]) for query in asked) < 50_000
    plan = rejected(shelf).explain()
    assert "hashed" in plan and plan.count("on knowledge_upload") == 1, "not joined row by row"


def test_a_damaged_file_over_a_good_one_is_said_to_take_that_out_of_searches(shelf, keeper, client, superuser):
    """On the page of uploads and on the job's, until a file that can be read is there."""
    told = 'So <a href="/libraries/shelf/document/a.md?tab=versions">the version before it</a> is not found any more'
    keeper.post(FORM, **form({"a.md": A, "bad.pdf": "no"}))
    reindex(shelf)
    client.force_login(superuser)
    for content, times in ((b"\0\1\2", 1), (b"# A\n\nAbout pears.\n", 0)):
        keeper.post(FORM, **form({"a.md": content}))
        reindex(shelf)
        pages = [client.get(page).content.decode() for page in (PAGE, f"/jobs/{shelf.jobs.latest('pk').pk}/")]
        assert [page.count(told) for page in pages] == [times, times]


def test_a_library_without_files_does_not_speak_of_a_path_that_nobody_typed(shelf, keeper):
    reindex(shelf)
    pages = [keeper.get(f"/libraries/shelf/{query}").content.decode() for query in ("", "?path=a")]
    assert ["path begins like this" in page for page in pages] == [False, True]
    assert "There is no file in it." in pages[0]


def test_what_nobody_may_find_yet_is_not_called_ready(shelf, keeper):
    keeper.post(FORM, **form({"a.md": A}))
    reindex(shelf)
    Library.objects.filter(pk=shelf.pk).update(requires_review=True)
    keeper.post(FORM, **form({"new.md": A}))
    reindex(shelf)
    page = keeper.get(PAGE).content.decode()
    assert ">waits for review<" in page and 'href="/libraries/shelf/review/?snapshot=2"' in page


def test_what_a_reviewer_rejected_does_not_wait(shelf, keeper, superuser):
    """Neither while its snapshot does, nor once the rest of that is published."""
    Library.objects.filter(pk=shelf.pk).update(requires_review=True)
    keeper.post(FORM, **form({"good.md": A, "wrong.md": b"# Wrong\n\nMoney for all.\n"}))
    reindex(shelf)
    candidate = shelf.snapshots.get()
    decide(candidate, "rejected", superuser, "no money", ["wrong.md"])
    page = keeper.get(PAGE).content.decode()
    assert page.count(">waits for review<") == 1 and "in review: no money" in page
    decide(candidate, "approved", superuser, "", ["good.md"])
    publish(candidate, superuser)
    page = keeper.get(PAGE).content.decode()
    assert page.count(">ready<") == 1 and "in review: no money" in page
    keeper.post(FORM, **form({"more.md": b"# More\n\nAbout pears.\n"}))
    reindex(shelf)
    decide(newer := shelf.snapshots.latest("number"), "approved", superuser, "", ["more.md"])
    publish(newer, superuser)
    shelf.refresh_from_db()
    rollback(shelf)
    page = keeper.get(PAGE).content.decode()
    assert page.count(">ready<") == 1 and "in review: no money" in page
    assert ">1 rejected</a>" in page
    Library.objects.filter(pk=shelf.pk).update(unindexed=["wrong.md"])
    assert "rejected</a>" not in keeper.get(PAGE).content.decode()


def test_what_waits_behind_a_part_of_an_older_candidate_is_said_to_wait(shelf, keeper, superuser):
    Library.objects.filter(pk=shelf.pk).update(requires_review=True)
    keeper.post(FORM, **form({"good.md": A, "wrong.md": b"# Wrong\n\nMoney for all.\n"}))
    reindex(shelf)
    keeper.post(FORM, **form({"new.md": A, "bad.pdf": "no"}))
    reindex(shelf)
    older = shelf.snapshots.get(number=1)
    decide(older, "approved", superuser, "", ["good.md"])
    publish(older, superuser)
    page = keeper.get(PAGE).content.decode()
    assert page.count('">snapshot 2</a>') == 2 and ">not active<" not in page
    assert all_checks_hold()


def test_what_was_rolled_back_is_not_called_ready(shelf, keeper):
    for name in ("a.md", "new.md"):
        keeper.post(FORM, **form({name: A}))
        reindex(shelf)
    rollback(shelf)
    page = keeper.get(PAGE).content.decode()
    assert ">not active<" in page and "snapshot 2, which holds it, was rolled back" in page


def test_a_file_that_was_taken_out_waits_for_nothing(shelf, keeper):
    keeper.post(FORM, **form({"a.md": A, "b.md": A}))
    reindex(shelf)
    unindex(shelf, "^b")
    assert ">taken out<" in keeper.get(PAGE).content.decode()


def test_the_page_of_uploads_tells_of_builds_alone(shelf, keeper):
    Job.objects.create(library=shelf, kind="erase", state=Job.State.FAILED, message="the disk is full")
    assert "the disk is full" not in keeper.get(PAGE).content.decode()


def test_what_is_removed_from_a_reviewed_library_is_found_until_that_is_approved(shelf, keeper):
    keeper.post(FORM, **form({"a.md": A}))
    Library.objects.filter(pk=shelf.pk).update(requires_review=True)
    page = keeper.post("/libraries/shelf/files/remove", {"path": "a.md"}, follow=True).content.decode()
    assert "until what it makes is approved and activated, searches still find it" in page


def test_what_is_refused_is_named_with_its_reason(shelf, keeper):
    page = keeper.post(FORM, **form({"x.exe": "x", "../a.md": A, "ok.md": A}), follow=True).content.decode()

    assert "x.exe: files with this suffix" in page and "../a.md: its path leads out" in page and "1 added" in page


def test_every_reason_is_said_however_many_files_are_refused(shelf, keeper):
    parts = {f"{number}.exe": "no" for number in range(30)} | {"old.doc": "no"}
    page = keeper.post(FORM, **form({"all.zip": zipped(parts)}), follow=True).content.decode()
    assert "old.doc: files with this suffix are not read: save it as DOCX" in page
    assert "22 more files for the same reason" in page and all(f"{number}.exe" in page for number in range(30))


def test_a_script_is_told_where_to_go_and_the_message_waits_there(shelf, keeper):
    answer = keeper.post(FORM, **form({"a.md": A}), headers={"Accept": "application/json"})

    assert answer.json() == {"url": PAGE} and "1 added" in keeper.get(PAGE).content.decode()


def test_an_upload_over_the_limit_is_refused_before_it_is_read(shelf, keeper, settings, monkeypatch):
    settings.UPLOAD_MAX_MB = 1
    page = keeper.post(FORM, **form({"a.md": "x" * 2_200_000}), follow=True).content.decode()
    assert "at most 1 MB are taken at once" in page
    answer = keeper.post(FORM, **form({"a.md": "x" * 2_200_000}), headers={"Accept": "application/json"})
    assert answer.status_code == 413
    settings.DATA_UPLOAD_MAX_NUMBER_FILES = 2
    page = keeper.post(FORM, **form({f"{n}.md": A for n in range(3)}), follow=True).content.decode()
    assert "put them into a zip" in page
    monkeypatch.setattr("ingestion.uploads.receive.MAX_FILE_BYTES", 10)
    monkeypatch.setattr("ingestion.uploads.brought.MAX_FILE_BYTES", 10)
    keeper.post(FORM, **form({"large.md": A, "s.md": "# S\n"}))

    assert [row.path for row in Upload.objects.all()] == ["s.md"]


@pytest.mark.parametrize("body", [b"", b"--x0boundary0x\r\n", b"garbage", f"--{BOUNDARY}--".encode()])
def test_a_form_without_files_is_answered(shelf, keeper, body):
    page = keeper.post(FORM, data=body, content_type=f"multipart/form-data; boundary={BOUNDARY}", follow=True)

    assert page.status_code == 200 and not Upload.objects.exists()


@pytest.mark.parametrize("before", ["x", "x" * 65_400])  # with its head in two of the pieces that are read
def test_a_name_that_is_not_utf_8_is_not_passed_over(shelf, keeper, before):
    sent = form({"a.md": before, "caf\ue000.md": A, "b.md": A})
    sent["data"] = sent["data"].replace("\ue000".encode(), b"\xe9")
    said = "a file's name is not UTF-8"
    rest = keeper.post(REST, **sent)
    assert rest.status_code == 400 and said in rest.json()["detail"]
    assert keeper.post(FORM, **sent, headers={"Accept": "application/json"}).status_code == 400
    page = keeper.post(FORM, **sent, follow=True).content.decode()
    assert said in html.unescape(page) and not Upload.objects.exists()


@pytest.mark.parametrize("missing", [400, 8])  # of the second file, or only of the last boundary
def test_of_a_form_that_broke_off_nothing_is_taken(shelf, keeper, missing):
    sent = form({"a.md": A, "b.md": "b" * 500})
    cut = {"wsgi.input": io.BytesIO(sent["data"][:-missing])}
    rest = keeper.post(REST, **sent, **cut)
    assert rest.status_code == 400 and "it broke off" in rest.json()["detail"]

    cut = {"wsgi.input": io.BytesIO(sent["data"][:-missing])}
    assert keeper.post(FORM, **sent, **cut, headers={"Accept": "application/json"}).status_code == 400
    assert not Upload.objects.exists() and not Job.objects.exists()


def test_a_form_of_another_type_is_answered(shelf, keeper):
    for content_type in ("application/json", "multipart/form-data", "text/plain", "multipart/form-data; boundary="):
        assert keeper.post(FORM, data=b"{}", content_type=content_type).status_code in (302, 400)


def test_removing_takes_a_file_away_and_asks_for_a_build(shelf, keeper):
    keeper.post(FORM, **form({"a.md": A, "b.md": A}))
    reindex(shelf)
    page = keeper.post("/libraries/shelf/files/remove", {"path": "a.md"}, follow=True).content.decode()

    assert "1 file removed" in page
    reindex(shelf)
    assert [file.document_file.path for file in shelf.active_snapshot.files.all()] == ["b.md"]
    assert (
        "no such file" in keeper.post("/libraries/shelf/files/remove", {"path": "a.md"}, follow=True).content.decode()
    )


def test_only_those_who_manage_the_library_may(shelf, client, signed_in, keeper):
    hidden = Library.objects.create(slug="hidden", name="h", kind="uploads", access="groups")
    for visitor in (client, signed_in):
        assert visitor.get(PAGE).status_code == 404
        assert visitor.post(FORM, **form({"a.md": A})).status_code == 404
        assert visitor.post("/libraries/shelf/files/remove", {"path": "a.md"}).status_code == 404
        assert "Drop files" not in visitor.get("/libraries/shelf/").content.decode()
    assert client.post(REST, **form({"a.md": A})).status_code in (401, 403)
    assert signed_in.post(REST, **form({"a.md": A})).status_code == 403
    assert keeper.get(f"/libraries/{hidden.slug}/files").status_code == 404  # staff who may not read it
    assert keeper.post(f"/api/v1/libraries/{hidden.slug}/files", **form({"a.md": A})).status_code == 404
    assert not Upload.objects.exists() and "Drop files" in keeper.get("/libraries/shelf/").content.decode()


def test_to_be_staff_is_not_enough(shelf, signed_in, reader):
    reader.is_staff = True
    reader.save()
    assert signed_in.get(PAGE).status_code == 404


def test_a_token_brings_files_if_it_may_manage(shelf, keeper, client):
    user = User.objects.get(username="keeper")
    for scopes, status in ((["search", "ask"], 403), (["manage"], 201)):
        token = ApiToken.issue(user, "t", scopes, None)[1]
        answer = client.post(REST, **form({"a.md": A}), headers={"Authorization": f"Bearer {token}"})
        assert answer.status_code == status
    assert Upload.objects.get().uploaded_by == user


def test_a_form_without_its_token_is_refused_and_nothing_is_kept(shelf, settings):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(keeping())
    assert strict.post(FORM, **form({"a.md": A})).status_code == 403
    assert strict.post(REST, **form({"a.md": A})).status_code == 403
    strict.get(PAGE)
    token = strict.cookies["csrftoken"].value
    answer = strict.post(FORM, {"csrfmiddlewaretoken": token, "files": SimpleUploadedFile("a.md", A.encode())})

    assert answer.status_code == 302 and Upload.objects.count() == 1
    assert strict.post(REST, **form({"b.md": A}), headers={"X-CSRFToken": token}).status_code == 201


def test_rest_brings_replaces_and_removes(shelf, keeper):
    answer = keeper.post(REST, **form({"docs/a.md": A, "x.exe": "x"}))
    assert answer.status_code == 201
    assert answer.json() == {
        "added": ["docs/a.md"],
        "replaced": [],
        "unchanged": [],
        "refused": [{"path": "x.exe", "reason": "files with this suffix are not read"}],
        "withheld": [],
        "job": Job.objects.get().pk,
    }
    again = keeper.post(f"{REST}/", **form({"docs/a.md": A}))
    assert (again.status_code, again.json()["job"]) == (201, Job.objects.get().pk)  # it waits to be read by that one
    assert keeper.post(REST, **form({"docs/a.md": "# B\n"})).json()["replaced"] == ["docs/a.md"]
    assert keeper.delete(f"{REST}?path=docs/a.md&path=none&path=%00").json()["removed"] == 1
    assert keeper.delete(REST).status_code == 400


def test_rest_asks_for_the_build_of_a_file_that_lies_there_unread_and_of_no_other(shelf, keeper, unread):
    answer = keeper.post(REST, **form({"a.md": A}))
    assert answer.status_code == 201 and answer.json()["unchanged"] == ["a.md"]
    run(answer.json()["job"])
    again = keeper.post(REST, **form({"a.md": A}))
    assert (again.status_code, again.json()["job"]) == (200, None) and Job.objects.count() == 1


def test_rest_passes_over_no_file_in_another_field(shelf, keeper):
    sent = form({"a.md": A, "b.md": A})
    sent["data"] = sent["data"].replace(b'"files"', b'"file"', 1)
    answer = keeper.post(REST, **sent)
    assert answer.status_code == 400 and not Upload.objects.exists()
    assert answer.json()["errors"] == {"file": ["There is no such field. Did you mean “files”?"]}


def test_rest_removes_nothing_where_a_path_is_called_otherwise(shelf, keeper):
    keeper.post(REST, **form({"a.md": A, "b.md": A}))
    answer = keeper.delete(f"{REST}?path=a.md&paths=b.md")
    assert answer.status_code == 400 and list(answer.json()["errors"]) == ["paths"]
    assert not Upload.objects.exclude(ended_at=None).exists()


def test_rest_says_what_is_wrong(shelf, keeper, indexed, settings):
    indexed("sea", {"a.md": A})
    assert keeper.post("/api/v1/libraries/sea/files", **form({"a.md": A})).status_code == 409
    assert keeper.post("/api/v1/libraries/none/files", **form({"a.md": A})).status_code == 404
    assert keeper.post(REST, **form({})).status_code == 400
    assert keeper.post(REST, data=b"{}", content_type="application/json").status_code == 415
    settings.UPLOAD_MAX_MB = 1
    large = keeper.post(REST, **form({"a.md": "x" * 2_200_000}))
    assert large.status_code == 413 and "at most 1 MB" in large.json()["detail"]


def test_the_schema_knows_it(client):
    schema = client.get("/api/schema/", headers={"Accept": "application/json"}).json()
    path = next(path for path in schema["paths"] if path.startswith("/api/v1/libraries/{slug}/files"))
    assert {"post", "delete"} <= schema["paths"][path].keys()


def test_drift_is_shown_to_those_who_manage(indexed, keeper, client, settings):
    library = indexed("sea", {"a.md": A})
    settings.EMBEDDING_QUERY_PREFIX = "query: "
    page = keeper.get("/libraries/sea/").content.decode()

    assert "the query prefix (it was none, it is query: )" in page and "can have a new one built beside it" in page
    assert "built beside it" not in client.get("/libraries/sea/").content.decode()
    assert library.drift()


@pytest.mark.parametrize("name", ["", "folder/"])
def test_an_archive_without_a_file_is_said_to_have_none(shelf, keeper, name):
    page = keeper.post(FORM, **form({"a.zip": zipped({name: ""} if name else {})}), follow=True)
    assert "There is no file in it" in page.content.decode() and not Job.objects.exists()


@pytest.mark.parametrize("address", [FORM, REST])
def test_a_full_disk_is_said_and_nothing_is_taken(shelf, keeper, monkeypatch, address, caplog):
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(originals, "keep", full)
    answer = keeper.post(address, **form({"a.md": A}))
    assert answer.status_code == 503 and "disk is full" in html.unescape(answer.content.decode())
    assert not Upload.objects.exists() and not any(record.exc_info for record in caplog.records)


def test_of_an_upload_that_broke_off_no_original_is_left_but_what_others_want(shelf, keeper, monkeypatch):
    keeper.post(FORM, **form({"a.md": A}))
    there, keep = set(originals.stored()), originals.keep

    def full(content: bytes) -> str:
        if content == b"last":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return keep(content)

    monkeypatch.setattr(originals, "keep", full)
    assert keeper.post(FORM, **form({"again.md": A, "b.md": "# B\n", "c.md": "last"})).status_code == 503
    assert set(originals.stored()) == there and len(there) == 1


def test_the_command_says_that_the_disk_is_full(shelf, tmp_path, monkeypatch, settings):
    (tmp_path / "a.md").write_text(A)
    monkeypatch.setattr(originals, "keep", Mock(side_effect=OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))))
    with pytest.raises(CommandError, match=f"^No space left on device: {settings.HOME}; make room there"):
        call_command("upload", "shelf", str(tmp_path / "a.md"))
