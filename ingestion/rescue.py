"""What a watchdog does every few seconds, so that no job is forgotten: see docs/decisions/0012-rescuer.md."""

from contextlib import suppress
from datetime import timedelta

from django.db.models import F, Q
from django.db.models.functions import Now
from django_q.brokers import get_broker

from knowledge import upkeep
from knowledge.failpoints import failpoint
from knowledge.models import Job, LeaseLost, Schedule
from knowledge.models.job_states import BUILD
from knowledge.storage import locks

RING_AGAIN = timedelta(seconds=15)
LATE = Q(lease_expires_at__lt=Now())


def rescue() -> list[Job]:
    """Put back in the queue what a dead worker left. Its lock is free, or its lease has run out and the lock is taken.

    A worker that only slept meanwhile finds its connection closed, and its fence passed.
    """
    rescued: list[Job] = []
    for job in Job.objects.filter(state=Job.State.RUNNING).select_related("library").annotate(late=LATE):
        if job.late and still_runs(job):
            locks.end_holder(locks.BUILD, job.library_id)
        with locks.tried(locks.BUILD, job.library_id) as dead:
            if dead and still_runs(job):
                with suppress(LeaseLost):  # somebody cancels or pauses it just now
                    job.died()
                    rescued.append(job)
    return rescued


def end_hanging() -> list[Job]:
    """Close the connections of workers that hang, or sleep, and whose job was cancelled or paused: they keep its lock.

    It is theirs while the lease stands on the job: whoever takes the lock ends that first.
    """
    taken_away = Job.objects.filter(LATE, library__in=list(locks.holders(locks.BUILD))).exclude(state=Job.State.RUNNING)
    return [job for job in taken_away.select_related("library") if locks.end_holder(locks.BUILD, job.library_id)]


def still_runs(job: Job) -> bool:
    """Asked again: it may have ended properly in between, or been buried by who took the lock."""
    return Job.objects.filter(pk=job.pk, fence=job.fence, state=Job.State.RUNNING).exists()


def waiting_for_a_worker() -> list[Job]:
    """Jobs that could run now: due, and no build of their library is going on."""
    busy = [*locks.holders(locks.BUILD), *Job.objects.filter(state=Job.State.RUNNING).values_list("library", flat=True)]
    return list(Job.objects.due().filter(kind=BUILD).exclude(library__in=busy).select_related("library").order_by("pk"))


def ring_lost_bells() -> int:
    """Tell the queue of the jobs that it was never told of, or long ago: twice does no harm. How many they were."""
    lost = Job.objects.filter(Q(rung_at=None) | Q(rung_at__lt=Now() - RING_AGAIN) | Q(rung_at__lt=F("not_before")))
    known = set(lost.values_list("pk", flat=True))
    waiting = waiting_for_a_worker()
    if not waiting or get_broker().queue_size() >= len(waiting):  # the bells hang there, and every worker is busy
        return 0
    rung = [job for job in waiting if job.pk in known]
    for job in rung:
        failpoint("rescue.before-ring")
        job.enqueue()
    return len(rung)


def tend() -> list[str]:
    """One round; what was done, in words."""
    done = [f"{job} was left by a dead worker: {job.outcome}" for job in rescue()]
    done += [f"{job} is {job.outcome}: the connection of its worker, which hangs, was closed" for job in end_hanging()]
    if moved := upkeep.bring_nearer():
        done.append(f"{moved} schedules were brought nearer: the clock was ahead when they were last due")
    done += [f"{job} is due by its schedule" for job in Schedule.objects.fire()]
    if rung := ring_lost_bells():
        done.append(f"rang for {rung} jobs")
    return done


def give_back(job: Job) -> None:
    """Its worker is about to be stopped, and stops by itself when it notices."""
    with suppress(LeaseLost):
        job.give_back()
