"""Measure retrieval on a judged set: `--beir DIR` indexes its corpus as a library and asks its queries."""

import json
import sys
from argparse import ArgumentParser
from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from knowledge.models import DocumentFile, Library
from retrieval.evaluation import evaluate_beir, evaluate_questions, read_beir, read_questions
from retrieval.evaluation.branches import BRANCHES, RERANKED


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        judged = parser.add_mutually_exclusive_group(required=True)
        judged.add_argument("--beir", type=Path, metavar="DIR")
        judged.add_argument("--questions", type=Path, metavar="FILE")
        parser.add_argument("--library", metavar="SLUG", help="which library the questions are asked of")
        parser.add_argument("--split", default="test")
        parser.add_argument("--language", default="english", help="the corpus's text-search configuration")
        parser.add_argument("--branches", default=",".join(BRANCHES))
        parser.add_argument("--limit", type=int, help="only the first so many queries")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        branches = options["branches"].split(",")
        if unknown := set(branches) - {*BRANCHES, RERANKED}:
            known = ", ".join((*BRANCHES, RERANKED))
            raise CommandError(f"unknown branches: {', '.join(sorted(unknown))}; there are {known}")
        try:
            result = self.beir(branches, options) if options["beir"] else self.questions(branches, options)
        except (OSError, ValueError, RuntimeError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(json.dumps(result, ensure_ascii=False) if options["json"] else table(result))

    def beir(self, branches: list[str], options: dict[str, Any]) -> dict[str, Any]:
        judged = read_beir(options["beir"], options["split"])
        library, _ = Library.objects.update_or_create(
            slug=f"beir-{judged.name}"[:50],
            defaults={
                "name": f"BEIR {judged.name}",
                "kind": Library.Kind.CORPUS,
                "location": str(judged.corpus.resolve()),
                "language": options["language"],
                "access": Library.Access.GROUPS,
            },
        )
        call_command("reindex", library.slug, stdout=StringIO())
        measured = evaluate_beir(judged, library.slug, branches, options["limit"], self.advance)
        queries = len(judged.queries) if options["limit"] is None else min(options["limit"], len(judged.queries))
        return described(judged.name, library, queries, measured)

    def questions(self, branches: list[str], options: dict[str, Any]) -> dict[str, Any]:
        library = Library.objects.filter(slug=options["library"] or "").first()
        if library is None:
            raise CommandError("--questions needs the --library that holds the gold files")
        questions = read_questions(options["questions"])[: options["limit"]]
        measured = evaluate_questions(questions, library.slug, branches, self.advance)
        missing = {place.file for asked in questions for place in asked.gold} - set(
            DocumentFile.objects.filter(library=library).values_list("path", flat=True)
        )
        return described(options["questions"].stem, library, len(questions), measured) | {
            "gold_files_missing": sorted(missing)
        }

    def advance(self) -> None:
        if sys.stderr.isatty():
            self.stderr.write(".", ending="")


def described(name: str, library: Library, queries: int, measured: dict[str, Any]) -> dict[str, Any]:
    library.refresh_from_db()
    snapshot = library.active_snapshot
    if snapshot is None:
        raise RuntimeError(f"{library} has no active snapshot")
    corpus = {"documents": snapshot.files.count(), "chunks": snapshot.chunk_count}
    return {"set": name, "corpus": corpus, "profile": snapshot.profile.hash, "queries": queries, "branches": measured}


def table(result: dict[str, Any]) -> str:
    """Branches as rows, measures as columns."""
    corpus = result["corpus"]
    lines = [
        f"{result['set']}: {corpus['documents']:,} documents, {corpus['chunks']:,} chunks, {result['queries']} queries"
    ]
    rows: list[tuple[str, dict[str, float]]] = []
    for branch, measured in result["branches"].items():
        rows.append((branch, {name: value for name, value in measured.items() if name != "kinds"}))
        rows += [(f"{branch} · {kind}", values) for kind, values in measured.get("kinds", {}).items()]
    columns = list(rows[0][1])
    lines.append(f"{'':24}" + "".join(f"{name:>12}" for name in columns))
    for label, values in rows:
        lines.append(
            f"{label:24}" + "".join(f"{values[name]:>12.4g}" if name in values else " " * 12 for name in columns)
        )
    return "\n".join(lines)
