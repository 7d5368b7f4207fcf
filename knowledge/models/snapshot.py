"""A snapshot: an immutable set of file versions of one library."""

from collections.abc import Iterable
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import DatabaseError, models
from django.db.models import Exists, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce, Now
from django.urls import reverse
from django.utils import timezone
from django.utils.module_loading import import_string

from knowledge.above import PREPARE
from knowledge.canonical import canonical_hash
from knowledge.changes.section_changes import Place, SectionChange, section_changes
from knowledge.failpoints import failpoint

if TYPE_CHECKING:
    from .library import Library
    from .review import Activation

Member = tuple[int, int, str]  # keys of document file and file version, and the source's name for the content
BUILT = Coalesce("derived_from__number", "number")  # a part of a candidate is made later than that was built


class NotActivatable(Exception):
    """The snapshot may not become the active one; the message says why."""


class SnapshotQuerySet(models.QuerySet["Snapshot"]):
    def undecided(self, activations: "models.QuerySet[Activation]") -> "SnapshotQuerySet":
        """Ready and built after all that were ever active, neither made of another one nor published in part.

        `activations` are the library's: their newest build is looked up once, not for each snapshot.
        """
        built = Coalesce("snapshot__derived_from__number", "number")
        newest = Subquery(activations.order_by(built.desc()).values_list(built)[:1])
        in_part = Exists(self.model.objects.filter(derived_from=OuterRef("pk"), activations__isnull=False))
        return self.filter(~in_part, state=Snapshot.State.READY, derived_from=None, number__gt=Coalesce(newest, 0))

    def newest_built(self) -> "Snapshot | None":
        """Of the newest build; of that the whole, if it was published, or what was published in part last."""
        whole = self.model.objects.filter(pk=OuterRef("pk"), derived_from=None, activations__isnull=False)
        return self.order_by(BUILT.desc(), Exists(whole).desc(), "-number").first()

    def older_than(self, snapshot: "Snapshot") -> "SnapshotQuerySet":
        """Built before it, or an earlier part of the same; of a whole candidate every part is."""
        candidate = snapshot.derived_from or snapshot
        earlier_part = Q(derived_from=candidate)
        if snapshot.derived_from:
            earlier_part &= Q(number__lt=snapshot.number)
        return self.annotate(built=BUILT).filter(Q(built__lt=candidate.number) | earlier_part)

    def expendable(self, library: "Library") -> "SnapshotQuerySet":
        """What the library's retention no longer asks to keep.

        Kept are the active snapshot, the candidate of which it is a part, and the one that a rollback would go to; the
        newest that waits, with what was decided about it, and candidates without which it would seem older than a part
        of them that was active; pinned ones, those whose activation is planned, the newest `keep_snapshots`, and those
        sealed in the last `keep_days`.
        """
        ready = self.filter(library=library, state=Snapshot.State.READY)
        newest = ready.order_by("-number").values("pk")[: library.keep_snapshots]
        planned = ready.filter(planned__isnull=False, planned__done_at=None).values("pk")
        active, rollback = library.active_snapshot, library.rollback_target()
        named = [active.pk, active.derived_from_id] if active else []
        named += [rollback.pk] if rollback else []
        waiting = ready.undecided(library.activations.all()).order_by("-number").values("pk")[:1]
        parts = self.filter(activations__isnull=False, number__gt=waiting.values("number"))
        parted = ready.filter(derived__in=parts).values("pk")
        old = ready.filter(pinned=False, sealed_at__lt=Now() - timedelta(days=library.keep_days))
        kept = Q(pk__in=newest) | Q(pk__in=planned) | Q(pk__in=waiting) | Q(pk__in=parted)
        return old.exclude(Q(pk__in=named) | kept)


