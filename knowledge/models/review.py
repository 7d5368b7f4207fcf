"""Review: what was decided about each file of a candidate, which snapshots were active when, and what is planned."""

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import OuterRef, Q, Subquery

from .snapshot import Snapshot, SnapshotFile


class DecisionQuerySet(models.QuerySet["Decision"]):
    def newest(self, snapshot: Snapshot) -> dict[int, "Decision"]:
        """The decision that holds for each document file of a candidate: the last one."""
        rows = self.filter(snapshot=snapshot).select_related("decided_by").order_by("pk")
        return {row.document_file_id: row for row in rows}

    def earlier(self, snapshot: Snapshot, documents: Iterable[int]) -> dict[tuple[int, str | None], "Decision"]:
        """What was last decided about these document files in other candidates, by the SHA-256 of what these held of
        the file; None: nothing, they took it away."""
        held = SnapshotFile.objects.filter(snapshot=OuterRef("snapshot"), document_file=OuterRef("document_file"))
        rows = self.filter(document_file__in=list(documents)).exclude(snapshot=snapshot)
        told = rows.annotate(sha256=Subquery(held.values("file_version__sha256"))).order_by("pk")
        found = told.select_related("snapshot", "decided_by")
        return {(row.document_file_id, row.sha256): row for row in found}  # type: ignore[attr-defined]  # annotated


class Decision(models.Model):
    """Somebody approved or rejected what a candidate does to one file. Whoever asked for the candidate can't.

    Postgres refuses it (`migrations/rules/review.sql`), whichever way it comes. A later decision replaces an earlier
    one, and none is taken away while what it is about is there.
    """

    class Verdict(models.TextChoices):
        APPROVED = "approved", "Approved"
        REJECTED = "rejected", "Rejected"

    snapshot = models.ForeignKey(Snapshot, on_delete=models.CASCADE, related_name="decisions")
    document_file = models.ForeignKey("knowledge.DocumentFile", on_delete=models.CASCADE, related_name="decisions")
    verdict = models.CharField(max_length=20, choices=Verdict)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField(auto_now_add=True)
    comment = models.CharField(max_length=2000, blank=True)

    objects = DecisionQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["snapshot", "document_file", "-id"], name="decision_latest")]
        constraints = [
            models.CheckConstraint(condition=Q(verdict__in=["approved", "rejected"]), name="decision_verdict")
        ]

    def __str__(self) -> str:
        return f"{self.document_file.path} in {self.snapshot}: {self.verdict}"


class Activation(models.Model):
    """From when on a snapshot was the active one: written by Postgres when the library's pointer moves."""

    library = models.ForeignKey("knowledge.Library", on_delete=models.CASCADE, related_name="activations")
    snapshot = models.ForeignKey(Snapshot, null=True, on_delete=models.SET_NULL, related_name="activations")
    number = models.PositiveIntegerField(help_text="Of the snapshot, also when it has been pruned.")
    at = models.DateTimeField()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.library}@{self.number} since {self.at:%Y-%m-%d %H:%M}"


class PlannedActivationQuerySet(models.QuerySet["PlannedActivation"]):
    def waiting(self) -> "PlannedActivationQuerySet":
        return self.filter(done_at=None)


ACTIVATED = " is active"  # how the outcome of a plan ends that did what was planned


class PlannedActivation(models.Model):
    """A candidate is published at a moment that somebody chose, if it may be then."""

    snapshot = models.ForeignKey(Snapshot, on_delete=models.CASCADE, related_name="planned")
    at = models.DateTimeField()
    planned_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    done_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=2000, blank=True)

    objects = PlannedActivationQuerySet.as_manager()

    class Meta:
        ordering = ["at"]
        constraints = [
            models.UniqueConstraint(fields=["snapshot"], condition=Q(done_at=None), name="one_planned_activation")
        ]

    def __str__(self) -> str:
        return f"{self.snapshot} at {self.at:%Y-%m-%d %H:%M}"

    @property
    def did_nothing(self) -> bool:
        """Its time has come, and nothing was activated; `outcome` says why."""
        return self.done_at is not None and not self.outcome.endswith(ACTIVATED)


ASKED = "asked-"  # how a reader's question is called in a gate run, with its number behind


class GateRunQuerySet(models.QuerySet["GateRun"]):
    def against_a_bar(self) -> "GateRunQuerySet":
        """Without one, questions were asked, and nothing was passed."""
        return self.exclude(minimum=None, may_fall=None)


class GateRun(models.Model):
    """What the golden questions said of a candidate, against the library's bar as it stood then."""

    snapshot = models.ForeignKey(Snapshot, on_delete=models.CASCADE, related_name="gate_runs")
    run_at = models.DateTimeField(auto_now_add=True)
    questions = models.PositiveIntegerField()
    recall = models.FloatField(null=True, help_text="Mean recall@10; empty: it could not be measured.")
    minimum = models.FloatField(null=True)
    may_fall = models.PositiveIntegerField(null=True)
    fallen = models.JSONField(
        default=list, help_text="Questions that the active snapshot answers and this one doesn't."
    )
    changed = models.JSONField(default=list, help_text="Questions whose first ten hits differ from the active ones.")
    passed = models.BooleanField()
    reason = models.CharField(max_length=2000, blank=True)
    overridden_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    override_reason = models.CharField(max_length=2000, blank=True)

    objects = GateRunQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.snapshot}: {'passed' if self.passed else 'refused'}"

    @property
    def changed_golden(self) -> list[dict[str, Any]]:
        return [one for one in self.changed if not one["id"].startswith(ASKED)]

    @property
    def changed_asked(self) -> list[dict[str, Any]]:
        """Of what changed, what readers asked."""
        return [one for one in self.changed if one["id"].startswith(ASKED)]
