"""Make a ready snapshot the one that searches see; of one that is reviewed, what was approved."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from knowledge.access import NotAllowed
from knowledge.governance import review
from knowledge.models import NotActivatable

from ._library import activated, find_library, find_snapshot
from ._user import add_as, find_user


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("number", type=int, metavar="N")
        parser.add_argument("--override", default="", metavar="WHY", help="activate it although the gate refuses")
        add_as(parser)
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        library = find_library(options["slug"])
        try:
            snapshot = find_snapshot(library, options["number"])
            published = review.publish(snapshot, find_user(options["user"]), options["override"])
        except (NotActivatable, NotAllowed) as error:
            raise CommandError(str(error)) from error
        library.active_snapshot = published.snapshot
        self.stdout.write(activated(library, published.before, options["json"], published.left))
