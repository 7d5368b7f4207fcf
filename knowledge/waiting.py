"""Why a job waits, in a sentence."""

from collections.abc import Iterable

from django.utils import timezone

from knowledge.models import Job
from knowledge.storage import locks

NO_WORKER = "no worker is alive; start `manage.py worker`"


def reasons(jobs: Iterable[Job]) -> dict[int, str]:
    """job → why it is not running yet, for those of `jobs` that wait. Three statements, however many there are."""
    waiting = [job for job in jobs if job.state == Job.State.QUEUED]
    if not waiting:
        return {}
    running = dict(Job.objects.filter(state=Job.State.RUNNING).values_list("library", "pk"))
    building, alive = locks.holders(locks.BUILD), worker_is_alive()
    return {job.pk: reason(job, running.get(job.library_id), job.library_id in building, alive) for job in waiting}


def reason(job: Job, running: int | None, building: bool, alive: bool) -> str:
    if job.paused_at:
        return "somebody has to resume it"
    if job.not_before and job.not_before > timezone.now():
        moment = f"tried again at {job.not_before:%H:%M:%S} UTC"
        if job.away_since:
            return f"a model's server is away since {job.away_since:%-d %b, %H:%M} UTC; {moment}"
        return f"{moment}, attempt {job.attempts + 1} of {job.max_attempts}"
    if running:
        return f"library busy with job {running}"
    if building:
        return "library busy: other work on it is going on"
    return "the next free worker takes it" if alive else NO_WORKER


def worker_is_alive() -> bool:
    return locks.count(locks.WORKER) > 0
