"""What keeps a library small and sound: retention, collection, rebuilding, taking files out."""

import hashlib
import json
import os
import shutil
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection
from django.db.models.signals import pre_delete
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django_q.models import Task

from ingestion import code_vectors, collecting, unindexing
from ingestion.collecting import UNFINISHED_DAYS, collect
from ingestion.erasing import erase
from ingestion.jobs import only_build_of
from ingestion.rebuilding import CannotRebuild, rebuild
from ingestion.removing import remove_library
from ingestion.unindexing import BadPattern, SlowPattern, matching, unindex
from knowledge.endpoints import EndpointError
from knowledge.governance.activation import activate, rollback
from knowledge.models import (
    Answer,
    AnswerCitation,
    AuditEvent,
    Chunk,
    Embedding,
    FileVersion,
    GateRun,
    Job,
    LexicalSegment,
    Library,
    LoggedQuery,
    PlannedActivation,
    Posting,
    Section,
    SectionSummary,
    Snapshot,
    Upload,
)
from knowledge.storage import originals
from knowledge.verification import run_checks
from retrieval import matrices, query_vector
from retrieval.answering.pipeline import answer
from retrieval.results import SearchOptions
from retrieval.search import search
from tests.conftest import all_checks_hold, begun_elsewhere, commit, forget_views, reindex, write
from tests.ingestion.test_summaries import LONG

FILES = {
    "tides.md": "# Tides\n\nThe tide rises twice a day.\n",
    "bread.md": "# Bread\n\nBake at 230 degrees.\n",
    "drafts/moon.md": "# Moon\n\nThe moon pulls the sea.\n",
}
SUMMARISED = {
    "index.rst": "Desk\n====\n\n.. toctree::\n\n   tides\n   lending\n",
    "lending.md": f"# Lending\n\n{LONG}\n## Maps\n\n{LONG.replace('book', 'map')}",
    "lend.py": "def lend_book(member):\n    return member.cards\n\n\ndef close():\n    pass\n",
    "tides.md": FILES["tides.md"],
}
ROWS = (Snapshot, FileVersion, Section, Chunk, Embedding, LexicalSegment, Posting)


@pytest.fixture
def sea(indexed) -> Library:
    return indexed("sea", FILES, keep_snapshots=1, keep_days=0)


def rewrite(library: Library, documents, times: int = 1) -> None:
    for number in range(times):
        text = f"# Tides\n\nThe tide rises twice a day, says edition {number} of {time.monotonic_ns()}.\n"
        write(documents / library.slug, {"tides.md": text})
        reindex(library)


def age_originals() -> None:
    old = time.time() - 2 * collecting.UNTOUCHED_SECONDS
    for sha256 in list(originals.stored()):
        os.utime(originals.path_of(sha256), (old, old))


def hits(query: str):
    forget_views()
    found = search(None, query, SearchOptions(libraries=("sea",)))
    assert not found.degraded
    return [(hit.source_file, hit.line_start, hit.text, hit.scores, hit.ranks) for hit in found.hits]


def test_old_snapshots_go_with_all_that_only_they_held(sea, documents):
    rewrite(sea, documents, 4)
    age_originals()
    before = hits("tide")
    planned = collect(dry_run=True)
    counts = {row: row.objects.count() for row in ROWS}
    done = collect()

    assert planned.counts == done.counts and planned.snapshots == done.snapshots == {"sea": [1, 2, 3]}
    assert done.counts["file_versions"] == done.counts["originals"] == done.counts["embeddings"] == 3
    assert {row.objects.count() < counts[row] for row in ROWS} == {True}
    assert list(sea.snapshots.order_by("number").values_list("number", flat=True)) == [4, 5]
    assert FileVersion.objects.count() == 4 and len(list(originals.stored())) == 4
    assert hits("tide") == before and all_checks_hold()
    assert not any(collect().counts.values())


def test_what_only_time_adds_to_goes_after_years(sea):
    job, now = sea.jobs.get(), timezone.now()
    for days, text in ((700, "new"), (800, "old")):
        LoggedQuery.objects.create(library=sea, kind="search", text=text)
        LoggedQuery.objects.filter(text=text).update(asked_at=now - timedelta(days=days))
        Session.objects.create(session_key=text, session_data="", expire_date=now + timedelta(days=750 - days))
        stopped = now - timedelta(days=days - 675)
        Task.objects.create(id=text, name=text, func="upkeep", started=stopped, stopped=stopped, success=False)
    events = job.events.count()
    planned = collect(dry_run=True).counts
    assert [planned[name] for name in ("job_events", "logged_queries", "sessions", "failed_tasks")] == [0, 1, 1, 1]
    Job.objects.update(finished_at=now - timedelta(days=400))
    done = collect().counts
    assert [done[name] for name in ("job_events", "logged_queries", "sessions", "failed_tasks")] == [events, 1, 1, 1]
    assert LoggedQuery.objects.get().text == Session.objects.get().pk == Task.objects.get().pk == "new"
    assert Job.objects.get() == job


