"""In which order a snapshot's documents are to be read, as the documents themselves say."""

from django.db import models
from django.db.models import F, OuterRef, QuerySet, Subquery

from .snapshot import SnapshotFile


class ReadingPlace(models.Model):
    """A file's place, and how many files it stands below. A snapshot whose files have no table of contents has none."""

    pk = models.CompositePrimaryKey("snapshot_id", "document_file_id")
    snapshot = models.ForeignKey("knowledge.Snapshot", on_delete=models.CASCADE, related_name="reading_places")
    document_file = models.ForeignKey("knowledge.DocumentFile", on_delete=models.CASCADE, related_name="+")
    place = models.PositiveIntegerField()
    depth = models.PositiveSmallIntegerField()

    def __str__(self) -> str:
        return f"{self.snapshot_id}:{self.place}"


def in_reading_order(members: QuerySet[SnapshotFile]) -> QuerySet[SnapshotFile]:
    """Files of snapshots with their `depth`, in reading order; by path where there is none."""
    own = ReadingPlace.objects.filter(snapshot=OuterRef("snapshot_id"), document_file=OuterRef("document_file_id"))
    placed = members.annotate(place=Subquery(own.values("place")), depth=Subquery(own.values("depth")))
    return placed.order_by(F("place").asc(nulls_last=True), "document_file__path")
