"""Keeps a job's lease while its work is busy, and stops the work when the job was taken away.

The beat does not depend on progress: a call of a model or a parser may take minutes. It is a thread with a connection
of its own; the work, in the process's main thread, is interrupted by a signal, wherever it waits.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from django.db import DatabaseError, connection

from knowledge.failpoints import failpoint
from knowledge.models import Job, LeaseLost

BEAT_SECONDS = 2.0


class Interrupted(BaseException):
    """The job is not ours any more. No `except Exception` on the way may keep it."""


class Heart(threading.Thread):
    def __init__(self, job: Job) -> None:
        super().__init__(name=f"heart of job {job.pk}", daemon=True)
        self.job = Job.objects.get(pk=job.pk)
        self.ended = threading.Event()
        self.lost = False

    def run(self) -> None:
        while not self.ended.wait(BEAT_SECONDS):
            try:
                self.job.renew()
                failpoint("job.renewed")
            except LeaseLost:
                self.lost = True
                if self is _beating:
                    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)
                break
            except DatabaseError:  # it may come back; if not, the lease runs out
                connection.close()
        connection.close()


_beating: Heart | None = None


def interrupt(number: int, frame: FrameType | None) -> None:
    if _beating and _beating.lost:
        raise Interrupted


@contextmanager
def heartbeat(job: Job) -> Iterator[None]:
    """Raises LeaseLost within about BEAT_SECONDS of the job's being cancelled, paused or taken over.

    Nothing beats inside a transaction, where nobody else sees the job. Only the main thread's work is interrupted.
    """
    global _beating  # noqa: PLW0603 - signals are the process's
    if connection.in_atomic_block:
        yield
        return
    heart = Heart(job)
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGUSR1, interrupt)
        _beating = heart
    heart.start()
    try:
        yield
    except Interrupted as interruption:
        raise LeaseLost(f"{job} was taken over, paused or cancelled") from interruption
    finally:
        if _beating is heart:
            _beating = None
        heart.ended.set()
        heart.join()
