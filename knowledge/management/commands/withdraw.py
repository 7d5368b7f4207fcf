"""Make a document file invisible at once, everywhere: `withdraw SLUG PATH --reason WHY`; `--restore` undoes it."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from knowledge.access import NotAllowed
from knowledge.governance.withdrawal import govern
from knowledge.wording import standing

from ._library import find_document, find_library
from ._user import add_as, find_user


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("path")
        parser.add_argument("--reason", default="")
        way = parser.add_mutually_exclusive_group()
        way.add_argument("--restore", dest="do", action="store_const", const="restore", default="withdraw")
        way.add_argument(
            "--trash", dest="do", action="store_const", const="trash", default="withdraw",
            help="and erase it when the library's days have passed",
        )  # fmt: skip
        add_as(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        if options["do"] != "restore" and not options["reason"].strip():
            raise CommandError("--reason: say why, those who miss it will ask", returncode=2)
        library = find_library(options["slug"])
        document = find_document(library, options["path"])
        before = document.withdrawn_because
        try:
            govern(document, options["do"], find_user(options["user"]), options["reason"])
        except (NotAllowed, ValueError) as error:
            raise CommandError(str(error)) from error
        replaced = f"; it was before: {before}" if before and options["do"] != "restore" else ""
        self.stdout.write(f"{library}: {document} is {standing(document)}{replaced}")