def test_a_collection_asks_no_question_for_each_original(sea, documents):
    rewrite(sea, documents, 2)
    age_originals()
    with CaptureQueriesContext(connection) as few:
        collect(dry_run=True)
    write(documents / "sea", {f"{number}.md": f"# {number}\n" for number in range(20)})
    reindex(sea)
    age_originals()
    with CaptureQueriesContext(connection) as many:
        collect(dry_run=True)
    assert len(many) - len(few) < 10


def test_a_dry_run_writes_nothing(sea, documents):
    rewrite(sea, documents, 3)
    age_originals()
    before = [row.objects.count() for row in ROWS]
    assert collect(dry_run=True).counts["snapshots"] == 2

    assert [row.objects.count() for row in ROWS] == before and len(list(originals.stored())) == 6


def test_a_dry_run_leaves_the_job_of_a_dead_worker_to_its_rescuer(sea):
    job = Job.objects.create(library=sea, state=Job.State.RUNNING, lease_expires_at=timezone.now())
    assert collect(dry_run=True).busy == []
    job.refresh_from_db()
    assert job.state == Job.State.RUNNING

    collect()
    job.refresh_from_db()
    assert job.state != Job.State.RUNNING


@pytest.mark.parametrize(
    ("keep", "kept"),
    [
        ({"keep_snapshots": 3}, [3, 4, 5]),
        ({"keep_snapshots": 0}, [4, 5]),
        ({"keep_days": 1}, [1, 2, 3, 4, 5]),
        ({}, [4, 5]),
    ],
)
def test_retention_keeps_the_newest_the_young_the_active_and_where_a_rollback_goes(sea, documents, keep, kept):
    rewrite(sea, documents, 4)
    Library.objects.filter(pk=sea.pk).update(**keep)
    collect()

    assert list(sea.snapshots.order_by("number").values_list("number", flat=True)) == kept


def test_a_pinned_snapshot_stays_and_so_does_an_older_one_that_is_active(sea, documents):
    rewrite(sea, documents, 4)
    call_command("retention", "sea", "--pin", "1")
    activate(sea, sea.snapshots.get(number=3))
    collect()

    assert list(sea.snapshots.order_by("number").values_list("number", flat=True)) == [1, 2, 3, 5]
    assert all_checks_hold()


def test_a_snapshot_whose_activation_is_planned_stays_until_the_plan_is_over(sea, documents):
    rewrite(sea, documents, 4)
    for done_at in (None, timezone.now()):
        PlannedActivation.objects.create(snapshot=sea.snapshots.get(number=2), at=timezone.now(), done_at=done_at)
    PlannedActivation.objects.create(snapshot=sea.snapshots.get(number=1), at=timezone.now(), done_at=timezone.now())
    collect()
    assert list(sea.snapshots.order_by("number").values_list("number", flat=True)) == [2, 4, 5]
    PlannedActivation.objects.update(done_at=timezone.now())
    collect()
    assert list(sea.snapshots.order_by("number").values_list("number", flat=True)) == [4, 5]


def test_a_snapshot_that_is_planned_while_gc_runs_stays(sea, documents, monkeypatch):
    rewrite(sea, documents, 4)

    def planned_meanwhile(library):
        PlannedActivation.objects.create(snapshot=sea.snapshots.get(number=2), at=timezone.now())
        return []

    monkeypatch.setattr(collecting, "abandoned", planned_meanwhile)
    collect()
    assert list(sea.snapshots.order_by("number").values_list("number", flat=True)) == [2, 4, 5]
    assert PlannedActivation.objects.count() == 1


def test_a_number_is_given_once_whatever_was_pruned(sea, documents):
    """The audit names it: who approved the third has not seen what is the third now."""
    rewrite(sea, documents, 2)
    rollback(sea)
    stale = Library.objects.get(pk=sea.pk)
    stale.last_number = 0
    Library.objects.filter(pk=sea.pk).update(keep_snapshots=0)
    assert collect().snapshots == {"sea": [3]}
    stale.save()
    rewrite(sea, documents)
    assert list(sea.snapshots.order_by("number").values_list("number", flat=True)) == [1, 2, 4]


