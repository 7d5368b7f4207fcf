"""Remove a library with everything in it. Answers keep the words that they quoted; `gc` then frees what was shared."""

import json
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ingestion.jobs import LibraryBusy
from ingestion.removing import remove_library
from knowledge.management.commands._library import find_library


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--yes", action="store_true", help="don't ask")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        library = find_library(options["slug"])
        if not options["yes"]:
            if not sys.stdin.isatty():
                raise CommandError("this cannot be undone: say --yes", returncode=2)
            if input(f"Remove {library} with all its snapshots? Type its name: ") != library.slug:
                raise CommandError("nothing was removed")
        try:
            done = remove_library(library)
        except LibraryBusy as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps(done))
            return
        self.stdout.write(
            f"Removed {done['library']}: {done['snapshots']:,} snapshots, {done['file_versions']:,} file versions\n"
            f"  {done['citations_unlinked']:,} citations keep their words; manage.py gc frees what was shared"
        )
