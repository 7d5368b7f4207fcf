"""The states that a job can be in, as people read them, and the jobs that are in one."""

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.db import models, transaction
from django.db.models import ExpressionWrapper, Max, Q
from django.db.models.functions import Coalesce, Greatest, Now

from .library import Library

if TYPE_CHECKING:
    from .job import Job

BUILD = "build"  # the kind that the queue knows; the others are done by the command that asks for them
WITH_REJECTIONS, PAUSED = "completed with rejections", "paused"  # outcomes that are no states


class JobState(models.TextChoices):
    QUEUED = "queued", "Queued"
    RUNNING = "running", "Running"
    SUCCEEDED = "succeeded", "Succeeded"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"


def outcome_in_sql() -> models.Case:
    """`Job.outcome`, for lists that read no whole jobs."""
    left_out = models.When(state="succeeded", counters__rejected__gt=0, then=models.Value(WITH_REJECTIONS))
    paused = models.When(state="queued", paused_at__isnull=False, then=models.Value(PAUSED))
    return models.Case(left_out, paused, default=models.F("state"))


class JobQuerySet(models.QuerySet["Job"]):
    def ask_for(self, library: Library, by: Any, **options: Any) -> "Job":
        """A build that somebody asks for; its bell rings when the row is kept."""
        job = self.create(library=library, options=options, requested_by=by)
        transaction.on_commit(job.enqueue)
        return job

    def read_again(self, library: Library, by: Any, full: bool = False) -> "tuple[Job, bool]":
        """A build of the whole library that somebody asks for: one that waits to do so, or a new one; whether it is."""
        waiting = next((job for job in self.coming(library) if job.options.get("full") or not full), None)
        return waiting or self.ask_for(library, by, **({"full": True} if full else {})), waiting is None

    def unfinished(self) -> "JobQuerySet":
        return self.filter(state__in=[JobState.QUEUED, JobState.RUNNING])

    def due(self) -> "JobQuerySet":
        """Those that could be taken now, if their library is free."""
        return self.filter(Q(not_before=None) | Q(not_before__lte=Now()), state=JobState.QUEUED, paused_at=None)

    def end_leases(self) -> int:
        """Of jobs that were taken away from their workers. For whoever holds the library's lock: these are gone."""
        return self.exclude(state=JobState.RUNNING).exclude(lease_expires_at=None).update(lease_expires_at=None)

    def longest_wait(self) -> float:
        """Of `due` ones: for how many seconds the first could have been taken; 0 where there is none."""
        since = Greatest("created_at", Coalesce("not_before", "created_at"))
        wait = Max(ExpressionWrapper(Now() - since, models.DurationField()))
        longest: timedelta | None = self.aggregate(wait=wait)["wait"]
        return longest.total_seconds() if longest else 0.0

    def coming(self, library: Library) -> list["Job"]:
        """Builds of the whole library that wait, and will read what there is when they are taken."""
        waiting = self.filter(library=library, kind=BUILD, state=JobState.QUEUED, paused_at=None)
        return [job for job in waiting if not job.options.get("paths") and job.options.get("activate", True)]
