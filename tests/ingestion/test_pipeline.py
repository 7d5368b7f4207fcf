from collections.abc import Sequence
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ingestion import embedding, pipeline
from ingestion.jobs import LibraryBusy, run, run_build
from ingestion.sources import SourceError
from knowledge.endpoints import EndpointError
from knowledge.endpoints.deterministic import BagOfWordsEmbedding
from knowledge.governance import activation, gates
from knowledge.models import Chunk, Embedding, FileVersion, Job, JobEvent, Library, Section, Snapshot
from knowledge.storage import locks, originals
from tests.conftest import all_checks_hold, commit, reindex, write

GUIDE = "# Guide\n\nHow to use it.\n\n## Install\n\nRun the installer twice.\n\n## Remove\n\nRun it once more.\n"
NOTES = "Notes\n=====\n\nTides are measured in metres.\n\n.. code-block:: python\n\n    tide = 3.5\n"


@pytest.fixture
def handbook(make_library):
    return make_library("handbook", {"guide.md": GUIDE, "notes.rst": NOTES})


def test_a_build_makes_an_active_snapshot_with_everything_in_it(handbook):
    report = reindex(handbook)

    assert report.active and report.state == "ready" and report.rejected == []
    assert report.files == {"added": 2, "changed": 0, "removed": 0, "unchanged": 0, "rejected": 0}
    assert report.chunks["new"] == Chunk.objects.count() == Embedding.objects.count() > 2
    assert all_checks_hold()


@pytest.mark.parametrize("step", ["embed_missing", "gates.check"])
def test_a_rollback_meanwhile_is_not_undone_by_the_build(handbook, documents, monkeypatch, step):
    reindex(handbook)
    write(documents / "handbook", {"guide.md": "# Guide\n\nThis is wrong.\n"})
    reindex(handbook)
    before, name = (gates, "check") if "." in step else (pipeline, step)
    real = getattr(before, name)

    def rolled_back_meanwhile(*arguments):
        activation.rollback(Library.objects.get(pk=handbook.pk))
        return real(*arguments)

    write(documents / "handbook", {"guide.md": "# Guide\n\nThis is wrong, too.\n"})
    monkeypatch.setattr(before, name, rolled_back_meanwhile)
    report = reindex(handbook)
    handbook.refresh_from_db()
    assert (report.snapshot, report.state, report.active) == (3, "ready", False)
    assert handbook.active_snapshot.number == 1
    assert JobEvent.objects.filter(message__startswith="not activated: ", level="warning").exists()


def test_a_rollback_between_two_attempts_is_not_undone_by_the_second(handbook, documents, monkeypatch):
    reindex(handbook)
    write(documents / "handbook", {"guide.md": "# Guide\n\nThis is wrong.\n"})
    reindex(handbook)
    write(documents / "handbook", {"guide.md": "# Guide\n\nThis is wrong, too.\n"})
    job = Job.objects.create(library=handbook)
    with monkeypatch.context() as patched, pytest.raises(EndpointError):
        patched.setattr(pipeline, "embed_missing", lambda *_: (_ for _ in ()).throw(EndpointError("embedding", "gone")))
        run(job.pk)
    activation.rollback(Library.objects.get(pk=handbook.pk))
    Job.objects.update(not_before=None)
    run(job.pk)

    handbook.refresh_from_db()
    job.refresh_from_db()
    assert (job.attempts, job.state, job.report["active"]) == (2, Job.State.SUCCEEDED, False)
    assert handbook.active_snapshot.number == 1
    assert job.events.filter(message="not activated: rolled back meanwhile, to snapshot 1").exists()


def test_a_job_that_is_tried_again_after_a_rollback_is_activated(handbook, documents, monkeypatch):
    reindex(handbook)
    write(documents / "handbook", {"guide.md": "# Guide\n\nThis is wrong.\n"})
    reindex(handbook)
    write(documents / "handbook", {"guide.md": "# Guide\n\nThis is right.\n"})
    job = Job.objects.create(library=handbook)
    with monkeypatch.context() as patched, pytest.raises(ValueError, match="broken"):
        patched.setattr(pipeline, "embed_missing", lambda *_: (_ for _ in ()).throw(ValueError("broken")))
        run(job.pk)
    activation.rollback(Library.objects.get(pk=handbook.pk))
    job.refresh_from_db()
    run(job.retry().pk)

    handbook.refresh_from_db()
    assert handbook.active_snapshot.number == 3


