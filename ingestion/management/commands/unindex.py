"""Take files out of the index by a regular expression (Postgres's) that is looked for in their paths.

It only shows what it would do, until it is told --yes. The files stay out of later builds; --restore lets builds read
them again.
"""

import json
from argparse import ArgumentParser
from collections.abc import Iterable
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.template.defaultfilters import pluralize

from ingestion.jobs import LibraryBusy
from ingestion.unindexing import BadPattern, SlowPattern, described, matching, restore, unindex, would_remove
from knowledge.management.commands._library import find_library
from knowledge.models import LeaseLost, Library, NotActivatable

SHOWN = 50


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("regex", metavar="REGEX")
        parser.add_argument("--library", metavar="SLUG", help="default: every library")
        parser.add_argument("--restore", action="store_true", help="let builds read the matching files again")
        parser.add_argument("--dry-run", action="store_true", help="show what would be done, as without --yes")
        parser.add_argument("--yes", action="store_true", help="do it, and do not only show it")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        libraries = [find_library(options["library"])] if options["library"] else list(Library.objects.all())
        if not options["regex"] and not options["restore"]:
            raise CommandError("an empty expression matches every file: write . where all are meant", returncode=2)
        try:
            matching([""], options["regex"])
        except BadPattern as error:  # for every library, also where nothing is indexed
            raise CommandError(str(error), returncode=2) from error
        dry_run = options["dry_run"] or not options["yes"]
        outcomes, faults = self.attempt(libraries, options["regex"], options["restore"], dry_run)
        if options["json"]:
            self.stdout.write(json.dumps(outcomes, ensure_ascii=False))
        else:
            for outcome in outcomes:
                self.show(outcome)
        if dry_run and not options["dry_run"] and not faults:
            (self.stderr if options["json"] else self.stdout).write("Nothing was done. Again with --yes to do it.")
        if faults:
            raise CommandError("\n".join(faults))

    def attempt(
        self, libraries: Iterable[Library], regex: str, restoring: bool, dry_run: bool
    ) -> tuple[list[dict[str, Any]], list[str]]:
        """One library's fault does not keep the others from it."""
        outcomes, faults = [], []
        for library in libraries:
            try:
                outcomes.append(self.apply(library, regex, restoring, dry_run))
            except (SlowPattern, LibraryBusy, LeaseLost, NotActivatable) as error:
                faults.append(f"{library}: {error}")
        return outcomes, faults

    def apply(self, library: Library, regex: str, restoring: bool, dry_run: bool) -> dict[str, Any]:
        if restoring:
            return restore(library, regex, dry_run)
        if dry_run:
            return described(library, library.active_snapshot, would_remove(library, regex), dry_run=True)
        return unindex(library, regex)

    def show(self, outcome: dict[str, Any]) -> None:
        restoring = "restored" in outcome
        paths = outcome["restored" if restoring else "removed"]
        verb = "would be " if outcome["dry_run"] else ""
        done = "let in again" if restoring else "taken out"
        self.stdout.write(f"{outcome['library']}: {len(paths):,} file{pluralize(len(paths))} {verb}{done}")
        for path in paths[:SHOWN]:
            self.stdout.write(f"  {'+' if restoring else '-'} {path}")
        if len(paths) > SHOWN:
            self.stdout.write(f"  … and {len(paths) - SHOWN:,} more (--json lists all)")
        if paths and not restoring and not outcome["dry_run"]:
            state = "active" if outcome["active"] else "ready, and waits to be activated"
            self.stdout.write(f"  snapshot {outcome['snapshot']} without them is {state}")
        if paths and restoring and not outcome["dry_run"]:
            self.stdout.write(f"  they are found again after: manage.py reindex {outcome['library']}")
