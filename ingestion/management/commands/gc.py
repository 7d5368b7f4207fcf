"""Prune snapshots that retention no longer asks for, and collect what no snapshot holds."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from ingestion.collecting import collect


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="say what would go, and write nothing")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        found = collect(options["dry_run"])
        if options["json"]:
            self.stdout.write(json.dumps(found.as_json()))
            return
        verb = "Would remove" if found.dry_run else "Removed"
        counted = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in found.counts.items() if count)
        self.stdout.write(f"{verb}: {counted or 'nothing'}")
        for slug, numbers in found.snapshots.items():
            self.stdout.write(f"  {slug}: snapshots {', '.join(map(str, numbers))}")
        if found.kept_for_answers:
            self.stdout.write(f"  kept for answers that cite them: {found.kept_for_answers:,} file versions")
        for slug in found.busy:
            self.stdout.write(self.style.WARNING(f"  {slug} is being built: left for the next time"))
