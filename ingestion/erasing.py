"""Erasing a document file for good: from every snapshot, the ledger, the vectors, the postings and the originals.

What is left is its path, withdrawn, so that nothing brings it back, and in each manifest the hashes that prove what it
was. What is outside of Muniment's reach (the source itself, and a git clone of it) is said in the receipt.
"""

import logging
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import OperationalError, connection, transaction
from django.db.models import Case, Exists, F, OuterRef, QuerySet, Value, When
from django.utils import timezone

from knowledge import access
from knowledge.governance import audit
from knowledge.governance.withdrawal import NOTHING
from knowledge.models import (
    Answer,
    AnswerCitation,
    AuditEvent,
    Chunk,
    DocumentFile,
    FileVersion,
    Library,
    SectionSummary,
    Snapshot,
)
from knowledge.models.library import Reader
from knowledge.models.upload import Upload, is_wanted
from knowledge.storage import folders, originals

from .collecting import LOCK_MEMBERSHIP, left_of_erased
from .jobs import LibraryBusy
from .merging import leave_out
from .operations import operation
from .progress import Progress

ERASED = "[erased]"
NAMED = 20  # of the places that have the same bytes
AT_ONCE = 100  # files in one transaction, when the trash is emptied
RESTING_ON = """
    SELECT answer.id FROM knowledge_answer answer
    WHERE EXISTS (SELECT FROM knowledge_answercitation citation
                  WHERE citation.answer_id = answer.id AND citation.file_version_id = ANY(%(versions)s))
       OR EXISTS (SELECT FROM jsonb_array_elements_text(answer.passages) passage
                  WHERE passage::bigint = ANY(%(chunks)s))
"""
VECTORS = """
    FROM knowledge_embedding vector WHERE content_hash = ANY(%s)
    AND NOT EXISTS (SELECT FROM knowledge_chunk chunk WHERE chunk.content_hash = vector.content_hash)
    AND NOT EXISTS (SELECT FROM knowledge_sectionsummary summary WHERE summary.content_hash = vector.content_hash)
"""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Taken:
    """What was taken out of the database: the receipt so far, and what else is to go with it."""

    receipt: dict[str, Any]
    chunks: list[int]  # keys
    hashes: list[bytes]  # of the texts that were embedded
    originals: set[str]  # SHA-256


def erase(document: DocumentFile, by: Reader, reason: str) -> dict[str, Any]:
    """The receipt, as the audit keeps it, but with what other libraries have of its bytes.

    Raises NotAllowed, LibraryBusy; ValueError without a reason.
    """
    library = document.library
    access.demand(by, access.Act.ERASE, library)
    if not (reason := reason.replace("\0", "").strip()[:500]):
        raise ValueError("say why it is erased")
    with operation(library, "erase", path=document.path) as progress:
        (receipt,) = erase_all(library, DocumentFile.objects.filter(pk=document.pk), by, reason, progress)
        prepare_again(library)
    document.refresh_from_db()
    return receipt


def empty_trash() -> None:
    """What has been in the trash for as long as its library says is erased; a library that is busy waits.

    Raises ExceptionGroup of what went wrong, when all libraries were tried.
    """
    errors = []
    for library in Library.objects.filter(document_files__trashed_at__isnull=False).distinct():
        try:
            empty_trash_of(library)
        except Exception as error:
            error.add_note(f"in the trash of {library}")
            errors.append(error)
    if errors:
        raise ExceptionGroup("trash", errors)


def empty_trash_of(library: Library) -> None:
    due = library.document_files.filter(trashed_at__lte=timezone.now() - timedelta(days=library.trash_days))
    reason = f"in the trash for {library.trash_days} days"
    if due.exists():
        with suppress(LibraryBusy), operation(library, "erase", trash=True) as progress:
            while erase_all(library, due, None, reason, progress):
                pass
            prepare_again(library)


def finish_erasing() -> None:
    """The originals that were to go when a process was killed, or a disk refused."""
    for sha256 in left_of_erased():
        if not is_wanted(sha256):
            originals.discard(sha256, is_wanted, 0)


