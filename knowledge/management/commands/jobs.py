"""The newest jobs: what runs, what waits, what went wrong."""

import json
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from knowledge.models import Job

WATCH_SECONDS = 2


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--watch", action="store_true", help="again every two seconds, while a job runs or waits")
        parser.add_argument("--limit", type=int, default=20)
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        while True:
            jobs = list(Job.objects.select_related("library", "snapshot")[: options["limit"]])
            if options["json"]:
                self.stdout.write(json.dumps([described(job) for job in jobs], ensure_ascii=False))
            else:
                for job in jobs:
                    self.stdout.write(line(job))
            if not options["watch"] or not any(job.state in (Job.State.QUEUED, Job.State.RUNNING) for job in jobs):
                return
            time.sleep(WATCH_SECONDS)
            self.stdout.write("")


def described(job: Job) -> dict[str, Any]:
    moments = {name: getattr(job, name) for name in ("created_at", "started_at", "finished_at")}
    return {
        "job": job.pk,
        "kind": job.kind,
        "library": job.library.slug,
        "snapshot": job.snapshot.number if job.snapshot else None,
        "state": job.state,
        "stage": job.stage,
        "attempts": job.attempts,
        "counters": job.counters,
        "message": job.message,
        **{name: moment.isoformat() if moment else None for name, moment in moments.items()},
    }


def line(job: Job) -> str:
    done, total = job.counters.get("done", 0), job.counters.get("total", 0)
    stage = f"{job.stage} {done:,}/{total:,}" if job.state == Job.State.RUNNING and total else job.stage
    return f"{job.pk:>5}  {job.state:9}  {job.library.slug:20}  {stage:24}  {job.message}".rstrip()
