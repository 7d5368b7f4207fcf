"""A job, run: by a worker that the queue woke, or by a command; the same function."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from knowledge.models import Job, Library

from .pipeline import build
from .progress import BuildReport, Listener

LOCK_CLASS = 0x4D55  # "MU": the first key of Muniment's advisory locks; the second is the library


class LibraryBusy(Exception):
    """Another build of the library runs; the message names it."""


def run(job_id: int) -> None:
    """What the queue calls. A job that somebody else has finished, or runs, is left alone."""
    job = Job.objects.select_related("library").get(pk=job_id)
    if job.state == Job.State.QUEUED:
        run_build(job)


def run_build(job: Job, listener: Listener | None = None) -> BuildReport:
    """Take the job, build, and record how it ended. Raises LibraryBusy, or whatever made the build fail."""
    with only_build_of(job.library):
        job.take()
        try:
            report = build(job, listener)
        except BaseException as error:
            job.fail(f"{type(error).__name__}: {error}")
            raise
        job.succeed(report.as_json())
    return report


@contextmanager
def only_build_of(library: Library) -> Iterator[None]:
    """Hold the library's advisory lock. It goes with its connection, so a killed worker never keeps it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", [LOCK_CLASS, library.pk])
        if not cursor.fetchone()[0]:
            raise LibraryBusy(f"a build of {library} is running; see `manage.py jobs`")
    try:
        Job.objects.abandoned(library)
        yield
    finally:
        if connection.connection and not connection.connection.closed:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [LOCK_CLASS, library.pk])
