"""Find the sections that answer a query, file by file."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from retrieval.notices import notice
from retrieval.results import Hit, SearchOptions, SearchResult

from ._scope import AS_JSON, PROMPT, asked, found, said, words_and_libraries

WHOLE = ("query", "libraries", "mode", "degraded", "took_ms", "understood", "notes", "did_you_mean", "corrected")


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("query", nargs="?", help=f"without one: {PROMPT}")
        parser.add_argument("--library", nargs="+", action="extend", default=[], metavar="SLUG")
        parser.add_argument("--top-k", type=int, default=10)
        parser.add_argument("--snapshot", type=int, help="an older snapshot's number; needs one --library")
        parser.add_argument("--json", action="store_true", help=AS_JSON)

    def handle(self, *args: Any, **options: Any) -> None:
        given, libraries = words_and_libraries(options["query"], options)
        chosen = SearchOptions(libraries, "tree", options["top_k"], options["snapshot"], rerank=False)
        for query in asked(self, "tree", given):
            self.answer(query, chosen, options)

    def answer(self, query: str, chosen: SearchOptions, options: dict[str, Any]) -> None:
        result = found(query, chosen)
        if options["json"]:
            self.stdout.write(json.dumps(as_json(result), ensure_ascii=False))
        else:
            self.show(result)

    def show(self, result: SearchResult) -> None:
        for line in (*said(result), *result.notes):
            self.stdout.write(self.style.NOTICE(line))
        for file in by_file(result.hits):
            self.stdout.write(self.style.MIGRATE_HEADING(f"{file[0].library}: {file[0].source_file}"))
            for hit in file:
                place = f"{hit.line_start}-{hit.line_end}"
                self.stdout.write(f"   {hit.rank}. {' > '.join(hit.breadcrumb)}  ({place}, {hit.scores['fused']:.3f})")
        for name in result.degraded:
            self.stdout.write(self.style.WARNING(f"degraded ({name}): {notice(name, result.hits)}"))
        self.stdout.write(f"{len(result.hits)} sections in {result.took_ms['total']:.0f} ms")


def by_file(hits: tuple[Hit, ...]) -> list[list[Hit]]:
    """The hits of each file, in the order of the files' best; within a file as they stand in it."""
    files: dict[tuple[str, str], list[Hit]] = {}
    for hit in hits:
        files.setdefault((hit.library, hit.source_file), []).append(hit)
    return [sorted(file, key=lambda hit: hit.ordinal) for file in files.values()]


def as_json(result: SearchResult) -> dict[str, Any]:
    files = [
        {
            "library": file[0].library,
            "source_file": file[0].source_file,
            "sections": [hit.as_json() for hit in file],
        }
        for file in by_file(result.hits)
    ]
    whole = result.as_json()
    return {key: whole[key] for key in WHOLE} | {"files": files}