def erase_all(
    library: Library, due: QuerySet[DocumentFile], by: Reader, reason: str, progress: Progress
) -> list[dict[str, Any]]:
    """Up to AT_ONCE of the library's files `due`, all or none: one that was restored meanwhile stays. The receipts."""
    with transaction.atomic():
        Library.objects.lock(library.pk)
        rows = due.select_related("library").select_for_update(of=("self",), no_key=True)
        documents = list(rows.order_by("pk")[:AT_ONCE])
        hold_chunks(documents)
        taken = [take_out(document) for document in documents]
        trashed = [{"trashed_by": who_trashed(document)} if document.trashed_at else {} for document in documents]
        leave_out(library, {chunk for one in taken for chunk in one.chunks})
        progress.job.hold()  # not before: nobody can renew the lease from now on
        with audit.acting(by):
            keep_out(library, documents, reason)
        for document, one, by_whom in zip(documents, taken, trashed, strict=True):
            one.receipt.update(
                **by_whom,
                reason=reason,
                originals=sorted(sha256 for sha256 in one.originals if not is_wanted(sha256)),
                outside=outside(library),
                left=left(document),
                **named(elsewhere(document, one.originals, [library])),  # others are not for all who read its audit
            )
            audit.record("document.erase", library=library, document=document, by=by, **one.receipt)
    for sha256 in {sha256 for one in taken for sha256 in one.receipt["originals"]}:
        originals.discard(sha256, is_wanted, 0)
    folders.drop_matrices(library.pk)  # they hold its vectors
    drop_vectors(sorted({found for one in taken for found in one.hashes}))
    for document, one in zip(documents, taken, strict=True):
        one.receipt["left"]["vectors"] = count_vectors(one.hashes)
        one.receipt.update(named(elsewhere(document, one.originals, Library.objects.all())))
    return [one.receipt for one in taken]


def who_trashed(document: DocumentFile) -> str:
    """By name, as the audit has it; empty for one that was there before the audit, or by a statement."""
    events = AuditEvent.objects.about(document.library.slug, document.path).filter(action="document.trash")
    return events.order_by("-number").values_list("actor", flat=True).first() or ""


def hold_chunks(documents: Sequence[DocumentFile]) -> None:
    """An answer that is finished meanwhile is in the ledger before it is looked through, or finds them gone.

    All at once, by their keys, and before any answer, as whoever finishes one does: so nobody waits in a circle.
    """
    chunks = Chunk.objects.select_for_update(of=("self",)).filter(file_version__document_file__in=documents)
    list(chunks.order_by("pk").values_list("pk"))


def take_out(document: DocumentFile) -> Taken:
    """Everything that was made of a file, but its postings and vectors."""
    versions = dict(document.versions.values_list("pk", "sha256"))
    chunks = Chunk.objects.filter(file_version__in=versions)
    summaries = SectionSummary.objects.filter(section__file_version__in=versions)
    texts = chunks.values_list("content_hash", flat=True), summaries.values_list("content_hash", flat=True)
    hashes = sorted({bytes(found) for rows in texts for found in rows})
    numbers = list(chunks.values_list("pk", flat=True))
    receipt: dict[str, Any] = {
        "versions": sorted(set(versions.values())),
        "chunks": len(numbers),
        "snapshots": leave_snapshots(document),
        "answers": leave_ledger(list(versions), numbers),
    }
    FileVersion.objects.filter(pk__in=versions).delete()
    receipt["vectors"] = count_vectors(hashes)
    before = AuditEvent.objects.filter(library=document.library.slug, path=document.path).erased_originals()
    return Taken(receipt, numbers, hashes, {*versions.values(), *brought(document), *before})


def brought(document: DocumentFile) -> set[str]:
    """The SHA-256 of what was ever uploaded at its path: what was replaced or rejected may have no version."""
    return set(document.library.uploads.filter(path=document.path).values_list("sha256", flat=True))


def prepare_again(library: Library) -> None:
    library.refresh_from_db()
    if library.active_snapshot:
        library.active_snapshot.prepare()


def leave_snapshots(document: DocumentFile) -> list[int]:
    """Take it out of every snapshot; what the manifests said of it stays in them as hashes. Their numbers.

    Each counts as rebuilt: what searches remember of it from before must not come back when the path is restored.
    One that is being built has no manifest yet: whoever resumes it seals it without the file.
    """
    numbers = []
    holding = Snapshot.objects.filter(files__document_file=document).order_by("number")
    for snapshot in holding.select_for_update(of=("self",), no_key=True):
        version = FileVersion.objects.defer("text").get(memberships__snapshot=snapshot, document_file=document)
        snapshot.files.filter(document_file=document).delete()
        if snapshot.state == Snapshot.State.READY:
            entry = {
                "path": document.path,
                "sha256": version.sha256,
                "media_type": version.media_type,
                "digest": version.digest,
                "chunks": version.chunk_count,
            }
            snapshot.erased, snapshot.rebuilds = [*snapshot.erased, entry], snapshot.rebuilds + 1
            snapshot.save(update_fields=["erased", "rebuilds"])
        numbers.append(snapshot.number)
    return numbers


