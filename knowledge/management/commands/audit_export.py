"""The audit as JSON lines, oldest first. `--check FILE` compares an earlier export with what stands here now."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from knowledge.governance.audit_exports import as_json_lines
from knowledge.models import AuditEvent


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--library", metavar="SLUG", help="only what was done in this library")
        parser.add_argument("--since", type=int, default=1, metavar="N", help="from this event on")
        parser.add_argument("--output", type=Path, metavar="FILE")
        parser.add_argument("--check", type=Path, metavar="FILE", help="an earlier export that must still be true")

    def handle(self, *args: Any, **options: Any) -> None:
        if broken := list(AuditEvent.objects.broken()):
            self.stderr.write(self.style.ERROR("the chain is broken: " + "; ".join(broken[:5])))
        if options["check"]:
            self.compare(options["check"])
        else:
            self.export(options)
        if broken:
            sys.exit(1)

    def export(self, options: dict[str, Any]) -> None:
        events = AuditEvent.objects.filter(number__gte=options["since"]).order_by("number")
        if options["library"]:
            events = events.filter(library=options["library"])
        lines = as_json_lines(events.iterator(2000))
        if options["output"] is None:
            self.stdout.writelines(lines)
            return
        try:
            write(options["output"], lines)
        except OSError as error:
            raise CommandError(f"{options['output']} cannot be written: {error.strerror}") from error

    def compare(self, path: Path) -> None:
        """Only somebody who rewrote the whole chain passes `verify`; they don't pass an export kept elsewhere."""
        count = 0
        try:
            with path.open(encoding="utf-8") as lines:
                for line in lines:
                    kept = exported(line)
                    event = AuditEvent.objects.filter(number=kept["number"]).first()
                    if event is None or event.as_json() != kept:
                        raise CommandError(f"event {kept['number']} is not what was exported")
                    count += 1
        except (OSError, ValueError) as error:
            raise CommandError(f"{path} is no export of an audit: {error}") from error
        self.stdout.write(f"{count:,} events are as they were exported")


def write(output: Path, lines: Iterable[str]) -> None:
    """All of it or nothing."""
    draft = output.with_name(output.name + ".part")
    try:
        with draft.open("w", encoding="utf-8") as file:
            file.writelines(lines)
        draft.replace(output)
    finally:
        draft.unlink(missing_ok=True)


def exported(line: str) -> dict[str, Any]:
    """Raises ValueError."""
    event = json.loads(line)
    if not isinstance(event, dict) or not isinstance(event.get("number"), int):
        raise ValueError("a line of it is no event")
    return event