def test_retention_is_shown_and_changed(sea, documents, capsys):
    rewrite(sea, documents, 3)
    call_command("retention", "sea", "--snapshots", "2", "--days", "0", "--pin", "1", "--json")
    told = json.loads(capsys.readouterr().out)
    assert told == {"library": "sea", "keep_snapshots": 2, "keep_days": 0, "pinned": [1], "expendable": [2]}
    call_command("retention", "sea", "--unpin", "1")
    assert "expendable: 1, 2" in capsys.readouterr().out
    for arguments in (["nowhere"], ["sea", "--pin", "99"], ["sea", "--days", "-1"]):
        with pytest.raises(CommandError):
            call_command("retention", *arguments)


def test_pinning_is_in_the_audit_where_it_changes_something(sea, documents):
    rewrite(sea, documents, 2)
    for arguments in (["--pin", "1", "2"], ["--pin", "1"], ["--unpin", "2"], ["--unpin", "2"]):
        call_command("retention", "sea", *arguments)
    events = AuditEvent.objects.filter(action__in=["snapshot.pin", "snapshot.unpin"]).order_by("number")
    assert list(events.values_list("action", "library", "snapshot")) == [
        ("snapshot.pin", "sea", 1),
        ("snapshot.pin", "sea", 2),
        ("snapshot.unpin", "sea", 2),
    ]


def test_what_a_cited_answer_rests_on_stays(sea, documents):
    cited = answer(None, "How often does the tide rise?")
    assert cited.citations
    rewrite(sea, documents, 3)
    age_originals()
    done = collect()
    citation = AnswerCitation.objects.get(n=cited.citations[0].n)

    assert done.snapshots == {"sea": [1, 2]} and done.kept_for_answers == 1
    assert citation.quote in citation.chunk.text and citation.file_version.sections.exists()
    assert originals.intact(citation.sha256) and all_checks_hold()


def test_a_removed_library_leaves_the_words_that_were_quoted(sea, indexed, capsys):
    indexed("land", {"hills.md": "# Hills\n\nThe hill is high.\n"})
    cited = answer(None, "How often does the tide rise?", SearchOptions(libraries=("sea",)))
    assert cited.citations
    with pytest.raises(CommandError, match="--yes") as refused:
        call_command("remove_library", "sea")
    assert refused.value.returncode == 2
    call_command("remove_library", "sea", "--yes", "--json")
    done = json.loads(capsys.readouterr().out)
    age_originals()
    call_command("gc", "--json")
    capsys.readouterr()
    call_command("gc", "--json")
    counts = json.loads(capsys.readouterr().out)["counts"]
    citation = AnswerCitation.objects.get(n=cited.citations[0].n)

    assert done["citations_unlinked"] == len(cited.citations) and done["snapshots"] == 1
    assert (counts["embeddings"], counts["originals"]) == (0, 0), "a script finds them, also where nothing is left"
    assert citation.chunk is None and (citation.library, citation.path) == ("sea", "tides.md")
    assert hashlib.sha256(citation.quote.encode()).hexdigest() == citation.quote_hash
    assert citation.sha256 == hashlib.sha256(FILES["tides.md"].encode()).hexdigest()
    assert Answer.objects.count() == 1 and not Library.objects.filter(slug="sea").exists()
    assert Chunk.objects.count() == Embedding.objects.count() == len(list(originals.stored())) == 1
    assert all_checks_hold()


def test_the_ledger_does_not_keep_a_library_from_being_deleted(sea):
    answer(None, "How often does the tide rise?")
    sea.delete()

    assert AnswerCitation.objects.filter(chunk=None, file_version=None).exists() and all_checks_hold()


@pytest.mark.django_db(transaction=True)
def test_a_library_that_is_being_built_is_left_alone(sea, documents, monkeypatch):
    rewrite(sea, documents, 3)
    other = connection.copy()
    held = only_build_of(sea)
    with monkeypatch.context() as patched:
        patched.setattr("ingestion.jobs.connection", other)
        patched.setattr("knowledge.storage.locks.connection", other)
        held.__enter__()
        patched.undo()
        assert collect(dry_run=True).busy == ["sea"]
        done = collect()
        patched.setattr("ingestion.jobs.connection", other)
        patched.setattr("knowledge.storage.locks.connection", other)
        held.__exit__(None, None, None)
    other.close()

    assert done.busy == ["sea"] and sea.snapshots.count() == 4 and not done.counts["embeddings"]
    assert collect().snapshots == {"sea": [1, 2]}


def test_what_a_killed_build_left_goes_unless_a_job_will_go_on_with_it(sea):
    left = sea.snapshots.create(number=9, profile=sea.active_snapshot.profile, space=sea.active_snapshot.space)
    waiting = Job.objects.create(library=sea)
    assert collect().snapshots == {}
    waiting.delete()

    assert collect().snapshots == {"sea": [9]} and not Snapshot.objects.filter(pk=left.pk).exists()


