import gzip

import pytest
from django.http import StreamingHttpResponse
from django.template.defaultfilters import date
from django.test import RequestFactory
from django.utils import timezone

from ingestion.erasing import erase
from knowledge.governance.activation import rollback
from knowledge.governance.withdrawal import trash, withdraw
from knowledge.http.compression import CompressedPages
from knowledge.models import DocumentFile, Job, Snapshot
from tests.conftest import reindex, write


def test_libraries_are_listed_with_their_counts(client, handbook):
    page = client.get("/libraries/").content.decode()
    assert "The handbook" in page and '<td class="number" data-label="Files">3</td>' in page


def test_how_the_last_build_went_is_for_who_looks_behind_the_pages(client, signed_in, as_superuser, handbook):
    pages = [someone.get("/libraries/").content.decode() for someone in (client, signed_in, as_superuser)]
    assert ["Last job" in page and "succeeded" in page for page in pages] == [False, False, True]


def test_a_job_ended_alike_wherever_it_is_shown(as_superuser, handbook):
    handbook.jobs.update(counters={"rejected": 2})
    for address in ("/libraries/", "/dashboard/", "/jobs/", "/libraries/handbook/"):
        page = as_superuser.get(address).content.decode()
        assert '<span class="state succeeded rejections">completed with rejections</span>' in page, address
    for model in ("library", "job"):
        assert "completed with rejections" in as_superuser.get(f"/admin/knowledge/{model}/").content.decode()


def test_a_candidate_of_a_library_without_an_active_snapshot_is_named(as_superuser, make_library):
    reindex(make_library("new", {"a.md": "# A\n\nText.\n"}), activate=False)
    assert "snapshot 1 is ready" in as_superuser.get("/libraries/").content.decode()


def test_what_is_withdrawn_is_counted_nowhere_and_listed_with_its_end(client, as_superuser, handbook):
    seen = handbook.active_snapshot.chunk_count
    document = DocumentFile.objects.get(path="lending.rst")
    less = seen - document.active_version().chunk_count
    trash(document, None, "out of date")
    for address in ("/libraries/", "/dashboard/"):
        page = as_superuser.get(address).content.decode()
        assert '<td class="number" data-label="Files">2</td>' in page, address
        assert f'<td class="number" data-label="Passages">{less}</td>' in page, address
    assert '<a href="/libraries/handbook/withdrawn">1</a>' in page
    assert f">{less} passages, snapshot 1" in client.get("/").content.decode()
    row = client.get("/api/v1/libraries/handbook/").json()
    assert (row["file_count"], row["chunk_count"]) == (2, less)
    assert "1 withdrawn file<" in as_superuser.get("/libraries/handbook/").content.decode()
    assert "withdrawn file" not in client.get("/libraries/handbook/").content.decode()
    end = date(document.erased_from, "j M Y, H:i")
    for address in ("/libraries/handbook/withdrawn", "/libraries/handbook/document/lending.rst"):
        page = as_superuser.get(address).content.decode()
        assert "out of date" in page and end in page


def test_a_file_is_managed_from_where_it_is_read_and_listed(client, as_superuser, handbook):
    link = 'href="/libraries/handbook/document/lending.rst"'
    for address in ("/libraries/handbook/", "/read/handbook/lending.rst"):
        assert link in as_superuser.get(address).content.decode()
        assert link not in client.get(address).content.decode()


def test_a_visitor_is_told_that_there_may_be_more_to_see(client, signed_in, handbook):
    pages = [someone.get("/libraries/").content.decode() for someone in (client, signed_in)]
    assert ['href="/login?next=/libraries/">Sign in</a> to see' in page for page in pages] == [True, False]


def test_large_counts_are_grouped(client, handbook):
    Snapshot.objects.update(chunk_count=200_200)
    assert "200,200 passages" in client.get("/").content.decode()
    assert ">200,200</td>" in client.get("/libraries/").content.decode()


def test_only_readable_libraries_are_listed(client, signed_in, as_superuser, board, handbook):
    shown = [
        "The board" in someone.get("/libraries/").content.decode() for someone in (client, signed_in, as_superuser)
    ]
    assert shown == [False, False, True]


def test_a_library_shows_its_files_and_snapshots(client, handbook):
    page = client.get("/libraries/handbook/").content.decode()
    assert "lending.rst" in page and handbook.active_snapshot.manifest_hash[:12] in page
    assert handbook.location not in page


def test_jobs_and_candidates_are_shown_to_who_looks_behind_the_pages(client, as_superuser, handbook, documents):
    write(documents / "handbook", {"draft.md": "# Draft\n"})
    reindex(handbook, activate=False)
    address = "/libraries/handbook/snapshots/2"
    for someone, sees in ((client, False), (as_superuser, True)):
        page = someone.get("/libraries/handbook/").content.decode()
        assert ("Last jobs" in page, f'href="{address}"' in page) == (sees, sees)
        assert (someone.get(address).status_code == 200) == sees


def test_where_a_library_lies_on_the_server_is_for_staff(as_superuser, handbook):
    assert handbook.location in as_superuser.get("/libraries/handbook/").content.decode()


