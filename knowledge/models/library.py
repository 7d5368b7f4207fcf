"""A library: one body of documents, and who may read it."""

import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from django.contrib.auth.models import AnonymousUser, Group, User
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import connection, models, transaction
from django.utils.module_loading import import_string

from knowledge.above import DRIFT, PATTERN
from knowledge.texts.addresses import without_userinfo

from .audit import AuditEvent
from .membership import Membership, Role
from .tuning import Tuned

if TYPE_CHECKING:
    from .embedding import EmbeddingSpace
    from .snapshot import Snapshot

MOST_DAYS = 36_500
Reader = User | AnonymousUser | None  # None: the operator on the command line, who may read everything


def is_torn(location: str) -> bool:
    """Whether a slash in its password ends the host of a URL too early.

    What is left of it is no port, or the `@` that should have ended it comes later; or nothing can be told of it.
    """
    if "://" not in location:
        return False
    try:
        parts = urlsplit(location)
        is_password = parts.port is not None or parts.netloc.endswith(":")
    except ValueError:
        return True
    return parts.port == 0 or (is_password and "@" in "".join(parts[2:]))


class LibraryQuerySet(models.QuerySet["Library"]):
    def readable_by(self, user: Reader) -> "LibraryQuerySet":
        """The libraries whose documents `user` may see. The one place where that is decided."""
        if user is None or (user.is_active and user.is_superuser):
            return self
        if not user.is_authenticated or not user.is_active:
            return self.filter(access=Library.Access.PUBLIC)
        open_to_all = models.Q(access__in=[Library.Access.PUBLIC, Library.Access.SIGNED_IN])
        by_group = models.Q(
            access=Library.Access.GROUPS,
            pk__in=Library.groups.through.objects.filter(group__user=user).values("library"),
        )
        by_role = models.Q(pk__in=Membership.objects.filter(user=user).values("library"))
        administrator = models.Exists(Group.objects.filter(user=user, name=Role.ADMINISTRATOR))
        return self.filter(open_to_all | by_group | by_role | administrator)

    def active(self) -> "LibraryQuerySet":
        """Those with an active snapshot: what can be searched."""
        return self.filter(active_snapshot__isnull=False)

    def searched(self) -> "LibraryQuerySet":
        """Those that are searched where no library is named, as `retrieval.view` says it in SQL: no corpus."""
        return self.active().exclude(kind=Library.Kind.CORPUS)

    def lock(self, pk: int) -> "Library":
        """The row, which nobody else changes before the transaction ends; rows that refer to it are made meanwhile.

        It comes before any other lock within the library, and before the audit's: so nobody waits in a circle.
        """
        return self.select_for_update(of=("self",), no_key=True).get(pk=pk)

    def lock_all(self, pks: Collection[int] | models.QuerySet[Any, Any]) -> list["Library"]:
        """As `lock`, several: always in one order, so nobody waits in a circle."""
        return list(self.select_for_update(of=("self",), no_key=True).filter(pk__in=pks).order_by("pk"))


