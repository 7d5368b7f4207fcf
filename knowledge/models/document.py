"""Document files, their versions, and what a version is made of. Versions and their parts are written once."""

import hashlib
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex, OpClass
from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Cast, Upper
from django.urls import reverse
from django.utils.functional import cached_property

from knowledge.changes.section_changes import Place

from .library import Library, Reader
from .snapshot import SnapshotFile


class DocumentFileQuerySet(models.QuerySet["DocumentFile"]):
    def withdrawn(self) -> "DocumentFileQuerySet":
        """Those that nobody sees and that can be restored, in the trash or not."""
        return self.exclude(withdrawn_at=None).exclude(withdrawn_because__startswith=DocumentFile.ERASED)

    def erased(self) -> "DocumentFileQuerySet":
        return self.exclude(withdrawn_at=None).filter(withdrawn_because__startswith=DocumentFile.ERASED)

    def lost(self) -> "DocumentFileQuerySet":
        """Those that were found before and are no more, though nobody withdrew them."""
        members = SnapshotFile.objects.filter(document_file=OuterRef("pk"))
        was_active = Exists(members.filter(snapshot__activations__isnull=False))
        is_active = Exists(members.filter(snapshot=OuterRef("library__active_snapshot")))
        return self.filter(was_active, ~is_active, withdrawn_at=None)


