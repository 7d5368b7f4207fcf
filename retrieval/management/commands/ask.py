"""Ask a question; the answer cites the passages that bear it out."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from knowledge.endpoints import EndpointError
from retrieval.answering import answer
from retrieval.results import Answer, SearchOptions
from retrieval.view import UnknownLibrary

from ._scope import add_scope_arguments, prompt, words_and_libraries


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("question", nargs="?", help="without one: an interactive prompt")
        add_scope_arguments(parser)
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        question, options["library"] = words_and_libraries(options["question"], options)
        if question is not None:
            self.ask(question, options)
            return
        while question := prompt(self, "ask"):
            self.ask(question, options)

    def ask(self, question: str, options: dict[str, Any]) -> None:
        try:
            answered = answer(None, question, SearchOptions(options["library"], options["mode"]))
        except (UnknownLibrary, EndpointError) as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps(answered.as_json(), ensure_ascii=False))
        else:
            self.show(answered)

    def show(self, answered: Answer) -> None:
        self.stdout.write(answered.answer + "\n")
        for sentence in answered.sentences:
            if not sentence.supported:
                self.stdout.write(self.style.WARNING(f"not borne out by the sources: {sentence.text}"))
        for citation in answered.citations:
            mark = "" if citation.verified else self.style.WARNING(" (not verified)")
            place = f"{citation.hit.library}: {citation.hit.source_file}:{citation.line_start}-{citation.line_end}"
            self.stdout.write(self.style.MIGRATE_HEADING(f"[{citation.n}] {place}{mark}"))
            self.stdout.write(f"    “{' '.join(citation.quote.split())}”")
        if answered.degraded:
            self.stdout.write(self.style.WARNING(f"degraded: {', '.join(answered.degraded)} did not answer"))
        self.stdout.write(f"{answered.model or 'no model asked'}, {answered.took_ms['total'] / 1000:.1f} s")