def test_a_library_added_by_mistake_says_how_it_is_changed_and_removed(client, as_superuser, make_library):
    library = make_library("wrong", {"a.md": "# A\n\nText.\n"})
    job = Job.objects.create(library=library, state="failed", message="no such directory")
    for page in (f"/jobs/{job.pk}/", "/libraries/wrong/"):
        shown = as_superuser.get(page).content.decode()
        assert "<code>manage.py remove_library wrong</code>" in shown
        assert f'href="/admin/knowledge/library/{library.pk}/change/"' in shown
    assert "remove_library" not in client.get("/libraries/wrong/").content.decode()


def test_a_library_says_that_it_has_more_snapshots_than_it_lists(client, as_superuser, handbook, monkeypatch):
    monkeypatch.setattr("knowledge.pages.libraries.SNAPSHOTS", 1)
    handbook.active_snapshot.derive(handbook.active_snapshot.members())
    assert "These are the newest of 2;" in as_superuser.get("/libraries/handbook/").content.decode()
    assert "These are the newest" not in client.get("/libraries/handbook/").content.decode(), (
        "the other was never active"
    )


def test_files_are_paged_and_found_by_their_path(client, indexed):
    indexed("many", {f"f{n:03}.md": f"# {n}\n" for n in range(105)})
    first, second = (client.get(f"/libraries/many/?page={page}").content.decode() for page in (1, 3))
    assert "1–50 of 105" in first and "f104.md" not in first and "f104.md" in second
    assert "f104.md" in client.get("/libraries/many/?path=f104").content.decode()
    assert "No file" in client.get("/libraries/many/?path=%00x").content.decode()


def test_a_withdrawn_file_is_neither_listed_nor_counted(client, handbook):
    DocumentFile.objects.filter(path="lending.rst").update(withdrawn_at=timezone.now())
    assert "lending.rst" not in client.get("/libraries/handbook/").content.decode()
    assert 'data-label="Files">2</td>' in client.get("/libraries/").content.decode()


def test_a_library_that_was_not_read_in_yet_says_so(client, make_library):
    make_library("empty", {})
    assert "not been read in yet" in client.get("/libraries/empty/").content.decode()


def test_a_foreign_library_is_like_a_missing_one(client, signed_in, board):
    for someone in (client, signed_in):
        foreign, missing = (someone.get(f"/libraries/{slug}/") for slug in ("board", "mossy"))
        assert foreign.status_code == missing.status_code == 404
        shown = [response.content.decode().split("<main")[1] for response in (foreign, missing)]
        assert shown[0].replace("board", "mossy") == shown[1]


def test_jobs_are_for_who_manages(client, signed_in, as_superuser, handbook):
    assert client.get("/jobs/").status_code == 302
    assert signed_in.get("/jobs/").status_code == 403
    assert "succeeded" in as_superuser.get("/jobs/").content.decode()


@pytest.mark.parametrize("address", ["/libraries/", "/jobs/"])
def test_lists_ask_the_same_number_of_questions_however_long(
    as_superuser, indexed, address, django_assert_max_num_queries
):
    for n in range(4):
        indexed(f"library-{n}", {"a.md": f"# {n}\n"})
    with django_assert_max_num_queries(5):
        as_superuser.get(address)


def test_signing_in_and_out(client, reader, handbook):
    assert "Sign in" in client.get("/login").content.decode()
    wrong = client.post("/login", {"username": "reader", "password": "x"})
    said = wrong.content.decode()
    assert 'role="alert"' in said and "correct username" in said and ">Username</label>" in said  # Django's word
    right = client.post("/login", {"username": "reader", "password": "reader", "next": "/libraries/"})
    assert right.headers["Location"] == "/libraries/"
    assert "Sign out" in client.get("/").content.decode()
    assert client.post("/logout").status_code == 302
    assert client.get("/logout").status_code == 405


def test_signing_in_leads_to_no_other_site(client, reader):
    there = client.post("/login", {"username": "reader", "password": "reader", "next": "https://evil.example/"})
    assert there.headers["Location"] == "/search"


def test_near_twins_are_shown_until_one_is_withdrawn(client, indexed):
    text = " ".join(f"word{n}" for n in range(100))
    indexed("notes", {"a.md": f"# A\n\n{text}\n", "b.md": f"# B\n\n{text}\n"})
    page = client.get("/libraries/notes/").content.decode()
    assert "Near twins" in page and "nearly the same text" in page
    DocumentFile.objects.filter(path="b.md").update(withdrawn_at=timezone.now())
    assert "Near twins" not in client.get("/libraries/notes/").content.decode()


def test_near_twins_lead_to_where_they_are_managed_and_say_that_there_are_more(
    client, as_superuser, indexed, monkeypatch
):
    text = " ".join(f"word{n}" for n in range(100))
    indexed("notes", {f"{name}.md": f"# {name}\n\n{text}\n" for name in "abc"})
    pages = [someone.get("/libraries/notes/").content.decode() for someone in (client, as_superuser)]
    listed = [page.split('id="Twins"')[1].split("</section>")[0] for page in pages]
    assert [page.count('aria-label="Manage ') for page in listed] == [0, 6]
    assert "These are the most alike" not in listed[1]
    monkeypatch.setattr("knowledge.pages.libraries.TWINS", 2)
    assert "These are the most alike" in client.get("/libraries/notes/").content.decode()


