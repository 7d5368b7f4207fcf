"""Go back to the older snapshot that was active last, but not to what a rollback left."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from knowledge.access import NotAllowed
from knowledge.governance.activation import rollback
from knowledge.models import NotActivatable

from ._library import activated, find_library
from ._user import add_as, find_user


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        add_as(parser)
        parser.add_argument("--reason", default="", help="kept in the audit")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        library = find_library(options["slug"])
        before = library.active_snapshot
        try:
            rollback(library, find_user(options["user"]), reason=options["reason"])
        except (NotActivatable, NotAllowed) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(activated(library, before, options["json"]))
