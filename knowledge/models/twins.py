"""File versions that say nearly the same: reported, never hidden."""

from django.db import models
from django.db.models import F, Prefetch, Q

from .document import FileVersion
from .snapshot import SnapshotFile


class FileSignature(models.Model):
    """MinHash signatures of a version's words and of its headings; empty where there are too few to tell."""

    file_version = models.OneToOneField(
        FileVersion, primary_key=True, on_delete=models.CASCADE, related_name="signature"
    )
    words = models.BinaryField(help_text="uint32, one for each hash function")
    outline = models.BinaryField(help_text="uint32, one for each hash function")

    def __str__(self) -> str:
        return f"signature of {self.file_version_id}"


class NearTwinQuerySet(models.QuerySet["NearTwin"]):
    def in_snapshot(self, snapshot: int | None) -> "NearTwinQuerySet":
        """The pairs of which this snapshot holds both, and of which neither is withdrawn; the most alike first."""
        members = SnapshotFile.objects.filter(snapshot=snapshot, document_file__withdrawn_at=None)
        held = members.values("file_version")
        pairs = self.filter(one__in=held, other__in=held).order_by("-similarity", "one", "other")
        # Fetched apart: to plan joins with both versions and their files takes longer than to read them.
        versions = FileVersion.objects.defer("text").select_related("document_file")
        return pairs.prefetch_related(Prefetch("one", versions), Prefetch("other", versions))


class NearTwin(models.Model):
    """Two versions of different files of one library. Written once."""

    class Kind(models.TextChoices):
        COPY = "copy", "the same text"
        TEXT = "text", "nearly the same text"
        OUTLINE = "outline", "the same headings, much the same words"

    one = models.ForeignKey(FileVersion, on_delete=models.CASCADE, related_name="+")
    other = models.ForeignKey(FileVersion, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=20, choices=Kind)
    similarity = models.FloatField(help_text="0 to 1: of their texts, or of their headings.")

    objects = NearTwinQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["one", "other"], name="near_twin"),
            models.CheckConstraint(condition=Q(one__lt=F("other")), name="near_twin_order"),
        ]

    def __str__(self) -> str:
        return f"{self.one_id} ~ {self.other_id}"