def test_what_a_failed_build_left_stays_for_the_next_one_for_some_days(sea, documents, monkeypatch):
    def fails(*_: object) -> None:
        raise EndpointError("embedding", "it is gone")

    write(documents / "sea", {"new.md": "# New\n\nA new moon.\n"})
    with monkeypatch.context() as patch, pytest.raises(EndpointError):
        patch.setattr("ingestion.pipeline.embed_missing", fails)
        reindex(sea)
    job = Job.objects.latest("pk")
    assert collect().snapshots == {} and job.snapshot.state == Snapshot.State.BUILDING

    Job.objects.filter(pk=job.pk).update(finished_at=timezone.now() - timedelta(days=UNFINISHED_DAYS, hours=1))
    assert collect().snapshots == {"sea": [2]}


def test_a_collection_that_was_killed_is_completed_by_the_next(sea, documents, monkeypatch):
    rewrite(sea, documents, 3)
    age_originals()
    for stage in ("collect_versions", "collect_postings", "collect_vectors", "collect_originals"):
        with monkeypatch.context() as patched:
            patched.setattr(collecting, stage, lambda *_: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                collect()
        assert all_checks_hold()
    collect()

    assert FileVersion.objects.count() == 4 and Embedding.objects.count() == 4 == len(list(originals.stored()))
    assert all_checks_hold()


def test_a_library_that_is_removed_while_gc_runs_does_not_end_it(sea, indexed, monkeypatch):
    indexed("land", FILES)
    whole = collecting.collect_library

    def removing(library, found):
        remove_library(sea)
        return whole(library, found)

    monkeypatch.setattr(collecting, "collect_library", removing)
    assert collect().busy == [] and Library.objects.get().slug == "land"
    assert all_checks_hold()


@pytest.mark.django_db(transaction=True)
def test_a_job_that_is_asked_for_while_its_library_is_removed_waits_and_finds_it_gone(sea):
    errors, begun = [], []

    def ask() -> None:
        try:
            Job.objects.create(library_id=sea.pk)
        except IntegrityError as error:
            errors.append(error)

    def meanwhile(**_: object) -> None:  # what is to go with it has been looked for
        begun.append(begun_elsewhere(ask))

    pre_delete.connect(meanwhile, sender=Library)
    try:
        remove_library(sea)
    finally:
        pre_delete.disconnect(meanwhile, sender=Library)
        begun[0].join(30)
    assert errors and not Library.objects.exists() and not Job.objects.exists()


def test_the_original_of_an_upload_that_waits_for_a_build_stays(sea):
    sha256 = originals.keep(b"# New\n")
    upload = Upload.objects.create(library=sea, path="new.md", sha256=sha256, size=6)
    age_originals()
    assert collect().counts["originals"] == 0 and originals.intact(sha256)
    upload.delete()

    assert collect().counts["originals"] == 1 and not originals.intact(sha256)


def test_an_original_that_is_wanted_again_is_not_taken_away(sea):
    sha256 = originals.keep(b"new")
    assert not originals.discard(sha256, lambda _: False, older_than=100)  # kept a moment ago
    assert not originals.discard(sha256, lambda _: True, older_than=0)
    assert originals.intact(sha256)
    assert originals.discard(sha256, lambda _: False, older_than=0) and not originals.intact(sha256)


def test_an_original_stays_in_its_place_while_it_is_asked_whether_it_is_wanted(sea):
    """Whoever asks may be killed, or the database go away: an original that lay aside would be lost with the drafts."""
    sha256 = originals.keep(b"new")
    with pytest.raises(ZeroDivisionError):
        originals.discard(sha256, lambda _: 1 / 0, older_than=0)
    assert originals.intact(sha256)


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(path.read_bytes()[::-1])])
def test_an_original_that_is_lost_or_damaged_is_named_and_read_again_by_force(sea, damage):
    sha256 = FileVersion.objects.get(document_file__path="bread.md").sha256
    damage(originals.path_of(sha256))
    [check] = [check for check in run_checks(deep=True) if not check.ok]
    assert check.examples == [f"original {sha256} of sea: bread.md; manage.py reindex --force sea reads it again"]
    chunks = list(Chunk.objects.values_list("pk", flat=True))

    reindex(sea, force=True)
    assert originals.intact(sha256) and all_checks_hold()
    assert list(Chunk.objects.values_list("pk", flat=True)) == chunks


def test_vectors_of_a_space_that_no_snapshot_uses_go(sea):
    space = sea.active_snapshot.space
    vectors = list(Embedding.objects.values_list("content_hash", "vector"))
    space.pk = None
    space.save()
    Embedding.objects.bulk_create(
        Embedding(space=space, content_hash=content_hash, vector=vector) for content_hash, vector in vectors
    )
    assert collect().counts["embeddings"] == len(vectors)

    assert Embedding.objects.count() == len(vectors) and all_checks_hold()


