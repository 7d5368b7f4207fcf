"""Check what must always hold, from the rows themselves."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from knowledge.verification import Check, run_checks


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--deep", action="store_true", help="read everything, where the plain run reads a sample")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        checks = []
        for check in run_checks(options["deep"]):
            checks.append(check)
            if not options["json"]:
                self.show(check)
        ok = all(check.ok for check in checks)
        if options["json"]:
            self.stdout.write(json.dumps({"ok": ok, "checks": [check.as_json() for check in checks]}))
        if not ok:
            raise CommandError("something that must always hold does not")

    def show(self, check: Check) -> None:
        word = self.style.SUCCESS("ok") if check.ok else self.style.ERROR("WRONG")
        self.stdout.write(
            f"{word:>5}  {check.name}: {check.checked:,} checked, {check.failed:,} wrong ({check.seconds} s)"
        )
        for example in check.examples:
            self.stdout.write(f"         {example}")