class Snapshot(models.Model):
    class State(models.TextChoices):
        BUILDING = "building", "Building"
        READY = "ready", "Ready"
        FAILED = "failed", "Failed"

    library = models.ForeignKey("knowledge.Library", on_delete=models.CASCADE, related_name="snapshots")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=20, choices=State, default=State.BUILDING)
    profile = models.ForeignKey("knowledge.IndexProfile", on_delete=models.RESTRICT)
    space = models.ForeignKey("knowledge.EmbeddingSpace", on_delete=models.RESTRICT)
    revision = models.CharField(
        max_length=200, blank=True, help_text="What the source was: a commit, or a hash of the files."
    )
    manifest_hash = models.CharField(max_length=64, blank=True)
    rejected = models.JSONField(default=list, help_text="Files that could not be read: path, identity and reason.")
    chunk_count = models.PositiveIntegerField(default=0)
    pinned = models.BooleanField(default=False, help_text="Kept whatever the library's retention says.")
    rebuilds = models.PositiveIntegerField(
        default=0, editable=False, help_text="How often its vectors and postings were made anew."
    )
    summaries_through = models.BigIntegerField(default=0, help_text="It has no summaries with a higher id.")
    code_space = models.ForeignKey(
        "knowledge.EmbeddingSpace",
        null=True,
        on_delete=models.RESTRICT,
        related_name="+",
        help_text="Of the code's vectors, where a model of its own made them.",
    )
    document_count = models.PositiveIntegerField(default=0, help_text="Files, counted when it was sealed.")
    erased = models.JSONField(
        default=list, editable=False, help_text="What the manifest says of files that were erased since: only hashes."
    )
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        editable=False,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="Who asked for the build, and so may not approve it. Postgres takes it from the job.",
    )
    needs_review = models.BooleanField(
        default=False, editable=False, help_text="Whether its library required review when it was built."
    )
    derived_from = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        editable=False,
        on_delete=models.SET_NULL,
        related_name="derived",
        help_text="The candidate of which this holds what was approved.",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    sealed_at = models.DateTimeField(null=True, blank=True)

    objects = SnapshotQuerySet.as_manager()

    class Meta:
        ordering = ["library", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["library", "number"], name="snapshot_number"),
            models.UniqueConstraint(  # a derived one is made within a transaction
                fields=["library"], condition=Q(state="building", derived_from=None), name="one_building_snapshot"
            ),
            models.CheckConstraint(
                condition=~Q(state="ready") | (~Q(manifest_hash="") & Q(sealed_at__isnull=False)),
                name="ready_is_sealed",
            ),
            models.CheckConstraint(condition=Q(state__in=["building", "ready", "failed"]), name="snapshot_state"),
        ]

    def __str__(self) -> str:
        return f"{self.library.slug}@{self.number}"

    def get_absolute_url(self) -> str:
        return f"{reverse('review', args=[self.library.slug])}?snapshot={self.number}"

    @property
    def is_active(self) -> bool:
        return self.library.active_snapshot_id == self.pk

    @property
    def rejected_contents(self) -> dict[tuple[str, str], str]:
        """Why, by path and the last word of the identity: of an upload its SHA-256, also where it was left out."""
        return {(file["path"], file["identity"].rpartition(" ")[2]): file["reason"] for file in self.rejected}

    def manifest(self) -> dict[str, Any]:
        """What the snapshot holds, without ids, dates or order of arrival: the same on every machine."""
        files = self.files.order_by("document_file__path").values_list(
            "document_file__path", "file_version__sha256", "file_version__media_type", "file_version__digest"
        )
        keys = ("path", "sha256", "media_type", "digest")
        held = [dict(zip(keys, row, strict=True)) for row in files]
        erased = [{key: file[key] for key in keys} for file in self.erased]
        ordered = sorted([*held, *erased], key=lambda file: file["path"])
        return {"format": 1, "profile": self.profile.hash, "files": ordered}

    def seal(self) -> None:
        """Compute the manifest hash and make the snapshot ready. After this nothing in it changes."""
        self.manifest_hash = canonical_hash(self.manifest())
        failpoint("seal.hashed")
        self.chunk_count = self.files.aggregate(n=models.Sum("file_version__chunk_count"))["n"] or 0
        self.document_count = self.files.count()
        self.state, self.sealed_at = self.State.READY, timezone.now()
        self.save(update_fields=["manifest_hash", "chunk_count", "document_count", "state", "sealed_at"])

    def derive(self, files: Iterable[Member], **changed: Any) -> "Snapshot":
        """A sealed snapshot of the same source, profile and vectors, in the same order, that holds these files."""
        kept = ("profile", "space", "code_space", "summaries_through", "revision", "rejected")
        draft = self.library.new_snapshot(**{name: getattr(self, name) for name in kept} | changed)
        rows = (
            SnapshotFile(snapshot=draft, document_file_id=document, file_version_id=version, identity=identity)
            for document, version, identity in files
        )
        SnapshotFile.objects.bulk_create(rows, batch_size=5000)
        ordered = self.reading_places.filter(document_file__in=draft.files.values("document_file"))
        place = self.reading_places.model
        draft.reading_places.bulk_create(
            [place(snapshot=draft, **row) for row in ordered.values("document_file_id", "place", "depth")]
        )
        draft.seal()
        return draft

    def members(self) -> list[Member]:
        return list(self.files.values_list("document_file", "file_version", "identity"))

    def prepare(self) -> str:
        """Have made in advance what else the first search would wait for; returns why that could not be done, or ""."""
        try:
            import_string(PREPARE)(self)
        except (DatabaseError, OSError) as error:  # the first search will make it, or say what is wrong
            return str(error)
        return ""

    def diff(self, other: "Snapshot") -> dict[str, list[str]]:
        """Paths that `other` adds, changes and removes, seen from this snapshot."""
        mine, theirs = self._contents(), other._contents()
        return {
            "added": sorted(theirs.keys() - mine.keys()),
            "changed": sorted(path for path in theirs.keys() & mine.keys() if theirs[path] != mine[path]),
            "removed": sorted(mine.keys() - theirs.keys()),
        }

    def section_diff(self, other: "Snapshot") -> list[SectionChange]:
        """What `other` adds, changes, moves and removes among the sections of the files that differ."""
        changes = self.diff(other)
        paths = {*changes["added"], *changes["changed"], *changes["removed"]}
        return section_changes(self._sections(paths), other._sections(paths))

    def _sections(self, paths: set[str]) -> list[Place]:
        members = self.files.filter(document_file__path__in=paths).select_related("document_file", "file_version")
        return [
            place
            for member in members.order_by("document_file__path")
            for place in member.file_version.places(member.document_file.path)
        ]

    def _contents(self) -> dict[str, int]:
        return dict(self.files.values_list("document_file__path", "file_version_id"))


class SnapshotFile(models.Model):
    """Membership: this file version is in this snapshot. At most one version of a document file is."""

    pk = models.CompositePrimaryKey("snapshot_id", "document_file_id")
    snapshot = models.ForeignKey(Snapshot, on_delete=models.CASCADE, related_name="files")
    document_file = models.ForeignKey("knowledge.DocumentFile", on_delete=models.RESTRICT, related_name="+")
    file_version = models.ForeignKey("knowledge.FileVersion", on_delete=models.RESTRICT, related_name="memberships")
    identity = models.CharField(max_length=64, help_text="The source's name for this content, such as a git blob id.")

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(identity=""), name="membership_identity")]

    def __str__(self) -> str:
        return f"{self.snapshot_id}:{self.document_file_id}"
