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
import math
import os
import random
import sys
import time
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from _setup import ROOT, WORDS, set_up_django
from crash_victims import RECOVERY_SECONDS, ForkedZygote, Victims

FRESH_START = 25  # cycles, after which everything is deleted: `verify` reads all that is there
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
    sys.argv[0] = str(ROOT / "manage.py")
    from django.core.management import call_command

    set_up_django()
    call_command("migrate", verbosity=0)
    import ingestion.parsers
    from ingestion.sandbox import client

    ingestion.parsers.parse(b"# Imported on first use\n", "a.md")
    client.subprocess = SimpleNamespace(Popen=ForkedZygote, DEVNULL=None)


class Harness:
    def __init__(self, home: Path, chance: random.Random) -> None:
        self.home, self.chance = home, chance
        self.victims = Victims(home, chance)
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
        real = "-real" if kind == "model" else ""  # what was built with another model is no base
        library = Library.objects.get(slug=f"crash{real}")
        before = library.snapshots.count()
        self.victims.trace.unlink(missing_ok=True)
        job, recovery = getattr(self.victims, kind)(library, nth)
        visited = self.victims.trace.read_text().splitlines() if self.victims.trace.exists() else []
        self.kinds[kind] += 1
        if kind in ("parent", "cluster", "web"):
            self.sites[visited[-1]] += 1
        elif len(visited) >= nth:
            self.sites[visited[nth - 1]] += 1
        else:
            self.survived[kind] += 1
            self.length = max(len(visited), 40)
        reference = Library.objects.get(slug=f"reference{real}")  # afterwards: the vectors were new for the other
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
        for slug in ("crash", "reference", "crash-real", "reference-real"):
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
            times = sorted(self.recoveries.get(kind, [math.nan]))
            middle, longest = times[len(times) // 2], times[-1]
            print(f"| {kind} | {count} | {count - self.survived[kind]} | {middle:.1f} s | {longest:.1f} s |")
        print(f"\n{len(self.sites)} sites: {json.dumps(dict(self.sites.most_common()))}")
        for violation in self.violations:
            print("VIOLATION", violation)


if __name__ == "__main__":
    sys.exit(main())