def test_second_build_writes_nothing(handbook):
    first = reindex(handbook)
    with CaptureQueriesContext(connection) as queries:
        second = reindex(handbook)

    written = [q["sql"] for q in queries if q["sql"].startswith(("INSERT", "UPDATE", "DELETE", "COPY"))]
    assert all("knowledge_job" in sql for sql in written), written
    assert (second.snapshot, second.manifest_hash) == (first.snapshot, first.manifest_hash)
    assert second.chunks["new"] == second.embeddings["computed"] == 0
    assert second.files["unchanged"] == 2


def test_only_changed_files_are_parsed_and_only_new_texts_embedded(handbook, documents):
    reindex(handbook)
    write(documents / "handbook", {"guide.md": GUIDE.replace("twice", "thrice"), "new.txt": "A third file."})
    (documents / "handbook/notes.rst").unlink()
    report = reindex(handbook)

    assert report.files == {"added": 1, "changed": 1, "removed": 1, "unchanged": 0, "rejected": 0}
    assert report.embeddings["computed"] == 2  # the changed section's chunk, and the new file's
    assert all_checks_hold()


def test_an_incremental_snapshot_has_the_manifest_hash_of_a_clean_build(make_library, documents):
    one = make_library("one", {"a.md": GUIDE, "b.rst": NOTES})
    reindex(one)
    write(documents / "one", {"a.md": GUIDE + "\n## More\n\nText.\n"})
    incremental = reindex(one)
    two = make_library("two", {"a.md": GUIDE + "\n## More\n\nText.\n", "b.rst": NOTES})

    assert reindex(two).manifest_hash == incremental.manifest_hash


def test_a_changed_file_that_changes_back_is_found_again(handbook, documents):
    first = reindex(handbook)
    write(documents / "handbook", {"guide.md": "# Other\n\nText.\n"})
    reindex(handbook)
    write(documents / "handbook", {"guide.md": GUIDE})
    third = reindex(handbook)

    assert third.manifest_hash == first.manifest_hash and third.snapshot == 3
    assert third.chunks["new"] == 0 and third.embeddings["computed"] == 0


def test_a_file_that_cannot_be_read_is_rejected_with_a_reason_and_the_others_go_on(make_library, documents):
    library = make_library("mixed", {"good.md": GUIDE})
    (documents / "mixed/bad.md").write_bytes(b"\x00\x01\x02binary\x00")
    report = reindex(library)

    assert [file["path"] for file in report.rejected] == ["bad.md"] and report.rejected[0]["reason"]
    assert report.files["added"] == 1 and report.files["rejected"] == 1


def test_a_build_that_died_while_embedding_is_resumed_and_embeds_nothing_twice(handbook, monkeypatch):
    embedded: list[int] = []
    real = embedding.store

    def dies_after_one_batch(space_id, hashes, vectors):
        if embedded:
            raise EndpointError("embedding", "is gone")
        embedded.append(len(hashes))
        real(space_id, hashes, vectors)

    monkeypatch.setattr(embedding, "BATCH", 2)
    monkeypatch.setattr(embedding, "PROVED", 2)
    monkeypatch.setattr(embedding, "store", dies_after_one_batch)
    with pytest.raises(EndpointError):
        reindex(handbook)
    assert handbook.active_snapshot is None
    monkeypatch.setattr(embedding, "store", real)
    report = reindex(handbook)

    assert report.snapshot == 1 and report.active
    assert report.embeddings == {"computed": Chunk.objects.count() - 2, "reused": 2}
    assert all_checks_hold()


@pytest.mark.django_db(transaction=True)
def test_the_model_server_counts_tokens_while_no_transaction_is_open(handbook, monkeypatch):
    open_meanwhile: list[bool] = []
    real = BagOfWordsEmbedding.count_tokens

    def counts(endpoint: BagOfWordsEmbedding, texts: Sequence[str]) -> list[int]:
        open_meanwhile.append(connection.in_atomic_block)
        return real(endpoint, texts)

    monkeypatch.setattr(BagOfWordsEmbedding, "count_tokens", counts)
    reindex(handbook)
    assert open_meanwhile and not any(open_meanwhile)


