"""The queue: whether anybody takes the jobs that wait."""

from datetime import timedelta
from typing import Any

from django.db import connection
from django.db.models.functions import Now
from django.utils import timezone

from knowledge.models import Job, Schedule
from knowledge.storage import locks

from .examination import Examination, State

PATIENCE_SECONDS = 120

RING = "SELECT count(*) FROM django_q_ormq"
START = "start `manage.py worker` (docs/jobs.md); `manage.py jobs` shows what waits"


def examine_queue() -> Examination:
    figures = waiting()
    if figures["dead"]:
        detail = f"{figures['dead']} running jobs have lost their worker"
        return Examination("queue", State.DEGRADED, detail, START, figures)
    if figures["oldest_seconds"] > PATIENCE_SECONDS and not figures["running"]:
        detail = (
            f"{figures['queued']} jobs wait, the first for {figures['oldest_seconds']:.0f} s, and nobody takes them"
        )
        return Examination("queue", State.DEGRADED, detail, START, figures)
    return Examination("queue", State.OK, f"{figures['queued']} jobs wait, {figures['running']} run", "", figures)


def examine_workers() -> Examination:
    alive = locks.count(locks.WORKER)
    if not alive:
        detail = "no worker is alive: jobs of the pages and of schedules wait"
        return Examination("workers", State.DEGRADED, detail, "start manage.py worker", {"alive": 0})
    return Examination("workers", State.OK, f"{alive} alive", "", {"alive": alive})


def examine_schedules() -> Examination:
    """Those whose time is over by more than a worker needs to notice."""
    schedules = Schedule.objects.select_related("library").order_by("next_at")
    latest = timezone.now() - timedelta(seconds=PATIENCE_SECONDS)
    late = [schedule.library.slug for schedule in schedules if schedule.next_at < latest]
    figures = {
        "next": [{"library": one.library.slug, "cron": one.cron, "at": one.next_at.isoformat()} for one in schedules]
    }
    if late:
        return Examination(
            "schedules", State.DEGRADED, f"overdue: {', '.join(late)}", "start manage.py worker", figures
        )
    if not figures["next"]:
        return Examination("schedules", State.OFF, "no library is read again by itself")
    first = schedules[0]
    return Examination(
        "schedules", State.OK, f"{len(schedules)}, next {first} at {first.next_at:%F %H:%M} UTC", "", figures
    )


def waiting() -> dict[str, Any]:
    """A job that waits for another of its library waits for good reason, and so does one that is not due."""
    due, running = Job.objects.due(), Job.objects.filter(state=Job.State.RUNNING)
    free = due.exclude(library__in=running.values("library"))
    with connection.cursor() as cursor:
        cursor.execute(RING)
        (rung,) = cursor.fetchone()
    return {
        "queued": due.count(),
        "running": running.count(),
        "dead": running.filter(lease_expires_at__lt=Now()).count(),
        "oldest_seconds": round(free.longest_wait(), 1),
        "rung": rung,
    }
