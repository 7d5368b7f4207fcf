"""Which files a build reads, which it takes over, and when there is nothing to do."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from ingestion import pipeline, reading, sources
from ingestion.documents import SourceFile
from ingestion.dry_run import dry_run
from ingestion.jobs import run
from ingestion.sources import SourceError
from ingestion.unindexing import unindex
from knowledge.models import FileVersion, Job, Library
from knowledge.storage import locks
from tests.conftest import commit, reindex, write
from tests.ingestion.conftest import A, B


@pytest.fixture
def orchard(make_library, repository: Path) -> Library:
    commit(repository, {"a.md": A, "b.md": B, "c.rst": "C\n=\n\nAbout plums.\n"})
    library = make_library("orchard", {})
    library.kind, library.location = "git", f"file://{repository}"
    library.save()
    return library


def texts(library: Library) -> dict[str, str]:
    rows = library.active_snapshot.files.values_list("document_file__path", "file_version__text")
    return dict(rows)


def test_what_a_narrowed_build_left_alone_is_read_by_the_next_full_one(fruit, documents):
    write(documents / "fruit", {"a.md": A + "More.\n", "sub/b.md": B + "More.\n"})
    reindex(fruit, paths=["a.md"])
    assert texts(fruit) == {"a.md": A + "More.\n", "sub/b.md": B}

    reindex(fruit)

    assert texts(fruit) == {"a.md": A + "More.\n", "sub/b.md": B + "More.\n"}


def test_outside_its_paths_a_narrowed_build_neither_adds_nor_removes(fruit, documents):
    write(documents / "fruit", {"new.md": "# New\n", "sub/new.md": "# New\n"})
    (documents / "fruit/a.md").unlink()
    report = reindex(fruit, paths=["sub/"])

    assert set(texts(fruit)) == {"a.md", "sub/b.md", "sub/new.md"}
    assert report.files["removed"] == 0


def test_a_narrowed_build_keeps_nothing_that_was_taken_out_since(fruit, documents):
    """Of a library in review the snapshot without it waits, and the active one still holds it."""
    write(documents / "fruit", {"bad.md": "\0\0"})
    reindex(fruit)
    Library.objects.filter(pk=fruit.pk).update(requires_review=True)
    fruit.refresh_from_db()
    unindex(fruit, "^(a|bad)")
    assert fruit.active_snapshot.files.count() == 2 and fruit.active_snapshot.rejected
    write(documents / "fruit", {"sub/b.md": B + "More.\n"})
    made = fruit.snapshots.get(number=reindex(fruit, paths=["sub"]).snapshot)

    assert made.number > fruit.active_snapshot.number + 1 and made.rejected == []
    assert [str(member.document_file) for member in made.files.all()] == ["sub/b.md"]


def test_paths_that_name_no_file_are_an_error(fruit):
    with pytest.raises(SourceError, match="no file at or below"):
        reindex(fruit, paths=["typo.md"])


def test_other_patterns_over_the_same_commit_make_another_snapshot(orchard):
    reindex(orchard)
    Library.objects.filter(pk=orchard.pk).update(include=["*.md"], exclude=["b.md"])
    report = reindex(orchard)

    assert report.files["removed"] == 2 and set(texts(orchard)) == {"a.md"}


def test_a_resumed_build_keeps_nothing_that_is_not_wanted_any_more(orchard, monkeypatch):
    real = pipeline.add_file

    def dies(snapshot, file, *rest):
        if file.path == "c.rst":
            raise KeyboardInterrupt
        real(snapshot, file, *rest)

    monkeypatch.setattr(pipeline, "add_file", dies)
    with pytest.raises(KeyboardInterrupt):
        reindex(orchard)
    monkeypatch.setattr(pipeline, "add_file", real)
    Library.objects.filter(pk=orchard.pk).update(exclude=["a.md"])
    report = reindex(orchard)

    assert report.snapshot == 1 and set(texts(orchard)) == {"b.md", "c.rst"}


def test_vectors_of_another_model_behind_the_same_name_are_made_anew(fruit, monkeypatch):
    from knowledge.endpoints import BagOfWordsEmbedding

    real = BagOfWordsEmbedding.embed_query
    monkeypatch.setattr(BagOfWordsEmbedding, "embed_query", lambda self, text: -real(self, text))
    report = reindex(fruit, full=True)

    assert report.snapshot == 2 and report.embeddings["computed"] == 2


def test_a_file_that_changes_while_it_is_read_is_looked_at_again(make_library, documents, monkeypatch):
    library = make_library("live", {"a.md": A})
    real = reading.read

    def changed_and_changed_back(file, *rest):
        write(documents / "live", {"a.md": B})
        found = real(file, *rest)
        write(documents / "live", {"a.md": A})
        return found

    monkeypatch.setattr(reading, "read", changed_and_changed_back)
    reindex(library)
    monkeypatch.setattr(reading, "read", real)
    reindex(library)

    assert texts(library) == {"a.md": A}


def test_a_file_that_vanishes_before_it_is_read_is_rejected_and_tried_again(make_library, documents, monkeypatch):
    library = make_library("live", {"a.md": A, "b.md": B})
    real = reading.read

    def vanishes(file, *rest):
        (documents / "live/b.md").unlink(missing_ok=True)
        return real(file, *rest)

    monkeypatch.setattr(reading, "read", vanishes)
    report = reindex(library)
    assert [file["path"] for file in report.rejected] == ["b.md"] and set(texts(library)) == {"a.md"}
    monkeypatch.setattr(reading, "read", real)
    write(documents / "live", {"b.md": B})
    reindex(library)

    assert set(texts(library)) == {"a.md", "b.md"}


def test_names_that_cannot_be_kept_are_rejected_with_a_reason(make_library, documents):
    library = make_library("odd", {"a?b#c%d.md": A})
    Path(os.fsdecode(os.fsencode(documents / "odd") + b"/b\xff.md")).write_text(B)
    deep = documents / "odd" / "/".join("d" * 200 for _ in range(6))
    deep.mkdir(parents=True)
    (deep / "c.md").write_text(A)
    first = reindex(library)
    second = reindex(library)

    reasons = {file["path"][:8]: file["reason"] for file in first.rejected}
    assert reasons["b\\udcff."] == "its name is not UTF-8" and "1,210 characters" in reasons["dddddddd"]
    assert set(texts(library)) == {"a?b#c%d.md"} and second.snapshot == 1


def test_a_file_that_is_too_large_is_rejected_unread(make_library, documents, monkeypatch):
    library = make_library("large", {"a.md": A})
    monkeypatch.setattr(sources.base, "MAX_FILE_BYTES", 5)
    monkeypatch.setattr(sources.directory, "MAX_FILE_BYTES", 5)
    report = reindex(library)

    assert "at most 5 are read" in report.rejected[0]["reason"] and not FileVersion.objects.exists()


def test_a_folder_that_cannot_be_listed_fails_the_build_instead_of_losing_its_files(fruit, monkeypatch):
    def walk(root, onerror=None, **_):
        onerror(PermissionError(13, "Permission denied", str(root)))
        return iter(())

    monkeypatch.setattr(sources.directory.os, "walk", walk)
    with pytest.raises(SourceError, match="cannot be listed"):
        reindex(fruit)


def test_a_name_with_a_space_that_does_not_break_is_read_from_git(make_library, repository: Path):
    commit(repository, {"n\u00a0b.md": A})
    library = make_library("space", {})
    Library.objects.filter(pk=library.pk).update(kind="git", location=f"file://{repository}")

    assert reindex(library).files["added"] == 1


def test_a_branch_that_vanished_leaves_the_active_snapshot(orchard, repository: Path):
    reindex(orchard)
    Library.objects.filter(pk=orchard.pk).update(ref="main")
    subprocess.run(["git", "-C", str(repository), "branch", "-m", "main", "trunk"], check=True)
    with pytest.raises(SourceError, match="main"):
        reindex(orchard)

    orchard.refresh_from_db()
    assert orchard.active_snapshot.number == 1


def test_a_dry_run_says_nothing_of_files_that_stay_rejected(make_library, documents):
    library = make_library("mixed", {"a.md": A})
    (documents / "mixed/bad.md").write_bytes(b"\0\0")
    reindex(library)
    write(documents / "mixed", {"a.md": B, "new.md": B})

    assert [dry_run(library)[key] for key in ("added", "changed", "removed")] == [["new.md"], ["a.md"], []]
    assert dry_run(library, ["new.md"])["changed"] == []


def test_every_stage_is_timed_even_when_there_was_nothing_to_do(fruit):
    assert {"total", "parse", "embed", "lexical"} <= reindex(fruit).seconds.keys()


def test_a_job_whose_worker_died_waits_and_is_resumed_when_the_queue_rings_again(fruit, documents):
    write(documents / "fruit", {"a.md": A + "More.\n"})
    job = Job.objects.create(library=fruit)
    job.take()
    run(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.QUEUED and job.not_before
    Job.objects.update(not_before=None)
    run(job.pk)

    job.refresh_from_db()
    assert job.state == Job.State.SUCCEEDED and job.attempts == 2


def test_a_job_that_killed_its_worker_too_often_has_failed(fruit):
    job = Job.objects.create(library=fruit, max_attempts=1)
    job.take()
    run(job.pk)

    job.refresh_from_db()
    assert job.state == Job.State.FAILED


@pytest.mark.django_db(transaction=True)
def test_a_job_that_found_its_library_busy_is_rung_for_when_the_library_is_free(make_library):
    library = make_library("busy", {"a.md": A})
    waiting = Job.objects.create(library=library)
    with connection.copy().cursor() as other:
        other.execute("SELECT pg_advisory_lock(%s, %s)", [locks.BUILD, library.pk])
        run(waiting.pk)
        other.connection.close()
    waiting.refresh_from_db()
    assert waiting.state == Job.State.QUEUED
    reindex(library)

    from django_q.models import OrmQ

    assert [queued.args() for queued in OrmQ.objects.all()] == [(waiting.pk,)]


def test_a_snapshot_that_waits_for_review_is_not_made_again(make_library):
    library = make_library("reviewed", {"a.md": A}, requires_review=True)
    first, second = reindex(library), reindex(library)

    assert (first.snapshot, second.snapshot) == (1, 1) and not second.active
    assert second.files["added"] == 1


def test_a_snapshot_whose_build_was_killed_before_it_activated_it_is_activated(fruit, documents):
    write(documents / "fruit", {"a.md": A + "More.\n"})
    assert not reindex(fruit, activate=False).active
    report = reindex(fruit)

    assert report.snapshot == 2 and report.active and report.chunks["new"] == 0
    assert texts(fruit)["a.md"] == A + "More.\n"


def test_a_full_disk_fails_the_build_and_leaves_no_partial_original(make_library, monkeypatch, settings):
    def full(_):
        raise OSError(28, "No space left on device")

    library = make_library("large", {"a.md": A})
    said = f"No space left on device: {settings.HOME}; make room there, or run manage.py gc"
    with monkeypatch.context() as patched, pytest.raises(CommandError, match=f"^large: {re.escape(said)}$"):
        patched.setattr("knowledge.storage.whole_files.os.fsync", full)
        call_command("reindex", "large")

    assert not [path for path in Path(settings.HOME).rglob("*") if path.is_file()]
    job = library.jobs.get()
    assert (job.state, job.message) == (Job.State.FAILED, f"OSError: {said}") and reindex(library).active


def test_what_is_known_waits_for_no_parser_and_holds_no_text(fruit, monkeypatch):
    """Else a build of a library whose files are known would hold all of them."""
    monkeypatch.setattr(reading, "MOST_WAITING", 2)
    files, seen = [], []
    for path, text in {"a.md": A, "sub/b.md": B, "c.md": "# New\n", "d.md": "# D\n"}.items():
        listed = lambda path=path, text=text: seen.append(path) or text.encode()  # noqa: E731
        files.append(SourceFile(path, path, len(text), listed))
    found = reading.read_files([*files, *files], fruit, fruit.active_snapshot.profile)
    first = next(found)
    assert seen == ["a.md"] and "text" in first.known.get_deferred_fields()
    assert [one.path for one in found] == ["sub/b.md", "c.md", "d.md", "a.md", "sub/b.md", "c.md", "d.md"]
