"""Bring libraries up to date with their sources: a new snapshot where something changed, nothing where nothing did."""

import json
from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import fields
from shutil import get_terminal_size
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from django.utils import timezone

from ingestion.drift import ProfileChanged
from ingestion.dry_run import dry_run
from ingestion.jobs import LibraryBusy, run_build, worded
from ingestion.progress import STAGES, SUMMARIES, BuildReport, Progress
from ingestion.sandbox import SandboxError
from ingestion.sources import SourceError, counted_by_kind
from knowledge.endpoints import EndpointError
from knowledge.governance.review import candidates
from knowledge.models import Job, LeaseLost, Library
from knowledge.progress_line import line

from ._terminal import show_line, without_log

FAULTS = (
    SourceError,
    SandboxError,
    EndpointError,
    ProfileChanged,
    LibraryBusy,
    LeaseLost,
    DatabaseError,
    OSError,
)
COUNTED = {  # in a report
    "files": ("added", "changed", "removed", "unchanged", "rejected"),
    "chunks": ("new", "reused"),
    "embeddings": ("computed", "reused"),
    "summaries": SUMMARIES,
    "seconds": (*STAGES, "total"),
}
Work = Callable[[Library, dict[str, Any]], dict[str, Any]]


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slugs", nargs="*", metavar="SLUG", help="default: every library with a source")
        parser.add_argument(
            "--dry-run", action="store_true", help="say what would happen; write nothing, call no model"
        )
        parser.add_argument(
            "--full", action="store_true", help="build anew where the settings, the model or Muniment itself changed"
        )
        parser.add_argument(
            "--force", action="store_true", help="the same, even where nothing changed or the source is empty now"
        )
        parser.add_argument(
            "--path", nargs="+", action="extend", default=[], metavar="P", help="read again only these files or folders"
        )
        parser.add_argument("--test-mode", action="store_true", help="call no model: deterministic vectors")
        parser.add_argument("--queue", action="store_true", help="leave the work to the worker")
        parser.add_argument("--no-activate", action="store_true", help="leave the new snapshot ready, not active")
        parser.add_argument("--json", action="store_true", help="a report for each library, also for one that failed")

    def handle(self, *args: Any, **options: Any) -> None:
        libraries = self.libraries(options["slugs"], options["path"])
        if options["dry_run"]:
            work: Work = self.plan
        else:
            work = self.enqueue if options["queue"] else self.build
        faults: list[str] = []
        with without_log(self):
            outcomes = [self.attempt(work, library, options, faults) for library in libraries]
        if options["json"]:
            self.stdout.write(json.dumps(outcomes, ensure_ascii=False))
        elif not libraries:
            self.stdout.write("There is no library yet: see manage.py add_library --help")
        if faults:
            raise CommandError("\n".join(faults))

    def libraries(self, slugs: list[str], paths: list[str]) -> list[Library]:
        """Raises CommandError for a name that is none, and for one that `--path` took: every library would be read."""
        if not slugs and (taken := Library.objects.filter(slug__in=paths).values_list("slug", flat=True).first()):
            raise CommandError(f"--path took “{taken}”, which is a library: name it before --path")
        has_source = Library.objects.exclude(kind__in=[Library.Kind.ARCHIVE, Library.Kind.CORPUS])
        chosen = Library.objects.filter(slug__in=slugs) if slugs else has_source
        if missing := set(slugs) - {library.slug for library in chosen}:
            raise CommandError(f"no such library: {', '.join(sorted(missing))}")
        return list(chosen)

    def attempt(self, work: Work, library: Library, options: dict[str, Any], faults: list[str]) -> dict[str, Any]:
        """One library's fault does not keep the others from being read."""
        try:
            return work(library, options)
        except FAULTS as error:
            show_line(self)
            faults.append(f"{library}: {worded(error)}")
            return reported({"library": library.slug, "state": "failed", "error": worded(error)}, count=0)

    def plan(self, library: Library, options: dict[str, Any]) -> dict[str, Any]:
        outcome = dry_run(library, options["path"], options["force"], options["full"])
        if not options["json"]:
            changes = {sign: outcome[name] for sign, name in zip("+~-", ("added", "changed", "removed"), strict=True)}
            self.stdout.write(f"{library}: would change {sum(map(len, changes.values())):,} files")
            for sign, paths in changes.items():
                for path in paths:
                    self.stdout.write(f"  {sign} {path}")
            if outcome["unread"]:
                self.stdout.write(f"  no parser reads {counted_by_kind(outcome['unread'])}")
            for reason in outcome["would_refuse"]:
                self.stdout.write(self.style.WARNING(f"  it would be refused: {reason}"))
        paths = {name: outcome.pop(name) for name in ("added", "changed", "removed")}
        files = {name: len(found) for name, found in paths.items()}
        files |= {"unchanged": outcome.pop("unchanged"), "rejected": len(outcome["rejected"])}
        return reported(outcome | {"files": files} | paths)

    def build(self, library: Library, options: dict[str, Any]) -> dict[str, Any]:
        job = Job.objects.create(library=library, options=job_options(options), rung_at=timezone.now())
        try:
            report = run_build(job, listener=None if options["json"] else self.show)
        except LibraryBusy:
            Job.objects.filter(pk=job.pk, state=Job.State.QUEUED).delete()  # nobody has taken it
            raise
        except KeyboardInterrupt as error:
            show_line(self)
            raise KeyboardInterrupt(
                f"interrupted: {job} has failed, what is active stays, and the next build takes over what was built"
            ) from error
        if not options["json"]:
            self.summarise(report)
            if candidates(library).filter(number=report.snapshot, needs_review=True).exists():
                self.stdout.write(f"  it waits for review: manage.py review {library} {report.snapshot}")
        return report.as_json()

    def enqueue(self, library: Library, options: dict[str, Any]) -> dict[str, Any]:
        job = Job.objects.create(library=library, options=job_options(options))
        job.enqueue()
        if not options["json"]:
            self.stdout.write(f"{job} is queued")
        return reported({"library": library.slug, "job": job.pk, "state": job.state})

    def show(self, progress: Progress) -> None:
        shown = line(progress.stage, progress.job.counters)[: get_terminal_size().columns - 30]
        show_line(self, f"{progress.job.library.slug}: {shown}")

    def summarise(self, report: BuildReport) -> None:
        show_line(self)
        files = ", ".join(f"{count:,} {name}" for name, count in report.files.items())
        state = "active" if report.active else report.state
        self.stdout.write(f"{report.library}: snapshot {report.snapshot} is {state} ({report.seconds['total']:.1f} s)")
        self.stdout.write(f"  files: {files}")
        self.stdout.write(f"  chunks: {report.chunks['new']:,} new, {report.chunks['reused']:,} reused")
        self.stdout.write(
            f"  embeddings: {report.embeddings['computed']:,} computed, {report.embeddings['reused']:,} reused"
        )
        stages = [
            f"{stage} {spent:.1f} s" for stage, spent in report.seconds.items() if stage != "total" and spent > 0.05
        ]
        self.stdout.write(f"  time: {', '.join(stages) or 'none worth telling'}")
        if report.unread:
            self.stdout.write(f"  no parser reads {counted_by_kind(report.unread)}")
        if report.rejected:
            self.stdout.write(self.style.WARNING("  completed with rejections"))
        for warning in report.warnings:
            self.stdout.write(self.style.WARNING(f"  {warning}"))
        for file in report.rejected:
            self.stdout.write(self.style.WARNING(f"  rejected {file['path']}: {file['reason']}"))


def reported(known: dict[str, Any], count: int | None = None) -> dict[str, Any]:
    """With the keys of a build's report, and `count` for what it counts: null where no build has counted it yet."""
    report: dict[str, Any] = dict.fromkeys(field.name for field in fields(BuildReport))
    report |= {name: dict.fromkeys(keys, count) for name, keys in COUNTED.items()}
    return report | {"rejected": [], "active": False, "warnings": [], "unread": {}} | known


def job_options(options: dict[str, Any]) -> dict[str, Any]:
    return {
        "force": options["force"],
        "full": options["full"],
        "paths": options["path"],
        "activate": not options["no_activate"],
        "test_mode": options["test_mode"],
    }
