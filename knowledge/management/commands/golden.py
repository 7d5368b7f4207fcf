"""A library's golden questions as JSON lines: import them, export them, or list them."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from knowledge import json_lines
from knowledge.golden import as_json_lines, read_json_lines
from knowledge.governance import gold
from knowledge.models import Library
from knowledge.wording import of_file

from ._library import find_library


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        take = actions.add_parser("import", help="add questions, or change those of the same id")
        take.add_argument("file", type=Path)
        take.add_argument("--replace", action="store_true", help="switch off the questions that are not in the file")
        give = actions.add_parser("export", help="the active questions")
        give.add_argument("--output", type=Path, metavar="FILE", help="instead of printing them")
        show = actions.add_parser("list", help="all questions, also those that are switched off")
        for action in (take, give, show):
            action.add_argument("--library", required=True, metavar="SLUG")
            if action is not give:
                action.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        library = find_library(options["library"])
        {"import": self.take, "export": self.give, "list": self.show}[options["action"]](library, options)

    def take(self, library: Library, options: dict[str, Any]) -> None:
        try:
            questions = read_json_lines(json_lines.text(options["file"]), str(options["file"]))
        except OSError as error:
            raise CommandError(of_file(error)) from error
        except ValueError as error:
            raise CommandError(str(error)) from error
        if not questions:
            raise CommandError(f"{options['file']} holds no question")
        counts = gold.take(library, questions, user=None, replace=options["replace"])
        missing = gold.missing(library, questions)
        if missing:
            self.stderr.write(gold.said_missing(library, missing))
        said = ", ".join(f"{number} {name}" for name, number in counts.items() if number) or "no questions"
        places = [{"id": question.id, **place.as_json()} for question, place in missing]
        result = json.dumps({**counts, "gold_missing": places}, ensure_ascii=False)
        self.stdout.write(result if options["json"] else f"{library}: {said}")

    def give(self, library: Library, options: dict[str, Any]) -> None:
        lines = as_json_lines(library.golden_questions.active().questions())
        if options["output"] is None:
            self.stdout.write(lines, ending="")
            return
        try:
            options["output"].write_text(lines, encoding="utf-8")
        except OSError as error:
            raise CommandError(of_file(error)) from error

    def show(self, library: Library, options: dict[str, Any]) -> None:
        found = library.golden_questions.order_by("identifier")
        if options["json"]:
            listed = [row.question.as_json() | {"active": row.active} for row in found]
            self.stdout.write(json.dumps(listed, ensure_ascii=False))
            return
        for row in found:
            places = ", ".join(map(str, row.places))
            self.stdout.write(f"{' ' if row.active else '-'} {row.identifier}: {row.text[:80]} → {places}")
