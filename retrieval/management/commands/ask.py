"""Ask a question; the answer cites the passages that bear it out. Without one, a conversation."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from textwrap import indent
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from knowledge.endpoints import EndpointError
from retrieval.answering.conclusions import EXTRACT
from retrieval.answering.followups.followup import Turn
from retrieval.answering.ledger import Asking
from retrieval.answering.pipeline import answer
from retrieval.answering.sentences import doubtful
from retrieval.notices import notice, written_by
from retrieval.printed import TERMINAL, headings_of, numbers_of, text_of, told_of_nearest
from retrieval.results import NEAREST, AnswerResult, SearchOptions
from retrieval.view import UnknownLibrary

from ._scope import AS_JSON, PROMPT, add_scope_arguments, asked, words_and_libraries


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("question", nargs="?", help=f"without one: {PROMPT}")
        add_scope_arguments(parser)
        parser.add_argument("--json", action="store_true", help=AS_JSON)

    def handle(self, *args: Any, **options: Any) -> None:
        given, options["library"] = words_and_libraries(options["question"], options)
        history: list[Turn] = []
        failed = 0
        for question in asked(self, "ask", given):
            try:
                answered = self.ask(question, options, history)
            except ValueError as error:  # too long; the next one may be shorter
                if given is not None:
                    raise CommandError(str(error), returncode=2) from error
                self.refuse(question, str(error), options)
                failed += 1
                continue
            cited = " ".join(f"{citation.hit.section_title} {citation.quote}" for citation in answered.citations)
            history.append(Turn(answered.standalone, answered.answer, cited))
        if failed and not sys.stdin.isatty():
            raise CommandError(f"questions that could not be asked: {failed}")

    def refuse(self, question: str, error: str, options: dict[str, Any]) -> None:
        self.stderr.write(self.style.ERROR(error))
        if options["json"]:
            self.stdout.write(json.dumps({"question": question, "error": error}, ensure_ascii=False))

    def ask(self, question: str, options: dict[str, Any], history: Sequence[Turn]) -> AnswerResult:
        asking = Asking(history=tuple(history))
        try:
            answered = answer(None, question, SearchOptions(options["library"], options["mode"]), asking)
        except (UnknownLibrary, EndpointError) as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps(answered.as_json(), ensure_ascii=False))
        else:
            self.show(answered)
        return answered

    def show(self, answered: AnswerResult) -> None:
        if answered.standalone not in ("", answered.question):
            self.stdout.write(self.style.NOTICE(f"understood as: {answered.standalone}"))
        self.stdout.write(f"{text_of(answered, TERMINAL)}\n\n")
        for sentence in doubtful(answered.sentences):
            self.stdout.write(self.style.WARNING(f"not borne out by the sources: {sentence.text}"))
        numbers = numbers_of(answered)
        for citation in sorted(answered.citations, key=lambda one: numbers[one.n]):
            mark = "" if citation.verified else self.style.WARNING(" (not verified)")
            hit, lines = citation.hit, f":{citation.line_start}-{citation.line_end}"
            place = f"{hit.library}: {hit.source_file}{f', page {hit.page}' if hit.page else lines}"
            self.stdout.write(self.style.MIGRATE_HEADING(f"[{numbers[citation.n]}] {place}{mark}"))
            if answered.model != EXTRACT:  # whose quotations are the answer
                self.stdout.write(indent(f"{citation.table_head}“{citation.quote}”", "    "))
        if answered.refused and (nearest := answered.hits[:NEAREST]):
            self.stdout.write(headings_of(answered)[-1])
            for rank, hit in enumerate(nearest):
                self.stdout.write(f"    {hit.section_title} ({hit.library}: {hit.source_file}:{hit.line_start})")
                if rank == 0 and (told := told_of_nearest(answered)):
                    self.stdout.write(f"        “{told}”")
        for name in answered.degraded:
            self.stdout.write(self.style.WARNING(f"degraded ({name}): {notice(name, answered.hits)}"))
        author = "" if answered.refused else f"{written_by(answered.model) or 'no model asked'}, "
        self.stdout.write(f"{author}{answered.took_ms['total'] / 1000:.1f} s")
