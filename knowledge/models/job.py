"""A job: a unit of background work. The row is the truth; the queue only rings the bell."""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils.module_loading import import_string

from .library import Library

RUN = "ingestion.jobs.run"  # asked for by name: knowledge knows no ingestion
LEASE = "INTERVAL '10 minutes'"
NO_TIMEOUT = -1  # in django-q's words


class LeaseLost(Exception):
    """The job was given to another worker, or cancelled, while this one worked on it."""


class LeaseEnd(models.Func):
    """When a lease taken now runs out, on the database's clock."""

    template = f"(STATEMENT_TIMESTAMP() + {LEASE})"
    output_field = models.DateTimeField()


class JobQuerySet(models.QuerySet["Job"]):
    def abandoned(self, library: Library, resumed: "Job") -> None:
        """Close the running jobs of a library whose advisory lock the caller holds: their worker is dead.

        The one that is being `resumed` waits again instead, unless it has been tried too often.
        """
        running = self.filter(library=library, state=Job.State.RUNNING)
        again = running.filter(pk=resumed.pk, attempts__lt=F("max_attempts"))
        again.update(state=Job.State.QUEUED, lease_expires_at=None)
        message = "the worker died before it finished; the next build resumes its snapshot"
        running.update(state=Job.State.FAILED, message=message, finished_at=Now(), lease_expires_at=None)


class Job(models.Model):
    class State(models.TextChoices):
        QUEUED = "queued", "Queued"
        RUNNING = "running", "Running"
        SUCCEEDED = "succeeded", "Succeeded"
        FAILED = "failed", "Failed"
        CANCELLED = "cancelled", "Cancelled"

    kind = models.CharField(max_length=40, default="build")
    library = models.ForeignKey("knowledge.Library", on_delete=models.CASCADE, related_name="jobs")
    snapshot = models.ForeignKey(
        "knowledge.Snapshot", null=True, blank=True, on_delete=models.SET_NULL, related_name="jobs"
    )
    state = models.CharField(max_length=20, choices=State, default=State.QUEUED)
    stage = models.CharField(max_length=40, blank=True)
    options = models.JSONField(default=dict, blank=True)
    counters = models.JSONField(default=dict, blank=True)
    report = models.JSONField(null=True, blank=True)
    message = models.TextField(blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    max_attempts = models.PositiveSmallIntegerField(default=3)
    fence = models.PositiveBigIntegerField(
        default=0, help_text="Rises with every attempt; an older holder may not write."
    )
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = JobQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["library"], condition=Q(state="running"), name="one_running_job_per_library"
            ),
            models.CheckConstraint(
                condition=~Q(state="running") | Q(lease_expires_at__isnull=False), name="running_job_holds_lease"
            ),
        ]

    def __str__(self) -> str:
        return f"job {self.pk}: {self.kind} {self.library.slug}"

    def log(self, message: str, level: str = "info", **data: Any) -> None:
        """Append to the job's log."""
        JobEvent.objects.create(job=self, stage=self.stage, level=level, message=message, data=data)

    def enqueue(self) -> None:
        """Ring the queue's bell. A first build may take hours; what it has done is committed as it goes."""
        import_string("django_q.tasks.async_task")(RUN, self.pk, timeout=NO_TIMEOUT)

    def take(self) -> None:
        """Begin an attempt, committed before any work is done. Raises LeaseLost if the job is not there to be taken."""
        taken = Job.objects.filter(pk=self.pk, state=self.State.QUEUED).update(
            state=self.State.RUNNING,
            attempts=F("attempts") + 1,
            fence=F("fence") + 1,
            lease_expires_at=LeaseEnd(),
            started_at=Now(),
        )
        if not taken:
            raise LeaseLost(f"{self} is not queued any more")
        self.refresh_from_db()
        self.log("started")

    def beat(self, stage: str, counters: dict[str, int]) -> None:
        """Renew the lease and show how far the work is."""
        self.stage, self.counters = stage, counters
        self._write(stage=stage, counters=counters, lease_expires_at=LeaseEnd())

    def belongs_to(self, snapshot: Any) -> None:
        self.snapshot = snapshot
        self._write(snapshot=snapshot)

    def succeed(self, report: dict[str, Any]) -> None:
        self.state, self.report = self.State.SUCCEEDED, report
        self._write(state=self.state, report=report, finished_at=Now(), lease_expires_at=None)
        self.log("succeeded", **report["seconds"])

    def fail(self, message: str) -> None:
        self.state, self.message = self.State.FAILED, message
        self._write(state=self.state, message=message, finished_at=Now(), lease_expires_at=None)
        self.log(message, level="error")

    def cancel(self, message: str) -> None:
        """Nobody will do it. A job that somebody has taken meanwhile goes on."""
        waiting = Job.objects.filter(pk=self.pk, state=self.State.QUEUED)
        waiting.update(state=self.State.CANCELLED, message=message, finished_at=Now())

    def _write(self, **values: Any) -> None:
        held = Job.objects.filter(pk=self.pk, fence=self.fence, state=self.State.RUNNING)
        if not held.update(**values):
            raise LeaseLost(f"{self} was taken over or cancelled")


class JobEvent(models.Model):
    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="events")
    at = models.DateTimeField(auto_now_add=True)
    level = models.CharField(max_length=10, default="info")
    stage = models.CharField(max_length=40, blank=True)
    message = models.TextField()
    data = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["job", "pk"]

    def __str__(self) -> str:
        return self.message
