"""What only time adds to, and nobody looks at after so long: `gc` takes it away."""

from collections import defaultdict
from datetime import timedelta
from typing import Any

from django.contrib.sessions.models import Session
from django.db.models import QuerySet
from django.utils import timezone
from django_q.models import Failure

from knowledge.models import GateRun, JobEvent, LoggedQuery
from knowledge.models.review import ASKED

JOB_LOG_DAYS = 365  # after the job has ended; the job itself stays, with its report
QUERY_DAYS = 730
FAILURE_DAYS = 30  # the queue keeps every task that failed: one a minute, while upkeep does


def expired() -> dict[str, QuerySet[Any]]:
    now = timezone.now()
    return {
        "job_events": JobEvent.objects.filter(job__finished_at__lt=now - timedelta(days=JOB_LOG_DAYS)),
        "logged_queries": LoggedQuery.objects.filter(asked_at__lt=now - timedelta(days=QUERY_DAYS)),
        "failed_tasks": Failure.objects.filter(stopped__lt=now - timedelta(days=FAILURE_DAYS)),
        "sessions": Session.objects.filter(expire_date__lt=now),
    }


def forget_asked(dry_run: bool) -> int:
    """Gate runs lose the words of readers' questions with the last logged query that has them; how many did."""
    since = timezone.now() - timedelta(days=QUERY_DAYS)
    of_library: dict[int, list[GateRun]] = defaultdict(list)
    for run in GateRun.objects.exclude(changed=[]).select_related("snapshot"):
        if asked_in(run):
            of_library[run.snapshot.library_id].append(run)
    forgotten = 0
    for library, runs in of_library.items():
        texts = {one["text"] for run in runs for one in asked_in(run)}
        logged = LoggedQuery.objects.filter(library=library, asked_at__gte=since, text__in=texts).order_by()
        kept = set(logged.values_list("text", flat=True).distinct())
        forgotten += sum(forget(run, kept, dry_run) for run in runs)
    return forgotten


def forget(run: GateRun, kept: set[str], dry_run: bool) -> int:
    gone = [one for one in asked_in(run) if one["text"] not in kept]
    for one in gone:
        one["text"] = ""
    if gone and not dry_run:
        run.save(update_fields=["changed"])
    return len(gone)


def asked_in(run: GateRun) -> list[dict[str, Any]]:
    return [one for one in run.changed if one["id"].startswith(ASKED) and one["text"]]
