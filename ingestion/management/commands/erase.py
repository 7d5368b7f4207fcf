"""Erase a document file for good, from every snapshot, the ledger, the vectors and the originals. Prints a receipt."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ingestion.erasing import elsewhere, erase, held, named
from ingestion.jobs import LibraryBusy
from knowledge.access import NotAllowed
from knowledge.management.commands._library import find_document, find_library
from knowledge.management.commands._user import add_as, find_user
from knowledge.models import Library


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("path")
        parser.add_argument("--reason", required=True)
        parser.add_argument("--yes", action="store_true", help="it can't be undone")
        add_as(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        library = find_library(options["slug"])
        document = find_document(library, options["path"])
        if not options["yes"]:
            also = also_in(**named(elsewhere(document, held(document), Library.objects.all())))
            raise CommandError(f"nothing was erased: {document} can't be brought back{also}; say --yes", returncode=2)
        try:
            receipt = erase(document, find_user(options["user"]), options["reason"])
        except (NotAllowed, ValueError, LibraryBusy) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(json.dumps(receipt, ensure_ascii=False, indent=1))
        if also := also_in(receipt["elsewhere"], receipt["elsewhere_count"]):
            self.stderr.write(self.style.WARNING(also.removeprefix("; ")))


def also_in(elsewhere: list[str], elsewhere_count: int) -> str:
    """What stays, as it is said behind what goes."""
    more = f" and {others:,} more" if (others := elsewhere_count - len(elsewhere)) else ""
    return f"; the same bytes are also in {', '.join(elsewhere)}{more}" if elsewhere else ""
