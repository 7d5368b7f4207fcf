"""Go back to the ready snapshot before the active one."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from knowledge.models import NotActivatable

from ._library import activated, find_library


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        library = find_library(options["slug"])
        before = library.active_snapshot
        try:
            library.rollback()
        except NotActivatable as error:
            raise CommandError(str(error)) from error
        self.stdout.write(activated(library, before, options["json"]))
