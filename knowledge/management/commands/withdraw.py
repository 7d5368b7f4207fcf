"""Make a document file invisible at once, everywhere: `withdraw SLUG PATH --reason WHY`; `--restore` undoes it."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from knowledge.access import NotAllowed

from ._library import find_library
from ._user import add_as, find_user


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("path")
        parser.add_argument("--reason", default="")
        way = parser.add_mutually_exclusive_group()
        way.add_argument("--restore", action="store_true")
        way.add_argument("--trash", action="store_true", help="and erase it when the library's days have passed")
        add_as(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        library = find_library(options["slug"])
        document = library.document_files.filter(path=options["path"]).first()
        if document is None:
            raise CommandError(f"{library} has no file {options['path']}")
        user = find_user(options["user"])
        try:
            if options["restore"]:
                document.restore(user, options["reason"] or "restored")
            elif options["trash"]:
                document.trash(user, options["reason"])
            else:
                document.withdraw(user, options["reason"])
        except (NotAllowed, ValueError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{library}: {document} is {document.state}")
