"""Work on a library that is no build: it holds the library's lock, and is kept as a job like one."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import transaction

from knowledge.models import Job, LeaseLost, Library

from .heartbeat import heartbeat
from .jobs import only_build_of, record_failure
from .progress import Listener, Progress


@contextmanager
def operation(library: Library, kind: str, listener: Listener | None = None, **options: Any) -> Iterator[Progress]:
    """Raises LibraryBusy. What goes wrong within is written down and raised."""
    with only_build_of(library):
        job = Job(library=library, kind=kind, options=options, max_attempts=1)
        with transaction.atomic():  # one that was killed here leaves no job that waits: no worker would take it
            job.save()
            job.take()
        progress = Progress(job, listener)
        try:
            with heartbeat(job):
                yield progress
        except LeaseLost:
            raise
        except BaseException as error:
            record_failure(job, error, again=False)
            raise
        seconds = {stage: round(value, 3) for stage, value in progress.seconds.items()}
        job.succeed({"counters": dict(progress.counters), "seconds": seconds})
