"""Versions of a file, what differs, where it comes from; and what a snapshot brought."""

import pytest
from django.utils import timezone

from knowledge.models import DocumentFile, Library, Snapshot
from retrieval.pages.versions import on_its_host
from retrieval.rendering.document_lines import line_in_source
from tests.conftest import reindex, write

READ = "/read/handbook/lending.rst"


@pytest.fixture
def twice(handbook, documents) -> Library:
    text = (documents / "handbook/lending.rst").read_text()
    write(documents / "handbook", {"lending.rst": text.replace("three days", "four days"), "new.md": "# New\n"})
    reindex(handbook)
    return handbook


def test_the_versions_are_listed_and_compared(client, twice):
    page = client.get(READ).content.decode()
    assert "2 versions" in page and "compare=1" in page
    page = client.get(f"{READ}?compare=1").content.decode()
    assert "You can borrow a cargo bike for up to <del>three </del><ins>four </ins>days." in page
    assert "versions</summary>" not in client.get("/read/handbook/booking/pricing.py").content.decode()


@pytest.mark.parametrize("number", ["9", "x", "-1", "99999999999", "1\0"])
def test_what_cannot_be_compared_is_not_found(client, twice, number):
    assert client.get(READ, {"compare": number}).status_code == 404


def test_the_original_comes_as_bytes_to_keep(client, twice, documents, board):
    answer = client.get("/original/handbook/lending.rst")
    assert b"".join(answer.streaming_content) == (documents / "handbook/lending.rst").read_bytes()
    assert (
        answer["Content-Disposition"].startswith("attachment") and answer["Content-Type"] == "application/octet-stream"
    )
    assert b"three days" in b"".join(client.get("/original/handbook/lending.rst?snapshot=1").streaming_content)
    assert client.get("/original/board/board.md").status_code == 404
    DocumentFile.objects.filter(path="lending.rst").update(withdrawn_at=timezone.now())
    assert client.get("/original/handbook/lending.rst").status_code == 404


def test_who_may_look_behind_the_pages_sees_how_many_answers_cite_it(client, as_superuser, twice):
    assert "cited by 0 answers" in as_superuser.get(READ).content.decode()
    assert "cited by" not in client.get(READ).content.decode()


@pytest.mark.parametrize(
    ("location", "address"),
    [
        ("https://github.com/o/r.git", "https://github.com/o/r/blob/{}/docs/a%20b.md#L3"),
        ("https://gitlab.example.org/g/s/r", "https://gitlab.example.org/g/s/r/-/blob/{}/docs/a%20b.md#L3"),
        ("https://codeberg.org/o/r", "https://codeberg.org/o/r/src/commit/{}/docs/a%20b.md#L3"),
        ("https://example.org/r.git", ""),
        ("ssh://git@github.com/o/r", ""),
    ],
)
def test_the_git_hosts_address_names_commit_path_and_line(location, address):
    library = Library(kind="git", location=location, subdirectory="docs")
    found = on_its_host(library, Snapshot(revision="a" * 40), "a b.md", 3)
    assert found == address.format("a" * 40)
    assert on_its_host(library, Snapshot(revision="main"), "a.md") == ""


def test_a_line_is_named_on_the_host_only_where_the_text_is_the_files_own():
    assert [line_in_source(path, range(3, 5)) for path in ("a.md", "a.py", "a.html", "a.ipynb")] == [3, 3, 0, 0]
    assert line_in_source("a.md", range(0)) == 0


def test_a_snapshot_says_what_it_brought(client, twice, board):
    page = client.get("/libraries/handbook/snapshots/2").content.decode()
    assert "Since snapshot 1" in page and "new.md" in page and "compare=1" in page
    assert "<span>3 files</span>" in client.get("/libraries/handbook/snapshots/1").content.decode()
    for missing in ("handbook/snapshots/7", "handbook/snapshots/99999999999", "board/snapshots/1"):
        assert client.get(f"/libraries/{missing}").status_code == 404


def test_what_nobody_activated_is_not_for_readers(client, as_superuser, handbook, documents):
    write(documents / "handbook", {"draft.md": "# Draft\n"})
    reindex(handbook, activate=False)
    assert client.get("/libraries/handbook/snapshots/2").status_code == 404
    assert "draft.md" in as_superuser.get("/libraries/handbook/snapshots/2").content.decode()


def test_a_withdrawn_file_is_not_named(client, twice):
    DocumentFile.objects.filter(path="new.md").update(withdrawn_at=timezone.now())
    assert "new.md" not in client.get("/libraries/handbook/snapshots/2").content.decode()