def test_a_vector_that_a_build_needs_by_now_stays(sea, monkeypatch):
    everything = "SELECT space_id, content_hash FROM knowledge_embedding"
    monkeypatch.setattr(collecting, "UNUSED_VECTORS", everything)  # as found before the build put its files in
    assert collect().counts["embeddings"] == 0 and all_checks_hold()


def test_vectors_are_left_for_the_next_time_while_somebody_writes_memberships(sea, documents, monkeypatch):
    rewrite(sea, documents, 2)
    monkeypatch.setattr(collecting, "LOCK_MEMBERSHIP", "SET LOCAL statement_timeout = '9ms'; SELECT pg_sleep(1)")
    age_originals()
    done = collect()
    assert done.counts["embeddings"] == 0 and done.counts["embeddings_left"] == 1 and done.counts["originals"] == 1
    monkeypatch.undo()
    assert collect().counts["embeddings"] == 1 and all_checks_hold()


def test_a_snapshot_that_is_pinned_while_others_go_keeps_its_files(sea, documents):
    rewrite(sea, documents)
    chosen = sea.snapshots.get(number=1)
    call_command("retention", "sea", "--pin", "1")
    collecting.drop_snapshots(sea, [chosen])
    assert chosen.files.exists() and all_checks_hold()


def test_many_snapshots_go_with_as_many_questions_as_one(sea, documents):
    """Each would else cost its own look at what retention keeps, and at everything that may refer to it."""

    def questions() -> int:
        with CaptureQueriesContext(connection) as asked:
            collect()
        return len(asked)

    rewrite(sea, documents, 2)
    alone = questions()
    rewrite(sea, documents, 9)
    assert questions() <= alone + 2 and sea.snapshots.count() == 2 and all_checks_hold()


def test_a_snapshot_that_is_pinned_after_it_was_listed_stays_while_the_others_go(sea, documents):
    rewrite(sea, documents, 4)
    listed = list(Snapshot.objects.expendable(sea))
    call_command("retention", "sea", "--pin", "2")
    gone = collecting.prune(sea, listed)
    assert {snapshot.number for snapshot in gone} == {1, 3} and all_checks_hold()
    assert sorted(sea.snapshots.values_list("number", flat=True)) == [2, 4, 5]


def test_a_build_says_which_vectors_of_code_it_needs_before_it_makes_them(desk, documents, monkeypatch):
    """Else they would be collected while it makes them."""
    needed = []

    def compute(*arguments):
        building = Snapshot.objects.get(library=desk, state="building")
        needed.append(building.code_space)
        return whole(*arguments)

    whole = code_vectors.compute
    monkeypatch.setattr(code_vectors, "compute", compute)
    write(documents / desk.slug, {"new.py": "def lend(book):\n    return book\n"})
    reindex(desk)
    assert needed == [desk.active_snapshot.code_space] and needed[0] is not None


def test_the_clones_of_libraries_that_are_gone_go_and_others_are_tidied(sea, repository, make_library, settings):
    library = make_library("git", {})
    library.kind, library.location = "git", f"file://{repository}"
    library.save()
    commit(repository, {"a.md": "# A\n\nOne.\n"})
    reindex(library)
    (settings.HOME / "clones/99999.git").mkdir()
    (settings.HOME / "matrices/99999").mkdir(parents=True)
    clones = settings.HOME / "clones"
    for name in ("99999.lock", "99999.known_hosts", f"{library.pk}.known_hosts"):
        (clones / name).touch()
    for name in (".new-old", ".new-now"):
        (clones / name / "x.git").mkdir(parents=True)
    os.utime(clones / ".new-old", (0, 0))
    planned = collect(dry_run=True).counts["folders"]
    assert (clones / "99999.lock").exists() and collect().counts["folders"] == planned == 5

    assert not (settings.HOME / "matrices/99999").exists()
    left = [f"{library.pk}.git", f"{library.pk}.known_hosts", f"{library.pk}.lock"]
    assert sorted(path.name for path in clones.iterdir()) == [".new-now", *left]
    commit(repository, {"a.md": "# A\n\nTwo.\n"})
    assert reindex(library).files["changed"] == 1 and all_checks_hold()


def test_rebuilding_changes_no_search(sea, documents, capsys):
    rewrite(sea, documents, 2)
    queries = ("tide", "twice a day", "the moon pulls", "230 degrees", "nothing")
    before = {query: hits(query) for query in queries}
    segments, rows = set(LexicalSegment.objects.values_list("pk", flat=True)), Posting.objects.count()
    call_command("rebuild", "sea", "--json")
    told = json.loads(capsys.readouterr().out)

    assert told["embeddings"] == 3 and told["chunks"] == Chunk.objects.count()
    assert {query: hits(query) for query in queries} == before
    assert segments.isdisjoint(LexicalSegment.objects.values_list("pk", flat=True)) and Posting.objects.count() <= rows
    assert all_checks_hold()


