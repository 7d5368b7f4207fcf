"""Find the passages that say something about a query."""

import json
from argparse import ArgumentParser, BooleanOptionalAction
from textwrap import indent
from typing import Any

from django.core.management.base import BaseCommand

from retrieval.notices import excerpt, notice
from retrieval.query import LANGUAGE
from retrieval.results import SearchOptions, SearchResult
from retrieval.stretches import joined

from ._explained import explained
from ._scope import AS_JSON, PROMPT, add_scope_arguments, asked, found, readable, said, words_and_libraries

QUERY = f"{LANGUAGE}, as docs/search.md describes them; without a query: {PROMPT}"


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("query", nargs="?", help=QUERY)
        add_scope_arguments(parser)
        parser.add_argument("--top-k", type=int, help="default: as the libraries are set, else 10")
        parser.add_argument("--snapshot", type=int, help="an older snapshot's number; needs one --library")
        parser.add_argument("--rerank", action=BooleanOptionalAction, help="default: where a reranker is configured")
        parser.add_argument("--explain", action="store_true", help="why each hit stands where it stands")
        parser.add_argument(
            "--why-not", default="", metavar="PATH[#ANCHOR]", help="where was this file or section lost?"
        )
        parser.add_argument("--json", action="store_true", help=AS_JSON)

    def handle(self, *args: Any, **options: Any) -> None:
        given, libraries = words_and_libraries(options["query"], options)
        chosen = SearchOptions(
            libraries=libraries,
            mode=options["mode"],
            top_k=options["top_k"],
            snapshot=options["snapshot"],
            rerank=options["rerank"],
            explain=options["explain"],
            why_not=readable(options["why_not"]),
        )
        for query in asked(self, "search", given):
            self.answer(query, chosen, options)

    def answer(self, query: str, chosen: SearchOptions, options: dict[str, Any]) -> None:
        result = found(query, chosen)
        if options["json"]:
            self.stdout.write(json.dumps(result.as_json(), ensure_ascii=False))
        else:
            self.show(result)

    def show(self, result: SearchResult) -> None:
        for line in (*said(result), *result.notes):
            self.stdout.write(self.style.NOTICE(line))
        for stretch in joined(result.hits):
            hit, ranks = stretch.hit, ", ".join(str(part.rank) for part in stretch.parts)
            self.stdout.write(self.style.MIGRATE_HEADING(f"{ranks}. {' > '.join(hit.breadcrumb)}"))
            self.stdout.write(f"   {hit.library}: {hit.source_file}:{hit.line_start}-{hit.line_end}")
            for part in stretch.parts:
                for line in explained(part):
                    self.stdout.write(f"   {line}")
            self.stdout.write(indent(excerpt(hit, result.marked), "   ") + "\n")
        for why in result.why_not:
            place = f"{why.library}: {why.asked}" if why.library else why.asked
            self.stdout.write(self.style.NOTICE(f"{place}: {why.reason}"))
        for name in result.degraded:
            self.stdout.write(self.style.WARNING(f"degraded ({name}): {notice(name, result.hits)}"))
        self.stdout.write(f"{len(result.hits)} hit{'s' * (len(result.hits) != 1)} in {result.took_ms['total']:.0f} ms")
