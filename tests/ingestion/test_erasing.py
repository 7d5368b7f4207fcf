"""Erasing leaves nothing of a file but what proves that it was there."""

import json
import os
from datetime import timedelta
from io import StringIO

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from ingestion import erasing, pipeline
from ingestion.collecting import collect
from ingestion.erasing import erase
from knowledge.access import NotAllowed
from knowledge.governance.reminders import due
from knowledge.governance.withdrawal import restore, trash, withdraw
from knowledge.models import Answer, AuditEvent, Chunk, Conversation, Embedding, FileVersion, Membership, Posting
from knowledge.storage import originals
from knowledge.upkeep import run_due
from knowledge.verification import run_checks
from retrieval.answering import drafts
from retrieval.answering.pipeline import answer
from retrieval.results import SearchOptions
from retrieval.search import search
from tests.conftest import all_checks_hold, begun_elsewhere, reindex, write

SECRET = "xylophonist"
FILES = {
    "kept.md": "# Kept\n\nThe bell of the tandem is red.\n",
    "person.md": f"# A member\n\nThe {SECRET} lives at the old mill.\n",
}


@pytest.fixture
def library(indexed, documents):
    library = indexed("one", FILES)
    write(documents / "one", {"person.md": FILES["person.md"] + "\nAnd has a lantern.\n"})
    reindex(library)
    answer(None, f"Where does the {SECRET} live?")
    return library


def anywhere(word: str) -> list[str]:
    """Every table that holds the word in any column, and every original that holds it."""
    found = []
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename LIKE 'knowledge_%'")
        for (table,) in cursor.fetchall():
            cursor.execute(f'SELECT count(*) FROM "{table}" row WHERE row::text ILIKE %s', [f"%{word}%"])
            found += [table] * bool(cursor.fetchone()[0])
    held = [path for path in originals.path_of("0" * 64).parent.parent.glob("*/*") if word in path.read_text()]
    return [*found, *map(str, held)]


def test_the_receipt_names_where_the_same_bytes_are_and_the_audit_no_other_library(library, documents, indexed, capsys):
    person = (documents / "one/person.md").read_text()
    write(documents / "one", {"copy.md": person})
    reindex(library)
    indexed("two", {"sub/other.md": person})
    arguments = ["erase", "one", "person.md", "--reason", "they asked for it"]
    also = "the same bytes are also in one: copy.md, two: sub/other.md"
    with pytest.raises(CommandError, match=also):
        call_command(*arguments)
    capsys.readouterr()
    call_command(*arguments, "--yes")
    said = capsys.readouterr()
    assert json.loads(said.out)["elsewhere"] == ["one: copy.md", "two: sub/other.md"] and also in said.err
    event = AuditEvent.objects.get(action="document.erase")
    assert event.details["elsewhere"] == ["one: copy.md"] and "two" not in json.dumps(event.details)


def test_a_receipt_names_twenty_places_and_says_how_many_there_are_and_empty_files_are_none(library, documents):
    person = (documents / "one/person.md").read_text()
    write(documents / "one", {f"copy-{n:02}.md": person for n in range(22)} | {"no.md": "", "empty.md": ""})
    reindex(library)
    receipt = erase(library.document_files.get(path="person.md"), None, "they asked for it")
    assert receipt["elsewhere"] == [f"one: copy-{n:02}.md" for n in range(20)] and receipt["elsewhere_count"] == 22
    assert AuditEvent.objects.get(action="document.erase").details["elsewhere"] == receipt["elsewhere"]
    receipt = erase(library.document_files.get(path="no.md"), None, "they asked for it")
    assert receipt["elsewhere"] == [] and receipt["elsewhere_count"] == 0


def test_nothing_of_it_is_left_and_everything_still_verifies(library, documents):
    document = library.document_files.get(path="person.md")
    assert {"knowledge_chunk", "knowledge_fileversion", "knowledge_posting"} <= set(anywhere(SECRET))
    shas = set(document.versions.values_list("sha256", flat=True))
    receipt = erase(document, None, "they asked for it")

    assert set(anywhere(SECRET)) <= {"knowledge_answer"}, "only the question, as it was asked"
    assert not Answer.objects.filter(text__icontains="mill").exists()
    assert set(receipt["versions"]) == shas == set(receipt["originals"])
    assert receipt["snapshots"] == [1, 2] and receipt["answers"] and receipt["vectors"]
    assert set(receipt["left"].values()) == {0}
    assert not any(originals.path_of(sha256).exists() for sha256 in shas)
    assert "the directory that the library reads" in receipt["outside"]
    assert all_checks_hold()
    event = AuditEvent.objects.get(action="document.erase")
    assert event.path == "person.md" and event.details["versions"] == receipt["versions"]

    reindex(library, force=True)
    assert set(anywhere(SECRET)) <= {"knowledge_answer"}, "a build does not bring it back"
    assert {hit.source_file for hit in search(None, f"{SECRET} bell").hits} == {"kept.md"}


