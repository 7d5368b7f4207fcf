"""A job, run: by a worker that the queue woke, or by a command; the same function."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from django.db import DatabaseError, connection

from knowledge.models import Job, LeaseLost, Library

from .pipeline import build
from .progress import BuildReport, Listener

LOCK_CLASS = 0x4D55  # "MU": the first key of Muniment's advisory locks; the second is the library


class LibraryBusy(Exception):
    """Another build of the library runs; the message names it."""


def run(job_id: int) -> None:
    """What the queue calls. A job that somebody else has finished, or runs, is left alone.

    The queue rings again for a job whose worker died: it is then resumed. While another build of the library runs, the
    job waits, and that build rings for it when it ends.
    """
    job = Job.objects.select_related("library").filter(pk=job_id).first()
    if job and job.state in (Job.State.QUEUED, Job.State.RUNNING):
        with suppress(LibraryBusy):
            run_build(job)


def run_build(job: Job, listener: Listener | None = None) -> BuildReport:
    """Take the job, build, and record how it ended. Raises LibraryBusy, or whatever made the build fail."""
    with only_build_of(job.library):
        Job.objects.abandoned(job.library, resumed=job)
        job.take()
        try:
            report = build(job, listener)
        except BaseException as error:
            record_failure(job, error)
            raise
        job.succeed(report.as_json())
    return report


def record_failure(job: Job, error: BaseException) -> None:
    """Where the database itself went away, on a new connection; if it is not back, the next build closes the job."""
    if not connection.in_atomic_block:
        connection.close_if_unusable_or_obsolete()
    reason = "interrupted" if isinstance(error, KeyboardInterrupt) else f"{type(error).__name__}: {error}"
    with suppress(DatabaseError, LeaseLost):
        job.fail(reason)


@contextmanager
def only_build_of(library: Library) -> Iterator[None]:
    """Hold the library's advisory lock. It goes with its connection, so a killed worker never keeps it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", [LOCK_CLASS, library.pk])
        if not cursor.fetchone()[0]:
            raise LibraryBusy(f"a build of {library} is running; see `manage.py jobs`")
    try:
        yield
    finally:
        if connection.connection and not connection.connection.closed:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [LOCK_CLASS, library.pk])
            for waiting in library.jobs.filter(state=Job.State.QUEUED):
                waiting.enqueue()