def test_a_build_that_died_while_parsing_is_resumed(handbook, monkeypatch):
    real = pipeline.add_file

    def dies(snapshot, file, *rest):
        if file.path == "notes.rst":
            raise KeyboardInterrupt
        real(snapshot, file, *rest)

    monkeypatch.setattr(pipeline, "add_file", dies)
    with pytest.raises(KeyboardInterrupt):
        reindex(handbook)
    monkeypatch.setattr(pipeline, "add_file", real)
    reindex(handbook)

    assert FileVersion.objects.count() == 2 and Snapshot.objects.count() == 1
    assert all_checks_hold()


def test_a_failed_build_leaves_the_active_snapshot_and_says_why(handbook, documents, monkeypatch):
    reindex(handbook)
    write(documents / "handbook", {"guide.md": "# New\n\nText.\n"})
    monkeypatch.setattr(
        pipeline, "embed_missing", lambda *_: (_ for _ in ()).throw(EndpointError("embedding", "is gone"))
    )
    with pytest.raises(EndpointError):
        reindex(handbook)

    handbook.refresh_from_db()
    assert handbook.active_snapshot.number == 1
    job = handbook.jobs.order_by("-pk").first()
    assert job.state == Job.State.FAILED and "is gone" in job.message


@pytest.mark.django_db(transaction=True)
def test_only_one_build_of_a_library_runs(make_library):
    library = make_library("busy", {"a.md": GUIDE})
    with connection.copy().cursor() as other:
        other.execute("SELECT pg_advisory_lock(%s, %s)", [locks.BUILD, library.pk])
        with pytest.raises(LibraryBusy):
            run_build(Job.objects.create(library=library))
        other.connection.close()


def test_a_library_with_review_leaves_its_snapshot_ready_not_active(make_library):
    report = reindex(make_library("reviewed", {"a.md": GUIDE}, requires_review=True))

    assert report.state == "ready" and not report.active


def test_no_activate_leaves_the_old_snapshot_active(handbook, documents):
    reindex(handbook)
    write(documents / "handbook", {"guide.md": "# New\n\nText.\n"})
    report = reindex(handbook, activate=False)

    assert not report.active and handbook.active_snapshot.number == 1


def test_paths_narrow_a_build_to_some_files(handbook, documents):
    reindex(handbook)
    write(documents / "handbook", {"guide.md": "# New\n\nText.\n", "notes.rst": "Other\n=====\n\nText.\n"})
    report = reindex(handbook, paths=["guide.md"])

    assert report.files["changed"] == 1 and report.files["unchanged"] == 1


def test_a_path_that_is_nowhere_is_told_beside_one_that_is_there(handbook):
    reindex(handbook)
    with pytest.raises(SourceError, match=r"at or below handbook, nowhere$"):
        reindex(handbook, paths=["guide.md", "handbook", "nowhere"])


def test_originals_are_kept_word_for_word(handbook):
    reindex(handbook)

    version = FileVersion.objects.get(document_file__path="guide.md")
    assert originals.read(version.sha256) == GUIDE.encode() and originals.intact(version.sha256)


def test_every_section_has_an_anchor_and_lines(handbook):
    reindex(handbook)

    assert list(
        Section.objects.filter(file_version__document_file__path="guide.md").values_list("anchor", flat=True)
    ) == [
        "guide",
        "install",
        "remove",
    ]


def test_git_commits_are_followed(make_library, repository: Path):
    commit(repository, {"a.md": GUIDE, "b.rst": NOTES, "image.png": "x", ".hidden/c.md": "# No\n"})
    library = make_library("git", {})
    library.kind, library.location = "git", f"file://{repository}"
    library.save()
    first = reindex(library)
    head = commit(repository, {"a.md": GUIDE + "\nMore.\n", "b.rst": None})
    second = reindex(library)
    third = reindex(library)

    assert first.files["added"] == 2
    assert second.revision == head and second.files["changed"] == 1 and second.files["removed"] == 1
    assert third.snapshot == second.snapshot == 2
    assert all_checks_hold()
