"""What only time adds to, and nobody looks at after so long: `gc` takes it away."""

from datetime import timedelta
from typing import Any

from django.contrib.sessions.models import Session
from django.db.models import QuerySet
from django.utils import timezone
from django_q.models import Failure

from knowledge.models import JobEvent, LoggedQuery

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
