"""An upload: a file that somebody brought, and when. The rows are what an uploads library's source lists."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from .document import FileVersion
from .library import Library


class UploadQuerySet(models.QuerySet["Upload"]):
    def current(self) -> "UploadQuerySet":
        """Neither replaced nor removed."""
        return self.filter(ended_at=None)


class Upload(models.Model):
    library = models.ForeignKey(Library, on_delete=models.CASCADE, related_name="uploads")
    path = models.CharField(max_length=1000, db_collation="C")
    sha256 = models.CharField(max_length=64, help_text="Of the original, kept under this name.")
    size = models.PositiveBigIntegerField()
    uploaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    uploaded_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True, help_text="Replaced or removed then.")
    ended_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    objects = UploadQuerySet.as_manager()

    class Meta:
        ordering = ["library", "path", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["library", "path"], condition=Q(ended_at=None), name="current_upload"),
            models.CheckConstraint(condition=Q(sha256__regex="^[0-9a-f]{64}$"), name="upload_sha256"),
        ]
        indexes = [models.Index(fields=["sha256"], name="upload_original")]

    def __str__(self) -> str:
        return self.path


def is_wanted(sha256: str) -> bool:
    """Whether a file version or a current upload, in any library, has this content."""
    uploaded = Upload.objects.current().filter(sha256=sha256)
    return uploaded.exists() or FileVersion.objects.filter(sha256=sha256).exists()