def test_what_is_withdrawn_or_erased_is_not_counted(client, indexed):
    library = indexed("many", {f"f{n}.md": f"# {n}\n" for n in range(5)})
    withdraw(library.document_files.get(path="f1.md"), None, "outdated")
    erase(library.document_files.get(path="f2.md"), None, "they asked for it")
    assert client.get("/api/v1/libraries/many/").json()["file_count"] == 3
    first = client.get("/libraries/many/snapshots/1").content.decode()
    assert "f0.md" in first and "f1.md" not in first and "f2.md" not in first
    assert "<span>3 files</span>" in first and "added" not in first


def test_erased_files_are_shown_apart_from_withdrawn_ones(as_superuser, indexed):
    library = indexed("many", {f"f{n}.md": f"# {n}\n" for n in range(3)})
    withdraw(library.document_files.get(path="f1.md"), None, "outdated")
    erase(library.document_files.get(path="f2.md"), None, "they asked for it")
    shown = as_superuser.get("/libraries/many/").content.decode()
    assert "1 withdrawn file<" in shown and "1 erased<" in shown
    assert '<a href="/libraries/many/withdrawn">1</a>' in as_superuser.get("/dashboard/").content.decode()
    first, apart = as_superuser.get("/libraries/many/withdrawn").content.decode().split("Erased files")
    assert "f1.md" in first and "f2.md" not in first
    assert "f2.md" in apart and "erased: they asked for it" in apart and "f1.md" not in apart


def test_the_files_of_a_first_snapshot_are_paged(client, indexed):
    indexed("many", {f"f{n:03}.md": f"# {n}\n" for n in range(60)})
    page = client.get("/libraries/many/snapshots/1").content.decode()
    assert "1–50 of 60" in page and "page=2" in page and "f059.md" not in page
    assert "f059.md" in client.get("/libraries/many/snapshots/1?page=2").content.decode()


def test_pages_of_changes_stay_with_the_snapshot_that_was_chosen(client, indexed, documents):
    library = indexed("many", {"a.md": "# A\n"})
    write(documents / "many", {f"f{n:03}.md": f"# {n}\n" for n in range(60)})
    reindex(library)
    page = client.get("/libraries/many/snapshots/2?since=1").content.decode()
    assert "1–50 of 60" in page and "?since=1&amp;page=2" in page
    assert "f059.md" in client.get("/libraries/many/snapshots/2?since=1&page=2").content.decode()


def test_a_snapshot_is_compared_with_what_readers_had_before(client, as_superuser, indexed, documents):
    library = indexed("notes", {"a.md": "# A\n"})
    write(documents / "notes", {"b.md": "# B\n"})
    reindex(library, activate=False)
    write(documents / "notes", {"c.md": "# C\n"})
    reindex(library)

    def since(number: int, *others) -> set[int | None]:
        pages = [someone.get(f"/libraries/notes/snapshots/{number}") for someone in (as_superuser, *others)]
        return {page.context["before"] and page.context["before"].number for page in pages}

    assert since(3, client) == {1} and since(2) == {1} and since(1, client) == {None}
    named = as_superuser.get("/libraries/notes/snapshots/3?since=2").content.decode()
    assert "Since snapshot 2" in named and "b.md" not in named
    rollback(library)
    write(documents / "notes", {"d.md": "# D\n"})
    reindex(library)
    assert since(4, client) == {1}, "the third was rolled back before"
    assert since(1, client) == {None} and since(3, client) == {1}


def test_pages_are_sent_compressed_and_events_are_not(client, indexed):
    indexed("many", {f"f{n:03}.md": f"# {n}\n" for n in range(60)})
    page = client.get("/libraries/many/", headers={"accept-encoding": "gzip"})
    assert page["Content-Encoding"] == "gzip" and b"f000.md" in gzip.decompress(page.content)
    streamed = CompressedPages(lambda request: StreamingHttpResponse(["one"], content_type="text/event-stream"))
    asked = RequestFactory().get("/", headers={"accept-encoding": "gzip"})
    assert "Content-Encoding" not in streamed(asked)


def test_files_that_could_not_be_read_are_said_where_the_others_are(client, as_superuser, indexed):
    indexed("one", {"a.md": "# A\n", "b.docx": "no zip"})
    page, told = (as_superuser.get(f"/libraries/one/{at}").content.decode() for at in ("", "snapshots/1"))
    assert '<a href="/libraries/one/snapshots/1#Unread">1 rejected</a>' in page
    assert '<details id="Unread" open><summary>1 file could not be read' in told and "b.docx" in told
    assert "this is not a Word document" in told
    for at in ("", "snapshots/1"):
        assert "Unread" not in client.get(f"/libraries/one/{at}").content.decode()
