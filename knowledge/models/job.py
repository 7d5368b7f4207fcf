"""A job: a unit of background work. The row is the truth; the queue only rings the bell."""

import json
import logging
import os
import socket
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import connection, models
from django.db.models import F, Q
from django.db.models.functions import Coalesce, Greatest, Now
from django.utils import timezone
from django.utils.module_loading import import_string

from knowledge.above import RUN
from knowledge.canonical import escaped
from knowledge.failpoints import failpoint

from .job_event import JobEvent
from .job_states import BUILD, PAUSED, WITH_REJECTIONS, JobQuerySet, JobState
from .library import Library

LEASE_SECONDS = 30
RETRY_SECONDS = (15, 60)  # before the second and the third attempt
ASK_SECONDS = (15, 300)  # at least and at most, before a server that is away is asked again
MOST_AWAY = timedelta(days=1)  # for which a build waits for it
DEATHS = 3  # that a file may cause
VERBS = ("cancel", "pause", "resume", "retry")  # what people may ask of a job
NO_TIMEOUT = -1  # in django-q's words

# One statement, and the disk is not waited for: it is the worker that may die here.
TAKE_IN_HAND = """
    UPDATE knowledge_job SET in_hand = %(path)s
    WHERE id = %(job)s AND fence = %(fence)s AND state = 'running'
      AND set_config('synchronous_commit', 'off', true) IS NOT NULL
"""

logger = logging.getLogger("muniment.jobs")


class LeaseLost(Exception):
    """The job was cancelled, paused, or given to another worker, while this one worked on it."""


class NotPossible(Exception):
    """The job's state does not allow what was asked for; the message says why."""


class In(models.Func):
    """So many seconds from now, on the database's clock."""

    template = "(STATEMENT_TIMESTAMP() + %(expressions)s * INTERVAL '1 second')"
    output_field = models.DateTimeField()

    def __init__(self, seconds: float) -> None:
        super().__init__(models.Value(seconds))


def active_number() -> models.Subquery:
    """Of a job's library: the number of its active snapshot."""
    return models.Subquery(Library.objects.filter(pk=models.OuterRef("library")).values("active_snapshot__number"))


