"""What `manage.py worker` runs: django-q's cluster as a child, and the watchdog beside it.

docs/decisions/0012-rescuer.md says why it stands here and what it notices.
"""

import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import Any

from django.db import Error, connection
from django_q.conf import Conf

from knowledge.models import Job
from knowledge.processes import end_with_parent
from knowledge.storage import locks

from . import rescue, worker_lock

ROUND_SECONDS = 5.0
PATIENCE_SECONDS = 20.0  # that a job may wait beside an idle worker before the cluster is held to be stuck
LONGEST_PATIENCE_SECONDS = 640.0  # after clusters that took no job either: a busy machine may need long to start one
GRACE_SECONDS = 10.0  # that the cluster gets to end by itself

logger = logging.getLogger("muniment.worker")


class Cluster:
    """django-q's cluster: a process in a group of its own, which ends when we do, however we end."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, sys.argv[0], "qcluster"],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=end_with_parent,  # noqa: PLW1509 - we have one thread
        )

    @property
    def lives(self) -> bool:
        return self.process.poll() is None

    def holds(self, job: Job) -> bool:
        """Whether a worker of this cluster runs the job."""
        host, _, process = job.holder.rpartition(":")
        try:
            return host == socket.gethostname() and os.getpgid(int(process)) == self.process.pid
        except (ValueError, ProcessLookupError):
            return False

    @property
    def at_work(self) -> int:
        """How many of its workers run a task: a build, or what time brings about (knowledge.upkeep)."""
        return worker_lock.at_work(self.process.pid)

    def ask_to_end(self) -> None:
        with suppress(ProcessLookupError):
            self.process.terminate()

    def kill(self) -> None:
        """With all its children, whatever state they are in."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class Watchdog:
    """One round every few seconds. A database that is away is waited for."""

    def __init__(self) -> None:
        self.cluster = Cluster()
        self.ending = threading.Event()
        self.told: Any = None  # the connection on which we said that we live
        self.waiting: dict[int, float] = {}  # job → since when it waits for a worker
        self.patience = PATIENCE_SECONDS

    def run(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self.ending.set())
        try:
            while not self.ending.is_set():
                self.look()
                self.ending.wait(ROUND_SECONDS)
        finally:
            self.end()

    def look(self) -> None:
        try:
            self.say_that_we_live()
            for what in rescue.tend():
                logger.warning(what)
            stuck = self.is_stuck()
        except (Error, OSError) as error:
            logger.warning("the database does not answer: %s", error)
            connection.close()
            stuck = False
        if stuck:
            self.patience = min(2 * self.patience, LONGEST_PATIENCE_SECONDS)
        if stuck or not self.cluster.lives:
            self.restart("takes no job" if stuck else "is gone")

    def say_that_we_live(self) -> None:
        connection.ensure_connection()
        if self.told is not connection.connection:
            locks.lock_shared(locks.WORKER, 0)
            self.told = connection.connection

    def is_stuck(self) -> bool:
        """Whether a job waits too long beside an idle worker: the queue's lock died with its holder, or so.

        Each cluster that ends so before it took a job leaves the next one twice the time.
        """
        now = time.monotonic()
        self.waiting = {job.pk: self.waiting.get(job.pk, now) for job in rescue.waiting_for_a_worker()}
        jobs = sum(map(self.cluster.holds, Job.objects.filter(state=Job.State.RUNNING)))
        at_work = max(jobs, self.cluster.at_work)  # a job that failed gave up its worker's connection
        if at_work or not self.waiting:
            self.patience = PATIENCE_SECONDS
        return at_work < Conf.WORKERS and any(now - since > self.patience for since in self.waiting.values())

    def restart(self, reason: str) -> None:
        logger.error("the queue's cluster %s: a new one is started", reason)
        with suppress(Error, OSError):
            self.give_back()
            Job.objects.due().update(rung_at=None)  # it may have swallowed their bells
        self.cluster.kill()
        self.cluster = Cluster()
        self.waiting.clear()

    def give_back(self) -> None:
        for job in Job.objects.filter(state=Job.State.RUNNING).select_related("library"):
            if self.cluster.holds(job):
                rescue.give_back(job)

    def end(self) -> None:
        """Let the workers stop where they are; what they leave is resumed by the next worker."""
        self.cluster.ask_to_end()
        deadline = time.monotonic() + GRACE_SECONDS
        while self.cluster.lives and time.monotonic() < deadline:
            with suppress(Error, OSError):
                self.give_back()
            with suppress(subprocess.TimeoutExpired):
                self.cluster.process.wait(1)
        self.cluster.kill()