def test_an_answer_that_was_broken_off_loses_its_draft(library):
    answers = []
    for path in FILES:
        passage = Chunk.objects.filter(file_version__document_file__path=path).first()
        words = {"question": "Where?", "standalone": f"Where is the {SECRET}?", "searched_for": "Where?", "text": ""}
        answers.append(
            Answer.objects.create(**words, state="incomplete", refused=False, draft=SECRET, passages=[passage.pk])
        )
    kept, broken = answers
    receipt = erase(library.document_files.get(path="person.md"), None, "they asked for it")

    assert broken.pk in receipt["answers"] and kept.pk not in receipt["answers"]
    broken.refresh_from_db()
    assert (broken.text, broken.draft, broken.standalone, broken.passages) == ("", "", "", [])
    assert not broken.is_being_written and broken.question == "Where?"


def test_no_wording_and_no_draft_keeps_or_brings_back_what_was_erased(library):
    """A model words a follow-up with the answers before it; and an answer may be written while its file is erased."""
    talk = Conversation.objects.create(title="Who?")
    pks = {
        path: list(Chunk.objects.filter(file_version__document_file__path=path).values_list("pk")[0]) for path in FILES
    }
    worded = {"searched_for": f"the {SECRET}", "standalone": f"the {SECRET}", "conversation": talk, "refused": True}
    asked = Answer.objects.create(question="Who?", **worded, passages=pks["person.md"])
    later = Answer.objects.create(question="And where?", **worded, passages=pks["kept.md"])
    alone = Answer.objects.create(question="Why?", **worded | {"conversation": None}, passages=pks["kept.md"])
    written = Answer.objects.create(question="When?", state="incomplete", refused=False, passages=pks["person.md"])
    erase(library.document_files.get(path="person.md"), None, "they asked for it")
    drafts.save({written.pk: drafts.DraftBuffer(f"The {SECRET} ")})
    for row in (asked, later, alone, written):
        row.refresh_from_db()
    assert [row.searched_for + row.standalone + row.draft for row in (asked, later, written)] == ["", "", ""]
    assert alone.standalone and written.beat_at


def test_a_build_that_goes_on_after_an_erasing_seals_what_it_holds(library, documents, monkeypatch):
    write(documents / "one", {"kept.md": "# Kept\n\nThe bell of the tandem is green.\n"})
    with monkeypatch.context() as patch, pytest.raises(ZeroDivisionError):
        patch.setattr(pipeline, "embed_missing", lambda *_: 1 / 0)
        reindex(library)
    begun = library.snapshots.get(state="building")
    receipt = erase(library.document_files.get(path="person.md"), None, "they asked for it")
    assert receipt["snapshots"] == [1, 2, begun.number]

    library.refresh_from_db()
    reindex(library)
    begun.refresh_from_db()
    assert begun.is_active and begun.erased == []
    assert all_checks_hold()


def test_searches_remember_nothing_of_it_when_its_path_is_restored(library):
    asked = [search(None, f"{SECRET} tandem"), search(None, f"{SECRET} tandem", SearchOptions(("one",), snapshot=1))]
    assert all(SECRET in "".join(hit.text for hit in result.hits) for result in asked)
    document = library.document_files.get(path="person.md")
    erase(document, None, "asked for")
    restore(document, None)
    for options in (SearchOptions(), SearchOptions(("one",), snapshot=1)):
        for query in (f"{SECRET} tandem", "bell"):
            assert [hit.source_file for hit in search(None, query, options).hits] == ["kept.md"]


def test_what_another_file_says_too_stays(indexed):
    library = indexed("one", FILES | {"copy.md": FILES["person.md"]})
    erase(library.document_files.get(path="person.md"), None, "twice")
    version = FileVersion.objects.get(document_file__path="copy.md")
    assert originals.intact(version.sha256)
    hashes = Chunk.objects.filter(file_version=version).values("content_hash")
    assert Embedding.objects.filter(content_hash__in=hashes).exists()
    assert Posting.objects.filter(lexeme__startswith=SECRET[:8]).exists()
    assert all_checks_hold()


