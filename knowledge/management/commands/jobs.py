"""The newest jobs: what runs, what waits and why, what went wrong. `jobs ID` tells one job's story."""

import json
import time
from argparse import ArgumentParser
from collections.abc import Iterable
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from knowledge.models import Job, NotPossible
from knowledge.models.job import VERBS
from knowledge.progress_line import line, longest_first
from knowledge.waiting import NO_WORKER, reasons, worker_is_alive

from ._library import find_library
from ._numbers import at_least_one

WATCH_SECONDS = 2


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("job", type=int, nargs="?", metavar="ID", help="one job, with its events")
        parser.add_argument(
            "--watch",
            action="store_true",
            help="again every two seconds, while a job runs or waits; with --json once, when none does any more",
        )
        parser.add_argument("--limit", type=at_least_one, default=20, metavar="N", help="default: 20")
        parser.add_argument("--library", metavar="SLUG")
        steer = parser.add_mutually_exclusive_group()
        steer.add_argument("--cancel", type=int, metavar="ID", help="end it; what runs stops within seconds")
        steer.add_argument("--pause", type=int, metavar="ID", help="let it wait until --resume")
        steer.add_argument("--resume", type=int, metavar="ID")
        steer.add_argument("--retry", type=int, metavar="ID", help="again, from the stage where it stopped")
        parser.add_argument(
            "--path", nargs="+", action="extend", metavar="P", help="with --retry: only these files, which it rejected"
        )
        parser.add_argument(
            "--log", action="store_true", help="with ID: its events as lines of JSON; with --json as one list"
        )
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["path"] and options["retry"] is None:
            raise CommandError("--path goes with --retry", returncode=2)
        for verb in VERBS:
            if options[verb] is not None:
                self.steer(verb, options)
                return
        if options["log"]:
            self.show_log(options["job"], options["json"])
            return
        jobs = self.chosen(options)
        while options["watch"] and any(job.is_unfinished for job in jobs):
            self.wait(jobs, options)
            jobs = self.chosen(options)
        self.show(jobs, options)

    def wait(self, jobs: list[Job], options: dict[str, Any]) -> None:
        """People see how things stand meanwhile; a document of JSON is printed once."""
        if options["json"]:
            time.sleep(WATCH_SECONDS)
            return
        self.show(jobs, options)
        self.stdout.flush()
        time.sleep(WATCH_SECONDS)
        self.stdout.write("\033[H\033[J" if self.stdout.isatty() else "")

    def chosen(self, options: dict[str, Any]) -> list[Job]:
        jobs = Job.objects.select_related("library", "snapshot")
        if options["job"] is not None:
            return [find(options["job"])]
        if options["library"]:
            jobs = jobs.filter(library=find_library(options["library"]))
        return list(jobs[: options["limit"]])

    def steer(self, verb: str, options: dict[str, Any]) -> None:
        job = find(options[verb])
        try:
            job = job.steer(verb, None, options["path"])
        except NotPossible as error:
            raise CommandError(str(error)) from error
        waits = reasons([job]).get(job.pk, "")
        if options["json"]:
            self.stdout.write(json.dumps(described(job, waits), ensure_ascii=False))
        else:
            self.stdout.write(f"{job} is {job.outcome}" + (f": {waits}" if waits else ""))

    def show_log(self, number: int | None, as_json: bool) -> None:
        if number is None:
            raise CommandError("--log needs the ID of a job", returncode=2)
        events = [event.as_json() for event in find(number).events.all()]
        for document in [events] if as_json else events:
            self.stdout.write(json.dumps(document, ensure_ascii=False))

    def show(self, jobs: list[Job], options: dict[str, Any]) -> None:
        waits = reasons(jobs)
        one = options["job"] is not None
        if options["json"]:
            rows = [described(job, waits.get(job.pk, "")) for job in jobs]
            if one:
                rows[0] |= {"report": jobs[0].report, "events": [event.as_json() for event in jobs[0].events.all()]}
            self.stdout.write(json.dumps(rows[0] if one else rows, ensure_ascii=False))
            return
        if not worker_is_alive() and any(job.is_unfinished for job in jobs):
            self.stdout.write(self.style.WARNING(NO_WORKER))
        for job in jobs:
            self.stdout.write(summary(job, waits.get(job.pk, "")))
        if one:
            self.stdout.writelines(f"{text}\n" for text in story(jobs[0]))


def find(number: int) -> Job:
    job = Job.objects.select_related("library", "snapshot").filter(pk=number).first()
    if job is None:
        raise CommandError(f"there is no job {number}")
    return job


def described(job: Job, waits: str) -> dict[str, Any]:
    moments = {name: getattr(job, name) for name in ("created_at", "started_at", "finished_at", "not_before")}
    return {
        "job": job.pk,
        "kind": job.kind,
        "library": job.library.slug,
        "snapshot": job.snapshot.number if job.snapshot else None,
        "state": job.state,
        "outcome": job.outcome,
        "waiting_for": waits or None,
        "stage": job.stage,
        "attempts": job.attempts,
        "max_attempts": job.max_attempts,
        "counters": job.counters,
        "message": job.message,
        **{name: moment.isoformat() if moment else None for name, moment in moments.items()},
    }


def summary(job: Job, waits: str) -> str:
    said = line(job.stage, job.counters) if job.state == Job.State.RUNNING else waits or job.message
    return f"{job.pk:>5}  {job.outcome:25}  {job.library.slug:20}  {said}".rstrip()


def story(job: Job) -> Iterable[str]:
    for event in job.events.all():
        data = "  ".join(f"{key}={value}" for key, value in event.data.items() if not isinstance(value, dict))
        yield f"  {event.at:%Y-%m-%d %H:%M:%S}  {event.level:7}  {event.message}  {data}".rstrip()
    report = job.report or {}
    if spent := longest_first(report.get("seconds", {})):
        yield "  time: " + ", ".join(f"{stage} {seconds:.1f} s" for stage, seconds in spent)
    for file in report.get("rejected", ()):
        yield f"  rejected {file['path']}: {file['reason']}"
    if report.get("rejected"):
        yield f"  again: manage.py jobs --retry {job.pk} --path {report['rejected'][0]['path']}"