@pytest.mark.parametrize("kept_chunks", [1, 1000])
def test_rebuilding_mends_what_was_damaged_for_processes_that_run_on(sea, monkeypatch, kept_chunks):
    monkeypatch.setattr(matrices, "KEPT_CHUNKS", kept_chunks)
    before = hits("tide")
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM knowledge_posting WHERE lexeme = 'tide'; DELETE FROM knowledge_embedding")
    matrices._matrices.clear()
    shutil.rmtree(settings.HOME / "matrices", ignore_errors=True)
    assert hits("tide") != before  # and what is remembered now, in memory and in files, is the damage
    rebuild(sea)
    found = search(None, "tide", SearchOptions(libraries=("sea",)))  # with whatever this process remembers

    assert [(hit.source_file, hit.scores) for hit in found.hits] == [(row[0], row[3]) for row in before]
    assert all_checks_hold()


@pytest.fixture
def desk(make_library, code_model) -> Library:
    """With summaries, and code that has a model of its own."""
    library = make_library("desk", SUMMARISED, summaries=True, keep_snapshots=1, keep_days=0)
    reindex(library)
    return library


def needed(snapshot: Snapshot) -> dict[str, set[bytes]]:
    """The texts whose vectors this snapshot needs, by what they are."""
    chunks = Chunk.objects.filter(file_version__memberships__snapshot=snapshot)
    summaries = SectionSummary.objects.of_snapshot(snapshot)
    return {
        "texts": {bytes(text) for text in chunks.values_list("content_hash", flat=True)},
        "code": {bytes(text) for text in chunks.filter(kind="code").values_list("content_hash", flat=True)},
        "summaries": {bytes(text) for text in summaries.values_list("content_hash", flat=True)},
    }


def stored() -> dict[tuple[int, bytes], list[float]]:
    rows = Embedding.objects.values_list("space", "content_hash", "vector")
    return {(space, bytes(text)): list(vector) for space, text, vector in rows}


def test_rebuilding_renews_the_vectors_of_summaries_and_of_code(desk):
    before, wanted = stored(), needed(desk.active_snapshot)
    assert all(wanted.values()) and desk.active_snapshot.code_space
    Embedding.objects.all().delete()
    Embedding.objects.bulk_create(  # each turned the other way, which no look at its length can see
        Embedding(space_id=space, content_hash=text, vector=[-number for number in vector])
        for (space, text), vector in before.items()
    )
    assert all(stored()[key] != before[key] for key in before)
    done = rebuild(desk)

    assert stored() == before and done["embeddings"] == sum(map(len, wanted.values())) == len(before)
    assert all_checks_hold()


def test_code_of_another_model_is_no_reason_to_rebuild(desk, monkeypatch):
    monkeypatch.setattr("ingestion.rebuilding.code_endpoint", lambda test_mode: None)
    before = stored()
    with pytest.raises(CannotRebuild, match="CODE_EMBEDDING_URL"):
        rebuild(desk)
    assert stored() == before


def test_vectors_of_summaries_and_of_code_go_with_the_last_snapshot_that_needs_them(desk, documents):
    old = needed(desk.active_snapshot)
    write(documents / "desk", {"lend.py": "def take_back(card):\n    card.borrowed = None\n"})
    write(documents / "desk", {"lending.md": SUMMARISED["lending.md"].replace("four weeks", "six weeks")})
    reindex(desk)
    desk.refresh_from_db()
    new, active = needed(desk.active_snapshot), desk.active_snapshot
    gone = {name: old[name] - new[name] for name in new}
    assert all(gone.values()) and collect(dry_run=True).counts["embeddings"] == 0  # a rollback needs them
    Snapshot.objects.exclude(pk=active.pk).delete()
    assert collect().counts["embeddings"] == sum(map(len, gone.values()))

    assert stored().keys() == {
        *((active.space_id, text) for text in new["texts"] | new["summaries"]),
        *((active.code_space_id, text) for text in new["code"]),
    }
    assert all_checks_hold()


@pytest.mark.parametrize("kind", ["summaries", "code"])
def test_a_vector_of_a_summary_or_of_code_that_is_gone_is_noticed(desk, kind):
    space = desk.active_snapshot.code_space if kind == "code" else desk.active_snapshot.space
    text = sorted(needed(desk.active_snapshot)[kind])[0]
    Embedding.objects.filter(space=space, content_hash=text).delete()
    (wrong,) = [check for check in run_checks(deep=False) if not check.ok]

    assert wrong.name.startswith("summaries, and code") and wrong.failed == 1 and "no vector" in wrong.examples[0]


