"""In which order a snapshot's documents are to be read, as the documents themselves say."""

from django.db import models
from django.db.models import F, FilteredRelation, Q, QuerySet

from .snapshot import SnapshotFile


class ReadingPlace(models.Model):
    """A file's place, and how many files it stands below. A snapshot whose files have no table of contents has none."""

    pk = models.CompositePrimaryKey("snapshot_id", "document_file_id")
    snapshot = models.ForeignKey("knowledge.Snapshot", on_delete=models.CASCADE, related_name="reading_places")
    document_file = models.ForeignKey("knowledge.DocumentFile", on_delete=models.CASCADE, related_name="reading_places")
    place = models.PositiveIntegerField()
    depth = models.PositiveSmallIntegerField()

    def __str__(self) -> str:
        return f"{self.snapshot_id}:{self.place}"


def in_reading_order(members: QuerySet[SnapshotFile]) -> QuerySet[SnapshotFile]:
    """Files of snapshots with their `depth`, in reading order; by path where there is none."""
    own = FilteredRelation(
        "document_file__reading_places", condition=Q(document_file__reading_places__snapshot=F("snapshot"))
    )
    placed = members.annotate(own=own).annotate(place=F("own__place"), depth=F("own__depth"))
    return placed.order_by(F("place").asc(nulls_last=True), "document_file__path")
