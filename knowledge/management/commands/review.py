"""What a snapshot would change, and what was decided: `review SLUG [N] [--approve | --reject --as USER]`."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from knowledge.access import NotAllowed
from knowledge.governance import review
from knowledge.governance.differences import FileChange, text_diff
from knowledge.models import Decision, Library, Snapshot

from ._library import find_library, find_snapshot
from ._user import add_as, find_user

ALL = (
    "default: all that is undecided, but for what you brought, what was rejected before, and what has the bytes of a "
    "withdrawn file"
)
SIGNS = {"added": "+", "changed": "~", "rebuilt": "=", "removed": "-", "renamed": ">"}


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("number", type=int, nargs="?", metavar="N", help="default: the newest that waits")
        verdict = parser.add_mutually_exclusive_group()
        verdict.add_argument("--approve", action="store_true")
        verdict.add_argument("--reject", action="store_true")
        parser.add_argument("--path", nargs="+", action="extend", metavar="P", help=ALL)
        parser.add_argument("--comment", default="")
        add_as(parser)
        parser.add_argument("--diff", action="store_true", help="show the text of what changed")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        library = find_library(options["slug"])
        candidate = self.candidate(library, options["number"])
        if options["approve"] or options["reject"]:
            self.decide(candidate, options)
        if options["json"]:
            told = {"library": library.slug, **review.described(library, candidate)}
            self.stdout.write(json.dumps(told, ensure_ascii=False))
            return
        for change in review.changes(candidate):
            decision = f"{change.decision.verdict} by {change.decision.decided_by}" if change.decision else "undecided"
            name = f"{change.old_path} → {change.path}" if change.old_path else change.path
            before = f"; {change.rejected_before}" if change.rejected else ""
            hidden = f"; {change.withheld}" if change.withheld else ""
            self.stdout.write(f"{SIGNS[change.kind]} {name}  ({decision}{before}{hidden})")
            if options["diff"]:
                self.show(change)

    def candidate(self, library: Library, number: int | None) -> Snapshot:
        if number is not None:
            return find_snapshot(library, number)
        newest = review.candidates(library).first()
        if newest is None:
            raise CommandError(f"nothing waits in {library}")
        return newest

    def decide(self, candidate: Snapshot, options: dict[str, Any]) -> None:
        user = find_user(options["user"])
        if user is None:
            raise CommandError("say whose decision it is: --as USER", returncode=2)
        verdict = Decision.Verdict.APPROVED if options["approve"] else Decision.Verdict.REJECTED
        try:
            decided = review.decide(candidate, verdict, user, options["comment"], options["path"])
        except (NotAllowed, ValueError) as error:
            raise CommandError(str(error)) from error
        if decided.left_out:
            self.stderr.write(decided.left_out.removeprefix("; "))

    def show(self, change: FileChange) -> None:
        for section in text_diff(change):
            self.stdout.write(f"    {section.kind}: {' > '.join(section.breadcrumb)}")
            for line in section.lines:
                self.stdout.write(f"    {line.sign} {line.text}".rstrip())
