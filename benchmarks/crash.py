"""Kill something in the middle of a build, recover, and compare with a build that nothing disturbed; many times.

    python benchmarks/crash.py --home /tmp/crash --cycles 500 [--kinds worker,worker,postgres,parent] [--seed 1]

Runs in a home of its own with the embedded Postgres (and, for `model`, the embedded MiniLM). A cycle changes a few
files of a small library, lets a process build it that dies at the n-th failpoint, n drawn at random, and then does what
a worker's watchdog does. Kinds, taken in turn:

    worker    kill -9 of the process that builds
    postgres  SIGQUIT to the postmaster (immediate stop) while the builder stands at the n-th failpoint
    model     kill -9 of the embedding server while the builder stands there; real vectors
    parent    kill -9 of `manage.py worker` while its cluster builds; another one is started
    cluster   kill -9 of a worker process of that cluster; its own watchdog recovers
    web       kill -9 of a web process at the n-th failpoint of asking for a job again

After each: the manifest hash is that of an undisturbed library with the same files, the job succeeded, one snapshot was
added, nothing is half done, `verify --deep` holds, and it took at most 60 s. Prints a table; exits 1 for a violation.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
KINDS = ("worker", "postgres", "parent", "cluster", "web", "model")
RECOVERY_SECONDS = 60
FRESH_START = 25  # cycles, after which everything is deleted: `verify` reads all that is there
START_SECONDS = 300  # for a worker to start on a busy machine; no part of a recovery
FILES = 12


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--cycles", type=int, default=100)
    parser.add_argument("--kinds", default="worker")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after so long")
    chosen = parser.parse_args()
    set_up(chosen.home)
    harness = Harness(chosen.home.resolve(), random.Random(chosen.seed))  # noqa: S311
    return harness.run(chosen.kinds.split(","), chosen.cycles, chosen.seconds)


def set_up(home: Path) -> None:
    home.mkdir(parents=True, exist_ok=True)
    (home / "documents").mkdir(exist_ok=True)
    os.environ.pop("DATABASE_URL", None)
    os.environ |= {
        "MUNIMENT_HOME": str(home.resolve()),
        "DIRECTORY_ROOTS": str(home.resolve() / "documents"),
        "AI_TEST_MODE": "true",
        "DEBUG": "true",
        "LOG_LEVEL": "CRITICAL",
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    sys.path.insert(0, str(ROOT))
    sys.argv[0] = str(ROOT / "manage.py")
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    import ingestion.parsers
    from ingestion.sandbox import client

    ingestion.parsers.parse(b"# Imported on first use\n", "a.md")
    client.subprocess = SimpleNamespace(Popen=ForkedZygote, DEVNULL=None)


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


class Harness:
    def __init__(self, home: Path, chance: random.Random) -> None:
        self.home, self.chance = home, chance
        self.trace, self.flag = home / "trace", home / "hold"
        self.sites: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()
        self.survived: Counter[str] = Counter()  # the n-th failpoint came after the end
        self.recoveries: dict[str, list[float]] = {}
        self.violations: list[str] = []
        self.length = 200

    def run(self, kinds: list[str], cycles: int, seconds: float) -> int:
        began = time.monotonic()
        for number in range(cycles):
            if time.monotonic() - began > seconds:
                break
            if number % FRESH_START == 0:
                self.start_afresh()
            kind = kinds[number % len(kinds)]
            try:
                self.cycle(number, kind)
            except Exception as error:
                self.violations.append(f"cycle {number} ({kind}): {type(error).__name__}: {error}")
                print("VIOLATION", self.violations[-1], flush=True)
            if number % 20 == 19:
                print(self.line(time.monotonic() - began), flush=True)
        self.summarise(time.monotonic() - began)
        return 1 if self.violations else 0

    # --- one cycle ------------------------------------------------------------------------------------

    def cycle(self, number: int, kind: str) -> None:
        from django.conf import settings

        from ingestion.jobs import run_build
        from knowledge.models import Job, Library

        settings.AI_TEST_MODE = kind != "model"
        self.change_files(number)
        nth = self.chance.randint(1, self.length)
        library = Library.objects.get(slug="crash")
        before = library.snapshots.count()
        self.trace.unlink(missing_ok=True)
        job, recovery = getattr(self, f"{kind}_cycle")(library, nth)
        visited = self.trace.read_text().splitlines() if self.trace.exists() else []
        self.kinds[kind] += 1
        if kind in ("parent", "cluster", "web"):
            self.sites[visited[-1]] += 1
        elif len(visited) >= nth:
            self.sites[visited[nth - 1]] += 1
        else:
            self.survived[kind] += 1
            self.length = max(len(visited), 40)
        reference = Library.objects.get(slug="reference")  # afterwards: the vectors were new for the other
        expected = run_build(Job.objects.create(library=reference)).manifest_hash
        self.recoveries.setdefault(kind, []).append(recovery)
        where = f"cycle {number} ({kind} at {visited[-1] if visited else '?'})"
        for fault in self.faults(library, job, expected, before, recovery):
            self.violations.append(f"{where}: {fault}")
            print("VIOLATION", self.violations[-1], flush=True)

    def faults(self, library: Any, job: Any, expected: str, before: int, recovery: float) -> list[str]:
        from knowledge.models import Snapshot
        from knowledge.verification import run_checks

        library.refresh_from_db()
        job.refresh_from_db()
        found = []
        active = library.active_snapshot
        if job.state != "succeeded":
            found.append(f"the job is {job.state}: {job.message}")
        if active is None or active.manifest_hash != expected:
            found.append("another manifest hash than the undisturbed build")
        if library.snapshots.count() != before + 1:
            found.append(f"{library.snapshots.count() - before} snapshots were added")
        if Snapshot.objects.filter(state="building").exists():
            found.append("a snapshot is left half built")
        if recovery > RECOVERY_SECONDS:
            found.append(f"recovery took {recovery:.0f} s")
        for check in run_checks(deep=True):
            if not check.ok:
                found.append(f"verify: {check.name}: {check.examples}")
        return found

    def worker_cycle(self, library: Any, nth: int) -> tuple[Any, float]:
        job = self.queued(library)
        self.fork(job, f"*=trace:{self.trace},*=kill@{nth}")
        return job, self.recover(job)

    def postgres_cycle(self, library: Any, nth: int) -> tuple[Any, float]:
        from config.local import postgres

        job = self.queued(library)
        child = self.fork(job, f"*=trace:{self.trace},*=hold:{self.flag}@{nth}", wait=False)
        if self.held(child):
            os.kill(postgres.postmaster().pid, signal.SIGQUIT)
            self.gone(postgres.postmaster().pid if postgres.postmaster() else 0)
        self.flag.unlink(missing_ok=True)
        os.waitpid(child, 0)
        return job, self.recover(job)

    def model_cycle(self, library: Any, nth: int) -> tuple[Any, float]:
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

    def web_cycle(self, library: Any, nth: int) -> tuple[Any, float]:
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

    def parent_cycle(self, library: Any, nth: int) -> tuple[Any, float]:
        return self.with_workers(library, nth, "parent")

    def cluster_cycle(self, library: Any, nth: int) -> tuple[Any, float]:
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

    # --- its parts ------------------------------------------------------------------------------------

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

    def change_files(self, number: int) -> None:
        """A few files change, one comes, one goes; one can never be read."""
        folder = self.home / "documents" / "crash"
        folder.mkdir(exist_ok=True)
        (folder / "broken.md").write_bytes(b"\0\1\2")
        for name in {*self.chance.sample(range(FILES), 3), number % FILES}:
            text = " ".join(self.chance.choices(WORDS.split(), k=60))
            (folder / f"{name}.md").write_text(f"# File {name}\n\n{text}\n\n## Cycle {number}\n\n{text[::-1]}\n")
        (folder / f"gone-{number - 1}.md").unlink(missing_ok=True)
        (folder / f"gone-{number}.md").write_text(f"# Soon gone\n\nCycle {number}.\n")

    def start_afresh(self) -> None:
        from django.db import connection

        from knowledge.models import Library

        with connection.cursor() as cursor:
            cursor.execute("TRUNCATE knowledge_library, knowledge_embedding, django_q_ormq, django_q_task CASCADE")
        for slug in ("crash", "reference"):
            (self.home / "documents" / "crash").mkdir(exist_ok=True)
            location = str(self.home / "documents" / "crash")
            Library.objects.create(slug=slug, name=slug, kind="directory", location=location, access="public")

    # --- what is printed ------------------------------------------------------------------------------

    def line(self, seconds: float) -> str:
        cycles = sum(self.kinds.values())
        return (
            f"{cycles} cycles in {seconds:.0f} s: {dict(self.kinds)}, {len(self.sites)} sites, "
            f"{len(self.violations)} violations"
        )

    def summarise(self, seconds: float) -> None:
        print(self.line(seconds))
        print("\n| killed | cycles | at a failpoint | recovery p50 | longest |\n| --- | ---: | ---: | ---: | ---: |")
        for kind, count in self.kinds.items():
            times = sorted(self.recoveries[kind])
            middle, longest = times[len(times) // 2], times[-1]
            print(f"| {kind} | {count} | {count - self.survived[kind]} | {middle:.1f} s | {longest:.1f} s |")
        print(f"\n{len(self.sites)} sites: {json.dumps(dict(self.sites.most_common()))}")
        for violation in self.violations:
            print("VIOLATION", violation)


WORDS = "tide bread bicycle lock moss harbour kettle ledger river stone apple window garden letter candle engine"

if __name__ == "__main__":
    sys.exit(main())
