"""Look at everything that Muniment rests on, say what is degraded and why, and what to do about it."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from knowledge.health import Examination, State, examine


class Command(BaseCommand):
    help = __doc__
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        found = []
        for examination in examine():
            found.append(examination)
            if not options["json"]:
                self.show(examination)
        broken = [examination.name for examination in found if examination.state == State.BROKEN]
        if options["json"]:
            told = {"ok": not broken, "examinations": [examination.as_json() for examination in found]}
            self.stdout.write(json.dumps(told, ensure_ascii=False))
        if broken:
            raise CommandError(f"this does not work: {', '.join(broken)}")

    def show(self, examination: Examination) -> None:
        styles = {State.OK: self.style.SUCCESS, State.BROKEN: self.style.ERROR, State.DEGRADED: self.style.WARNING}
        word = styles.get(examination.state, str)(f"{examination.state:>8}")
        self.stdout.write(f"{word}  {examination.name}: {examination.detail}")
        if examination.to_do:
            self.stdout.write(f"          → {examination.to_do}")
