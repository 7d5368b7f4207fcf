"""A job, run: by a worker that the queue woke, or by a command; the same function."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic, sleep

from django.conf import settings
from django.db import DatabaseError, connection, transaction

from knowledge.canonical import escaped
from knowledge.endpoints import EndpointError
from knowledge.failpoints import failpoint
from knowledge.models import Job, LeaseLost, Library
from knowledge.models.job_states import BUILD
from knowledge.storage import locks
from knowledge.storage.room import FULL, MAKE_ROOM

from .heartbeat import heartbeat
from .pipeline import build
from .progress import BuildReport, Listener
from .sources import SourceAway

PASSING = (EndpointError, DatabaseError, OSError, SourceAway)  # faults that may be gone at the next attempt
RECORD_SECONDS = 20  # for which it is tried to write down how a job ended; its lease stands for longer
INTERRUPTED_SECONDS = 2  # and where somebody who pressed Ctrl-C waits for it
OUR_OWN = ("ingestion.", "knowledge.")

logger = logging.getLogger("muniment.jobs")


class LibraryBusy(Exception):
    """Another build of the library runs; the message names it."""


def run(job_id: int) -> None:
    """What the queue calls. A job that somebody else has finished, or runs, is left alone, and one that waits waits.

    While another build of the library runs, the job waits, and that build rings for it when it ends.
    """
    job = Job.objects.select_related("library").filter(pk=job_id).first()
    if job and job.is_unfinished and job.kind == BUILD:
        with suppress(LibraryBusy, LeaseLost):
            run_build(job, again=True)


def run_build(job: Job, listener: Listener | None = None, again: bool = False) -> BuildReport:
    """Take the job, build, and record how it ended; `again`: a fault that may pass is tried again later.

    Raises LibraryBusy, LeaseLost, or whatever made the build fail.
    """
    with only_build_of(job.library):
        job.take()
        try:
            with heartbeat(job):
                report = build(job, listener)
        except LeaseLost:
            raise
        except BaseException as error:
            record_failure(job, error, again)
            raise
        job.succeed(report.as_json())
    return report


def record_failure(job: Job, error: BaseException, again: bool) -> None:
    """Where the database itself went away or is full, as soon as it is back: on a new connection, if need be.

    With `again` a fault that may pass does not end the job. Within a transaction it is tried once. Where that takes too
    long, the log has the reason, and the rescuer finds the job.
    """
    interrupted = isinstance(error, KeyboardInterrupt)
    reason = escaped("interrupted" if interrupted else named(error))
    end = ending(job, error) if again else job.fail
    seconds = INTERRUPTED_SECONDS if interrupted else RECORD_SECONDS
    latest = monotonic() + (0 if connection.in_atomic_block else seconds)
    while True:
        try:
            if not connection.in_atomic_block:
                connection.close_if_unusable_or_obsolete()
            with suppress(LeaseLost), transaction.atomic():
                end(reason)
            return
        except DatabaseError as refusal:
            if monotonic() >= latest:
                logger.error("%s ended, which cannot be written down (%s): %s", job, worded(refusal), reason)
                return
        sleep(1)


def ending(job: Job, error: BaseException) -> Callable[[str], None]:
    """How the job ends for now, or for good. A model's server is waited for; other faults that may pass are tried
    again."""
    if isinstance(error, EndpointError) and error.is_away:
        return job.wait_for_server
    return job.try_again_later if isinstance(error, PASSING) else job.fail


def named(error: BaseException) -> str:
    """Its kind and what it says; Muniment's own errors are written for people, to whom their kind says nothing."""
    kind = type(error)
    return worded(error) if kind.__module__.startswith(OUR_OWN) else f"{kind.__name__}: {worded(error)}"


def worded(error: BaseException) -> str:
    """Of what Postgres says only the first line: the lines below it quote the row that it refused.

    Of a full disk, which one it is: what is written without a name of its own goes into the home.
    """
    if isinstance(error, OSError) and error.errno in FULL:
        return f"{error.strerror}: {error.filename or settings.HOME}; {MAKE_ROOM}"
    return str(error).partition("\n")[0] if isinstance(error, DatabaseError) else str(error)


@contextmanager
def only_build_of(library: Library) -> Iterator[None]:
    """Hold the library's advisory lock. It goes with its connection, so a killed worker never keeps it.

    Nor does one that was interrupted, wherever it stood: it gives the connection up. A job that still counts as running
    is a dead worker's, else it would hold the lock; left so, its rescuer would end whoever holds it now.
    """
    failpoint("lock.before")
    if not locks.try_lock(locks.BUILD, library.pk):
        raise LibraryBusy(busy_with(library))
    failpoint("lock.taken")
    try:
        for dead in library.jobs.filter(state=Job.State.RUNNING):
            with suppress(LeaseLost):  # somebody cancels or pauses it just now
                dead.died()
        library.jobs.end_leases()
        yield
    except BaseException:
        if not connection.in_atomic_block:
            connection.close()
        raise
    finally:
        release(library)


def busy_with(library: Library) -> str:
    """Told to whoever wants the lock. Some work, such as `gc`, holds it and is no job."""
    job = library.jobs.filter(state=Job.State.RUNNING).first()
    if not job:
        return f"a build of {library} is running, or other work on it; try again when it has ended"
    does = "builds" if job.kind == BUILD else f"({job.kind}) works on"
    return f"job {job.pk} {does} {library}; wait, or `manage.py jobs --cancel {job.pk}`"


def release(library: Library) -> None:
    if connection.connection and not connection.connection.closed:
        locks.unlock(locks.BUILD, library.pk)
    failpoint("lock.released")
    with suppress(DatabaseError):  # the watchdog rings, too
        for waiting in library.jobs.due().filter(kind=BUILD):
            waiting.enqueue()
