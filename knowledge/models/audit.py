"""The audit: what was done to which version, by whom. Rows are only ever added, and each one seals those before it."""

from collections.abc import Iterator
from typing import Any

from django.db import models

from knowledge.canonical import canonical_hash

GENESIS = "0" * 64  # what the first event follows
SEALED = (
    "number",
    "at",
    "action",
    "actor_id",
    "actor",
    "library",
    "snapshot",
    "path",
    "version",
    "details",
    "previous",
)


class AuditEventQuerySet(models.QuerySet["AuditEvent"]):
    def about(self, library: str, path: str) -> "AuditEventQuerySet":
        """What was done to one document, and to its library as a whole."""
        return self.filter(models.Q(path=path) | models.Q(path=""), library=library).since_creation()

    def since_creation(self) -> "AuditEventQuerySet":
        """Without the events of libraries that are gone: what has their slug now is another's.

        A library without an event of its creation is older than the audit, or came by a fixture: its own begin behind
        the last removal.
        """
        others = AuditEvent.objects.filter(
            library=models.OuterRef("library"),
            number__gt=models.OuterRef("number"),
            action__in=("library.create", "library.remove"),
        )
        return self.exclude(action="library.remove").exclude(models.Exists(others))

    def given_up(self, library: str) -> set[int]:
        """The snapshots of a library, by number, that a rollback left and that were not activated again since."""
        events = self.filter(library=library).since_creation()
        rollbacks = events.filter(action="snapshot.rollback").order_by("number")
        left = dict(rollbacks.values_list("details__before", "number"))
        activated = events.filter(action="snapshot.activate", snapshot__in=left).order_by()
        again = dict(activated.values_list("snapshot").annotate(models.Max("number")))
        return {snapshot for snapshot, event in left.items() if again.get(snapshot, 0) < event}

    def erased_originals(self) -> set[str]:
        """The SHA-256 of those that went, or were to go when a process was killed; some were brought again since."""
        receipts = self.filter(action="document.erase").values_list("details__originals", flat=True)
        return {sha256 for originals in receipts.iterator() for sha256 in originals}

    def broken(self) -> Iterator[str]:
        """Everything that is wrong with the chain: gaps, changed rows, rows that don't follow the one before."""
        number, previous = 0, GENESIS
        for event in self.order_by("number").iterator(chunk_size=2000):
            if event.number != number + 1:
                yield f"events {number + 1} to {event.number - 1} are missing"
            elif event.previous != previous:
                yield f"event {event.number} does not follow event {number}"
            if event.hash != event.computed_hash():
                yield f"event {event.number} was changed"
            number, previous = event.number, event.hash
        head = AuditHead.objects.first()
        if head and (head.number, head.hash) != (number, previous):
            yield f"the chain ends at event {number}, and was {head.number} long"
        if number and not head:
            yield f"the chain ends at event {number}, and how long it was is not known any more"


class AuditEvent(models.Model):
    """One act. It names its objects instead of holding them: they may be pruned, it may not."""

    number = models.BigIntegerField(primary_key=True, help_text="1, 2, 3 …, without a gap.")
    at = models.DateTimeField()
    action = models.CharField(max_length=60, help_text="Object and verb: snapshot.activate.")
    actor_id = models.BigIntegerField(null=True, help_text="The user's key; empty: the operator, on the server.")
    actor = models.CharField(max_length=150, help_text="As the user was called then.")
    library = models.CharField(max_length=50, blank=True, help_text="Its slug.")
    snapshot = models.PositiveIntegerField(null=True, help_text="Its number.")
    path = models.CharField(max_length=1000, blank=True, db_collation="C")
    version = models.CharField(max_length=64, blank=True, help_text="SHA-256 of the file's original bytes.")
    details = models.JSONField(default=dict)
    previous = models.CharField(max_length=64, help_text="The hash of the event before.")
    hash = models.CharField(max_length=64)

    objects = AuditEventQuerySet.as_manager()

    class Meta:
        ordering = ["-number"]
        indexes = [
            models.Index(fields=["library", "path", "-number"], name="audit_of_document"),
            models.Index(fields=["action", "-number"], name="audit_by_action"),
            models.Index(fields=["at"], name="audit_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.number}: {self.action} by {self.actor}"

    def computed_hash(self) -> str:
        return canonical_hash(self.sealed())

    def sealed(self) -> dict[str, Any]:
        """What the hash is of."""
        return {name: getattr(self, name) for name in SEALED} | {"at": self.at.isoformat(timespec="microseconds")}

    def as_json(self) -> dict[str, Any]:
        return self.sealed() | {"hash": self.hash}


class AuditHead(models.Model):
    """Where the chain ends, kept by Postgres itself: a chain whose last events were cut off is shorter than this."""

    sole = models.BooleanField(primary_key=True, default=True)
    number = models.BigIntegerField()
    hash = models.CharField(max_length=64)

    def __str__(self) -> str:
        return f"{self.number}: {self.hash[:12]}"


class RowState(models.Model):
    """What a row that decides about access or publication said from a moment on, written by Postgres itself.

    So “who could see this on 3 May?” can be answered whatever changed since, and by which way it was changed.
    """

    relation = models.CharField(max_length=63)
    key = models.BigIntegerField()
    at = models.DateTimeField()
    state = models.JSONField(null=True, help_text="Null: deleted.")

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["relation", "key", "-id"], name="row_state")]

    def __str__(self) -> str:
        return f"{self.relation} {self.key}"
