"""Which snapshots of a library `gc` keeps: show it, or change it."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from knowledge.governance.settings import pin
from knowledge.models import Snapshot

from ._library import find_library, find_snapshot
from ._numbers import count


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--snapshots", type=count, metavar="N", help="keep so many of the newest")
        parser.add_argument("--days", type=count, metavar="N", help="keep what is younger, however many")
        parser.add_argument("--pin", type=int, nargs="+", default=[], metavar="N", help="keep these whatever happens")
        parser.add_argument("--unpin", type=int, nargs="+", default=[], metavar="N")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        library = find_library(options["slug"])
        for pinned, numbers in ((True, options["pin"]), (False, options["unpin"])):
            for snapshot in [find_snapshot(library, number) for number in numbers]:
                pin(snapshot, pinned)
        for field, value in (("keep_snapshots", options["snapshots"]), ("keep_days", options["days"])):
            if value is not None:
                setattr(library, field, value)
                library.save(update_fields=[field])
        pinned_ones = list(library.snapshots.filter(pinned=True).order_by("number").values_list("number", flat=True))
        expendable = Snapshot.objects.expendable(library).order_by("number").values_list("number", flat=True)
        told: dict[str, Any] = {
            "library": library.slug,
            "keep_snapshots": library.keep_snapshots,
            "keep_days": library.keep_days,
            "pinned": pinned_ones,
            "expendable": list(expendable),
        }
        if options["json"]:
            self.stdout.write(json.dumps(told))
            return
        self.stdout.write(
            f"{library}: keeps the newest {library.keep_snapshots}, and what is younger than {library.keep_days} days"
        )
        for name in ("pinned", "expendable"):
            self.stdout.write(f"  {name}: {', '.join(map(str, told[name])) or 'none'}")
