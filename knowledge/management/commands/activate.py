"""Make a ready snapshot the one that searches see."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from knowledge.models import NotActivatable

from ._library import activated, find_library, find_snapshot


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("number", type=int, metavar="N")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        library = find_library(options["slug"])
        try:
            before = library.activate(find_snapshot(library, options["number"]))
        except NotActivatable as error:
            raise CommandError(str(error)) from error
        self.stdout.write(activated(library, before, options["json"]))
