"""When a library is read again by itself."""

from datetime import UTC, datetime

from cronsim import CronSim, CronSimError
from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.db.models.functions import Now

from knowledge.failpoints import failpoint

from .job import Job
from .library import Library


def next_time(cron: str, after: datetime) -> datetime:
    """The first moment after `after`, in UTC, that a cron expression names. Raises ValidationError."""
    try:
        return next(CronSim(cron, after.astimezone(UTC)))
    except CronSimError as error:
        raise ValidationError(f"“{cron}” is not a cron expression: {error}") from error
    except StopIteration:
        raise ValidationError(f"“{cron}” names no moment") from None


def check_cron(cron: str) -> None:
    next_time(cron, datetime.now(UTC))


class ScheduleQuerySet(models.QuerySet["Schedule"]):
    def bring_nearer(self) -> int:
        """Those that lie farther off than their next time: the clock was ahead when they were last due. How many."""
        moved = 0
        for schedule in self.annotate(now=Now()):
            soonest = next_time(schedule.cron, schedule.now)  # type: ignore[attr-defined]  # annotated
            if schedule.next_at > soonest:
                as_read = self.filter(pk=schedule.pk, cron=schedule.cron, next_at=schedule.next_at)
                moved += as_read.update(next_at=soonest)
        return moved

    def fire(self) -> list[Job]:
        """Ask for the jobs whose time has come. What was missed while nobody looked is asked for once.

        A library for which such a build waits already gets no second one; one that is paused, of some files, or made
        to be looked at first, is none.
        """
        jobs = []
        for schedule in self.filter(next_at__lte=Now()):
            with transaction.atomic():
                due = self.select_for_update(skip_locked=True, of=("self",)).filter(pk=schedule.pk, next_at__lte=Now())
                if locked := due.select_related("library").annotate(now=Now()).first():
                    jobs += locked.ask(locked.now)  # type: ignore[attr-defined]  # annotated
                failpoint("schedule.asked")
        return jobs


class Schedule(models.Model):
    library = models.OneToOneField(Library, on_delete=models.CASCADE, related_name="schedule")
    cron = models.CharField(max_length=100, validators=[check_cron], help_text="minute hour day month weekday, in UTC")
    next_at = models.DateTimeField(editable=False)

    objects = ScheduleQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.library.slug}: {self.cron}"

    def save(self, *args: object, **kwargs: object) -> None:
        self.next_at = next_time(self.cron, datetime.now(UTC))
        super().save(*args, **kwargs)  # type: ignore[arg-type]

    def ask(self, now: datetime) -> list[Job]:
        """`now` is the database's, by which the time has come: by a clock behind it, it would come again and again."""
        failpoint("schedule.before")
        waiting = Job.objects.coming(self.library)
        self.next_at = next_time(self.cron, now)
        super().save(update_fields=["next_at"])
        if waiting:
            return []
        job = Job.objects.create(library=self.library, options={"scheduled": self.cron})
        job.log("asked for by its schedule", cron=self.cron)
        job.enqueue()
        return [job]
