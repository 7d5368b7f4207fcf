"""Go back to the ready snapshot before the active one."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from knowledge.models import NotActivatable

from ._library import find_library


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        library = find_library(options["slug"])
        before = library.active_snapshot
        try:
            snapshot = library.rollback()
        except NotActivatable as error:
            raise CommandError(str(error)) from error
        outcome = {"library": library.slug, "active": snapshot.number, "before": before.number if before else None}
        self.stdout.write(
            json.dumps(outcome) if options["json"] else f"{library}: snapshot {snapshot.number} is active"
        )
