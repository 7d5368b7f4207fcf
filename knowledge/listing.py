"""Libraries and files as lists show them, on pages and over REST."""

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery

from knowledge.models import Job, Library, SnapshotFile, in_reading_order
from knowledge.models.library import Reader


def with_counts(user: Reader) -> QuerySet[Library]:
    """Readable libraries with `file_count` (visible files), and their last job's state and time."""
    last_job = Job.objects.filter(library=OuterRef("pk"))
    visible = Q(active_snapshot__files__document_file__withdrawn_at__isnull=True)
    return (
        Library.objects.readable_by(user)
        .select_related("active_snapshot__profile", "active_snapshot__space")
        .annotate(
            file_count=Count("active_snapshot__files__document_file", filter=visible),
            last_job_state=Subquery(last_job.values("state")[:1]),
            last_job_at=Subquery(last_job.values("created_at")[:1]),
        )
        .order_by("slug")
    )


def visible_members(snapshot: int | None, prefix: str = "") -> QuerySet[SnapshotFile]:
    """A snapshot's files that are not withdrawn, in reading order, or else by path."""
    members = (
        SnapshotFile.objects.filter(snapshot=snapshot, document_file__withdrawn_at__isnull=True)
        .filter(document_file__path__startswith=prefix.replace("\0", ""))
        .select_related("document_file", "file_version")
        .defer("file_version__text", "file_version__warnings", "file_version__links")
    )
    return in_reading_order(members)