class DocumentFile(models.Model):
    """A file at a path in a library: the thing that is governed."""

    class State(models.TextChoices):
        VISIBLE = "visible", "visible"
        WITHDRAWN = "withdrawn", "withdrawn"
        TRASHED = "trashed", "in the trash"
        ERASED = "erased", "erased"
        GONE = "gone", "not there"
        INACTIVE = "inactive", "not in the active snapshot"

    ERASED = "erased: "  # how the reason begins of what was erased

    library = models.ForeignKey(Library, on_delete=models.CASCADE, related_name="document_files")
    path = models.CharField(max_length=1000, db_collation="C")
    withdrawn_at = models.DateTimeField(
        null=True, blank=True, help_text="Withdrawn files are invisible at once, everywhere."
    )
    withdrawn_because = models.CharField(max_length=500, blank=True)
    trashed_at = models.DateTimeField(null=True, blank=True, help_text="Erased when its library's days have passed.")
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="owned_files"
    )
    review_by = models.DateField(null=True, blank=True, help_text="When somebody should look at it again.")
    reminded_for = models.DateField(null=True, blank=True, editable=False)
    written_for = models.DateField(null=True, blank=True, editable=False, help_text="The owner was sent a letter.")
    tags = ArrayField(models.CharField(max_length=50), default=list, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = DocumentFileQuerySet.as_manager()

    class Meta:
        ordering = ["library", "path"]
        constraints = [
            models.UniqueConstraint(fields=["library", "path"], name="document_path"),
            models.CheckConstraint(
                condition=Q(trashed_at__isnull=True) | Q(withdrawn_at__isnull=False), name="trash_is_withdrawn"
            ),
        ]
        indexes = [
            models.Index(fields=["library", "id"], condition=Q(withdrawn_at__isnull=False), name="withdrawn_file"),
            models.Index(fields=["review_by"], condition=Q(review_by__isnull=False), name="file_review_by"),
            GinIndex(fields=["tags"], name="file_tags"),
            GinIndex(OpClass(Upper("path"), name="gin_trgm_ops"), name="file_path_trigrams"),
        ]

    def __str__(self) -> str:
        return self.path

    def get_absolute_url(self) -> str:
        return reverse("document", args=[self.library.slug, self.path])

    @property
    def state(self) -> State:
        if self.withdrawn_at:
            hidden = self.State.ERASED if self.is_erased else self.State.WITHDRAWN
            return self.State.TRASHED if self.trashed_at else hidden
        if self.is_active:
            return self.State.VISIBLE
        return self.State.GONE if self.is_gone else self.State.INACTIVE

    @property
    def is_gone(self) -> bool:
        """It was erased and then restored: nothing of it came back, and no new file of its path was read yet."""
        return self.withdrawn_at is None and not self.has_versions

    @cached_property
    def has_versions(self) -> bool:
        return self.versions.exists()

    @cached_property
    def is_active(self) -> bool:
        """Whether the library's active snapshot holds it."""
        return self.active_version() is not None

    @property
    def is_shut_out(self) -> bool:
        """It was taken out of the library, or erased: builds leave it out, and uploads of its path are refused."""
        return self.path in self.library.unindexed

    @property
    def is_erased(self) -> bool:
        """Nothing is left of it, and nobody has let a new file of its path be seen."""
        return self.withdrawn_because.startswith(self.ERASED)

    @property
    def erased_from(self) -> datetime | None:
        """When the trash is to be emptied of it; None: it is not there."""
        return self.trashed_at and self.trashed_at + timedelta(days=self.library.trash_days)

    def active_version(self) -> "FileVersion | None":
        """What the library's active snapshot holds of it."""
        if self.library.active_snapshot_id is None:
            return None
        versions = self.versions.filter(memberships__snapshot=self.library.active_snapshot_id)
        return versions.defer("text").first()

    def still_found(self) -> list[str]:
        """While it is withdrawn: the other paths of its library under which its bytes are found as before."""
        active = self.active_version() if self.withdrawn_at else None
        if active is None or not active.chunk_count:
            return []
        same = FileVersion.objects.filter(sha256=active.sha256, memberships__snapshot=self.library.active_snapshot_id)
        found = same.filter(document_file__withdrawn_at=None).order_by("document_file__path")
        return list(found.values_list("document_file__path", flat=True))


class FileVersion(models.Model):
    """The immutable content of a document file, as one structure (parsers, chunker) reads it."""

    document_file = models.ForeignKey(DocumentFile, on_delete=models.CASCADE, related_name="versions")
    sha256 = models.CharField(max_length=64, help_text="Of the original bytes.")
    structure = models.CharField(max_length=64, help_text="IndexProfile.structure_hash")
    media_type = models.CharField(max_length=100)
    title = models.CharField(max_length=1000)
    size = models.PositiveBigIntegerField()
    text = models.TextField(help_text="As decoded, with \\n line ends: what quotes are substrings of.")
    line_count = models.PositiveIntegerField()
    section_count = models.PositiveIntegerField()
    chunk_count = models.PositiveIntegerField()
    natural_language = models.CharField(max_length=16, blank=True, help_text="ISO 639-1, as detected; empty: unknown.")
    digest = models.CharField(max_length=64, help_text="Hash of its sections and chunks, for the manifest.")
    warnings = models.JSONField(default=list)
    links = models.JSONField(
        default=list,
        db_default=models.Value([], models.JSONField()),
        help_text="Other files that its lines name: [kind, line, path as it is written there].",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["document_file", "sha256", "structure"], name="file_version"),
        ]
        indexes = [
            models.Index(fields=["sha256"], name="version_original"),
            GinIndex(
                OpClass(Cast("links", models.TextField()), name="gin_trgm_ops"),
                condition=Q(links__contains=[["include"]]),
                name="file_version_includes",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.document_file.path}@{self.sha256[:12]}"

    def places(self, path: str) -> list[Place]:
        """Its sections, to be compared with those of another version. White space makes no difference."""
        lines = self.text.split("\n")
        return [
            Place(
                path=path,
                anchor=section.anchor,
                breadcrumb=tuple(section.breadcrumb),
                order=section.ordinal,
                text=hash_of(lines[section.line_start - 1 : section.line_end]),
            )
            for section in self.sections.all()
        ]


def hash_of(lines: Iterable[str]) -> str:
    """Of their words; "" for none."""
    words = " ".join(" ".join(lines).split())
    return hashlib.sha256(words.encode()).hexdigest() if words else ""


class SectionQuerySet(models.QuerySet["Section"]):
    def named(self, anchor: str) -> "SectionQuerySet":
        """Those that this anchor leads to, as it is or as it was."""
        return self.filter(Q(anchor=anchor) | Q(aliases__contains=[anchor]))


class Section(models.Model):
    file_version = models.ForeignKey(FileVersion, on_delete=models.CASCADE, related_name="sections")
    ordinal = models.PositiveIntegerField()
    parent = models.PositiveIntegerField(null=True, help_text="The parent's ordinal.")
    level = models.PositiveSmallIntegerField()
    title = models.TextField()
    breadcrumb = ArrayField(models.TextField())
    anchor = models.TextField()
    aliases = ArrayField(models.TextField(), default=list)
    line_start = models.PositiveIntegerField()
    line_end = models.PositiveIntegerField()
    page = models.PositiveIntegerField(null=True)

    objects = SectionQuerySet.as_manager()

    class Meta:
        ordering = ["file_version", "ordinal"]
        constraints = [
            models.UniqueConstraint(fields=["file_version", "ordinal"], name="section_ordinal"),
            models.UniqueConstraint(fields=["file_version", "anchor"], name="section_anchor"),
            models.CheckConstraint(condition=Q(line_start__gte=1, line_end__gte=F("line_start")), name="section_lines"),
            models.CheckConstraint(
                condition=Q(parent__isnull=True) | Q(parent__lt=F("ordinal")), name="section_parent"
            ),
        ]

    def __str__(self) -> str:
        return " > ".join(self.breadcrumb)


class ChunkQuerySet(models.QuerySet["Chunk"]):
    def in_snapshots(self, snapshots: Iterable[int]) -> "ChunkQuerySet":
        """The chunks that these snapshots hold and whose document files are not withdrawn."""
        members = SnapshotFile.objects.filter(snapshot__in=list(snapshots), document_file__withdrawn_at__isnull=True)
        return self.filter(file_version__in=members.values("file_version"))

    def visible_to(self, user: Reader, libraries: Iterable[str] = ()) -> "ChunkQuerySet":
        """In the active snapshot of a library that `user` may read, and not withdrawn."""
        readable = Library.objects.readable_by(user).active()
        if libraries := list(libraries):
            readable = readable.filter(slug__in=libraries)
        return self.in_snapshots(readable.values_list("active_snapshot", flat=True))


class Chunk(models.Model):
    file_version = models.ForeignKey(FileVersion, on_delete=models.CASCADE, related_name="chunks")
    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="chunks")
    ordinal = models.PositiveIntegerField(help_text="Within the file version.")
    kind = models.CharField(max_length=20)
    language = models.CharField(max_length=40, blank=True)
    text = models.TextField(help_text="The quote: file_version.text[char_start:char_end].")
    context = models.TextField(blank=True, help_text="Read with the text but not part of it, such as a table's header.")
    char_start = models.PositiveIntegerField()
    char_end = models.PositiveIntegerField()
    line_start = models.PositiveIntegerField()
    line_end = models.PositiveIntegerField()
    page = models.PositiveIntegerField(null=True)
    box = ArrayField(
        models.FloatField(),
        size=4,
        null=True,
        help_text="Left, top, right, bottom on its page: points from the top left corner.",
    )
    tokens = models.PositiveIntegerField()
    content_hash = models.BinaryField(max_length=32, help_text="SHA-256 of the text that is embedded.")

    objects = ChunkQuerySet.as_manager()

    class Meta:
        ordering = ["file_version", "ordinal"]
        constraints = [
            models.UniqueConstraint(fields=["file_version", "ordinal"], name="chunk_ordinal"),
            models.CheckConstraint(condition=Q(line_start__gte=1, line_end__gte=F("line_start")), name="chunk_lines"),
            models.CheckConstraint(condition=Q(char_end__gt=F("char_start")), name="chunk_characters"),
        ]
        indexes = [models.Index(fields=["content_hash"], name="chunk_content_hash")]

    def __str__(self) -> str:
        return f"{self.file_version_id}#{self.ordinal}"