def test_what_unindexing_leaves_has_its_summaries_its_code_and_its_order(desk):
    before = desk.active_snapshot
    unindex(desk, "tides")
    desk.refresh_from_db()
    after = desk.active_snapshot

    assert (after.summaries_through, after.code_space) == (before.summaries_through, before.code_space)
    assert SectionSummary.objects.of_snapshot(after).count() == SectionSummary.objects.of_snapshot(before).count() == 2
    assert list(after.reading_places.order_by("place").values_list("document_file__path", "depth")) == [
        ("index.rst", 0), ("lending.md", 1), ("lend.py", 0),
    ]  # fmt: skip
    assert all_checks_hold()


@pytest.mark.django_db(transaction=True)
def test_searches_while_it_is_rebuilt_find_the_same(sea, monkeypatch):
    before, seen = hits("tide"), []

    def watched(self, steps=1):
        other = connection.copy()
        with monkeypatch.context() as patched:
            for module in ("view", "search", "matrices"):
                patched.setattr(f"retrieval.{module}.connection", other, raising=False)
            seen.append(hits("tide"))
        other.close()

    monkeypatch.setattr("ingestion.rebuilding.BATCH", 1)
    monkeypatch.setattr("ingestion.progress.Progress.advance", watched)
    rebuild(sea)

    assert len(seen) == 3 and seen == [before] * 3 and hits("tide") == before


def test_another_model_is_no_reason_to_rebuild(sea, settings):
    settings.EMBEDDING_QUERY_PREFIX = "query: "
    query_vector.forget()
    with pytest.raises(CannotRebuild, match="reindex"):
        rebuild(sea)
    Library.objects.update(active_snapshot=None)
    with pytest.raises(CommandError, match="no active snapshot"):
        call_command("rebuild", "sea")


def test_unindexed_files_are_gone_and_stay_away_until_they_are_let_in(sea, documents, capsys):
    call_command("unindex", "^drafts/", "--library", "sea", "--yes", "--json")
    (told,) = json.loads(capsys.readouterr().out)

    assert told["removed"] == ["drafts/moon.md"] and told["active"] and told["snapshot"] == 2
    assert "drafts/moon.md" not in {row[0] for row in hits("moon")}
    assert sea.snapshots.get(number=1).files.count() == 3  # the old one stays as it was
    assert reindex(sea).snapshot == 2  # nothing comes back by itself
    write(documents / "sea", {"drafts/moon.md": "# Moon\n\nChanged.\n"})
    assert reindex(sea).manifest_hash == sea.snapshots.get(number=2).manifest_hash
    call_command("unindex", "moon", "--library", "sea", "--restore", "--yes")
    said = capsys.readouterr().out
    assert "1 file let in again" in said and "manage.py reindex" in said
    assert reindex(sea).files["added"] == 1 and all_checks_hold()


@pytest.mark.django_db(transaction=True)
def test_what_is_let_in_while_files_are_unindexed_stays_let_in(sea, monkeypatch):
    unindex(sea, "bread")
    real, threads = unindexing.snapshot_without, []

    def meanwhile(*arguments):
        threads.append(begun_elsewhere(lambda: unindexing.restore(sea, "bread", dry_run=False)))
        return real(*arguments)

    monkeypatch.setattr(unindexing, "snapshot_without", meanwhile)
    unindex(sea, "moon")
    threads[0].join(30)
    sea.refresh_from_db()
    assert sea.unindexed == ["drafts/moon.md"]


def test_unindex_only_shows_until_it_is_told_yes(sea, capsys, monkeypatch):
    call_command("unindex", r"\.md$", "--dry-run")
    assert "3 files would be taken out" in capsys.readouterr().out
    for is_terminal in (True, False):
        monkeypatch.setattr("sys.stdin.isatty", lambda: is_terminal, raising=False)  # noqa: B023 - used at once
        call_command("unindex", "bread")
        assert "--yes" in capsys.readouterr().out and sea.snapshots.count() == 1
    call_command("unindex", ".*", "--json")
    said = capsys.readouterr()
    (told,) = json.loads(said.out)
    assert told["dry_run"] and len(told["removed"]) == 3 and "--yes" in said.err and sea.snapshots.count() == 1
    call_command("unindex", "bread", "--yes")
    assert "snapshot 2 without them is active" in capsys.readouterr().out
    call_command("unindex", "no such file", "--yes", "--json")
    assert json.loads(capsys.readouterr().out)[0]["removed"] == [] and sea.snapshots.count() == 2


