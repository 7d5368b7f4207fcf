"""Which files one snapshot of a library adds, changes and removes against another."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from knowledge.changes.section_changes import SectionChange

from ._library import find_library, find_snapshot


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("before", type=int, metavar="A")
        parser.add_argument("after", type=int, metavar="B")
        parser.add_argument("--sections", action="store_true", help="what became of each section, by its anchor")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        library = find_library(options["slug"])
        before, after = find_snapshot(library, options["before"]), find_snapshot(library, options["after"])
        changes: dict[str, Any] = dict(before.diff(after))
        sections = [described(change) for change in before.section_diff(after)] if options["sections"] else []
        if options["json"]:
            self.stdout.write(
                json.dumps(changes | ({"sections": sections} if options["sections"] else {}), ensure_ascii=False)
            )
            return
        if not (sections if options["sections"] else any(changes.values())):
            what = "section" if options["sections"] else "file"
            self.stderr.write(f"no {what} differs between {before} and {after}")
        for section in sections:
            self.stdout.write(shown(section))
        if options["sections"]:
            return
        for sign, paths in zip("+~-", changes.values(), strict=True):
            for path in paths:
                self.stdout.write(f"{sign} {path}")


def described(change: SectionChange) -> dict[str, Any]:
    place = change.after or change.before
    earlier = change.before if change.before and change.after else None
    return {
        "change": change.change,
        "path": place.path if place else None,
        "anchor": place.anchor if place else None,
        "breadcrumb": list(place.breadcrumb) if place else [],
        "before": {"path": earlier.path, "anchor": earlier.anchor} if earlier else None,
    }


def shown(section: dict[str, Any]) -> str:
    place, before = f"{section['path']}#{section['anchor']}", section["before"]
    earlier = f"{before['path']}#{before['anchor']}" if before else place
    return f"{section['change']}: {place}" + (f"  (was {earlier})" if earlier != place else "")
