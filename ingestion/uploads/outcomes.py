"""What became of an uploaded file: whether searches find it, or else what it waits for."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import connection
from django.db.models import BooleanField, QuerySet
from django.db.models.expressions import RawSQL

from knowledge.models import Library, Snapshot, Upload
from knowledge.models.job_states import BUILD

Name = tuple[str, str]  # path, SHA-256
NEXT_BUILD = "the next build looks at it"

# All that was rejected of a library, and why. Of what is told of a file with its content the first counts: that it is
# active; a review, or a parser; that the newest snapshot holds it; a review of another candidate, as of a part that was
# rolled back. Sorted and not joined: without statistics the planner would join row by row.
REJECTED = """
    WITH newest AS (
        SELECT id, COALESCE(derived_from_id, id) AS candidate, rejected FROM knowledge_snapshot WHERE id = %s
    ), library AS (
        SELECT id, active_snapshot_id, unindexed FROM knowledge_library WHERE id = %s
    ), decided AS (
        SELECT document.path, member.identity AS sha256, snapshot_id, decision.id, verdict, comment
        FROM knowledge_decision decision
        JOIN knowledge_documentfile document ON document.id = document_file_id
        JOIN knowledge_snapshotfile member USING (snapshot_id, document_file_id)
        WHERE document.library_id = (SELECT id FROM library)
    ), reviewed AS (
        SELECT DISTINCT ON (path) path, sha256, verdict, comment FROM decided
        WHERE snapshot_id = (SELECT candidate FROM newest) ORDER BY path, id DESC
    ), reviewed_before AS (
        SELECT DISTINCT ON (path, sha256) path, sha256, verdict, comment FROM decided
        WHERE snapshot_id <> (SELECT id FROM newest) ORDER BY path, sha256, id DESC
    ), told AS (
        SELECT CASE snapshot_id WHEN active_snapshot_id THEN 1 ELSE 4 END AS place, path, identity AS sha256,
            NULL AS reason
        FROM library, newest, knowledge_snapshotfile
        JOIN knowledge_documentfile document ON document.id = document_file_id
        WHERE snapshot_id IN (active_snapshot_id, newest.id)
        UNION ALL
        SELECT 2, path, sha256, 'in review: ' || comment FROM reviewed WHERE verdict = 'rejected'
        UNION ALL
        SELECT 3, path, substring(identity FROM '[^ ]*$'), reason
        FROM newest, jsonb_to_recordset(rejected) AS file (path text, identity text, reason text)
        UNION ALL
        SELECT 5, path, sha256, 'in review: ' || comment FROM reviewed_before WHERE verdict = 'rejected'
    ), first_told AS (
        SELECT DISTINCT ON (path, sha256) path, sha256, reason FROM told ORDER BY path, sha256, place
    ), rejected AS (
        SELECT path, sha256, reason FROM first_told WHERE reason IS NOT NULL
        AND path NOT IN (SELECT jsonb_array_elements_text(unindexed) FROM library)
    )
"""
REASONS = f"{REJECTED} SELECT path, sha256, reason FROM rejected WHERE path = ANY(%s)"  # noqa: S608  # constants
NAMED = "knowledge_upload.path, knowledge_upload.sha256"
# IS TRUE: it is hashed. Without it, and without statistics, the planner may join it row by row.
IS_REJECTED = f"(({NAMED}) IN ({REJECTED} SELECT path, sha256 FROM rejected)) IS TRUE"  # noqa: S608


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
    newest = newest_of(library)
    active, made = held(library.active_snapshot, paths), held(newest, paths)
    why = reasons(library, newest, paths)
    withdrawn = library.document_files.filter(path__in=paths).exclude(withdrawn_at=None)
    hidden = set(withdrawn.values_list("path", flat=True))
    lost = set(library.document_files.lost().filter(path__in=paths).values_list("path", flat=True))
    was_active = newest is not None and newest.activations.exists()
    coming = library.jobs.unfinished().filter(kind=BUILD).exists()

    def outcome(upload: Upload) -> Outcome:
        name = (upload.path, upload.sha256)
        if name in active:
            return Outcome(upload, "ready", withdrawn=upload.path in hidden, empty=active[name] == 0)
        if name in why:
            return Outcome(upload, "rejected", why[name], lost=upload.path in lost)
        if upload.path in library.unindexed:
            return Outcome(upload, "taken out", "an operator can let it in again")
        if newest and name in made:
            if was_active:
                return Outcome(upload, "not active", f"snapshot {newest.number}, which holds it, was rolled back")
            return Outcome(upload, "waits for review", snapshot=newest.number)
        return Outcome(upload, "waiting") if coming else Outcome(upload, "not active", NEXT_BUILD)

    return [outcome(upload) for upload in uploads]


def rejected(library: Library, prefix: str = "") -> QuerySet[Upload]:
    """Those of the current uploads that were rejected: by a parser, the patterns or a reviewer."""
    newest = newest_of(library)
    if newest is None:
        return library.uploads.none()
    is_rejected = RawSQL(IS_REJECTED, (newest.pk, library.pk), BooleanField())  # noqa: S611  # a constant
    return library.uploads.current().filter(is_rejected, path__startswith=prefix)


def reasons(library: Library, newest: Snapshot | None, paths: list[str]) -> dict[Name, str]:
    """Why those of these paths were rejected that were."""
    if newest is None:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(REASONS, (newest.pk, library.pk, paths))
        return {(path, sha256): reason for path, sha256, reason in cursor.fetchall()}


def newest_of(library: Library) -> Snapshot | None:
    return library.snapshots.filter(state=Snapshot.State.READY).defer("rejected").newest_built()


def held(snapshot: Snapshot | None, paths: list[str]) -> dict[Name, int]:
    """How many passages each has."""
    if snapshot is None:
        return {}
    members = snapshot.files.filter(document_file__path__in=paths)
    rows = members.values_list("document_file__path", "identity", "file_version__chunk_count")
    return {(path, identity): passages for path, identity, passages in rows}