def test_one_library_whose_gate_refuses_does_not_hide_what_was_taken_out_of_others(sea, indexed, capsys):
    indexed("hills", FILES)
    indexed("lakes", FILES)
    Library.objects.filter(slug="lakes").update(gate_minimum=0.5)  # and no golden question to ask
    with pytest.raises(CommandError, match=r"lakes: .* holds the files no more, .* no golden question"):
        call_command("unindex", "bread", "--yes", "--json")
    told = json.loads(capsys.readouterr().out)
    assert [(one["library"], one["snapshot"], one["active"]) for one in told] == [("hills", 2, True), ("sea", 2, True)]


def test_a_pattern_that_takes_too_long_in_one_library_is_tried_in_the_others(sea, indexed, capsys, monkeypatch):
    indexed("hills", FILES)
    slow = iter([True])

    def find(paths: list[str], pattern: str) -> list[str]:
        if next(slow, False):
            raise SlowPattern("it takes too long")
        return matching(paths, pattern)

    monkeypatch.setattr("ingestion.unindexing.matching", find)
    with pytest.raises(CommandError, match="hills: it takes too long"):
        call_command("unindex", "bread", "--json")
    assert [one["library"] for one in json.loads(capsys.readouterr().out)] == ["sea"]


def test_where_review_is_required_the_snapshot_without_them_waits(sea):
    sea.requires_review = True
    sea.save()
    told = unindex(sea, "bread")

    assert not told["active"] and told["snapshot"] == 2 and "bread.md" in {row[0] for row in hits("bread")}


def test_patterns_are_postgres_s_and_may_not_take_long(sea, monkeypatch):
    paths = ["a.md", "b/A.md", "weird\\name*.md", "Straße.md"]
    assert matching(paths, r"(?i)a\.md$") == ["a.md", "b/A.md"]
    assert matching(paths, r"\*") == ["weird\\name*.md"] and matching(paths, "ß") == ["Straße.md"]
    for bad in ("(", "[a", "\0", "(a{255}){255}", "*"):
        with pytest.raises(BadPattern):
            matching(paths, bad)
    with monkeypatch.context() as patched, pytest.raises(SlowPattern, match="takes longer"):
        patched.setattr("ingestion.unindexing.TIMEOUT_MS", 5)
        matching(["a" * 900 + "!"] * 20_000, r"(a+)(a+)(a+)\1\2\3b")
    assert matching(paths, "a.md") == ["a.md"]  # the limit is gone


def test_a_regular_collection_says_what_it_did(sea, documents, capsys):
    rewrite(sea, documents, 3)
    call_command("gc", "--dry-run")
    assert "Would remove: 2 snapshots" in capsys.readouterr().out
    call_command("gc")
    assert "sea: snapshots 1, 2" in capsys.readouterr().out
    call_command("gc")
    assert "Removed: nothing" in capsys.readouterr().out


def kept_matrices(library: Library) -> int:
    return len(list((settings.HOME / "matrices" / str(library.pk)).glob("*")))


def test_what_becomes_active_without_a_build_is_prepared(indexed, documents, monkeypatch):
    """The first search after unindexing, publishing in part, rolling back or erasing does not wait for vectors."""
    monkeypatch.setattr(matrices, "KEPT_CHUNKS", 1)
    library = indexed("x", {"a.md": "# A\n\nalpha", "b.md": "# B\n\nbeta", "c.md": "# C\n\ngamma"})
    assert kept_matrices(library) == 1
    unindex(library, "a.md")
    assert kept_matrices(library) == 2
    shutil.rmtree(settings.HOME / "matrices")
    library.refresh_from_db()
    rollback(library)
    assert kept_matrices(library) == 1
    erase(library.document_files.get(path="b.md"), None, "gone")
    assert kept_matrices(library) == 1


def test_a_gate_run_forgets_a_readers_words_with_the_last_query_that_is_logged(sea):
    def change(key: str, text: str) -> dict[str, object]:
        return {"id": key, "text": text, "before": 1, "after": 2, "lost": [], "gained": []}

    changed = [change("asked-0", "old"), change("asked-1", "new"), change("tide", "golden")]
    run = GateRun.objects.create(snapshot=sea.active_snapshot, questions=3, changed=changed, passed=True)
    for days, text in ((700, "new"), (800, "new"), (800, "old")):
        logged = LoggedQuery.objects.create(library=sea, kind="question", text=text)
        LoggedQuery.objects.filter(pk=logged.pk).update(asked_at=timezone.now() - timedelta(days=days))
    planned = collect(dry_run=True).counts["questions_in_gate_runs"]
    run.refresh_from_db()
    assert planned == 1 and run.changed == changed
    assert collect().counts["questions_in_gate_runs"] == 1
    run.refresh_from_db()
    assert [one["text"] for one in run.changed] == ["", "new", "golden"]
    assert collect().counts["questions_in_gate_runs"] == 0