@pytest.mark.parametrize("act", [withdraw, trash])
def test_what_was_erased_is_not_withdrawn_again_and_keeps_its_reason(library, act):
    document = library.document_files.get(path="person.md")
    erase(document, None, "they asked for it")
    document.refresh_from_db()
    with pytest.raises(ValueError, match="it was erased"):
        act(document, None, "again")
    document.refresh_from_db()
    assert document.withdrawn_because == "erased: they asked for it"


def test_nobody_looks_after_what_was_erased(library, reader):
    document = library.document_files.get(path="person.md")
    document.owner, document.tags, document.review_by = reader, [SECRET], timezone.localdate()
    document.save()
    events = AuditEvent.objects.filter(action="document.settings").count()
    erase(document, None, "they asked for it")
    assert (document.owner, document.tags, document.review_by) == (None, [], None)
    assert AuditEvent.objects.filter(action="document.settings").count() == events, "the audit has its tags once"
    library.document_files.update(review_by=timezone.localdate())
    assert [file.path for file in due()] == ["kept.md"]


def test_the_trash_is_emptied_when_its_days_have_passed(library, reader):
    document = library.document_files.get(path="person.md")
    Membership.objects.create(library=library, user=reader, role="librarian")
    trash(document, reader, "old")
    run_due()
    assert document.versions.exists()
    library.document_files.filter(pk=document.pk).update(trashed_at=timezone.now() - timedelta(days=31))
    run_due()
    assert not document.versions.exists()
    details = AuditEvent.objects.get(action="document.erase").details
    assert (details["reason"], details["trashed_by"]) == ("in the trash for 30 days", reader.username)


def test_what_was_restored_meanwhile_stays(library, monkeypatch):
    """The trash is emptied while somebody takes a file out of it."""
    for document in library.document_files.all():
        trash(document, None, "old")
    library.document_files.update(trashed_at=timezone.now() - timedelta(days=31))
    monkeypatch.setattr(erasing, "AT_ONCE", 1)
    prepared = []

    def taken(document):
        restore(library.document_files.get(path="person.md"), None)
        return whole(document)

    whole = erasing.take_out
    monkeypatch.setattr(erasing, "take_out", taken)
    monkeypatch.setattr(erasing, "prepare_again", prepared.append)
    run_due()
    assert [event.path for event in AuditEvent.objects.filter(action="document.erase")] == ["kept.md"]
    assert library.document_files.get(path="person.md").versions.exists() and prepared == [library]


def trashed(library) -> None:
    for document in library.document_files.all():
        trash(document, None, "old")
    library.document_files.update(trashed_at=timezone.now() - timedelta(days=31))


def test_the_trash_is_emptied_with_one_change_of_the_library(library):
    """Each writes anew all that was ever taken out of it."""
    trashed(library)
    with CaptureQueriesContext(connection) as asked:
        run_due()
    library.refresh_from_db()
    assert library.unindexed == ["kept.md", "person.md"]
    assert sum('UPDATE "knowledge_library" SET "unindexed"' in query["sql"] for query in asked) == 1


def test_what_erasing_sets_is_told_of_who_erases(library):
    chief = User.objects.create_superuser("chief")
    erase(library.document_files.get(path="person.md"), chief, "they asked")
    events = AuditEvent.objects.filter(action__in=["document.erase", "library.settings"]).order_by("-number")[:2]
    assert {(event.action, event.actor) for event in events} == {
        ("document.erase", "chief"),
        ("library.settings", "chief"),
    }


def test_a_file_that_is_restored_while_it_is_erased_stays_erased(library):
    """Whoever restores it had read the row before, and waits for the erasing."""
    for given_up in (trash, withdraw):
        document = library.document_files.get(path="person.md")
        given_up(document, None, "old")
        erase(library.document_files.get(path="person.md"), None, given_up.__name__)
        with pytest.raises(ValueError, match="it was erased meanwhile"):
            restore(document, None)
        row = library.document_files.get(path="person.md")
        assert row.withdrawn_at and row.withdrawn_because == f"erased: {given_up.__name__}" and not row.trashed_at
        restore(row, None)  # who sees that it was erased may have its path read again
        assert not library.document_files.get(path="person.md").withdrawn_at


def test_what_was_put_into_the_trash_meanwhile_stays_there(library):
    document = library.document_files.get(path="person.md")
    trash(library.document_files.get(path="person.md"), None, "old")
    withdraw(document, None, "wrong")
    row = library.document_files.get(path="person.md")
    assert row.trashed_at and row.withdrawn_because == "wrong" and row.withdrawn_at < row.trashed_at + timedelta(1)


