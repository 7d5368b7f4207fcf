"""Snapshots: sealed, whole, and the only way to be seen."""

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet

from knowledge.canonical import canonical_hash
from knowledge.models import Chunk, Library, Snapshot

from .finding import Finding, violations

FOREIGN = """
    SELECT format('the active snapshot of %s is %s of library %s', library.slug, snapshot.number, snapshot.library_id)
    FROM knowledge_library library JOIN knowledge_snapshot snapshot ON snapshot.id = library.active_snapshot_id
    WHERE snapshot.library_id <> library.id
"""


def active(_: bool) -> Finding:
    pointed_at = Library.objects.active().values("active_snapshot")
    own = violations("SELECT count(*) FROM knowledge_library WHERE active_snapshot_id IS NOT NULL", FOREIGN)
    return sealed(Snapshot.objects.filter(pk__in=pointed_at)).joined(own)


def older(_: bool) -> Finding:
    pointed_at = Library.objects.active().values("active_snapshot")
    return sealed(Snapshot.objects.filter(state=Snapshot.State.READY).exclude(pk__in=pointed_at))


def sealed(snapshots: QuerySet[Snapshot]) -> Finding:
    finding = Finding()
    for snapshot in snapshots.select_related("library", "profile"):
        same = snapshot.state == Snapshot.State.READY and canonical_hash(snapshot.manifest()) == snapshot.manifest_hash
        finding.expect(same, f"{snapshot}: manifest hash")
        counted = Chunk.objects.filter(file_version__memberships__snapshot=snapshot).count()
        counted += sum(file["chunks"] for file in snapshot.erased)
        finding.expect(
            counted == snapshot.chunk_count, f"{snapshot}: {counted} chunks, sealed with {snapshot.chunk_count}"
        )
    return finding


def visible(_: bool) -> Finding:
    """The predicate of every search, against the same rule said another way."""
    seen = Chunk.objects.visible_to(None)
    outside = seen.exclude(
        Q(file_version__document_file__withdrawn_at__isnull=True)
        & Q(file_version__memberships__snapshot__in=Library.objects.values("active_snapshot"))
    )
    finding = Finding(checked=seen.count())
    finding.fail([f"chunk {pk}" for pk in outside.values_list("pk", flat=True)])
    closed = Chunk.objects.visible_to(AnonymousUser()).exclude(
        file_version__document_file__library__access=Library.Access.PUBLIC
    )
    finding.fail([f"chunk {pk} is open to everyone" for pk in closed.values_list("pk", flat=True)])
    foreign = violations(
        "SELECT count(*) FROM knowledge_snapshotfile",
        """
        SELECT format('membership %s:%s crosses libraries or files', member.snapshot_id, member.document_file_id)
        FROM knowledge_snapshotfile member
        JOIN knowledge_snapshot snapshot ON snapshot.id = member.snapshot_id
        JOIN knowledge_documentfile document ON document.id = member.document_file_id
        JOIN knowledge_fileversion version ON version.id = member.file_version_id
        WHERE document.library_id <> snapshot.library_id OR version.document_file_id <> document.id
        """,
    )
    return finding.joined(foreign)