def languages() -> list[str]:
    """Those that Postgres can stem, English first."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT cfgname FROM pg_ts_config ORDER BY cfgname <> 'english', cfgname")
        return [name for (name,) in cursor.fetchall()]


class Library(Tuned):
    class Kind(models.TextChoices):
        GIT = "git", "Git repository"
        DIRECTORY = "directory", "Folder on the server"
        UPLOADS = "uploads", "Uploaded files"
        CORPUS = "corpus", "Evaluation corpus"
        ARCHIVE = "archive", "Imported snapshots"

    class QueryLog(models.TextChoices):
        OFF = "off", "Nothing"
        COUNTS = "counts", "How many a day"
        FULL = "full", "Who asked what"

    class Access(models.TextChoices):
        PUBLIC = "public", "Everyone"
        SIGNED_IN = "signed-in", "Everyone who is signed in"
        GROUPS = "groups", "Chosen groups"

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=200)
    kind = models.CharField(max_length=20, choices=Kind)
    location = models.CharField(max_length=1000, blank=True, help_text="A URL, or a path on the server.")
    ref = models.CharField(max_length=255, blank=True, help_text="Branch or tag; empty: the repository's default.")
    subdirectory = models.CharField(
        max_length=1000, blank=True, help_text="Of a repository: only this folder is read; paths begin below it."
    )
    known_hosts = models.TextField(
        blank=True, help_text="Keys of the SSH host, as in OpenSSH's known_hosts; empty: the first one seen is kept."
    )
    include = models.JSONField(default=list, blank=True, help_text="Glob patterns; empty: every file we can read.")
    exclude = models.JSONField(default=list, blank=True, help_text="Glob patterns.")
    unindexed = models.JSONField(
        default=list, blank=True, help_text="Paths that were taken out by hand; builds leave them out."
    )
    language = models.CharField(
        max_length=40, default="english", help_text="Of most files: which forms of a word are one."
    )
    access = models.CharField(max_length=20, choices=Access, default=Access.SIGNED_IN)
    groups = models.ManyToManyField(Group, blank=True, related_name="libraries")
    requires_review = models.BooleanField(default=False)
    keep_snapshots = models.PositiveIntegerField(
        "snapshots that are kept", default=10, help_text="So many of the newest ready ones are kept."
    )
    keep_days = models.PositiveIntegerField(
        "days for which all are kept",
        default=30,
        validators=[MaxValueValidator(MOST_DAYS)],
        help_text="Younger snapshots are kept, however many.",
    )
    summaries = models.BooleanField(default=False, help_text="Sections are summarised, and found by that, too.")
    query_log = models.CharField(
        max_length=10, choices=QueryLog, default=QueryLog.COUNTS, help_text="What is kept of searches and questions."
    )
    gate_minimum = models.FloatField(
        "least recall of the golden questions",
        null=True,
        blank=True,
        validators=[MinValueValidator(0), MaxValueValidator(1)],
        help_text="From 0 to 1: the share of their places that must be among the first ten hits to activate.",
    )
    gate_may_fall = models.PositiveIntegerField(
        "golden questions that may be lost",
        null=True,
        blank=True,
        help_text="So many questions that were answered before may not be; empty: any number.",
    )
    trash_days = models.PositiveIntegerField(
        "days in the trash",
        default=30,
        validators=[MaxValueValidator(MOST_DAYS)],
        help_text="Days after which a file in the trash is erased for good.",
    )
    last_number = models.PositiveIntegerField(
        default=0, db_default=0, editable=False, help_text="The highest that a snapshot ever had. Postgres keeps it."
    )
    active_snapshot = models.OneToOneField(
        "knowledge.Snapshot", null=True, blank=True, editable=False, on_delete=models.RESTRICT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = LibraryQuerySet.as_manager()

    class Meta:
        ordering = ["slug"]
        verbose_name_plural = "libraries"
        constraints = [
            *Tuned.Meta.constraints,
            models.CheckConstraint(
                condition=models.Q(kind__in=["git", "directory", "uploads", "corpus", "archive"]), name="library_kind"
            ),
            models.CheckConstraint(
                condition=models.Q(access__in=["public", "signed-in", "groups"]), name="library_access"
            ),
            models.CheckConstraint(
                condition=models.Q(query_log__in=["off", "counts", "full"]), name="library_query_log"
            ),
            models.CheckConstraint(
                condition=models.Q(gate_minimum__isnull=True) | models.Q(gate_minimum__gte=0, gate_minimum__lte=1),
                name="library_gate",
            ),
            models.CheckConstraint(
                condition=models.Q(keep_days__lte=MOST_DAYS, trash_days__lte=MOST_DAYS), name="library_days"
            ),
        ]

    def __str__(self) -> str:
        return self.slug

    def clean(self) -> None:
        """A secret in the URL would be in every dump, page and process list; a pattern that fails stops every build."""
        super().clean()
        for name in ("include", "exclude"):
            patterns = getattr(self, name)
            if not isinstance(patterns, list) or not all(isinstance(pattern, str) for pattern in patterns):
                raise ValidationError({name: 'A list of patterns, as JSON: ["*.md"].'})
        if fault := next(filter(None, map(import_string(PATTERN), [*self.include, *self.exclude])), None):
            raise ValidationError(fault)
        is_read = self.location or self.ref or self.subdirectory
        if self.kind == self.Kind.UPLOADS and self._state.adding and is_read:
            raise ValidationError({"location": "Files are brought to a library of uploads: leave its source empty."})
        if self.kind == self.Kind.GIT and (
            re.match(r"(?:https?|git)://[^/]*@|ssh://[^/@]*:[^/]*@", self.location) or is_torn(self.location)
        ):
            raise ValidationError(
                {"location": "Leave the user and secret out of the URL; the credential is given and sealed by itself."}
            )

    def new_snapshot(self, **values: Any) -> "Snapshot":
        """One that is being built, with a number that none had before: the audit names those that were pruned, too."""
        with transaction.atomic():
            last = Library.objects.lock(self.pk).last_number
            return self.snapshots.create(number=last + 1, **values)

    @property
    def active_number(self) -> int:
        """Of the active snapshot; 0: there is none."""
        return self.active_snapshot.number if self.active_snapshot else 0

    def drift(self, space: "EmbeddingSpace | None" = None) -> "tuple[Any, ...]":
        """What differs from the active snapshot's profile, as the code and the settings say, and the model that answers
        where its `space` is given; none is called."""
        found: tuple[Any, ...] = import_string(DRIFT)(self, space)
        return found

    WITHOUT_SOURCE = "it holds imported snapshots, and cannot be read again from a source"

    @property
    def has_source(self) -> bool:
        """Whether there is anything that it can be read from again: imported snapshots have nothing."""
        return self.kind != self.Kind.ARCHIVE

    @property
    def may_lose_files(self) -> bool:
        """Whether files can be gone that nobody removed. Of uploads each one was removed by somebody who meant it."""
        return self.kind != self.Kind.UPLOADS

    @property
    def source(self) -> str:
        """Where the documents come from, as it may be shown: without the user and secret of a URL."""
        if self.kind == self.Kind.UPLOADS:
            return ""
        return "…" if is_torn(self.location) else without_userinfo(self.location)

    @property
    def origin(self) -> str:
        """What of a location decides who is given the library's credential: scheme, host and port."""
        try:
            parts = urlsplit(self.location if "://" in self.location else f"ssh://{self.location.replace(':', '/', 1)}")
        except ValueError:
            return self.location
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}".lower()

    def rollback_target(self) -> "Snapshot | None":
        """What was active last, of the snapshots older than the active one: not what a rollback left, which was bad.

        Where nothing else is there, the newest of those.
        """
        if self.active_snapshot is None:
            return None
        older = self.snapshots.older_than(self.active_snapshot)
        was_active = older.filter(state="ready", activations__isnull=False)
        last = was_active.annotate(last=models.Max("activations")).order_by("-last")
        good = last.exclude(number__in=AuditEvent.objects.given_up(self.slug))
        return good.first() or was_active.order_by("-number").first()


def reads(row: Any) -> str:
    """What is said to be deleted with a group."""
    return f"{row.group} reads {row.library}"


Library.groups.through.__str__ = reads  # type: ignore[method-assign]  # Django makes that model itself