def test_a_trash_that_cannot_be_emptied_holds_up_no_other(library, indexed, monkeypatch):
    other = indexed("two", FILES)
    for each in (library, other):
        trashed(each)
    whole = erasing.erase_all
    monkeypatch.setattr(erasing, "erase_all", lambda one, *rest: 1 / 0 if one == library else whole(one, *rest))
    with pytest.raises(ExceptionGroup) as caught:
        run_due()
    assert caught.group_contains(ZeroDivisionError, depth=2)
    assert library.document_files.filter(trashed_at=None).count() == 0
    assert other.document_files.filter(trashed_at=None).count() == 2


def test_the_postings_of_the_others_are_as_they_were(library):
    """No text is analysed again: the segments are copied without the file's chunks."""
    erase(library.document_files.get(path="person.md"), None, "why not")
    assert {hit.source_file for hit in search(None, "tandem bell").hits} == {"kept.md"}
    held = [np.frombuffer(packed, "<i8") for packed in library.segments.values_list("chunk_ids", flat=True)]
    assert set(np.concatenate(held)) == set(Chunk.objects.values_list("pk", flat=True))
    assert all_checks_hold()


def test_the_original_of_an_upload_that_never_became_a_version_goes_too(library):
    document = library.document_files.get(path="person.md")
    replaced = originals.keep(b"an earlier draft about the xylophonist")
    library.uploads.create(path="person.md", sha256=replaced, size=1, ended_at=timezone.now())
    assert replaced in erase(document, None, "why not")["originals"]
    assert not originals.path_of(replaced).exists()

    originals.keep(b"an earlier draft about the xylophonist")  # as if it had been killed before that
    assert replaced in erase(document, None, "once more")["originals"]
    assert not originals.path_of(replaced).exists()


@pytest.mark.parametrize("work", [collect, run_due])
def test_an_original_that_is_left_by_a_killed_erasing_is_found_and_taken_away(library, monkeypatch, work):
    document = library.document_files.get(path="person.md")
    shas = set(document.versions.values_list("sha256", flat=True))
    with monkeypatch.context() as patch, pytest.raises(ZeroDivisionError):
        patch.setattr(originals, "discard", lambda *_: 1 / 0)
        erase(document, None, "why not")
    assert all_checks_hold()  # somebody may be bringing them again
    for sha256 in shas:
        os.utime(originals.path_of(sha256), (0, 0))
    [check] = [check for check in run_checks(deep=False) if not check.ok]
    assert check.failed == 2 and "was erased and is there" in check.examples[0]

    work()
    assert not any(originals.path_of(sha256).exists() for sha256 in shas) and all_checks_hold()


def test_an_erased_original_that_another_library_holds_stays_and_is_no_fault(library, indexed):
    indexed("two", {"copy.md": FILES["person.md"]})
    erase(library.document_files.get(path="person.md"), None, "why not")
    kept = FileVersion.objects.get(document_file__path="copy.md").sha256
    collect()
    run_due()
    assert originals.intact(kept) and all_checks_hold()


def test_it_is_an_administrators_act_with_a_reason(library):
    document = library.document_files.get(path="person.md")
    with pytest.raises(NotAllowed):
        erase(document, User.objects.create_user("somebody"), "why not")
    with pytest.raises(ValueError, match="say why"):
        erase(document, None, " ")
    with pytest.raises(CommandError, match="--yes"):
        call_command("erase", "one", "person.md", "--reason", "x")
    out = StringIO()
    call_command("erase", "one", "person.md", "--reason", "x", "--yes", stdout=out)
    assert json.loads(out.getvalue())["left"]["chunks"] == 0


@pytest.mark.django_db(transaction=True)
def test_a_vector_that_another_library_finds_meanwhile_stays(indexed, make_library, monkeypatch):
    one, other = indexed("one", FILES), make_library("two", {"person.md": FILES["person.md"]})
    keep_out = erasing.keep_out

    def meanwhile(*arguments: object) -> None:
        begun_elsewhere(lambda: reindex(other)).join(60)
        keep_out(*arguments)

    monkeypatch.setattr(erasing, "keep_out", meanwhile)
    erase(one.document_files.get(path="person.md"), None, "they asked for it")
    other.refresh_from_db()
    assert other.active_snapshot
    assert all_checks_hold()


def test_vectors_are_left_to_gc_while_somebody_writes_memberships(library, monkeypatch):
    """The receipt says so."""
    monkeypatch.setattr(erasing, "LOCK_MEMBERSHIP", "SET LOCAL statement_timeout = '9ms'; SELECT pg_sleep(1)")
    receipt = erase(library.document_files.get(path="person.md"), None, "they asked for it")
    assert receipt["left"]["vectors"] == receipt["vectors"] > 0
    collect()
    assert not Embedding.objects.exclude(content_hash__in=Chunk.objects.values("content_hash")).exists()
