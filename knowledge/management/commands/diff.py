"""Which files one snapshot of a library adds, changes and removes against another."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from ._library import find_library, find_snapshot


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("before", type=int, metavar="A")
        parser.add_argument("after", type=int, metavar="B")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        library = find_library(options["slug"])
        changes = find_snapshot(library, options["before"]).diff(find_snapshot(library, options["after"]))
        if options["json"]:
            self.stdout.write(json.dumps(changes, ensure_ascii=False))
            return
        for sign, paths in zip("+~-", changes.values(), strict=True):
            for path in paths:
                self.stdout.write(f"{sign} {path}")
