"""The ways to die that `crash.py` tries: who is killed, when, and what brings the work to its end afterwards."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from _setup import ROOT

RECOVERY_SECONDS = 60
START_SECONDS = 300  # for a worker to start on a busy machine; no part of a recovery


class ForkedZygote:
    """The parsers' process, forked from here where they are imported already: a victim starts it in each cycle.

    It is what `subprocess.Popen` is to `ingestion.sandbox.client`.
    """

    def __init__(self, command: list[str], **_: Any) -> None:
        from ingestion.sandbox import zygote
        from ingestion.sandbox.limits import Limits

        control, limits, parser = int(command[3]), Limits(**json.loads(command[4])), command[5]
        self.returncode: int | None = None
        self.pid = os.fork()
        if self.pid:
            return
        try:
            os.setsid()
            os.closerange(3, control)  # not least the victim's connection to Postgres
            os.closerange(control + 1, 4096)
            module, _, function = parser.partition(":")
            zygote.main(control, limits, getattr(sys.modules[module], function))
        finally:
            os._exit(0)

    def poll(self) -> int | None:
        if self.returncode is None:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            self.returncode = os.waitstatus_to_exitcode(status) if ended else None
        return self.returncode

    def kill(self) -> None:
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> None:
        if self.poll() is None:
            os.waitpid(self.pid, 0)


class Victims:
    """A kind of death takes a library and the number of a failpoint; it gives the job and its recovery's seconds."""

    def __init__(self, home: Path, chance: random.Random) -> None:
        self.home, self.chance = home, chance
        self.trace, self.flag = home / "trace", home / "hold"

    def worker(self, library: Any, nth: int) -> tuple[Any, float]:
        job = self.queued(library)
        self.fork(job, f"*=trace:{self.trace},*=kill@{nth}")
        return job, self.recover(job)

    def postgres(self, library: Any, nth: int) -> tuple[Any, float]:
        from config.local import postgres

        job = self.queued(library)
        child = self.fork(job, f"*=trace:{self.trace},*=hold:{self.flag}@{nth}", wait=False)
        if self.held(child):
            os.kill(postgres.postmaster().pid, signal.SIGQUIT)
            self.gone(postgres.postmaster().pid if postgres.postmaster() else 0)
        self.flag.unlink(missing_ok=True)
        os.waitpid(child, 0)
        return job, self.recover(job)

    def model(self, library: Any, nth: int) -> tuple[Any, float]:
        from config.local import models

        job = self.queued(library)
        child = self.fork(job, f"*=trace:{self.trace},*=hold:{self.flag}@{nth}", wait=False)
        if self.held(child) and (server := models.running("embedding")):
            os.kill(server.pid, signal.SIGKILL)
        began = time.monotonic()
        self.flag.unlink(missing_ok=True)
        os.waitpid(child, 0)  # which starts the server again
        self.recover(job)
        return job, time.monotonic() - began

    def web(self, library: Any, nth: int) -> tuple[Any, float]:
        """A failed job is asked for again on its page; the process dies somewhere on the way to the bell."""
        job = self.queued(library)
        job.cancel("for the benchmark")
        nth = self.chance.randint(1, 3)
        child = self.fork_doing(lambda: self.press_retry(job), f"*=trace:{self.trace},*=kill@{nth}")
        os.waitpid(child, 0)
        job.refresh_from_db()
        if job.state == "cancelled":  # it died before anything was asked for
            job.retry()
        return job, self.recover(job)

    def press_retry(self, job: Any) -> None:
        from django.contrib.auth.models import User
        from django.test import Client

        client = Client(headers={"host": "localhost"})
        client.force_login(User.objects.get_or_create(username="staff", is_staff=True, is_superuser=True)[0])
        client.post(f"/jobs/{job.pk}/", {"do": "retry"})

    def parent(self, library: Any, nth: int) -> tuple[Any, float]:
        return self.with_workers(library, nth, "parent")

    def cluster(self, library: Any, nth: int) -> tuple[Any, float]:
        return self.with_workers(library, nth, "cluster")

    def with_workers(self, library: Any, nth: int, victim: str) -> tuple[Any, float]:
        from django.db import connections

        job = self.queued(library)
        job.enqueue()
        connections.close_all()
        parent = self.start_worker(f"parse.read=trace:{self.trace},parse.read=hold:{self.flag}@2")
        try:
            deadline = time.monotonic() + START_SECONDS
            while not self.flag.exists() and job.is_unfinished and time.monotonic() < deadline:
                time.sleep(0.05)  # a build with fewer than two files to read never stands there
                job.refresh_from_db()
            began = time.monotonic()
            if victim == "parent":
                parent.kill()
                parent.wait()
                self.flag.unlink(missing_ok=True)
                parent = self.start_worker("")
            elif job.is_unfinished:
                os.kill(int(job.holder.rpartition(":")[2]), signal.SIGKILL)
            while job.is_unfinished and time.monotonic() - began < START_SECONDS:
                time.sleep(0.1)
                self.flag.unlink(missing_ok=True)
                job.refresh_from_db()
            return job, time.monotonic() - began
        finally:
            parent.terminate()
            parent.wait()

    # --- their parts ----------------------------------------------------------------------------------

    def queued(self, library: Any) -> Any:
        from knowledge.models import Job

        return Job.objects.create(library=library)

    def fork(self, job: Any, spec: str, wait: bool = True) -> int:
        from ingestion.jobs import run

        child = self.fork_doing(lambda: run(job.pk), spec)
        if wait:
            os.waitpid(child, 0)
        return child

    def fork_doing(self, action: Callable[[], None], spec: str) -> int:
        from django.db import connections

        connections.close_all()
        if child := os.fork():
            return child
        os.setsid()
        try:
            self.arm(spec)
            action()
        except BaseException:  # noqa: S110 - the row says what happened
            pass
        finally:
            os._exit(0)

    def recover(self, job: Any) -> float:
        """What a watchdog does in its rounds, and what the workers do that it rings for."""
        from django.db import Error, connections

        from ingestion import rescue
        from ingestion.jobs import run
        from knowledge.models import Job

        began = time.monotonic()
        while time.monotonic() - began < 2 * RECOVERY_SECONDS:
            try:
                rescue.tend()
                Job.objects.filter(not_before__isnull=False).update(not_before=None)  # 15 s that need not be waited
                for waiting in rescue.waiting_for_a_worker():
                    run(waiting.pk)
                job.refresh_from_db()
                if not job.is_unfinished:
                    break
            except (Error, OSError):
                connections.close_all()
            time.sleep(0.05)
        return time.monotonic() - began

    def start_worker(self, spec: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, str(ROOT / "manage.py"), "worker"]
        log = (self.home / "worker.log").open("ab")
        return subprocess.Popen(command, cwd=ROOT, env=os.environ | {"FAILPOINTS": spec}, stdout=log, stderr=log)

    def held(self, child: int) -> bool:
        """Whether the child stands at its failpoint; not when it ended before."""
        while not self.flag.exists():
            if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                return False
            time.sleep(0.02)
        return True

    def gone(self, pid: int) -> None:
        deadline = time.monotonic() + 20
        while pid and Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
            time.sleep(0.02)

    def arm(self, spec: str) -> None:
        from knowledge import failpoints

        failpoints.arm(spec, allowed=True)
