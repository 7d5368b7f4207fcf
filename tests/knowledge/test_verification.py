"""`verify` finds what it says it looks for: every rule is broken here once, below the guards."""

import pytest
from django.db import connection, transaction

from ingestion.removing import remove_library
from knowledge import verification
from knowledge.models import AnswerCitation, DocumentFile, FileVersion, Job, Library
from knowledge.storage import locks, originals
from knowledge.verification import files, postings, run_checks
from knowledge.verification.finding import Finding
from retrieval.answering.pipeline import answer
from tests.conftest import begun_elsewhere, reindex, write

GUIDE = "# Guide\n\nHow to use it.\n\n## Install\n\nRun the installer twice.\n"

DEAD = (
    "UPDATE knowledge_job SET state = 'running', lease_expires_at = now() - interval '1 hour' "
    "WHERE id = (SELECT max(id) FROM knowledge_job)"
)
BROKEN = {
    1: ["UPDATE knowledge_snapshot SET manifest_hash = repeat('0', 64) WHERE number = 2"],
    2: ["UPDATE knowledge_fileversion SET document_file_id = (SELECT max(id) FROM knowledge_documentfile)"],
    3: [
        "DELETE FROM knowledge_chunk WHERE ordinal = 0",
        "UPDATE knowledge_section SET line_end = line_end + 1 WHERE ordinal = 0",
        "UPDATE knowledge_chunk SET section_id = (SELECT max(id) FROM knowledge_section)",
    ],
    4: [
        "UPDATE knowledge_chunk SET text = text || '.'",
        "UPDATE knowledge_chunk SET line_start = 1 WHERE line_start > 1",
    ],
    5: [
        "DELETE FROM knowledge_embedding",
        "UPDATE knowledge_embedding SET vector = '[1, 0]'",
        "UPDATE knowledge_embedding SET parts = NULL",
        "UPDATE knowledge_embedding SET parts = '\\x3f800000'",
        "UPDATE knowledge_embedding SET parts = decode(repeat('00', 2 * 4 * 384), 'hex')",
        "UPDATE knowledge_embedding SET parts = decode(repeat('ff', 2 * 4 * 384), 'hex')",
        "UPDATE knowledge_embeddingspace SET query_prefix = 'query: '",
    ],
    6: [
        "DELETE FROM knowledge_posting WHERE lexeme = 'instal'",
        "UPDATE knowledge_posting SET body_counts = '\\x07' WHERE lexeme = 'twice'",
        "DELETE FROM knowledge_posting; DELETE FROM knowledge_lexicalsegment",
    ],
    8: [
        "DROP INDEX one_building_snapshot; INSERT INTO knowledge_snapshot (library_id, number, state, profile_id, "
        "space_id, revision, manifest_hash, rejected, chunk_count, pinned, rebuilds, created_at, summaries_through, "
        "document_count, needs_review, erased) SELECT library_id, n, 'building', profile_id, space_id, '', '', '[]', "
        "0, false, 0, now(), 0, 0, false, '[]' FROM knowledge_snapshot, generate_series(8, 9) AS n WHERE number = 1",
        f"SELECT pg_advisory_xact_lock_shared({locks.WORKER}, 0); {DEAD}",
    ],
    10: ["UPDATE knowledge_snapshot SET chunk_count = 99 WHERE number = 1"],
    11: [
        "UPDATE knowledge_section SET title = 'forged' WHERE ordinal = 0",
        "UPDATE knowledge_chunk SET kind = 'code'",
        "UPDATE knowledge_fileversion SET digest = repeat('0', 64)",
    ],
    12: [
        "UPDATE knowledge_auditevent SET actor = 'nobody' WHERE number = 1",
        "DROP TRIGGER only_approved ON knowledge_library",
    ],
    13: [
        "INSERT INTO knowledge_decision (snapshot_id, document_file_id, verdict, decided_by_id, decided_at, comment) "
        "SELECT snapshot.id, document.id, 'approved', account.id, now(), '' FROM knowledge_snapshot snapshot, "
        "knowledge_documentfile document, auth_user account",
        "UPDATE knowledge_snapshot SET needs_review = true; UPDATE knowledge_library SET requires_review = true",
    ],
}


@pytest.fixture
def built(indexed, documents, reader):
    library = indexed("one", {"guide.md": GUIDE, "other.md": "# Other\n\nText.\n"})
    write(documents / "one", {"guide.md": GUIDE + "\nAnd again.\n"})
    reindex(library)


def failed() -> set[int]:
    return {check.id for check in run_checks(deep=True) if not check.ok}


def test_nothing_is_found_where_nothing_is_wrong(built):
    assert failed() == set()


@pytest.mark.parametrize(("number", "statement"), [(n, sql) for n, broken in BROKEN.items() for sql in broken])
def test_a_broken_rule_is_found(built, number, statement):
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET LOCAL session_replication_role = replica")
        cursor.execute(statement)
    found = failed()
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = origin")

    assert number in found


def test_a_job_that_ran_when_a_backup_was_taken_waits_for_a_worker_to_find_it(built):
    with connection.cursor() as cursor:
        cursor.execute(DEAD)
    assert failed() == set()


def test_what_a_former_analysis_counted_is_not_counted_again(built, monkeypatch):
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET LOCAL session_replication_role = replica")
        cursor.execute(BROKEN[6][1])
        cursor.execute("SET LOCAL session_replication_role = origin")
    assert failed() == {6}
    monkeypatch.setattr(postings, "ANALYSIS_VERSION", 99)
    assert failed() == set()


def test_a_citation_that_was_changed_is_found_with_its_library_and_without(built):
    answer(None, "What do I run twice?")
    assert failed() == set() and AnswerCitation.objects.exists()
    for change in ({"quote": "Run it once."}, {"line_end": 999}, {"sha256": "0" * 64}, {"chunk": None}):
        with transaction.atomic():
            AnswerCitation.objects.update(**change)
            assert failed() == {9}
            transaction.set_rollback(True)
    remove_library(Library.objects.get())
    assert failed() == set()
    AnswerCitation.objects.update(quote_hash="0" * 64)
    assert failed() == {9}


def test_an_original_that_was_changed_is_found(built):
    originals.path_of(FileVersion.objects.latest("pk").sha256).write_text("forged")

    assert failed() == {7}


def test_a_withdrawn_file_and_a_waiting_job_break_no_rule(built):
    DocumentFile.objects.update(withdrawn_at="2026-01-01T00:00Z")
    Job.objects.create(library=DocumentFile.objects.latest("pk").library)

    assert failed() == set()


@pytest.mark.django_db(transaction=True)
def test_what_is_collected_while_a_check_reads_is_no_fault(monkeypatch):
    seen = []

    def check(_: bool) -> Finding:
        seen.append(Library.objects.count())
        begun_elsewhere(lambda: Library.objects.create(slug="later", name="Later", kind="uploads")).join()
        seen.append(Library.objects.count())
        return Finding()

    monkeypatch.setattr(verification, "CHECKS", (("two readings", check),))
    assert next(run_checks(deep=True)).ok and seen == [0, 0] and Library.objects.count() == 1


def test_an_original_that_is_collected_while_the_others_are_read_is_no_fault(indexed, monkeypatch):
    library = indexed("one", {"a.md": GUIDE})

    def collected(_: str) -> bool:
        remove_library(library)
        return False

    monkeypatch.setattr(originals, "intact", collected)
    assert not files.originals(True).failed