def leave_ledger(versions: Sequence[int], chunks: Sequence[int]) -> list[int]:
    """Answers that cite it, or were drawn from it, lose their words; that they were given stays. Their keys.

    So do later questions of their conversations lose the wording that a model may have made with such words.
    """
    with connection.cursor() as cursor:
        cursor.execute(RESTING_ON, {"versions": list(versions), "chunks": list(chunks)})
        answers = sorted(key for (key,) in cursor.fetchall())
    said = Case(When(state=Answer.State.INCOMPLETE, then=Value("")), default=Value(ERASED))
    rows = Answer.objects.filter(pk__in=answers)
    rows.update(text=said, sentences=[], passages=[], draft="", standalone="", searched_for="")
    before = rows.filter(conversation=OuterRef("conversation"), asked_at__lt=OuterRef("asked_at"))
    worded = Answer.objects.filter(Exists(before)).exclude(standalone=F("question"))
    worded.update(standalone="", searched_for="")
    AnswerCitation.objects.filter(answer__in=answers).delete()
    return answers


def count_vectors(hashes: Sequence[bytes]) -> int:
    """How many vectors there are of texts that no file has any more."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) {VECTORS}", [list(hashes)])
        count: int = cursor.fetchone()[0]
    return count


def drop_vectors(hashes: Sequence[bytes]) -> None:
    """In a transaction of its own: a build of another library finds them before it, or makes them anew after it."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(LOCK_MEMBERSHIP)
            cursor.execute(f"DELETE {VECTORS}", [list(hashes)])
    except OperationalError as error:  # somebody writes memberships for long
        logger.warning("the vectors of what was erased are left for the next gc: %s", error)


def keep_out(library: Library, documents: Sequence[DocumentFile], reason: str) -> None:
    """They stay withdrawn, builds leave them out, nobody looks after them, and no tag says what they were."""
    if not documents:
        return
    of_these = DocumentFile.objects.filter(pk__in=[document.pk for document in documents])
    of_these.update(owner=None, tags=[], review_by=None)  # past the signal: the audit would keep the tags once more
    for document in documents:
        document.withdrawn_at = document.withdrawn_at or timezone.now()
        document.withdrawn_because, document.trashed_at = f"{DocumentFile.ERASED}{reason}"[:500], None
        document.save(update_fields=["withdrawn_at", "withdrawn_because", "trashed_at"])
    paths = [document.path for document in documents]
    library.uploads.current().filter(path__in=paths).update(ended_at=timezone.now())
    library.refresh_from_db()
    library.unindexed = sorted({*library.unindexed, *paths})
    library.save(update_fields=["unindexed"])


def outside(library: Library) -> list[str]:
    places = {
        Library.Kind.GIT: ["the repository, and the clone of it for as long as the repository has the file"],
        Library.Kind.DIRECTORY: ["the directory that the library reads"],
    }
    return [*places.get(Library.Kind(library.kind), []), "backups and exports made before"]


def elsewhere(
    document: DocumentFile, contents: Collection[str], libraries: QuerySet[Library] | list[Library]
) -> list[str]:
    """What else in these libraries has one of these SHA-256, as `library: path`; empty files are no matter."""
    contents = {*contents} - {NOTHING}
    versions = FileVersion.objects.filter(sha256__in=contents, document_file__library__in=libraries)
    uploads = Upload.objects.current().filter(sha256__in=contents, library__in=libraries)
    found = {
        *versions.values_list("document_file__library__slug", "document_file__path"),
        *uploads.values_list("library__slug", "path"),
    }
    return sorted(f"{slug}: {path}" for slug, path in found - {(document.library.slug, document.path)})


def named(places: Sequence[str]) -> dict[str, Any]:
    """The first of them, and how many there are, for a receipt."""
    return {"elsewhere": [*places[:NAMED]], "elsewhere_count": len(places)}


def held(document: DocumentFile) -> set[str]:
    """The SHA-256 of all that it ever was."""
    return {*document.versions.values_list("sha256", flat=True), *brought(document)}


def left(document: DocumentFile) -> dict[str, int]:
    """Counted again after the deed: all of it must be 0."""
    return {
        "versions": document.versions.count(),
        "chunks": Chunk.objects.filter(file_version__document_file=document).count(),
        "memberships": Snapshot.objects.filter(files__document_file=document).count(),
        "citations": AnswerCitation.objects.filter(file_version__document_file=document).count(),
    }
