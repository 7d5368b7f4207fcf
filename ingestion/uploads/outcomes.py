"""What became of an uploaded file: whether searches find it, or else what it waits for."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import BooleanField, QuerySet
from django.db.models.expressions import RawSQL

from knowledge.models import Decision, Library, Snapshot, Upload
from knowledge.models.job_states import BUILD

Name = tuple[str, str]  # path, SHA-256
NEXT_BUILD = "the next build looks at it"

# Of a library: path and SHA-256 of what `with_outcomes` calls rejected, however much that is.
REJECTED = """
    WITH decided AS (
        SELECT document.path, member.identity AS sha256, snapshot_id, decision.id, verdict
        FROM knowledge_decision decision
        JOIN knowledge_documentfile document ON document.id = document_file_id
        JOIN knowledge_snapshotfile member USING (snapshot_id, document_file_id)
        WHERE document.library_id = %s
    ), unread AS (
        SELECT file.path, substring(file.identity FROM '[^ ]*$') AS sha256
        FROM knowledge_snapshot, jsonb_to_recordset(rejected) AS file (path text, identity text) WHERE id = %s
    ), reviewed AS (
        SELECT DISTINCT ON (path) path, sha256, verdict FROM decided WHERE snapshot_id = %s ORDER BY path, id DESC
    ), reviewed_before AS (
        SELECT DISTINCT ON (path, sha256) path, sha256, verdict FROM decided
        WHERE snapshot_id <> %s ORDER BY path, sha256, id DESC
    ), made AS (
        SELECT path, identity FROM knowledge_snapshotfile
        JOIN knowledge_documentfile document ON document.id = document_file_id WHERE snapshot_id = %s
    ), active AS (
        SELECT path, identity FROM knowledge_snapshotfile
        JOIN knowledge_documentfile document ON document.id = document_file_id WHERE snapshot_id = %s
    ), rejected AS (
        TABLE unread
        UNION SELECT path, sha256 FROM reviewed WHERE verdict = 'rejected'
        UNION (SELECT path, sha256 FROM reviewed_before WHERE verdict = 'rejected' EXCEPT TABLE made)
        EXCEPT TABLE active
    )
    SELECT path, sha256 FROM rejected WHERE path NOT IN (
        SELECT jsonb_array_elements_text(unindexed) FROM knowledge_library WHERE id = %s
    )
"""
# IS TRUE: it is hashed. Without it, and without statistics, the planner may join it row by row.
IS_REJECTED = f"((knowledge_upload.path, knowledge_upload.sha256) IN ({REJECTED})) IS TRUE"


@dataclass(frozen=True, slots=True)
class Outcome:
    upload: Upload
    state: str  # "ready", "waits for review", "rejected", "taken out", "waiting", "not active"
    reason: str = ""
    snapshot: int | None = None  # the number of the one that waits for review
    withdrawn: bool = False  # ready, and shown to nobody
    empty: bool = False  # ready, and without a passage that could be found
    lost: bool = False  # rejected, and so the version before it is not found any more

    @property
    def is_unread(self) -> bool:
        """No build has taken it in or rejected it yet."""
        return self.state == "waiting" or self.reason == NEXT_BUILD


def with_outcomes(library: Library, uploads: Iterable[Upload]) -> list[Outcome]:
    """Ready is what the active snapshot holds. Beside it only the newest is looked at: it knows the most uploads."""
    uploads = list(uploads)
    paths = [upload.path for upload in uploads]
    newest = library.snapshots.filter(state=Snapshot.State.READY).newest_built()
    active, made = held(library.active_snapshot, paths), held(newest, paths)
    rejected = newest.rejected_contents if newest else {}
    rejected |= rejected_in_review(newest, paths)
    before = rejected_before(newest, paths)
    withdrawn = library.document_files.filter(path__in=paths).exclude(withdrawn_at=None)
    hidden = set(withdrawn.values_list("path", flat=True))
    lost = set(library.document_files.lost().filter(path__in=paths).values_list("path", flat=True))
    was_active = newest is not None and newest.activations.exists()
    coming = library.jobs.unfinished().filter(kind=BUILD).exists()

    def outcome(upload: Upload) -> Outcome:
        name = (upload.path, upload.sha256)
        if name in active:
            return Outcome(upload, "ready", withdrawn=upload.path in hidden, empty=active[name] == 0)
        if newest and name in made and name not in rejected:
            if was_active:
                return Outcome(upload, "not active", f"snapshot {newest.number}, which holds it, was rolled back")
            return Outcome(upload, "waits for review", snapshot=newest.number)
        if upload.path in library.unindexed:
            return Outcome(upload, "taken out", "an operator can let it in again")
        if name in rejected:
            return Outcome(upload, "rejected", rejected[name], lost=upload.path in lost)
        if name in before:
            return Outcome(upload, "rejected", before[name])
        return Outcome(upload, "waiting") if coming else Outcome(upload, "not active", NEXT_BUILD)

    return [outcome(upload) for upload in uploads]


def rejected(library: Library, prefix: str = "") -> QuerySet[Upload]:
    """Those of the current uploads that were rejected: by a parser, the patterns or a reviewer."""
    newest = library.snapshots.filter(state=Snapshot.State.READY).defer("rejected").newest_built()
    if newest is None:
        return library.uploads.none()
    candidate, active = newest.derived_from_id or newest.pk, library.active_snapshot_id
    numbers = (library.pk, newest.pk, candidate, newest.pk, newest.pk, active, library.pk)
    is_rejected = RawSQL(IS_REJECTED, numbers, BooleanField())  # noqa: S611  # a constant
    return library.uploads.current().filter(is_rejected, path__startswith=prefix)


def rejected_in_review(snapshot: Snapshot | None, paths: list[str]) -> dict[Name, str]:
    """What a reviewer said of files that a snapshot brings, or the one that it was made of by what was approved."""
    if snapshot is None:
        return {}
    candidate = snapshot.derived_from or snapshot
    decisions = Decision.objects.filter(document_file__path__in=paths).newest(candidate)
    said = {
        document: f"in review: {decision.comment}"
        for document, decision in decisions.items()
        if decision.verdict == Decision.Verdict.REJECTED
    }
    members = candidate.files.filter(document_file__in=said)
    rows = members.values_list("document_file__path", "identity", "document_file")
    return {(path, identity): said[document] for path, identity, document in rows}


def rejected_before(snapshot: Snapshot | None, paths: list[str]) -> dict[Name, str]:
    """What was last said of the same content in other candidates: of a part that was rolled back, and the like."""
    if snapshot is None:
        return {}
    documents = dict(snapshot.library.document_files.filter(path__in=paths).values_list("pk", "path"))
    return {
        (documents[document], sha256): f"in review: {decision.comment}"
        for (document, sha256), decision in Decision.objects.earlier(snapshot, documents).items()
        if sha256 and decision.verdict == Decision.Verdict.REJECTED
    }


def held(snapshot: Snapshot | None, paths: list[str]) -> dict[Name, int]:
    """How many passages each has."""
    if snapshot is None:
        return {}
    members = snapshot.files.filter(document_file__path__in=paths)
    rows = members.values_list("document_file__path", "identity", "file_version__chunk_count")
    return {(path, identity): passages for path, identity, passages in rows}