class Job(models.Model):
    State = JobState

    kind = models.CharField(max_length=40, default=BUILD)
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
    holder = models.CharField(max_length=200, blank=True, help_text="host:process of the last attempt.")
    in_hand = models.CharField(max_length=1000, blank=True, help_text="The file that the worker reads now.")
    deaths = models.JSONField(default=dict, blank=True, help_text="How many workers died with which file in hand.")
    shown = models.PositiveIntegerField(
        null=True, blank=True, help_text="The number of what was active when its first attempt began; 0: nothing was."
    )
    paused_at = models.DateTimeField(null=True, blank=True)
    not_before = models.DateTimeField(null=True, blank=True, help_text="It waits until then before the next attempt.")
    away_since = models.DateTimeField(null=True, blank=True, help_text="Since when it waits for a model's server.")
    rung_at = models.DateTimeField(null=True, blank=True, help_text="When the queue was last told of it.")
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
            models.CheckConstraint(
                condition=Q(state__in=["queued", "running", "succeeded", "failed", "cancelled"]), name="job_state"
            ),
        ]

    def __str__(self) -> str:
        return f"job {self.pk} ({self.kind} {self.library.slug})"

    @property
    def outcome(self) -> str:
        """The state as people read it: a build that had to leave files out says so, and a paused job is paused."""
        if self.state == self.State.SUCCEEDED and self.counters.get("rejected"):
            return WITH_REJECTIONS
        return PAUSED if self.state == self.State.QUEUED and self.paused_at else self.state

    @property
    def is_unfinished(self) -> bool:
        return self.state in (self.State.QUEUED, self.State.RUNNING)

    @property
    def poisoned(self) -> set[str]:
        """Files that ended their worker too often to be tried again by this job."""
        return {path for path, count in self.deaths.items() if count >= DEATHS}

    @property
    def retry_seconds(self) -> int:
        """How long it waits after an attempt that a passing fault ended."""
        return RETRY_SECONDS[min(self.attempts, len(RETRY_SECONDS)) - 1]

    def log(self, message: str, level: str = "info", **data: Any) -> None:
        """Append to the job's log, and to the process's own as a line of JSON."""
        message = escaped(message)
        JobEvent.objects.create(job=self, stage=self.stage, level=level, message=message, data=data)
        line = {"job": self.pk, "library": self.library.slug, "stage": self.stage, "event": message, **data}
        logger.log(getattr(logging, level.upper()), "%s", json.dumps(line, ensure_ascii=False, default=str))

    # --- what people ask for --------------------------------------------------------------------------

    def enqueue(self) -> None:
        """Ring the queue's bell. A first build may take hours; what it has done is committed as it goes."""
        failpoint("job.before-ring")
        import_string("django_q.tasks.async_task")(RUN, self.pk, timeout=NO_TIMEOUT)
        Job.objects.filter(pk=self.pk).update(rung_at=Now())
        failpoint("job.rung")

    def steer(self, verb: str, by: Any, paths: list[str] | None = None) -> "Job":
        """Do one of VERBS for a user, or for the operator (None); returns the job to look at next. Raises NotPossible.

        `paths` are for "retry".
        """
        match verb:
            case "cancel":
                self.cancel(f"cancelled by {by}" if by else "cancelled on the command line")
            case "pause":
                self.pause()
            case "resume":
                self.resume()
            case "retry":
                return self.retry(by, paths)
        return self

    def cancel(self, message: str) -> None:
        """End it. A worker that runs it notices within seconds, and stops; one that hangs is known by its lease, which
        stays. Raises NotPossible when it is over."""
        self._change(
            Q(state__in=[self.State.QUEUED, self.State.RUNNING]),
            "only a job that waits or runs can be cancelled",
            state=self.State.CANCELLED,
            message=message,
            finished_at=Now(),
        )
        self.log(message, level="warning")
        failpoint("job.cancelled")

    def pause(self) -> None:
        """Wait until `resume`; the worker that runs it stops, and its attempt does not count."""
        was_running = self.state == self.State.RUNNING
        self._change(
            Q(state__in=[self.State.QUEUED, self.State.RUNNING], paused_at=None, kind=BUILD),
            "only a build that waits or runs can be paused",
            state=self.State.QUEUED,
            attempts=Greatest(F("attempts") - int(was_running), 0),
            paused_at=Now(),
            in_hand="",
        )
        self.log("paused")
        failpoint("job.paused")

    def resume(self) -> None:
        self._change(
            Q(state=self.State.QUEUED, paused_at__isnull=False), "only a paused job can be resumed", paused_at=None
        )
        self.log("resumed")
        failpoint("job.resumed")
        self.enqueue()

    def retry(self, by: Any = None, paths: list[str] | None = None) -> "Job":
        """Run it again from the stage where it stopped, or (`paths`) read again files that it rejected, in a new job.

        Whoever asks for this has requested it from now on, and does not approve what it makes.

        Raises NotPossible unless it failed, was cancelled, or rejected these files.
        """
        if paths is not None:
            return self._retry_files(by, paths)
        self._change(
            Q(state__in=[self.State.FAILED, self.State.CANCELLED], kind=BUILD),
            "only a build that failed or was cancelled can be tried again",
            state=self.State.QUEUED,
            attempts=0,
            deaths={},
            shown=None,
            message="",
            not_before=None,
            away_since=None,
            paused_at=None,
            finished_at=None,
            requested_by=by or F("requested_by"),
        )
        self.log("to be tried again", by=str(by or ""))
        failpoint("job.retried")
        self.enqueue()
        return self

    def _retry_files(self, by: Any, paths: list[str]) -> "Job":
        rejected = {file["path"] for file in (self.report or {}).get("rejected", ())}
        if not paths or not rejected.issuperset(paths):
            raise NotPossible(f"{self} rejected no file {', '.join(sorted(set(paths) - rejected)) or 'at all'}")
        options = self.options | {"paths": paths, "retry": True, "full": False, "force": False}
        again = Job.objects.create(kind=self.kind, library=self.library, options=options, requested_by=by)
        self.log(f"job {again.pk} tries {len(paths)} files again")
        failpoint("job.retry-created")
        again.enqueue()
        return again

    # --- what workers do ------------------------------------------------------------------------------

    def take(self) -> None:
        """Begin an attempt, committed before any work is done. Raises LeaseLost if the job is not there to be taken."""
        failpoint("job.before-take")
        taken = Job.objects.due().filter(pk=self.pk)
        if not taken.update(
            state=self.State.RUNNING,
            attempts=F("attempts") + 1,
            fence=F("fence") + 1,
            lease_expires_at=In(LEASE_SECONDS),
            holder=f"{socket.gethostname()}:{os.getpid()}",
            started_at=Now(),
            message="",
            in_hand="",
            shown=Coalesce("shown", active_number(), 0),
        ):
            raise LeaseLost(f"{self} is not there to be taken")
        self.refresh_from_db()
        self.log("started", attempt=self.attempts, holder=self.holder)
        failpoint("job.taken")

    def renew(self) -> None:
        """Keep the lease, which says that the worker lives. Raises LeaseLost."""
        self._write(lease_expires_at=In(LEASE_SECONDS))

    def beat(self, stage: str, counters: dict[str, Any]) -> None:
        """Renew the lease and show how far the work is."""
        self.stage, self.counters = stage, counters
        self._write(stage=stage, counters=counters, lease_expires_at=In(LEASE_SECONDS))

    def take_in_hand(self, path: str) -> None:
        """Say which file is read now: whoever finds the worker dead knows what it died of. Raises LeaseLost."""
        with connection.cursor() as cursor:
            cursor.execute(TAKE_IN_HAND, {"path": path, "job": self.pk, "fence": self.fence})
            if not cursor.rowcount:
                raise LeaseLost(f"{self} was taken over, paused or cancelled")
        failpoint("job.in-hand")

    def hold(self) -> None:
        """In a transaction: nobody can take the job away before it ends. Raises LeaseLost."""
        held = Job.objects.select_for_update(of=("self",), no_key=True)
        if not held.filter(pk=self.pk, fence=self.fence, state=self.State.RUNNING).exists():
            raise LeaseLost(f"{self} was taken over, paused or cancelled")

    def belongs_to(self, snapshot: Any) -> None:
        self.snapshot = snapshot
        self._write(snapshot=snapshot)
        failpoint("job.belongs")

    def succeed(self, report: dict[str, Any]) -> None:
        failpoint("job.before-succeed")
        counters = self.counters | {"rejected": len(report.get("rejected", ()))}
        self._write(
            state=self.State.SUCCEEDED,
            report=report,
            counters=counters,
            finished_at=Now(),
            lease_expires_at=None,
            in_hand="",
        )
        self.state, self.report, self.counters = self.State.SUCCEEDED, report, counters
        self.log(self.outcome, seconds=report["seconds"])
        failpoint("job.succeeded")

    def fail(self, message: str) -> None:
        failpoint("job.before-fail")
        self._write(state=self.State.FAILED, message=message, finished_at=Now(), lease_expires_at=None, in_hand="")
        self.state, self.message = self.State.FAILED, message
        self.log(message, level="error")
        failpoint("job.failed")

    def try_again_later(self, message: str) -> None:
        """After a fault that may pass: the next attempt, later each time; the last fault is final."""
        if self.attempts >= self.max_attempts:
            self.fail(message)
            return
        self._postpone(message, self.retry_seconds, away_since=None)

    def wait_for_server(self, message: str) -> None:
        """A model's server is away: the attempt does not count, and the next is the later, the longer that lasts. Final
        is MOST_AWAY without a new vector."""
        now = timezone.now()
        since = now if self.counters.get("embeddings_computed") else self.away_since or now
        if now - since > MOST_AWAY:
            self.fail(f"{message}. It was waited for since {since:%-d %b, %H:%M} UTC")
            return
        least, most = ASK_SECONDS
        seconds = round(min(max((now - since).total_seconds() / 4, least), most))
        self._postpone(message, seconds, away_since=since, attempts=Greatest(F("attempts") - 1, 0))

    def _postpone(self, message: str, seconds: int, **values: Any) -> None:
        values |= {"state": self.State.QUEUED, "message": message, "not_before": In(seconds)}
        self._write(lease_expires_at=None, in_hand="", **values)
        self.state, self.message = self.State.QUEUED, message
        self.log(message, level="warning", next_attempt_in_seconds=seconds)
        failpoint("job.postponed")

    # --- what others find -----------------------------------------------------------------------------

    def died(self) -> None:
        """Its worker is dead; the caller holds the library's lock, or saw the lease run out. It waits for another one.

        With a file in hand the death counts against the file, which is rejected after DEATHS of them. Without one it
        counts against the job, which fails when it has been tried `max_attempts` times, and waits before the next:
        what ended the worker, and perhaps kept it from saying so, may pass.
        """
        failpoint("rescue.before")
        self.refresh_from_db(fields=["attempts", "deaths", "in_hand"])
        attempts, message = self.attempts, "the worker died, or could not write down why it stopped"
        not_before: In | None = In(self.retry_seconds)
        if self.in_hand:
            self.deaths = self.deaths | {self.in_hand: self.deaths.get(self.in_hand, 0) + 1}
            attempts, message, not_before = attempts - 1, f"the worker died while it read {self.in_hand}", None
        if attempts >= self.max_attempts:
            self._write(
                state=self.State.FAILED, deaths=self.deaths, finished_at=Now(), lease_expires_at=None,
                message=f"{message}; tried {self.attempts} times",
            )  # fmt: skip
        else:
            self._write(
                state=self.State.QUEUED, deaths=self.deaths, attempts=attempts, lease_expires_at=None, in_hand="",
                message=message, rung_at=None, not_before=not_before, away_since=None,
            )  # fmt: skip
        self.log(message, level="error", holder=self.holder, attempt=self.attempts)
        self.refresh_from_db()
        failpoint("rescue.rescued")

    def give_back(self) -> None:
        """Its worker is about to be stopped, through no fault of the job: the attempt does not count.

        What is no build is taken by no worker, and ends: it is asked for again.
        """
        if self.kind != BUILD:
            self.fail("its worker was stopped")
            return
        self._write(
            state=self.State.QUEUED, attempts=Greatest(F("attempts") - 1, 0), lease_expires_at=None, in_hand="",
            rung_at=None,
        )  # fmt: skip
        self.log("given back: its worker is stopped")
        failpoint("job.given-back")

    def _change(self, allowed: Q, reason: str, **values: Any) -> None:
        if not Job.objects.filter(allowed, pk=self.pk).update(**values):
            raise NotPossible(f"{reason}; {self} is {Job.objects.get(pk=self.pk).outcome}")
        self.refresh_from_db()

    def _write(self, **values: Any) -> None:
        held = Job.objects.filter(pk=self.pk, fence=self.fence, state=self.State.RUNNING)
        if not held.update(**values):
            raise LeaseLost(f"{self} was taken over, paused or cancelled")
