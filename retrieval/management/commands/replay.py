"""Would it still say that? Hold an answer of the ledger against today's documents."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from knowledge.endpoints import EndpointError
from knowledge.models import Answer
from retrieval.answering.replay import Replay, replay

VERDICTS = {
    "yes": "Yes: today's passages bear out every sentence that was borne out then.",
    "partly": "In part: some of its sentences have no passage any more.",
    "no": "No: today's passages bear out none of its sentences.",
    "withheld": "What it had said is not open any more.",
    "refused": "It had said nothing that the documents bear out.",
}


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("answer", type=int, help="its number in the ledger")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        row = Answer.objects.filter(pk=options["answer"]).first()
        if row is None:
            raise CommandError(f"There is no answer {options['answer']}.")
        try:
            found = replay(row, None)
        except EndpointError as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps(found.as_json(), ensure_ascii=False))
        else:
            self.show(found)

    def show(self, found: Replay) -> None:
        self.stdout.write(f"{found.question}\n{VERDICTS[found.verdict]}")
        if found.withheld and found.verdict != "withheld":
            self.stdout.write("What is not open any more was not compared.")
        for span in found.spans:
            self.stdout.write(
                self.style.MIGRATE_HEADING(f"[{span.n}] {span.library}: {span.source_file}:{span.line_start}")
            )
            self.stdout.write(f"    {span.says}")
            marks = {"same": "{}", "removed": "[-{}-]", "added": "{{+{}+}}"}
            if span.pieces:
                self.stdout.write(
                    "    " + " ".join(marks[piece.kind].format(piece.text.strip()) for piece in span.pieces)
                )
        for sentence in found.sentences:
            if sentence.then and not sentence.now:
                self.stdout.write(self.style.WARNING(f"not borne out any more: {sentence.text}"))
