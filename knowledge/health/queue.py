"""The queue: whether anybody takes the jobs that wait."""

from typing import Any

from django.db import connection

from .examination import Examination, State

PATIENCE_SECONDS = 120

# A job that waits for another of its library waits for good reason.
WAITING = """
    SELECT count(*) FILTER (WHERE state = 'queued'),
           count(*) FILTER (WHERE state = 'running'),
           count(*) FILTER (WHERE state = 'running' AND lease_expires_at < statement_timestamp()),
           coalesce(extract(epoch FROM max(statement_timestamp() - created_at) FILTER (
               WHERE state = 'queued' AND NOT EXISTS (
                   SELECT FROM knowledge_job other WHERE other.library_id = job.library_id AND other.state = 'running')
           )), 0)::float
    FROM knowledge_job job WHERE state IN ('queued', 'running')
"""
RING = "SELECT count(*) FROM django_q_ormq"
START = "start a worker (see docs/operations.md); `manage.py jobs` shows what waits"


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


def waiting() -> dict[str, Any]:
    with connection.cursor() as cursor:
        cursor.execute(WAITING)
        queued, running, dead, oldest = cursor.fetchone()
        cursor.execute(RING)
        (rung,) = cursor.fetchone()
    return {"queued": queued, "running": running, "dead": dead, "oldest_seconds": round(oldest, 1), "rung": rung}
